package crawl_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/internal/frontier"
	"dowse/strategy/strategytest"
)

// TestThresholdFromNowOn changes the threshold in the midst of a crawl, with visits out, and lets models rule
// in between. All counts are those of the new threshold at every moment; the journal, folded from its
// beginning or from a snapshot, gives the same state to the last digit.
func TestThresholdFromNowOn(t *testing.T) {
	for name, config := range rulable() {
		t.Run(name, func(t *testing.T) {
			with := renewable(config)
			again := func() crawl.Config { // as the collection is loaded later
				cfg := with()
				cfg.ThresholdFrom = 1
				return cfg
			}
			dir := t.TempDir()
			cfg, j := journalled(t, dir, with())
			c := fresh(t, cfg)
			toy, seeds := strategytest.Random(200, 5)
			c.Start(epoch, seeds)
			d := &driver{c: c, now: epoch}
			rng := rand.New(rand.NewPCG(1, 2))
			changes, sides := 0, 0
			d.pick = func(crawl.Visit) {
				if n := c.Status().Fetched; c.MidRound() || n < 7*(changes+1) {
					return
				}
				changes++
				n, err := setThreshold(c, d.now, []float64{0.3, 0.8, 0.5}[changes%3])
				if err != nil {
					t.Fatal(err)
				}
				sides += n
				sameSides(t, c)
				if changes%4 == 3 {
					rerank(t, c, d.now, fmt.Sprint("m", changes), otherRulings(t, j, rng))
					sameSides(t, c)
				}
			}
			for _, pages := range []int{15, 40, 80} {
				c.Resume(crawl.Limits{Pages: pages, Depth: 30, Tunnel: 2})
				d.run(weighed{withRobots{toy}, 1000}, 6)
				d.now = d.now.Add(time.Hour)
				if err := j.Sync(); err != nil {
					t.Fatal(err)
				}
				c.Stop(dowse.StopSignal)
				sameSides(t, c)
				sameFold(t, fmt.Sprintf("after %d pages", c.Status().Fetched), c, dir, again(), nil)
				if !c.MidRound() {
					sameFold(t, "from a snapshot", c, dir, again(), snap(t, c, j))
				}
			}
			if c.Status().Fetched > 30 && cfg.Round == 0 && (changes < 3 || sides == 0) {
				t.Errorf("%d changes, %d pages changed sides", changes, sides)
			}
		})
	}
}

// setThreshold changes the threshold of a crawl, and nothing else.
func setThreshold(c *crawl.Crawl, now time.Time, threshold float64) (sides int, err error) {
	with := c.Settable()
	with.Threshold = threshold
	return c.Set(now, with, false, "threshold")
}

// sameSides compares what is counted with the ratings of the pages.
func sameSides(t *testing.T, c *crawl.Crawl) {
	t.Helper()
	f, on := c.Frontier(), 0
	for id := range frontier.ID(f.Len()) {
		v, ok := f.Visit(id)
		if !ok || f.State(id) == dowse.Dead {
			continue
		}
		if v.OnTopic != (v.Relevance >= c.Threshold()) {
			t.Errorf("%s: relevance %g, threshold %g, on topic: %v", f.URL(id), v.Relevance, c.Threshold(), v.OnTopic)
		}
		if v.OnTopic {
			on++
		}
	}
	if dowse.TraitsOf(c.Strategy()).Revisits { // pages count as at their first visit
		return
	}
	if st := c.Status(); st.Fetched <= 200 && on == st.OnTopic && math.Abs(st.Window-st.Harvest) > 1e-9 {
		t.Errorf("%g of the last 200 pages are on topic, and %g of all %d", st.Window, st.Harvest, st.Fetched)
	}
	hosts := 0
	for i := range f.Hosts() {
		hosts += c.Host(i).OnTopic
	}
	if got := c.Status().OnTopic; got != on || hosts != on {
		t.Errorf("%d pages on topic are counted, %d of hosts, %d have the relevance", got, hosts, on)
	}
}

// TestThresholdBringsLinksBack lowers the threshold of a crawl that follows no link of a page off topic. The links of the
// pages that are on topic now wait.
func TestThresholdBringsLinksBack(t *testing.T) {
	dir := t.TempDir()
	cfg, j := journalled(t, dir, foldable["leads rated again"]())
	cfg.Threshold = 2 // nothing is on topic
	c := fresh(t, cfg)
	toy, seeds := strategytest.Random(200, 5)
	c.Start(epoch, seeds)
	c.Resume(crawl.Limits{Tunnel: -1})
	d := &driver{c: c, now: epoch}
	d.run(toy, 1)
	left := c.Status().Books.Skipped
	if left == 0 {
		t.Fatal("no link was left out")
	}
	if _, err := setThreshold(c, d.now, 0.001); err != nil {
		t.Fatal(err)
	}
	if got := c.Status().Books; got.Queued == 0 || got.Skipped >= left {
		t.Errorf("of %d links that were left out, %d wait and %d are left out", left, got.Queued, got.Skipped)
	}
	if err := j.Sync(); err != nil {
		t.Fatal(err)
	}
}
