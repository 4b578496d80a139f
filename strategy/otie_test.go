package strategy_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/strategy"
	"dowse/strategy/strategytest"
)

func TestGoldenOTIE(t *testing.T) {
	runGolden(t, "otie", map[string]func(*testing.T, goldenCase){
		"revision_eq8":         goldenRevision,
		"crawl":                goldenOTIECrawl,
		"failure_and_redirect": goldenOTIECrawl,
	})
}

func goldenRevision(t *testing.T, g goldenCase) {
	in := decode[struct {
		Cash float64
		R    []float64
	}](t, g.Input)
	want := decode[struct {
		Plain []float64 `json:"revised"`
		A15   []float64 `json:"revised_a1.5"`
		D1    []float64 `json:"revised_d1"`
	}](t, g.Expected)
	for name, test := range map[string]struct {
		s    strategy.OTIE
		want []float64
	}{
		"as published": {strategy.OTIE{}, want.Plain},
		"a=1.5":        {strategy.OTIE{A: 1.5}, want.A15},
		"d=1":          {strategy.OTIE{D: 1}, want.D1},
	} {
		for i, r := range in.R {
			leads := test.s.Follow(page("p", in.Cash, r, "u"))
			if got := leads[1].Priority; leads[1].URL != "u" || !near(got, test.want[i]) {
				t.Errorf("%s: cash %v at relevance %v becomes %v, want %v", name, in.Cash, r, got, test.want[i])
			}
		}
	}
	if got := (&strategy.OTIE{NoRevision: true}).Follow(page("p", 1, 0.9, "u"))[1].Priority; got != 1 {
		t.Errorf("without revision 1 becomes %v", got)
	}
}

func goldenOTIECrawl(t *testing.T, g goldenCase) {
	in := decode[struct {
		Web       map[dowse.URL]toyPage
		Seeds     []dowse.URL
		Failures  []dowse.URL `json:"permanent_failures"`
		Redirects map[dowse.URL]dowse.URL
	}](t, g.Input)
	want := decode[struct {
		Iterations []struct {
			List    []dowse.URL `json:"fetch_list"`
			Recrawl dowse.URL
			Cash    map[dowse.URL]float64 `json:"cash_after"`
		}
	}](t, g.Expected).Iterations
	web := toyWeb(in.Web)
	for _, u := range in.Failures {
		web[u] = strategytest.Page{Fails: dowse.FailHTTP}
	}
	for u, to := range in.Redirects {
		web[u] = strategytest.Page{Redirect: to}
	}
	number := func(name string) float64 { return g.Params[name].(float64) }
	s := &strategy.OTIE{
		A: number("a"), D: number("d"), N: int(number("N")), Recrawl: int(number("recrawl_every")),
		Beta: math.SmallestNonzeroFloat64, // the numbers at the links are eq. 9 already
	}
	if s.Recrawl == 0 {
		s.Recrawl = -1
	}
	c := newCrawl(t, s, 0, in.Seeds)
	round := 0
	strategytest.Rounds(c, web, func(taken []dowse.URL) {
		if round < len(want) {
			list := want[round].List
			if r := want[round].Recrawl; r != "" {
				list = append(slices.Clone(list), r)
			}
			if !slices.Equal(taken, list) {
				t.Errorf("round %d: took %v, want %v", round+1, taken, list)
			}
			for u, cash := range want[round].Cash {
				if got := known(c, u).Priority; !near(got, cash) {
					t.Errorf("round %d: %s has %v, want %v", round+1, u, got, cash)
				}
			}
		}
		round++
	})
	if round != len(want) && g.Name == "crawl" || round < len(want) {
		t.Errorf("%d rounds, want %d", round, len(want))
	}
}

// TestOTIEWeighs checks eq. 9 in the bias: a link's promise is made of page and words,
// of a visited page it is what the page is.
func TestOTIEWeighs(t *testing.T) {
	p := page("p", 1, 0.5, "a", "b", "c")
	p.Links[0].Context = 0.9
	p.Links[1].Context = math.NaN()
	p.Links[2].Target = dowse.Target{State: dowse.Visited, Relevance: 0.2}
	promise := []float64{0.25*0.5 + 0.75*0.9, 0.25 * 0.5, 0.2}
	sum := promise[0] + promise[1] + promise[2]
	leads := (&strategy.OTIE{}).Follow(p)
	for i, l := range leads[1:] {
		if !near(l.Priority, promise[i]/sum) {
			t.Errorf("%s gets %v of 1, want %v", l.URL, l.Priority, promise[i]/sum)
		}
		if l.Because[0].Weight != l.Priority || !near(l.Because[1].Weight, promise[i]) {
			t.Errorf("%s: reasons %v", l.URL, l.Because)
		}
	}
	for _, l := range (&strategy.OTIE{NoBias: true}).Follow(p)[1:] {
		if !near(l.Priority, 1./3) {
			t.Errorf("without bias %s gets %v", l.URL, l.Priority)
		}
	}
}

// TestOTIEStaysFinite lets cash grow from relevant page to relevant page.
func TestOTIEStaysFinite(t *testing.T) {
	s := &strategy.OTIE{}
	cash := 1.0
	for range 5000 {
		cash = s.Follow(page("p", cash, 1, "u"))[1].Priority
	}
	if math.IsInf(cash, 0) || math.IsNaN(cash) || cash < 1e200 {
		t.Errorf("cash after 5000 relevant pages: %v", cash)
	}
}

// TestRecrawlByReplay crawls the same web twice, with visits to rich pages and with
// what was kept of them: on a web that holds still both follow the same pages with the
// same cash, and what is kept costs no visit.
func TestRecrawlByReplay(t *testing.T) {
	for _, round := range []int{0, 5} {
		fetched, again := recrawled(t, &strategy.OTIE{N: round, Recrawl: 1})
		replayed, none := recrawled(t, &strategy.OTIE{N: round, Recrawl: 1, Replay: true})
		if again == 0 || none != 0 {
			t.Errorf("rounds of %d: %d visits to visited pages, by replay %d", round, again, none)
		}
		if !slices.Equal(fetched, replayed) {
			t.Errorf("rounds of %d: visits and replay differ", round)
		}
	}
}

// followed writes down the pages that a strategy follows.
type followed struct {
	*strategy.OTIE
	list []string
}

func (f *followed) Follow(p *dowse.Page) []dowse.Lead {
	leads := f.OTIE.Follow(p)
	f.list = append(f.list, fmt.Sprint(p.URL, p.Outcome, p.Again, p.Lead.Priority, p.Verdict.Relevance, leads))
	return leads
}

// recrawled crawls with a journal until 400 pages were followed. It returns what was
// made of them, and how many visits were to visited pages.
func recrawled(t *testing.T, s *strategy.OTIE) (list []string, again int) {
	t.Helper()
	j, err := crawl.OpenJournal(t.TempDir(), nil, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	f := &followed{OTIE: s}
	c, err := crawl.New(crawl.Config{Strategy: f, Polite: polite, Traps: crawl.Traps{Budget: -1}, Log: j})
	if err != nil {
		t.Fatal(err)
	}
	web, seeds := strategytest.Random(800, 41)
	now := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	c.Start(now, seeds)
	for len(f.list) < 400 {
		v, when, ok := c.Next(now)
		if !ok {
			if now = when; when.IsZero() {
				t.Fatalf("the crawl is over after %d pages: %s", len(f.list), c.Stopped())
			}
			continue
		}
		if v.Again {
			again++
		}
		p, took := web.Visit(v)
		now = now.Add(took)
		c.Absorb(now, p)
	}
	return f.list[:400], again
}

// TestHubCash checks that a page returns a part of its revised cash to the page that it was
// found by, that links get the rest, and that hub cash is spread unrevised over the links
// of the hub when it is visited again.
func TestHubCash(t *testing.T) {
	s := &strategy.OTIE{Hub: 0.25, NoBias: true, NoRevision: true}
	first := s.Follow(page("s", 1, 0.5, "a", "b"))
	if got := first[1]; got.URL != "a" || got.Note != "s" || !near(got.Priority, 0.5) {
		t.Errorf("a link of a seed: %+v, want half of the cash and the seed as its hub", got)
	}
	p := page("a", 0.5, 0.9, "c")
	p.Lead.Note = "s"
	leads := s.Follow(p)
	if len(leads) != 3 || leads[1].URL != "s" || leads[1].Merge != dowse.Add || !near(leads[1].Priority, 0.125) || leads[2].URL != "c" || !near(leads[2].Priority, 0.375) {
		t.Errorf("a page with a hub: %+v, want 0.125 for s and 0.375 for c", leads)
	}
	s.NoRevision = false
	again := page("s", 0.125, 0, "a", "b")
	again.Again = true
	if leads := s.Follow(again); !near(leads[1].Priority+leads[2].Priority, 0.125) {
		t.Errorf("a hub off topic that is visited again: %+v, want all of its cash for its links", leads)
	}
	moved := &dowse.Page{URL: "a", Outcome: dowse.Redirected, Lead: dowse.Lead{Priority: 0.5, Note: "s"}, Document: dowse.Document{Links: []dowse.Link{{URL: "z"}}}}
	if leads := s.Follow(moved); leads[1].URL != "z" || leads[1].Note != "s" {
		t.Errorf("a redirect: %+v, want its hub for the target", leads)
	}
}
