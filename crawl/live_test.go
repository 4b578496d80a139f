package crawl_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"dowse"
	"dowse/crawl"
	"dowse/lab"
	"dowse/strategy/strategytest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// inVirtualTime runs a test in a bubble whose clock begins at epoch. Goroutines of the bubble
// that sleep or wait for a timer take no time.
func inVirtualTime(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(epoch))
		test(t)
	})
}

// toyVisitor makes visits to a toy web from many goroutines.
type toyVisitor struct {
	mu   sync.Mutex
	web  visits
	keep func(p *dowse.Page) error
	gate func(ctx context.Context, v crawl.Visit) // runs before each visit; nil for none
}

func (v *toyVisitor) Visit(ctx context.Context, visit crawl.Visit) crawl.Arrival {
	if v.gate != nil {
		v.gate(ctx, visit)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	p, _ := v.web.Visit(visit)
	a := crawl.Arrival{Page: p}
	if v.keep != nil {
		a.Keep = func() error { return v.keep(p) }
	}
	return a
}

// noting is a strategy that keeps the URLs of the pages it was called with.
type noting struct {
	follow
	urls []dowse.URL
}

func (h *noting) Follow(p *dowse.Page) []dowse.Lead {
	h.urls = append(h.urls, p.URL)
	return h.follow(p)
}

func live(t *testing.T, s dowse.Strategy, web visits, workers int, seeds ...dowse.URL) *crawl.Live {
	cfg := hurried(s)
	cfg.Polite.InFlight, cfg.Polite.Conns = workers, workers
	return &crawl.Live{Crawl: begin(t, cfg, seeds...), Visitor: &toyVisitor{web: web}}
}

// A crawl that may begin no visit, as in a cluster without workers, ends when its time is over.
func TestLiveEndsInTimeWithoutVisits(t *testing.T) {
	inVirtualTime(t, func(t *testing.T) {
		web, seeds := strategytest.Random(20, 12)
		l := live(t, follow(queueAll), web, 1, seeds...)
		l.AtMost = -1
		l.Crawl.Resume(crawl.Limits{Time: 5 * time.Second})
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		begun := time.Now()
		if err := l.Run(ctx, t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := l.Crawl.Stopped(); got != dowse.StopTime || time.Since(begun) > 10*time.Second {
			t.Errorf("stopped by %q after %v, want %q after 5s", got, time.Since(begun), dowse.StopTime)
		}
	})
}

// A finished crawl that is resumed where no visit can begin, as in a cluster without workers, ends immediately; one with a
// link that waits, or with a page that is to be asked again, does not. A visit that was in flight when the last
// run was killed waits, too.
func TestLiveEndsWhenNothingIsLeft(t *testing.T) {
	for name, c := range map[string]struct {
		cfg  func(*crawl.Config)
		left int // pages that the first run leaves
		want dowse.StopReason
	}{
		"finished":           {func(*crawl.Config) {}, 0, dowse.StopExhausted},
		"a link waits":       {func(*crawl.Config) {}, 1, dowse.StopTime},
		"finished in rounds": {func(cfg *crawl.Config) { cfg.Round = 4 }, 0, dowse.StopExhausted},
	} {
		inVirtualTime(t, func(t *testing.T) {
			web, seeds := strategytest.Random(20, 12)
			cfg := hurried(follow(queueAll))
			c.cfg(&cfg)
			l := &crawl.Live{Crawl: begin(t, cfg, seeds...), Visitor: &toyVisitor{web: web}}
			if err := l.Run(t.Context(), t.Context()); err != nil || l.Crawl.Stopped() != dowse.StopExhausted {
				t.Fatal(err, l.Crawl.Stopped())
			}
			if c.left > 0 {
				l.Crawl.Start(time.Now(), []dowse.URL{"http://new.test/"})
			}
			l.Crawl.Resume(crawl.Limits{Time: time.Minute})
			l = &crawl.Live{Crawl: l.Crawl, Visitor: l.Visitor, AtMost: -1}
			begun := time.Now()
			if err := l.Run(t.Context(), t.Context()); err != nil {
				t.Fatal(err)
			}
			if got, took := l.Crawl.Stopped(), time.Since(begun); got != c.want || got == dowse.StopExhausted && took > 2*time.Second {
				t.Errorf("%s: stopped by %q after %v, want %q", name, got, took, c.want)
			}
		})
	}
}

func TestLiveVisitsAsTheSimulationDoes(t *testing.T) {
	inVirtualTime(t, func(t *testing.T) {
		web, seeds := strategytest.Random(200, 12)
		a := &noting{follow: queueAll}
		cfg := hurried(a)
		(&lab.Simulation{Crawl: begin(t, cfg, seeds...), Web: web}).Run()
		web, _ = strategytest.Random(200, 12)
		b := &noting{follow: queueAll}
		l := live(t, b, web, 1, seeds...)
		if err := l.Run(t.Context(), t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(a.urls) < 100 || !slices.Equal(a.urls, b.urls) {
			t.Errorf("%d pages simulated, %d live, in another order", len(a.urls), len(b.urls))
		}
		if l.Crawl.Stopped() != dowse.StopExhausted {
			t.Errorf("stopped: %s", l.Crawl.Stopped())
		}
	})
}

func TestLiveWithManyWorkers(t *testing.T) {
	inVirtualTime(t, func(t *testing.T) {
		web, seeds := strategytest.Random(400, 12)
		s := &noting{follow: queueAll}
		l := live(t, s, web, 32, seeds...)
		var committed []dowse.URL
		var commits, ticks atomic.Int32
		l.Commit = func() error { commits.Add(1); return nil }
		l.Committed = func(p *dowse.Page) {
			if p.Outcome == dowse.Temporary {
				t.Errorf("%s: a visit that is made again did not come to an end", p.URL)
			}
			committed = append(committed, p.URL)
		}
		l.Tick = func(time.Time) { ticks.Add(1) }
		saved := 0
		l.Checkpoint, l.CheckpointEvery = func() (func() error, error) { saved++; return func() error { return nil }, nil }, 50
		if err := l.Run(t.Context(), t.Context()); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(s.urls, committed) {
			t.Errorf("%d pages followed, %d committed", len(s.urls), len(committed))
		}
		slices.Sort(s.urls)
		if n := len(s.urls); n < 200 || len(slices.Compact(s.urls)) != n {
			t.Errorf("%d pages, some twice", n)
		}
		if commits.Load() == 0 || saved < 3 {
			t.Errorf("%d commits, %d checkpoints", commits.Load(), saved)
		}
		if b := l.Crawl.Books(); !b.Balanced() || b.InFlight+b.Queued != 0 {
			t.Errorf("books %+v", b)
		}
	})
}

// A lead that is settled without a visit is reported as well.
func TestLiveHearsOfUnvisitedLeads(t *testing.T) {
	inVirtualTime(t, func(t *testing.T) {
		web, hub := manyPages("a.test", 3)
		cfg := hurried(follow(queueAll))
		cfg.Limits.PerHost = 2
		l := &crawl.Live{Crawl: begin(t, cfg, hub), Visitor: &toyVisitor{web: web}}
		outcomes := map[dowse.Outcome]int{}
		l.Committed = func(p *dowse.Page) { outcomes[p.Outcome]++ }
		if err := l.Run(t.Context(), t.Context()); err != nil {
			t.Fatal(err)
		}
		if outcomes[dowse.Fetched] != 2 || outcomes[dowse.Skipped] != 2 {
			t.Errorf("reported %v", outcomes)
		}
	})
}

// Leads that end without a visit are committed while further ones are settled, however many there are: until its commit each
// is in memory as a page.
func TestLiveCommitsUnvisitedLeads(t *testing.T) {
	inVirtualTime(t, func(t *testing.T) {
		const pages, most = 20_000, 4_000
		web, hub := manyPages("a.test", pages)
		cfg := hurried(follow(queueAll))
		cfg.Limits.PerHost = 2
		l := &crawl.Live{Crawl: begin(t, cfg, hub), Visitor: &toyVisitor{web: web}}
		var commits atomic.Int32
		l.Commit = func() error {
			commits.Add(1)
			return nil
		}
		together := map[int32]int{}
		l.Committed = func(*dowse.Page) { together[commits.Load()]++ }
		if err := l.Run(t.Context(), t.Context()); err != nil {
			t.Fatal(err)
		}
		all := 0
		for _, n := range together {
			all += n
			if n > most {
				t.Errorf("%d leads waited for one commit, want at most %d", n, most)
			}
		}
		if all != pages+1 {
			t.Errorf("%d leads ended, want %d", all, pages+1)
		}
	})
}

// hold lets all visits wait until let is closed or they are given up.
func hold(l *crawl.Live) (let chan struct{}) {
	let = make(chan struct{})
	l.Visitor.(*toyVisitor).gate = func(ctx context.Context, v crawl.Visit) {
		select {
		case <-let:
		case <-ctx.Done():
		}
	}
	return let
}

func manySeeds(n int) (toy, []dowse.URL) {
	web, hub := manyPages("a.test", n)
	var seeds []dowse.URL
	for _, l := range web[hub].Links {
		seeds = append(seeds, l.To)
	}
	return web, seeds
}

func TestLivePausesGracefully(t *testing.T) {
	inVirtualTime(t, func(t *testing.T) {
		web, seeds := manySeeds(20)
		s := &noting{follow: queueAll}
		l := live(t, s, web, 8, seeds...)
		let := hold(l)
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			synctest.Wait() // all visits are under way
			cancel()
			synctest.Wait() // the loop knows
			close(let)
		}()
		saved := false
		l.Checkpoint = func() (func() error, error) { return func() error { saved = true; return nil }, nil }
		if err := l.Run(ctx, context.Background()); err != nil {
			t.Fatal(err)
		}
		if len(s.urls) != 8 || l.Crawl.Stopped() != dowse.StopSignal || !saved {
			t.Errorf("%d of 8 visits under way were taken in; stopped: %s; saved: %v", len(s.urls), l.Crawl.Stopped(), saved)
		}
		if b := l.Crawl.Books(); b.Queued != 12 || b.InFlight != 0 {
			t.Errorf("books %+v", b)
		}
	})
}

func TestLiveAborts(t *testing.T) {
	inVirtualTime(t, func(t *testing.T) {
		web, seeds := manySeeds(20)
		s := &noting{follow: queueAll}
		l := live(t, s, web, 8, seeds...)
		hold(l)
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			synctest.Wait() // all visits are under way
			cancel()
		}()
		if err := l.Run(context.Background(), ctx); err != nil {
			t.Fatal(err)
		}
		if len(s.urls) != 0 || l.Crawl.Stopped() != dowse.StopSignal {
			t.Errorf("%d visits were taken in; stopped: %s", len(s.urls), l.Crawl.Stopped())
		}
		l.Visitor.(*toyVisitor).gate = nil
		l.Crawl.Resume(crawl.Limits{})
		if err := l.Run(t.Context(), t.Context()); err != nil {
			t.Fatal(err)
		}
		if b := l.Crawl.Books(); len(s.urls) != 20 || b.Fetched != 20 || b.InFlight != 0 {
			t.Errorf("after resuming: %d pages, books %+v", len(s.urls), b)
		}
	})
}

func TestLiveStopsOnErrors(t *testing.T) {
	broken := errors.New("the disk is full")
	for name, breaks := range map[string]func(l *crawl.Live, fail func() error){
		"keep": func(l *crawl.Live, fail func() error) {
			l.Visitor.(*toyVisitor).keep = func(*dowse.Page) error { return fail() }
		},
		"commit": func(l *crawl.Live, fail func() error) { l.Commit = fail },
		"checkpoint": func(l *crawl.Live, fail func() error) {
			l.Checkpoint, l.CheckpointEvery = func() (func() error, error) { return func() error { return nil }, fail() }, 1
		},
		"save": func(l *crawl.Live, fail func() error) {
			l.Checkpoint, l.CheckpointEvery = func() (func() error, error) { return fail, nil }, 1
		},
	} {
		t.Run(name, func(t *testing.T) {
			inVirtualTime(t, func(t *testing.T) { stopsOn(t, broken, breaks) })
		})
	}
}

// stopsOn runs a crawl in which the fifth call of what breaks sets up fails.
func stopsOn(t *testing.T, broken error, breaks func(l *crawl.Live, fail func() error)) {
	web, seeds := strategytest.Random(300, 5)
	s := &noting{follow: queueAll}
	l := live(t, s, web, 8, seeds...)
	var n, at atomic.Int32
	breaks(l, func() error {
		if n.Add(1) < 5 {
			return nil
		}
		return broken
	})
	l.Committed = func(*dowse.Page) { at.Store(int32(len(s.urls))) }
	if err := l.Run(t.Context(), t.Context()); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	if l.Crawl.Stopped() != dowse.StopError {
		t.Errorf("stopped: %s", l.Crawl.Stopped())
	}
	if got := len(s.urls); got > int(at.Load())+8 {
		t.Errorf("%d pages were taken in, %d had been committed", got, at.Load())
	}
}

// A visit ends at its deadline, and is made again. What it brings later is not taken in.
func TestLiveEndsVisitsAtTheirDeadline(t *testing.T) {
	inVirtualTime(t, func(t *testing.T) {
		web, seeds := manySeeds(1)
		s := &noting{follow: queueAll}
		cfg := hurried(s)
		cfg.Lease, cfg.Polite.InFlight = 5*time.Minute, 2
		var visits atomic.Int32
		v := &toyVisitor{web: web, gate: func(ctx context.Context, v crawl.Visit) {
			if visits.Add(1) > 1 {
				return
			}
			begun := time.Now()
			<-ctx.Done()
			if took := time.Since(begun); took != cfg.Lease {
				t.Errorf("the visit ended after %v, want %v", took, cfg.Lease)
			}
			time.Sleep(time.Minute)
		}}
		l := &crawl.Live{Crawl: begin(t, cfg, seeds...), Visitor: v}
		if err := l.Run(t.Context(), t.Context()); err != nil {
			t.Fatal(err)
		}
		if b := l.Crawl.Books(); visits.Load() != 2 || len(s.urls) != 1 || b.Fetched != 1 {
			t.Errorf("%d visits, %d pages taken in, books %+v; want 2 and 1", visits.Load(), len(s.urls), b)
		}
	})
}

// More concurrent visits may be allowed while the crawl runs, also to a driver that brings the outcome of a visit
// while the loop waits for it. The loop had waited for itself.
func TestLiveWithMoreVisitsThanBefore(t *testing.T) {
	inVirtualTime(t, func(t *testing.T) {
		web, seeds := manySeeds(40)
		l := live(t, follow(queueAll), web, 1, seeds...)
		l.Dispatch = func(ctx context.Context, v crawl.Visit, arrive func(crawl.Arrival)) {
			arrive(l.Visitor.Visit(ctx, v))
		}
		calls := make(chan func(time.Time), 1)
		l.Calls = calls
		calls <- func(now time.Time) {
			x := l.Crawl.Settable()
			x.Polite.InFlight, x.Polite.Conns = 8, 8
			if _, err := l.Crawl.Set(now, x, false, "set"); err != nil {
				t.Error(err)
			}
		}
		if err := l.Run(t.Context(), t.Context()); err != nil {
			t.Fatal(err)
		}
		if b := l.Crawl.Books(); b.Fetched != 40 {
			t.Errorf("books %+v", b)
		}
	})
}

// Between two visits to a host lies its delay, and the loop ticks meanwhile.
func TestLiveWaitsForHosts(t *testing.T) {
	inVirtualTime(t, func(t *testing.T) {
		const pages, delay = 20, 7 * time.Second
		web, seeds := manySeeds(pages)
		cfg := hurried(follow(queueAll))
		cfg.Polite.Delay, cfg.Polite.InFlight = delay, 8
		var visits []time.Duration
		begun := time.Now()
		v := &toyVisitor{web: web, gate: func(context.Context, crawl.Visit) { visits = append(visits, time.Since(begun)) }}
		l := &crawl.Live{Crawl: begin(t, cfg, seeds...), Visitor: v}
		ticks := 0
		l.Tick = func(time.Time) { ticks++ }
		if err := l.Run(t.Context(), t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(visits) != pages {
			t.Fatalf("%d visits, want %d", len(visits), pages)
		}
		for i, at := range visits {
			if want := time.Duration(i) * delay; at < want || at > want+time.Second {
				t.Errorf("visit %d after %v, want %v", i, at, want)
			}
		}
		if want := int((pages - 1) * delay / (500 * time.Millisecond)); ticks < want-1 || ticks > want+1 {
			t.Errorf("%d ticks, want %d", ticks, want)
		}
	})
}

// A stubborn visitor has URLs whose visits do not end before their context does, or in a given time.
type stubborn struct {
	*toyVisitor
	silent map[dowse.URL]time.Duration
	kept   atomic.Int32
}

func (s *stubborn) Visit(ctx context.Context, v crawl.Visit) crawl.Arrival {
	if takes, ok := s.silent[v.URL]; ok {
		select {
		case <-ctx.Done():
			p := v.Page()
			p.Outcome, p.Reason, p.Host = dowse.Temporary, dowse.FailTimeout, &dowse.HostReport{BackOff: true}
			if v.Kind == crawl.VisitRobots {
				p.Outcome, p.Host.Robots = dowse.Listed, &dowse.Robots{}
			}
			return crawl.Arrival{Page: p}
		case <-time.After(takes):
		}
	}
	a := s.toyVisitor.Visit(ctx, v)
	a.Keep = func() error { s.kept.Add(1); return nil }
	return a
}

// Servers that do not answer hold neither the last places below a limit of pages nor the end of a run. The number of pages
// is exact all the same, and what was cut off waits again.
func TestLiveDoesNotWaitForSilentServersAtALimit(t *testing.T) {
	for _, c := range []struct {
		name   string
		takes  time.Duration // of three visits
		limits crawl.Limits
		within time.Duration
		stop   dowse.StopReason
		pages  int
	}{
		{"they hang", time.Hour, crawl.Limits{Pages: 10}, 8 * time.Second, dowse.StopPages, 10},
		{"they come too late", 5500 * time.Millisecond, crawl.Limits{Pages: 10}, 8 * time.Second, dowse.StopPages, 10},
		{"they come in time", 4 * time.Second, crawl.Limits{Pages: 10}, 5 * time.Second, dowse.StopPages, 10},
		{"on topic", time.Hour, crawl.Limits{OnTopic: 10}, 8 * time.Second, dowse.StopOnTopic, 10},
		{"time", time.Hour, crawl.Limits{Time: 10 * time.Second}, 13 * time.Second, dowse.StopTime, 17},
	} {
		inVirtualTime(t, func(t *testing.T) {
			web, seeds := hostsOfOnePage(20)
			l := live(t, follow(queueAll), web, 8, seeds...)
			v := &stubborn{toyVisitor: l.Visitor.(*toyVisitor), silent: map[dowse.URL]time.Duration{}}
			for _, u := range seeds[2:5] {
				v.silent[u] = c.takes
			}
			l.Visitor = v
			l.Crawl.Resume(c.limits)
			begun := time.Now()
			if err := l.Run(t.Context(), t.Context()); err != nil {
				t.Fatal(err)
			}
			took, b := time.Since(begun), l.Crawl.Books()
			if took > c.within || l.Crawl.Stopped() != c.stop || b.Fetched != c.pages || int(v.kept.Load()) != c.pages || b.InFlight != 0 || b.Queued != 20-c.pages {
				t.Errorf("%s: after %v stopped by %q, %d pages stored, books %+v", c.name, took, l.Crawl.Stopped(), v.kept.Load(), b)
			}
			v.silent = nil
			l.Crawl.Resume(crawl.Limits{})
			if err := l.Run(t.Context(), t.Context()); err != nil {
				t.Fatal(err)
			}
			if b := l.Crawl.Books(); b.Fetched != 20 || int(v.kept.Load()) != 20 {
				t.Errorf("%s: after resuming: %d pages stored, books %+v", c.name, v.kept.Load(), b)
			}
		})
	}
}

// A robots.txt that does not come does not hold the end of a run either, also if no visit may begin any more, and is asked
// for again.
func TestLiveDoesNotWaitForRobotsAtALimit(t *testing.T) {
	inVirtualTime(t, func(t *testing.T) {
		web, seeds := hostsOfOnePage(12)
		cfg := hurried(follow(queueAll))
		cfg.Robots, cfg.Polite.InFlight = true, 4
		cfg.Limits.Time = 10 * time.Second
		v := &stubborn{toyVisitor: &toyVisitor{web: web}, silent: map[dowse.URL]time.Duration{}}
		for _, u := range seeds[:4] {
			v.silent[u+"robots.txt"] = time.Hour
		}
		l := &crawl.Live{Crawl: begin(t, cfg, seeds...), Visitor: v}
		begun := time.Now()
		if err := l.Run(t.Context(), t.Context()); err != nil {
			t.Fatal(err)
		}
		if took, b := time.Since(begun), l.Crawl.Books(); took > 14*time.Second || l.Crawl.Stopped() != dowse.StopTime || b.Queued != 12 {
			t.Errorf("after %v stopped by %q, books %+v", took, l.Crawl.Stopped(), b)
		}
		v.silent = nil
		l.Crawl.Resume(crawl.Limits{})
		if err := l.Run(t.Context(), t.Context()); err != nil {
			t.Fatal(err)
		}
		if b := l.Crawl.Books(); b.Fetched != 12 {
			t.Errorf("after resuming: books %+v", b)
		}
	})
}

// hostsOfOnePage returns n pages on topic, each on a host of its own.
func hostsOfOnePage(n int) (toy, []dowse.URL) {
	web := toy{}
	var seeds []dowse.URL
	for i := range n {
		u := dowse.URL(fmt.Sprintf("http://h%02d.test/", i))
		web[u] = page{Relevance: 1}
		seeds = append(seeds, u)
	}
	return web, seeds
}

// A server that does not answer does not hold back leads that rank below others of its own for longer than a slow visit
// takes.
func TestLiveDoesNotHoldForSilentServers(t *testing.T) {
	inVirtualTime(t, func(t *testing.T) {
		web, seeds := hostsOfOnePage(30)
		hub := page{Relevance: 1}
		for i := range 40 {
			u := dowse.URL(fmt.Sprintf("http://best.test/p%d", i))
			hub.Links = append(hub.Links, strategytest.Link{To: u, Context: 1})
			web[u] = page{Relevance: 1}
		}
		for _, u := range seeds {
			hub.Links = append(hub.Links, strategytest.Link{To: u, Context: 0.1})
		}
		web["http://hub.test/"] = hub
		byContext := follow(func(p *dowse.Page) leads {
			var list leads
			for i := range p.Links {
				list = append(list, dowse.Lead{URL: p.Links[i].URL, Priority: p.Links[i].Context})
			}
			return list
		})
		cfg := hurried(byContext)
		cfg.Polite.InFlight, cfg.Polite.Delay, cfg.Polite.Hold = 8, time.Second, 0.1
		l := &crawl.Live{Crawl: begin(t, cfg, "http://hub.test/"), Visitor: &stubborn{
			toyVisitor: &toyVisitor{web: web}, silent: map[dowse.URL]time.Duration{"http://best.test/p1": time.Hour},
		}}
		l.Crawl.Resume(crawl.Limits{Pages: 25})
		begun := time.Now()
		if err := l.Run(t.Context(), t.Context()); err != nil {
			t.Fatal(err)
		}
		if took, b := time.Since(begun), l.Crawl.Books(); took > 30*time.Second || b.Fetched != 25 {
			t.Errorf("%d pages after %v, stopped: %s", b.Fetched, took, l.Crawl.Stopped())
		}
	})
}
