package interest

import (
	"cmp"
	"fmt"
	"math"

	"dowse/strategy/input"
)

// Ratios are the parameters of interest ratios (Aggarwal, Al-Garawi and Yu 2001), shared by
// the three strategies. The interest ratio of a feature is
//
//	I(C, E) = P(C | E) / P(C)
//
// where C is "the page is on topic" and E is "the page has the feature": 1 means that the
// feature is uninformative, 4 that pages with it are on topic four times as often as pages in
// general. A zero field means its default.
type Ratios struct {
	Sigma       float64 `param:"sigma" default:"1" help:"pulls ratios towards 1 while little is known, as if this many average pages had been seen; ours"`
	T           float64 `param:"t" default:"2" help:"standard deviations from the mean from which a feature counts; Aggarwal et al. 2001"`
	Sig         string  `param:"sig" default:"paper" help:"deviation for the number of pages in all (paper) or of those with the feature (support), which is the sound one; Aggarwal et al. 2001, support is ours"`
	MinSupport  int     `param:"min-support" default:"1" help:"pages with a feature from which it counts; ours"`
	Exact       bool    `param:"exact" default:"false" help:"rate every waiting lead again after each page, as the paper does; slow"`
	Rescored    int     `param:"rescored" default:"100" help:"waiting leads rated again after a page: targets of its links, as many that share linking pages with it, a quarter as many that its people accessed; ours"`
	ReuseWeight float64 `param:"reuse-weight" default:"1" max:"1" help:"weight of what an earlier crawl has learnt, 0 to 1; after Aggarwal 2004, the weight is ours"`
}

// The two tests of significance. The paper divides by a deviation that does not depend on
// how many pages have the feature, so that one lucky page can make a feature significant;
// support divides by the deviation of a mean of as many pages as have the feature.
const (
	sigPaper   = "paper"
	sigSupport = "support"
)

// check returns an error for a test of significance that does not exist.
func (r *Ratios) check() error {
	if r.Sig != "" && r.Sig != sigPaper && r.Sig != sigSupport {
		return fmt.Errorf("sig=%s: want %s or %s", r.Sig, sigPaper, sigSupport)
	}
	return nil
}

func (r *Ratios) rescored() int { return cmp.Or(r.Rescored, 100) }

// at returns the arithmetic for the share of pages on topic in base. Per is the number of
// pages in the denominator of the paper's test of significance: the pages on topic for
// links (eq. 6), all visited pages for traces (eq. 10).
func (r *Ratios) at(base ratioCell, per float64) ratioModel {
	m := ratioModel{
		p: base.rate(), sigma: cmp.Or(r.Sigma, 1), t: cmp.Or(r.T, 2),
		support: r.Sig == sigSupport, least: float64(cmp.Or(r.MinSupport, 1)),
	}
	m.flat = !(0 < m.p && m.p < 1)
	m.spread = m.p * (1 - m.p)
	m.sd = math.Sqrt(m.spread / per)
	return m
}

// A ratioCell counts pages with a feature, and those of them that are on topic.
type ratioCell struct{ N, C float64 }

// cellOf returns a tally of another crawl as counts.
func cellOf(t input.Tally) ratioCell { return ratioCell{t[0], t[1]} }

func (c *ratioCell) count(on bool) {
	c.N++
	c.C += indicator(on)
}

// add adds counts of another crawl, times a weight. The conversions to float64 keep the
// compiler from fusing multiplication and addition, which would give other last digits on
// other processors.
func (c *ratioCell) add(d ratioCell, weight float64) {
	c.N += float64(d.N * weight)
	c.C += float64(d.C * weight)
}

// rate returns the share of pages on topic, 0 if there are no pages.
func (c ratioCell) rate() float64 {
	if c.N == 0 {
		return 0
	}
	return c.C / c.N
}

// indicator returns 1 for a page on topic and 0 for another.
func indicator(on bool) float64 {
	if on {
		return 1
	}
	return 0
}

// A pace decides when the share of pages on topic, P(C), is updated. Every ratio depends on
// it, so that a new share makes all cached ratios worthless: updating it after every page
// would cost most of the time of a crawl. It is updated when the number of pages, or of
// pages on topic, has grown by a hundredth, and after every page in a crawl of fewer than
// 200. With the parameter exact it is updated always.
type pace struct {
	Base ratioCell // counts at the last update
	Next ratioCell // the next update is due when either count reaches this
}

// due reports whether the share is to be updated to base now, and if so records when the
// next update is due.
func (p *pace) due(base ratioCell, exact bool) bool {
	if base.N < p.Next.N && base.C < p.Next.C && !exact {
		return false
	}
	later := func(n float64) float64 { return n + max(1, math.Floor(n/100)) }
	p.Base, p.Next = base, ratioCell{later(base.N), later(base.C)}
	return true
}

// A ratioModel holds what the ratios of all features have in common until the share of
// pages on topic is updated: the share, the smoothing and the test of significance.
type ratioModel struct {
	p       float64 // share of pages on topic
	flat    bool    // all or none are: nothing can be learnt, every ratio is 1
	sigma   float64
	t       float64
	spread  float64 // p·(1−p)
	sd      float64 // standard deviation of a share, as the paper has it
	support bool
	least   float64
}

// deviations returns by how many standard deviations the share of pages on topic among the
// pages with a feature differs from that among all pages: eqs 6 and 10. It is two-sided,
// since a feature of pages off topic is as informative.
func (m *ratioModel) deviations(c ratioCell) float64 {
	if m.flat || c.N == 0 {
		return 0
	}
	sd := m.sd
	if m.support {
		sd = math.Sqrt(m.spread / c.N)
	}
	return math.Abs(c.C/c.N-m.p) / sd
}

// ln returns the logarithm of a feature's interest ratio, smoothed as if sigma further
// pages with the feature had been on topic as often as pages in general: a ratio from few
// pages stays near 1. The paper leaves ratios of zero counts undefined.
func (m *ratioModel) ln(c ratioCell) float64 {
	if m.flat {
		return 0
	}
	return lnOf((c.C + float64(m.sigma*m.p)) / (c.N + m.sigma) / m.p)
}

// lnOf returns the logarithm of a ratio, between −100 and 100. Without smoothing a ratio of
// counts can be 0 or undefined, and a priority must be a finite number; an undefined ratio
// counts as 1.
func lnOf(ratio float64) float64 {
	const most = 100
	ln := math.Log(ratio)
	if ln != ln {
		return 0
	}
	return max(-most, min(ln, most))
}

// significant returns ln of a feature that passes the test of significance and is on enough
// pages, and 0 for others: a feature that differs by chance must not move a priority.
func (m *ratioModel) significant(c ratioCell) float64 {
	if c.N < m.least || m.deviations(c) < m.t {
		return 0
	}
	return m.ln(c)
}

// The four counts of links between visited pages, PP, PN, NP and NN in the paper: whether
// the linking page is on topic, then whether the linked page is.
const (
	fromOnTo  = iota // from a page on topic to another
	fromOnOff        // and so on
	fromOffTo
	fromOffOff
)

// kindOfLink returns the index of a link's count, by whether the linking page and the
// linked page are on topic.
func kindOfLink(from, to bool) int {
	switch {
	case from && to:
		return fromOnTo
	case from:
		return fromOnOff
	case to:
		return fromOffTo
	}
	return fromOffOff
}

// linkRatios returns the logarithms of p and q of the paper (sec. 3): of the factors by
// which each linking page on topic, and each one off topic, multiplies the ratio of a URL.
// The paper compares the share of links between two pages on topic with P(C)², which it
// would be if links ignored topics; with conditional, the share among links from pages on
// topic is compared with P(C).
func (m *ratioModel) linkRatios(links [4]float64, norm string) (lnP, lnQ float64) {
	if m.flat {
		return 0, 0
	}
	if norm == normConditional {
		on := ratioCell{links[fromOnTo] + links[fromOnOff], links[fromOnTo]}
		off := ratioCell{links[fromOffTo] + links[fromOffOff], links[fromOffTo]}
		return m.ln(on), m.ln(off)
	}
	all := links[0] + links[1] + links[2] + links[3] + m.sigma
	e1, e3 := m.p*m.p, m.spread
	f1 := (links[fromOnTo] + float64(m.sigma*e1)) / all
	f3 := (links[fromOffTo] + float64(m.sigma*e3)) / all
	return lnOf(f1 / e1), lnOf(f3 / e3)
}
