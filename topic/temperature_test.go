package topic_test

import (
	"math"
	"slices"
	"testing"

	"dowse"
	"dowse/judge"
	"dowse/topic"
)

// A temperature divides the log-odds of pages and windows: no page crosses even odds. Reasons
// add up.
func TestTemperature(t *testing.T) {
	seen, want := growWeb(20, 160), lighthouses()
	m := &topic.Material{}
	if _, ok, err := want.Grow(m, seen); err != nil || !ok {
		t.Fatal(ok, err)
	}
	if m.Temperature <= 1 {
		t.Fatalf("a grown judge has the temperature %v", m.Temperature)
	}
	judgeAt := func(heat float64) *topic.Judge {
		part := *m
		part.Temperature = heat
		j, err := want.NewJudge(&part)
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	plain, calm := judgeAt(0), judgeAt(m.Temperature)
	above := 0
	for _, s := range seen {
		whole := []dowse.Span{{Start: 0, End: int32(len(s.Page.Words))}}
		v, w := plain.JudgeWindows(s.Page, whole)
		got, windows := calm.JudgeWindows(s.Page, whole)
		for _, r := range [][2]float64{{v.Relevance, got.Relevance}, {w[0], windows[0]}} {
			if math.Abs(oddsOf(r[1])-oddsOf(r[0])/m.Temperature) > 1e-6 {
				t.Errorf("%s: %v, %v without a temperature", s.Page.URL, r[1], r[0])
			}
		}
		if v.Relevance >= 0.5 {
			above++
		}
		sum := 0.0
		for _, b := range got.Because {
			sum += b.Weight
		}
		if math.Abs(sum-oddsOf(got.Relevance)) > 1e-6 {
			t.Errorf("%s: reasons add up to %v (relevance %v)", s.Page.URL, sum, got.Relevance)
		}
	}
	if above == 0 || above == len(seen) {
		t.Errorf("%d of %d pages are above even odds; the test needs both kinds", above, len(seen))
	}
	if m.SetContrast(nil, topic.OfCrawl); m.Temperature != 0 {
		t.Error("other training data keeps the temperature")
	}
}

// Where most pages seen are on topic, or hardly any is off topic, a judge has no temperature.
func TestTemperatureIsForFewPagesOnTopic(t *testing.T) {
	for _, x := range []struct{ about, others int }{{120, 60}, {60, 8}} {
		m := &topic.Material{}
		if _, ok, err := lighthouses().Grow(m, growWeb(x.about, x.others)); err != nil || !ok {
			t.Fatal(ok, err)
		}
		if m.Temperature != 0 {
			t.Errorf("%d pages on topic and %d others: temperature %v", x.about, x.others, m.Temperature)
		}
	}
}

// Labels correct a grown judge before its temperature applies, and it keeps that temperature.
func TestCorrectKeepsTheTemperature(t *testing.T) {
	seen, want := growWeb(20, 160), lighthouses()
	corrected := func(heat float64) (*topic.Judge, []float64) {
		m := &topic.Material{}
		if _, ok, err := want.Grow(m, seen); err != nil || !ok {
			t.Fatal(ok, err)
		}
		if heat == 0 {
			m.Temperature = 0
		}
		trial, err := want.Correct(m, []judge.Example{textOf("lighthouse hotel rooms breakfast booking", false), textOf("lantern keeper fog signal reef", true)}, seen)
		if err != nil || trial == nil {
			t.Fatal(trial, err)
		}
		j, err := want.NewJudge(m)
		if err != nil {
			t.Fatal(err)
		}
		return j, trial.Before
	}
	plain, before := corrected(0)
	calm, same := corrected(1)
	if !slices.Equal(before, same) {
		t.Errorf("labels are compared at %v, %v without a temperature", same, before)
	}
	for _, s := range seen {
		a, b := plain.Judge(s.Page).Relevance, calm.Judge(s.Page).Relevance
		if (a >= 0.5) != (b >= 0.5) || a > 0.51 && b >= a {
			t.Errorf("%s: %v, %v without a temperature", s.Page.URL, b, a)
		}
	}
}

// oddsOf returns the log-odds of a relevance.
func oddsOf(p float64) float64 { return math.Log(p) - math.Log1p(-p) }
