package lab_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/internal/lab/measure"
	"dowse/lab"
	"dowse/strategy"
)

// blank is a web of pages without links.
type blank struct{ took time.Duration }

func (w blank) Visit(v crawl.Visit) (*dowse.Page, time.Duration) {
	p := v.Page()
	p.Outcome = dowse.Fetched
	return p, w.took
}

// TestMakespan lets a round of 50 leads be fetched in virtual time, and compares it with
// the running times of SPEC's formula: what a host costs, and how hosts share workers.
func TestMakespan(t *testing.T) {
	for _, test := range []struct {
		name  string
		hosts []int // pages of each, the largest first
		want  time.Duration
	}{
		{"one host", []int{50}, 295 * time.Second},
		{"fifty hosts", slices.Repeat([]int{1}, 50), 2 * time.Second},
		{"one of 20 and 30 hosts", append([]int{20}, slices.Repeat([]int{1}, 30)...), 115 * time.Second},
	} {
		var seeds []dowse.URL
		var names []string
		for h, n := range test.hosts {
			for i := range n {
				names = append(names, fmt.Sprint(h))
				seeds = append(seeds, dowse.URL(fmt.Sprintf("http://host%d.test/%c", h, 'a'+rune(i))))
			}
		}
		last := time.Duration(0)
		_, err := lab.Setup{
			Crawl: crawl.Config{
				Strategy: &strategy.BreadthFirst{}, Round: 50, Traps: crawl.Traps{Budget: -1},
				Polite: crawl.Politeness{Delay: 5 * time.Second, InFlight: 30, Patience: time.Hour},
			},
			Web: blank{time.Second}, Seeds: seeds,
			Each: func(now time.Time, _ *dowse.Page) bool { last = now.Sub(lab.Epoch); return true },
		}.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if last != test.want {
			t.Errorf("%s: %v, want %v", test.name, last, test.want)
		}
		formula := measure.Clock{Workers: 30, Fetch: time.Second, Delay: 5 * time.Second}
		if got := formula.Makespan(names); got != test.want {
			t.Errorf("%s: by the formula %v, want %v", test.name, got, test.want)
		}
	}
}

// links is a graph of a few pages, each on a host of its own.
type links [][]int32

func (w links) Len() int           { return len(w) }
func (w links) Out(i int) []int32  { return w[i] }
func (w links) Host(i int) int     { return i }
func (w links) Listed(int) []int32 { return nil }

// TestOracle checks orders on small graphs: wanted pages first, then the shortest
// path to one.
func TestOracle(t *testing.T) {
	for _, test := range []struct {
		name   string
		ways   links
		wanted []int
		budget int
		want   []int
	}{
		{"at hand first", links{{1, 2, 3}, {}, {}, {}}, []int{3}, 10, []int{0, 3, 1, 2}},
		{"the shortest way", links{{1, 2}, {3}, {4}, {}, {5}, {}}, []int{5}, 10, []int{0, 2, 4, 5, 1, 3}},
		{"through what is wanted", links{{1, 2}, {3}, {}, {4}, {}}, []int{1, 3, 4}, 10, []int{0, 1, 3, 4, 2}},
		{"no way", links{{1}, {}, {3}, {}}, []int{3}, 10, []int{0, 1}},
		{"the budget ends it", links{{1, 2, 3}, {}, {}, {}}, []int{2, 3}, 2, []int{0, 2}},
	} {
		wanted := make([]bool, len(test.ways))
		for _, i := range test.wanted {
			wanted[i] = true
		}
		if got := lab.Oracle(test.ways, wanted, []int{0}, test.budget); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// ExampleSetup crawls a web of two pages in virtual time.
func ExampleSetup() {
	end, err := lab.Setup{
		Crawl: crawl.Config{Strategy: &strategy.BreadthFirst{}},
		Web:   blank{3 * time.Second},
		Seeds: []dowse.URL{"http://a.test/", "http://b.test/"},
	}.Run(context.Background())
	fmt.Println(end.Elapsed, end.Stopped, err)
	// Output: 6s exhausted <nil>
}

// TestSetupEnds: a crawl ends with its context, or when Each returns false; a
// strategy is needed.
func TestSetupEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, c := range []struct {
		name string
		each func(time.Time, *dowse.Page) bool
		want error
	}{
		{"by Each", func(time.Time, *dowse.Page) bool { return false }, nil},
		{"by the context", func(time.Time, *dowse.Page) bool { cancel(); return true }, context.Canceled},
	} {
		pages := 0
		end, err := lab.Setup{
			Crawl: crawl.Config{Strategy: &strategy.BreadthFirst{}}, Web: blank{time.Second}, Seeds: []dowse.URL{"http://a.test/", "http://b.test/"},
			Each: func(now time.Time, p *dowse.Page) bool { pages++; return c.each(now, p) },
		}.Run(ctx)
		if !errors.Is(err, c.want) || pages != 1 || end.Stopped != "" || end.Elapsed != time.Second {
			t.Errorf("%s: got %+v after %d pages and error %v, want one page after 1s", c.name, end, pages, err)
		}
	}
	if _, err := (lab.Setup{Web: blank{}}).Run(t.Context()); err == nil {
		t.Error("Run of a Setup without a strategy: no error, want one")
	}
}
