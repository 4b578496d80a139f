package frontier

import (
	"runtime"
	"sync"
	"sync/atomic"

	"dowse"
)

// link checks the tables of a snapshot against each other and computes heaps
// and hash tables from them.
func (s *snapshotReader) link(f *Frontier) {
	s.linkLanes(f)
	s.linkHosts(f)
	s.check(f)
	if s.Err != nil {
		return
	}
	s.linkTable(f)
	f.linkLeads()
	f.refreshAll()
}

// linkLanes fills the table of lanes by name. Names are unique and not empty.
func (s *snapshotReader) linkLanes(f *Frontier) {
	for i := range uint32(f.lanes.n) {
		l := f.lanes.at(i)
		if _, twice := f.laneIDs[l.name]; twice || l.name == "" {
			s.damaged("duplicate lane")
		}
		f.laneIDs[l.name] = i + 1
	}
}

// linkHosts fills the table of hosts by name, and counts the visits in flight of
// each lane, which are those of its hosts.
func (s *snapshotReader) linkHosts(f *Frontier) {
	for i := range uint32(f.hosts.n) {
		h := f.hosts.at(i)
		if _, twice := f.HostOf(f.HostName(HostID(i))); twice {
			s.damaged("duplicate host")
			return
		}
		f.byName.add(&f.hosts, HostID(i))
		switch {
		case int(h.lane) > f.lanes.n:
			s.damaged("host with an unknown lane")
			return
		case h.lane != 0:
			f.lane(h.lane).busy += h.busy
		}
	}
}

// check ensures that every reference in an entry is valid and that its priority
// fits the cap of its state.
func (s *snapshotReader) check(f *Frontier) {
	owned := make([]bool, f.visits.n)
	for i := range uint32(f.entries.n) {
		e := f.entries.at(i)
		switch t := f.offsetOf(e.state); {
		case int(e.host) >= f.hosts.n, int(e.state) >= states, e.flags&^allFlags != 0, e.key != e.key:
			s.damaged("invalid entry")
			return
		case e.is(capped) && (t == nil || t.cap == 0):
			s.damaged("capped priority without a cap")
			return
		case t != nil && t.cap != 0 && !e.is(capped) && e.key+t.offset >= t.cap:
			s.damaged("priority above the cap")
			return
		case e.is(hasVisit) && (int(e.at) >= len(owned) || owned[e.at]):
			s.damaged("visit without a URL")
			return
		case e.is(hasVisit):
			owned[e.at] = true
		default:
			e.at = nowhere
		}
	}
}

// linkTable fills the table of fingerprints, with its final size from the start. Shards have
// nothing in common, so each processor fills some of them. It reads the buckets of several
// fingerprints before it uses any, so that the processor waits for all of them together.
func (s *snapshotReader) linkTable(f *Frontier) {
	f.table.reserve(f.entries.n)
	var twice atomic.Bool
	parallel(f.entries.n, func(part, parts uint32) {
		ids := make([]uint32, 0, 32)
		full := uint32(0) // of the buckets that were read; it keeps the compiler from leaving out the reading
		enter := func() (ok bool) {
			for _, id := range ids {
				fp := f.entries.at(id).fp
				shard := f.table.shard(fp)
				full = max(full, shard.buckets[shard.home(fp)].n)
			}
			for _, id := range ids {
				fp := f.entries.at(id).fp
				if _, found := f.table.find(&f.entries, fp); found {
					twice.Store(true)
					return false
				}
				f.table.add(&f.entries, fp, ID(id))
			}
			ids = ids[:0]
			return true
		}
		for i := range uint32(f.entries.n) {
			if f.table.number(f.entries.at(i).fp)%parts != part {
				continue
			}
			if ids = append(ids, i); len(ids) == cap(ids) && !enter() {
				return
			}
		}
		enter()
		runtime.KeepAlive(full)
	})
	if twice.Load() {
		s.damaged("duplicate URL")
	}
}

// fewElements is below what number of elements a goroutine costs more than it saves.
const fewElements = 100_000

// parallel calls work once per processor, with numbers from 0 to parts-1, and returns after all
// calls have. With few elements it is one call.
func parallel(elements int, work func(part, parts uint32)) {
	parts := uint32(min(runtime.GOMAXPROCS(0), elements/fewElements+1))
	var all sync.WaitGroup
	for part := range parts - 1 {
		all.Go(func() { work(part+1, parts) })
	}
	work(0, parts)
	all.Wait()
}

// linkLeads counts the states and fills the heaps of leads and of visited URLs.
// Counting first lets each heap be allocated with its final size.
func (f *Frontier) linkLeads() {
	waiting := make([]uint32, f.hosts.n)
	for i := range uint32(f.entries.n) {
		e := f.entries.at(i)
		f.counts[e.state]++
		if e.state == dowse.Waiting {
			waiting[e.host]++
		}
	}
	for i := range uint32(f.entries.n) {
		e := f.entries.at(i)
		switch {
		case e.state == dowse.Waiting:
			h := f.host(e.host)
			if h.leads == nil {
				h.leads = make([]uint32, 0, waiting[e.host])
			}
			h.leads = append(h.leads, i)
		case e.state == dowse.Visited && f.revisits:
			f.visited = append(f.visited, i)
		}
		if t := f.offsetOf(e.state); t != nil && t.cap != 0 && !e.is(capped) {
			t.rising = append(t.rising, i)
		}
	}
	heapify(byKey{f}, f.waitingOffset.rising)
	heapify(byKey{f}, f.visitedOffset.rising)
	f.rebuild(dowse.Waiting)
	f.rebuild(dowse.Visited)
}
