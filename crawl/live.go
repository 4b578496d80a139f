package crawl

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"dowse"
)

// A Visitor makes visits. Visit is called concurrently; it must return when ctx ends,
// and always returns a page.
type Visitor interface {
	Visit(ctx context.Context, v Visit) Arrival
}

// An Arrival is the outcome of a visit.
type Arrival struct {
	Page *dowse.Page
	Keep func() error // stores the page; called in turn, before it is absorbed; may be nil
	Done func()       // called when the page is committed or dropped: its memory is free then; may be nil

	// Unbegun is set for a visit that a driver did not begin. The page is then that of [Visit.Page]: its lead
	// waits again, and nothing is learnt of its host or of the network.
	Unbegun bool

	failed error // the visit panicked
}

// done calls Done if it is set.
func (a Arrival) done() {
	if a.Done != nil {
		a.Done()
	}
}

// Live drives a crawl with goroutines and the wall clock: one loop that owns the
// crawl, one goroutine per visit in flight, and one that commits.
//
// The loop passes a page through four steps, always in this order: Keep writes its body,
// Absorb records its entry, Commit makes both durable, Committed reports it. An entry
// names the place of the body, so the body is written first; a page that was reported
// cannot be lost, so the report comes last.
//
// A visit occupies its place among the concurrent visits until its page is committed. So
// a crash at any moment loses at most as many pages as there may be concurrent visits,
// and a slow disk slows the crawl down instead of filling memory with pages.
type Live struct {
	Crawl   *Crawl
	Visitor Visitor

	// Dispatch, if set, begins a visit in place of Visitor, and returns immediately. It calls
	// arrive exactly once, from any goroutine: with the outcome, or with a failure when ctx ends.
	// It is for visits that are made elsewhere.
	Dispatch func(ctx context.Context, v Visit, arrive func(Arrival))

	// Seal, if set, is called by the loop when a commit begins, between two pages. It may note
	// what Commit, which runs concurrently with the loop, is to make durable.
	Seal func()
	// Commit makes durable all that was kept and recorded before it is called. It
	// runs concurrently with the loop, but never twice concurrently. Nil for a crawl in memory.
	Commit func() error
	// Committed, if set, is called for every finished page after its commit, in order.
	// It is called by the loop, so that it may look at the crawl.
	Committed func(p *dowse.Page)
	// Checkpoint commits what was absorbed and returns a function that saves the state of that
	// moment. The loop calls Checkpoint after every CheckpointEvery pages and at the end. The
	// function runs concurrently with the loop, but never twice concurrently.
	Checkpoint      func() (save func() error, err error)
	CheckpointEvery int
	// Calls, if set, has functions that the loop calls as soon as it is between two pages, with the time.
	Calls <-chan func(now time.Time)
	// Tick is called by the loop about twice a second.
	Tick func(now time.Time)
	// AtMost limits concurrent visits further than the crawl's own limit does; 0 for
	// no further bound, and a negative number for none at the moment. Only the loop and its
	// callbacks may change it during Run.
	AtMost int
	// Clock returns the time. It is called concurrently. A callback that passes a
	// time to the crawl must take it from the same clock. Nil means [NewClock].
	Clock func() time.Time

	out       int           // visits under way
	usual     time.Duration // the mean duration of visits that brought a page, recent ones count more
	overSince time.Time     // when a limit had ended the crawl; zero before
	cut       bool          // the visits that were under way then are cut off
	waiting   batch
	flushing  batch
	sinceSave int
	saving    chan error // gets the result of a save that is under way; nil for none
	giveUp    context.CancelFunc
	err       error
}

// A batch is a set of pages that are committed together.
type batch struct {
	since  time.Time     // when its first visit was absorbed
	visits int           // that were absorbed
	pages  []*dowse.Page // that came to an end
	done   []Arrival     // that are done with when the batch is committed
}

// empty reports whether there is nothing to commit. Pages can end without a visit, when
// a lead is settled by a rule, so both are counted.
func (b batch) empty() bool { return b.visits == 0 && len(b.pages) == 0 }

// Run crawls until the crawl stops, or until ctx ends (visits in flight are then still
// absorbed), or until abort ends (they are then given up, and their leads wait again
// when the crawl resumes). Visits that are under way when a limit ends the crawl have two seconds; those that are cut
// off then wait again, too. Run returns the first error in keeping or committing pages;
// everything committed before it is safe.
func (l *Live) Run(ctx, abort context.Context) error {
	if l.Clock == nil {
		l.Clock = NewClock()
	}
	l.Crawl.restarted(l.Clock())
	n := l.Crawl.cfg.Polite.InFlight
	arrivals := make(chan Arrival, n)
	commits := make(chan error, 1)
	var visits sync.WaitGroup
	defer visits.Wait()
	abort, l.giveUp = context.WithCancel(abort)
	defer l.giveUp()
	visiting, cut := context.WithCancel(abort)
	defer cut()
	l.overSince, l.cut = time.Time{}, false
	l.noteDuration(0)
	defer func() { l.Crawl.picker.slow = 0 }()
	l.Crawl.ended = func(p *dowse.Page) { l.waiting.pages = append(l.waiting.pages, p) }
	defer func() { l.Crawl.ended = nil }()
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	timer := time.NewTimer(0)
	defer timer.Stop()
	done, given := ctx.Done(), abort.Done()
	for {
		when := earlier(l.launch(visiting, arrivals, &visits), l.cutOff(cut))
		due := l.commit(commits)
		if log, ok := l.Crawl.cfg.Log.(interface{ Err() error }); ok && log.Err() != nil {
			l.fail(log.Err()) // what the crawl knows can't be read back
		}
		if l.finished() {
			return l.finish()
		}
		wake := l.alarm(timer, earlier(when, due))
		select {
		case a := <-arrivals:
			l.arrive(abort, a)
			l.drain(abort, arrivals)
		case call := <-l.Calls:
			call(l.Clock())
		case err := <-commits:
			l.committed(err)
		case err := <-l.saving:
			l.saved(err)
		case <-done:
			l.Crawl.Stop(dowse.StopSignal)
			done = nil
		case <-given:
			l.Crawl.Stop(dowse.StopSignal)
			given = nil
		case <-tick.C:
			if l.Tick != nil {
				l.Tick(l.Clock())
			}
			if l.isFull() { // Next, which looks whether the crawl is to end, is not called
				now := l.Clock()
				l.Crawl.tick(now)
				if !stopAtLimit(l.Crawl, now) {
					stopIfDone(l.Crawl, now)
				}
			}
		case <-wake:
		}
	}
}

// NewClock returns a clock that starts with the present time of day and then follows
// the monotonic clock: setting the machine's clock does not affect it.
func NewClock() func() time.Time {
	begun := time.Now()
	return func() time.Time { return begun.Round(0).Add(time.Since(begun)) }
}

// alarm sets the timer to when; the zero time means never.
func (l *Live) alarm(t *time.Timer, when time.Time) <-chan time.Time {
	if when.IsZero() {
		return nil
	}
	t.Reset(max(0, when.Sub(l.Clock())))
	return t.C
}

// launch starts all visits that may begin now and returns when more may begin. Pages
// that wait for their commit count as visits under way.
func (l *Live) launch(ctx context.Context, arrivals chan<- Arrival, visits *sync.WaitGroup) time.Time {
	for l.err == nil && ctx.Err() == nil {
		if l.isFull() {
			return time.Time{}
		}
		l.Crawl.hosts.most = l.maxVisits()
		v, when, ok := l.Crawl.Next(l.Clock())
		if !ok {
			return when
		}
		l.out++
		if l.Dispatch != nil {
			l.Dispatch(ctx, v, func(a Arrival) {
				select {
				case arrivals <- a:
				default: // Set has allowed for more visits since, and the caller may hold what the loop waits for
					visits.Go(func() { arrivals <- a })
				}
			})
			continue
		}
		visits.Go(func() { arrivals <- l.visit(ctx, v) })
	}
	return time.Time{}
}

// isFull reports whether no visit may begin before one ends.
func (l *Live) isFull() bool { return l.out+l.waiting.visits+l.flushing.visits >= l.maxVisits() }

// How long visits hold up the end of a run.
const (
	endGrace    = 2 * time.Second // visits under way when a limit ends the crawl
	slowVisit   = 5 * time.Second // visits below a limit of pages, before others are made in their place
	slowByUsual = 4               // times the usual duration, if that is longer
	usualOver   = 8               // visits over which the usual duration is averaged
)

// noteDuration notes how long a visit took that brought a page, and sets after which time others are made in place of a
// slow one. Where visits are made elsewhere none is: a page that was made in vain can't be taken back from there.
func (l *Live) noteDuration(took time.Duration) {
	if l.Dispatch != nil {
		return
	}
	l.usual += (took - l.usual) / usualOver
	l.Crawl.picker.slow = max(slowVisit, slowByUsual*l.usual)
}

// cutOff cuts off the visits that are still under way some time after a limit has ended the crawl. It returns
// when that is due, the zero time for never. Visits that are made elsewhere are waited for.
func (l *Live) cutOff(cut func()) (at time.Time) {
	if l.Dispatch != nil || l.cut || l.out == 0 || !isLimit(l.Crawl.Stopped()) {
		return time.Time{}
	}
	now := l.Clock()
	if l.overSince.IsZero() {
		l.overSince = now
	}
	if at = l.overSince.Add(endGrace); now.Before(at) {
		return at
	}
	l.cut = true
	cut()
	return time.Time{}
}

// wasCutOff reports whether a visit that has come back after all were cut off has nothing to show.
func (l *Live) wasCutOff(p *dowse.Page) bool {
	if p.Host != nil && p.Host.Robots != nil {
		return l.cut && p.Host.Robots.Status == 0
	}
	return l.cut && p.Outcome == dowse.Temporary
}

// maxVisits returns the limit of concurrent visits.
func (l *Live) maxVisits() int {
	n := l.Crawl.cfg.Polite.InFlight
	if l.AtMost != 0 {
		n = min(n, max(0, l.AtMost))
	}
	return n
}

// visit makes a visit, at most until its deadline, at which the crawl gives it up.
//
// A panic of the visitor, mostly one of a judge or transport that a Go program brings, becomes
// the error of Run. In this goroutine it would end the process with everything else that it
// does, and no caller could recover from it.
func (l *Live) visit(ctx context.Context, v Visit) (a Arrival) {
	defer func() {
		if x := recover(); x != nil {
			a = Arrival{failed: fmt.Errorf("crawl: the visit of %s panicked: %v\n\n%s", v.URL, x, debug.Stack())}
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, v.Deadline.Sub(l.Clock()))
	defer cancel()
	return l.Visitor.Visit(ctx, v)
}

// drain absorbs the pages that have arrived meanwhile, so that one commit serves all of
// them. It takes a bounded number, so that the loop returns to its other work.
func (l *Live) drain(abort context.Context, arrivals <-chan Arrival) {
	for range cap(arrivals) {
		select {
		case a := <-arrivals:
			l.arrive(abort, a)
		default:
			return
		}
	}
}

// arrive keeps and absorbs a page. After an error, or when visits were given up, pages
// are discarded: their leads wait again when the crawl resumes.
func (l *Live) arrive(abort context.Context, a Arrival) {
	l.out--
	if l.err != nil || abort.Err() != nil {
		a.done()
		return
	}
	if a.failed != nil {
		l.fail(a.failed)
		return
	}
	if l.Dispatch == nil && (l.wasCutOff(a.Page) || isBeyond(l.Crawl, a.Page)) {
		a.done()
		setCutOff(a.Page)
		a = Arrival{Page: a.Page}
	}
	if a.Page.Outcome == dowse.Fetched {
		l.noteDuration(a.Page.Fetch.Took)
	}
	if a.Keep != nil {
		if err := a.Keep(); err != nil {
			a.done()
			l.fail(err)
			return
		}
	}
	if a.Unbegun {
		setUnbegun(a.Page)
	}
	now := l.Clock()
	l.Crawl.Absorb(now, a.Page)
	if l.waiting.visits == 0 {
		l.waiting.since = now
	}
	l.waiting.visits++
	l.waiting.done = append(l.waiting.done, Arrival{Done: a.Done})
	l.sinceSave++
}

// fail ends the run, because pages can no longer be kept. Visits in flight are given up:
// what they return could not be stored. Only the first error is kept, as later ones are
// mostly its consequences.
func (l *Live) fail(err error) {
	if l.err == nil {
		l.err = err
		l.Crawl.Stop(dowse.StopError)
		l.giveUp()
	}
}

// Group commit: a commit waits for others to share its sync, but not for long, and not while they
// hold up too many of the visits that may be under way.
const (
	groupFor   = 10 * time.Millisecond
	groupShare = 2 // a commit begins when this part (1/2) of the concurrent visits waits for it
)

// commit starts a commit of what was absorbed, unless one is running, or returns when
// it is due.
func (l *Live) commit(commits chan<- error) (due time.Time) {
	if !l.flushing.empty() || l.waiting.empty() || l.err != nil {
		return time.Time{}
	}
	due = l.waiting.since.Add(groupFor)
	if l.out > 0 && l.waiting.visits < l.maxVisits()/groupShare && l.Clock().Before(due) {
		return due
	}
	l.flushing, l.waiting = l.waiting, batch{}
	if l.Seal != nil {
		l.Seal()
	}
	if l.Commit == nil {
		commits <- nil
		return time.Time{}
	}
	go func() { commits <- l.Commit() }()
	return time.Time{}
}

// committed reports the pages of a finished commit and frees their memory. After a commit
// that failed nothing is reported: it is unknown which of the pages are on disk.
func (l *Live) committed(err error) {
	pages := l.flushing.pages
	for _, a := range l.flushing.done {
		defer a.done()
	}
	l.flushing = batch{}
	if err != nil {
		l.fail(err)
		return
	}
	if l.Committed != nil {
		for _, p := range pages {
			l.Committed(p)
		}
	}
	l.checkpoint(false)
}

// checkpoint saves the state when that is due. A snapshot only shortens the next fold of
// the journal, so it can wait until a round is complete: it cannot hold a part of one.
func (l *Live) checkpoint(last bool) {
	due := last || l.saving == nil && l.CheckpointEvery > 0 && l.sinceSave >= l.CheckpointEvery
	if !due || l.Checkpoint == nil || l.err != nil || l.Crawl.MidRound() {
		return
	}
	l.sinceSave = 0
	save, err := l.Checkpoint()
	if err != nil {
		l.fail(err)
		return
	}
	l.saving = make(chan error, 1)
	go func(done chan<- error) { done <- save() }(l.saving)
}

// saved ends a save.
func (l *Live) saved(err error) {
	l.saving = nil
	if err != nil {
		l.fail(err)
	}
}

// awaitSave waits until no save is under way.
func (l *Live) awaitSave() {
	if l.saving != nil {
		l.saved(<-l.saving)
	}
}

// finished reports whether the run is over: the crawl has stopped, and every page that
// was absorbed is committed. After an error pages that wait for a commit are left.
func (l *Live) finished() bool {
	over := l.Crawl.Stopped() != "" || l.err != nil
	return over && l.out == 0 && l.flushing.empty() && (l.waiting.empty() || l.err != nil)
}

// finish ends the run with a last checkpoint. Visits that were given up become orphans,
// which the next run returns to the queue.
func (l *Live) finish() error {
	l.awaitSave()
	l.Crawl.hosts.abandon()
	l.checkpoint(true)
	l.awaitSave()
	return l.err
}
