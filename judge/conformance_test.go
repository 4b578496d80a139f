package judge_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"testing"

	"dowse"
	"dowse/judge"
)

// judges lists every judge of the package. Each passes the conformance suite.
func judges(t testing.TB) map[string]dowse.Judge {
	list := map[string]dowse.Judge{
		"one word": words(t, judge.Wanted{Words: []string{"reef"}}),
		"words": words(t, judge.Wanted{
			Words: []string{"coral bleaching", "reef"}, Also: []string{"ocean"}, Not: []string{"hair bleaching"},
			About: "Bleaching of corals in warm oceans",
		}),
		"words in Turkish with symbols": words(t, judge.Wanted{Words: []string{"C#", "üniversite"}, Language: "tr"}),
	}
	for name, m := range models(t) {
		list[name] = m
	}
	return list
}

func TestConformance(t *testing.T) {
	for name, j := range judges(t) {
		t.Run(name, func(t *testing.T) { conform(t, j) })
	}
}

// conform checks what everybody relies on in a judge: a relevance from 0 to 1 with
// reasons that add up to it, the same one each time, from any goroutine, for any
// page, and windows that do not change it.
func conform(t *testing.T, j dowse.Judge) {
	pages := oddPages()
	first := map[string]dowse.Verdict{}
	for name, p := range pages {
		v := j.Judge(p)
		checkVerdict(t, name, v)
		first[name] = v
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for name, p := range pages {
				checkSame(t, name, j, p, first[name])
			}
		})
	}
	all.Wait()
}

func oddPages() map[string]*dowse.Page {
	huge := 20000
	if testing.Short() { // eight goroutines read these pages with every judge, under the race detector
		huge = 500
	}
	rng := rand.New(rand.NewPCG(1, 1))
	noise := make([]byte, 20000)
	for i := range noise {
		noise[i] = byte(rng.UintN(256))
	}
	return map[string]*dowse.Page{
		"empty":         {},
		"failed":        {Outcome: dowse.Failed, Reason: dowse.FailDNS},
		"title only":    page("Coral bleaching on the reef", ""),
		"ordinary":      page("Reefs", mixed(500, 9, "coral bleaching reef ocean c# üniversite")),
		"against":       page("Hair bleaching", mixed(500, 9, "hair bleaching")),
		"huge":          page("", strings.Repeat("coral bleaching of the reef ", huge)),
		"one long word": page(strings.Repeat("reef", 13*huge), strings.Repeat("reef", 52*huge)),
		"odd bytes":     page(string(noise[:200]), string(noise)),
		"cut rune":      page("reef \xe2\x82", "reef \xf0\x9f\x98 reef \xff c#\xff"),
		"marks":         page("re\u0301ef", "e\u0301\u0301\u0301 "+strings.Repeat("\u0301", 1000)+" reef"),
		"right to left": page("\u202ereef", "\u202ereef\u202c שלום \u200dreef"),
		"stop words":    page("the of and", strings.Repeat("the of and to ", 1000)),
	}
}

func checkVerdict(t *testing.T, name string, v dowse.Verdict) {
	t.Helper()
	if !(v.Relevance >= 0 && v.Relevance <= 1) {
		t.Errorf("%s: relevance %g", name, v.Relevance)
	}
	if len(v.Because) == 0 || v.Judge == "" || v.Scale == "" {
		t.Errorf("%s: says too little: %+v", name, v)
	}
	for _, b := range v.Because {
		if b.What == "" || b.Count < 0 || math.IsNaN(b.Weight) || strings.ContainsAny(b.What, "\n\x00\x1b") {
			t.Errorf("%s: reason %+v", name, b)
		}
	}
	checkSum(t, v)
}

// checkSum checks that the reasons add up to the relevance on the verdict's scale.
func checkSum(t *testing.T, v dowse.Verdict) {
	t.Helper()
	if v.Scale == judge.Change {
		checkChanges(t, v)
		return
	}
	sum := 0.0
	for _, b := range v.Because {
		sum += b.Weight
	}
	want := sum
	if v.Scale == judge.LogOdds {
		want = 1 / (1 + math.Exp(-sum))
	}
	if math.Abs(v.Relevance-want) > 1e-6 {
		t.Errorf("reasons give %g on the scale %q, relevance is %g", want, v.Scale, v.Relevance)
	}
}

// checkChanges checks that each reason is a change that could be.
func checkChanges(t *testing.T, v dowse.Verdict) {
	t.Helper()
	for i, b := range v.Because {
		if left := v.Relevance - b.Weight; left < -1e-9 || left > 1+1e-9 {
			t.Errorf("without %q %g is left", b.What, left)
		}
		if left := judge.Without(v, i); math.Abs(left-(v.Relevance-b.Weight)) > 1e-9 {
			t.Errorf("without %q: %g", b.What, left)
		}
	}
}

func checkSame(t *testing.T, name string, j dowse.Judge, p *dowse.Page, want dowse.Verdict) {
	if got := j.Judge(p); !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %+v, then %+v", name, want, got)
	}
	w, ok := j.(dowse.WindowJudge)
	if !ok {
		return
	}
	n := int32(len(p.Words))
	windows := []dowse.Span{{Start: 0, End: n}, {Start: 0, End: 0}, {Start: n / 2, End: n/2 + 20}, {Start: -3, End: 5}}
	got, ratings := w.JudgeWindows(p, windows)
	if !reflect.DeepEqual(got, want) || len(ratings) != len(windows) {
		t.Errorf("%s: with windows %+v, without %+v", name, got, want)
	}
	for i, r := range ratings {
		if !(r >= 0 && r <= 1) {
			t.Errorf("%s: window %d has %g", name, i, r)
		}
	}
}

func FuzzWords(f *testing.F) {
	f.Add("coral bleaching", "Reefs", "the coral is bleaching", int32(0), int32(3))
	f.Add("c#", "", "\xff c# \u0301", int32(-1), int32(1<<30))
	f.Fuzz(func(t *testing.T, topic, title, s string, from, to int32) {
		j, err := judge.NewWords(judge.Wanted{Words: []string{topic, "reef"}, Not: []string{"hair"}})
		if err != nil {
			return
		}
		p := page(title, s)
		v, ratings := j.JudgeWindows(p, []dowse.Span{{Start: from, End: to}})
		checkVerdict(t, s, v)
		if !(ratings[0] >= 0 && ratings[0] <= 1) {
			t.Errorf("window %g", ratings[0])
		}
	})
}
