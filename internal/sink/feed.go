package sink

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/crawl"
	"dowse/internal/frontier"
)

// A receiver is where the records of a sink go.
type receiver interface {
	// send delivers a batch and returns after it is safe there. An error means that it may
	// be there in part, and that the whole batch is sent again. Records that the target
	// refuses for good are counted in refused, with the reason for the last one, and are not
	// sent again.
	send(ctx context.Context, b *batch) (refused int, why string, err error)
	close() error
}

// A delayError is an error after which a target wants no batch for some time.
type delayError struct {
	error
	after time.Duration
}

func (e *delayError) Unwrap() error { return e.error }

// Pace of a feed.
const (
	pollEvery = time.Second      // between two looks for new entries
	firstWait = time.Second      // after the first failure; it doubles with every further one
	mostWait  = time.Minute      // after many failures
	mostAfter = 10 * time.Minute // that a target can ask for
	// share bounds what the feeds of a collection take of the machine while the crawl runs: after
	// each batch a feed rests this many times as long as it took to make the batch, once for
	// every feed. So all of them together take a thirteenth of one processor, enough for about
	// 200 pages a second.
	share = 12
)

// A feed sends the pages of a collection to one sink.
type feed struct {
	dir    string
	spec   Spec
	target func(ctx context.Context) (receiver, error) // opens the target
	ask    func(ctx context.Context, visits []*crawl.Entry) ([]*collection.Row, error)
	end    *atomic.Uint64  // of what is committed
	final  <-chan struct{} // closed when no more will be committed
	poll   time.Duration
	first  time.Duration // wait after the first failure
	feeds  int           // of the collection, this one included

	cur    cursor
	dirty  bool // cur is not saved
	open   receiver
	reader *collection.Collection // for texts; it stays open, because it remembers where records are
	failed int                    // attempts in a row
	// awaiting reports that this process sent a batch, at cur.Began, and has no answer.
	awaiting bool
	moved    atomic.Int64 // when the cursor moved last, in nanoseconds
}

// run sends until everything committed is sent and final is closed, or ctx ends.
//
// A round reads up to where the commits were when it began. So only a round that began after
// final was closed has seen the last commit, and final is looked at before the round.
func (f *feed) run(ctx context.Context) {
	defer f.close()
	for ctx.Err() == nil {
		begun, isLast := time.Now(), f.isFinal()
		more, spent, err := f.round(ctx)
		switch {
		case ctx.Err() != nil:
			f.interrupted()
		case err != nil:
			f.fail(err)
			f.pause(ctx, f.backOff(err), f.final)
		case more && !f.isFinal():
			f.pause(ctx, f.rest(spent), f.final)
		case more:
		case isLast:
			return
		default:
			f.saveIfDirty()
			f.pause(ctx, max(f.poll-time.Since(begun), f.rest(spent)), f.final)
		}
	}
}

// rest returns how long the feed rests after a batch that took this long to make.
func (f *feed) rest(spent time.Duration) time.Duration { return share * spent * time.Duration(f.feeds) }

// isFinal reports whether no more will be committed.
func (f *feed) isFinal() bool {
	select {
	case <-f.final:
		return true
	default:
		return false
	}
}

// pause waits for a time, until ctx ends or until final is closed. Once it is closed, only
// the wait after a failure is kept.
func (f *feed) pause(ctx context.Context, d time.Duration, final <-chan struct{}) {
	if f.isFinal() {
		final = nil
	}
	if d <= 0 {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-final:
	case <-t.C:
	}
}

// backOff returns how long to wait after a failure: twice as long each time, up to a minute,
// with jitter, so that many crawls do not return to a sink together. A target can ask for
// more.
func (f *feed) backOff(err error) time.Duration {
	wait := min(f.first<<min(f.failed-1, 16), mostWait)
	wait = wait/2 + rand.N(wait/2+1)
	var d *delayError
	if errors.As(err, &d) {
		wait = max(wait, min(d.after, mostAfter))
	}
	return wait
}

// fail notes a failure in the cursor, where status finds it.
func (f *feed) fail(err error) {
	if f.failed++; f.cur.Since.IsZero() {
		f.cur.Since = time.Now().UTC()
	}
	f.cur.Error, f.cur.Began, f.awaiting = err.Error(), time.Time{}, false
	_ = f.cur.save(f.dir, f.spec) // the next attempt saves it again
	if f.open != nil {
		f.open.close()
		f.open = nil
	}
}

// interrupted notes that sending ended while a batch had no answer yet, so that status has a
// reason for a target that takes connections and never answers.
func (f *feed) interrupted() {
	if !f.awaiting {
		return
	}
	if waited := time.Since(f.cur.Began); waited >= time.Second {
		f.fail(fmt.Errorf("no answer within %s", waited.Round(100*time.Millisecond)))
	} else {
		f.fail(errors.New("the process ended before the sink answered"))
	}
}

// close releases everything and saves the cursor.
func (f *feed) close() {
	f.saveIfDirty()
	if f.open != nil {
		f.open.close()
	}
	if f.reader != nil {
		f.reader.Close()
	}
}

// saveIfDirty saves the cursor if it has moved. If that fails, some records are sent again.
func (f *feed) saveIfDirty() {
	if f.dirty && f.cur.save(f.dir, f.spec) == nil {
		f.dirty = false
	}
}

// round sends the next batch. more reports whether there is more to send, and spent is how
// long making the batch took.
func (f *feed) round(ctx context.Context) (more bool, spent time.Duration, err error) {
	begun := time.Now()
	col, err := collection.Open(f.dir, nil, true)
	if err != nil {
		return false, 0, err
	}
	defer func() { err = errors.Join(err, col.Close()) }()
	f.cur.fits(col)
	f.cur.follow(col.Threshold(), time.Now().UTC())
	s := &scanner{col: col, spec: f.spec, end: min(f.end.Load(), col.Journal.End())}
	defer s.close()
	var sp *stretch
	if r := f.cur.Recheck; r != nil && f.cur.Sending == nil {
		sp, err = s.again(*r)
	} else {
		sp, err = s.next(f.cur.Done, f.cur.Sending)
	}
	if err != nil {
		return false, 0, err
	}
	b, waited, err := f.records(ctx, col, sp)
	if err != nil {
		return false, 0, err
	}
	spent = time.Since(begun) - waited
	return sp.more || f.cur.Sending != nil || f.cur.Recheck != nil, spent, f.deliver(ctx, sp, b)
}

// deliver sends a batch and moves the cursor behind it. Where the batch ends is saved before
// it is sent, so that a process that was killed repeats the same batch.
func (f *feed) deliver(ctx context.Context, sp *stretch, b *batch) error {
	isRecheck := f.cur.Recheck != nil && f.cur.Sending == nil
	if len(b.records) > 0 {
		if !isRecheck {
			f.cur.Sending = &sp.to
		}
		f.cur.Began, f.cur.Attempt = time.Now().UTC(), &b.numbers.this
		if err := f.cur.save(f.dir, f.spec); err != nil {
			return err
		}
		f.awaiting = true
		refused, why, err := f.send(ctx, b)
		if err != nil {
			return err
		}
		f.cur.Began, f.awaiting = time.Time{}, false
		f.cur.Sent += len(b.records) - refused
		if f.cur.Refused += refused; refused > 0 {
			f.cur.Refusal = why
		}
		f.cur.Last, f.cur.Error, f.cur.Since, f.failed = time.Now().UTC(), "", time.Time{}, 0
	}
	f.cur.dropAttempt()
	switch {
	case isRecheck:
		f.cur.Recheck = sp.recheck
		f.dirty = true
	case sp.to != f.cur.Done || f.cur.Sending != nil:
		if sp.to != f.cur.Done {
			f.cur.ID, f.cur.At = sp.id, sp.at
		}
		f.cur.Done, f.cur.Sending = sp.to, nil
		f.dirty = true
	}
	if f.dirty {
		f.moved.Store(time.Now().UnixNano())
	}
	return nil
}

// send opens the target, if it is not open, and sends a batch.
func (f *feed) send(ctx context.Context, b *batch) (refused int, why string, err error) {
	if f.open == nil {
		if f.open, err = f.target(ctx); err != nil {
			f.open = nil
			return 0, "", err
		}
	}
	return f.open.send(ctx, b)
}

// records makes the records of a stretch. waited is how long the loop of the crawl took to
// answer.
func (f *feed) records(ctx context.Context, col *collection.Collection, sp *stretch) (b *batch, waited time.Duration, err error) {
	var visits []*crawl.Entry
	for i := range sp.changes {
		if v := sp.changes[i].visit; v != nil {
			visits = append(visits, v)
		}
	}
	begun := time.Now()
	var rows []*collection.Row
	if len(visits) > 0 {
		if rows, err = f.ask(ctx, visits); err != nil {
			return nil, 0, err
		}
	}
	waited = time.Since(begun)
	if f.reader == nil {
		if f.reader, err = collection.Open(f.dir, nil, true); err != nil {
			return nil, 0, err
		}
	}
	b = &batch{numbers: newNumbering(&f.cur)}
	n := 0
	for i := range sp.changes {
		c := &sp.changes[i]
		var row *collection.Row
		if c.visit != nil {
			row = rows[n]
			n++
		}
		if err := f.add(b, c, row, col.Settings.Key); err != nil {
			return nil, 0, err
		}
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
	}
	return b, waited, nil
}

// add adds the record of a change to a batch, if it needs one. row is nil for a page that was
// visited again or taken down since: a later change deals with it.
func (f *feed) add(b *batch, c *change, row *collection.Row, key uint64) error {
	if c.visit == nil {
		return b.add(headOf(c, opDelete, c.print), func(h envelope) (outgoing, error) { return remove(h, goneForgotten, "") })
	}
	if row == nil || c.again != nil && (row.Relevance() < c.again.Low || row.Relevance() >= c.again.High) {
		return nil
	}
	print := frontier.FingerprintOf(row.URL, key)
	reason := goneOffTopic
	if row.Outcome == dowse.Redirected {
		return b.add(headOf(c, opDelete, print), func(h envelope) (outgoing, error) { return remove(h, goneMoved, row.URL) })
	}
	if f.spec.all || row.OnTopic {
		line, full, left, err := f.reader.Record(row, collection.ExportOptions{Text: f.spec.text, Respect: f.spec.respect})
		if errors.Is(err, collection.ErrErased) {
			return nil // a takedown, whose record follows
		}
		if err != nil {
			return err
		}
		if left == "" {
			return b.add(headOf(c, opPut, print), func(h envelope) (outgoing, error) { return put(h, full, line) })
		}
		reason = left
	}
	if !c.known {
		return nil
	}
	return b.add(headOf(c, opDelete, print), func(h envelope) (outgoing, error) { return remove(h, reason, row.URL) })
}
