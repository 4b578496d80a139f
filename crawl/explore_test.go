package crawl_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"dowse"
	"dowse/crawl"
	"dowse/lab"
	"dowse/strategy"
	"dowse/strategy/strategytest"
)

// TestExplore counts how often a crawl of one worker takes another lead than the best,
// in a stream and in rounds. The same key gives the same visits, another others.
func TestExplore(t *testing.T) {
	visits := func(explore float64, round int, key uint64) (list []dowse.URL) {
		web, seeds := strategytest.Random(1500, 3)
		c := begin(t, crawl.Config{
			Strategy: &strategy.LinkContext{}, Explore: explore, Key: key, Round: round, Limits: crawl.Limits{Pages: 300},
			Polite: crawl.Politeness{Delay: crawl.None}, Traps: crawl.Traps{Budget: -1},
		}, seeds...)
		sim := lab.Simulation{Crawl: c, Web: web, Each: func(_ time.Time, p *dowse.Page) bool {
			list = append(list, p.URL)
			return true
		}}
		sim.Run()
		if b := c.Books(); !b.Balanced() {
			t.Errorf("%+v", b)
		}
		return list
	}
	for _, round := range []int{0, 10} {
		if cmp.Equal(visits(0, round, 1), visits(0.2, round, 1)) {
			t.Errorf("rounds of %d: a share of 0.2 changes nothing", round)
		}
		if diff := cmp.Diff(visits(0.2, round, 1), visits(0.2, round, 1)); diff != "" {
			t.Errorf("rounds of %d: the same key gives another crawl:\n%s", round, diff)
		}
		if cmp.Equal(visits(0.2, round, 1), visits(0.2, round, 2)) {
			t.Errorf("rounds of %d: another key gives the same crawl", round)
		}
	}
}

// TestExploreShare looks at each pick of a crawl of one worker: about one in five is
// not the best lead, and none without exploring.
func TestExploreShare(t *testing.T) {
	for _, explore := range []float64{0, 0.2} {
		web, seeds := strategytest.Random(3000, 8)
		c := begin(t, crawl.Config{
			Strategy: &strategy.LinkContext{}, Explore: explore, Key: 77,
			Polite: crawl.Politeness{Delay: crawl.None}, Traps: crawl.Traps{Budget: -1},
		}, seeds...)
		now, other := epoch, 0
		const picks = 500
		for range picks {
			best, _ := c.Frontier().Peek()
			v, _, ok := c.Next(now)
			if !ok {
				t.Fatal(c.Stopped())
			}
			if v.URL != c.Frontier().URL(best) {
				other++
			}
			p, _ := web.Visit(v)
			c.Absorb(now, p)
			now = now.Add(time.Millisecond)
		}
		if explore == 0 && other > 0 || explore > 0 && (other < picks/8 || other > picks*11/40) {
			t.Errorf("explore %v: %d of %d picks were not the best", explore, other, picks)
		}
	}
}
