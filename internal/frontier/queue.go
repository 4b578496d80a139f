package frontier

import (
	"fmt"

	"dowse"
)

// Queue lets a URL wait for a visit, whatever its state was: unseen, held, in
// flight and to be tried again, excluded and forced, visited and to be visited
// again. A URL that waits already stays where it is. A URL of a dropped group
// is not queued and keeps its state (see [Frontier.Dropped]).
func (f *Frontier) Queue(id ID) {
	e := f.entry(id)
	if e.state == dowse.Waiting || f.isDropped(id) {
		return
	}
	f.move(id, e, dowse.Waiting)
}

// Settle puts a URL into a state in which it does not wait: Held, Visited,
// Dead, Aliased or Excluded. Any other state is a programmer's mistake and
// panics. The URL leaves the queue if it was there. Settle concerns the URL
// alone: the visit to its host ends with [Frontier.Release].
func (f *Frontier) Settle(id ID, s dowse.State) {
	switch s {
	case dowse.Held, dowse.Visited, dowse.Dead, dowse.Aliased, dowse.Excluded:
	default:
		panic(fmt.Sprintf("frontier: settle %d: %v is not a state to settle in", id, s))
	}
	if e := f.entry(id); e.state != s {
		f.move(id, e, s)
	}
}

// Take makes a URL Flying, regardless of its host's rest. It does not make the
// host busy (see [Frontier.Begin]).
func (f *Frontier) Take(id ID) {
	if e := f.entry(id); e.state != dowse.Flying {
		f.move(id, e, dowse.Flying)
	}
}

// SetBand puts a URL into a band. Bands are emptied in order, the lowest first.
func (f *Frontier) SetBand(id ID, band int8) {
	e := f.entry(id)
	if e.band == band {
		return
	}
	better := band < e.band
	f.keep(id, e)
	e.band = band
	f.reorder(id, e, better)
}

// Peek returns the best waiting lead of all hosts, rested or not.
func (f *Frontier) Peek() (ID, bool) {
	if len(f.polite.all) == 0 {
		return None, false
	}
	return f.best(f.polite.all[0]), true
}

// BestVisited returns the visited URL with the highest priority above 0,
// whatever its band; among equals the first seen. It needs Config.Revisits.
func (f *Frontier) BestVisited() (ID, bool) {
	if len(f.visited) == 0 {
		return None, false
	}
	id := ID(f.visited[0])
	if f.Priority(id) <= 0 {
		return None, false
	}
	return id, true
}

// move changes the state of a URL, and is the only function that does. It
// updates counts, heaps and priority.
func (f *Frontier) move(id ID, e *entry, s dowse.State) {
	f.keep(id, e)
	f.leave(id, e)
	f.detach(id, e)
	f.counts[e.state]--
	e.state = s
	f.counts[s]++
	f.setKey(id, e, e.key)
	f.enter(id, e)
}

// leave removes a URL from the heap of its state. If it was the best lead of
// its host, the host moves.
func (f *Frontier) leave(id ID, e *entry) {
	switch {
	case e.state == dowse.Waiting:
		ho := f.host(e.host)
		at := f.at(id)
		remove(byLead{f}, &ho.leads, int(at))
		f.setAt(id, nowhere)
		if at == 0 {
			f.refresh(e.host)
		}
	case e.state == dowse.Visited && f.revisits:
		remove(byVisited{f}, &f.visited, int(f.at(id)))
		f.setAt(id, nowhere)
	}
}

// enter adds a URL to the heap of its state. If it is the best lead of its
// host, the host moves.
func (f *Frontier) enter(id ID, e *entry) {
	switch {
	case e.state == dowse.Waiting:
		ho := f.host(e.host)
		if push(byLead{f}, &ho.leads, uint32(id)) == 0 {
			f.refresh(e.host)
		}
	case e.state == dowse.Visited && f.revisits:
		push(byVisited{f}, &f.visited, uint32(id))
	}
}

// reorder moves a URL in its heap after its rank has become better, or worse.
func (f *Frontier) reorder(id ID, e *entry, better bool) {
	switch {
	case e.state == dowse.Waiting:
		from := int(f.at(id))
		to := shift(byLead{f}, f.host(e.host).leads, from, uint32(id), better)
		if from == 0 || to == 0 {
			f.refresh(e.host)
		}
	case e.state == dowse.Visited && f.revisits:
		shift(byVisited{f}, f.visited, int(f.at(id)), uint32(id), better)
	}
}

// byLead orders waiting leads: by band, priority and first sighting; or, in
// other orders of the crawl, by band and first sighting, or by band and
// fingerprint, which is a random order.
type byLead struct{ f *Frontier }

func (o byLead) before(a, b uint32) bool {
	x, y := o.f.entries.at(a), o.f.entries.at(b)
	if x.band != y.band {
		return x.band < y.band
	}
	if o.f.order == dowse.ByPriority {
		return x.above(y, a < b)
	}
	return o.f.Earlier(ID(a), ID(b))
}

// Earlier reports whether a comes before b if band and priority are equal: it
// was seen first or, in a shuffled crawl, has the lower fingerprint.
func (f *Frontier) Earlier(a, b ID) bool {
	if f.order != dowse.Shuffled {
		return a < b
	}
	return f.entry(a).fp.before(f.entry(b).fp)
}

func (o byLead) moved(x uint32, at int) {
	if at == 0 {
		o.f.host(o.f.entries.at(x).host).best = x
	}
	o.f.setAt(ID(x), uint32(at))
}

// byVisited orders visited URLs: priority, first sighting.
type byVisited struct{ f *Frontier }

func (o byVisited) before(a, b uint32) bool {
	return o.f.entries.at(a).above(o.f.entries.at(b), a < b)
}

func (o byVisited) moved(x uint32, at int) { o.f.setAt(ID(x), uint32(at)) }

// above compares two URLs of one state; first decides between equals. Capped
// URLs are above all others.
func (e *entry) above(o *entry, first bool) bool {
	if e.is(capped) != o.is(capped) {
		return e.is(capped)
	}
	return e.key > o.key || e.key == o.key && first
}

// Top returns the n best waiting leads in order, regardless of politeness, and
// changes nothing. Its cost grows with n, not with the number of waiting leads.
func (f *Frontier) Top(n int) []ID {
	n = min(n, f.counts[dowse.Waiting])
	if n <= 0 {
		return nil
	}
	t := ranking{f: f}
	t.host(0)
	ids := make([]ID, 0, n)
	for len(ids) < n {
		ids = append(ids, t.next())
	}
	return ids
}

// Leaders returns the best waiting lead of each of the n best hosts, in order,
// regardless of politeness, and changes nothing.
func (f *Frontier) Leaders(n int) []ID {
	n = min(n, len(f.polite.all))
	if n <= 0 {
		return nil
	}
	t := ranking{f: f, leaders: true}
	t.host(0)
	ids := make([]ID, 0, n)
	for len(ids) < n && len(t.open) > 0 {
		ids = append(ids, t.next())
	}
	return ids
}

// A ranking walks down the heaps of hosts and leads in the order of leads.
// After a node has been returned, only its children, and the nodes found
// before, can be next.
type ranking struct {
	f       *Frontier
	open    []candidate
	leaders bool // one lead per host
	within  bool // the leads of one host only
}

// A candidate is a lead that may be the next in the order, with its place in the
// heaps, from which its children are found.
type candidate struct {
	lead uint32
	host HostID
	at   int // position in the host's heap
	all  int // position of its host in the heap of all hosts
}

// next returns the best candidate and adds its children: in the heap of its host
// and, if it is the best of its host, in the heap of hosts. So every lead becomes
// a candidate once all leads above it have been returned.
func (t *ranking) next() ID {
	c := t.open[0]
	remove(byCandidate{t.f}, &t.open, 0)
	for i := fan*c.at + 1; i <= fan*c.at+fan && !t.leaders; i++ {
		t.lead(c.host, i, c.all)
	}
	if c.at == 0 && !t.within {
		for i := fan*c.all + 1; i <= fan*c.all+fan; i++ {
			t.host(i)
		}
	}
	return ID(c.lead)
}

func (t *ranking) host(all int) {
	if all < len(t.f.polite.all) {
		t.lead(HostID(t.f.polite.all[all]), 0, all)
	}
}

func (t *ranking) lead(h HostID, at, all int) {
	if leads := t.f.host(h).leads; at < len(leads) {
		push(byCandidate{t.f}, &t.open, candidate{leads[at], h, at, all})
	}
}

type byCandidate struct{ f *Frontier }

func (o byCandidate) before(a, b candidate) bool { return byLead(o).before(a.lead, b.lead) }
func (o byCandidate) moved(candidate, int)       {}
