package crawl_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/weburl"
)

// TestURLsThatBreakStepBack gives a host a few URLs that rank first and break every
// connection. After two breaks each they come after all other URLs of the host, and in the
// end they alone have failed.
func TestURLsThatBreakStepBack(t *testing.T) {
	const pages = 20
	for _, bad := range []int{1, 2, 5} {
		for _, robots := range []bool{true, false} {
			t.Run(fmt.Sprintf("%d, robots.txt %v", bad, robots), func(t *testing.T) {
				web, hub := manyPages("a.test", pages)
				seeds := []dowse.URL{hub} // seeds rank before links
				breaks := map[dowse.URL]bool{}
				for i := range bad {
					u := hub + dowse.URL(fmt.Sprintf("bad%d", i))
					web[u], breaks[u] = page{}, true
					seeds = append(seeds, u)
				}
				fetched, early := 0, map[dowse.URL]int{}
				cfg := crawl.Config{Strategy: follow(queueAll), Robots: robots, Traps: crawl.Traps{Budget: -1}}
				c, _ := simulate(t, cfg, web, 4, func(_ time.Time, v crawl.Visit, p *dowse.Page) {
					switch {
					case breaks[v.URL]:
						*p = dowse.Page{URL: p.URL, Outcome: dowse.Temporary}
						resets(p)
						if fetched <= pages {
							early[v.URL]++
						}
					case v.Kind == crawl.VisitPage:
						fetched++
					}
				}, seeds...)
				for u, n := range early {
					if n > 2 {
						t.Errorf("%s was visited %d times before the other pages, want 2 at most", u, n)
					}
				}
				if got := c.Status().Fetched; got != pages+1 {
					t.Errorf("%d pages fetched, want %d", got, pages+1)
				}
				if b := c.Books(); robots && (b.Failed != bad || c.Stopped() != dowse.StopExhausted) {
					t.Errorf("stopped: %s, books %+v; want %d URLs failed", c.Stopped(), b, bad)
				}
				balanced(t, c)
			})
		}
	}
}

// unlucky makes a host whose home page links to URLs that break every connection, or never
// answer, and to pages that are good. The bad URLs rank first.
func unlucky(bad, good int, silent bool) (web *flawed, hub dowse.URL, s dowse.Strategy) {
	pages, hub := manyPages("a.test", good)
	home := pages[hub]
	for i := range bad {
		u := hub + dowse.URL(fmt.Sprintf("bad%d", i))
		home.Links = append(home.Links, to(u)...)
		pages[u] = page{}
	}
	pages[hub] = home
	s = follow(func(p *dowse.Page) (list leads) {
		for _, l := range queueAll(p) {
			if isBad(l.URL) {
				l.Priority = 0.9
			}
			list = append(list, l)
		}
		return list
	})
	return &flawed{toy: pages, silent: silent}, hub, s
}

func isBad(u dowse.URL) bool { return strings.HasPrefix(weburl.Path(u), "/bad") }

// A flawed web has URLs that break every connection, or never answer.
type flawed struct {
	toy
	silent bool
	asked  []dowse.URL
}

func (w *flawed) Visit(v crawl.Visit) (*dowse.Page, time.Duration) {
	w.asked = append(w.asked, v.URL)
	p, took := w.toy.Visit(v)
	if !isBad(v.URL) {
		return p, min(took, 50*time.Millisecond)
	}
	*p = dowse.Page{URL: p.URL, Outcome: dowse.Temporary}
	if resets(p); w.silent {
		p.Reason = dowse.FailTimeout
		return p, tarpitTimeout
	}
	return p, time.Millisecond
}

// TestBadURLsDoNotBlockAHost has URLs that rank first and fail on a host that answers: the
// crawl finds out that they are to blame, and fetches all others.
func TestBadURLsDoNotBlockAHost(t *testing.T) {
	const good = 20
	for _, tc := range []struct {
		name   string
		bad    int
		silent bool
		robots bool
		conns  int
	}{
		{"resets", 12, false, true, 1},
		{"resets without robots.txt", 12, false, false, 1},
		{"resets at several connections", 12, false, true, 4},
		{"many resets", 100, false, true, 1},
		{"silence", 6, true, true, 1},
		{"silence without robots.txt", 6, true, false, 1},
		{"silence at several connections", 12, true, true, 4},
	} {
		t.Run(tc.name, func(t *testing.T) {
			web, hub, s := unlucky(tc.bad, good, tc.silent)
			cfg := crawl.Config{Strategy: s, Robots: tc.robots, Traps: crawl.Traps{Budget: -1}, Polite: crawl.Politeness{Conns: tc.conns}}
			c := begin(t, cfg, hub)
			(&driver{c: c, now: epoch}).run(web, 8)
			if got := c.Status().Fetched; got != good+1 {
				t.Errorf("stopped: %s, %d pages fetched, want %d; asked %s", c.Stopped(), got, good+1, web.asked)
			}
			balanced(t, c)
		})
	}
}

// TestADeadHostIsNotAskedForever has a host whose robots.txt alone answers: it is given up
// like one that does not answer at all.
func TestADeadHostIsNotAskedForever(t *testing.T) {
	web, hub, s := unlucky(500, 0, false)
	c := begin(t, crawl.Config{Strategy: s, Robots: true}, hub)
	(&driver{c: c, now: epoch}).run(web, 8)
	if n := len(web.asked); c.Stopped() != dowse.StopStarved || n > 60 {
		t.Errorf("stopped: %s after %d requests, want it starved after 60 at most", c.Stopped(), n)
	}
}

// TestBadURLsStepBackInTheNextRun ends a crawl while URLs fail that rank first, and takes it
// up again, from its journal and from a snapshot: the others come first then.
func TestBadURLsStepBackInTheNextRun(t *testing.T) {
	for _, from := range []string{"memory", "snapshot", "journal"} {
		t.Run(from, func(t *testing.T) {
			dir := t.TempDir()
			web, hub, s := unlucky(2, 5, false)
			config := func() (crawl.Config, *crawl.Journal) {
				return journalled(t, dir, crawl.Config{Strategy: s, Traps: crawl.Traps{Budget: -1}})
			}
			cfg, j := config()
			c := fresh(t, cfg)
			c.Start(epoch, []dowse.URL{hub})
			d := &driver{c: c, now: epoch}
			d.pick = func(v crawl.Visit) {
				if slices.Contains(web.asked, hub+"bad0") && slices.Contains(web.asked, hub+"bad1") {
					c.Stop(dowse.StopTime)
				}
			}
			d.run(web, 1)
			if err := j.Sync(); err != nil {
				t.Fatal(err)
			}
			switch from {
			case "snapshot":
				kept := snap(t, c, j)
				j.Close()
				cfg, j = config()
				twin, at, err := crawl.Restore(cfg, bytes.NewReader(kept))
				if err != nil {
					t.Fatal(err)
				}
				if _, _, err := twin.Fold(j, at, nil); err != nil {
					t.Fatal(err)
				}
				c = twin
			case "journal":
				j.Close()
				cfg, j = config()
				c = fresh(t, cfg)
				if _, _, err := c.Fold(j, 0, nil); err != nil {
					t.Fatal(err)
				}
			}
			if len(web.asked) > 7 {
				t.Fatalf("the first run asked for %s", web.asked)
			}
			web.asked = nil
			c.Resume(crawl.Limits{})
			d = &driver{c: c, now: d.now.Add(time.Hour)}
			d.run(web, 1)
			first := slices.IndexFunc(web.asked, isBad)
			if got := c.Status().Fetched; got != 6 || first < 3 {
				t.Errorf("%d pages fetched, want 6; the second run asked for %s", got, web.asked)
			}
		})
	}
}

// TestBadURLsCostLittleTime crawls a small site of which some URLs break every connection.
// A visit to a page takes a second, for the delay of the host. What the bad URLs cost beyond
// that is bounded for each of them, wherever they rank.
func TestBadURLsCostLittleTime(t *testing.T) {
	const bad, good = 12, 40
	for _, tc := range []struct {
		name   string
		robots bool
		conns  int
		whole  time.Duration // until the last good page
		end    time.Duration
	}{
		{"with robots.txt", true, 1, 90 * time.Second, 200 * time.Second},
		{"without robots.txt", false, 1, 90 * time.Second, 200 * time.Second},
		{"at several connections", true, 4, 90 * time.Second, 200 * time.Second},
	} {
		t.Run(tc.name, func(t *testing.T) {
			web, hub, s := unlucky(bad, good, false)
			c := begin(t, crawl.Config{Strategy: s, Robots: tc.robots, Polite: crawl.Politeness{Conns: tc.conns}}, hub)
			d := &driver{c: c, now: epoch}
			var whole time.Duration
			d.pick = func(crawl.Visit) {
				if whole == 0 && c.Status().Fetched == good+1 {
					whole = d.now.Sub(epoch)
				}
			}
			d.run(web, 8)
			t.Logf("all good pages after %v, the end after %v and %d requests", whole, d.now.Sub(epoch), len(web.asked))
			if b := c.Books(); b.Fetched != good+1 || b.Failed+b.Queued != bad || tc.robots && b.Failed != bad {
				t.Errorf("stopped: %s, books %+v; want %d pages and %d URLs failed", c.Stopped(), b, good+1, bad)
			}
			if whole == 0 || whole > tc.whole {
				t.Errorf("all good pages were fetched after %v, want %v at most", whole, tc.whole)
			}
			if end := d.now.Sub(epoch); end > tc.end {
				t.Errorf("the crawl ended after %v, want %v at most", end, tc.end)
			}
			balanced(t, c)
		})
	}
}
