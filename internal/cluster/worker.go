package cluster

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A VersionError is returned to a process of another version than the coordinator, or than the one that wrote a stream.
type VersionError struct {
	Why    string
	Stream bool // it is a stream, which can be removed
}

func (e *VersionError) Error() string { return "cluster: " + e.Why }

// ErrNotAllowed is returned to a worker whose crawl asks for more than the worker may do.
var ErrNotAllowed = errors.New("this worker may not")

// A Maker makes a function that makes visits, from the files of a judge. The function is called
// concurrently; it always returns a result, of which Term, Number, Judge and Kind are set later.
type Maker func(files map[string][]byte) (func(ctx context.Context, j Job) *Result, error)

// A Worker makes visits for a coordinator. It has no state that matters: it may be killed at any
// moment.
type Worker struct {
	Conns int
	Make  Maker
	// Tick, if set, is called about once a second.
	Tick func(WorkerStatus)

	c    *Conn
	id   string
	host string

	mu      sync.Mutex
	term    string
	busy    map[uint64]bool // numbers of the term
	back    []uint64        // numbers of the term that go back without a result, for the next Hello
	ended   int
	failed  error
	leaving bool
	heard   time.Time // when the coordinator last answered
	sure    time.Time // when the last Hello was sent that was answered
	visits  sync.WaitGroup
	conns   chan struct{} // has one value for each visit that is being made
	recall  chan struct{} // is closed, and replaced, to give back the visits that wait for a connection
	hurry   chan struct{} // asks for a Hello before its time
	results chan []byte
	serial  uint64
	refused atomic.Bool // the last message was not accepted

	making  sync.Mutex
	version string
	visit   func(ctx context.Context, j Job) *Result
}

// WorkerStatus is what a worker knows of itself.
type WorkerStatus struct {
	ID        string
	Busy      int
	Ended     int // visits
	Connected bool
	Served    bool // a coordinator answers
}

// Work makes visits until ctx ends, and then finishes those under way; when abort ends they are
// given up. It returns an error if it can't take part.
func (c *Conn) Work(ctx, abort context.Context, w *Worker) error {
	w.c, w.busy = c, map[uint64]bool{}
	w.conns, w.results = make(chan struct{}, w.Conns), make(chan []byte, 4*maxWorkerConns)
	w.recall, w.hurry = make(chan struct{}), make(chan struct{}, 1)
	w.id = strings.ToLower(rand.Text()[:12])
	w.host, _ = os.Hostname()
	abort, end := context.WithCancel(abort)
	defer end()
	sub, err := c.nc.Subscribe(c.subject("work."+w.id), func(m *nats.Msg) { w.begin(abort, m.Data) })
	if err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	var sender sync.WaitGroup
	sender.Go(func() { w.publish(abort) })
	err = w.report(ctx)
	w.mu.Lock()
	w.leaving = true
	w.giveBackWaiting()
	w.reportSoon()
	w.mu.Unlock()
	if err != nil {
		end()
	}
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		w.visits.Wait()
		close(w.results)
		sender.Wait()
	}()
	w.takeLeave(context.WithoutCancel(ctx), finished)
	_ = sub.Unsubscribe()
	return err
}

// takeLeave goes on to report while the visits under way are finished: the coordinator would give them to
// other workers if it heard nothing. Visits that still come go back.
func (w *Worker) takeLeave(ctx context.Context, finished <-chan struct{}) {
	tick := time.NewTicker(helloEvery)
	defer tick.Stop()
	for going := true; going; {
		select {
		case <-finished:
			going = false
		case <-tick.C:
		case <-w.hurry:
		}
		w.hello(ctx)
	}
}

// report sends a Hello once a second until ctx ends or the worker can't take part.
func (w *Worker) report(ctx context.Context) error {
	for {
		if err := w.hello(ctx); err != nil {
			return err
		}
		w.mu.Lock()
		failed := w.failed
		st := WorkerStatus{ID: w.id, Busy: len(w.busy), Ended: w.ended, Connected: w.c.IsConnected(), Served: time.Since(w.heard) < workerLapse}
		w.mu.Unlock()
		if failed != nil {
			return failed
		}
		if w.Tick != nil {
			w.Tick(st)
		}
		select {
		case <-time.After(helloEvery):
		case <-w.hurry:
		case <-ctx.Done():
			return nil
		}
	}
}

// hello sends one Hello. A coordinator that refuses this worker is an error; that there is none at
// the moment is not.
func (w *Worker) hello(ctx context.Context) error {
	w.mu.Lock()
	h := Hello{
		ID: w.id, Host: w.host, Process: os.Getpid(), Version: w.c.opt.Version, Wire: wireVersion, Conns: w.Conns,
		Busy: slices.Sorted(maps.Keys(w.busy)), Back: w.back, Term: w.term, Leaving: w.leaving,
	}
	w.back = nil
	w.mu.Unlock()
	data, err := json.Marshal(h)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 2*helloEvery)
	defer cancel()
	sent := time.Now()
	m, err := w.c.nc.RequestWithContext(ctx, w.c.subject("hello"), data)
	if err != nil {
		w.unanswered(h)
		return nil
	}
	var answer welcome
	if json.Unmarshal(m.Data, &answer) != nil {
		return nil
	}
	if answer.Refused != "" {
		return &VersionError{Why: answer.Refused}
	}
	w.mu.Lock()
	w.enter(answer.Term)
	w.heard, w.sure = time.Now(), sent
	w.mu.Unlock()
	return nil
}

// unanswered keeps what a Hello gave back for the next one: it may not have come. A visit that has been sent
// again meanwhile shows that it came.
func (w *Worker) unanswered(h Hello) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if h.Term == w.term {
		w.back = append(w.back, slices.DeleteFunc(h.Back, func(n uint64) bool { return w.busy[n] })...)
	}
}

// enter notes the term of the coordinator. Visits for an earlier one that have begun are still made, and
// their results are of use; their numbers mean nothing to the new one.
func (w *Worker) enter(term string) {
	if term != w.term {
		w.term, w.back, w.sure = term, nil, time.Time{}
		clear(w.busy)
	}
}

// mostBusy times its connections is how many visits a worker accepts. The coordinator counts a visit until its result
// is on the stream, the worker until it knows that: with servers that answer slowly it has more than it was meant to have.
const mostBusy = 4

// begin begins the visits of a message, or gives back those that wait if it is a recall.
func (w *Worker) begin(ctx context.Context, data []byte) {
	if term, ok := bytes.CutPrefix(data, []byte(recallMagic)); ok {
		w.mu.Lock()
		defer w.mu.Unlock()
		if string(term) == w.term {
			w.giveBackWaiting()
		}
		return
	}
	term, jobs, err := readJobs(data)
	if err != nil {
		w.c.opt.logf("a message with visits can't be read: %v", err)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.enter(term)
	if w.leaving {
		for _, j := range jobs {
			w.back = append(w.back, j.Number)
		}
		w.reportSoon()
		return
	}
	recalled := w.recall
	for _, j := range jobs {
		if w.busy[j.Number] {
			continue // it was sent again
		}
		if len(w.busy) >= mostBusy*w.Conns {
			w.back = append(w.back, j.Number) // with the next Hello: sooner, it would only come again
			continue
		}
		w.busy[j.Number] = true
		w.back = slices.DeleteFunc(w.back, func(n uint64) bool { return n == j.Number })
		got := time.Now()
		w.visits.Go(func() { w.make(ctx, term, j, got, recalled) })
	}
}

// make makes one visit, as soon as a connection is free, and queues its result to be published.
func (w *Worker) make(ctx context.Context, term string, j Job, got time.Time, recalled <-chan struct{}) {
	if !w.awaitConn(ctx, recalled) {
		w.giveBack(term, j.Number)
		return
	}
	b := w.result(ctx, term, j, got)
	<-w.conns
	if b == nil {
		w.giveBack(term, j.Number)
		return
	}
	w.results <- b
	w.mu.Lock()
	w.ended++
	w.mu.Unlock()
}

// awaitConn waits until a connection is free and takes it. It reports false if the visit goes back instead:
// it is recalled, ctx ends, or it has waited for so long that another worker may be free by now.
func (w *Worker) awaitConn(ctx context.Context, recalled <-chan struct{}) bool {
	late := time.NewTimer(workerLapse)
	defer late.Stop()
	select {
	case w.conns <- struct{}{}:
	case <-recalled:
		return false
	case <-late.C:
		return false
	case <-ctx.Done():
		return false
	}
	select {
	case <-recalled: // both were possible
		<-w.conns
		return false
	default:
		return true
	}
}

// isMine reports whether a visit that came at some time is still this worker's. The coordinator that sent it is the
// one that answers, and has heard of this worker so lately that it can't have given the visit to another one:
// a process that was stopped finds out before it asks a host that others ask by now.
func (w *Worker) isMine(term string, got time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	sure := w.sure
	if sure.IsZero() {
		sure = got // the answer to the Hello for which it came is on its way
	}
	return term == w.term && time.Since(sure) <= workerLapse
}

// result makes a visit and returns its encoded result, nil if there is none.
func (w *Worker) result(ctx context.Context, term string, j Job, got time.Time) []byte {
	visit, err := w.visitor(ctx, j.Judge)
	if err != nil {
		w.fail(err)
		return nil
	}
	if !w.isMine(term, got) {
		return nil
	}
	within, cancel := context.WithTimeout(ctx, j.Within-time.Since(got))
	x := visit(within, j)
	cancel()
	if ctx.Err() != nil {
		return nil
	}
	x.Term, x.Number, x.Judge, x.Kind = term, j.Number, j.Judge, j.Visit.Kind
	b := encodeResult(x)
	if len(b) > maxArrival {
		x.Answers = nil // the page without the answer: the journal says that it is not in the archive
		b = encodeResult(x)
	}
	return b
}

// giveBack returns a visit to the coordinator, which gives it to another worker.
func (w *Worker) giveBack(term string, number uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if term == w.term && w.busy[number] {
		delete(w.busy, number)
		w.back = append(w.back, number)
		w.reportSoon()
	}
}

// giveBackWaiting has the visits that wait for a connection go back. It must be called with the lock held.
func (w *Worker) giveBackWaiting() {
	close(w.recall)
	w.recall = make(chan struct{})
}

// reportSoon asks for a Hello now.
func (w *Worker) reportSoon() {
	select {
	case w.hurry <- struct{}{}:
	default:
	}
}

// fail ends the worker with an error.
func (w *Worker) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failed = errors.Join(w.failed, err)
	if len(w.failed.Error()) > 2000 {
		w.failed = err
	}
}

// visitor returns the function that makes visits with a version of the judge. The files of the
// last version are kept. While the servers do not answer it goes on trying.
func (w *Worker) visitor(ctx context.Context, version string) (func(context.Context, Job) *Result, error) {
	w.making.Lock()
	defer w.making.Unlock()
	if w.version == version && w.visit != nil {
		return w.visit, nil
	}
	for {
		files, err := w.c.judgeFiles(ctx, version)
		if err == nil {
			visit, err := w.Make(files)
			if err != nil {
				return nil, err
			}
			w.version, w.visit = version, visit
			return visit, nil
		}
		if errors.Is(err, errJudge) || errors.Is(err, jetstream.ErrObjectNotFound) || !pause(ctx, 500*time.Millisecond) {
			return nil, err
		}
	}
}

// senders is how many messages of a worker are on their way to the stream concurrently, at most.
const senders = 4

// batchBytes is about how many bytes of results are published as one message.
const batchBytes = 512 << 10

// publish publishes results until the channel is closed. While a message is on its way, results wait for the next
// one, unless they fill one: the servers sync every message, one after the other, so many small ones of
// many workers would make all of them wait.
func (w *Worker) publish(ctx context.Context) {
	sent := make(chan struct{}, senders)
	under := 0 // messages on their way
	defer func() {
		for ; under > 0; under-- {
			<-sent
		}
	}()
	var list [][]byte
	size := 0
	for open := true; open || len(list) > 0; {
		if len(list) > 0 && (under == 0 || size >= batchBytes && under < senders) {
			under++
			full := list
			go func() {
				w.publishAll(ctx, full)
				sent <- struct{}{}
			}()
			list, size = nil, 0
		}
		in := w.results
		if !open || size >= batchBytes {
			in = nil
		}
		select {
		case b, ok := <-in:
			if open = ok; ok {
				list, size = append(list, b), size+len(b)
			}
		case <-sent:
			under--
		}
	}
}

// publishAll publishes results and waits until the stream has them. It goes on trying while the
// servers do not answer. Every message has an id, by which the stream drops one that it has.
func (w *Worker) publishAll(ctx context.Context, list [][]byte) {
	for _, data := range packResults(list, min(w.c.room(), 1<<20), w.nextID) {
		id := w.nextID()
		for !w.publishOne(ctx, data, id) {
			if !pause(ctx, 300*time.Millisecond) {
				return
			}
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, b := range list {
		if term, number := identityOf(b); term == w.term {
			delete(w.busy, number)
		}
	}
}

// publishOne publishes one message, and reports whether the stream has it. The first of several failures
// is reported to the person.
func (w *Worker) publishOne(ctx context.Context, data []byte, id string) bool {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	_, err := w.c.js.Publish(ctx, w.c.arrivalSubject(), data, jetstream.WithMsgID(id), jetstream.WithRetryAttempts(0))
	if was := w.refused.Swap(err != nil); err != nil && !was {
		w.c.opt.logf("NATS does not accept results (%v); trying again until it does", whyNot(err))
	} else if err == nil && was {
		w.c.opt.logf("NATS accepts results again")
	}
	return err == nil
}

// nextID returns an id that no other message of the cluster has.
func (w *Worker) nextID() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.serial++
	return fmt.Sprintf("%s-%d", w.id, w.serial)
}
