package crawl_test

import (
	"fmt"
	"testing"

	"dowse"
	"dowse/crawl"
	"dowse/strategy/strategytest"
)

// scarce returns a Ration that admits links by a rule that depends on how often it was asked, as that of a
// machine does: a replay must not need it.
func scarce() func(int) func(float64) bool {
	n := 0
	return func(int) func(float64) bool {
		if n++; n%3 == 0 {
			return nil // there is room at the moment
		}
		return func(promise float64) bool { n++; return n%2 == 0 && promise >= 0.2 }
	}
}

// TestLeftOutFolds leaves out links for want of memory. The crawl is the same to the last digit
// when its journal is folded without the rule by which they were left out, and from snapshots, whatever
// the strategy does.
func TestLeftOutFolds(t *testing.T) {
	for name, config := range foldable {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			with := config()
			with.Ration = scarce()
			cfg, j := journalled(t, dir, with)
			c := fresh(t, cfg)
			toy, seeds := strategytest.Random(200, 5)
			c.Start(epoch, seeds)
			d := &driver{c: c, now: epoch}
			web := &aging{withRobots: withRobots{toy}, d: d}
			var snapshot []byte
			d.pick = func(v crawl.Visit) {
				if snapshot == nil && cfg.Round == 0 && c.Status().LeftOut > 5 && v.Check {
					snapshot = snap(t, c, j)
				}
			}
			for run, pages := range []int{30, 60, 90} {
				c.Resume(crawl.Limits{Pages: pages})
				if _, err := c.Requeue(d.now, string(dowse.SkipMemory)); err != nil {
					t.Fatal(err)
				}
				d.run(web, 6)
				balanced(t, c)
				if err := j.Sync(); err != nil {
					t.Fatal(err)
				}
				c.Stop(dowse.StopSignal)
				sameFold(t, fmt.Sprintf("after run %d", run), c, dir, config(), nil)
			}
			if c.Status().LeftOut == 0 {
				t.Error("no link was left out")
			}
			if snapshot != nil {
				sameFold(t, "from a snapshot", c, dir, config(), snapshot)
			}
		})
	}
}

// TestLeftOutComesBack leaves out all links but those of the seed, and asks for their pages again when
// there is memory: then everything is visited. A page that has not changed counts as unchanged,
// and its links are followed all the same.
func TestLeftOutComesBack(t *testing.T) {
	room := false
	cfg := crawl.Config{Strategy: follow(queueAll), Ration: func(int) func(float64) bool {
		if room {
			return nil
		}
		return func(promise float64) bool { return promise > 0.5 }
	}}
	c := fresh(t, cfg)
	c.Start(epoch, []dowse.URL{"http://a.test/"})
	d := &driver{c: c, now: epoch}
	asked := 0
	web := visitFunc(func(v crawl.Visit) *dowse.Page {
		p := v.Page()
		p.Outcome = dowse.Fetched
		p.Links = []dowse.Link{{URL: v.URL + "x"}, {URL: v.URL + "y", Mention: dowse.Mention{Context: 1}}}
		if len(v.URL) > 17 {
			p.Links = nil
		}
		p.Verdict.Relevance = 0.1
		if v.Whole {
			asked++
			p.Reason = dowse.SkipUnchanged
		}
		return p
	})
	d.run(web, 2)
	st := c.Status()
	if st.Fetched != 5 || st.LeftOut != 4 || st.Books.Known != 5 {
		t.Errorf("%d pages, %d links left out, %d known; want 5, 4, 5", st.Fetched, st.LeftOut, st.Books.Known)
	}
	room = true
	c.Resume(crawl.Limits{})
	n, err := c.Requeue(d.now, "memory")
	if err != nil || n != 4 {
		t.Errorf("%d pages are asked again, %v, want 4", n, err)
	}
	d.run(web, 2)
	if st = c.Status(); asked != 4 || st.Fetched != 31 || st.LeftOut != 4 || st.Refresh.Unchanged != 4 || st.Refresh.Changed != 0 {
		t.Errorf("%d asked again, %+v; want 4 of them, unchanged, and 31 pages", asked, st)
	}
	if n, _ := c.Requeue(d.now, "memory"); n != 0 {
		t.Errorf("%d pages still lack links, want none", n)
	}
	balanced(t, c)
}
