package crawl_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/internal/frontier"
	"dowse/strategy/strategytest"
)

// A skewed clock shows another time than it is, from one moment to the next.
type skewed struct {
	visits
	d    *driver
	skew time.Duration
	at   int // visits until the clock is set
}

func (s *skewed) Visit(v crawl.Visit) (*dowse.Page, time.Duration) {
	if s.at--; s.at == 0 {
		s.d.now = s.d.now.Add(s.skew)
		for i := range s.d.out {
			s.d.out[i].at = s.d.out[i].at.Add(s.skew)
		}
	}
	return s.visits.Visit(v)
}

// TestClockSetBack sets the clock back in the middle of a crawl, by an hour or by years.
// The crawl must go on without waiting for the time to come again, keep its delays, and
// be rebuilt from its journal.
func TestClockSetBack(t *testing.T) {
	for _, round := range []int{0, 5} {
		for _, back := range []time.Duration{time.Hour, 10 * 365 * 24 * time.Hour} {
			t.Run(fmt.Sprintf("round=%d back=%v", round, back), func(t *testing.T) {
				config := func() crawl.Config {
					return crawl.Config{Strategy: follow(queueAll), Traps: crawl.Traps{Budget: -1}, Round: round}
				}
				dir := t.TempDir()
				cfg, j := journalled(t, dir, config())
				c := fresh(t, cfg)
				toy, seeds := strategytest.Random(120, 5)
				c.Start(epoch, seeds)
				d := &driver{c: c, now: epoch}
				d.run(&skewed{visits: withRobots{toy}, d: d, skew: -back, at: 40}, 6)
				if c.Stopped() != dowse.StopExhausted || c.Status().Fetched < 60 {
					t.Errorf("stopped: %q after %d pages", c.Stopped(), c.Status().Fetched)
				}
				if e := c.Status().Elapsed; e <= 0 || e > time.Hour {
					t.Errorf("%v at work", e)
				}
				if d.now.After(epoch.Add(-back / 2)) {
					t.Errorf("the crawl ended at %v: it waited for the clock", d.now)
				}
				if err := j.Sync(); err != nil {
					t.Fatal(err)
				}
				sameFold(t, "after the clock was set back", c, dir, config(), nil)
			})
		}
	}
}

// TestBegunInTheFuture begins a crawl ten years ahead and takes it up at the right time,
// from its journal and from a snapshot: hosts rest as long as they would have, and no
// longer.
func TestBegunInTheFuture(t *testing.T) {
	future := epoch.Add(10 * 365 * 24 * time.Hour)
	for _, fromSnapshot := range []bool{false, true} {
		dir := t.TempDir()
		cfg, j := journalled(t, dir, crawl.Config{Strategy: follow(queueAll), Traps: crawl.Traps{Budget: -1}})
		c := fresh(t, cfg)
		toy, seeds := strategytest.Random(120, 5)
		c.Start(future, seeds)
		(&driver{c: c, now: future}).launchAndLand(withRobots{toy}, 6, 60)
		before := c.Status().Fetched
		snapshot := snap(t, c, j)
		if err := j.Sync(); err != nil {
			t.Fatal(err)
		}
		j.Close()

		cfg, j = journalled(t, dir, crawl.Config{Strategy: follow(queueAll), Traps: crawl.Traps{Budget: -1}})
		again, from := fresh(t, cfg), uint64(0)
		if fromSnapshot {
			var err error
			if again, from, err = crawl.Restore(cfg, bytes.NewReader(snapshot)); err != nil {
				t.Fatal(err)
			}
		}
		if _, _, err := again.Fold(j, from, nil); err != nil {
			t.Fatal(err)
		}
		again.Resume(crawl.Limits{})
		again.Restarted(epoch)
		if _, when, ok := again.Next(epoch); ok || when.After(epoch.Add(time.Minute)) {
			t.Errorf("first visit: %v, at %v", ok, when)
		}
		d := &driver{c: again, now: epoch}
		d.run(withRobots{toy}, 6)
		if again.Stopped() != dowse.StopExhausted || again.Status().Fetched <= before || d.now.After(epoch.Add(time.Hour)) {
			t.Errorf("stopped: %q after %d pages (%d before), at %v", again.Stopped(), again.Status().Fetched, before, d.now)
		}
		if err := j.Sync(); err != nil {
			t.Fatal(err)
		}
		sameFold(t, "after the clock was right again", again, dir, crawl.Config{Strategy: follow(queueAll), Traps: crawl.Traps{Budget: -1}}, nil)
	}
}

// TestHostsRestAfterARestart takes up a crawl of which a visit was out that left no
// entry: its host is left alone for its delay, counted from the restart.
func TestHostsRestAfterARestart(t *testing.T) {
	dir := t.TempDir()
	config := func() crawl.Config { return crawl.Config{Strategy: follow(queueAll)} }
	cfg, j := journalled(t, dir, config())
	c := fresh(t, cfg)
	web, hub := manyPages("a.test", 20)
	c.Start(epoch, []dowse.URL{hub})
	d := &driver{c: c, now: epoch}
	d.launchAndLand(withRobots{web}, 1, 3) // robots.txt, hub, and a visit that is out
	if err := j.Sync(); err != nil {
		t.Fatal(err)
	}
	j.Close()
	killed := d.now.Add(time.Hour)

	cfg, j = journalled(t, dir, config())
	again := fresh(t, cfg)
	if _, _, err := again.Fold(j, 0, nil); err != nil {
		t.Fatal(err)
	}
	again.Resume(crawl.Limits{})
	again.Restarted(killed)
	delay := 30 * time.Millisecond // what robots.txt asks for
	if v, when, ok := again.Next(killed); ok || when.Before(killed.Add(delay)) {
		t.Fatalf("visit %s immediately, or after %v; want a rest of %v", v.URL, when.Sub(killed), delay)
	}
	(&driver{c: again, now: killed}).run(withRobots{web}, 1)
	if b := again.Books(); b.Queued != 0 || b.Fetched < 5 {
		t.Errorf("books %+v", b)
	}
	if err := j.Sync(); err != nil {
		t.Fatal(err)
	}
	sameFold(t, "after a restart", again, dir, config(), nil)
}

// TestImpossibleSnapshots restores snapshots with sound checksums of states that no crawl
// can have: each is refused, or goes on to its end.
func TestImpossibleSnapshots(t *testing.T) {
	for name, craft := range map[string]func(c *crawl.Crawl){
		"a visited URL in flight": func(c *crawl.Crawl) {
			for id := range frontier.ID(5) {
				c.Frontier().Take(id)
			}
		},
		"busy for ever": func(c *crawl.Crawl) {
			for range 100_000 {
				c.Frontier().Begin(1)
			}
		},
		"resting for a thousand years": func(c *crawl.Crawl) { c.Frontier().Rest(1, epoch.Add(200*365*24*time.Hour)) },
		"on a lane that is busy for ever": func(c *crawl.Crawl) {
			c.Frontier().Lane(1, "192.0.2.1")
			c.Frontier().Begin(1)
		},
		"more pages than URLs": func(c *crawl.Crawl) { crawl.CountPages(c, 1<<40) },
	} {
		t.Run(name, func(t *testing.T) {
			cfg, c, _ := halfway(t)
			craft(c)
			var b bytes.Buffer
			if err := saveTo(c, &b, 4711); err != nil {
				t.Fatal(err)
			}
			again, _, err := crawl.Restore(cfg, bytes.NewReader(b.Bytes()))
			if err != nil {
				return
			}
			web, _ := strategytest.Random(100, 4)
			again.Resume(crawl.Limits{Pages: 1000})
			d := &driver{c: again, now: epoch.Add(time.Hour)}
			d.run(withRobots{web}, 6)
			if books := again.Books(); books.InFlight+books.Queued != 0 || again.Stopped() != dowse.StopExhausted || d.now.After(epoch.Add(24*time.Hour)) {
				t.Errorf("books %+v, stopped: %q, at %v", books, again.Stopped(), d.now)
			}
		})
	}
}

// TestArchiveOrderIsNotTime keeps answers in a second archive file, begun when the clock
// was right again: it comes after the first one, whatever the times in their names.
func TestArchiveOrderIsNotTime(t *testing.T) {
	c := begin(t, hurried(follow(queueAll)), "a", "b", "c", "d")
	for i, place := range []dowse.Place{
		{File: "TIDES-20360101000000000-00001-host.warc.gz", Offset: 900},
		{File: "TIDES-20260101000000000-00002-host.warc.gz", Offset: 100},
		{File: "TIDES-20260101000000000-00002-host.warc.gz", Offset: 300},
		{File: "TIDES-20250101000000000-99999-host.warc.gz", Offset: 5},
	} {
		v, _, ok := c.Next(epoch)
		if !ok {
			t.Fatal("no visit")
		}
		p := v.Page()
		p.Fetch.Archive = place
		c.Absorb(epoch, p)
		if got := c.LastArchived(); got != place {
			t.Errorf("after %d answers the last is %+v, want %+v", i+1, got, place)
		}
	}
}
