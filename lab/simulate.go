// Package lab simulates crawls in virtual time, so that strategies can be compared
// without a network and without waiting.
//
// The idea: a simulated crawl uses the strategy, frontier and politeness rules of a
// live one ([crawl.Crawl]); only the network and the clock are replaced. A [Web]
// answers a visit immediately and returns how long the answer would have taken, and
// a [Simulation] keeps the answers in a heap by the virtual time at which they
// arrive. Ten hours of politeness delays take seconds, and the result is exact: the
// same crawl, web and number of workers always give the same visits in the same
// order, whatever the machine does meanwhile.
//
// [Setup] puts one simulated crawl together; [Oracle] computes the order of a crawl
// that knows the relevant pages in advance, which is the upper bound that strategies
// are measured against. What a run means (measures, statistics, reports) and which
// runs belong to an experiment is the work of other packages.
//
// A simulation runs on the goroutine that calls it and starts no other. Memory grows
// with the visits in flight, not with the crawl; what the crawl itself remembers is
// its own. Nothing here may use the network or read the wall clock.
package lab

import (
	"container/heap"
	"context"
	"time"

	"dowse"
	"dowse/crawl"
)

// A Web answers visits without a network. Its answers must not depend on the time
// or on the order of visits: two simulations of the same crawl must see the same
// pages.
type Web interface {
	// Visit returns the page or the failure that the visit gives, and how long
	// the visit takes in virtual time. The page belongs to the caller, which sets
	// p.Fetch.At and p.Fetch.Took.
	Visit(v crawl.Visit) (p *dowse.Page, took time.Duration)
}

// Over returns a Web of which every visit is made by v, and takes as long as
// latency returns for its URL. It connects a simulation to the complete chain of
// a live crawl (fetching, parsing, judging) with an in-memory transport behind
// it.
func Over(v crawl.Visitor, latency func(dowse.URL) time.Duration) Web {
	return visitorWeb{v, latency}
}

// visitorWeb is the Web that [Over] returns. Visits have no deadline: the
// transport behind the visitor answers from memory.
type visitorWeb struct {
	visitor crawl.Visitor
	latency func(dowse.URL) time.Duration
}

func (w visitorWeb) Visit(v crawl.Visit) (*dowse.Page, time.Duration) {
	return w.visitor.Visit(context.Background(), v).Page, w.latency(v.URL)
}

// A Simulation runs one crawl over a web in virtual time, with an event heap in
// place of the network and addition in place of the clock. It is used once and by
// one goroutine.
//
// The loop alternates two steps. While a worker is free, it asks the crawl for
// the next visit, makes it, and pushes the answer with its time of arrival onto
// the heap. When no worker is free, or politeness allows no visit yet, it moves
// the virtual time forward to the earlier of the next arrival and the time at
// which the crawl allows a visit. Ties are resolved by the order in which visits
// started, so the order is always defined.
type Simulation struct {
	Crawl   *crawl.Crawl
	Web     Web
	Workers int                                     // visits in flight at most; default 1
	Start   time.Time                               // virtual time of the first visit; default Epoch
	Each    func(now time.Time, p *dowse.Page) bool // if set, called for every page after it is absorbed; false ends the run
	Clock   func() time.Duration                    // processor or wall time, for Worked; nil measures nothing

	// Worked is how long strategy and frontier worked, by Clock: the cost of a
	// crawl without fetching, parsing and judging. Measuring it does not change
	// the visits.
	Worked time.Duration

	now    time.Time
	seq    int
	events events
}

// Run simulates until the crawl stops, nothing is left to visit, or Each returns
// false. It returns the virtual time from Start to the last arrival. Visits that
// are in flight when Each returns false are dropped and never absorbed.
func (s *Simulation) Run() time.Duration {
	s.Workers = max(s.Workers, 1)
	if s.Start.IsZero() {
		s.Start = Epoch
	}
	s.now = s.Start
	for {
		when := s.startVisits()
		switch {
		case len(s.events) > 0 && (when.IsZero() || !s.events[0].at.After(when)):
			if !s.finishVisit() {
				return s.now.Sub(s.Start)
			}
		case when.IsZero():
			return s.now.Sub(s.Start)
		default:
			s.now = when
		}
	}
}

// startVisits starts visits while workers are free. It returns when the crawl
// allows the next one; the zero time means that an arrival must come first, or
// that the crawl has stopped.
func (s *Simulation) startVisits() time.Time {
	for len(s.events) < s.Workers {
		begun := s.clock()
		v, when, ok := s.Crawl.Next(s.now)
		s.Worked += s.clock() - begun
		if !ok {
			if s.Crawl.Stopped() != "" {
				return time.Time{}
			}
			return when
		}
		p, took := s.Web.Visit(v)
		p.Fetch.At = s.now
		p.Fetch.Took = took
		s.seq++
		heap.Push(&s.events, event{s.now.Add(took), s.seq, p})
	}
	return time.Time{}
}

// finishVisit takes the earliest answer from the heap, sets the virtual time to
// its arrival, and gives it to the crawl. It reports whether the run goes on. The
// time never moves back: an answer may have arrived while the clock was already
// set to a later permitted visit.
func (s *Simulation) finishVisit() bool {
	e := heap.Pop(&s.events).(event)
	if e.at.After(s.now) {
		s.now = e.at
	}
	begun := s.clock()
	s.Crawl.Absorb(s.now, e.page)
	s.Worked += s.clock() - begun
	return s.Each == nil || s.Each(s.now, e.page)
}

// clock reads Clock; without one, all measured times are 0.
func (s *Simulation) clock() time.Duration {
	if s.Clock == nil {
		return 0
	}
	return s.Clock()
}

// An event is the answer to a visit, on its way.
type event struct {
	at   time.Time // virtual time of arrival
	seq  int       // number of the visit, in the order of starts
	page *dowse.Page
}

// events is a heap by time, then by start.
type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	if !e[i].at.Equal(e[j].at) {
		return e[i].at.Before(e[j].at)
	}
	return e[i].seq < e[j].seq
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	old := *e
	x := old[len(old)-1]
	*e = old[:len(old)-1]
	return x
}
