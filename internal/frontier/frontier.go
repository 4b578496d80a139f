// Package frontier keeps the leads that wait: best first, polite, each URL once.
//
// Every URL that a crawl ever saw has an entry here, with exactly one
// [dowse.State]; the counts of the states add up to [Frontier.Len]. A lead that
// waits stands in the queue of its host. [Frontier.Next] takes the best lead of
// the hosts that are rested, found by heaps and never by a scan: one heap of leads
// to a host, one of the rested hosts by their best lead, one of the resting hosts
// by the time at which they are rested.
//
// A frontier does no I/O and reads no clock: time is an argument, the URLs'
// strings are kept by [Names]. The same calls give the same answers. It must not
// be used from several goroutines at once.
package frontier

import (
	"math"

	"dowse"

	"github.com/zeebo/xxh3"
)

// ID numbers a URL by first sighting, from 0.
type ID uint32

// None is the number of no URL.
const None = ID(math.MaxUint32)

// Config says how a frontier is to be. The zero value works.
type Config struct {
	Names     Names  // keeps the strings of URLs; nil means [NewArena]
	Key       uint64 // of the fingerprints; a secret one keeps pages from making URLs that collide
	Revisits  bool   // keep visited URLs in a heap by priority, for BestVisited
	HostConns int    // visits at once to one host; 0 means 1
	Order     dowse.Order
}

// A Frontier holds all known URLs of a crawl and the order in which they are to
// be visited.
type Frontier struct {
	names    Names
	key      uint64
	revisits bool
	order    dowse.Order
	conns    uint32

	entries chunks[entry]
	table   table
	counts  [states]int

	queue   tide     // lifts the waiting
	shelf   tide     // lifts the visited
	rise    column   // by ID: place in a tide's rising, from 1
	visited []uint32 // heap of visited URLs, if revisits
	visits  chunks[visit]

	hosts   chunks[host]
	byName  hostNames
	lanes   chunks[lane]
	laneIDs map[string]uint32
	polite  polite
	regret  float64

	notes   interned
	groups  groups
	aliases map[ID]ID
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
		groups:   groups{dropped: map[string]bool{}},
		polite:   polite{clock: never, ripe: never},
	}
}

// See returns the number of u, giving it one at first sighting, which fresh
// tells. host is its politeness group, kept from the first sighting; "" is a host
// too.
func (f *Frontier) See(u dowse.URL, host string) (id ID, fresh bool) {
	return f.see(f.fingerprint(u), u, host)
}

func (f *Frontier) see(fp xxh3.Uint128, u dowse.URL, host string) (id ID, fresh bool) {
	if id, ok := f.table.find(&f.entries, fp); ok {
		return id, false
	}
	id = ID(f.entries.n)
	if id == None {
		panic("frontier: more URLs than numbers for them")
	}
	e := f.entries.add()
	e.fp = fp
	e.place = f.names.Add(u)
	e.host = f.seeHost(host)
	e.at = nowhere
	f.counts[dowse.Unseen]++
	f.table.add(&f.entries, fp, id)
	return id, true
}

// Find returns the number of u if it was seen.
func (f *Frontier) Find(u dowse.URL) (ID, bool) {
	return f.table.find(&f.entries, f.fingerprint(u))
}

func (f *Frontier) fingerprint(u dowse.URL) xxh3.Uint128 {
	return xxh3.HashString128Seed(string(u), f.key)
}

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

// URL returns the URL that id numbers, from Names.
func (f *Frontier) URL(id ID) dowse.URL { return f.names.At(f.entry(id).place) }

// Place returns where Names keeps the URL.
func (f *Frontier) Place(id ID) uint64 { return f.entry(id).place }

// Len returns the number of known URLs. Their IDs are 0 to Len()-1.
func (f *Frontier) Len() int { return f.entries.n }

// Count returns how many URLs are in a state. The counts of all states add up to
// Len.
func (f *Frontier) Count(s dowse.State) int { return f.counts[s] }
