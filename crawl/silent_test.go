package crawl_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/strategy/strategytest"
	"dowse/weburl"
)

// A tarpit is a web in which some hosts accept and never answer: a visit to them ends
// after a timeout, or when the crawl's patience does. It counts how many are out at once.
type tarpit struct {
	visits
	tries map[string]int
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
	return p, min(tarpitTimeout, cmp.Or(v.Patience, tarpitTimeout))
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
		{"stream", crawl.Politeness{}, 0, true, 2 * time.Minute},
		{"without robots.txt", crawl.Politeness{}, 0, false, 2 * time.Minute},
		{"hold", crawl.Politeness{Hold: 0.3}, 0, true, 2 * time.Minute},
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
			w := &tarpit{visits: web, tries: map[string]int{}}
			workers := cmp.Or(tc.polite.InFlight, 64)
			asked := map[string]int{}
			last := map[string]time.Time{}
			d.pick = func(v crawl.Visit) {
				if h := weburl.Host(v.URL); strings.HasPrefix(h, "good") {
					asked[h]++
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
			b, waiting, why := c.Books(), silent, dowse.StopStarved
			if !tc.robots { // nothing but the URL itself can be asked for, so it is to blame
				waiting, why = 0, dowse.StopExhausted
			}
			if b.Fetched != good*(pages+1) || b.Queued != waiting || b.Failed != silent-waiting || c.Stopped() != why {
				t.Errorf("stopped: %s, %+v; want %s with the good sites whole", c.Stopped(), b, why)
			}
			for i := range silent {
				if n := w.tries[fmt.Sprintf("silent%d.test", i)]; n < 3 {
					t.Fatalf("silent%d.test was tried %d times, want at least 3", i, n)
				}
			}
		})
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
	(&driver{c: c, now: epoch}).run(&tarpit{visits: sluggish{web}, tries: map[string]int{}}, 16)
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
	(&driver{c: c, now: epoch}).run(&tarpit{visits: withRobots{toy}, tries: map[string]int{}}, 6)
	if err := j.Sync(); err != nil {
		t.Fatal(err)
	}
	sameFold(t, "with silent hosts", c, dir, config(), nil)
}
