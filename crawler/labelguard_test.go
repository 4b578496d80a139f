package crawler

import (
	"math"
	"testing"

	"dowse"
	"dowse/collection"
	"dowse/crawl"
	"dowse/internal/frontier"
	"dowse/judge"
)

// fixedJudge gives pages the relevance that it has for their URL.
type fixedJudge map[dowse.URL]float64

func (j fixedJudge) Judge(p *dowse.Page) dowse.Verdict {
	return dowse.Verdict{Relevance: j[p.URL]}
}

// seenAt returns pages of a crawl with the given relevances.
func seenAt(relevances ...float64) (pages []fetchedPage) {
	for i, r := range relevances {
		p := &dowse.Page{Verdict: dowse.Verdict{Relevance: r}}
		pages = append(pages, fetchedPage{page: p, id: frontier.ID(i), place: uint64(i)})
	}
	return pages
}

// A label counts for as many pages as it stands for: one label among the many pages rated
// low counts for more than one of many labels among the few pages rated even.
func TestLabelsRepresentPages(t *testing.T) {
	pages := seenAt(0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.55, 0.52)
	got := represented([]float64{0.02, 0.51, 0.53, 0.58, 0.59, 0.95}, pages)
	want := []float64{8, 0.5, 0.5, 0.5, 0.5, 1}
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-12 {
			t.Errorf("label %d stands for %g pages, want %g", i, got[i], want[i])
		}
	}
}

// A model is compared with the one in use on labels that the latter does not know, and the
// former was not fitted to; with few of them there is no comparison.
func TestWorseModelIsRefused(t *testing.T) {
	inUse := fixedJudge{}
	r := &retraining{made: collection.Model{Before: "m0001"}, known: map[dowse.URL]collection.Label{}}
	for i := range 12 {
		u := dowse.URL(string(rune('a' + i)))
		inUse[u] = 0.6
		r.labelled = append(r.labelled, judge.Example{Page: &dowse.Page{URL: u}, Relevant: true})
		r.unseen = append(r.unseen, 0.1) // less than the log-odds of 0.6
	}
	pages := seenAt(0.6, 0.6, 0.1)
	if err := r.checkBetter(inUse, pages); !isRefusal(err) {
		t.Errorf("a worse model: %v", err)
	}
	for i := range r.unseen {
		r.unseen[i] = 1
	}
	if err := r.checkBetter(inUse, pages); err != nil {
		t.Errorf("a better model: %v", err)
	}
	for i := range r.unseen {
		r.unseen[i] = -1
	}
	for _, e := range r.labelled[:4] {
		r.known[e.Page.URL] = collection.Label{}
	}
	if err := r.checkBetter(inUse, pages); err != nil {
		t.Errorf("eight labels that the model in use does not know: %v", err)
	}
	r.known, r.unseen = nil, nil
	if err := r.checkBetter(inUse, pages); err != nil {
		t.Errorf("a model without predictions for labels: %v", err)
	}
}

// More than a tenth of the verdicts may not change before a person has seen them. Labelled
// pages do not count.
func TestManyFlipsAreRefused(t *testing.T) {
	var relevances []float64
	for range 100 {
		relevances = append(relevances, 0.2)
	}
	pages := seenAt(relevances...)
	again := &rejudge{labels: map[frontier.ID]crawl.Label{}, col: &collection.Collection{}}
	again.col.Settings.Threshold = 0.5
	flip := func(n int) *retraining {
		r := &retraining{}
		for i := range n {
			r.rulings = append(r.rulings, crawl.Ruling{Place: uint64(i), Verdict: dowse.Verdict{Relevance: 0.7}})
		}
		r.rulings = append(r.rulings, crawl.Ruling{Place: 99, Verdict: dowse.Verdict{Relevance: 0.3}})
		return r
	}
	if r := flip(10); r.checkFlips(again, pages) != nil || r.made.Flips != 0 {
		t.Error("ten of a hundred pages may change sides")
	}
	if r := flip(11); !isRefusal(r.checkFlips(again, pages)) || r.made.Flips != 11 {
		t.Errorf("eleven of a hundred pages changed sides: %d", r.made.Flips)
	}
	again.labels[0], again.labels[1] = crawl.LabelledOn, crawl.LabelledOff
	if r := flip(11); r.checkFlips(again, pages) != nil {
		t.Error("two of the eleven pages have labels")
	}
	if r := flip(9); r.checkFlips(again, pages[:20]) != nil {
		t.Error("nine pages are too few to ask about, whatever their share")
	}
}

// The model that labels correct is the last one without labels up to the one in use, as
// long as there are not many more pages to draw from.
func TestPriorOf(t *testing.T) {
	line := func(name string, labels, seen int) collection.Model {
		return collection.Model{Model: name, Labels: labels, Seen: seen, Contrast: 30, Hash: "x", Done: true}
	}
	failed := line("m0005", 0, 400)
	failed.Error, failed.Refused = "worse", true
	models := []collection.Model{line("m0001", 0, 100), line("m0002", 0, 200), line("m0003", 10, 200), line("m0004", 0, 400), failed}
	for _, test := range []struct {
		inUse string
		drawn int
		want  string
	}{
		{"m0003", 200, "m0002"}, {"m0005", 1600, "m0004"}, {"m0003", 400, ""}, {"m0000", 100, ""}, {"m0001", 100, "m0001"},
	} {
		if got := priorOf(models, collection.Model{Model: test.inUse}, test.drawn).Model; got != test.want {
			t.Errorf("%s in use, %d pages: %q, want %q", test.inUse, test.drawn, got, test.want)
		}
	}
}
