// Package ledger records what happened in a crawl.
//
// The one idea: every event is an [Entry], and the entries in order are the
// [Journal], which is append-only, synced, and enough to rebuild everything
// else. The frontier, the counts, what strategies have learnt, and the
// snapshots that make opening fast are all derived from it. The package reads
// and writes entries, blanks what was taken down, and finds what is damaged. It
// does not know what an entry means for a crawl: package crawl does, which
// replays a journal with the help of [Replay].
//
// How the parts fit: journal.go has the records and the files, entry.go the
// entries, entrycodec.go and factcodec.go their bytes. ruling.go has later
// verdicts on pages, takedown.go the marks after which everything is decided
// again, redact.go the blanking of entries. sound.go distinguishes damage
// from what a crash leaves, and scan.go and leftover.go read past damage. seal.go
// has the frame of the parts of a snapshot.
//
// Invariants: an entry never moves. Its offset, called its place, identifies it
// for the life of the collection, also after a takedown, so other files may
// refer to it. URLs have numbers in the order in which they were first seen, and
// the string of a URL is in the record of the entry that saw it first. A crash
// loses only entries that were not synced, from the end on.
package ledger

import (
	"time"

	"dowse"
	"dowse/internal/frontier"
	"dowse/settings"
)

// EntryKind is what happened. Its numbers are written to disk and never change
// their meaning.
type EntryKind uint8

// The kinds of entries.
const (
	EntryStart     EntryKind = iota + 1 // seeds were given
	EntryPage                           // a lead came to its end: visited, failed or settled unvisited
	EntryRetry                          // a visit failed, and the URL is tried again
	EntryRobots                         // the robots.txt of a host was read
	EntryRound                          // the leads of a round were chosen
	EntryIdle                           // the strategy was asked for leads because none waited
	EntryBefore                         // the strategy changed the queue before a round
	_                                   // no program has written this number
	EntryForget                         // a URL was taken down
	EntryRescore                        // a lead was rated again
	EntryModel                          // a newer model, or a label, ruled on pages that were visited
	EntryReasons                        // the reasons for visiting a lead that was rated again
	EntryClock                          // the clock was set back
	EntryAgain                          // everything before was decided again, without the URLs that were taken down
	EntryForgive                        // earlier failures of hosts no longer count
	EntryRequeue                        // URLs that failed or were left out wait again: a person asked for it, or they get a second chance
	EntryCheck                          // a visited page is asked again, to see whether it has changed
	EntryLeft                           // links of a page were left out for want of memory
	EntryThreshold                      // pages are on topic from another relevance on, those that were visited too
)

// CutOff is the detail of a visit in an [EntryRetry] that was cut off because the crawl had reached a limit.
const CutOff = "cut off at the end of the run"

// An Entry is one thing that happened in a crawl. Kind, At, Elapsed, Run and
// Moves belong to every entry; which other fields are set depends on the kind.
//
// The entry of a page has its verdict and the ratings of its links, so a replay
// does not judge again, but it lacks the text, which is in the archive. A replay
// passes the page to the strategy again, which must return the same leads. The
// decisions in Links show later why a link was queued or left out.
type Entry struct {
	Kind    EntryKind
	At      time.Time
	Elapsed time.Duration // how long the crawl had been running until then, over all runs
	ID      frontier.ID   // of the page's URL
	Page    *dowse.Page   // its Links are those that the strategy saw

	Found  []dowse.Link  // the page's links before filtering
	Links  []Decision    // what became of each of them
	Queue  int           // leads that waited when this one was taken; EntryLeft: links that were left out
	Regret float64       // by how much the best of them was better
	Rested time.Duration // since the last visit to its host; 0 for the first one
	Idle   bool          // the page was settled without a visit

	Dropped int // links that were not recorded, because a budget of hosts was used up

	Host   string        // EntryRobots; EntryForget: the host of the URL, if others of it are known
	Robots *dowse.Robots // EntryRobots
	Seeds  []dowse.URL   // EntryStart
	Homes  []dowse.URL   // EntryStart: of seeds that were taken down, what the scope needs of them
	Round  []frontier.ID // EntryRound; EntryRequeue: the URLs
	Text   string        // EntryForget: why; EntryRequeue: what was asked for
	Back   time.Duration // EntryClock: by how much it was set back
	Since  time.Time     // EntryForgive: hosts that began to fail at this time or later are forgiven; EntryCheck: when the page was asked last
	Score  float64       // EntryRescore: the new priority; EntryReasons: the priority; EntryCheck: the estimated probability that it has changed; EntryThreshold: the relevance

	Because []dowse.Because // EntryReasons

	// Print is the fingerprint of the URL that was taken down, of EntryForget. It is zero
	// for a URL that stood only on such a page: it may come up again, as another one.
	Print frontier.Fingerprint

	Model   string   // EntryModel: its name
	Rulings []Ruling // EntryModel: its verdicts on visited pages
	Parts   int      // EntryModel: the number of EntryModel entries before it whose rulings take effect with this one; 0 for those entries themselves

	Run   *Run   // of the first entry of a run; nil for others
	Moves []Move // of leads since the entry before

	place  uint64
	after  uint64              // where the next entry begins; 0 if that is not known
	cursor int                 // for Note: the link after the last one found
	index  map[frontier.ID]int // for Note: links by target, made only if leads come in another order
}

// A Run describes the run of the program that made the entries from this one
// on. It is part of the first entry of a run, because a replay must apply the
// limits of the time and put orphaned visits back into the queue where the
// crawl did.
type Run struct {
	Requeued bool // visits that were in flight when the last run ended wait again
	Limits   settings.Limits
	Began    time.Time // when all hosts began to rest, because any may have been asked just before; zero if they did not
}

// A Move is a lead that was taken out of the queue, or put back without a visit,
// between two entries: a replay must see the queue as it was.
type Move uint64

// MoveOf returns the move of a URL out of the queue, or back into it.
func MoveOf(id frontier.ID, back bool) Move {
	m := Move(id) << 1
	if back {
		m |= 1
	}
	return m
}

// ID returns the URL that was moved.
func (m Move) ID() frontier.ID { return frontier.ID(m >> 1) }

// Back reports whether the URL was put back into the queue.
func (m Move) Back() bool { return m&1 == 1 }

// A Decision is what became of a link.
type Decision struct {
	ID       frontier.ID
	Target   frontier.ID // the same, or where a known redirect leads
	Fresh    bool        // first sighting of the target
	State    dowse.State // of the target, after the page
	Reason   dowse.Reason
	Priority float64 // of the target, after the page
	Offered  float64 // priority of the strategy's lead
	Because  []dowse.Because
}

// Place returns the offset of the entry in the journal. It is known only for
// entries that were read from one, or for which SetPlace was called.
func (e *Entry) Place() uint64 { return e.place }

// After returns the offset behind the entry, where the next one begins. It is known only for
// entries that a scan or a [Tail] has read.
func (e *Entry) After() uint64 { return e.after }

// SetPlace sets what Place returns, for a replay that makes an entry again
// instead of reading it.
func (e *Entry) SetPlace(place uint64) { e.place = place }

// Note stores, with the decision on the first link to a URL, the priority and
// the reasons of the lead that the strategy returned for it. A URL that the page
// does not link to is ignored.
func (e *Entry) Note(id frontier.ID, l *dowse.Lead) {
	if id == frontier.None || len(e.Links) == 0 {
		return
	}
	if at, ok := e.find(id); ok {
		e.NoteAt(at, l)
	}
}

// NoteAt is Note for a link that [Entry.LinkTo] found.
func (e *Entry) NoteAt(at int, l *dowse.Lead) {
	d := &e.Links[at]
	d.Offered, d.Because = l.Priority, l.Because
	e.cursor = at + 1
}

// LinkTo returns the index of the link with a URL that the strategy saw, if it
// is one of the next links after the last one noted. It saves the caller a look
// into the table of URLs, which costs more than a few comparisons.
func (e *Entry) LinkTo(u dowse.URL) (int, bool) {
	for i := e.cursor; i < min(e.cursor+nearby, len(e.Links)); i++ {
		if d := &e.Links[i]; d.Reason == "" && d.Target == d.ID && e.Found[i].URL == u {
			return i, true
		}
	}
	return 0, false
}

// nearby is how many links after the last one are compared before the index is
// made.
const nearby = 16

// fewLinks is up to where looking through all links is faster than an index.
const fewLinks = 64

// find returns the first link to a target. Strategies mostly return leads in
// the order of the links, with gaps where they follow none, so looking ahead
// from the last one finds nearly all of them. The index is for the others, so
// that a page of many links costs no quadratic time.
func (e *Entry) find(id frontier.ID) (int, bool) {
	for i := e.cursor; i < min(e.cursor+nearby, len(e.Links)); i++ {
		if e.Links[i].Target == id && e.Links[i].Reason == "" {
			return i, true
		}
	}
	if len(e.Links) <= fewLinks {
		for i := range e.Links {
			if e.Links[i].Target == id {
				return i, true
			}
		}
		return 0, false
	}
	if e.index == nil {
		e.index = make(map[frontier.ID]int, len(e.Links))
		for i := len(e.Links) - 1; i >= 0; i-- {
			e.index[e.Links[i].Target] = i
		}
	}
	at, ok := e.index[id]
	return at, ok
}
