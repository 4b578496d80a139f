package crawl

import (
	"time"

	"dowse"
	"dowse/internal/frontier"
)

// A flight is a visit in flight.
type flight struct {
	visit  Visit
	id     frontier.ID
	host   frontier.HostID
	began  time.Time
	queue  int     // number of waiting leads when it began
	regret float64 // by how much the best waiting lead was better: the price of politeness
	rest   time.Duration
	idle   bool // settled without a visit
	slots  int  // connections of the host that a visit to a robots.txt occupies: all of them
	own    int  // bins of the page's sketch that are not boilerplate, see admission.Gate.Near

	late, stranger bool // its host was, when it began: see hosts.occupy
	chance         bool // a second chance of its URL: that it fails is no evidence against the network
	check          bool // the page was visited before, and is asked whether it has changed

	entry *Entry // the journal's entry of a replayed visit; nil for a real one
}

// entryOf returns e as the entry of the visit; for a replayed visit it gets the place
// of the journal's entry.
func (fl *flight) entryOf(e *Entry) *Entry {
	if fl.entry != nil {
		e.SetPlace(fl.entry.Place())
	}
	return e
}

// flights are the visits in flight. Each has a lease: a visit without outcome at its
// deadline is given up, so that a lost worker does no harm.
type flights struct {
	pages  map[frontier.ID]*flight
	asking map[frontier.HostID]*flight // for robots.txt
	leases []lease                     // in order of their deadlines

	late, strangers int // visits that are out, by the kind of their host

	slot     time.Time // when the next visit may begin, see Politeness.MaxRate
	orphaned bool      // visits of an earlier run may be out, which no driver makes any more
}

// A lease is the time until which a visit must have come back.
type lease struct {
	deadline time.Time
	flight   *flight
}

func newFlights() *flights {
	return &flights{pages: map[frontier.ID]*flight{}, asking: map[frontier.HostID]*flight{}}
}

// out returns the number of visits in flight.
func (f *flights) out() int { return len(f.pages) + len(f.asking) }

// addPage adds a visit to a page. There is at most one per URL.
func (f *flights) addPage(fl *flight) {
	f.pages[fl.id] = fl
	f.add(fl)
}

// addRobots adds a visit to a robots.txt. There is at most one per host.
func (f *flights) addRobots(fl *flight) {
	f.asking[fl.host] = fl
	f.add(fl)
}

// add counts a visit. Leases all last equally long (Config.Lease), so appending keeps
// them in the order of their deadlines.
func (f *flights) add(fl *flight) {
	f.late += count(fl.late)
	f.strangers += count(fl.stranger)
	f.leases = append(f.leases, lease{fl.visit.Deadline, fl})
}

// vacate removes a visit from the counts of late hosts and strangers.
func (f *flights) vacate(fl *flight) {
	f.late -= count(fl.late)
	f.strangers -= count(fl.stranger)
}

// isOut reports whether a visit is in flight.
func (f *flights) isOut(fl *flight) bool {
	return f.pages[fl.id] == fl || f.asking[fl.host] == fl
}

// slow returns the number of visits to new pages that began at a time or before.
func (f *flights) slow(until time.Time) (n int) {
	for _, fl := range f.pages {
		n += count(!fl.check && !fl.began.After(until))
	}
	return n
}

// since returns when the oldest of the visits under way to a host began, the zero time if there is none.
func (f *flights) since(h frontier.HostID) (began time.Time) {
	for _, fl := range f.pages {
		if fl.host == h {
			began = earlier(began, fl.began)
		}
	}
	if fl := f.asking[h]; fl != nil {
		began = earlier(began, fl.began)
	}
	return began
}

// expired returns a visit whose deadline has passed, or nil. Leases of visits that came
// back are dropped on the way, so that ending a visit costs no search for its lease.
func (f *flights) expired(now time.Time) *flight {
	for len(f.leases) > 0 {
		l := f.leases[0]
		out := f.isOut(l.flight)
		if out && l.deadline.After(now) {
			return nil
		}
		f.leases = f.leases[1:]
		if out {
			return l.flight
		}
	}
	return nil
}

// lost returns the page of a visit that was given up. To the crawl it is a temporary
// failure like any other, so the URL gets another try.
func (fl *flight) lost() *dowse.Page {
	p := fl.visit.Page()
	p.Outcome, p.Reason, p.Detail = dowse.Temporary, dowse.FailTimeout, "the visit did not come back"
	p.Host = &dowse.HostReport{BackOff: true}
	return p
}

// nextDeadline returns the earliest deadline, or the zero time if there is no lease. The
// visit of the earliest lease may have come back already; then Next is called once in vain.
func (f *flights) nextDeadline() time.Time {
	if len(f.leases) == 0 {
		return time.Time{}
	}
	return f.leases[0].deadline
}

// forgetLeases drops the leases of finished visits, for a driver that makes one visit
// at a time.
func (f *flights) forgetLeases() { f.leases = f.leases[:0] }

// abandon gives up all visits in flight and reports whether there were any. Their URLs
// are orphans until requeueOrphans: an outcome that still arrives is ignored, because no
// flight belongs to it.
func (f *flights) abandon() bool {
	if f.out() == 0 {
		return false
	}
	clear(f.pages)
	clear(f.asking)
	f.leases, f.orphaned = nil, true
	f.late, f.strangers = 0, 0
	return true
}

// takeSlot reserves the next moment at which a visit may begin, with rate visits per
// second.
func (f *flights) takeSlot(now time.Time, rate float64) {
	if rate > 0 {
		f.slot = now.Add(time.Duration(float64(time.Second) / rate))
	}
}

// turnBack moves all stored times by as much as the clock was set back.
func (f *flights) turnBack(by time.Duration) {
	for i := range f.leases {
		f.leases[i].deadline = f.leases[i].deadline.Add(-by)
	}
	for _, fl := range f.pages {
		fl.began = fl.began.Add(-by)
	}
	f.slot = earlierBy(f.slot, by)
}
