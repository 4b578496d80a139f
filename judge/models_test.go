package judge_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"testing"

	"dowse"
	"dowse/judge"
)

func ExampleLogistic() {
	examples := []judge.Example{
		{Text: "corals on a reef lose their algae when the ocean is warm", Relevant: true},
		{Text: "the reef recovers, coral by coral, once the ocean cools", Relevant: true},
		{Text: "the town council met on monday about the market"},
		{Text: "bread and cheese are sold on the market"},
	}
	m, err := judge.Logistic{Prior: 0.5}.Train(examples)
	if err != nil {
		fmt.Println(err)
		return
	}
	p := page("", "a coral reef")
	fmt.Println(m.Judge(p).Relevance > 0.5)
	m.(*judge.Online).Learn(judge.Example{Text: "a coral reef is for sale on the market"})
	fmt.Println(m.Judge(p).Relevance < 0.5)
	// Output:
	// true
	// true
}

// lessons makes examples with words of their kind among words of both.
func lessons(n int, seed uint64) []judge.Example {
	rng := rand.New(rand.NewPCG(seed, 3))
	common := strings.Fields("people water town year light early found large water small part time water")
	kinds := [2][]string{
		strings.Fields("market bread hair bleaching price street council cheese shop"),
		strings.Fields("coral bleaching reef ocean algae acropora polyp lagoon c# üniversite"),
	}
	var list []judge.Example
	for i := range n {
		kind := 0
		if i%3 == 0 {
			kind = 1
		}
		var b strings.Builder
		for range 60 + rng.IntN(60) {
			if rng.IntN(4) == 0 {
				b.WriteString(kinds[kind][rng.IntN(len(kinds[kind]))])
			} else {
				b.WriteString(common[rng.IntN(len(common))])
			}
			b.WriteByte(' ')
		}
		p := page(kinds[kind][rng.IntN(3)], b.String())
		p.URL = dowse.URL(fmt.Sprintf("http://s%d.example/%d", i%7, i))
		list = append(list, judge.Example{Page: p, Relevant: kind == 1})
	}
	return list
}

// models returns every kind of trained judge.
func models(t testing.TB) map[string]judge.Model {
	t.Helper()
	list := map[string]judge.Model{}
	for _, c := range append(candidates(), literal()...) {
		m, err := c.Trainer.Train(lessons(30, 1))
		if err != nil {
			t.Fatal(err)
		}
		list[c.Name] = m
	}
	byWords, err := judge.Table{}.OfWords([]string{"coral bleaching", "reef"})
	if err != nil {
		t.Fatal(err)
	}
	list["table of words"] = byWords
	digits, err := judge.Dewey{}.New()
	if err != nil {
		t.Fatal(err)
	}
	list["dewey"] = digits
	nothing, err := judge.Logistic{}.Train(nil)
	if err != nil {
		t.Fatal(err)
	}
	list["logistic, untaught"] = nothing
	return list
}

// literal are the judges as their papers have them, where defaults differ.
func literal() []judge.Candidate {
	return []judge.Candidate{
		{Name: "literal kde", Trainer: judge.KDE{Literal: true}},
		{Name: "literal multinomial", Trainer: judge.Multinomial{Literal: true}},
		{Name: "literal centroid", Trainer: judge.Centroid{Literal: true, Gamma: 1, K: 2}},
		{Name: "svm of raw counts", Trainer: judge.SVM{Features: judge.Features{Raw: true, Damp: true, Prefix: 5, Terms: 50}}},
	}
}

func TestTrainedJudgesTellTopicsApart(t *testing.T) {
	unseen := lessons(60, 2)
	for _, c := range append(candidates(), literal()...) {
		m, err := c.Trainer.Train(lessons(30, 1))
		if err != nil {
			t.Fatal(err)
		}
		var ratings []judge.Rating
		for _, e := range unseen {
			ratings = append(ratings, judge.Rating{Relevance: m.Judge(e.Page).Relevance, Relevant: e.Relevant})
		}
		q := judge.Measure(ratings, m.Threshold())
		if q.F1 < 0.9 || q.AveragePrecision < 0.95 {
			t.Errorf("%s: F1 %.3f, average precision %.3f", c.Name, q.F1, q.AveragePrecision)
		}
	}
}

func TestTrainingIsDeterministic(t *testing.T) {
	first, second := models(t), models(t)
	for name, m := range first {
		a, err := judge.Save(m)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := judge.Save(second[name])
		if string(a) != string(b) {
			t.Errorf("%s: trained twice, not the same", name)
		}
	}
}

func TestSaveAndLoad(t *testing.T) {
	if testing.Short() {
		t.Skip("short: starts no goroutines")
	}
	for name, m := range models(t) {
		data, err := judge.Save(m)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		again, err := judge.Load(data)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if again.Kind() != m.Kind() || again.Threshold() != m.Threshold() {
			t.Errorf("%s: kind %s, threshold %g", name, again.Kind(), again.Threshold())
		}
		for what, p := range oddPages() {
			if got, want := again.Judge(p), m.Judge(p); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %s: %+v, want %+v", name, what, got, want)
			}
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	tests := []string{
		``, `{}`, `[]`, `{"judge":"svm"}`, `{"judge":"svm","version":2,"model":{}}`,
		`{"judge":"oracle","version":1,"model":{}}`,
		`{"judge":"svm","version":1,"model":{"documents":1,"terms":["a"],"df":[1],"weights":[]}}`,
		`{"judge":"svm","version":1,"model":{"documents":1,"terms":["b","a"],"df":[1,1],"weights":[1,1]}}`,
		`{"judge":"svm","version":1,"model":{"documents":1,"terms":["a"],"df":[1],"weights":[1e300]}}`,
		`{"judge":"kde","version":1,"model":{"documents":1,"terms":["a"],"df":[1],"grids":[{"step":0}]}}`,
		`{"judge":"network","version":1,"model":{"documents":1,"terms":["a"],"df":[1]}}`,
		`{"judge":"vote","version":1,"model":{"documents":1,"terms":["a"],"df":[1],"svm":null}}`,
		`{"judge":"centroid","version":1,"model":{"documents":1,"terms":["a"],"df":[1]}}`,
		`{"judge":"logistic","version":1,"model":{"slots":3}}`,
		`{"judge":"dewey","version":1,"model":{}}`,
		`{"judge":"table","version":1,"model":{"words":[]}}`,
		`{"judge":"table","version":1,"model":{"words":[{"term":"a","weight":-1}]}}`,
	}
	for _, s := range tests {
		if m, err := judge.Load([]byte(s)); err == nil {
			t.Errorf("%s: loaded as %s", s, m.Kind())
		}
	}
}

func FuzzLoad(f *testing.F) {
	for _, m := range models(f) {
		data, err := judge.Save(m)
		if err != nil {
			f.Fatal(err)
		}
		if len(data) < 1<<16 {
			f.Add(data)
		}
	}
	f.Add([]byte(`{"judge":"centroid","version":1,"model":{"documents":1,"terms":["reef"],"df":[1],"wanted":[[1]],"others":[[0]],"gamma":1}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := judge.Load(data)
		if err != nil {
			return
		}
		v, _ := m.JudgeWindows(page("Reef", "the coral reef of 珊瑚礁"), []dowse.Span{{Start: 0, End: 2}})
		if !(v.Relevance >= 0 && v.Relevance <= 1) {
			t.Errorf("relevance %g", v.Relevance)
		}
	})
}

func TestTrainersNeedBothKinds(t *testing.T) {
	var wanted []judge.Example
	for _, e := range lessons(30, 1) {
		if e.Relevant {
			wanted = append(wanted, e)
		}
	}
	for _, c := range candidates() {
		_, err := c.Trainer.Train(wanted)
		allowed := c.Name == "logistic" || c.Name == "table"
		if (err == nil) != allowed {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
	for _, trainer := range []judge.Trainer{
		judge.Table{}, judge.Network{Hidden: 1000}, judge.Vote{Network: judge.Network{Hidden: -1}},
		judge.Centroid{K: 1000}, judge.Logistic{Slots: 1000}, judge.Logistic{Prior: 2},
		judge.SVM{Features: judge.Features{Prior: 1}}, judge.KDE{Features: judge.Features{Prior: -1}},
	} {
		if _, err := trainer.Train(nil); err == nil {
			t.Errorf("%+v: trained", trainer)
		}
	}
}

func TestFewExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("short: starts no goroutines")
	}
	two := []judge.Example{{Text: "coral reef", Relevant: true}, {Text: "bread market"}}
	for _, c := range candidates() {
		m, err := c.Trainer.Train(two)
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		conform(t, m)
	}
}

func TestChangesAreWhatLeavingOutDoes(t *testing.T) {
	p := page("", "coral reef coral lagoon market water people algae")
	for name, m := range models(t) {
		v := m.Judge(p)
		if v.Scale != judge.Change || m.Kind() == "centroid" {
			continue // a centroid sees the length of the vector change as well
		}
		data, err := judge.Save(m)
		if err != nil {
			t.Fatal(err)
		}
		for i, b := range v.Because {
			if b.Count == 0 {
				continue
			}
			// The same judge, deaf to the term but not to its part in the length.
			deaf := muted(t, data, strings.Trim(b.What, `"`))
			if got, want := judge.Without(v, i), deaf.Judge(p).Relevance; math.Abs(got-want) > 1e-6 {
				t.Errorf("%s: without %s %g, want %g", name, b.What, got, want)
			}
		}
	}
}

// muted returns a network or vote with the weights of one term set as if a page
// never had it.
func muted(t *testing.T, data []byte, term string) judge.Model {
	t.Helper()
	var whole map[string]any
	if err := json.Unmarshal(data, &whole); err != nil {
		t.Fatal(err)
	}
	model := whole["model"].(map[string]any)
	at := -1
	for i, x := range model["terms"].([]any) {
		if x == term {
			at = i
		}
	}
	mute := func(m map[string]any) {
		if m["hidden"] != nil {
			muteNetwork(m, at)
		}
		if m["weights"] != nil {
			m["weights"].([]any)[at] = 0.0
		}
		if m["grids"] != nil {
			muteGrid(m, at)
		}
	}
	mute(model)
	for _, part := range []string{"svm", "kde", "network"} {
		if m, ok := model[part].(map[string]any); ok {
			mute(m)
		}
	}
	changed, err := json.Marshal(whole)
	if err != nil {
		t.Fatal(err)
	}
	m, err := judge.Load(changed)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// muteNetwork moves what a term contributes at 0 into the bias.
func muteNetwork(m map[string]any, at int) {
	zero := -m["middle"].([]any)[at].(float64) / m["half"].([]any)[at].(float64)
	for _, r := range m["hidden"].([]any) {
		row := r.([]any)
		row[len(row)-1] = row[len(row)-1].(float64) + row[at].(float64)*zero
		row[at] = 0.0
	}
}

// muteGrid makes the grid so coarse that every value of the term is rounded to 0
// and leaves the densities at 0 as they are, but for a factor that both classes
// share.
func muteGrid(m map[string]any, at int) {
	grid := m["grids"].([]any)[at].(map[string]any)
	grid["step"] = grid["step"].(float64) * 1e6
}

func TestLearnOneLabelAtATime(t *testing.T) {
	m, err := judge.Logistic{}.Train(nil)
	if err != nil {
		t.Fatal(err)
	}
	j := m.(*judge.Online)
	p := page("", "coral reef and lagoon")
	if got := j.Judge(p).Relevance; math.Abs(got-0.5) > 1e-9 {
		t.Errorf("before any label %g", got)
	}
	for _, e := range lessons(30, 1) {
		j.Learn(e)
	}
	var ratings []judge.Rating
	for _, e := range lessons(60, 2) {
		ratings = append(ratings, judge.Rating{Relevance: j.Judge(e.Page).Relevance, Relevant: e.Relevant})
	}
	if q := judge.Measure(ratings, 0.5); q.F1 < 0.9 {
		t.Errorf("F1 %.3f", q.F1)
	}
}

func TestLearnOverrulesWhatWasLearnt(t *testing.T) {
	m, err := judge.Logistic{}.Train(lessons(30, 1))
	if err != nil {
		t.Fatal(err)
	}
	j := m.(*judge.Online)
	e := lessons(30, 1)[0]
	before := j.Judge(e.Page).Relevance
	kept := j.Clone()
	e.Relevant = false
	j.Learn(e)
	if after := j.Judge(e.Page).Relevance; before < 0.5 || after > 0.5 {
		t.Errorf("%.3f, after the label %.3f", before, after)
	}
	if got := kept.Judge(e.Page).Relevance; got != before {
		t.Errorf("the clone has changed: %.3f, was %.3f", got, before)
	}
}

// One lesson makes the judge sure of its page, and no more: a page that shares nothing
// but everyday words stays where it was.
func TestOneLessonIsNotTheWorld(t *testing.T) {
	filler := "we keep this page near the old road where people wait and walk between houses in every season of a long year "
	examples := []judge.Example{
		{Text: "tide pools hold anemones and crabs at low tide", Relevant: true},
		{Text: "barnacles live on the rocky shore between the tides", Relevant: true},
		{Text: "stamps and coins at the market"}, {Text: "the train leaves the station"}, {Text: "bread and cheese"}, {Text: "mushrooms grow in woods"},
	}
	m, err := judge.Logistic{}.Train(examples)
	if err != nil {
		t.Fatal(err)
	}
	shore, fungi := page("", strings.Repeat(filler, 5)+"periwinkles in tide pools"), page("", strings.Repeat(filler, 5)+"bracket fungi on dead mushrooms")
	before := m.Judge(fungi).Relevance
	m.(*judge.Online).Learn(judge.Example{Page: shore, Relevant: true})
	if got := m.Judge(shore).Relevance; got < 0.95 || got > 0.99 {
		t.Errorf("the page of the lesson has %.3f", got)
	}
	for range 5 {
		m.(*judge.Online).Learn(judge.Example{Page: fungi})
		m.(*judge.Online).Learn(judge.Example{Page: shore, Relevant: true})
	}
	if got := m.Judge(fungi).Relevance; got > 0.5 {
		t.Errorf("told apart, the other has %.3f; it had %.3f", got, before)
	}
	if got := m.Judge(page("", "coins and stamps of the old market")).Relevance; got > 0.5 {
		t.Errorf("what was never asked about has %.3f", got)
	}
}

func TestGoingOnAfterLoadIsGoingOn(t *testing.T) {
	m, err := judge.Logistic{}.Train(lessons(30, 1))
	if err != nil {
		t.Fatal(err)
	}
	data, err := judge.Save(m)
	if err != nil {
		t.Fatal(err)
	}
	again, err := judge.Load(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range lessons(10, 5) {
		m.(*judge.Online).Learn(e)
		again.(*judge.Online).Learn(e)
	}
	for _, e := range lessons(10, 6) {
		if got, want := again.Judge(e.Page), m.Judge(e.Page); !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v, want %+v", got, want)
		}
	}
}

func TestLearnWhileJudging(t *testing.T) {
	m, err := judge.Logistic{}.Train(lessons(30, 1))
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for _, e := range lessons(50, 2) {
				checkVerdict(t, "while learning", m.Judge(e.Page))
			}
		})
	}
	for _, e := range lessons(50, 3) {
		m.(*judge.Online).Learn(e)
	}
	all.Wait()
}

func TestSpacelessScripts(t *testing.T) {
	examples := []judge.Example{
		{Text: "珊瑚礁白化是海水变暖的结果。珊瑚失去藻类。", Relevant: true},
		{Text: "大堡礁的珊瑚礁正在恢复", Relevant: true},
		{Text: "今天的市场上有面包和奶酪"},
		{Text: "市议会星期一开会讨论市场"},
	}
	on, off := page("", "研究人员观察了这片珊瑚礁的白化"), page("", "他们在市场买面包")
	for _, trainer := range []judge.Trainer{judge.Logistic{Language: "zh"}, judge.Table{Language: "zh"}, judge.SVM{Features: judge.Features{Language: "zh"}}} {
		m, err := trainer.Train(examples)
		if err != nil {
			t.Fatal(err)
		}
		a, windows := m.JudgeWindows(on, []dowse.Span{{Start: 0, End: 1}})
		if b := m.Judge(off); a.Relevance <= b.Relevance || windows[0] <= b.Relevance {
			t.Errorf("%s: %g and %g", m.Kind(), a.Relevance, b.Relevance)
		}
	}
	j := words(t, judge.Wanted{Words: []string{"珊瑚礁"}, Language: "zh"})
	if a, b := j.Judge(on).Relevance, j.Judge(off).Relevance; a <= b {
		t.Errorf("words: %g and %g", a, b)
	}
}
