package crawl_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/internal/frontier"
	"dowse/lab"
	"dowse/strategy/strategytest"
	"dowse/weburl"
)

// A witness is a web that writes down when each host was visited, and may change
// what comes back.
type witness struct {
	web    visits
	change func(now time.Time, v crawl.Visit, p *dowse.Page) // nil for none
	clock  func() time.Time
	log    map[string][]span
}

type span struct {
	from, to time.Time
	url      dowse.URL
}

func (w *witness) Visit(v crawl.Visit) (*dowse.Page, time.Duration) {
	p, took := w.web.Visit(v)
	now := w.clock()
	if w.change != nil {
		w.change(now, v, p)
	}
	h := weburl.Host(v.URL)
	w.log[h] = append(w.log[h], span{now, now.Add(took), v.URL})
	return p, took
}

// simulate crawls with some workers under a witness.
func simulate(t *testing.T, cfg crawl.Config, web visits, workers int, change func(time.Time, crawl.Visit, *dowse.Page), seeds ...dowse.URL) (*crawl.Crawl, *witness) {
	t.Helper()
	w := &witness{web: web, change: change, log: map[string][]span{}}
	c := begin(t, cfg, seeds...)
	d := &driver{c: c, now: epoch}
	w.clock = func() time.Time { return d.now }
	d.run(w, workers)
	return c, w
}

// A driver runs a crawl in virtual time, as lab.Simulation does, and lets the test
// look at the clock and at every pick.
type driver struct {
	c    *crawl.Crawl
	now  time.Time
	out  []landing
	pick func(v crawl.Visit) // is called for every pick before it is made
}

type landing struct {
	at time.Time
	p  *dowse.Page
}

func (d *driver) run(web visits, workers int) {
	for range 100_000 {
		when := d.launch(web, workers)
		slices.SortStableFunc(d.out, func(a, b landing) int { return a.at.Compare(b.at) })
		switch {
		case len(d.out) > 0 && (when.IsZero() || !d.out[0].at.After(when)):
			d.now = d.out[0].at
			p := d.out[0].p
			d.out = d.out[1:]
			d.c.Absorb(d.now, p)
		case when.IsZero():
			return
		default:
			d.now = when
		}
	}
}

func (d *driver) launch(web visits, workers int) time.Time {
	for len(d.out) < workers {
		v, when, ok := d.c.Next(d.now)
		if !ok {
			if d.c.Stopped() != "" {
				return time.Time{}
			}
			return when
		}
		if d.pick != nil {
			d.pick(v)
		}
		p, took := web.Visit(v)
		p.Fetch.Took = took
		d.out = append(d.out, landing{d.now.Add(took), p})
	}
	return time.Time{}
}

// gaps returns the shortest pause between two visits, negative if they overlap.
func gaps(list []span) time.Duration {
	shortest := time.Duration(1 << 62)
	for i := 1; i < len(list); i++ {
		shortest = min(shortest, list[i].from.Sub(list[i-1].to))
	}
	return shortest
}

func TestHostsAreSpared(t *testing.T) {
	for seed := range uint64(10) {
		toy, seeds := strategytest.Random(120, seed)
		for u, p := range toy { // fast pages: the delay decides
			p.Took = time.Millisecond
			toy[u] = p
		}
		cfg := crawl.Config{Strategy: follow(queueAll), Robots: true, Traps: crawl.Traps{Budget: -1}, Round: int(seed%2) * 5}
		_, w := simulate(t, cfg, toy, 8, nil, seeds...)
		for h, list := range w.log {
			if gap := gaps(list); gap < time.Second {
				t.Errorf("web %d: %s was left alone for %v only", seed, h, gap)
			}
			if list[0].url != weburl.Robots(list[0].url) {
				t.Errorf("web %d: the first visit to %s was to %s", seed, h, list[0].url)
			}
		}
	}
}

func manyPages(host string, n int) (toy, dowse.URL) {
	web := toy{}
	hub := dowse.URL("http://" + host + "/")
	p := page{Relevance: 1}
	for i := range n {
		u := hub + dowse.URL(fmt.Sprintf("p%d", i))
		p.Links = append(p.Links, strategytest.Link{To: u})
		web[u] = page{Relevance: 1}
	}
	web[hub] = p
	return web, hub
}

func TestDelays(t *testing.T) {
	web, hub := manyPages("a.test", 5)
	for _, tc := range []struct {
		name   string
		change func(now time.Time, v crawl.Visit, p *dowse.Page)
		took   time.Duration
		want   time.Duration
	}{
		{"default", nil, time.Millisecond, time.Second},
		{"a slow host", nil, 3 * time.Second, 6 * time.Second},
		{"a very slow host", nil, 50 * time.Second, time.Minute},
		{"Crawl-delay", func(_ time.Time, v crawl.Visit, p *dowse.Page) {
			if v.Kind == crawl.VisitRobots {
				p.Host.Robots.Delay = 7 * time.Second
			}
		}, time.Millisecond, 7 * time.Second},
		{"Crawl-delay of a day", func(_ time.Time, v crawl.Visit, p *dowse.Page) {
			if v.Kind == crawl.VisitRobots {
				p.Host.Robots.Delay = 24 * time.Hour
			}
		}, time.Millisecond, time.Minute},
	} {
		slow := toy{}
		for u, p := range web {
			p.Took = tc.took
			slow[u] = p
		}
		cfg := crawl.Config{Strategy: follow(queueAll), Robots: true, Traps: crawl.Traps{Budget: -1}}
		c, w := simulate(t, cfg, slow, 4, tc.change, hub)
		if got := gaps(w.log["a.test"][1:]); got != tc.want || c.Status().Fetched != 6 {
			t.Errorf("%s: %v between visits, want %v; %d pages", tc.name, got, tc.want, c.Status().Fetched)
		}
	}
}

func trouble(p *dowse.Page, after time.Duration) {
	u := p.URL
	*p = dowse.Page{URL: u, Outcome: dowse.Temporary, Reason: dowse.FailHTTP, Host: &dowse.HostReport{BackOff: true, RetryAfter: after}}
}

func TestRetryAfter(t *testing.T) {
	web, hub := manyPages("a.test", 3)
	bad := hub + "p1"
	n := 0
	cfg := crawl.Config{Strategy: follow(queueAll), Traps: crawl.Traps{Budget: -1}}
	c, w := simulate(t, cfg, web, 4, func(_ time.Time, v crawl.Visit, p *dowse.Page) {
		if v.URL == bad && n < 2 {
			n++
			trouble(p, 30*time.Second)
		}
	}, hub)
	list := w.log["a.test"]
	for i, s := range list[:len(list)-1] {
		if s.url == bad && i < 4 && list[i+1].from.Sub(s.to) < 30*time.Second {
			t.Errorf("visited %v after a Retry-After of 30 s", list[i+1].from.Sub(s.to))
		}
	}
	if c.Status().Fetched != 4 {
		t.Errorf("%d pages fetched, want all 4", c.Status().Fetched)
	}
}

// A host that wants to be left alone for years is parked; the crawl ends.
func TestRetryAfterOfThirtyYears(t *testing.T) {
	web, hub := manyPages("a.test", 30)
	cfg := crawl.Config{Strategy: follow(queueAll), Traps: crawl.Traps{Budget: -1}}
	c, w := simulate(t, cfg, web, 4, func(_ time.Time, v crawl.Visit, p *dowse.Page) {
		if v.URL != hub {
			trouble(p, 999999999*time.Second)
		}
	}, hub)
	if c.Stopped() != dowse.StopStarved || len(w.log["a.test"]) > 3 {
		t.Errorf("stopped: %s, after %d visits", c.Stopped(), len(w.log["a.test"]))
	}
	if b := c.Books(); b.Queued != 30 || !b.Balanced() {
		t.Errorf("books %+v: what waits must go on waiting", b)
	}
}

// A host that asks for a hundred days is asked again after one, in the same run and in the next, and is known to
// have asked for more.
func TestRetryAfterOfAHundredDays(t *testing.T) {
	const asked = 100 * 24 * time.Hour
	web, hub := manyPages("good.test", 40)
	for u, p := range web {
		p.Took = time.Hour // so that it lasts
		web[u] = p
	}
	bad, other := manyPages("a.test", 3)
	maps.Copy(web, bad)
	refusals := 0
	refuse := func(_ time.Time, v crawl.Visit, p *dowse.Page) {
		if v.URL == other+"p1" && refusals < 2 {
			refusals++
			trouble(p, asked)
		}
	}
	cfg := crawl.Config{Strategy: follow(queueAll), Lease: 2 * time.Hour, Traps: crawl.Traps{Budget: -1}}
	c, w := simulate(t, cfg, web, 4, refuse, hub, other)
	list := w.log["a.test"]
	var parted time.Duration
	for i := 1; i < len(list); i++ {
		parted = max(parted, list[i].from.Sub(list[i-1].to))
	}
	if parted < 24*time.Hour || parted > 26*time.Hour || refusals != 2 {
		t.Errorf("left alone for %v after %d answers, want a day", parted, refusals)
	}
	s := hostStatus(c, "a.test")
	if left := s.Ready.Sub(list[len(list)-1].to); left > 24*time.Hour || s.Asked.Sub(s.Ready) < 98*24*time.Hour || s.BackOffs == 0 {
		t.Errorf("%+v: ready after %v", s, left)
	}
	c.Resume(crawl.Limits{})
	d := &driver{c: c, now: s.Ready.Add(time.Hour)}
	w.clock = func() time.Time { return d.now }
	d.run(w, 4)
	if b := c.Books(); b.Fetched != 45 || b.Queued != 0 {
		t.Errorf("a day later: %s, books %+v", c.Stopped(), b)
	}
}

// hostStatus returns what a crawl knows of a host.
func hostStatus(c *crawl.Crawl, name string) crawl.HostStatus {
	for i := range c.Frontier().Hosts() {
		if s := c.Host(i); s.Name == name {
			return s
		}
	}
	return crawl.HostStatus{}
}

// A host in trouble for five seconds, robots.txt included, gets few requests, and
// all its pages are fetched later.
func TestBackOff(t *testing.T) {
	for _, robots := range []bool{false, true} {
		web, hub := manyPages("a.test", 8)
		cfg := crawl.Config{Strategy: follow(queueAll), Robots: robots, Traps: crawl.Traps{Budget: -1}}
		c, w := simulate(t, cfg, web, 4, func(now time.Time, v crawl.Visit, p *dowse.Page) {
			if now.Before(epoch.Add(5 * time.Second)) {
				trouble(p, 0)
				if v.Kind == crawl.VisitRobots {
					p.Host.Robots = &dowse.Robots{Status: 503}
				}
			}
		}, hub)
		early := 0
		for _, s := range w.log["a.test"] {
			if s.from.Before(epoch.Add(5 * time.Second)) {
				early++
			}
		}
		if early > 12 || c.Status().Fetched != 9 {
			t.Errorf("robots %v: %d requests in 5 s, %d pages in the end", robots, early, c.Status().Fetched)
		}
		list := w.log["a.test"]
		if a, b := list[1].from.Sub(list[0].to), list[2].from.Sub(list[1].to); a != 2*time.Second || b != 4*time.Second {
			t.Errorf("robots %v: pauses of %v and %v, want 2 s and 4 s", robots, a, b)
		}
	}
}

// A host that is down is asked again at growing intervals. Its pages wait: none is
// settled, and the strategy does not see them.
func TestHostDown(t *testing.T) {
	web, hub := manyPages("a.test", 20)
	var followed []dowse.URL
	s := follow(func(p *dowse.Page) leads {
		followed = append(followed, p.URL)
		return queueAll(p)
	})
	cfg := crawl.Config{Strategy: s, Tries: 2, Traps: crawl.Traps{Budget: -1}}
	c, w := simulate(t, cfg, web, 4, func(_ time.Time, v crawl.Visit, p *dowse.Page) {
		if v.URL != hub {
			trouble(p, 0)
			p.Host.Down = true
		}
	}, hub)
	if n := len(w.log["a.test"]); n != 9 {
		t.Errorf("%d visits, want 1 and 8 that failed", n)
	}
	if len(followed) != 1 || c.Stopped() != dowse.StopStarved || c.Books().Queued != 20 {
		t.Errorf("the strategy followed %d pages, stopped: %s, books %+v", len(followed), c.Stopped(), c.Books())
	}
	balanced(t, c)
}

// Hosts on one public address share its politeness; on a private one they do not.
func TestLanes(t *testing.T) {
	for addr, shared := range map[string]bool{"93.184.216.34": true, "127.0.0.1": false, "10.1.2.3": false, "2606:2800::1": true} {
		web := toy{}
		var seeds []dowse.URL
		for h := range 3 {
			for i := range 3 {
				u := dowse.URL(fmt.Sprintf("http://h%d.test/p%d", h, i))
				web[u] = page{}
				seeds = append(seeds, u)
			}
		}
		cfg := crawl.Config{Strategy: follow(queueAll), Traps: crawl.Traps{Budget: -1}}
		_, w := simulate(t, cfg, web, 8, func(_ time.Time, _ crawl.Visit, p *dowse.Page) {
			p.Fetch.Address = netip.MustParseAddr(addr)
		}, seeds...)
		var all []span
		for _, list := range w.log {
			all = append(all, list[1:]...) // the first visit finds the address
		}
		slices.SortFunc(all, func(a, b span) int { return a.from.Compare(b.from) })
		if got := gaps(all) >= time.Second; got != shared {
			t.Errorf("%s: %v between visits", addr, gaps(all))
		}
	}
}

func TestMaxRate(t *testing.T) {
	web := toy{}
	var seeds []dowse.URL
	for h := range 20 {
		u := dowse.URL(fmt.Sprintf("http://h%d.test/", h))
		web[u] = page{}
		seeds = append(seeds, u)
	}
	cfg := crawl.Config{Strategy: follow(queueAll), Polite: crawl.Politeness{MaxRate: 4}}
	_, w := simulate(t, cfg, web, 20, nil, seeds...)
	var starts []time.Time
	for _, list := range w.log {
		starts = append(starts, list[0].from)
	}
	slices.SortFunc(starts, time.Time.Compare)
	for i := 1; i < len(starts); i++ {
		if gap := starts[i].Sub(starts[i-1]); gap < 250*time.Millisecond {
			t.Fatalf("%v between two visits at 4 a second", gap)
		}
	}
}

// With many connections to a host its robots.txt is still asked for once, alone.
func TestRobotsHasTheHostToItself(t *testing.T) {
	web, hub := manyPages("a.test", 10)
	cfg := crawl.Config{Strategy: follow(queueAll), Robots: true, Polite: crawl.Politeness{Delay: crawl.None, Conns: 4}, Traps: crawl.Traps{Budget: -1}}
	c, w := simulate(t, cfg, web, 8, nil, hub, hub+"p1", hub+"p2")
	list := w.log["a.test"]
	if list[1].from.Before(list[0].to) || list[1].url == list[0].url {
		t.Errorf("visits %v", list[:2])
	}
	if c.Status().Fetched != 11 || c.Status().Requests != 12 {
		t.Errorf("%d pages in %d requests", c.Status().Fetched, c.Status().Requests)
	}
}

// TestBestFirstUnderPoliteness checks each pick against a scan of all that waits:
// no lead of a host that is rested and free is better.
func TestBestFirstUnderPoliteness(t *testing.T) {
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 3))
		s := follow(func(p *dowse.Page) (list leads) {
			for i := range p.Links {
				list = append(list, dowse.Lead{URL: p.Links[i].URL, Priority: float64(rng.IntN(20)) / 20, Merge: dowse.Merge(rng.IntN(3)), Band: int8(rng.IntN(2))})
			}
			return list
		})
		cfg := crawl.Config{Strategy: s, Polite: crawl.Politeness{Delay: 40 * time.Millisecond, Conns: 1 + int(seed%2)}, Traps: crawl.Traps{Budget: -1}}
		web, seeds := strategytest.Random(200, seed)
		c := begin(t, cfg, seeds...)
		d := &driver{c: c, now: epoch}
		picks := 0
		d.pick = func(v crawl.Visit) {
			picks++
			if better := betterThan(c.Frontier(), v, d.now, cfg.Polite.Conns); better != "" {
				t.Fatalf("web %d, pick %d: took %s at %v before %s", seed, picks, v.URL, v.Lead.Priority, better)
			}
		}
		d.run(web, 4)
		if picks < 100 || c.Stopped() != dowse.StopExhausted {
			t.Errorf("web %d: %d picks, stopped: %s", seed, picks, c.Stopped())
		}
	}
}

// betterThan looks through all that waits for a lead that should have been taken.
func betterThan(f *frontier.Frontier, v crawl.Visit, now time.Time, conns int) dowse.URL {
	took, _ := f.Find(v.URL)
	for id := range frontier.ID(f.Len()) {
		h := f.Host(id)
		busy := f.Busy(h)
		if h == f.Host(took) {
			busy-- // the visit itself
		}
		if f.State(id) != dowse.Waiting || busy >= conns || f.Ready(h).After(now) || f.Late(h) || f.Late(f.Host(took)) {
			continue // hosts that do not answer have turns of their own
		}
		p, q := f.Priority(id), v.Lead.Priority
		if b := f.Band(id); b < v.Lead.Band || b == v.Lead.Band && (p > q || p == q && id < took) {
			return f.URL(id)
		}
	}
	return ""
}

// The simulation of the lab and a plain loop visit the same pages in the same order.
func TestSimulationVisitsInTheSameOrder(t *testing.T) {
	trace := func(drive func(c *crawl.Crawl, web visits)) (list []dowse.URL) {
		web, seeds := strategytest.Random(150, 4)
		s := follow(func(p *dowse.Page) leads { list = append(list, p.URL); return queueAll(p) })
		cfg := crawl.Config{Strategy: s, Polite: crawl.Politeness{Delay: 15 * time.Millisecond}, Traps: crawl.Traps{Budget: -1}}
		drive(begin(t, cfg, seeds...), web)
		return list
	}
	a := trace(func(c *crawl.Crawl, web visits) {
		(&lab.Simulation{Crawl: c, Web: web, Workers: 4, Start: epoch}).Run()
	})
	b := trace(func(c *crawl.Crawl, web visits) { (&driver{c: c, now: epoch}).run(web, 4) })
	if len(a) < 80 || !slices.Equal(a, b) {
		t.Errorf("%d and %d pages; the orders differ", len(a), len(b))
	}
}
