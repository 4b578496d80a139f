package interest

import (
	"cmp"
	"fmt"
	"math"

	"dowse/strategy/input"
)

// Ratios are the parameters of interest ratios: how much more often pages with a
// feature are on topic than pages are at large (Aggarwal, Al-Garawi and Yu 2001).
type Ratios struct {
	Sigma       float64 `param:"sigma" default:"1" help:"pulls ratios towards 1 while little is known, as if so many average pages had been seen; ours"`
	T           float64 `param:"t" default:"2" help:"standard deviations from the mean from which a feature counts; Aggarwal et al. 2001"`
	Sig         string  `param:"sig" default:"paper" help:"deviation for the number of pages in all (paper) or of those with the feature (support), which is the sound one; Aggarwal et al. 2001, support is ours"`
	MinSupport  int     `param:"min-support" default:"1" help:"pages with a feature from which it counts; ours"`
	Exact       bool    `param:"exact" default:"false" help:"rate every waiting lead again after each page, as the paper does; slow"`
	Rescored    int     `param:"rescored" default:"100" help:"waiting leads rated again after a page: targets of its links, as many that share linking pages with it, a quarter as many that its people accessed; ours"`
	ReuseWeight float64 `param:"reuse-weight" default:"1" max:"1" help:"weight of what an earlier crawl has learnt, 0 to 1; after Aggarwal 2004, the weight is ours"`
}

// The ways to tell significance.
const (
	sigPaper   = "paper"
	sigSupport = "support"
)

func (r *Ratios) check() error {
	if r.Sig != "" && r.Sig != sigPaper && r.Sig != sigSupport {
		return fmt.Errorf("sig=%s: want %s or %s", r.Sig, sigPaper, sigSupport)
	}
	return nil
}

func (r *Ratios) rescored() int { return cmp.Or(r.Rescored, 100) }

// at returns the arithmetic for a share of pages on topic. Per is the number of
// pages that the paper's significance is taken over.
func (r *Ratios) at(base ratioCell, per float64) visitMoment {
	m := visitMoment{
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

func cellOf(t input.Tally) ratioCell { return ratioCell{t[0], t[1]} }

func (c *ratioCell) count(on bool) {
	c.N++
	c.C += indicator(on)
}

func (c *ratioCell) add(d ratioCell, weight float64) {
	c.N += float64(d.N * weight)
	c.C += float64(d.C * weight)
}

// rate is the share of pages on topic; 0 of none.
func (c ratioCell) rate() float64 {
	if c.N == 0 {
		return 0
	}
	return c.C / c.N
}

func indicator(on bool) float64 {
	if on {
		return 1
	}
	return 0
}

// A pace tells when the share of pages on topic is taken anew. All ratios hang on
// it, so that taking it after every page would cost most of the time. It is taken
// whenever there are by a hundredth more pages, or pages on topic.
type pace struct {
	Base ratioCell // as it was taken
	Next ratioCell // at which of these counts it is taken again
}

// due reports whether the share is to be taken anew, and takes it.
func (p *pace) due(base ratioCell, exact bool) bool {
	if base.N < p.Next.N && base.C < p.Next.C && !exact {
		return false
	}
	later := func(n float64) float64 { return n + max(1, math.Floor(n/100)) }
	p.Base, p.Next = base, ratioCell{later(base.N), later(base.C)}
	return true
}

// A visitMoment is the arithmetic of ratios for what is known at one time.
type visitMoment struct {
	p       float64 // share of pages on topic
	flat    bool    // all or none are: nothing can be learnt, every ratio is 1
	sigma   float64
	t       float64
	spread  float64 // p·(1−p)
	sd      float64 // standard deviation of a share, as the paper has it
	support bool
	least   float64
}

// deviations tells by how many standard deviations the feature's pages differ from
// all pages: eqs 6 and 10.
func (m *visitMoment) deviations(c ratioCell) float64 {
	if m.flat || c.N == 0 {
		return 0
	}
	sd := m.sd
	if m.support {
		sd = math.Sqrt(m.spread / c.N)
	}
	return math.Abs(c.C/c.N-m.p) / sd
}

// ln is the logarithm of a feature's interest ratio, smoothed.
func (m *visitMoment) ln(c ratioCell) float64 {
	if m.flat {
		return 0
	}
	return lnOf((c.C + float64(m.sigma*m.p)) / (c.N + m.sigma) / m.p)
}

// lnOf is the logarithm of a ratio, within bounds: where nothing is smoothed a ratio
// of counts can be 0 or undefined, and priorities must be numbers.
func lnOf(ratio float64) float64 {
	const most = 100
	ln := math.Log(ratio)
	if ln != ln {
		return 0
	}
	return max(-most, min(ln, most))
}

// significant is ln for a feature that counts, else 0.
func (m *visitMoment) significant(c ratioCell) float64 {
	if c.N < m.least || m.deviations(c) < m.t {
		return 0
	}
	return m.ln(c)
}

// Kinds of links, by whether their ends are on topic.
const (
	fromOnTo  = iota // from a page on topic to another
	fromOnOff        // and so on
	fromOffTo
	fromOffOff
)

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

// linkRatios returns by how much a link from a page on topic, and one from a page
// off it, changes the logarithm of the odds: p and q of the paper.
func (m *visitMoment) linkRatios(links [4]float64, norm string) (lnP, lnQ float64) {
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
