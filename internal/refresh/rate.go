package refresh

import (
	"math"
	"time"
)

// A History is what earlier requests for a page, or for the pages of a group, have shown: in how
// many intervals between two requests it had changed, and how long the intervals were. It is
// all that the estimate of a rate needs, however often the page was asked.
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

// add adds another history, or takes it away if sign is -1.
func (h *History) add(other History, sign int) {
	h.Changed += sign * other.Changed
	h.Moved += float64(sign) * other.Moved
	h.Same += float64(sign) * other.Same
}

// Rates are kept within these bounds, per day.
const (
	least = 1e-4
	most  = 1e3
)

// Rate returns the estimated number of changes per day. prior is the rate to expect without
// evidence, and spread by how much rates differ from it: the standard deviation of their
// logarithm.
//
// Whether a page had changed in an interval is a Bernoulli trial with the probability
// 1-exp(-rate·interval): several changes in one interval look like one. The estimate is the
// maximum of the likelihood of all trials (Cho and Garcia-Molina 2003, for irregular
// intervals) times the prior, which is normal in the logarithm, because rates of pages differ by
// powers of ten. Intervals at whose end the page had changed are counted with their mean length, so
// that no list of them is needed.
func (h History) Rate(prior, spread float64) float64 {
	if h == (History{}) {
		return prior
	}
	n, mean := float64(max(h.Changed, 0)), 0.0
	if n > 0 {
		mean = max(h.Moved/n, 1e-6)
	}
	slope := func(log float64) float64 { // of the logarithm of the posterior
		rate := math.Exp(log)
		s := (math.Log(prior)-log)/(spread*spread) - rate*max(h.Same, 0)
		if n > 0 {
			x := rate * mean
			s += n * x / math.Expm1(x)
		}
		return s
	}
	lo, hi := math.Log(least), math.Log(most)
	for range 40 {
		if mid := (lo + hi) / 2; slope(mid) > 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	return math.Exp((lo + hi) / 2)
}

// The priors. A page is expected to change like the others of its kind on its host, these like
// all of their kind, and these like all pages. Without any evidence a page is expected to
// change once in 20 days, give or take a factor of ten: half of the pages change within 50
// days (Cho and Garcia-Molina 2000).
const (
	firstRate = 1.0 / 20
	allSpread = 2.3 // a factor of ten
	// The spreads of a kind around all pages, of the pages of a kind on a host around the kind, and of a page
	// around these. The last one is the largest: pages of one host differ more than hosts do.
	kindSpread = 0.7
	hostSpread = 1.2
	pageSpread = 1.5
)

// A hostKind is the pages of one kind on one host.
type hostKind struct {
	host uint32
	kind Kind
}

// rates are the histories of groups of pages.
type rates struct {
	all    History
	kinds  [kinds]History
	groups map[hostKind]History
	known  map[hostKind]float64 // rates that were estimated since the last history was added
}

func newRates() rates { return rates{groups: map[hostKind]History{}, known: map[hostKind]float64{}} }

// add adds the history of a page to its groups, or takes it away if sign is -1.
func (r *rates) add(g hostKind, h History, sign int) {
	if h == (History{}) {
		return
	}
	clear(r.known)
	r.all.add(h, sign)
	r.kinds[g.kind].add(h, sign)
	of := r.groups[g]
	of.add(h, sign)
	r.groups[g] = of
}

// of returns the rate to expect of a page in a group.
func (r *rates) of(g hostKind) float64 {
	if rate, ok := r.known[g]; ok {
		return rate
	}
	rate := r.kinds[g.kind].Rate(r.all.Rate(firstRate, allSpread), kindSpread)
	if of, ok := r.groups[g]; ok {
		rate = of.Rate(rate, hostSpread)
	}
	r.known[g] = rate
	return rate
}
