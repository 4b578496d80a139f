// Package frontier is the queue of a crawl: every URL once, best first, and
// polite to hosts.
//
// Every URL that a crawl ever saw has an entry here, in exactly one
// [dowse.State]; the counts of the states add up to [Frontier.Len]. A URL that
// waits is called a lead and is in the heap of its host. [Frontier.Next] takes
// the best lead of the hosts that may be visited now. It never scans; three
// kinds of heaps lead to it:
//
//   - one heap per host: its waiting leads, best first
//   - rested: the hosts that may be visited now, by their best lead
//   - resting: the hosts that must be left alone for a while, by the time at which
//     they may be visited again
//
// Hosts on one address share a lane, which takes part in these heaps like a
// host: at most one visit at a time to all of them. A host without waiting
// leads or with all connections in use is in neither heap. Every call that
// changes a host (a better lead, a visit begins or ends, a rest) moves just
// this host and its lane, in O(log n).
//
// Priorities of all waiting URLs can be raised together in constant time
// ([Frontier.Raise]), because the order of two URLs does not depend on what is
// added to both. See offset.go.
//
// Memory is the limit of a large crawl, so a URL costs 40 bytes plus 6 or 7 in
// the table of fingerprints, without pointers; strings are stored by [Names]. Long
// notes cost 4 bytes more, and have an amount of memory in common, beyond which
// they are in a file ([Scratch]). URLs are found by 96 bits of a fingerprint
// under a secret key, and a collision is taken to be impossible.
//
// A frontier does no I/O but through Names and Scratch, and reads no clock: time is an argument. The same
// calls give the same answers, also after [Frontier.Snapshot] and [Load]. It
// must not be used concurrently, except that a [Frozen] one is written meanwhile.
package frontier

import (
	"cmp"
	"math"

	"dowse"

	"github.com/zeebo/xxh3"
)

// ID numbers URLs in the order in which they were first seen, from 0.
type ID uint32

// None is the ID of no URL.
const None = ID(math.MaxUint32)

// Config holds the settings of a frontier. The zero value works.
type Config struct {
	Names     Names       // stores the strings of URLs; default [NewArena]
	Key       uint64      // of the fingerprints; a secret key prevents pages from constructing collisions
	Revisits  bool        // keep visited URLs in a heap by priority, for BestVisited
	HostConns int         // concurrent visits per host; default 1
	Order     dowse.Order // of leads in one band; default by priority

	// NotesMemory is how many bytes of long notes are kept in memory before those that were not
	// used for longest move to a file, which Scratch makes; default 64 MB. Without Scratch all
	// notes stay in memory. No answer depends on either.
	NotesMemory int64
	Scratch     func() (Scratch, error)
}

// notesMemory is the default of Config.NotesMemory, in bytes.
const notesMemory = 64 << 20

// A Frontier holds all known URLs of a crawl and the order in which they are
// visited.
//
// The life of a URL, with the calls that change its state:
//
//	Unseen   See
//	Held     Settle, until the caller queues it
//	Waiting  Queue
//	Flying   Next, NextLate, Take
//	Visited, Dead, Aliased, Excluded   Settle; Drop excludes, too
//
// From every state a URL can be queued again. All transitions go through move,
// which keeps these invariants: a waiting URL is in the heap of its host and
// nowhere else; a visited one is in the heap visited if revisits are kept; counts
// has the number of URLs in each state; the key of an entry is its priority minus
// the offset of its state.
type Frontier struct {
	names    Names
	key      uint64
	revisits bool
	order    dowse.Order
	conns    uint32

	entries chunks[entry]
	table   table
	counts  [states]int

	waitingOffset sharedOffset // raises the waiting URLs
	visitedOffset sharedOffset // raises the visited URLs
	risingAt      column       // by ID: 1 + position in sharedOffset.rising
	visited       []uint32     // heap of visited URLs, if revisits
	visits        chunks[visit]

	hosts   chunks[host]
	byName  hostNames
	lanes   chunks[lane]
	laneIDs map[string]uint32 // by name: 1 + index in lanes
	polite  polite
	regret  float64 // see LastRegret

	notes   notes
	groups  groups
	aliases map[ID]ID

	ahead []ID // scratch of touch

	frozen *Frozen // stores what changes, while it is written; nil for none
}

// New returns an empty frontier.
func New(cfg Config) *Frontier {
	if cfg.Names == nil {
		cfg.Names = NewArena()
	}
	return &Frontier{
		names:    cfg.Names,
		key:      cfg.Key,
		revisits: cfg.Revisits,
		order:    cfg.Order,
		conns:    uint32(max(1, cfg.HostConns)),
		byName:   newHostNames(cfg.Key),
		laneIDs:  map[string]uint32{},
		aliases:  map[ID]ID{},
		notes:    notes{long: pages{most: int(max(cmp.Or(cfg.NotesMemory, notesMemory)/pageSize, 1)), open: cfg.Scratch}},
		groups:   groups{dropped: map[string]bool{}},
		polite:   polite{clock: never, latestReady: never},
	}
}

// See returns the ID of u, a new one if fresh. host is its politeness group,
// which stays that of the first call; "" is a host, too.
func (f *Frontier) See(u dowse.URL, host string) (id ID, fresh bool) {
	return f.see(f.fingerprint(u), u, host)
}

// see is See for a fingerprint and the string to store.
func (f *Frontier) see(fp print, u dowse.URL, host string) (id ID, fresh bool) {
	if id, ok := f.table.find(&f.entries, fp); ok {
		return id, false
	}
	id = ID(f.entries.n)
	if id == None {
		panic("frontier: more URLs than IDs")
	}
	e := f.entries.add()
	e.fp = fp
	e.setPlace(f.names.Add(u))
	e.host = f.seeHost(host)
	e.at = nowhere
	f.counts[dowse.Unseen]++
	f.table.add(&f.entries, fp, id)
	return id, true
}

// Find returns the ID of u; ok is false if it was never seen.
func (f *Frontier) Find(u dowse.URL) (id ID, ok bool) {
	return f.table.find(&f.entries, f.fingerprint(u))
}

func (f *Frontier) fingerprint(u dowse.URL) print {
	return printOf(xxh3.HashString128Seed(string(u), f.key))
}

// seeHost returns the ID of a host, a new one if it is unknown.
func (f *Frontier) seeHost(name string) HostID {
	if h, ok := f.byName.find(&f.hosts, name); ok {
		return h
	}
	h := HostID(f.hosts.n)
	ho := f.hosts.add()
	ho.name = f.byName.keep(name)
	ho.inAll, ho.at, ho.ready = nowhere, nowhere, never
	f.byName.add(&f.hosts, h)
	return h
}

// URL returns the URL with an ID, from Names.
func (f *Frontier) URL(id ID) dowse.URL { return f.names.At(f.entry(id).placed()) }

// Place returns the place of the URL in Names.
func (f *Frontier) Place(id ID) uint64 { return f.entry(id).placed() }

// Len returns the number of known URLs. Their IDs are 0 to Len()-1.
func (f *Frontier) Len() int { return f.entries.n }

// Count returns how many URLs are in a state. The counts of all states add up
// to Len.
func (f *Frontier) Count(s dowse.State) int { return f.counts[s] }
