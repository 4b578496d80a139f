package crawl_test

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/strategy/strategytest"
	"dowse/weburl"
)

// A tarpit is a web in which some hosts accept and never answer: a visit to them ends
// after a timeout, or when the crawl's patience does. It counts how many are out concurrently.
type tarpit struct {
	visits
	tries   map[string]int
	longest map[string]time.Duration // that the crawl waited for an answer
}

func newTarpit(web visits) *tarpit {
	return &tarpit{web, map[string]int{}, map[string]time.Duration{}}
}

const tarpitTimeout = 20 * time.Second

func (w *tarpit) Visit(v crawl.Visit) (*dowse.Page, time.Duration) {
	host := weburl.Host(v.URL)
	if !strings.HasPrefix(host, "silent") {
		return w.visits.Visit(v)
	}
	w.tries[host]++
	p := v.Page()
	p.Outcome, p.Reason = dowse.Temporary, dowse.FailTimeout
	p.Host = &dowse.HostReport{BackOff: true}
	if v.Kind == crawl.VisitRobots {
		p.Outcome, p.Host.Robots = dowse.Listed, &dowse.Robots{}
	}
	took := min(tarpitTimeout, cmp.Or(v.Patience, tarpitTimeout))
	w.longest[host] = max(w.longest[host], took)
	return p, took
}

// goodSites adds n hosts with a few pages each to a web and returns their homepages.
func goodSites(web toy, n, pages int) (seeds []dowse.URL) {
	for i := range n {
		site, hub := manyPages(fmt.Sprintf("good%d.test", i), pages)
		for u, p := range site {
			p.Took = 50 * time.Millisecond
			web[u] = p
		}
		seeds = append(seeds, hub)
	}
	return seeds
}

// TestSilentHosts gives a crawl a thousand seeds that never answer, before eight that do:
// these must be crawled whole long before the others have been given up.
func TestSilentHosts(t *testing.T) {
	const silent, good, pages = 1000, 8, 10
	for _, tc := range []struct {
		name   string
		polite crawl.Politeness
		round  int
		robots bool
		within time.Duration // until the good sites are whole
	}{
		{"stream", crawl.Politeness{}, 0, true, 40 * time.Second},
		{"without robots.txt", crawl.Politeness{}, 0, false, 40 * time.Second},
		{"hold", crawl.Politeness{Hold: 0.3}, 0, true, 40 * time.Second},
		{"one connection", crawl.Politeness{InFlight: 1}, 0, true, 2 * time.Hour},
		{"rounds", crawl.Politeness{}, 2000, true, 2 * time.Minute},
	} {
		t.Run(tc.name, func(t *testing.T) {
			web := toy{}
			var seeds []dowse.URL
			for i := range silent {
				seeds = append(seeds, dowse.URL(fmt.Sprintf("http://silent%d.test/", i)))
			}
			seeds = append(seeds, goodSites(web, good, pages)...)
			cfg := crawl.Config{Strategy: follow(queueAll), Robots: tc.robots, Round: tc.round, Polite: tc.polite}
			c := begin(t, cfg, seeds...)
			d := &driver{c: c, now: epoch}
			w := newTarpit(web)
			workers := cmp.Or(tc.polite.InFlight, 64)
			asked := map[string]int{}
			last := map[string]time.Time{}
			var began time.Time // the first visit to the last site
			d.pick = func(v crawl.Visit) {
				if h := weburl.Host(v.URL); strings.HasPrefix(h, "good") {
					if asked[h]++; asked[h] == 1 {
						began = d.now
					}
					last[h] = d.now
				}
			}
			d.run(w, workers)
			want := pages + 1
			if tc.robots {
				want++
			}
			for i := range good {
				h := fmt.Sprintf("good%d.test", i)
				first := tc.round == 0 // the rest of a site is in the second round, after all of the first
				if first && (asked[h] != want || last[h].After(epoch.Add(tc.within))) {
					t.Errorf("%s: %d requests of %d, the last after %v; want it within %v", h, asked[h], want, last[h].Sub(epoch), tc.within)
				}
				if asked[h] == 0 {
					t.Errorf("%s was never asked", h)
				}
			}
			if most := 20 * time.Second; workers == 64 && began.Sub(epoch) > most {
				t.Errorf("the last site was begun after %v, want %v at most", began.Sub(epoch), most)
			}
			// Without robots.txt nothing but the URL itself can be asked for, so it is to blame
			// after its tries.
			b := c.Books()
			if b.Fetched != good*(pages+1) || b.Queued+b.Failed != silent || tc.robots && b.Failed > 0 || c.Stopped() != dowse.StopStarved {
				t.Errorf("stopped: %s, %+v; want it starved with the good sites whole", c.Stopped(), b)
			}
			for i := range silent {
				h := fmt.Sprintf("silent%d.test", i)
				if n, wait := w.tries[h], w.longest[h]; n < 2 || wait < 12*time.Second {
					t.Fatalf("%s was tried %d times and waited for %v at most, want at least 2 times and once 12 s", h, n, wait)
				}
			}
		})
	}
}

// lateVisitor makes visits to a tarpit that take as long as they would.
type lateVisitor struct {
	mu   sync.Mutex
	web  *tarpit
	last time.Time // a visit to a host that answers
}

func (l *lateVisitor) Visit(_ context.Context, v crawl.Visit) crawl.Arrival {
	l.mu.Lock()
	p, took := l.web.Visit(v)
	if strings.HasPrefix(weburl.Host(v.URL), "good") {
		l.last = time.Now()
	}
	l.mu.Unlock()
	time.Sleep(took)
	return crawl.Arrival{Page: p}
}

// Hosts that never answer leave connections to others also where the driver makes fewer visits than the settings
// allow, as in a cluster: its workers have fewer connections than a coordinator would accept.
func TestSilentHostsOfAFewConnections(t *testing.T) {
	inVirtualTime(t, func(t *testing.T) {
		const good, pages = 8, 10
		web := toy{}
		var seeds []dowse.URL
		for i := range 1000 {
			seeds = append(seeds, dowse.URL(fmt.Sprintf("http://silent%d.test/", i)))
		}
		seeds = append(seeds, goodSites(web, good, pages)...)
		c := begin(t, crawl.Config{Strategy: follow(queueAll), Robots: true, Polite: crawl.Politeness{InFlight: 4096}}, seeds...)
		v := &lateVisitor{web: newTarpit(web)}
		l := &crawl.Live{Crawl: c, Visitor: v, AtMost: 64}
		if err := l.Run(t.Context(), t.Context()); err != nil {
			t.Fatal(err)
		}
		if took := v.last.Sub(epoch); took > 40*time.Second || c.Books().Fetched != good*(pages+1) {
			t.Errorf("the hosts that answer were crawled within %v, want 40 s; %+v", took, c.Books())
		}
	})
}

// TestPatienceIsKept crawls from hundreds of seeds that never answer. The crawl ends about
// Patience after the last answer, or when every silent host was tried twice.
func TestPatienceIsKept(t *testing.T) {
	for _, tc := range []struct {
		silent, good int
		within       time.Duration // of the last answer, or of the beginning
	}{{40, 4, 80 * time.Second}, {400, 4, time.Minute}, {400, 0, time.Minute}} {
		web := toy{}
		var seeds []dowse.URL
		for i := range tc.silent {
			seeds = append(seeds, dowse.URL(fmt.Sprintf("http://silent%d.test/", i)))
		}
		seeds = append(seeds, goodSites(web, tc.good, 10)...)
		polite := crawl.Politeness{Patience: 20 * time.Second}
		c := begin(t, crawl.Config{Strategy: follow(queueAll), Robots: true, Polite: polite}, seeds...)
		d := &driver{c: c, now: epoch}
		last := epoch
		d.pick = func(v crawl.Visit) {
			if strings.HasPrefix(weburl.Host(v.URL), "good") {
				last = d.now
			}
		}
		w := newTarpit(web)
		d.run(w, 64)
		if after := d.now.Sub(last); after > tc.within || c.Stopped() != dowse.StopStarved {
			t.Errorf("%d silent hosts: stopped: %s, %v after the last answer; want it within %v", tc.silent, c.Stopped(), after, tc.within)
		}
		if c.Status().Fetched != 11*tc.good || len(w.tries) != tc.silent {
			t.Errorf("%d silent hosts: %d pages, %d silent hosts tried", tc.silent, c.Status().Fetched, len(w.tries))
		}
		if u := c.Unreached(); u == nil || u.Hosts != tc.silent {
			t.Errorf("%d silent hosts: unreached %+v", tc.silent, u)
		}
		t.Logf("%d silent hosts: over %v after the last answer, at %v", tc.silent, d.now.Sub(last), d.now.Sub(epoch))
	}
}

// TestSlowHostIsWaitedFor has hosts that answer only after ten seconds among many that
// never do: they are not given up for it.
func TestSlowHostIsWaitedFor(t *testing.T) {
	web := toy{}
	var seeds []dowse.URL
	for i := range 200 {
		seeds = append(seeds, dowse.URL(fmt.Sprintf("http://silent%d.test/", i)))
	}
	for i := range 20 {
		u := dowse.URL(fmt.Sprintf("http://slow%d.test/", i))
		web[u] = page{Relevance: 1}
		seeds = append(seeds, u)
	}
	c := begin(t, crawl.Config{Strategy: follow(queueAll), Robots: true, Polite: crawl.Politeness{InFlight: 16}}, seeds...)
	(&driver{c: c, now: epoch}).run(newTarpit(sluggish{web}), 16)
	if got := c.Status().Fetched; got != 20 {
		t.Errorf("%d pages of slow hosts, want 20", got)
	}
}

// sluggish is a web whose hosts need ten seconds for an answer, if they are given so long.
type sluggish struct{ visits }

func (s sluggish) Visit(v crawl.Visit) (*dowse.Page, time.Duration) {
	const needs = 10 * time.Second
	if v.Patience > 0 && v.Patience < needs {
		p := v.Page()
		p.Outcome, p.Reason, p.Host = dowse.Temporary, dowse.FailTimeout, &dowse.HostReport{BackOff: true}
		if v.Kind == crawl.VisitRobots {
			p.Outcome, p.Host.Robots = dowse.Listed, &dowse.Robots{}
		}
		return p, v.Patience
	}
	p, _ := s.visits.Visit(v)
	return p, needs
}

// TestSilentHostsFold rebuilds a crawl with silent hosts from its journal.
func TestSilentHostsFold(t *testing.T) {
	dir := t.TempDir()
	config := func() crawl.Config { return crawl.Config{Strategy: follow(queueAll)} }
	cfg, j := journalled(t, dir, config())
	c := fresh(t, cfg)
	toy, seeds := strategytest.Random(60, 5)
	for i := range 20 {
		seeds = append(seeds, dowse.URL(fmt.Sprintf("http://silent%d.test/", i)))
	}
	c.Start(epoch, seeds)
	(&driver{c: c, now: epoch}).run(newTarpit(withRobots{toy}), 6)
	if err := j.Sync(); err != nil {
		t.Fatal(err)
	}
	sameFold(t, "with silent hosts", c, dir, config(), nil)
}

// TestPolitenessIsNotSilence has hosts that rest for longer than the crawl's patience because
// of a delay, not because they do not answer: the crawl waits for them, in later runs, too.
func TestPolitenessIsNotSilence(t *testing.T) {
	const pages = 20
	for _, tc := range []struct {
		name   string
		polite crawl.Politeness
		delay  time.Duration // of robots.txt
		bad    int           // URLs that never answer
	}{
		{"Crawl-delay", crawl.Politeness{Patience: 10 * time.Second}, 15 * time.Second, 0},
		{"delay", crawl.Politeness{Patience: 10 * time.Second, Delay: 12 * time.Second}, 0, 0},
		{"a URL that never answers", crawl.Politeness{Patience: 30 * time.Second}, 0, 1},
		{"more of them", crawl.Politeness{Patience: 10 * time.Second}, 0, 3},
	} {
		t.Run(tc.name, func(t *testing.T) {
			web, hub, s := unlucky(tc.bad, pages, true)
			cfg := crawl.Config{Strategy: s, Robots: true, Polite: tc.polite, Traps: crawl.Traps{Budget: -1}}
			c := begin(t, cfg, hub)
			d := &driver{c: c, now: epoch}
			slow := &witness{web: web, clock: func() time.Time { return d.now }, log: map[string][]span{}}
			slow.change = func(_ time.Time, v crawl.Visit, p *dowse.Page) {
				if v.Kind == crawl.VisitRobots {
					p.Host.Robots.Delay = tc.delay
				}
			}
			for run := 1; run <= 2; run++ { // the first ends in the middle
				c.Resume(crawl.Limits{Pages: run * pages / 2 * run})
				c.Restarted(d.now)
				d.run(slow, 4)
				d.now = d.now.Add(time.Second)
			}
			c.Resume(crawl.Limits{})
			d.run(slow, 4)
			if got := c.Status().Fetched; got != pages+1 || c.Stopped() != dowse.StopExhausted {
				t.Errorf("stopped: %s, %d pages fetched, want %d; asked %s", c.Stopped(), got, pages+1, web.asked)
			}
		})
	}
}
