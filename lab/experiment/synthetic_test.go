package experiment

import (
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dowse/crawl"
	"dowse/internal/demo"
	"dowse/internal/lab/measure"
	"dowse/judge"
)

// openSynthetic generates a small synthetic web, with what every strategy needs.
func openSynthetic(seed uint64) func() (*SyntheticWeb, error) {
	return func() (*SyntheticWeb, error) {
		web := demo.New(demo.Config{Pages: 1000, Seed: seed})
		topic, _ := web.Topic("tide pools")
		j, err := judge.NewWords(judge.Wanted{Words: topic.Words, Also: topic.Also, Not: topic.Not})
		if err != nil {
			return nil, err
		}
		return &SyntheticWeb{
			Web: web, Topic: topic.Name, Judge: j, Threshold: judge.Threshold, Seeds: web.Seeds(topic.Name, 2), Limits: crawl.Limits{Pages: 60},
			Polite: crawl.Politeness{Delay: 20 * time.Millisecond, InFlight: 16},
		}, nil
	}
}

// TestRunSynthetic lets strategies crawl two synthetic webs, several crawls concurrently and then
// one after the other: the trails are the same, and the oracle is never behind.
func TestRunSynthetic(t *testing.T) {
	var first []measure.Trail
	for _, jobs := range []int{4, 1} {
		var opened atomic.Int32
		open := func(seed uint64) func() (*SyntheticWeb, error) {
			return func() (*SyntheticWeb, error) { opened.Add(1); return openSynthetic(seed)() }
		}
		runs, err := RunSynthetic(t.Context(), []string{"breadth-first", "link-context"}, []func() (*SyntheticWeb, error){open(0), open(1)}, Options{Jobs: jobs})
		if err != nil {
			t.Fatal(err)
		}
		if opened.Load() != 2 || !slices.Equal(runs.Strategies(), []string{"breadth-first", "link-context", Oracle}) || len(runs.Topics()) != 2 {
			t.Fatalf("%d webs were opened for %q on %q", opened.Load(), runs.Strategies(), runs.Topics())
		}
		harvest := measure.MustParse("harvest@60")
		for i, best := range runs.ByTopic(harvest, Oracle) {
			if got := runs.ByTopic(harvest, "link-context")[i]; got <= 0 || got > best {
				t.Errorf("harvest %v, that of the oracle is %v", got, best)
			}
		}
		for i := range first {
			if !slices.Equal(stepsOf(&first[i]), stepsOf(&runs.Trails[i])) {
				t.Errorf("%s on %s makes other visits with one worker", first[i].Label, first[i].Topic)
			}
		}
		first = runs.Trails
	}
}

// TestRunSyntheticFails: a web that can't be made ends the run.
func TestRunSyntheticFails(t *testing.T) {
	broken := errors.New("no web")
	_, err := RunSynthetic(t.Context(), []string{"breadth-first"}, []func() (*SyntheticWeb, error){func() (*SyntheticWeb, error) { return nil, broken }}, Options{})
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

// TestSyntheticTGraph makes a T-Graph twice: it is the same, and has paths to its targets.
func TestSyntheticTGraph(t *testing.T) {
	sequential(t)
	m, err := openSynthetic(0)()
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for range 2 {
		g, err := m.TGraph(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := g.Write(&b); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, b.String())
		if pages, _ := g.Levels(); len(pages) < 3 || pages[0] != bestPages || pages[1] == 0 {
			t.Errorf("pages by level: %v", pages)
		}
	}
	if texts[0] != texts[1] {
		t.Error("the second T-Graph is another one")
	}
	log, err := m.Trace(50)
	if err != nil || log.Accesses() == 0 {
		t.Errorf("the log of 50 people: %+v, %v", log, err)
	}
}
