package refresh

import (
	"math"
	"time"
)

// A History is what earlier requests for a page have shown: in how many intervals between two
// requests it had changed, and how long the intervals were. It is all that the estimate of a
// rate needs, however often the page was asked.
type History struct {
	Changed int     // intervals at whose end it had changed
	Moved   float64 // days of these intervals
	Same    float64 // days of the intervals at whose end it had not
}

// Note adds an interval.
func (h *History) Note(interval time.Duration, changed bool) {
	d := max(days(interval), 0)
	if changed {
		h.Changed++
		h.Moved += d
		return
	}
	h.Same += d
}

// NoteVersion adds what a request found that was made at now, the one before it at asked: by the date of the new version, if
// that is possible, otherwise as an interval. It returns false for a change without a possible date.
func (h *History) NoteVersion(asked, now time.Time, changed bool, dated time.Time) bool {
	if changed && dated.After(asked) && now.Sub(dated) >= leastQuiet {
		h.NoteDated(now.Sub(dated))
		return true
	}
	h.Note(now.Sub(asked), changed)
	return !changed
}

// NoteDated adds a change whose time is known, with how long the page had stayed the same since. It
// shows more than an interval with a change: how many changes were in the interval is hidden, and the last of them is not.
// Changes before it are unknown, so what was before it counts for nothing.
func (h *History) NoteDated(quiet time.Duration) {
	h.Changed++
	h.Moved += moment
	h.Same += max(days(quiet), 0)
}

// moment is the interval in which a change lies whose time is known, in days: a minute. The probability of a change
// in so short an interval is the rate times its length, which is the likelihood of a time of
// change up to a factor.
const moment = 1.0 / (24 * 60)

// The rates that are distinguished, in changes per day: from one in 1,000 days to four a day, in
// steps of equal ratio.
const (
	steps   = 16
	slowest = 1.0 / 1000
	fastest = 4.0
)

var grid = func() (rates [steps]float64) {
	for i := range rates {
		rates[i] = slowest * math.Pow(fastest/slowest, float64(i)/(steps-1))
	}
	return rates
}()

// A belief has a weight for each rate of the grid: what is known of the rate of a page, or of
// the rates of a group of pages. A sum of weights that is not 1 is allowed.
type belief [steps]float64

// likelihood returns how well each rate explains a history, up to a factor.
//
// Whether a page had changed in an interval is a Bernoulli trial with the probability
// 1-exp(-rate·interval): several changes in one interval look like one (Cho and Garcia-Molina
// 2003, for irregular intervals). Intervals at whose end the page had changed are counted with
// their mean length, so that no list of them is needed.
func (h History) likelihood() (l belief) {
	n, mean := float64(max(h.Changed, 0)), 0.0
	if n > 0 {
		mean = max(h.Moved/n, 1e-6)
	}
	most := math.Inf(-1)
	for i, rate := range grid {
		if l[i] = -rate * max(h.Same, 0); n > 0 {
			l[i] += n * math.Log(-math.Expm1(-rate*mean))
		}
		most = max(most, l[i])
	}
	for i := range l {
		l[i] = math.Exp(l[i] - most)
	}
	return l
}

// under returns the belief about a page of which a likelihood is known and which is drawn from a
// prior. It sums to 1.
func (b belief) under(prior *belief) belief {
	for i := range b {
		b[i] *= prior[i]
	}
	return b.scaled(1)
}

// scaled returns the belief with a sum of weights.
func (b belief) scaled(to float64) belief {
	sum := 0.0
	for _, w := range b {
		sum += w
	}
	for i := range b {
		b[i] *= to / sum
	}
	return b
}

func (b *belief) add(other *belief) {
	for i, w := range other {
		b[i] += w
	}
}

// The priors. A page is expected to be like one of those of its kind on its host, these like those
// of their kind anywhere, and these like all pages. The weights are in pages: with as many pages
// that were asked, a group counts as much as what it is a part of. Without any evidence a page is
// expected to change once in 20 days, give or take a factor of ten: half of the pages change
// within 50 days (Cho and Garcia-Molina 2000).
const (
	firstRate   = 1.0 / 20
	firstSpread = 2.3 // of the logarithm: a factor of ten
	firstWeight = 5
	allWeight   = 10
	kindWeight  = 6
)

var first = func() (b belief) {
	for i, rate := range grid {
		d := math.Log(rate/firstRate) / firstSpread
		b[i] = math.Exp(-d * d / 2)
	}
	return b.scaled(firstWeight)
}()

// A hostKind is the pages of one kind on one host.
type hostKind struct {
	host uint32
	kind Kind
}

// rates are what is known of groups of pages: the sums of the beliefs about their pages that were
// asked again.
type rates struct {
	all    belief
	kinds  [kinds]belief
	groups map[hostKind]*belief
	priors map[hostKind]*belief // computed from the sums
}

func newRates() rates {
	return rates{groups: map[hostKind]*belief{}, priors: map[hostKind]*belief{}}
}

// add adds the belief about a page. Priors that were computed before do not change.
func (r *rates) add(g hostKind, page *belief) {
	r.all.add(page)
	r.kinds[g.kind].add(page)
	of := r.groups[g]
	if of == nil {
		of = &belief{}
		r.groups[g] = of
	}
	of.add(page)
}

// prior returns what to expect of a page in a group.
func (r *rates) prior(g hostKind) *belief {
	if b := r.priors[g]; b != nil {
		return b
	}
	b := first
	b.add(&r.all)
	b = b.scaled(allWeight)
	b.add(&r.kinds[g.kind])
	b = b.scaled(kindWeight)
	if of := r.groups[g]; of != nil {
		b.add(of)
	}
	b = b.scaled(1)
	r.priors[g] = &b
	return &b
}
