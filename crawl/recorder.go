package crawl

import (
	"dowse"
	"dowse/internal/frontier"
	"dowse/internal/ledger"
)

// A recorder is the side of a crawl that faces its journal. Everything that happens to a
// crawl passes through it, and its mode decides what that means: a live crawl writes entries,
// a replay reads them back, and deciding again lets the journal force the visits alone.
type recorder struct {
	cfg   *Config
	f     *urls
	stats *stats
	mode  mode

	moves []ledger.Move // since the last entry
	head  *ledger.Run   // what the next entry begins a run with; nil if the journal knows the run
}

// A mode decides what the recorder does with what happens.
type mode interface {
	// record keeps an entry and returns its place.
	record(r *recorder, e *Entry) uint64
	// moved notes a lead that was taken out of the queue, or put back without a visit.
	moved(r *recorder, m ledger.Move)
	// sight reports whether a URL is seen for the first time; fresh is the frontier's answer.
	sight(id frontier.ID, fresh bool) bool
	// take takes a URL out of where it is, for a visit.
	take(f *urls, id frontier.ID)
	// putBack lets a URL wait again whose visit failed.
	putBack(f *urls, id frontier.ID)
	// release lets a URL wait again whose visit was not made.
	release(f *urls, id frontier.ID)
}

// newRecorder returns the recorder of a new crawl, whose first entry begins a run.
func newRecorder(cfg *Config, f *urls, s *stats) *recorder {
	return &recorder{cfg: cfg, f: f, stats: s, mode: live{}, head: &ledger.Run{}}
}

// record keeps an entry and returns its place in the journal.
func (r *recorder) record(e *Entry) uint64 {
	if r.cfg.OnEntry != nil {
		r.cfg.OnEntry(e)
	}
	return r.mode.record(r, e)
}

// taken notes that a lead was taken out of the queue, returned that it was put back without a
// visit: a replay must see the queue as it was.
func (r *recorder) taken(id frontier.ID)    { r.mode.moved(r, ledger.MoveOf(id, false)) }
func (r *recorder) returned(id frontier.ID) { r.mode.moved(r, ledger.MoveOf(id, true)) }

// beginRun lets the next entry begin a run. What was announced for it before stays.
func (r *recorder) beginRun() *ledger.Run {
	if r.head == nil {
		r.head = &ledger.Run{}
	}
	return r.head
}

// live is the mode of a crawl that goes on: entries are written.
type live struct{}

func (live) record(r *recorder, e *Entry) uint64 {
	if r.head != nil {
		e.Run, r.head = r.head, nil
		e.Run.Limits = r.cfg.Limits
	}
	e.Elapsed, e.Moves = r.stats.Elapsed, r.moves
	place := r.cfg.Log.Record(e)
	r.moves = r.moves[:0]
	return place
}

func (live) moved(r *recorder, m ledger.Move) { r.moves = append(r.moves, m) }

func (live) sight(_ frontier.ID, fresh bool) bool { return fresh }

func (live) take(f *urls, id frontier.ID) {
	if f.State(id) != dowse.Flying {
		f.Take(id)
	}
}

func (live) putBack(f *urls, id frontier.ID) { f.Queue(id) }

func (live) release(f *urls, id frontier.ID) { f.queueAgain(id) }

// replayed is the mode of a crawl that is brought to where its journal ends: entries are
// there already, and moves are read from them.
type replayed struct{ live }

func (replayed) record(_ *recorder, e *Entry) uint64 { return e.Place() }

func (replayed) moved(*recorder, ledger.Move) {}
