// Package refresh decides which pages of a crawl are asked again, and when.
//
// The one idea: a page is worth a request by how likely it has changed since it was asked last, and by
// how long an answer would stay true. Both follow from its rate of change. What is known of the rate
// is a distribution, from what earlier requests found and with the pages of the same host and
// kind as the prior; a page is worth the mean over it.
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
	Every time.Duration // ask a page again this long after it was asked last; 0 if estimates decide
	Auto  bool          // ask where the expected gain is highest, by changes found and by pages up to date
	// Changes asks where most changes are expected, whatever that means for the share of pages that are
	// up to date. It is used instead of Auto.
	Changes bool
	Share   float64 // of the requests, while there are new pages to visit
}

// estimates reports whether estimated rates of change decide.
func (p Plan) estimates() bool { return p.Auto || p.Changes }

// IsOn reports whether pages are asked again.
func (p Plan) IsOn() bool { return p.estimates() || p.Every > 0 }

// Floor is the chance of change below which an automatic plan does not ask for a page: a request in
// five finds something new, or it is not made.
const Floor = 0.2

// A Planner holds the pages that can be asked again, and chooses among them. The zero
// value is not valid; see [New].
type Planner struct {
	plan  Plan
	floor float64
	aim   *aim
	pages map[uint32]*known
	order []*known // the pages in an order that depends on the calls alone, so that sums do, too
	rates rates
	back  History // whether pages that were missing were back when they were asked again
	backs belief  // how often they come back, when the list was made

	requests float64   // that were made
	pageDays float64   // in which they were made: of each page, the days since it was fetched first
	counted  time.Time // until when pageDays counts

	list  []ranked // the best pages when it was made, best first
	next  int      // of the list, the first that was not chosen
	made  time.Time
	stale bool // pages came in since the list was made
}

// known is what the planner knows of a page.
type known struct {
	id    uint32
	at    int // in Planner.order
	of    hostKind
	asked time.Time // when its content was last known to be the newest
	rest  time.Time // not to be asked before; zero for any time
	seen  History
	quiet time.Duration // how long the first version had stayed the same when it was fetched, by its own date; 0 if unknown
	shown *belief       // the likelihood of seen and quiet; nil if there is neither
	gone  bool          // the last answer was that there is no such page
}

// A ranked is a page with what a request would be worth.
type ranked struct {
	id    uint32
	worth float64
}

// New returns a planner without pages. An automatic plan leaves out pages whose
// chance of change is below floor.
func New(plan Plan, floor float64) *Planner {
	p := &Planner{plan: plan, floor: floor, aim: &bothAim, pages: map[uint32]*known{}, rates: newRates()}
	if plan.Changes {
		p.aim = &changesAim
	}
	return p
}

// Add adds a page that was last asked at a time, with what was seen of it before. A page
// that is there already is replaced. host numbers hosts; pages of one host and kind
// share a prior.
func (p *Planner) Add(id, host uint32, kind Kind, asked time.Time, seen History) {
	p.Drop(id)
	x := &known{id: id, at: len(p.order), of: hostKind{host, kind}, asked: asked, seen: seen}
	x.learn()
	p.pages[id], p.order = x, append(p.order, x)
	p.stale = true
}

// learn computes what the page's history shows of its rate.
func (x *known) learn() {
	h := x.seen
	if x.quiet > 0 {
		h.NoteDated(x.quiet)
	}
	if x.shown = nil; h != (History{}) {
		l := h.likelihood()
		x.shown = &l
	}
}

// Date records how long a page had stayed the same when it was fetched first, by the date that came with it. It is
// evidence before the page is asked again for the first time (Cho and Garcia-Molina 2003: the last date of change).
func (p *Planner) Date(id uint32, quiet time.Duration) {
	if x := p.pages[id]; x != nil && quiet >= leastQuiet {
		x.quiet = quiet
		x.learn()
		p.stale = true
	}
}

// leastQuiet is the shortest time since a change that counts. Servers that make a page for each request
// send the time of the request as its date, which shows nothing.
const leastQuiet = time.Minute

// Drop removes a page. It may be unknown.
func (p *Planner) Drop(id uint32) {
	x := p.pages[id]
	if x == nil {
		return
	}
	last := p.order[len(p.order)-1]
	p.order[x.at], last.at = last, x.at
	p.order = p.order[:len(p.order)-1]
	delete(p.pages, id)
}

// Len returns the number of pages.
func (p *Planner) Len() int { return len(p.pages) }

// Note records that a page was asked at a time, whether it had changed, and the date of the new version, the
// zero time if it has none. A version whose date does not lie between the two requests shows that
// dates of this page mean nothing, and that of its first version is forgotten.
func (p *Planner) Note(id uint32, now time.Time, changed bool, dated time.Time) {
	x := p.pages[id]
	if x == nil {
		return
	}
	p.requests++
	if x.gone {
		p.NoteReturn(now.Sub(x.asked), true)
	}
	if !x.seen.NoteVersion(x.asked, now, changed, dated) {
		x.quiet = 0
	}
	x.learn()
	x.asked, x.rest, x.gone = now, time.Time{}, false
	p.stale = true
}

// NoteMissing records that a page was asked at a time, and that there was none. That is a change, but
// shows nothing of how often the page changes as long as it exists. It is asked again to see whether it is back, which is
// worth more the more often pages of this crawl come back.
func (p *Planner) NoteMissing(id uint32, now time.Time) {
	if x := p.pages[id]; x != nil {
		p.requests++
		if x.gone {
			p.NoteReturn(now.Sub(x.asked), false)
		}
		x.asked, x.rest, x.gone = now, time.Time{}, true
		p.stale = true
	}
}

// Before records how many requests were made before those that are noted, and in how many days of a page: the sum over the pages
// of the days since each was fetched first. It replaces what was counted so far.
func (p *Planner) Before(requests int, pageDays float64) {
	p.requests, p.pageDays, p.counted = float64(requests), pageDays, time.Time{}
}

// count counts the days of all pages until now.
func (p *Planner) count(now time.Time) {
	if !p.counted.IsZero() {
		p.pageDays += float64(len(p.order)) * max(days(now.Sub(p.counted)), 0)
	}
	p.counted = now
}

// every returns in how many days a page is asked once, on average over all pages and so far. Without any
// evidence that is as often as a page is expected to change, which counts as much as one request.
func (p *Planner) every() float64 { return (p.pageDays + 1/firstRate) / (p.requests + 1) }

// NoteReturn records whether a page that was missing was back when it was asked again after an interval. From that follows how often missing
// pages come back. [Planner.Note] and [Planner.NoteMissing] call it; a caller does for requests of earlier runs.
func (p *Planner) NoteReturn(interval time.Duration, isBack bool) { p.back.Note(interval, isBack) }

// ReturnRate is the rate per day at which a missing page is expected back by the floor of live crawls: it may be asked after five days,
// so that it is gone, after three answers, in ten, even in a crawl in which no page comes back. How much such a request is
// worth follows from how often pages were back before.
const ReturnRate = 1.0 / 20

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

// makeList makes the list of the pages that are worth most at now. Before, what is known of groups
// of pages is computed again from the beliefs about their pages, which were themselves
// made with what was known of the groups before.
func (p *Planner) makeList(now time.Time) {
	passes := 0
	switch {
	case p.plan.estimates() && p.made.IsZero():
		passes = firstPasses
	case p.plan.estimates():
		passes = 1
	}
	for range passes {
		p.learn()
	}
	p.count(now)
	p.backs = p.back.likelihood().under(&first)
	p.list, p.next, p.made, p.stale = p.list[:0], 0, now, false
	for _, x := range p.order {
		if worth := p.worth(x, now); worth > 0 && !x.rest.After(now) {
			p.list = append(p.list, ranked{x.id, worth})
		}
	}
	slices.SortFunc(p.list, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.worth, a.worth), cmp.Compare(a.id, b.id))
	})
	if most := listLeast + len(p.pages)/listPart; len(p.list) > most {
		p.list, p.stale = p.list[:most], true
	}
}

// firstPasses is how often the first list computes what is known of groups: each time the beliefs
// about pages become better, and with them the groups. Later lists go on from there.
const firstPasses = 4

// learn computes what is known of groups.
func (p *Planner) learn() {
	next := newRates()
	for _, x := range p.order {
		if x.shown != nil {
			b := p.belief(x)
			next.add(x.of, &b)
		}
	}
	p.rates = next
}

// belief returns what is known of the rate of a page.
func (p *Planner) belief(x *known) belief {
	prior := p.rates.prior(x.of)
	if x.shown == nil {
		return *prior
	}
	return x.shown.under(prior)
}

// worth returns what a request for a page is worth at now; 0 if it is not to be asked.
func (p *Planner) worth(x *known, now time.Time) float64 {
	age := now.Sub(x.asked)
	switch {
	case age <= 0, !p.plan.estimates() && age < p.plan.Every:
		return 0
	case !p.plan.estimates():
		return age.Hours()
	case p.floor > 0 && p.chance(x, now) < p.floor:
		return 0
	case x.gone:
		return p.mix(&p.backs, &allAlike, age)
	}
	b := p.belief(x)
	return p.mix(&b, &p.aim.hopes, age)
}

// mix returns the mean worth over the rates of a belief, some of which count more than others.
func (p *Planner) mix(b, counts *belief, age time.Duration) float64 {
	sum, weights, every := 0.0, 0.0, p.every()
	for i, rate := range grid {
		w := b[i] * counts[i]
		weights += w
		sum += w * Worth(rate, age, every, p.aim.fresh)
	}
	return sum / weights
}

// An aim is what requests are made for.
type aim struct {
	fresh float64 // the weight of pages that are up to date against changes found
	hopes belief  // by how much each rate counts more than its probability in the worth of a page
}

// The aims. Fast rates count more than their probability, by a power of the rate: a page that may be fast is asked to
// find out, since requests for those that are find most. The numbers were chosen on webs that are not
// those of the table in docs/refresh.md.
var (
	bothAim    = newAim(BothWeight, 0.7)
	changesAim = newAim(0, 0.2)
)

// allAlike counts all rates by their probability.
var allAlike = newAim(0, 0).hopes

func newAim(fresh, hope float64) aim {
	a := aim{fresh: fresh}
	for i, rate := range grid {
		a.hopes[i] = math.Pow(rate, hope)
	}
	return a
}

// chance returns the probability that a page has changed.
func (p *Planner) chance(x *known, now time.Time) float64 {
	d := days(now.Sub(x.asked))
	if x.gone {
		return -math.Expm1(-ReturnRate * d)
	}
	b := p.belief(x)
	sum := 0.0
	for i, rate := range grid {
		sum -= b[i] * math.Expm1(-rate*d)
	}
	return sum
}

// days returns a duration in days.
func days(d time.Duration) float64 { return d.Hours() / 24 }

// BothWeight is the weight of pages that are up to date in a [Plan] with Auto.
const BothWeight = 2.4

// Worth returns what it is worth to ask for a page with a rate of change per day, an age after it
// was asked last, if a page is asked once in every days on average. fresh is the weight of pages that are up
// to date against changes found: 0 for changes alone, infinite for pages up to date alone.
//
// For changes found per request the best order is by 1-(1+x)exp(-x), with x the expected number
// of changes since: pages are then asked in proportion to their rates. For the share of pages
// that are up to date it is the same divided by the rate, since a page that changes all the time is soon
// out of date again (Cho and Garcia-Molina 2003; the index is that of Azar et al. 2018).
// Neither order is good by the other measure: asking in proportion keeps fewer pages up to
// date than asking all alike does. This is a weighted sum of both indices, because for a weighted sum
// of two measures the best order is by the same sum of their indices. The days between two requests make the
// weight of the second one independent of how many requests are made.
func Worth(rate float64, age time.Duration, every, fresh float64) float64 {
	x := rate * days(age)
	index := 1 - (1+x)*math.Exp(-x)
	if math.IsInf(fresh, 1) {
		return index / rate
	}
	return (1 + fresh/(rate*max(every, 1e-3))) * index
}
