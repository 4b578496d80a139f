package strategytest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/frontier"
)

// Run checks that a strategy keeps the promises that crawls rely on: it is
// deterministic, asks for no URL twice but by an explicit revisit, survives
// failures, redirects, empty pages, 100,000 links and odd URLs, gives reasons, and
// goes on after being saved and loaded as if nothing had been. make returns a new
// strategy with the same parameters each time.
func Run(t *testing.T, make func() dowse.Strategy) {
	t.Run("deterministic", func(t *testing.T) { deterministic(t, make) })
	t.Run("once", func(t *testing.T) { once(t, make) })
	t.Run("reasons", func(t *testing.T) { reasons(t, make) })
	t.Run("many links", func(t *testing.T) { manyLinks(t, make) })
	t.Run("odd pages", func(t *testing.T) { oddPages(t, make) })
	t.Run("save and load", func(t *testing.T) { saveAndLoad(t, make) })
}

// Random makes a toy web of n pages on a few hosts, with failures, redirects,
// flaky pages and dead ends among them.
func Random(n int, seed uint64) (Toy, []dowse.URL) {
	rng := rand.New(rand.NewPCG(seed, 1))
	url := func(i int) dowse.URL { return dowse.URL(fmt.Sprintf("http://h%d.test/p%d", i%7, i)) }
	words := []string{"tide", "pool", "crab", "kelp", "shop", "cart", "news", "sport"}
	web := Toy{}
	for i := range n {
		p := Page{Relevance: rng.Float64(), Took: time.Duration(1+rng.IntN(50)) * time.Millisecond}
		for range 8 {
			p.Text += words[rng.IntN(len(words))] + " "
		}
		for range rng.IntN(12) {
			p.Links = append(p.Links, Link{To: url(rng.IntN(n + n/10)), Context: rng.Float64(), Anchor: words[rng.IntN(len(words))]})
		}
		switch {
		case i > 3 && rng.IntN(20) == 0:
			p = Page{Redirect: url(rng.IntN(n))}
		case i > 3 && rng.IntN(20) == 0:
			p.Fails = dowse.FailTimeout
		case rng.IntN(20) == 0:
			p.Flaky = 1
		}
		web[url(i)] = p
	}
	return web, []dowse.URL{url(0), url(1), url(2)}
}

func config(s dowse.Strategy) crawl.Config {
	return crawl.Config{
		Strategy: s, Polite: crawl.Politeness{Delay: 20 * time.Millisecond, InFlight: 1}, Traps: crawl.Traps{Budget: -1},
	}
}

func start(t *testing.T, s dowse.Strategy, seeds []dowse.URL) *crawl.Crawl {
	t.Helper()
	c, err := crawl.New(config(s))
	if err != nil {
		t.Fatal(err)
	}
	c.Start(epoch, seeds)
	return c
}

var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// step makes the next visit and returns its page; nil when the crawl is over.
func step(c *crawl.Crawl, web Toy, now *time.Time) *dowse.Page {
	for {
		v, when, ok := c.Next(*now)
		if !ok {
			if when.IsZero() || c.Stopped() != "" {
				return nil
			}
			*now = when
			continue
		}
		p, took := web.Visit(v)
		*now = now.Add(took)
		c.Absorb(*now, p)
		return p
	}
}

// visits crawls to the end, at most max visits, and tells what was visited.
func visits(c *crawl.Crawl, web Toy, most int) (list []string) {
	now := epoch
	for len(list) < most {
		p := step(c, web, &now)
		if p == nil {
			return list
		}
		list = append(list, fmt.Sprintf("%s %s %v %v", p.URL, p.Outcome, p.Lead.Priority, p.Again))
	}
	return list
}

func deterministic(t *testing.T, make func() dowse.Strategy) {
	var first []string
	for run := range 2 {
		web, seeds := Random(300, 7)
		got := visits(start(t, make(), seeds), web, 1000)
		if run == 0 {
			first = got
		} else if !slices.Equal(first, got) {
			t.Errorf("two runs differ: %d and %d visits", len(first), len(got))
		}
	}
	if len(first) < 50 {
		t.Errorf("only %d visits on a web of 300 pages", len(first))
	}
}

func once(t *testing.T, make func() dowse.Strategy) {
	web, seeds := Random(300, 11)
	c := start(t, make(), seeds)
	now, seen := epoch, map[dowse.URL]bool{}
	for range 3000 {
		p := step(c, web, &now)
		if p == nil {
			break
		}
		if p.Outcome == dowse.Temporary {
			continue
		}
		if seen[p.URL] && !p.Again {
			t.Errorf("%s was visited twice", p.URL)
		}
		seen[p.URL] = true
	}
	if b := c.Books(); !b.Balanced() || b.InFlight != 0 {
		t.Errorf("the books do not balance: %+v", b)
	}
}

// reasons checks that every lead that queues a URL says why.
func reasons(t *testing.T, make func() dowse.Strategy) {
	web, seeds := Random(60, 3)
	s := &listener{Strategy: make()}
	visits(start(t, s, seeds), web, 200)
	for _, l := range s.leads {
		if l.Kind == dowse.Queue && l.Merge != dowse.Add && len(l.Because) == 0 {
			t.Fatalf("the lead to %s gives no reason", l.URL)
		}
	}
	if len(s.leads) == 0 {
		t.Error("no leads at all")
	}
}

type listener struct {
	dowse.Strategy
	leads []dowse.Lead
}

func (l *listener) Follow(p *dowse.Page) []dowse.Lead {
	leads := l.Strategy.Follow(p)
	l.leads = append(l.leads, leads...)
	return leads
}

func manyLinks(t *testing.T, make func() dowse.Strategy) {
	const n = 100_000
	var p Page
	p.Relevance = 0.7
	for i := range n {
		p.Links = append(p.Links, Link{To: dowse.URL(fmt.Sprintf("http://a.test/%x", i)), Context: float64(i%10) / 10})
	}
	web := Toy{"http://a.test/": p}
	c := start(t, make(), []dowse.URL{"http://a.test/"})
	visits(c, web, 20)
	if b := c.Books(); b.Known < n || !b.Balanced() {
		t.Errorf("books after a page of %d links: %+v", n, b)
	}
}

func oddPages(t *testing.T, make func() dowse.Strategy) {
	odd := []dowse.URL{
		"http://x.test/", "http://x.test/\u202e?q=\x01", "http://[::1]/", "http://x.test/" + dowse.URL(bytes.Repeat([]byte("a"), 5000)), "s1", "?",
	}
	web := Toy{}
	for i, u := range odd {
		web[u] = Page{Relevance: float64(i) / 10, Links: To(odd...)}
	}
	web["s2"] = Page{Redirect: "s2"}
	web["s3"] = Page{Redirect: "s4"}
	web["s4"] = Page{Redirect: "s3"}
	c := start(t, make(), append(odd, "s2", "s3", "gone"))
	visits(c, web, 100)
	if b := c.Books(); !b.Balanced() || b.InFlight != 0 {
		t.Errorf("books: %+v", b)
	}
}

// saveAndLoad saves a crawl halfway, loads it into a new strategy and compares
// what follows with what would have followed.
func saveAndLoad(t *testing.T, make func() dowse.Strategy) {
	const half = 60
	webA, seeds := Random(300, 23)
	webB, _ := Random(300, 23)
	log := frontier.NewArena()
	cfg := config(make())
	cfg.Log = arenaLog{log}
	c, err := crawl.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	c.Start(epoch, seeds)
	now := epoch
	for i := 0; i < half || c.MidRound(); i++ {
		step(c, webA, &now)
	}
	other := epoch
	twin := start(t, make(), seeds)
	for i := 0; i < half || twin.MidRound(); i++ {
		step(twin, webB, &other)
	}
	var saved bytes.Buffer
	if err := c.Snapshot(&saved, 0); err != nil {
		t.Fatal(err)
	}
	cfg.Strategy = make()
	loaded, _, err := crawl.Restore(cfg, &saved)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 200 {
		a, b := step(loaded, webA, &now), step(twin, webB, &other)
		if a == nil || b == nil {
			if a != b {
				t.Errorf("after %d more visits one crawl is over and the other is not", i)
			}
			return
		}
		if a.URL != b.URL || a.Lead.Priority != b.Lead.Priority {
			t.Fatalf("visit %d after loading: %s at %v, without saving: %s at %v", i, a.URL, a.Lead.Priority, b.URL, b.Lead.Priority)
		}
	}
}

// arenaLog keeps strings in an arena that outlives the crawl.
type arenaLog struct{ *frontier.Arena }

func (arenaLog) Record(*crawl.Entry) uint64    { return 0 }
func (arenaLog) RobotsAt(uint64) *dowse.Robots { return nil }
