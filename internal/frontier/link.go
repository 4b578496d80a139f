package frontier

import "dowse"

// link checks what a snapshot holds against each other and makes heaps and tables
// from it.
func (s *reader) link(f *Frontier) {
	s.linkLanes(f)
	s.linkHosts(f)
	s.check(f)
	if s.Err != nil {
		return
	}
	s.linkTable(f)
	f.linkLeads()
	f.reseatAll()
}

func (s *reader) linkLanes(f *Frontier) {
	for i := range uint32(f.lanes.n) {
		l := f.lanes.at(i)
		if _, twice := f.laneIDs[l.name]; twice || l.name == "" {
			s.damaged("a lane twice")
		}
		f.laneIDs[l.name] = i + 1
	}
}

func (s *reader) linkHosts(f *Frontier) {
	for i := range uint32(f.hosts.n) {
		h := f.hosts.at(i)
		if _, twice := f.HostOf(f.HostName(HostID(i))); twice {
			s.damaged("a host twice")
			return
		}
		f.byName.add(&f.hosts, HostID(i))
		switch {
		case int(h.lane) > f.lanes.n:
			s.damaged("a host in no lane")
			return
		case h.lane != 0:
			f.lane(h.lane).busy += h.busy
		}
	}
}

// check makes sure that no entry points to what is not there.
func (s *reader) check(f *Frontier) {
	owned := make([]bool, f.visits.n)
	for i := range uint32(f.entries.n) {
		e := f.entries.at(i)
		switch t := f.tideOf(e.state); {
		case int(e.host) >= f.hosts.n, int(e.state) >= states, e.flags&^allFlags != 0, e.key != e.key:
			s.damaged("an entry that is none")
			return
		case e.is(moored) && (t == nil || t.cap == 0):
			s.damaged("a priority at no cap")
			return
		case t != nil && t.cap != 0 && !e.is(moored) && e.key+t.offset >= t.cap:
			s.damaged("a priority above the cap")
			return
		case e.is(hasVisit) && (int(e.at) >= len(owned) || owned[e.at]):
			s.damaged("a visit of no URL")
			return
		case e.is(hasVisit):
			owned[e.at] = true
		default:
			e.at = nowhere
		}
	}
}

func (s *reader) linkTable(f *Frontier) {
	f.table.reserve(f.entries.n)
	for i := range uint32(f.entries.n) {
		fp := f.entries.at(i).fp
		if _, twice := f.table.find(&f.entries, fp); twice {
			s.damaged("a URL twice")
			return
		}
		f.table.add(&f.entries, fp, ID(i))
	}
}

// linkLeads counts the states and fills the heaps of leads and of visited URLs.
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
		if t := f.tideOf(e.state); t != nil && t.cap != 0 && !e.is(moored) {
			t.rising = append(t.rising, i)
		}
	}
	heapify(byKey{f}, f.queue.rising)
	heapify(byKey{f}, f.shelf.rising)
	f.rebuild(dowse.Waiting)
	f.rebuild(dowse.Visited)
}
