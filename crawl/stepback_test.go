package crawl_test

import (
	"fmt"
	"testing"
	"time"

	"dowse"
	"dowse/crawl"
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
