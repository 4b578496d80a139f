// Package lab tells which strategy is better, and how sure we are.
package lab

import (
	"container/heap"
	"context"
	"time"

	"dowse"
	"dowse/crawl"
)

// A Web holds still: it answers visits without a network, in virtual time.
type Web interface {
	// Visit returns what came of a visit and how long it took.
	Visit(v crawl.Visit) (p *dowse.Page, took time.Duration)
}

// Over makes a web of a visitor: the visits are the real ones, the time they take
// is what latency says.
func Over(v crawl.Visitor, latency func(dowse.URL) time.Duration) Web {
	return visited{v, latency}
}

type visited struct {
	visitor crawl.Visitor
	latency func(dowse.URL) time.Duration
}

func (w visited) Visit(v crawl.Visit) (*dowse.Page, time.Duration) {
	return w.visitor.Visit(context.Background(), v).Page, w.latency(v.URL)
}

// Simulation runs a crawl over a web in virtual time: an event heap instead of a
// network, arithmetic instead of a clock. The same crawl, web and number of
// workers give the same visits in the same order, always.
type Simulation struct {
	Crawl   *crawl.Crawl
	Web     Web
	Workers int                                     // visits at once; 1
	Start   time.Time                               // 2000-01-01 UTC
	Each    func(now time.Time, p *dowse.Page) bool // hears of every page as it is absorbed; false ends the run
	Clock   func() time.Duration                    // the machine's; nil measures no work

	// Worked is how long strategy and frontier were at work by Clock: what a crawl
	// costs beside fetching, reading and judging. It does not change what is done.
	Worked time.Duration

	now    time.Time
	seq    int
	events events
}

// Run simulates until the crawl stops and returns the virtual time it took.
func (s *Simulation) Run() time.Duration {
	s.Workers = max(s.Workers, 1)
	if s.Start.IsZero() {
		s.Start = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	s.now = s.Start
	for {
		when := s.launch()
		switch {
		case len(s.events) > 0 && (when.IsZero() || !s.events[0].at.After(when)):
			if !s.land() {
				return s.now.Sub(s.Start)
			}
		case when.IsZero():
			return s.now.Sub(s.Start)
		default:
			s.now = when
		}
	}
}

// launch starts visits while workers are free and tells when more may start.
func (s *Simulation) launch() time.Time {
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

func (s *Simulation) land() bool {
	e := heap.Pop(&s.events).(event)
	if e.at.After(s.now) {
		s.now = e.at
	}
	begun := s.clock()
	s.Crawl.Absorb(s.now, e.page)
	s.Worked += s.clock() - begun
	return s.Each == nil || s.Each(s.now, e.page)
}

func (s *Simulation) clock() time.Duration {
	if s.Clock == nil {
		return 0
	}
	return s.Clock()
}

type event struct {
	at   time.Time
	seq  int
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
