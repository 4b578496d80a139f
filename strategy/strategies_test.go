package strategy_test

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"dowse"
	"dowse/strategy"
	"dowse/strategy/input"
	"dowse/strategy/strategytest"
)

func TestConformance(t *testing.T) {
	needs := input.Inputs{Trace: readers(t), TGraph: tides()}
	for _, d := range strategy.All() {
		t.Run(d.Name, func(t *testing.T) {
			strategytest.Run(t, func() dowse.Strategy {
				s, err := strategy.NewWith(d.Name, needs)
				if err != nil {
					t.Fatal(err)
				}
				return s
			})
		})
	}
}

// TestConformanceOfVariants runs the suite where parameters change what a strategy
// asks of the crawl: rounds, visits to visited pages, other orders, a memory.
func TestConformanceOfVariants(t *testing.T) {
	for _, spec := range []string{
		"opic:round=5,recrawl=1", "opic:policy=random,window=2", "opic:policy=cycle,no-virtual=true", "opic:nutch=true",
		"otie:round=4,recrawl=1", "otie:round=4,recrawl=1,replay=true", "otie:round=4,recrawl=1,replay=true,hub=0.4", "opic:round=6,recrawl=1,replay=true", "otie:no-revision=true,no-bias=true,recrawl=-1", "soft-focus:every=20,hubs=3,links=300", "fish:depth=9",
		"context-graph:expand=parent", "treasure:codes=paper", "nb:train=-1",
		"treasure:select=all,importance=1,update=7,wanted=0.1,every=9",
	} {
		t.Run(spec, func(t *testing.T) {
			strategytest.Run(t, func() dowse.Strategy {
				s, err := strategy.NewWith(spec, input.Inputs{TGraph: tides()})
				if err != nil {
					t.Fatal(err)
				}
				return s
			})
		})
	}
}

func TestNew(t *testing.T) {
	s, err := strategy.New("link-context:beta=0.5,words=12")
	if err != nil {
		t.Fatal(err)
	}
	if lc := s.(*strategy.LinkContext); lc.Beta != 0.5 || lc.Traits().Window != 12 {
		t.Errorf("parameters were not taken: %+v", lc)
	}
	for spec, want := range map[string]string{
		"psychic":                   "want one of breadth-first",
		"Otie":                      `did you mean "otie"?`,
		"link-context:beta":         "want key=value",
		"link-context:beta=x":       "want a number",
		"link-context:gamma=1":      "it has beta, words, round",
		"naive-best-first:depth=3":  "no parameters",
		"random:seed=-1":            "want a whole number",
		"link-context:words=1.5":    "want a whole number",
		"link-context:beta=1,b=0,,": `no parameter "b"`,
		"opic:policy=rich":          "want greedy, random or cycle",
		"opic:window=-1":            "want 0 or more",
		"otie:recrawl=0":            "the default, 10",
		"opic:nutch=maybe":          "want true or false",
		"opic:window=NaN":           "want a number",
		"otie:a=-Inf":               "want a number",
		"link-context:beta=1.01":    "want 0 to 1",
		"lsfc:max-level=-2":         "want -1 or more",
		"nb-updateable:rate=0.4":    "want 0.5 to 1",
		"nb:reuse-weight=2":         "want 0 to 1",
		"intelligent:vocabulary=-1": "want 1 or more",
		"online:features=65537":     "want 1 to 65536",
	} {
		if _, err := strategy.New(spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", spec, err, want)
		}
	}
}

// TestSources checks that every parameter names the source of its default.
func TestSources(t *testing.T) {
	source := regexp.MustCompile(`(19|20)\d\d|ours|the paper|Nutch`)
	for _, d := range strategy.All() {
		for _, p := range d.Params {
			if !source.MatchString(p.Help) {
				t.Errorf("%s: %s names no source: %s", d.Name, p.Name, p.Help)
			}
		}
	}
}

// TestParameters gives every parameter every kind of value: each is refused, or leads
// to a crawl whose leads all have a place in an order.
func TestParameters(t *testing.T) {
	needs := input.Inputs{Trace: readers(t), TGraph: tides()}
	values := []string{"x", "NaN", "-Inf", "-2", "-1", "0", "1", "0.5", "100000", "1e308", "true"}
	for _, d := range strategy.All() {
		for _, p := range d.Params {
			taken := 0
			for _, v := range values {
				spec := d.Name + ":" + p.Name + "=" + v
				s, err := strategy.NewWith(spec, needs)
				if err != nil {
					continue
				}
				strange := v == "NaN" || v == "-Inf" || v == "-2" && p.Name != "least" // a logarithm, of either sign
				if strange && p.Name != "language" {                                   // any tag; one that names no language has no stems
					t.Errorf("%s was taken", spec)
				}
				taken++
				orderly(t, spec, s)
			}
			if taken == 0 && p.Default != "none" && !strings.ContainsFunc(p.Default, unicode.IsLetter) {
				t.Errorf("%s takes no value for %s", d.Name, p.Name)
			}
		}
	}
}

// orderly crawls a little, and listens.
func orderly(t *testing.T, spec string, s dowse.Strategy) {
	t.Helper()
	web, seeds := strategytest.Random(40, 5)
	strategytest.Order(strategytest.Around(s, func(invoke func() []dowse.Lead) []dowse.Lead {
		leads := invoke()
		for _, l := range leads {
			if math.IsNaN(l.Priority) || math.IsInf(l.Priority, 0) {
				t.Fatalf("%s: %+v", spec, l)
			}
		}
		return leads
	}), web, seeds...)
}

func TestSplit(t *testing.T) {
	for list, want := range map[string][]string{
		"":                             nil,
		"otie":                         {"otie"},
		"otie, opic":                   {"otie", "opic"},
		"otie:bias=3,recrawl=5,opic":   {"otie:bias=3,recrawl=5", "opic"},
		"opic:a=1,nb:mode=self,b=2,x,": {"opic:a=1", "nb:mode=self,b=2", "x"},
		"lsfc:stem=a:b":                {"lsfc:stem=a:b"},
	} {
		if got := strategy.Split(list); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", list, got, want)
		}
	}
}

// TestRounds: the four strategies of Wang et al. 2009 can take the best leads N at a time in
// any crawl, and stream by default.
func TestRounds(t *testing.T) {
	for _, name := range []string{"breadth-first", "link-context", "opic", "otie"} {
		for spec, want := range map[string]int{name: 0, name + ":round=50": 50} {
			s, err := strategy.New(spec)
			if err != nil {
				t.Fatal(err)
			}
			if got := dowse.TraitsOf(s).Round; got != want {
				t.Errorf("%s takes %d leads to a round, want %d", spec, got, want)
			}
		}
	}
}

// byLength is a strategy without parameters that is no pointer to a struct.
type byLength func(dowse.URL) float64

func (f byLength) Follow(p *dowse.Page) (leads []dowse.Lead) {
	for _, l := range p.Links {
		leads = append(leads, dowse.Lead{URL: l.URL, Priority: f(l.URL)})
	}
	return leads
}

// TestDescribeAnyKind: programs may describe strategies of any type. One that is no pointer to a
// struct has no parameters.
func TestDescribeAnyKind(t *testing.T) {
	mine := strategy.Describe("length", "ours", "short URLs first", func() dowse.Strategy {
		return byLength(func(u dowse.URL) float64 { return -float64(len(u)) })
	})
	if len(mine.Params) != 0 {
		t.Errorf("parameters %v, want none", mine.Params)
	}
	if s, err := strategy.NewFrom(append(strategy.All(), mine), "length", input.Inputs{}); err != nil || s == nil {
		t.Errorf("%v, %v, want the strategy", s, err)
	}
	if _, err := strategy.NewFrom(append(strategy.All(), mine), "length:weight=2", input.Inputs{}); err == nil || !strings.Contains(err.Error(), "no parameters") {
		t.Errorf("%v, want that it has no parameters", err)
	}
}
