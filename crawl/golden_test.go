package crawl_test

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"dowse"
	"dowse/crawl"
	"dowse/internal/golden"
	"dowse/strategy/strategytest"
)

// The strategies here are written for these tests alone, on nothing but the points
// where strategies plug in: they show that the crawl can express and keep what cash
// strategies need. A URL's priority is its cash.

// cash is what OPIC and OTIE have in common.
type cash struct {
	recrawl int // rounds between visits to the richest page; 0 for none
	rounds  int
}

func (cash) Traits() dowse.Traits { return dowse.Traits{Revisits: true} }

func (cash) Start(seeds []dowse.URL) []dowse.Lead {
	list := make(leads, len(seeds))
	for i, u := range seeds {
		list[i] = dowse.Lead{URL: u, Priority: 1 / float64(len(seeds)), Merge: dowse.Add}
	}
	return list
}

func (c *cash) BeforeRound(v dowse.View) []dowse.Lead {
	c.rounds++
	best, ok := v.BestVisited()
	if c.recrawl == 0 || c.rounds%c.recrawl != 0 || !ok || v.Waiting() == 0 {
		return nil
	}
	return leads{{Kind: dowse.Revisit, URL: best.URL, Merge: dowse.Add}}
}

func add(u dowse.URL, p float64) dowse.Lead {
	return dowse.Lead{URL: u, Priority: p, Merge: dowse.Add}
}

// otie spreads a page's cash over its links by their promise (SPEC C.4).
type otie struct {
	cash
	a, d float64
}

func (s *otie) Follow(p *dowse.Page) []dowse.Lead {
	c := p.Lead.Priority
	spent := leads{add(p.URL, -c)}
	switch {
	case p.Outcome == dowse.Redirected && len(p.Links) > 0:
		return append(spent, add(p.Links[0].URL, c))
	case p.Outcome != dowse.Fetched:
		return spent
	}
	x := 2*p.Verdict.Relevance - 1
	c += c * max(-1, s.a*math.Copysign(math.Pow(math.Abs(x), s.d), x))
	sum := 0.0
	for i := range p.Links {
		sum += sim(&p.Links[i])
	}
	for i := range p.Links {
		share := 1 / float64(len(p.Links))
		if sum > 1e-12 {
			share = sim(&p.Links[i]) / sum
		}
		spent = append(spent, add(p.Links[i].URL, share*c))
	}
	return spent
}

func sim(l *dowse.Link) float64 {
	if l.Target.State == dowse.Visited {
		return l.Target.Relevance
	}
	return l.BestContext()
}

// opic spreads it evenly, a share of it over all pages (SPEC C.2).
type opic struct {
	cash
	virtual bool
	v       float64 // cash of the virtual page
	dead    int     // known URLs that failed
}

func (s *opic) Follow(p *dowse.Page) []dowse.Lead {
	c := p.Lead.Priority
	list := leads{add(p.URL, -c)}
	if p.Outcome == dowse.Failed {
		s.dead++
		if s.virtual {
			s.v += c
		}
		return list
	}
	k := float64(len(p.Links))
	if s.virtual {
		k++
		s.v += c / k
	}
	for i := range p.Links {
		list = append(list, add(p.Links[i].URL, c/k))
	}
	return list
}

func (s *opic) BeforeRound(v dowse.View) []dowse.Lead {
	best, ok := v.Best()
	if !ok || s.v <= best.Priority {
		return nil
	}
	by := s.v / float64(v.Waiting()+v.Visited())
	s.v = 0
	return leads{{Kind: dowse.Raise, Priority: by, Visited: true}}
}

type goldenCase struct {
	Name   string
	Params struct {
		A, D    float64
		N       int
		Recrawl int  `json:"recrawl_every"`
		Virtual bool `json:"virtual_page"`
	}
	Input struct {
		Web       map[dowse.URL]json.RawMessage
		Seeds     []dowse.URL
		Failures  []dowse.URL             `json:"permanent_failures"`
		Redirects map[dowse.URL]dowse.URL `json:"redirects"`
	}
	Expected struct {
		Iterations []iteration
	}
}

type iteration struct {
	List    []dowse.URL           `json:"fetch_list"`
	Recrawl dowse.URL             `json:"recrawl"`
	After   map[dowse.URL]float64 `json:"cash_after"`
	Cash    map[dowse.URL]float64
	Virtual float64 `json:"virtual_cash"`
}

func goldenCases(t *testing.T, name string) []goldenCase {
	t.Helper()
	var file struct{ Cases []json.RawMessage }
	golden.Read(t, name, &file)
	var cases []goldenCase
	for _, raw := range file.Cases {
		var g goldenCase // cases of other forms are left out
		if json.Unmarshal(raw, &g) == nil && len(g.Input.Web) > 0 && len(g.Expected.Iterations) > 0 {
			cases = append(cases, g)
		}
	}
	return cases
}

// web makes a toy web of a case.
func (g *goldenCase) web(t *testing.T) toy {
	web := toy{}
	for u, raw := range g.Input.Web {
		var rated struct {
			R     float64
			Links [][2]any
		}
		var plain []dowse.URL
		if json.Unmarshal(raw, &plain) == nil {
			web[u] = page{Links: to(plain...)}
			continue
		}
		if err := json.Unmarshal(raw, &rated); err != nil {
			t.Fatal(err)
		}
		p := page{Relevance: rated.R}
		for _, l := range rated.Links {
			p.Links = append(p.Links, strategytest.Link{To: dowse.URL(l[0].(string)), Context: l[1].(float64)})
		}
		web[u] = p
	}
	for _, u := range g.Input.Failures {
		web[u] = page{Fails: dowse.FailHTTP}
	}
	for u, target := range g.Input.Redirects {
		web[u] = page{Redirect: target}
	}
	return web
}

func TestGoldenOTIE(t *testing.T) {
	for _, g := range goldenCases(t, "otie") {
		t.Run(g.Name, func(t *testing.T) {
			g.check(t, &otie{cash: cash{recrawl: g.Params.Recrawl}, a: g.Params.A, d: g.Params.D}, nil)
		})
	}
}

func TestGoldenOPIC(t *testing.T) {
	for _, g := range goldenCases(t, "opic") {
		t.Run(g.Name, func(t *testing.T) {
			s := &opic{virtual: g.Params.Virtual}
			g.check(t, s, &s.v)
		})
	}
}

// check crawls a case round by round and compares lists and cash.
func (g *goldenCase) check(t *testing.T, s dowse.Strategy, virtual *float64) {
	c := begin(t, crawl.Config{
		Strategy: s, Round: g.Params.N, Polite: crawl.Politeness{Delay: crawl.None, Conns: 100}, Traps: crawl.Traps{Budget: -1},
	}, g.Input.Seeds...)
	round := 0
	strategytest.Rounds(c, g.web(t), func(taken []dowse.URL) {
		if round < len(g.Expected.Iterations) {
			g.Expected.Iterations[round].check(t, c, round+1, taken)
			if want := g.Expected.Iterations[round].Virtual; virtual != nil && math.Abs(*virtual-want) > 1e-9 {
				t.Errorf("round %d: the virtual page has %v, want %v", round+1, *virtual, want)
			}
		}
		round++
	})
	if round < len(g.Expected.Iterations) {
		t.Errorf("%d rounds, want %d", round, len(g.Expected.Iterations))
	}
}

func (it *iteration) check(t *testing.T, c *crawl.Crawl, n int, taken []dowse.URL) {
	t.Helper()
	want := slices.Clone(it.List)
	if it.Recrawl != "" {
		want = append(want, it.Recrawl)
	}
	if !slices.Equal(taken, want) {
		t.Errorf("round %d: took %v, want %v", n, taken, want)
	}
	if it.After == nil {
		it.After = it.Cash
	}
	for u, cash := range it.After {
		if got := priorityOf(c, u); math.Abs(got-cash) > 1e-9 {
			t.Errorf("round %d: %s has %v, want %v", n, u, got, cash)
		}
	}
}
