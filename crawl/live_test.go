package crawl_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"dowse"
	"dowse/crawl"
	"dowse/lab"
	"dowse/strategy/strategytest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

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

// hearing writes down what is followed.
type hearing struct {
	follow
	urls []dowse.URL
}

func (h *hearing) Follow(p *dowse.Page) []dowse.Lead {
	h.urls = append(h.urls, p.URL)
	return h.follow(p)
}

func live(t *testing.T, s dowse.Strategy, web visits, workers int, seeds ...dowse.URL) *crawl.Live {
	cfg := hurried(s)
	cfg.Polite.InFlight, cfg.Polite.Conns = workers, workers
	return &crawl.Live{Crawl: begin(t, cfg, seeds...), Visitor: &toyVisitor{web: web}}
}

func TestLiveVisitsAsTheSimulationDoes(t *testing.T) {
	web, seeds := strategytest.Random(200, 12)
	a := &hearing{follow: queueAll}
	cfg := hurried(a)
	(&lab.Simulation{Crawl: begin(t, cfg, seeds...), Web: web}).Run()
	web, _ = strategytest.Random(200, 12)
	b := &hearing{follow: queueAll}
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
}

func TestLiveWithManyWorkers(t *testing.T) {
	web, seeds := strategytest.Random(400, 12)
	s := &hearing{follow: queueAll}
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
	l.Checkpoint, l.CheckpointEvery = func() error { saved++; return nil }, 50
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
}

// A lead that is settled without a visit is heard of as well.
func TestLiveHearsOfUnvisitedLeads(t *testing.T) {
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
		t.Errorf("heard %v", outcomes)
	}
}

// held is a web whose visits wait until they are let go.
func held(l *crawl.Live, n int) (reached chan struct{}, let chan struct{}) {
	reached, let = make(chan struct{}), make(chan struct{})
	var count atomic.Int32
	l.Visitor.(*toyVisitor).gate = func(ctx context.Context, v crawl.Visit) {
		if count.Add(1) == int32(n) {
			close(reached)
		}
		select {
		case <-let:
		case <-ctx.Done():
		}
	}
	return reached, let
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
	web, seeds := manySeeds(20)
	s := &hearing{follow: queueAll}
	l := live(t, s, web, 8, seeds...)
	reached, let := held(l, 8)
	ctx, cancel := context.WithCancel(t.Context())
	commands := make(chan func())
	l.Commands = commands
	go func() {
		<-reached
		cancel()
		for heard := make(chan bool, 1); ; {
			commands <- func() { heard <- l.Crawl.Stopped() != "" }
			if <-heard {
				break
			}
		}
		close(let)
	}()
	saved := false
	l.Checkpoint = func() error { saved = true; return nil }
	if err := l.Run(ctx, context.Background()); err != nil {
		t.Fatal(err)
	}
	if len(s.urls) != 8 || l.Crawl.Stopped() != dowse.StopSignal || !saved {
		t.Errorf("%d of 8 visits under way were taken in; stopped: %s; saved: %v", len(s.urls), l.Crawl.Stopped(), saved)
	}
	if b := l.Crawl.Books(); b.Queued != 12 || b.InFlight != 0 {
		t.Errorf("books %+v", b)
	}
}

func TestLiveAborts(t *testing.T) {
	web, seeds := manySeeds(20)
	s := &hearing{follow: queueAll}
	l := live(t, s, web, 8, seeds...)
	reached, _ := held(l, 8)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-reached; cancel() }()
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
}

func TestLiveStopsOnErrors(t *testing.T) {
	broken := errors.New("the disk is full")
	for name, breaks := range map[string]func(l *crawl.Live, fail func() error){
		"keep": func(l *crawl.Live, fail func() error) {
			l.Visitor.(*toyVisitor).keep = func(*dowse.Page) error { return fail() }
		},
		"commit":     func(l *crawl.Live, fail func() error) { l.Commit = fail },
		"checkpoint": func(l *crawl.Live, fail func() error) { l.Checkpoint, l.CheckpointEvery = fail, 1 },
	} {
		t.Run(name, func(t *testing.T) {
			web, seeds := strategytest.Random(300, 5)
			s := &hearing{follow: queueAll}
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
		})
	}
}

func TestLiveRunsCommands(t *testing.T) {
	web, seeds := strategytest.Random(300, 5)
	l := live(t, follow(queueAll), web, 4, seeds...)
	commands := make(chan func(), 1)
	l.Commands = commands
	fetched := -1
	commands <- func() {
		fetched = l.Crawl.Status().Fetched
		l.Crawl.Stop(dowse.StopAPI)
		close(commands)
	}
	if err := l.Run(t.Context(), t.Context()); err != nil {
		t.Fatal(err)
	}
	if fetched < 0 || l.Crawl.Stopped() != dowse.StopAPI {
		t.Errorf("%d pages at the command; stopped: %s", fetched, l.Crawl.Stopped())
	}
}

// A visit ends at its deadline, and is made again.
func TestLiveEndsVisitsAtTheirDeadline(t *testing.T) {
	web, seeds := manySeeds(1)
	cfg := hurried(follow(queueAll))
	cfg.Lease, cfg.Tries = 30*time.Millisecond, 2
	var n atomic.Int32
	v := &toyVisitor{web: web, gate: func(ctx context.Context, v crawl.Visit) {
		n.Add(1)
		<-ctx.Done()
	}}
	l := &crawl.Live{Crawl: begin(t, cfg, seeds...), Visitor: v}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for n.Load() < 1 {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	if err := l.Run(ctx, context.Background()); err != nil { // would never end without a deadline
		t.Fatal(err)
	}
}
