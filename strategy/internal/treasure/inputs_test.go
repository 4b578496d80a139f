package treasure_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/judge"
	"dowse/strategy"
	"dowse/strategy/input"
	"dowse/strategy/internal/treasure"
	"dowse/strategy/strategytest"
)

func TestClasses(t *testing.T) {
	table := []judge.Code{{Code: "577", Label: "ecology of tide pools"}, {Code: "595", Label: "crabs"}, {Code: "641", Label: "cooking crabs"}}
	for spec, want := range map[string]struct {
		codes   []judge.Code
		problem string
	}{
		"treasure":              {nil, ""},
		"treasure:codes=paper":  {nil, ""},
		"treasure:codes=57+59":  {table, ""},
		"treasure:codes=":       {table, "which classes"},
		"treasure:codes=7":      {table, "no such classes"},
		"treasure:select=worst": {nil, "lowest, best or all"},
	} {
		s, err := strategy.NewWith(spec, input.Inputs{TGraph: tides(), Classes: want.codes})
		if want.problem != "" {
			if err == nil || !strings.Contains(err.Error(), want.problem) {
				t.Errorf("%s: %v, want %q", spec, err, want.problem)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", spec, err)
			continue
		}
		if has := s.(*treasure.Treasure).Classes != nil; has != strings.Contains(spec, "codes") {
			t.Errorf("%s: classes %v", spec, has)
		}
	}
}

// TestExpandParent crawls a toy web of which one page has three links: once the first
// is visited the others follow immediately, whatever was found meanwhile.
func TestExpandParent(t *testing.T) {
	order := func(spec string) (list []dowse.URL) {
		s, err := strategy.NewWith(spec, input.Inputs{TGraph: tides()})
		if err != nil {
			t.Fatal(err)
		}
		target := tides().Pages[0].Text
		web := strategytest.Toy{
			"s": {Links: strategytest.To("a", "b", "c")},
			"a": {Text: target, Links: strategytest.To("a1", "a2")},
			"b": {}, "c": {}, "a1": {}, "a2": {},
		}
		c, err := crawl.New(crawl.Config{Strategy: s, Polite: polite, Traps: crawl.Traps{Budget: -1}})
		if err != nil {
			t.Fatal(err)
		}
		c.Start(time.Time{}, []dowse.URL{"s"})
		for now := (time.Time{}); ; now = now.Add(time.Second) {
			v, _, ok := c.Next(now)
			if !ok {
				return list
			}
			list = append(list, v.URL)
			p, _ := web.Visit(v)
			c.Absorb(now, p)
		}
	}
	if got := order("context-graph"); !slices.Equal(got, []dowse.URL{"s", "a", "a1", "a2", "b", "c"}) {
		t.Errorf("link by link: %v", got)
	}
	if got := order("context-graph:expand=parent"); !slices.Equal(got, []dowse.URL{"s", "a", "b", "c", "a1", "a2"}) {
		t.Errorf("page by page: %v", got)
	}
}
