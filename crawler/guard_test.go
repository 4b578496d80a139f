package crawler_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dowse"
	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/demo"
	"dowse/settings"
	"dowse/topic"
)

// mixture is a topic whose examples are the given number of pages each of several subjects.
func mixture(web *demo.Web, each int, subjects ...string) *topic.Topic {
	t := &topic.Topic{Name: "mixture"}
	for _, name := range subjects {
		n := 0
		for u := range web.Relevant(name) {
			if _, ok := web.Page(u); ok && web.Allowed(u) && n < each {
				t.Like = append(t.Like, topic.Source{URL: string(u)})
				n++
			}
		}
	}
	return t
}

// rightFor is the share of verdicts that are those of the synthetic web for any of the
// subjects.
func (p *pools) rightFor(verdicts map[dowse.URL]float64, subjects ...string) float64 {
	n := 0
	for u, r := range verdicts {
		wanted := false
		for _, name := range subjects {
			on, _ := p.web.Truth(u, name)
			wanted = wanted || on
		}
		if wanted == (r >= 0.5) {
			n++
		}
	}
	return float64(n) / float64(len(verdicts))
}

// TestRefusedModels trains a model that seems worse than the one in use. It is reported and not put into use, and
// the crawl goes on as before. It is not made again until more pages were seen.
func TestRefusedModels(t *testing.T) {
	if testing.Short() {
		t.Skip("short: TestSeenPagesSwitchedOff covers the same goroutines")
	}
	for _, test := range []struct {
		each int
		why  string
	}{
		{1, "examples can't be distinguished from these pages better than by chance"},
		{2, "it would turn down "},
	} {
		p := newPools(t)
		subjects := []string{"tide pools", "glaciers", "composting"}
		p.topic = mixture(p.web, test.each, subjects...)
		said := p.crawl(t, 99, "")
		waiting := collection.Label{URL: "http://nowhere.demo/", Label: collection.LabelOn}
		if err := collection.AppendLabels(p.dir, waiting); err != nil {
			t.Fatal(err)
		}
		p.crawl(t, 110, "")
		if len(p.models) != 1 || !p.models[0].Refused || !p.models[0].Done || p.models[0].Seen != 100 || !strings.HasPrefix(p.models[0].Error, test.why) {
			t.Fatalf("%d examples each: %+v", test.each, p.models)
		}
		if m := inUse(t, p.dir); m.Model != collection.FirstModel {
			t.Errorf("in use is %+v", m)
		}
		p.unchanged(t, said)
		p.untrained(t, 1)
		p.crawl(t, 120, "")
		if len(p.models) != 1 {
			t.Errorf("it was made again: %+v", p.models[1:])
		}
		p.worse(t, said, subjects)
	}
}

// TestRaisedModels trains a model that would turn down most pages on topic. It is put
// into use with another threshold: as many of the first pages stay on topic, and about as
// many verdicts are right. A crawl that is resumed has the same judge.
func TestRaisedModels(t *testing.T) {
	if testing.Short() {
		t.Skip("short: TestSeenPagesSwitchedOff covers the same goroutines")
	}
	p := newPools(t)
	subjects := []string{"tide pools", "glaciers", "composting"}
	p.topic = mixture(p.web, 4, subjects...)
	said := p.crawl(t, 99, "")
	p.crawl(t, 100, "")
	if len(p.models) != 1 || p.models[0].Refused || !p.models[0].Done || p.models[0].Error != "" {
		t.Fatalf("models: %+v", p.models)
	}
	now := p.verdicts(t)
	if was, is := calledOn(said), calledOn(now); is != was {
		t.Errorf("%d pages are on topic, before %d", is, was)
	}
	again := map[dowse.URL]float64{}
	for u := range said {
		again[u] = now[u]
	}
	was, is := p.rightFor(said, subjects...), p.rightFor(again, subjects...)
	t.Logf("right of %d verdicts: %.3f, before %.3f", len(said), is, was)
	if is < was-0.02 {
		t.Errorf("%.3f of the verdicts are right, before %.3f", is, was)
	}
	j, err := crawler.JudgeOf(p.dir, "")
	if err != nil {
		t.Fatal(err)
	}
	c, err := crawler.View(p.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for u, page := range kept(t, c) {
		if got := j.Judge(page).Relevance; got != now[u] {
			t.Errorf("%s: %v by the judge that was read again, %v in the crawl", u, got, now[u])
		}
	}
}

// calledOn returns how many verdicts are on topic.
func calledOn(verdicts map[dowse.URL]float64) (n int) {
	for _, r := range verdicts {
		if r >= 0.5 {
			n++
		}
	}
	return n
}

// TestKeeping decides by how many pages on topic stay on topic whether the threshold of a
// model is moved, and how far.
func TestKeeping(t *testing.T) {
	sameGoroutines(t)
	few := []float64{0.9, 0.3, 0.2, 0.2, 0.2, 0.1, 0.1, 0.1, 0.1, 0.1} // one of ten is on topic
	for _, test := range []struct {
		name    string
		was, is []float64
		unknown float64
		raised  []float64 // relevance of a page that is just on topic afterwards; nil for a refusal
	}{
		{"half stay", repeat(0.6, 10), slices.Concat(repeat(0.7, 5), repeat(0.1, 5)), 0.01, []float64{0.5}},
		{"too few to tell", repeat(0.6, 9), repeat(0.1, 9), 0.01, []float64{0.5}},
		{"none stays", repeat(0.6, 10), repeat(0.1, 10), 0.01, nil},
		{"as many as before", repeat(0.6, 10), few, 0.01, []float64{0.1}},
		{"others count", append(repeat(0.6, 10), 0.4, 0.4), append(slices.Clone(few), 0.3, 0.3), 0.01, []float64{0.1}},
		{"but not unknown pages", repeat(0.6, 10), few, 0.25, []float64{0.2893}},
		{"unknown pages are on topic", repeat(0.6, 10), few, 0.6, []float64{0.5}},
		{"a condition decides", repeat(0.6, 10), few, 0, []float64{0.5}},
	} {
		by, err := crawler.Raise(0.5, test.was, test.is, test.unknown)
		if test.raised == nil {
			if err == nil {
				t.Errorf("%s: raised by %.3f, want a refusal", test.name, by)
			}
			continue
		}
		if got := 1 / (1 + math.Exp(by)); err != nil || math.Abs(got-test.raised[0]) > 1e-3 {
			t.Errorf("%s: a page of %.4f is on topic, want %.4f; %v", test.name, got, test.raised[0], err)
		}
	}
}

// repeat returns n times x.
func repeat(x float64, n int) []float64 { return slices.Repeat([]float64{x}, n) }

// unchanged checks that the verdicts are what they were.
func (p *pools) unchanged(t *testing.T, said map[dowse.URL]float64) {
	t.Helper()
	now := p.verdicts(t)
	for u := range now {
		if _, ok := said[u]; !ok {
			delete(now, u)
		}
	}
	if diff := cmp.Diff(said, now); diff != "" {
		t.Error(diff)
	}
}

// untrained checks how many labels still wait for a model.
func (p *pools) untrained(t *testing.T, want int) {
	t.Helper()
	labels, err1 := collection.ReadLabels(p.dir)
	models, err2 := collection.Models(p.dir)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	if got := labels.Untrained(models); got != want {
		t.Errorf("%d labels wait for a model, want %d", got, want)
	}
}

// worse checks that a model of the same pages would have been wrong more often.
func (p *pools) worse(t *testing.T, said map[dowse.URL]float64, subjects []string) {
	t.Helper()
	m, err := crawler.Gather(t.Context(), p.topic, crawler.Config{Dial: p.server.Dial, Settings: settings.Settings{Politeness: settings.Politeness{Delay: -1}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := crawler.Contrast(t.Context(), p.dir, m); err != nil {
		t.Fatal(err)
	}
	j, err := p.topic.NewJudge(m)
	if err != nil {
		t.Fatal(err)
	}
	c, err := crawler.View(p.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	would := map[dowse.URL]float64{}
	for u, page := range kept(t, c) {
		if _, ok := said[u]; ok {
			would[u] = j.Judge(page).Relevance
		}
	}
	was, is := p.rightFor(said, subjects...), p.rightFor(would, subjects...)
	t.Logf("right of %d verdicts: %.2f, and by the model that was refused %.2f", len(said), was, is)
	if is >= was {
		t.Errorf("the model that was refused is better: %.2f, not %.2f", is, was)
	}
}
