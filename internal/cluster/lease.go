package cluster

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// A Holder is the process that coordinates, as the other processes see it.
type Holder struct {
	Term    string    `json:"term"` // identifies the time for which this process coordinates
	Host    string    `json:"host"`
	Process int       `json:"process"`
	Version string    `json:"version"`
	Since   time.Time `json:"since"`
	Ended   bool      `json:"ended,omitempty"`  // it gave up the lease: the crawl was stopped
	Failed  string    `json:"failed,omitempty"` // it gave up the lease because it can't go on, and another process should
	Done    bool      `json:"done,omitempty"`   // and there is nothing left to crawl, so that no standby takes over
}

func (h *Holder) String() string { return fmt.Sprintf("process %d on %s", h.Process, h.Host) }

// gone describes for people why the process no longer coordinates.
func (h *Holder) gone() string {
	if h.Failed != "" {
		return h.String() + " can't go on: " + h.Failed
	}
	return h.String() + " does not answer any more"
}

// A HeldError is returned when another process coordinates the crawl.
type HeldError struct{ By Holder }

func (e *HeldError) Error() string {
	return fmt.Sprintf("cluster: %s coordinates this crawl since %s; there can be only one", &e.By, e.By.Since.Local().Format("2006-01-02 15:04:05"))
}

// ErrFenced is returned when another process has become the coordinator.
var ErrFenced = errors.New("cluster: another process coordinates this crawl by now; what was committed is there, and this copy is no longer written")

const (
	leaseKey   = "coordinator"
	renewEvery = time.Second
	// leaseLapse is for how long a lease may go without being renewed. Only time in which the
	// servers answered counts.
	leaseLapse = 5 * time.Second
	// renewPatience is how long a renewal may take. One that got lost with a server must be repeated
	// before the lease lapses.
	renewPatience = 1500 * time.Millisecond
)

// A Lease is the right to coordinate. It is renewed until it is released or lost.
type Lease struct {
	c      *Conn
	holder Holder // does not change: other goroutines read it
	before Holder // the one from which it was taken; the zero value if there was none

	mu       sync.Mutex
	revision uint64
	cancel   context.CancelFunc
	ended    chan struct{}
	lost     chan struct{} // is closed when another process has taken it
}

// A leaseWatch finds out whether a lease has lapsed: its revision does not change although the servers could have
// been written to. No clocks of different machines are compared.
type leaseWatch struct {
	c        *Conn
	revision uint64
	holder   Holder
	silence  silence
}

// A silence counts for how long a lease was not renewed although it could have been. Only the time between two
// answers of the servers that follow each other closely counts. Time without an answer is not held against the holder,
// and does not make the standby begin to count again either: servers that were away in the meantime would
// double the time until it takes over.
type silence struct {
	counted  time.Duration // since the last renewal
	unbroken time.Duration // of that, since the servers were last away
	last     time.Time     // when they last answered; the zero time if they were asked in vain since
}

// answered notes an answer. renewed reports that the lease was renewed since the last one.
func (s *silence) answered(now time.Time, renewed bool) {
	gap := now.Sub(s.last)
	switch {
	case renewed:
		*s = silence{}
	case s.last.IsZero() || gap > answersApart: // the servers were away, or this process was stopped
		s.unbroken = 0
	default:
		s.counted += gap
		s.unbroken += gap
	}
	s.last = now
}

// missed notes that the servers did not answer.
func (s *silence) missed() { s.last = time.Time{} }

// lapsed reports whether the lease counts as abandoned: the silence is long enough, and since the servers were
// last away its holder had the time for a renewal that gets lost and for another one.
func (s *silence) lapsed() bool {
	return s.counted >= leaseLapse && s.unbroken >= renewEvery+renewPatience+renewEvery
}

// answersApart is how far apart two answers may be between which the servers count as there.
const answersApart = 3 * time.Second

// lookPatience is how long a look at the lease may take. One that gets lost with a server is repeated.
const lookPatience = 1500 * time.Millisecond

// look asks the servers. It reports whether the lease may be taken: there is none, it was
// released, or it has lapsed.
func (w *leaseWatch) look(ctx context.Context) (free bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, lookPatience)
	defer cancel()
	e, err := w.c.state.Get(ctx, leaseKey)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		w.revision, w.holder = 0, Holder{}
		return true, nil
	}
	if err == nil {
		_, err = w.c.state.Status(ctx) // any server answers a read, but only a leader this, and a renewal
	}
	if err != nil {
		w.silence.missed()
		return false, err
	}
	renewed := e.Revision() != w.revision
	if renewed {
		w.holder = Holder{}
		if json.Unmarshal(e.Value(), &w.holder) != nil {
			w.holder = Holder{} // no process of a cluster wrote it; one that coordinates writes its lease again
		}
		w.revision = e.Revision()
	}
	w.silence.answered(time.Now(), renewed)
	return w.holder.Ended || w.holder.Failed != "" || w.silence.lapsed(), nil
}

// take takes the lease that a watch found to be free. It fails if another process was faster.
func (w *leaseWatch) take(ctx context.Context) (*Lease, error) {
	host, _ := os.Hostname()
	l := &Lease{c: w.c, before: w.holder, ended: make(chan struct{}), lost: make(chan struct{})}
	l.holder = Holder{Term: rand.Text(), Host: host, Process: os.Getpid(), Version: w.c.opt.Version, Since: time.Now().UTC()}
	value, err := json.Marshal(l.holder)
	if err != nil {
		return nil, err
	}
	ask, done := context.WithTimeout(ctx, patience)
	defer done()
	if w.revision == 0 {
		l.revision, err = w.c.state.Create(ask, leaseKey, value)
	} else {
		l.revision, err = w.c.state.Update(ask, leaseKey, value, w.revision)
	}
	if wrongSequence(err) || errors.Is(err, jetstream.ErrKeyExists) {
		return nil, &HeldError{By: w.holder}
	}
	if err != nil {
		return nil, fmt.Errorf("cluster: the lease: %w", err)
	}
	ctx, l.cancel = context.WithCancel(context.WithoutCancel(ctx))
	go l.renew(ctx)
	return l, nil
}

// acquire takes the lease as soon as it is free, or returns a HeldError if its holder is alive. Servers that
// can be read but not written to have a while to agree on a leader.
func (c *Conn) acquire(ctx context.Context) (*Lease, error) {
	w := &leaseWatch{c: c}
	var first uint64
	for end := time.Now().Add(settling); ; {
		var free bool
		err := c.settled(ctx, func() (err error) { free, err = w.look(ctx); return err })
		switch {
		case err != nil:
			return nil, fmt.Errorf("cluster: the lease: %w", err)
		case free:
			l, err := w.take(ctx)
			if !isPassing(err) || time.Now().After(end) {
				return l, err
			}
			first = 0 // it may have been taken although the answer was lost
		case first == 0:
			first = w.revision
		case w.revision != first: // it was renewed
			return nil, &HeldError{By: w.holder}
		}
		if !pause(ctx, 200*time.Millisecond) {
			return nil, ctx.Err()
		}
	}
}

// renew renews the lease until it is released or lost. While the servers do not answer it goes on
// trying: no other process can take the lease then either.
func (l *Lease) renew(ctx context.Context) {
	defer close(l.ended)
	for pause(ctx, renewEvery) {
		if err := l.write(ctx, l.holder, renewPatience); wrongSequence(err) {
			close(l.lost)
			return
		}
	}
}

// write writes the lease with the next revision, as the other processes are to see it. A write whose
// answer was lost has changed the revision without this process knowing it, so the value is compared
// before the lease counts as lost. A value that no process of a cluster wrote is replaced. The error is one of
// a wrong sequence only if another process has the lease.
func (l *Lease) write(ctx context.Context, seen Holder, within time.Duration) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	value, err := json.Marshal(seen)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	for {
		revision, err := l.c.state.Update(ctx, leaseKey, value, l.revision)
		if err == nil {
			l.revision = revision
			return nil
		}
		if !wrongSequence(err) {
			return err
		}
		other, readErr := l.catchUp(ctx)
		if readErr != nil {
			return readErr
		}
		if other {
			return err
		}
	}
}

// catchUp reads the revision of a lease that was written since this process last wrote it, and reports whether
// another process has it. Any server answers a read, also one that has not heard of the last
// writes: what is no newer than the last known write says nothing, and is read again.
func (l *Lease) catchUp(ctx context.Context) (other bool, err error) {
	for {
		e, err := l.c.state.Get(ctx, leaseKey)
		switch {
		case err != nil:
			return false, err
		case e.Revision() > l.revision:
			var h Holder
			foreign := json.Unmarshal(e.Value(), &h) != nil || h.Term == ""
			if !foreign && h.Term != l.holder.Term {
				return true, nil // the revision stays, so that no later write can take the lease back
			}
			l.revision = e.Revision()
			return false, nil
		}
		if !pause(ctx, 50*time.Millisecond) {
			return false, ctx.Err()
		}
	}
}

// Lost is closed when another process has taken the lease.
func (l *Lease) Lost() <-chan struct{} { return l.lost }

// abandon gives up a lease with which nothing was done. The crawl is as it was before: a holder that
// had stopped or finished it has done so still, and one that had failed leaves the lease to the next
// standby, for which it lapses.
func (l *Lease) abandon() {
	switch {
	case l.before.Term == "":
		l.Release(false)
	case l.before.Ended || l.before.Failed != "":
		l.end(l.before)
	default:
		l.cancel()
		<-l.ended
	}
}

// holds reports whether this process still has the lease. It is an error if the servers do not
// answer. It writes the lease to find out: a read may be answered by a server that has not heard of
// the new holder yet.
func (l *Lease) holds(ctx context.Context) (bool, error) {
	err := l.write(ctx, l.holder, patience)
	if wrongSequence(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("cluster: the lease: %w", err)
	}
	return true, nil
}

// fail gives the lease to whoever can go on, because this process can't.
func (l *Lease) fail(why string) {
	h := l.holder
	h.Failed = why
	l.end(h)
}

// Release gives the lease back. done reports that nothing is left to crawl.
func (l *Lease) Release(done bool) {
	h := l.holder
	h.Ended, h.Done = true, done
	l.end(h)
}

// end stops renewing the lease, and writes what the others are to see of it. If that can't be written, the lease
// lapses, and a standby takes it for that of a process that failed.
func (l *Lease) end(h Holder) {
	l.cancel()
	<-l.ended
	select {
	case <-l.lost:
		return
	default:
	}
	if err := l.write(context.Background(), h, patience); err != nil && h.Ended {
		l.c.opt.logf("NATS does not answer (%v), so it is not recorded that this crawl was stopped: a standby continues it when NATS is back; stop the standby, too", err)
	}
}
