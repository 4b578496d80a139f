package crawl_test

import (
	"strings"
	"testing"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/weburl"
)

// A cutter lets the pages of a web break off, as a visitor reports that: at takes the URL
// and how often it was visited, and returns after how many bytes it breaks off; 0 if it
// does not.
type cutter struct {
	at     func(u dowse.URL, visit int) int64
	visits map[dowse.URL]int
	taken  map[dowse.URL]int // pages of which a part was taken
}

func (c *cutter) change(_ time.Time, v crawl.Visit, p *dowse.Page) {
	if v.Kind != crawl.VisitPage {
		return
	}
	c.visits[v.URL]++
	n := c.at(v.URL, c.visits[v.URL])
	switch {
	case n == 0:
	case v.Part == crawl.AnyPart || v.Part == n:
		c.taken[v.URL]++
	default:
		*p = dowse.Page{URL: p.URL, Outcome: dowse.Temporary, Reason: dowse.FailConnect, Host: &dowse.HostReport{BackOff: true}}
		p.Fetch.Status, p.Fetch.Bytes = 200, n
	}
}

// A page that breaks off is asked for again. It is taken as it is when it breaks off at
// the same place twice, and at the last try.
func TestPagesThatBreakOff(t *testing.T) {
	const hosts, pages = 4, 10
	one := func(u dowse.URL) bool { return u == "http://h1.test/p3" }
	for _, tc := range []struct {
		name   string
		at     func(u dowse.URL, visit int) int64
		taken  int // pages of which a part is taken
		visits int // to a page, at most
	}{
		{"once each", func(_ dowse.URL, visit int) int64 { return int64(100 * (2 - min(visit, 2))) }, 0, 2},
		{"one page, at one place", func(u dowse.URL, _ int) int64 {
			if one(u) {
				return 500
			}
			return 0
		}, 1, 2},
		{"one page, at other places", func(u dowse.URL, visit int) int64 {
			if one(u) {
				return int64(500 + visit)
			}
			return 0
		}, 1, 3},
		{"a whole host, at one place each", func(u dowse.URL, _ int) int64 {
			if weburl.Host(u) == "h1.test" {
				return int64(500 + len(u))
			}
			return 0
		}, pages + 1, 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			web, seeds := manyHosts(hosts, pages)
			w := &cutter{at: tc.at, visits: map[dowse.URL]int{}, taken: map[dowse.URL]int{}}
			cfg := crawl.Config{Strategy: follow(queueAll), Robots: true, Traps: crawl.Traps{Budget: -1}}
			c, _ := simulate(t, cfg, web, 8, w.change, seeds...)
			if b := c.Books(); b.Fetched != hosts*(pages+1) || c.Stopped() != dowse.StopExhausted {
				t.Errorf("books %+v, stopped: %s", b, c.Stopped())
			}
			if len(w.taken) != tc.taken {
				t.Errorf("a part was taken of %d pages, want %d", len(w.taken), tc.taken)
			}
			for u, n := range w.visits {
				if n > tc.visits {
					t.Errorf("%s was visited %d times, want %d at most", u, n, tc.visits)
				}
			}
		})
	}
}

// Tries that fail in an outage do not count in the runs and outages that follow.
func TestTriesInAnOutageDoNotCount(t *testing.T) {
	const hosts, pages = 5, 6
	web, seeds := manyHosts(hosts, pages)
	down := fault{from: 3 * time.Second, to: 20 * time.Hour, fail: resets}
	cfg := crawl.Config{Strategy: follow(queueAll), Robots: true, Traps: crawl.Traps{Budget: -1}}
	cfg.Polite.Outage = time.Minute
	c, _ := simulate(t, cfg, web, 8, down.change, seeds...)
	if c.Stopped() != dowse.StopNetwork && c.Stopped() != dowse.StopStarved {
		t.Fatalf("stopped: %s", c.Stopped())
	}
	for run := range 6 {
		now := epoch.Add(time.Duration(run+1) * time.Hour)
		d := &driver{c: c, now: now}
		c.Resume(crawl.Limits{})
		d.run(&witness{web: web, change: down.change, log: map[string][]span{}, clock: func() time.Time { return d.now }}, 8)
		if b := c.Books(); b.Failed > 0 {
			t.Fatalf("run %d without network: books %+v", run, b)
		}
	}
	c.Resume(crawl.Limits{})
	(&driver{c: c, now: epoch.Add(21 * time.Hour)}).run(web, 8)
	if b := c.Books(); b.Fetched != hosts*(pages+1) || b.Failed > 0 {
		t.Errorf("books %+v", b)
	}
}

// URLs that break the connection on several hosts look like an outage each time that they
// are tried. They are given up all the same.
func TestURLsThatBreakConnectionsAreGivenUp(t *testing.T) {
	const hosts, pages = 6, 4
	web, seeds := manyHosts(hosts, pages)
	for u, p := range web {
		if strings.HasSuffix(string(u), "/p1") {
			p.Took = 10 * time.Second // until the connection breaks: long enough to be taken for an outage
			web[u] = p
		}
	}
	visits := 0
	poison := func(_ time.Time, v crawl.Visit, p *dowse.Page) {
		if v.Kind == crawl.VisitPage && strings.HasSuffix(string(v.URL), "/p1") {
			visits++
			*p = dowse.Page{URL: p.URL, Outcome: dowse.Temporary}
			resets(p)
		}
	}
	cfg := crawl.Config{Strategy: follow(queueAll), Robots: true, Traps: crawl.Traps{Budget: -1}}
	c, _ := simulate(t, cfg, web, 8, poison, seeds...)
	b := c.Books()
	if b.Failed != hosts || b.Fetched != hosts*pages || c.Stopped() != dowse.StopExhausted {
		t.Errorf("books %+v, stopped: %s", b, c.Stopped())
	}
	if most := hosts * 30; visits > most {
		t.Errorf("%d visits to URLs that break connections, want %d at most", visits, most)
	}
}

// A host may have been asked when this machine fails: it rests before the next visit.
func TestHostsRestAfterLocalFailures(t *testing.T) {
	web, seeds := manyHosts(4, 20)
	n := 0
	change := func(_ time.Time, v crawl.Visit, p *dowse.Page) {
		if n++; n%7 == 0 && v.Kind == crawl.VisitPage {
			*p = dowse.Page{URL: p.URL, Outcome: dowse.Temporary}
			noNetwork(p)
		}
	}
	cfg := crawl.Config{Strategy: follow(queueAll), Robots: true, Traps: crawl.Traps{Budget: -1}}
	cfg.Polite.Delay = 5 * time.Second // longer than it takes until the network is tried again
	_, w := simulate(t, cfg, web, 8, change, seeds...)
	for h, list := range w.log {
		if gap := gaps(list); gap < cfg.Polite.Delay {
			t.Errorf("%s was visited %v after the visit before", h, gap)
		}
	}
}

// A host that has answered and does not exist by the name server is asked again; one that never
// answered is not.
func TestNamesThatVanish(t *testing.T) {
	const hosts, pages = 4, 10
	vanish := func(p *dowse.Page) {
		p.Outcome, p.Reason, p.Detail = dowse.Failed, dowse.FailDNS, "no such host"
		p.Host = &dowse.HostReport{Down: true}
	}
	for _, tc := range []struct {
		name   string
		from   time.Duration
		failed int
	}{{"after it answered", 5 * time.Second, 0}, {"from the beginning", 0, 1}} {
		t.Run(tc.name, func(t *testing.T) {
			web, seeds := manyHosts(hosts, pages)
			gone := fault{from: tc.from, to: time.Minute, host: "h1.test", fail: vanish}
			cfg := crawl.Config{Strategy: follow(queueAll), Robots: true, Traps: crawl.Traps{Budget: -1}}
			c, _ := simulate(t, cfg, web, 8, gone.change, seeds...)
			if b := c.Books(); gone.failed == 0 || b.Failed != tc.failed || tc.failed == 0 && b.Fetched != hosts*(pages+1) {
				t.Errorf("%d visits failed, books %+v; want %d URLs failed", gone.failed, b, tc.failed)
			}
		})
	}
}
