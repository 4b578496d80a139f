package crawl_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/strategy/strategytest"
	"dowse/weburl"
)

// manyHosts returns hosts with some pages each, all linked from their home pages, and
// the home pages as seeds.
func manyHosts(hosts, pages int) (toy, []dowse.URL) {
	web := toy{}
	var seeds []dowse.URL
	for h := range hosts {
		own, hub := manyPages(fmt.Sprintf("h%d.test", h), pages)
		for u, p := range own {
			p.Took = 50 * time.Millisecond
			web[u] = p
		}
		seeds = append(seeds, hub)
	}
	return web, seeds
}

// A fault makes visits fail for a time.
type fault struct {
	from, to time.Duration // since epoch
	host     string        // whose visits fail; "" for all
	fail     func(p *dowse.Page)
	failed   int
}

func (f *fault) change(now time.Time, v crawl.Visit, p *dowse.Page) {
	if at := now.Sub(epoch); at < f.from || at >= f.to || f.host != "" && weburl.Host(v.URL) != f.host {
		return
	}
	f.failed++
	u := p.URL
	*p = dowse.Page{URL: u, Outcome: dowse.Temporary}
	if v.Kind == crawl.VisitRobots {
		p.Outcome = dowse.Listed
	}
	f.fail(p)
	if v.Kind == crawl.VisitRobots {
		p.Host.Robots = &dowse.Robots{}
	}
}

func noNetwork(p *dowse.Page) {
	p.Reason, p.Detail = dowse.FailConnect, "connect: network is unreachable"
	p.Host = &dowse.HostReport{Local: true}
}

func resets(p *dowse.Page) {
	p.Reason, p.Detail = dowse.FailConnect, "read: connection reset by peer"
	p.Host = &dowse.HostReport{BackOff: true}
}

// Whatever goes wrong for a while, every page is fetched in the end, the strategy
// follows every page once, and nothing is settled for it.
func TestTroubleForAWhileCostsNothing(t *testing.T) {
	const hosts, pages = 20, 30
	for _, tc := range []struct {
		name  string
		fault fault
		round int
		most  int // failed visits, so that no host is pestered
	}{
		{"no network for a minute", fault{10 * time.Second, 72 * time.Second, "", noNetwork, 0}, 0, 40},
		{"no network for an hour", fault{10 * time.Second, time.Hour, "", noNetwork, 0}, 0, 100},
		{"no network at the beginning", fault{0, 20 * time.Second, "", noNetwork, 0}, 0, 40},
		{"no network, in rounds", fault{10 * time.Second, 72 * time.Second, "", noNetwork, 0}, 7, 40},
		{"resets for 30 s", fault{10 * time.Second, 40 * time.Second, "", resets, 0}, 0, 110},
		{"resets for 240 s", fault{10 * time.Second, 250 * time.Second, "", resets, 0}, 0, 120},
		{"resets for two hours", fault{10 * time.Second, 2 * time.Hour, "", resets, 0}, 0, 250},
		{"resets for 240 s, in rounds", fault{10 * time.Second, 250 * time.Second, "", resets, 0}, 7, 120},
		{"one host resets for 30 s", fault{10 * time.Second, 40 * time.Second, "h3.test", resets, 0}, 0, 6},
		{"one host resets for 60 s", fault{10 * time.Second, 70 * time.Second, "h3.test", resets, 0}, 0, 7},
	} {
		t.Run(tc.name, func(t *testing.T) {
			web, seeds := manyHosts(hosts, pages)
			followed := map[dowse.URL]int{}
			s := follow(func(p *dowse.Page) leads { followed[p.URL]++; return queueAll(p) })
			cfg := crawl.Config{Strategy: s, Robots: true, Round: tc.round, Traps: crawl.Traps{Budget: -1}}
			c, _ := simulate(t, cfg, web, 16, tc.fault.change, seeds...)
			if tc.round > 0 && c.Stopped() == dowse.StopStarved { // the round has too few hosts to show an outage
				c.Resume(crawl.Limits{})
				(&driver{c: c, now: epoch.Add(tc.fault.to)}).run(web, 16)
			}
			b := c.Books()
			if b.Fetched != hosts*(pages+1) || b.Failed+b.Skipped+b.Queued > 0 || c.Stopped() != dowse.StopExhausted {
				t.Errorf("books %+v, stopped: %s", b, c.Stopped())
			}
			for u, n := range followed {
				if n != 1 {
					t.Errorf("the strategy followed %s %d times", u, n)
				}
			}
			if tc.fault.failed == 0 || tc.fault.failed > tc.most {
				t.Errorf("%d visits failed, want some and at most %d", tc.fault.failed, tc.most)
			}
			balanced(t, c)
		})
	}
}

// An outage is reported while it lasts, is no time at work, and one visit at a time tries
// the network.
func TestOutageIsTold(t *testing.T) {
	web, seeds := manyHosts(8, 30)
	lost := fault{from: 10 * time.Second, to: 10 * time.Minute, fail: noNetwork}
	var seen *crawl.Outage
	var c *crawl.Crawl
	cfg := crawl.Config{Strategy: follow(queueAll), Robots: true, Traps: crawl.Traps{Budget: -1}}
	c = begin(t, cfg, seeds...)
	d := &driver{c: c, now: epoch}
	w := &witness{web: web, log: map[string][]span{}, clock: func() time.Time { return d.now }, change: func(now time.Time, v crawl.Visit, p *dowse.Page) {
		if o := c.Status().Outage; o != nil && now.Sub(epoch) > time.Minute && seen == nil {
			seen = o
			if len(d.out) > 0 {
				t.Errorf("%d other visits are out while the network is tried", len(d.out))
			}
		}
		lost.change(now, v, p)
	}}
	d.run(w, 8)
	if seen == nil || seen.Why != "connect: network is unreachable" || seen.Since.Sub(epoch) < lost.from || seen.Since.Sub(epoch) > 15*time.Second {
		t.Errorf("reported %+v", seen)
	}
	if c.Status().Outage != nil || c.Status().Elapsed > 2*time.Minute {
		t.Errorf("in the end %+v, %v at work", c.Status().Outage, c.Status().Elapsed)
	}
}

// Without a network from the beginning the crawl ends soon. With a network that
// goes away it waits for long, and then ends, too. The same crawl goes on later.
func TestNoNetworkForGood(t *testing.T) {
	for _, tc := range []struct {
		from, atMost time.Duration
	}{{0, time.Minute}, {10 * time.Second, 13 * time.Hour}} {
		web, seeds := manyHosts(5, 30)
		lost := fault{from: tc.from, to: 1000 * time.Hour, fail: noNetwork}
		cfg := crawl.Config{Strategy: follow(queueAll), Robots: true, Traps: crawl.Traps{Budget: -1}}
		c := begin(t, cfg, seeds...)
		d := &driver{c: c, now: epoch}
		w := &witness{web: web, log: map[string][]span{}, clock: func() time.Time { return d.now }, change: lost.change}
		d.run(w, 8)
		if c.Stopped() != dowse.StopNetwork || d.now.Sub(epoch) > tc.atMost || c.Books().Failed > 0 {
			t.Errorf("stopped: %s after %v, %+v", c.Stopped(), d.now.Sub(epoch), c.Books())
		}
		lost.to = 0
		c.Resume(crawl.Limits{})
		d.run(w, 8)
		if c.Stopped() != dowse.StopExhausted || c.Status().Fetched != 5*31 {
			t.Errorf("resumed: stopped: %s, %+v", c.Stopped(), c.Books())
		}
	}
}

// Hosts that never answered are no evidence about this machine: a crawl with nothing but
// such left ends.
func TestDeadHostsAreNoOutage(t *testing.T) {
	web, seeds := manyHosts(2, 5)
	for i := range 40 {
		seeds = append(seeds, dowse.URL(fmt.Sprintf("http://dead%d.test/", i)))
	}
	cfg := crawl.Config{Strategy: follow(queueAll), Robots: true, Traps: crawl.Traps{Budget: -1}}
	c := begin(t, cfg, seeds...)
	d := &driver{c: c, now: epoch}
	w := &witness{web: web, log: map[string][]span{}, clock: func() time.Time { return d.now }, change: func(now time.Time, v crawl.Visit, p *dowse.Page) {
		if web[v.URL].Took == 0 && v.Kind != crawl.VisitRobots || len(weburl.Host(v.URL)) > len("h1.test") {
			(&fault{to: time.Hour, fail: resets}).change(now.Add(-now.Sub(epoch)), v, p)
		}
	}}
	d.run(w, 8)
	if c.Stopped() != dowse.StopStarved || d.now.Sub(epoch) > 10*time.Minute || c.Status().Fetched != 12 {
		t.Errorf("stopped: %s after %v, %+v", c.Stopped(), d.now.Sub(epoch), c.Books())
	}
	u := c.Unreached()
	if u == nil || u.Hosts != 40 || u.URLs != 40 || len(u.Most) != crawl.MaxUnreached || u.Most[0].Reason != dowse.FailConnect {
		t.Errorf("unreached %+v", u)
	}
}

// A host that asked to be left alone for days is among those that were not reached, also after a
// resume that forgives failures.
func TestParkedHostsAreUnreachedAfterAResume(t *testing.T) {
	web, hub := manyPages("a.test", 5)
	cfg := crawl.Config{Strategy: follow(queueAll), Robots: true, Traps: crawl.Traps{Budget: -1}}
	c := begin(t, cfg, hub)
	d := &driver{c: c, now: epoch}
	w := &witness{web: web, log: map[string][]span{}, clock: func() time.Time { return d.now }, change: func(_ time.Time, v crawl.Visit, p *dowse.Page) {
		if v.Kind == crawl.VisitPage && v.URL != hub {
			*p = dowse.Page{URL: v.URL, Outcome: dowse.Temporary, Reason: dowse.FailHTTP, Fetch: dowse.Fetch{Status: 503}, Host: &dowse.HostReport{BackOff: true, RetryAfter: 240 * time.Hour}}
		}
	}}
	for _, run := range []string{"first", "resumed"} {
		d.run(w, 8)
		u := c.Unreached()
		if c.Stopped() != dowse.StopStarved || u == nil || u.URLs != 5 || u.Most[0].Reason != dowse.FailHTTP || u.Most[0].Since.IsZero() {
			t.Errorf("%s: stopped: %s, unreached %+v; want 5 URLs of one host", run, c.Stopped(), u)
		}
		c.Resume(crawl.Limits{})
	}
}

// A host that is down is asked after minutes, by the hour and then by the day, as long
// as the crawl has something else to do.
func TestDownHostIsAskedByTheDay(t *testing.T) {
	good, hub := manyPages("good.test", 300)
	for u, p := range good {
		p.Took = time.Hour // so that it lasts
		good[u] = p
	}
	down := fault{to: 10_000 * time.Hour, host: "down.test", fail: resets}
	cfg := crawl.Config{Strategy: follow(queueAll), Robots: true, Lease: 2 * time.Hour, Traps: crawl.Traps{Budget: -1}}
	c, w := simulate(t, cfg, good, 4, down.change, hub, "http://down.test/")
	list := w.log["down.test"]
	var minutes, hours, days int
	for i := 1; i < len(list); i++ {
		switch gap := list[i].from.Sub(list[i-1].to); {
		case gap >= 24*time.Hour:
			days++
		case gap >= time.Hour:
			hours++
		default:
			minutes++
		}
	}
	if minutes != 9 || hours != 24 || days < 8 || days > 12 {
		t.Errorf("%d tries after minutes, %d after an hour, %d after a day", minutes, hours, days)
	}
	if stateOf(c, "http://down.test/") != dowse.Waiting || c.Stopped() != dowse.StopStarved {
		t.Errorf("%s, stopped: %s", stateOf(c, "http://down.test/"), c.Stopped())
	}
}

// A URL that fails while its host answers for others is settled after its three tries and
// two further chances, also when it is the last of its host: then robots.txt shows that the
// host answers.
func TestURLThatFailsAlone(t *testing.T) {
	for _, pages := range []int{0, 1, 20} {
		web, hub := manyPages("a.test", pages)
		bad := hub + "bad"
		web[bad] = page{}
		asked := 0
		cfg := crawl.Config{Strategy: follow(queueAll), Robots: true, Traps: crawl.Traps{Budget: -1}}
		c, _ := simulate(t, cfg, web, 4, func(_ time.Time, v crawl.Visit, p *dowse.Page) {
			if v.URL == bad {
				asked++
				u := p.URL
				*p = dowse.Page{URL: u, Outcome: dowse.Temporary}
				resets(p)
			}
		}, hub, bad)
		if asked != 5 || stateOf(c, bad) != dowse.Dead || c.Reason(bad) != dowse.FailConnect || c.Stopped() != dowse.StopExhausted {
			t.Errorf("%d other pages: asked for %d times, %s, stopped: %s", pages, asked, stateOf(c, bad), c.Stopped())
		}
	}
}

// A URL that happens to be the first one each time that its host fails for a moment is
// not to blame for it.
func TestUnluckyURL(t *testing.T) {
	for _, pages := range []int{0, 1, 20} {
		web, hub := manyPages("a.test", pages)
		unlucky := hub + "unlucky"
		web[unlucky] = page{}
		episodes, fails := 0, 0
		cfg := crawl.Config{Strategy: follow(queueAll), Robots: true, Traps: crawl.Traps{Budget: -1}}
		c, _ := simulate(t, cfg, web, 4, func(_ time.Time, v crawl.Visit, p *dowse.Page) {
			if v.URL == unlucky && fails == 0 && episodes < 6 {
				episodes++
				fails = 4 // whatever is asked for
			}
			if fails > 0 {
				fails--
				u := p.URL
				*p = dowse.Page{URL: u, Outcome: dowse.Temporary}
				resets(p)
			}
		}, hub, unlucky)
		if episodes < 6 || stateOf(c, unlucky) != dowse.Visited || c.Stopped() != dowse.StopExhausted {
			t.Errorf("%d other pages: after %d episodes %s, %s; stopped: %s", pages, episodes, stateOf(c, unlucky), c.Reason(unlucky), c.Stopped())
		}
	}
}

// The state after an outage, resets, a resume and URLs put back is a fold of the
// journal.
func TestFoldOfOutages(t *testing.T) {
	for name, config := range foldable {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			cfg, j := journalled(t, dir, config())
			c := fresh(t, cfg)
			web, seeds := strategytest.Random(200, 5)
			c.Start(epoch, seeds)
			d := &driver{c: c, now: epoch}
			faults := []*fault{
				{from: 200 * time.Millisecond, to: 5 * time.Second, fail: noNetwork},
				{from: 5500 * time.Millisecond, to: 60 * time.Second, fail: resets},
				{from: 0, to: 1000 * time.Hour, host: "h2.test", fail: resets},
			}
			w := &witness{web: withRobots{web}, log: map[string][]span{}, clock: func() time.Time { return d.now }, change: func(now time.Time, v crawl.Visit, p *dowse.Page) {
				for _, f := range faults {
					f.change(now, v, p)
				}
			}}
			check := func(when string) {
				t.Helper()
				if err := j.Sync(); err != nil {
					t.Fatal(err)
				}
				sameFold(t, when, c, dir, config(), nil)
			}
			d.run(w, 6)
			check("after the first run")
			if c.Stopped() == "" || faults[0].failed == 0 {
				t.Errorf("stopped: %s, %d visits without a network", c.Stopped(), faults[0].failed)
			}
			faults = nil
			c.Resume(crawl.Limits{})
			d.run(w, 6)
			check("after the second run")
			n, err := c.Requeue(d.now, "failed")
			more, err2 := c.Requeue(d.now, "robots.txt")
			if n += more; err != nil || err2 != nil {
				t.Error(err, err2)
			}
			check("after URLs were put back")
			c.Resume(crawl.Limits{})
			d.run(w, 6)
			check("after the third run")
			if n == 0 && name == "raises and revisits in a stream" {
				t.Error("no URL was put back")
			}
			balanced(t, c)
		})
	}
}

// Visits that were not begun cost nothing: no outage is seen in them, no host rests for them, and the state is a
// fold of the journal.
func TestVisitsNotBegun(t *testing.T) {
	for name, config := range foldable {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			cfg, j := journalled(t, dir, config())
			c := fresh(t, cfg)
			web, seeds := strategytest.Random(200, 5)
			c.Start(epoch, seeds)
			d := &driver{c: c, now: epoch}
			n, unbegun := 0, map[crawl.VisitKind]int{}
			w := &witness{web: withRobots{web}, log: map[string][]span{}, clock: func() time.Time { return d.now }, change: func(_ time.Time, v crawl.Visit, p *dowse.Page) {
				if o := c.Status().Outage; o != nil {
					t.Fatalf("an outage is reported: %+v", o)
				}
				if n++; n%3 == 1 {
					unbegun[v.Kind]++
					*p = *crawl.Unbegun(v)
				}
			}}
			d.run(w, 6)
			if b := c.Books(); unbegun[crawl.VisitPage] == 0 || unbegun[crawl.VisitRobots] == 0 || b.Queued+b.InFlight > 0 {
				t.Errorf("not begun %v, books %+v", unbegun, b)
			}
			if err := j.Sync(); err != nil {
				t.Fatal(err)
			}
			sameFold(t, "in the end", c, dir, config(), nil)
			balanced(t, c)
		})
	}
}

// A visit that was not begun is made again without a pause.
func TestVisitNotBegunIsMadeAgain(t *testing.T) {
	web, hub := manyPages("a.test", 3)
	cfg := hurried(follow(queueAll))
	cfg.Polite.Delay = time.Hour
	c := begin(t, cfg, hub)
	v, _, ok := c.Next(epoch)
	if !ok {
		t.Fatalf("%+v, %v", v, ok)
	}
	c.Absorb(epoch, crawl.Unbegun(v))
	again, when, ok := c.Next(epoch)
	if !ok || again.URL != v.URL {
		t.Fatalf("got %+v, at %v; want the visit again", again, when)
	}
	p, _ := web.Visit(again)
	c.Absorb(epoch, p)
	if v, when, ok := c.Next(epoch); ok || when.Sub(epoch) < time.Hour {
		t.Errorf("got %+v at %v after a page, want a pause", v, when)
	}
}

// URLs that failed can be put back, by reason or host, and count as pages when they
// come. What was taken down stays so.
func TestRequeue(t *testing.T) {
	for _, what := range []string{"failed", "net.tls", "h1.test", "seeds"} {
		web, seeds := manyHosts(2, 4)
		broken := true
		cfg := crawl.Config{Strategy: follow(queueAll), Robots: true, Traps: crawl.Traps{Budget: -1}}
		c, _ := simulate(t, cfg, web, 4, func(_ time.Time, v crawl.Visit, p *dowse.Page) {
			if broken && weburl.Host(v.URL) == "h1.test" {
				u := p.URL
				*p = dowse.Page{URL: u, Outcome: dowse.Listed, Reason: dowse.FailTLS, Host: &dowse.HostReport{Robots: &dowse.Robots{}}}
			}
		}, seeds...)
		if c.Reason(seeds[1]) != dowse.FailTLS || c.Stopped() != dowse.StopExhausted {
			t.Fatalf("%s: %s, stopped: %s", seeds[1], c.Reason(seeds[1]), c.Stopped())
		}
		if got := failedOn(c, "h1.test"); got != 1 {
			t.Errorf("%s: h1.test counts %d failed URLs before, want 1", what, got)
		}
		broken = false
		later := epoch.Add(time.Hour)
		n := 0
		if what == "seeds" {
			n = c.RequeueSeeds(later, seeds)
		} else {
			n, _ = c.Requeue(later, what)
		}
		if got := failedOn(c, "h1.test"); got != 0 {
			t.Errorf("%s: h1.test counts %d failed URLs when they wait again, want none", what, got)
		}
		if _, err := c.Requeue(later, "no-such-thing"); !errors.Is(err, crawl.ErrRequeue) {
			t.Errorf("no-such-thing: %v", err)
		}
		c.Resume(crawl.Limits{})
		(&driver{c: c, now: later}).run(web, 4)
		if n != 1 || c.Status().Fetched != 10 || c.Books().Fetched != 10 {
			t.Errorf("%s: %d put back, then %+v", what, n, c.Books())
		}
		balanced(t, c)
	}
}

// failedOn returns how many URLs of a host its status counts as failed.
func failedOn(c *crawl.Crawl, name string) int {
	for i := range c.Frontier().Hosts() {
		if h := c.Host(i); h.Name == name {
			return h.Failed
		}
	}
	return 0
}

// Visits that got no answer are no sign of a trap, however often their URLs are put back.
func TestFailuresAreNoTrap(t *testing.T) {
	web, hub := manyPages("a.test", 20)
	cfg := crawl.Config{Strategy: follow(queueAll), Robots: true}
	c, _ := simulate(t, cfg, web, 4, func(_ time.Time, v crawl.Visit, p *dowse.Page) {
		if v.Kind == crawl.VisitPage && v.URL != hub {
			*p = dowse.Page{URL: p.URL, Outcome: dowse.Failed, Reason: dowse.FailTLS}
		}
	}, hub)
	later := epoch
	for range 5 {
		later = later.Add(time.Hour)
		if n, err := c.Requeue(later, crawl.RequeueFailed); n != 20 || err != nil {
			t.Fatalf("%d URLs were put back, want 20 (%v)", n, err)
		}
		c.Resume(crawl.Limits{})
		(&driver{c: c, now: later}).run(failing{web, hub}, 4)
	}
	c.Requeue(later.Add(time.Hour), crawl.RequeueFailed)
	c.Resume(crawl.Limits{})
	(&driver{c: c, now: later.Add(time.Hour)}).run(web, 4)
	if c.Books().Fetched != 21 {
		t.Errorf("%+v, want 21 pages fetched", c.Books())
	}
}

// failing is a web on which only one page answers.
type failing struct {
	visits
	but dowse.URL
}

func (f failing) Visit(v crawl.Visit) (*dowse.Page, time.Duration) {
	p, took := f.visits.Visit(v)
	if v.Kind == crawl.VisitPage && v.URL != f.but {
		p = &dowse.Page{URL: p.URL, Outcome: dowse.Failed, Reason: dowse.FailTLS}
	}
	return p, took
}

// A machine that can make only a few concurrent visits is asked for fewer, and all
// pages are fetched.
func TestTooManyVisitsAtOnce(t *testing.T) {
	web, seeds := manyHosts(40, 30)
	cfg := crawl.Config{Strategy: follow(queueAll), Robots: true, Traps: crawl.Traps{Budget: -1}}
	c := begin(t, cfg, seeds...)
	d := &driver{c: c, now: epoch}
	failed := 0
	w := &witness{web: web, log: map[string][]span{}, clock: func() time.Time { return d.now }, change: func(now time.Time, v crawl.Visit, p *dowse.Page) {
		if len(d.out) >= 10 {
			failed++
			(&fault{to: 1000 * time.Hour, fail: noNetwork}).change(now, v, p)
		}
	}}
	d.run(w, 64)
	if c.Stopped() != dowse.StopExhausted || c.Status().Fetched != 40*31 || c.Books().Failed > 0 {
		t.Errorf("stopped: %s, %+v", c.Stopped(), c.Books())
	}
	if failed == 0 || failed > 40*31/5 {
		t.Errorf("%d of %d visits failed", failed, 40*31)
	}
	t.Logf("%d failed, %v", failed, d.now.Sub(epoch))
}

// A URL that fails at every further chance, next to a host that is down, is no outage of
// the network: the crawl ends after its patience.
func TestChancesAreNoOutage(t *testing.T) {
	web, seeds := manyHosts(3, 12)
	bad := seeds[1] + "p3"
	cfg := crawl.Config{Strategy: follow(queueAll), Robots: true, Traps: crawl.Traps{Budget: -1}}
	cfg.Polite.Patience = 5 * time.Second
	down := &fault{to: 1000 * time.Hour, host: "h2.test", fail: resets}
	c, _ := simulate(t, cfg, web, 4, func(now time.Time, v crawl.Visit, p *dowse.Page) {
		down.change(now, v, p)
		if v.URL == bad {
			*p = dowse.Page{URL: bad, Outcome: dowse.Temporary}
			resets(p)
		}
	}, seeds...)
	if b := c.Books(); c.Stopped() != dowse.StopStarved || b.Failed != 1 || b.Fetched != 25 || b.Queued != 1 {
		t.Errorf("stopped: %s, %+v; want starved, 25 pages fetched, 1 failed, 1 waiting", c.Stopped(), b)
	}
}

// A host can be named without its port if it is the only one of its name.
func TestRequeueWithoutPort(t *testing.T) {
	c, err := crawl.New(crawl.Config{Strategy: follow(queueAll)})
	if err != nil {
		t.Fatal(err)
	}
	c.Start(epoch, []dowse.URL{"http://a.test:8080/", "http://b.test:1/", "http://b.test:2/", "http://[::1]:3/"})
	for what, known := range map[string]bool{"a.test": true, "a.test:8080": true, "[::1]": true, "b.test": false, "b.test:2": true, "test": false} {
		if _, err := c.Requeue(epoch, what); (err == nil) != known || err != nil && !errors.Is(err, crawl.ErrRequeue) {
			t.Errorf("%s: %v, want a host: %v", what, err, known)
		}
	}
}
