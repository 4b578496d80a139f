package crawl

import (
	"time"

	"dowse"
	"dowse/internal/frontier"
)

// EntryKind tells what happened.
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

	Dropped int // links of the page that were not kept, see thin

	Host   string        // EntryRobots; EntryForget: the host of the URL, if others of it are known
	Robots *dowse.Robots // EntryRobots
	Seeds  []dowse.URL   // EntryStart
	Homes  []dowse.URL   // EntryStart: of seeds that were taken down, what the scope goes by
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

	run    *run   // the first entry of a run
	moves  []move // of leads since the entry before
	place  uint64
	cursor int                 // note: the link after the last one found
	index  map[frontier.ID]int // note: links by target, made when leads come in another order
}

// A run is what the entries after it were made under.
type run struct {
	grounded bool // visits that were out before it wait again
	limits   Limits
	began    time.Time // when all hosts began to rest, see Restarted; zero if they did not
}

// A Decision tells what became of a link.
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

// note keeps with a link's decision what the strategy said of its target.
func (e *Entry) note(id frontier.ID, l *dowse.Lead) {
	if id == frontier.None || len(e.Links) == 0 {
		return
	}
	if at, ok := e.find(id); ok {
		e.noteAt(at, l)
	}
}

func (e *Entry) noteAt(at int, l *dowse.Lead) {
	d := &e.Links[at]
	d.Offered, d.Because = l.Priority, l.Because
	e.cursor = at + 1
}

// linkTo returns the link that the strategy saw with a URL, if it is one of the next.
func (e *Entry) linkTo(u dowse.URL) (int, bool) {
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
