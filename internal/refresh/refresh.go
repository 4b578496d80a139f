// Package refresh decides which pages of a crawl are asked again, and when.
//
// The one idea: a page is worth a request by how likely it has changed since it was asked last, and by
// how long an answer would stay true. Both follow from its rate of change, which is estimated
// from what earlier requests found, with the pages of the same host and kind as the prior.
// Everything else (which hosts are rested, what an answer means) is the caller's.
//
// How the parts fit: rate.go estimates rates, kind.go sorts pages into kinds, and a [Planner]
// holds the pages and returns the best one. Live crawls and simulations in virtual time use the
// same Planner. The package is pure: it reads no clock, and equal calls give equal answers.
package refresh

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// A Plan is what a person decided about revisits. The zero Plan makes none.
type Plan struct {
	Every time.Duration // ask a page again this long after it was asked last; 0 if Auto decides
	Auto  bool          // ask where the expected gain is highest
	Share float64       // of the requests, while there are new pages to visit
}

// IsOn reports whether pages are asked again.
func (p Plan) IsOn() bool { return p.Auto || p.Every > 0 }

// Floor is the chance of change below which an automatic plan does not ask for a page: a request in
// five finds something new, or it is not made.
const Floor = 0.2

// A Planner holds the pages that can be asked again, and chooses among them. The zero
// value is not valid; see [New].
type Planner struct {
	plan  Plan
	floor float64
	pages map[uint32]*known
	rates rates

	list  []ranked // the best pages when it was made, best first
	next  int      // of the list, the first that was not chosen
	made  time.Time
	stale bool // pages came in since the list was made
}

// known is what the planner knows of a page.
type known struct {
	of    hostKind
	asked time.Time // when its content was last known to be the newest
	rest  time.Time // not to be asked before; zero for any time
	seen  History
	rate  float64 // per day, estimated with the prior of the same name
	prior float64
}

// A ranked is a page with what a request would be worth.
type ranked struct {
	id    uint32
	worth float64
}

// New returns a planner without pages. An automatic plan leaves out pages whose
// chance of change is below floor.
func New(plan Plan, floor float64) *Planner {
	return &Planner{plan: plan, floor: floor, pages: map[uint32]*known{}, rates: newRates()}
}

// Add adds a page that was last asked at a time, with what was seen of it before. A page
// that is there already is replaced. host numbers hosts; pages of one host and kind
// share a prior.
func (p *Planner) Add(id, host uint32, kind Kind, asked time.Time, seen History) {
	p.Drop(id)
	g := hostKind{host, kind}
	p.pages[id] = &known{of: g, asked: asked, seen: seen}
	p.rates.add(g, seen, 1)
	p.stale = true
}

// Drop removes a page. It may be unknown.
func (p *Planner) Drop(id uint32) {
	if x := p.pages[id]; x != nil {
		p.rates.add(x.of, x.seen, -1)
		delete(p.pages, id)
	}
}

// Len returns the number of pages.
func (p *Planner) Len() int { return len(p.pages) }

// Note records that a page was asked at a time, and whether it had changed.
func (p *Planner) Note(id uint32, now time.Time, changed bool) {
	x := p.pages[id]
	if x == nil {
		return
	}
	var one History
	one.Note(now.Sub(x.asked), changed)
	x.seen.Note(now.Sub(x.asked), changed)
	p.rates.add(x.of, one, 1)
	x.asked, x.rate, x.rest = now, 0, time.Time{}
	p.stale = true
}

// Asked returns when a page was last asked, the zero time for one that is unknown.
func (p *Planner) Asked(id uint32) time.Time {
	if x := p.pages[id]; x != nil {
		return x.asked
	}
	return time.Time{}
}

// Rest keeps a page from being chosen before a time, because it could not be asked.
func (p *Planner) Rest(id uint32, until time.Time) {
	if x := p.pages[id]; x != nil {
		x.rest = until
	}
}

// How long a list of candidates holds. What a request is worth changes by the day, so an hour
// changes little; and a list that is long enough for many choices makes the cost of one small.
const (
	listFor   = time.Hour
	listLeast = 64
	listPart  = 64 // the list has at least this part of all pages
	lookAt    = 1024
)

// Next returns the page that is worth most at now among those that fit, and its chance of having
// changed. A page is returned again by the next call unless the caller notes it, lets it rest or drops it, or
// fits excludes it. It is not ok if no page is worth a request.
func (p *Planner) Next(now time.Time, fits func(id uint32) bool) (id uint32, chance float64, ok bool) {
	for {
		if p.isStale(now) {
			p.makeList(now)
		}
		id, ok = p.first(now, fits)
		if ok {
			return id, p.chance(p.pages[id], now), true
		}
		if !p.isStale(now) {
			return 0, 0, false
		}
	}
}

// first returns the first page of the list that fits. Pages that were asked since the list was made
// are left out.
func (p *Planner) first(now time.Time, fits func(id uint32) bool) (id uint32, ok bool) {
	for i := p.next; i < min(len(p.list), p.next+lookAt); i++ {
		c := p.list[i]
		x := p.pages[c.id]
		if x == nil || !x.asked.Before(p.made) || x.rest.After(now) {
			if i == p.next {
				p.next++
			}
			continue
		}
		if fits(c.id) {
			return c.id, true
		}
	}
	return 0, false
}

// Any reports whether any page is worth a request at now, whether it fits or not.
func (p *Planner) Any(now time.Time) bool {
	_, _, ok := p.Next(now, func(uint32) bool { return true })
	return ok
}

// isStale reports whether the list of candidates is used up or too old. A list that came
// out empty holds until pages come in or an hour has passed.
func (p *Planner) isStale(now time.Time) bool {
	return p.made.IsZero() || now.Sub(p.made) >= listFor || now.Before(p.made) || p.next >= len(p.list) && p.stale
}

// makeList makes the list of the pages that are worth most at now.
func (p *Planner) makeList(now time.Time) {
	p.list, p.next, p.made, p.stale = p.list[:0], 0, now, false
	for id, x := range p.pages {
		if worth := p.worth(x, now); worth > 0 && !x.rest.After(now) {
			p.list = append(p.list, ranked{id, worth})
		}
	}
	slices.SortFunc(p.list, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.worth, a.worth), cmp.Compare(a.id, b.id))
	})
	if most := listLeast + len(p.pages)/listPart; len(p.list) > most {
		p.list, p.stale = p.list[:most], true
	}
}

// worth returns what a request for a page is worth at now; 0 if it is not to be asked.
func (p *Planner) worth(x *known, now time.Time) float64 {
	age := now.Sub(x.asked)
	switch {
	case age <= 0, !p.plan.Auto && age < p.plan.Every:
		return 0
	case !p.plan.Auto:
		return age.Hours()
	case p.chance(x, now) < p.floor:
		return 0
	}
	return Worth(p.rateOf(x), age)
}

// chance returns the probability that a page has changed.
func (p *Planner) chance(x *known, now time.Time) float64 {
	return -math.Expm1(-p.rateOf(x) * days(now.Sub(x.asked)))
}

// rateOf returns the rate of a page. It is estimated again when the page was asked, or when its
// prior has moved by a tenth.
func (p *Planner) rateOf(x *known) float64 {
	prior := p.rates.of(x.of)
	if x.rate == 0 || math.Abs(prior-x.prior) > x.prior/10 {
		x.prior, x.rate = prior, x.seen.Rate(prior, pageSpread)
	}
	return x.rate
}

// days returns a duration in days.
func days(d time.Duration) float64 { return d.Hours() / 24 }

// Worth returns what it is worth to ask for a page with a rate of change per day, an age after it
// was asked last.
//
// For changes found per request the best order is by 1-(1+x)exp(-x), with x the expected number
// of changes since: pages are then asked in proportion to their rates. For the share of pages
// that are up to date it is the same divided by the rate, since a page that changes all the time is soon
// out of date again (Cho and Garcia-Molina 2003; the index is that of Azar et al. 2018).
// Neither order is good by the other measure: asking in proportion keeps fewer pages up to
// date than asking all alike does. This is the geometric mean of both.
func Worth(rate float64, age time.Duration) float64 {
	return WorthBy(rate, age, 0.5)
}

// WorthBy is [Worth] with another compromise: 0 counts changes found alone, 1 the pages that
// are up to date.
func WorthBy(rate float64, age time.Duration, fresh float64) float64 {
	x := rate * days(age)
	return math.Pow(rate, -fresh) * -(math.Expm1(-x) + x*math.Exp(-x))
}
