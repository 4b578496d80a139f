// Package ledger keeps what happened in a crawl.
//
// Every event is an [Entry], and the entries in order are the [Journal]: append-only, synced,
// and enough to rebuild everything else. The package reads and writes them, blanks what was
// taken down, and finds what is damaged. It does not know what an entry means for a crawl:
// that is for package crawl, which replays a journal with the help of [Replay].
package ledger

import (
	"time"

	"dowse"
	"dowse/internal/frontier"
	"dowse/settings"
)

// EntryKind is what happened.
type EntryKind uint8

// The kinds of entries.
const (
	EntryStart   EntryKind = iota + 1 // seeds were given
	EntryPage                         // a lead came to its end: visited, failed or settled unvisited
	EntryRetry                        // a visit failed for the moment
	EntryRobots                       // a host's robots.txt was read
	EntryRound                        // a round was taken
	EntryIdle                         // the strategy was asked for leads when nothing waited
	EntryBefore                       // the strategy acted on the queue before a round
	_                                 // no program has written this number
	EntryForget                       // a URL was taken down
	EntryRescore                      // a lead was rated again
	EntryModel                        // a newer model, or a label, ruled on pages that were visited
	EntryReasons                      // why a lead is about to be visited that was rated again
	EntryClock                        // the clock was set back
	EntryAgain                        // all before it was decided again, without the URLs that were taken down
	EntryForgive                      // failures of hosts are no longer held against them
	EntryRequeue                      // URLs that failed or were left out wait again, as a person asked or for a second chance
)

// An Entry is one thing that happened in a crawl. Which fields count depends on
// the kind.
type Entry struct {
	Kind    EntryKind
	At      time.Time
	Elapsed time.Duration // at work until then
	ID      frontier.ID   // of the page's URL
	Page    *dowse.Page   // its Links are those that the strategy saw

	Found  []dowse.Link // the page's links before filtering
	Links  []Decision   // what became of each of them
	Queue  int          // leads that waited when the page's was taken
	Regret float64      // by how much the best of them was better
	Rested time.Duration
	Idle   bool // the page was settled without a visit

	Dropped int // links of the page that were not kept, because of a budget of hosts

	Host   string        // EntryRobots; EntryForget: the host of the URL, if others of it are known
	Robots *dowse.Robots // EntryRobots
	Seeds  []dowse.URL   // EntryStart
	Homes  []dowse.URL   // EntryStart: of seeds that were taken down, what the scope needs of them
	Round  []frontier.ID // EntryRound; EntryRequeue: the URLs
	Text   string        // EntryForget: why; EntryRequeue: what was asked for
	Back   time.Duration // EntryClock: by how much it was set back
	Since  time.Time     // EntryForgive: hosts that began to fail at this time or later are forgiven
	Score  float64       // EntryRescore: the new priority; EntryReasons: the priority

	Because []dowse.Because // EntryReasons

	// Print is the fingerprint of the URL that was taken down, of EntryForget. It is zero
	// for a URL that stood only on such a page: it may come up again, as another one.
	Print frontier.Fingerprint

	Model   string   // EntryModel: its name
	Rulings []Ruling // EntryModel: what it says of visited pages
	Parts   int      // EntryModel: so many entries just before it hold its rulings, which hold from here on; 0 for such a part

	Run   *Run   // of the first entry of a run; nil for others
	Moves []Move // of leads since the entry before

	place  uint64
	cursor int                 // Note: the link after the last one found
	index  map[frontier.ID]int // Note: links by target, made when leads come in another order
}

// A Run is what the entries after it were made under.
type Run struct {
	Requeued bool // visits that were out before it wait again
	Limits   settings.Limits
	Began    time.Time // when all hosts began to rest, since any may have been asked a moment ago; zero if they did not
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

// Place returns the offset of the entry in the journal. It is known for entries that were
// read from one.
func (e *Entry) Place() uint64 { return e.place }

// SetPlace makes the entry one that was read at a place, for a replay that makes it again.
func (e *Entry) SetPlace(place uint64) { e.place = place }

// Note keeps with a link's decision the lead that the strategy gave to its target.
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

// LinkTo returns the link that the strategy saw with a URL, if it is one of the next.
func (e *Entry) LinkTo(u dowse.URL) (int, bool) {
	for i := e.cursor; i < min(e.cursor+nearby, len(e.Links)); i++ {
		if d := &e.Links[i]; d.Reason == "" && d.Target == d.ID && e.Found[i].URL == u {
			return i, true
		}
	}
	return 0, false
}

// nearby is how many links after the last one are tried before the index is made.
const nearby = 16

// find returns the first link to a target. Leads mostly come in the order of the
// links, with gaps where a link was not followed.
func (e *Entry) find(id frontier.ID) (int, bool) {
	for i := e.cursor; i < min(e.cursor+nearby, len(e.Links)); i++ {
		if e.Links[i].Target == id && e.Links[i].Reason == "" {
			return i, true
		}
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
