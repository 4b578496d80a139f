package crawl_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"testing"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/internal/ledger"
	"dowse/strategy"
	"dowse/strategy/strategytest"
	"dowse/weburl"
)

// TestLateScope excludes URLs of a crawl that goes on, takes that back, narrows the reach, and has all decided again
// in between, with all strategies: no excluded URL is visited while it is excluded, what waits and
// matches leaves the queue, and the journal gives the same crawl at each stop.
func TestLateScope(t *testing.T) {
	odd := crawl.Scope{Exclude: []*regexp.Regexp{regexp.MustCompile(`[13579]$`)}}
	host := crawl.Scope{Block: map[string]bool{"h2.test": true}}
	isOdd := func(u dowse.URL) bool { return odd.Exclude[0].MatchString(string(u)) }
	isHost := func(u dowse.URL) bool { return len(u) > 14 && u[:14] == "http://h2.test" }
	excluded, beyond := 0, 0
	for name, config := range rulable() {
		t.Run(name, func(t *testing.T) {
			config = renewable(config)
			dir := t.TempDir()
			cfg, j := journalled(t, dir, config())
			c := fresh(t, cfg)
			toy, seeds := strategytest.Random(300, 5)
			c.Start(epoch, seeds)
			d := &driver{c: c, now: epoch}
			rng := rand.New(rand.NewPCG(1, 2))
			var snapshot []byte
			near := crawl.Scope{Reach: crawl.ReachHost, Homes: seeds[:1], Include: []*regexp.Regexp{regexp.MustCompile(`^http`)}}
			isFar := func(u dowse.URL) bool { return weburl.Host(u) != weburl.Host(seeds[0]) }
			for run, late := range []crawl.Scope{{}, odd, odd, host, near, {}} {
				var barred func(dowse.URL) bool
				switch {
				case late.Exclude != nil:
					barred = isOdd
				case late.Block != nil:
					barred = isHost
				case late.Reach != "":
					barred = isFar
				}
				d.pick = func(v crawl.Visit) {
					if barred != nil && v.Kind == crawl.VisitPage && barred(v.URL) {
						t.Errorf("run %d: %s is visited", run, v.URL)
					}
				}
				limits := crawl.Limits{Pages: 15 * (run + 1)}
				c.Resume(limits)
				if run > 0 {
					with := cfg
					with.Limits, with.Late = limits, late
					c.Set(d.now, with, false, fmt.Sprint("set ", run))
				}
				if run == 2 && !c.MidRound() {
					rerank(t, c, d.now, "m", otherRulings(t, j, rng))
				}
				d.run(weighed{withRobots{toy}, 1000}, 6)
				d.now = d.now.Add(time.Hour)
				balanced(t, c)
				if err := j.Sync(); err != nil {
					t.Fatal(err)
				}
				c.Stop(dowse.StopSignal)
				after := config()
				after.Late = late
				sameFold(t, fmt.Sprint("after run ", run), c, dir, after, nil)
				if _, saves := cfg.Strategy.(dowse.Saver); saves && run == 4 && snapshot != nil {
					sameFold(t, "from a snapshot", c, dir, after, snapshot)
				}
				if run == 3 && !c.MidRound() {
					snapshot = snap(t, c, j)
				}
				for u := range toy {
					if barred != nil && barred(u) && c.Reason(u) == dowse.SkipScopeExclude {
						excluded++
					}
					if barred != nil && c.Reason(u) == dowse.SkipScopeHost {
						beyond++
					}
				}
			}
		})
	}
	if excluded == 0 || beyond == 0 {
		t.Errorf("%d URLs were taken out of the queue by patterns, %d by the reach", excluded, beyond)
	}
}

// TestLateScopeIsBounded narrows the reach of a crawl with many waiting URLs. No page is followed again, the change
// itself is one entry of the journal, and no call of Next takes out more than a bounded number of URLs.
func TestLateScopeIsBounded(t *testing.T) {
	for _, urls := range []int{3_000, 12_000} {
		follows := 0
		entries := &counted{Log: ledger.NewMemory()}
		s := countedStrategy{strategy.BreadthFirst{}, &follows}
		c := fresh(t, crawl.Config{Strategy: s, Log: entries})
		seeds := waitingOn(t, c, urls)
		waited := c.Frontier().Count(dowse.Waiting)
		if waited < urls-10 {
			t.Fatalf("%d URLs wait, want %d", waited, urls)
		}
		follows, entries.n = 0, 0
		c.Set(epoch, crawl.Config{Late: crawl.Scope{Reach: crawl.ReachHost, Homes: seeds}}, false, "narrower")
		if follows != 0 || entries.n != 1 || c.Frontier().Count(dowse.Waiting) != waited {
			t.Errorf("%d URLs: the change made %d calls of Follow and %d entries, and left %d of %d URLs waiting", urls, follows, entries.n, c.Frontier().Count(dowse.Waiting), waited)
		}
		calls := 0
		for ; c.Frontier().Count(dowse.Waiting) > 0 && calls < 1000; calls++ {
			before := entries.n
			c.Next(epoch)
			if made := entries.n - before; made > 600 {
				t.Fatalf("%d URLs: one call of Next made %d entries", urls, made)
			}
		}
		if c.Frontier().Count(dowse.Waiting) > 0 {
			t.Errorf("%d URLs: %d still wait after %d calls of Next", urls, c.Frontier().Count(dowse.Waiting), calls)
		}
	}
}

// counted counts the entries of a log.
type counted struct {
	crawl.Log
	n int
}

func (l *counted) Record(e *crawl.Entry) uint64 {
	l.n++
	return l.Log.Record(e)
}

// countedStrategy counts the calls of Follow.
type countedStrategy struct {
	dowse.Strategy
	n *int
}

func (s countedStrategy) Follow(p *dowse.Page) []dowse.Lead {
	*s.n++
	return s.Strategy.Follow(p)
}

// waitingOn has a crawl visit its only seed, which links to a number of URLs on other hosts, and returns the seed.
func waitingOn(t testing.TB, c *crawl.Crawl, urls int) []dowse.URL {
	t.Helper()
	seeds := []dowse.URL{"http://a.test/"}
	c.Start(epoch, seeds)
	v, _, ok := c.Next(epoch)
	if !ok {
		t.Fatal("no visit")
	}
	p := dowse.Page{URL: v.URL, Lead: v.Lead, Outcome: dowse.Fetched, Verdict: dowse.Verdict{Relevance: 1}}
	p.Fetch.Status = 200
	for i := range urls {
		p.Links = append(p.Links, dowse.Link{URL: dowse.URL(fmt.Sprintf("http://h%d.test/%d", i%7, i))})
	}
	c.Absorb(epoch, &p)
	return seeds
}

// BenchmarkNarrow narrows the reach of a crawl with a million waiting URLs, calls Next once, and takes the change back.
func BenchmarkNarrow(b *testing.B) {
	c := fresh(b, crawl.Config{Strategy: strategy.BreadthFirst{}})
	seeds := waitingOn(b, c, 1_000_000)
	var narrow, next, back time.Duration
	n := 0
	for b.Loop() {
		n++
		began := time.Now()
		c.Set(epoch, crawl.Config{Late: crawl.Scope{Reach: crawl.ReachHost, Homes: seeds}}, false, "narrower")
		narrow += time.Since(began)
		began = time.Now()
		c.Next(epoch)
		next += time.Since(began)
		began = time.Now()
		c.Set(epoch, crawl.Config{}, false, "wider")
		back += time.Since(began)
	}
	for name, d := range map[string]time.Duration{"ms/narrow": narrow, "ms/next": next, "ms/back": back} {
		b.ReportMetric(float64(d.Microseconds())/1000/float64(n), name)
	}
}
