package crawl_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"dowse"
	"dowse/crawl"
)

// badLine resets a share of all visits, by chance.
func badLine(share float64) func(time.Time, crawl.Visit, *dowse.Page) {
	dice := rand.New(rand.NewPCG(1, 2))
	return func(now time.Time, v crawl.Visit, p *dowse.Page) {
		if dice.Float64() < share {
			(&fault{to: 1000 * time.Hour, fail: resets}).change(now, v, p)
		}
	}
}

// TestBadLineCostsNoPage crawls over a line that resets three connections in ten. Some URLs
// fail at all of their tries; they get a second chance, and no page is lost, however many
// connections a host may have.
func TestBadLineCostsNoPage(t *testing.T) {
	const hosts, pages = 40, 60
	for _, tc := range []struct{ round, conns int }{{0, 1}, {50, 1}, {0, 4}, {50, 4}} {
		round := tc.round
		web, seeds := manyHosts(hosts, pages)
		failed := map[dowse.URL]bool{}
		s := follow(func(p *dowse.Page) leads {
			if p.Outcome == dowse.Failed {
				failed[p.URL] = true
			}
			return queueAll(p)
		})
		cfg := crawl.Config{Strategy: s, Robots: true, Round: round, Traps: crawl.Traps{Budget: -1}}
		cfg.Polite.Conns = tc.conns
		c, _ := simulate(t, cfg, web, 16, badLine(0.3), seeds...)
		if b := c.Books(); b.Fetched != hosts*(pages+1) || b.Failed > 0 || c.Stopped() != dowse.StopExhausted {
			t.Errorf("rounds of %d: stopped: %s, books %+v", round, c.Stopped(), b)
		}
		for i := range c.Frontier().Hosts() {
			if h := c.Host(i); h.Failed != 0 {
				t.Errorf("rounds of %d: %s counts %d failed URLs, want none", round, h.Name, h.Failed)
			}
		}
		if len(failed) == 0 {
			t.Errorf("rounds of %d: no URL needed a second chance", round)
		}
		balanced(t, c)
	}
}

// poisoned returns a web with a few URLs that break every connection, and counts visits to
// them.
func poisoned(pages, bad int) (web toy, seeds []dowse.URL, change func(time.Time, crawl.Visit, *dowse.Page), visits map[dowse.URL]int) {
	web, hub := manyPages("a.test", pages)
	visits = map[dowse.URL]int{}
	seeds = []dowse.URL{hub}
	isBad := map[dowse.URL]bool{}
	for i := range bad {
		u := hub + dowse.URL(fmt.Sprintf("bad%d", i))
		web[u], isBad[u] = page{}, true
		p := web[hub]
		p.Links = append(p.Links, to(u)...)
		web[hub] = p
	}
	return web, seeds, func(_ time.Time, v crawl.Visit, p *dowse.Page) {
		if isBad[v.URL] {
			visits[v.URL]++
			*p = dowse.Page{URL: p.URL, Outcome: dowse.Temporary}
			resets(p)
		}
	}, visits
}

// TestChancesAreSpent rebuilds a crawl from its journal and from a snapshot in the middle of
// the second chances and after them: the rebuilt crawl gives no URL more than is left.
func TestChancesAreSpent(t *testing.T) {
	web, seeds, change, visits := poisoned(10, 2)
	dir := t.TempDir()
	config := func() crawl.Config {
		return crawl.Config{Strategy: follow(queueAll), Robots: true, Traps: crawl.Traps{Budget: -1}}
	}
	cfg, j := journalled(t, dir, config())
	c := fresh(t, cfg)
	c.Start(epoch, seeds)
	d := &driver{c: c, now: epoch}
	var middle []byte
	d.pick = func(v crawl.Visit) {
		if middle == nil && visits[seeds[0]+"bad0"] == 5 {
			middle = snap(t, c, j)
		}
	}
	d.run(&witness{web: web, log: map[string][]span{}, clock: func() time.Time { return d.now }, change: change}, 2)
	if err := j.Sync(); err != nil {
		t.Fatal(err)
	}
	if middle == nil || c.Books().Failed != 2 || c.Stopped() != dowse.StopExhausted {
		t.Fatalf("stopped: %s, books %+v", c.Stopped(), c.Books())
	}
	sameFold(t, "from the beginning", c, dir, config(), nil)
	sameFold(t, "from the middle", c, dir, config(), middle)
	sameFold(t, "from the end", c, dir, config(), snap(t, c, j))
	for name, from := range map[string][]byte{"journal": nil, "middle": middle, "end": snap(t, c, j)} {
		twin := reopen(t, dir, config(), from)
		twin.Resume(crawl.Limits{})
		if v, when, ok := twin.Next(d.now.Add(time.Hour)); ok || !when.IsZero() || twin.Stopped() != dowse.StopExhausted {
			t.Errorf("%s: after its end it visits %q, at %v; stopped: %s", name, v.URL, when, twin.Stopped())
		}
	}
}

// TestManyFailedURLsGetNoChance has a host break the connection for more URLs than bad luck
// explains: these are settled after their tries.
func TestManyFailedURLsGetNoChance(t *testing.T) {
	for _, tc := range []struct{ bad, chances int }{{16, 2}, {17, 0}} {
		web, seeds, change, _ := poisoned(40, tc.bad)
		chances := 0
		cfg := crawl.Config{Strategy: follow(queueAll), Robots: true, Traps: crawl.Traps{Budget: -1}}
		cfg.Polite.Patience = 24 * time.Hour
		cfg.OnEntry = func(e *crawl.Entry) {
			if e.Kind == crawl.EntryRequeue {
				chances++
			}
		}
		c, _ := simulate(t, cfg, web, 2, change, seeds...)
		if b := c.Books(); b.Failed != tc.bad || chances != tc.chances || c.Stopped() != dowse.StopExhausted {
			t.Errorf("stopped: %s, books %+v, %d chances; want %d URLs failed after %d", c.Stopped(), b, chances, tc.bad, tc.chances)
		}
	}
}

// reopen rebuilds a crawl from a snapshot, nil for none, and the journal.
func reopen(t *testing.T, dir string, cfg crawl.Config, snapshot []byte) *crawl.Crawl {
	t.Helper()
	cfg, j := journalled(t, dir, cfg)
	c, from := (*crawl.Crawl)(nil), uint64(0)
	if snapshot == nil {
		c = fresh(t, cfg)
	} else {
		var err error
		if c, from, err = crawl.Restore(cfg, bytes.NewReader(snapshot)); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := c.Fold(j, from, nil); err != nil {
		t.Fatal(err)
	}
	return c
}
