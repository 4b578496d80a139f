package crawl_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/lab"
	"dowse/strategy/strategytest"
)

// A bookkeeper queues every link and counts what was accepted and what came back.
type bookkeeper struct {
	accepted map[dowse.URL]bool
	back     map[dowse.URL]int
	bad      []string
}

func (b *bookkeeper) Start(seeds []dowse.URL) (list []dowse.Lead) {
	b.accepted, b.back = map[dowse.URL]bool{}, map[dowse.URL]int{}
	for _, u := range seeds {
		b.accepted[u] = true
		list = append(list, dowse.Lead{URL: u, Priority: 1})
	}
	return list
}

func (b *bookkeeper) Follow(p *dowse.Page) (list []dowse.Lead) {
	b.back[p.URL]++
	if p.Outcome == dowse.Temporary {
		b.bad = append(b.bad, fmt.Sprintf("%s: a temporary failure was shown", p.URL))
	}
	for i := range p.Links {
		l := &p.Links[i]
		switch l.Target.State {
		case dowse.Dead, dowse.Excluded, dowse.Aliased:
			b.bad = append(b.bad, fmt.Sprintf("%s>%s: offered, and can't be queued: %s", p.URL, l.URL, l.Target.State))
		}
		b.accepted[l.URL] = true
		list = append(list, dowse.Lead{URL: l.URL, Priority: float64(len(l.URL)%5) / 5, Merge: dowse.Max})
	}
	return list
}

// TestEveryLeadComesBackOnce crawls random webs with failures, redirects, flaky
// pages and robots.txt, in a stream and in rounds, with one worker and with eight.
func TestEveryLeadComesBackOnce(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 7))
		b := &bookkeeper{}
		cfg := crawl.Config{
			Strategy: b, Robots: seed%2 == 0, Round: []int{0, 0, 3, 10}[seed%4],
			Polite: crawl.Politeness{Delay: 10 * time.Millisecond, Conns: 1 + int(seed%3)}, Traps: crawl.Traps{Budget: -1},
		}
		if seed%5 == 0 {
			cfg.Limits.PerHost = 12
		}
		web, seeds := strategytest.Random(150, seed)
		c := begin(t, cfg, seeds...)
		sim := lab.Simulation{Crawl: c, Web: withRobots{web}, Workers: 1 + 7*rng.IntN(2)}
		sim.Run()
		b.check(t, c, seed)
	}
}

func (b *bookkeeper) check(t *testing.T, c *crawl.Crawl, seed uint64) {
	t.Helper()
	for u := range b.accepted {
		if b.back[u] != 1 {
			t.Errorf("web %d: %s came back %d times; it is %s", seed, u, b.back[u], stateOf(c, u))
		}
	}
	for u := range b.back {
		if !b.accepted[u] {
			t.Errorf("web %d: %s came back and was never accepted", seed, u)
		}
	}
	for _, s := range b.bad {
		t.Errorf("web %d: %s", seed, s)
	}
	if books := c.Books(); !books.Balanced() || books.InFlight+books.Queued+books.Held != 0 {
		t.Errorf("web %d: books %+v", seed, books)
	}
	if c.Stopped() != dowse.StopExhausted {
		t.Errorf("web %d: stopped: %q", seed, c.Stopped())
	}
}

func TestRedirect(t *testing.T) {
	web := toy{"s": {Links: to("old", "x")}, "old": {Redirect: "new"}, "new": {Links: to("old", "y")}, "x": {Links: to("old", "new")}, "y": {}}
	var log []string
	s := follow(func(p *dowse.Page) (list leads) {
		line := fmt.Sprintf("%s %s:", p.URL, p.Outcome)
		for i := range p.Links {
			l := &p.Links[i]
			line += fmt.Sprintf(" %s(%s, %d more)", l.URL, l.Target.State, len(l.More))
			if p.Outcome == dowse.Fetched {
				list = append(list, dowse.Lead{URL: l.URL, Priority: 0.9 - 0.3*float64(i), Merge: dowse.Max, Band: 3, Note: "n"})
			}
		}
		log = append(log, line)
		return list
	})
	c := begin(t, hurried(s), "s")
	pages := run(c, web)
	want := []string{
		"s fetched: old(unseen, 0 more) x(unseen, 0 more)",
		"old redirected: new(unseen, 0 more)",
		"new fetched: y(unseen, 0 more)",  // its link to old is one to itself
		"y fetched:",                      //
		"x fetched: new(fetched, 1 more)", // both links lead to new
	}
	if !slices.Equal(log, want) {
		t.Errorf("followed:\n%s\nwant:\n%s", strings.Join(log, "\n"), strings.Join(want, "\n"))
	}
	if l := pages[2].Lead; l.Priority != 0.9 || l.Band != 3 || l.Note != "n" {
		t.Errorf("new was taken as %+v, want all that old had", l)
	}
	if b := c.Books(); b.Redirected != 1 || b.Fetched != 4 || !b.Balanced() {
		t.Errorf("books %+v", b)
	}
}

// The strategy may rank the target of a redirect itself.
func TestRedirectAsTheStrategyWants(t *testing.T) {
	s := follow(func(p *dowse.Page) leads {
		if p.Outcome == dowse.Redirected {
			return leads{{Kind: dowse.Hold, URL: p.Links[0].URL, Priority: 0.2}}
		}
		return queueAll(p)
	})
	c := begin(t, hurried(s), "s")
	if got := order(c, toy{"s": {Redirect: "t"}, "t": {}}); got != "s" || stateOf(c, "t") != dowse.Held {
		t.Errorf("visited %s, t is %s", got, stateOf(c, "t"))
	}
}

func TestRedirectsThatLeadNowhere(t *testing.T) {
	web := toy{
		"self": {Redirect: "self"}, "a": {Redirect: "b"}, "b": {Redirect: "c"}, "c": {Redirect: "a"},
		"s": {Links: to("a", "self", "ok")}, "ok": {},
	}
	for i := range 100 {
		web[dowse.URL(fmt.Sprintf("chain%d", i))] = page{Redirect: dowse.URL(fmt.Sprintf("chain%d", i+1))}
	}
	var offered []dowse.URL
	s := follow(func(p *dowse.Page) leads {
		if p.URL == "s" {
			for i := range p.Links {
				offered = append(offered, p.Links[i].URL)
			}
		}
		return queueAll(p)
	})
	c := begin(t, hurried(s), "self", "a", "chain0")
	n := len(run(c, web))
	if n > 30 {
		t.Errorf("%d visits into redirects without an end", n)
	}
	for _, u := range []dowse.URL{"self", "c", "chain20"} {
		if stateOf(c, u) != dowse.Dead || c.Reason(u) != dowse.FailRedirect {
			t.Errorf("%s is %s: %s", u, stateOf(c, u), c.Reason(u))
		}
	}
	c.Resume(crawl.Limits{})
	c.Start(epoch, []dowse.URL{"s"})
	run(c, web)
	if want := []dowse.URL{"ok"}; !slices.Equal(offered, want) {
		t.Errorf("links offered: %v, want %v", offered, want)
	}
	balanced(t, c)
}

// A redirect out of the scope, or to a URL that robots.txt forbids, is not followed.
func TestRedirectIsFilteredAsLinksAre(t *testing.T) {
	cfg := hurried(follow(queueAll))
	cfg.Scope.Reach = crawl.ReachHost
	c := begin(t, cfg, "http://a.test/")
	got := order(c, toy{"http://a.test/": {Redirect: "http://b.test/"}, "http://b.test/": {}})
	if got != "http://a.test/" || c.Reason("http://b.test/") != dowse.SkipScopeHost {
		t.Errorf("visited %s; b: %s", got, c.Reason("http://b.test/"))
	}
	balanced(t, c)
}
