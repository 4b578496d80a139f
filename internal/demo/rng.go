package demo

import "math"

// An rng is a stream of random numbers that depends only on where it starts
// (SplitMix64, Steele et al. 2014). Unlike those of math/rand it will never
// change, and it costs nothing to create one per page.
type rng uint64

// rngFor returns the random numbers of one purpose for one thing, independent
// of all others. It is why nothing has to be stored: the topic of a page, its
// links and its text can each be drawn on their own, in any order and on any
// machine.
func rngFor(seed uint64, purpose, n int) rng {
	return rng(mix(mix(seed+0x9e3779b97f4a7c15*uint64(purpose+1)) ^ uint64(n)))
}

// next returns 64 random bits.
func (d *rng) next() uint64 {
	*d += 0x9e3779b97f4a7c15
	return mix(uint64(*d))
}

// mix is the finalizer of SplitMix64: a bijection that scatters all bits.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// under returns a number from 0 to n-1.
func (d *rng) under(n int) int { return scale(d.next(), n) }

// share returns a number from 0 to 1, 1 excluded.
func (d *rng) share() float64 { return float64(d.next()>>11) / (1 << 53) }

// chance reports true with probability p.
func (d *rng) chance(p float64) bool { return d.share() < p }

// scale maps the upper half of random bits to 0..n-1.
func scale(bits uint64, n int) int { return int((bits >> 32) * uint64(n) >> 32) }

// logNormal returns a number with the given mean whose logarithm is normal with
// the deviation spread (Box and Muller).
func (d *rng) logNormal(mean, spread float64) float64 {
	u, v := 1-d.share(), d.share()
	normal := math.Sqrt(-2*math.Log(u)) * math.Cos(2*math.Pi*v)
	return mean * math.Exp(spread*normal-spread*spread/2)
}

// rank returns a number from 0 to n-1; the probability of k falls as
// (k+1)^-exponent. It inverts the continuous distribution, which is close
// enough and needs no table.
func (d *rng) rank(n int, exponent float64) int {
	if n <= 1 {
		return 0
	}
	if math.Abs(1-exponent) < 0.01 {
		exponent = 0.99
	}
	e := 1 - exponent
	x := math.Pow(1+d.share()*(math.Pow(float64(n)+1, e)-1), 1/e)
	return min(max(int(x)-1, 0), n-1)
}

// The purposes of random numbers. A new one is added at the end: the values are
// part of what makes a web the same bytes.
const (
	forTopic = iota
	forText
	forLinks
	forLatency
	forSites
	forOrder
	forDate
	forSeeds
	forPeople
	forTemplate
	forTemplateText
)
