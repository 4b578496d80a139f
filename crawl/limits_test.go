package crawl_test

import (
	"fmt"
	"testing"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/lab"
	"dowse/settings"
	"dowse/strategy/strategytest"
)

// weighed gives pages a size on the wire.
type weighed struct {
	web   visits
	bytes int64
}

func (w weighed) Visit(v crawl.Visit) (*dowse.Page, time.Duration) {
	p, took := w.web.Visit(v)
	p.Fetch.Wire = w.bytes
	return p, took
}

func TestPageLimitIsExact(t *testing.T) {
	for n := 1; n <= 50; n++ {
		for _, workers := range []int{1, 8} {
			for _, round := range []int{0, 7} {
				cfg := hurried(follow(queueAll))
				cfg.Limits.Pages, cfg.Round = n, round
				cfg.Polite.Conns, cfg.Polite.InFlight = 4, 8
				web, seeds := strategytest.Random(200, 3)
				c := begin(t, cfg, seeds...)
				sim := lab.Simulation{Crawl: c, Web: web, Workers: workers}
				sim.Run()
				if got := c.Status().Fetched; got != n || c.Stopped() != dowse.StopPages {
					t.Errorf("limit %d, %d workers, rounds of %d: %d pages, stopped: %s", n, workers, round, got, c.Stopped())
				}
			}
		}
	}
}

func TestOnTopicLimitIsExact(t *testing.T) {
	for _, round := range []int{0, 7} {
		cfg := hurried(follow(queueAll))
		cfg.Limits.OnTopic, cfg.Round = 10, round
		cfg.Polite.Conns, cfg.Polite.InFlight = 4, 8
		web, seeds := strategytest.Random(200, 3)
		c := begin(t, cfg, seeds...)
		sim := lab.Simulation{Crawl: c, Web: web, Workers: 8}
		sim.Run()
		if got := c.Status().OnTopic; got != 10 || c.Stopped() != dowse.StopOnTopic {
			t.Errorf("rounds of %d: %d pages on topic, stopped: %s", round, got, c.Stopped())
		}
	}
}

// chain is a web of n pages, each linking to the next.
func chain(n int, relevance func(i int) float64) toy {
	web := toy{}
	for i := range n {
		web[dowse.URL(fmt.Sprintf("http://a.test/p%d", i))] = page{
			Relevance: relevance(i), Links: to(dowse.URL(fmt.Sprintf("http://a.test/p%d", i+1))),
		}
	}
	return web
}

func always(r float64) func(int) float64 { return func(int) float64 { return r } }

func TestLimits(t *testing.T) {
	web := weighed{chain(100, func(i int) float64 { return max(0, 1-float64(i)/20) }), 1000}
	for _, tc := range []struct {
		name   string
		limits crawl.Limits
		delay  time.Duration
		pages  int
		stop   dowse.StopReason
	}{
		{"bytes", crawl.Limits{Bytes: 7500}, crawl.None, 8, dowse.StopBytes},
		{"time", crawl.Limits{Time: 10 * time.Second}, time.Second, 10, dowse.StopTime},
		{"time with long pauses", crawl.Limits{Time: 10 * time.Minute}, 100 * time.Second, 6, dowse.StopTime},
		{"per host", crawl.Limits{PerHost: 5}, crawl.None, 5, dowse.StopExhausted},
		{"depth", crawl.Limits{Depth: 4}, crawl.None, 5, dowse.StopExhausted},
		{"tunnel", crawl.Limits{Tunnel: 3}, crawl.None, 15, dowse.StopExhausted}, // p0 to p10 are on topic, p11 is found on p10
		{"no tunnel", crawl.Limits{Tunnel: -1}, crawl.None, 12, dowse.StopExhausted},
		{"dry", crawl.Limits{Dry: settings.Dry{Harvest: 0.5, Over: 10}}, crawl.None, 17, dowse.StopDriedUp},
		{"gain", crawl.Limits{Dry: settings.Dry{Gain: 0.5, GainOver: 10}}, crawl.None, 17, dowse.StopDriedUp},
		{"the first that is reached", crawl.Limits{Pages: 9, Bytes: 5000}, crawl.None, 5, dowse.StopBytes},
	} {
		cfg := hurried(follow(queueAll))
		cfg.Limits, cfg.Polite.Delay = tc.limits, tc.delay
		cfg.Polite.Patience = time.Hour
		c := begin(t, cfg, "http://a.test/p0")
		run(c, web)
		if got := c.Status().Fetched; got != tc.pages || c.Stopped() != tc.stop {
			t.Errorf("%s: %d pages, stopped: %s; want %d, %s", tc.name, got, c.Stopped(), tc.pages, tc.stop)
		}
		balanced(t, c)
	}
}

// With several concurrent visits to a host, in a stream or in a round, no more pages
// than allowed come from it, and a failure leaves room for another.
func TestPerHostLimitIsExact(t *testing.T) {
	for _, round := range []int{0, 20} {
		web := toy{}
		var seeds []dowse.URL
		for i := range 20 {
			u := dowse.URL(fmt.Sprintf("http://a.test/p%d", i))
			seeds = append(seeds, u)
			if web[u] = (page{}); i%3 == 0 {
				web[u] = page{Fails: dowse.FailHTTP}
			}
		}
		cfg := hurried(follow(queueAll))
		cfg.Limits.PerHost, cfg.Round, cfg.Polite.Conns, cfg.Polite.InFlight = 6, round, 4, 9
		c := begin(t, cfg, seeds...)
		sim := lab.Simulation{Crawl: c, Web: web, Workers: 8}
		sim.Run()
		if got := c.Status().Fetched; got != 6 || c.Stopped() != dowse.StopExhausted {
			t.Errorf("rounds of %d: %d pages, stopped: %s", round, got, c.Stopped())
		}
		if b := c.Books(); b.Skipped == 0 || b.Queued != 0 || !b.Balanced() {
			t.Errorf("rounds of %d: books %+v", round, b)
		}
	}
}

// A URL that was too deep, or too far off topic, comes in when a better path to it
// is found.
func TestABetterPathReopens(t *testing.T) {
	web := toy{
		"s": {Relevance: 1, Links: to("a", "hub")}, "a": {Links: to("b")}, "b": {Links: to("c")}, "c": {},
		"hub": {Relevance: 1, Links: to("c")},
	}
	for name, limits := range map[dowse.Reason]crawl.Limits{dowse.SkipScopeDepth: {Depth: 2}, dowse.SkipScopeTunnel: {Tunnel: 1}} {
		s := script{"s": {{URL: "a", Priority: 0.9}, {URL: "hub", Priority: 0.1}}, "a": {{URL: "b", Priority: 0.9}}, "hub": {{URL: "c", Priority: 0.9}}}
		var c *crawl.Crawl
		var before dowse.Reason
		cfg := hurried(follow(func(p *dowse.Page) leads {
			if p.URL == "b" {
				before = c.Reason("c")
			}
			return s.Follow(p)
		}))
		cfg.Limits = limits
		c = begin(t, cfg, "s")
		if got := order(c, web); got != "s a b hub c" || before != name || c.Reason("c") != "" {
			t.Errorf("%s: visited %s; c was out for %q, now %q", name, got, before, c.Reason("c"))
		}
	}
}

func TestResumeUnderOtherLimits(t *testing.T) {
	cfg := hurried(follow(queueAll))
	cfg.Limits = crawl.Limits{Pages: 3, PerHost: 5}
	c := begin(t, cfg, "http://a.test/p0")
	web := chain(10, always(1))
	run(c, web)
	if c.Status().Fetched != 3 || c.Stopped() != dowse.StopPages {
		t.Fatalf("%d pages, stopped: %s", c.Status().Fetched, c.Stopped())
	}
	c.Resume(crawl.Limits{Pages: 8})
	run(c, web)
	if c.Status().Fetched != 8 || c.Stopped() != dowse.StopPages {
		t.Errorf("then %d pages, stopped: %s", c.Status().Fetched, c.Stopped())
	}
	c.Resume(crawl.Limits{})
	run(c, web)
	if c.Status().Fetched != 10 || c.Stopped() != dowse.StopExhausted {
		t.Errorf("in the end %d pages, stopped: %s", c.Status().Fetched, c.Stopped())
	}
}

// The time between two runs is not time at work.
func TestTimeBetweenRunsDoesNotCount(t *testing.T) {
	c := begin(t, hurried(follow(queueAll)), "http://a.test/p0")
	web := chain(3, always(1))
	now := epoch
	step(c, web, &now)
	c.Resume(crawl.Limits{})
	now = now.Add(24 * time.Hour)
	step(c, web, &now)
	if got := c.Status().Elapsed; got != 2*time.Millisecond {
		t.Errorf("%v at work", got)
	}
}

func TestLostVisitsAreMadeAgain(t *testing.T) {
	web := toy{"http://a.test/": {}}
	cfg := hurried(follow(queueAll))
	cfg.Lease = time.Minute
	for _, round := range []int{0, 2} {
		cfg.Round = round
		c := begin(t, cfg, "http://a.test/")
		v, _, _ := c.Next(epoch)
		if _, when, ok := c.Next(epoch.Add(59 * time.Second)); ok || !when.Equal(epoch.Add(time.Minute)) {
			t.Fatalf("asked again before the deadline: %v, until %v", ok, when)
		}
		late := epoch.Add(61 * time.Second)
		if _, when, ok := c.Next(late); ok || !when.After(late) {
			t.Fatal("a host that did not answer is not left alone")
		}
		p, _ := web.Visit(v)
		c.Absorb(late, p)
		if c.Status().Fetched != 0 || c.Status().Requests != 1 {
			t.Errorf("a page that came too late was taken in: %+v", c.Status())
		}
		now := late
		if p := step(c, web, &now); p == nil || p.URL != "http://a.test/" || c.Status().Fetched != 1 {
			t.Errorf("the visit was not made again: %v", p)
		}
	}
}

func TestVisitsThatNeverComeBackAreGivenUp(t *testing.T) {
	var followed []string
	s := follow(func(p *dowse.Page) leads {
		followed = append(followed, fmt.Sprint(p.Outcome, " ", p.Reason))
		return nil
	})
	cfg := hurried(s)
	cfg.Polite.Patience = time.Hour
	c := begin(t, cfg, "http://a.test/")
	now, n := epoch, 0
	for c.Stopped() == "" && n < 100 {
		_, when, ok := c.Next(now)
		if ok {
			n++
		} else if !when.IsZero() {
			now = when
		}
	}
	if n != 3 || len(followed) != 1 || followed[0] != "failed net.timeout" {
		t.Errorf("%d visits; followed %q", n, followed)
	}
	balanced(t, c)
}

// A crawl that stops within a round follows what came back of it.
func TestStopWithinARound(t *testing.T) {
	web, seeds := manySeeds(20)
	var followed int
	cfg := hurried(follow(func(p *dowse.Page) leads { followed++; return queueAll(p) }))
	cfg.Round, cfg.Limits.Bytes = 10, 3500
	c := begin(t, cfg, seeds...)
	run(c, weighed{web, 1000})
	if b := c.Books(); followed != 4 || b.Fetched != 4 || b.Queued != 16 || b.InFlight != 0 || c.MidRound() {
		t.Errorf("%d pages followed, books %+v, in a round: %v", followed, b, c.MidRound())
	}
	c.Resume(crawl.Limits{})
	if run(c, weighed{web, 1000}); followed != 20 || c.Stopped() != dowse.StopExhausted {
		t.Errorf("in the end %d pages followed, stopped: %s", followed, c.Stopped())
	}
}

// A parked host does not take the rest of its round with it.
func TestStarvedWithinARound(t *testing.T) {
	web, seeds := manySeeds(4)
	cfg := crawl.Config{Strategy: follow(queueAll), Round: 9, Traps: crawl.Traps{Budget: -1}}
	parked := dowse.URL("http://b.test/")
	c, _ := simulate(t, cfg, web, 4, func(_ time.Time, v crawl.Visit, p *dowse.Page) {
		if v.URL == parked {
			trouble(p, 999999999*time.Second)
		}
	}, append(seeds, parked)...)
	if b := c.Books(); c.Stopped() != dowse.StopStarved || b.Fetched != 4 || b.Queued != 1 || c.MidRound() {
		t.Errorf("stopped: %s, books %+v, in a round: %v", c.Stopped(), b, c.MidRound())
	}
}
