package crawl

import (
	"dowse"
	"dowse/internal/frontier"
)

// A recorder is the side of a crawl that faces its journal. Everything that happens to a
// crawl passes through it, and its mode decides what that means: a live crawl writes entries,
// a replay reads them back, and deciding again lets the journal force the visits alone.
type recorder struct {
	cfg   *Config
	f     *urls
	stats *stats
	mode  mode

	moves []move // since the last entry
	head  *run   // what the next entry begins a run with; nil if the journal knows the run
}

// A mode decides what the recorder does with what happens.
type mode interface {
	// record keeps an entry and returns its place.
	record(r *recorder, e *Entry) uint64
	// moved notes a lead that was taken out of the queue, or put back without a visit.
	moved(r *recorder, id frontier.ID, what move)
	// sight reports whether a URL is seen for the first time; the frontier says fresh.
	sight(id frontier.ID, fresh bool) bool
	// take takes a URL out of where it is, for a visit.
	take(f *urls, id frontier.ID)
	// putBack lets a URL wait again whose visit failed.
	putBack(f *urls, id frontier.ID)
	// release lets a URL wait again whose visit was not made.
	release(f *urls, id frontier.ID)
}

// A move is a lead that was taken out of the queue, or put back without a visit,
// between two entries: the replay must see the queue as it was.
type move uint64

const (
	taken move = iota
	returned
)

func newRecorder(cfg *Config, f *urls, s *stats) *recorder {
	return &recorder{cfg: cfg, f: f, stats: s, mode: live{}, head: &run{}}
}

// record keeps an entry and returns its place in the journal.
func (r *recorder) record(e *Entry) uint64 {
	if r.cfg.OnEntry != nil {
		r.cfg.OnEntry(e)
	}
	return r.mode.record(r, e)
}

func (r *recorder) moved(id frontier.ID, what move) { r.mode.moved(r, id, what) }

// beginRun lets the next entry begin a run. What was announced for it before stays.
func (r *recorder) beginRun() *run {
	if r.head == nil {
		r.head = &run{}
	}
	return r.head
}

// releaseAll lets all URLs wait again whose visits were out when an earlier run ended.
func (r *recorder) releaseAll(h *hosts, n *rounds) {
	for id := frontier.ID(0); int(id) < r.f.Len() && r.f.Count(dowse.Flying) > 0; id++ {
		if r.f.State(id) == dowse.Flying {
			r.mode.release(r.f, id)
		}
	}
	h.vacateAll()
	n.requeueOrphans()
}

// live is the mode of a crawl that goes on: entries are written.
type live struct{}

func (live) record(r *recorder, e *Entry) uint64 {
	if r.head != nil {
		e.run, r.head = r.head, nil
		e.run.limits = r.cfg.Limits
	}
	e.Elapsed, e.moves = r.stats.Elapsed, r.moves
	place := r.cfg.Log.Record(e)
	r.moves = r.moves[:0]
	return place
}

func (live) moved(r *recorder, id frontier.ID, what move) {
	r.moves = append(r.moves, move(id)<<1|what)
}

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

func (replayed) record(_ *recorder, e *Entry) uint64 { return e.place }

func (replayed) moved(*recorder, frontier.ID, move) {}
