package crawler

import (
	"testing"

	"dowse"
	"dowse/collection"
	"dowse/crawl"
	"dowse/internal/frontier"
	"dowse/judge"
)

// seenAt returns pages of a crawl with the given relevances.
func seenAt(relevances ...float64) (pages []fetchedPage) {
	for i, r := range relevances {
		p := &dowse.Page{Verdict: dowse.Verdict{Relevance: r}}
		pages = append(pages, fetchedPage{page: p, id: frontier.ID(i), place: uint64(i)})
	}
	return pages
}

// A model is put into use if labels that it was not fitted to show that it is better. It is
// not if they are too few of a kind, or contradict it; then the line has the number of those.
func TestModelMustBeBetter(t *testing.T) {
	trial := func(before, unseen float64, wrong int) *retraining {
		r := &retraining{trial: &judge.Trial{}}
		for i := range 8 {
			r.labelled = append(r.labelled, judge.Example{Page: &dowse.Page{}, Relevant: i >= wrong})
			r.trial.Before = append(r.trial.Before, before)
			r.trial.Unseen = append(r.trial.Unseen, unseen)
		}
		return r
	}
	for _, test := range []struct {
		name           string
		before, unseen float64
		wrong          int
		want           string
	}{
		{"better", 0.1, 1, 0, ""},
		{"better for most", 0.1, 1, 1, ""},
		{"better for hardly more than half", 0.1, 1, 3, "8 labels do not show that it is better than the judge without them (log-loss 0.69, was 0.68)"},
		{"worse", 1, 0.1, 0, "8 labels do not show that it is better than the judge without them (log-loss 0.64, was 0.31)"},
		{"the same", 1, 1, 0, "8 labels do not show that it is better than the judge without them (log-loss 0.31, was 0.31)"},
		{"contradicted", 2.5, 3, 2, "8 labels do not show that it is better than the judge without them (log-loss 0.80, was 0.70); 2 of them contradict both"},
	} {
		why := ""
		if err := trial(test.before, test.unseen, test.wrong).checkBetter(); err != nil {
			why = err.Error()
		}
		if why != test.want {
			t.Errorf("%s: %q, want %q", test.name, why, test.want)
		}
	}
	few := trial(1, 0.1, 0)
	few.labelled = few.labelled[:4]
	if err := few.checkBetter(); err != nil {
		t.Errorf("four labels: %v", err)
	}
	if err := (&retraining{labelled: few.labelled}).checkBetter(); err != nil {
		t.Errorf("a model without a trial: %v", err)
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
// long as there are not many more pages to draw from. One that was undone is not corrected.
func TestPriorOf(t *testing.T) {
	line := func(name, before string, labels, seen int) collection.Model {
		return collection.Model{Model: name, Before: before, Labels: labels, Seen: seen, Contrast: 30, Hash: "x", Done: true}
	}
	failed := line("m0005", "m0004", 0, 400)
	failed.Error, failed.Refused = "worse", true
	undone := line("m0002", "m0004", 0, 200)
	undone.Undo = true
	models := []collection.Model{line("m0001", "m0000", 0, 100), line("m0002", "m0001", 0, 200), line("m0003", "m0002", 10, 200), line("m0004", "m0003", 0, 400), failed, undone,
		line("m0006", "m0002", 10, 200), line("m0007", "m0000", 5, 200)}
	for _, test := range []struct {
		inUse string
		drawn int
		want  string
	}{
		{"m0003", 200, "m0002"}, {"m0005", 1600, "m0004"}, {"m0003", 400, ""}, {"m0000", 100, ""}, {"m0001", 100, "m0001"},
		{"m0006", 200, "m0002"}, {"m0007", 200, ""}, // m0004 was undone before them
	} {
		if got := priorOf(models, test.inUse, test.drawn).Model; got != test.want {
			t.Errorf("%s in use, %d pages: %q, want %q", test.inUse, test.drawn, got, test.want)
		}
	}
}
