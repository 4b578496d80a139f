package sink

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"dowse/collection"
	"dowse/crawl"
	"dowse/internal/durable"
)

// lockName is the file by which at most one process sends the pages of a collection.
const lockName = "sinks.lock"

// ErrBusy is returned if another process sends the pages of the collection.
var ErrBusy = errors.New("another process is sending the pages of this collection")

// Options are what the feeds of a collection need from their program.
type Options struct {
	// Getenv returns environment variables, for credentials; nil for none.
	Getenv func(name string) string
	// Stdout receives what goes to jsonl:-.
	Stdout io.Writer
	// Agent is the name and version of the program, for services.
	Agent string

	poll, first time.Duration // default pollEvery and firstWait
}

// Feeds send the pages of one collection to its sinks, each in a goroutine of its own.
type Feeds struct {
	feeds    []*feed
	requests chan request
	end      atomic.Uint64
	final    chan struct{}
	cancel   context.CancelFunc
	wait     sync.WaitGroup
	lock     *durable.File
}

// A request asks the loop of the crawl for the rows of visits.
type request struct {
	visits []*crawl.Entry
	answer chan []*collection.Row
}

// Start starts the feeds of the collection in dir. Committed is where what is committed ends.
// The caller calls Serve regularly, and Finish in the end.
func Start(dir string, specs []Spec, committed uint64, o Options) (*Feeds, error) {
	lock, err := durable.In(dir).Ensure(lockName)
	if err != nil {
		return nil, fmt.Errorf("sink: %w", err)
	}
	if lock.TryLock() != nil {
		lock.Close()
		return nil, ErrBusy
	}
	ctx, cancel := context.WithCancel(context.Background())
	g := &Feeds{requests: make(chan request), final: make(chan struct{}), cancel: cancel, lock: lock}
	g.end.Store(committed)
	for _, s := range specs {
		f, err := g.newFeed(dir, s, o)
		if err != nil {
			cancel()
			lock.Close()
			return nil, err
		}
		f.feeds = len(specs)
		g.feeds = append(g.feeds, f)
	}
	for _, f := range g.feeds {
		g.wait.Go(func() { f.run(ctx) })
	}
	return g, nil
}

// newFeed returns the feed of a sink, which is not started.
func (g *Feeds) newFeed(dir string, s Spec, o Options) (*feed, error) {
	cur, err := loadCursor(dir, s)
	if err != nil {
		return nil, err
	}
	f := &feed{dir: dir, spec: s, ask: g.ask, end: &g.end, final: g.final, poll: o.poll, first: o.first, cur: cur}
	if f.poll == 0 {
		f.poll = pollEvery
	}
	if f.first == 0 {
		f.first = firstWait
	}
	f.target = func(ctx context.Context) (receiver, error) { return open(ctx, s, o) }
	f.moved.Store(time.Now().UnixNano())
	return f, nil
}

// open opens the target of a sink.
func open(ctx context.Context, s Spec, o Options) (receiver, error) {
	if s.kind == kindJSONL && s.file == "-" {
		return outputTarget{o.Stdout}, nil
	}
	if s.kind == kindJSONL {
		return openJSONL(s.file)
	}
	auth, err := credentialFor(s, o.Getenv)
	if err != nil {
		return nil, err
	}
	if s.kind == kindNATS {
		return openNATS(s, auth, o.Agent)
	}
	svc, err := newService(auth, o.Agent)
	if err != nil {
		return nil, err
	}
	if s.kind == kindOpenSearch {
		return openOpenSearch(ctx, s, svc)
	}
	return &httpTarget{svc, s.base}, nil
}

// ask asks the loop of the crawl for rows and waits for the answer.
func (g *Feeds) ask(ctx context.Context, visits []*crawl.Entry) ([]*collection.Row, error) {
	r := request{visits, make(chan []*collection.Row, 1)}
	select {
	case g.requests <- r:
		return <-r.answer, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Commit records that everything before an offset of the journal is committed. It may be
// called from any goroutine.
func (g *Feeds) Commit(end uint64) { g.end.Store(end) }

// Serve answers what the feeds have asked. The loop of the crawl, or whoever else may read the
// collection, calls it about twice a second. It does not wait.
func (g *Feeds) Serve(col *collection.Collection) {
	for range g.feeds {
		select {
		case r := <-g.requests:
			r.answer <- col.VisitRows(r.visits)
		default:
			return
		}
	}
}

// Finish serves the feeds until all of them have sent everything that is committed, and ends
// them. It gives up after total, after no sink has moved for idle (0 for no such limit), or when ctx
// ends; what is missing then is sent by the next Start. Show, if set, is called now and then.
func (g *Feeds) Finish(ctx context.Context, col *collection.Collection, total, idle time.Duration, show func()) {
	close(g.final)
	done := make(chan struct{})
	go func() {
		g.wait.Wait()
		close(done)
	}()
	var limit <-chan time.Time
	if total > 0 {
		t := time.NewTimer(total)
		defer t.Stop()
		limit = t.C
	}
	look := time.NewTicker(200 * time.Millisecond)
	defer look.Stop()
	for going := true; going; {
		select {
		case r := <-g.requests:
			r.answer <- col.VisitRows(r.visits)
		case <-done:
			going = false
		case <-ctx.Done():
			going = false
		case <-limit:
			going = false
		case now := <-look.C:
			if show != nil {
				show()
			}
			going = idle == 0 || now.Sub(g.lastMove()) < idle
		}
	}
	g.cancel()
	<-done
	g.lock.Close()
}

// lastMove returns when the cursor of a sink moved last.
func (g *Feeds) lastMove() time.Time {
	last := int64(0)
	for _, f := range g.feeds {
		last = max(last, f.moved.Load())
	}
	return time.Unix(0, last)
}

// ParseAll reads the names of sinks. A sink that is named twice is an error, and so are two
// sinks with the same file: each would write over the lines of the other.
func ParseAll(list []string) (specs []Spec, err error) {
	seen, files := map[string]bool{}, map[string]bool{}
	for _, text := range list {
		s, err := Parse(text)
		if err != nil {
			return nil, err
		}
		name, isFile := s.IsFile()
		if isFile {
			name = filepath.Clean(name)
		}
		switch {
		case seen[text]:
			return nil, fmt.Errorf("sink %q is given twice; give it once", text)
		case isFile && files[name]:
			return nil, fmt.Errorf("sink %q: another sink writes to the same file; choose another file for one of them", text)
		}
		seen[text], files[name] = true, isFile
		specs = append(specs, s)
	}
	return specs, nil
}
