package strategy

import (
	"hash/fnv"

	"dowse"
)

// random visits pages in random order: the baseline that every strategy must beat. The
// priority of a URL is a hash of random seed and URL, so that it needs no state, and a
// crawl is reproducible and resumes exactly.
type random struct {
	Seed uint64 `param:"seed" default:"0" help:"of the drawing; another seed, another order; ours"`
}

// Follow gives every new link a priority in [0, 1).
func (r *random) Follow(p *dowse.Page) []dowse.Lead {
	leads := make([]dowse.Lead, 0, len(p.Links))
	for i := range p.Links {
		l := &p.Links[i]
		if l.Target.State != dowse.Unseen && l.Target.State != dowse.Held {
			continue
		}
		x := r.draw(l.URL)
		leads = append(leads, dowse.Lead{URL: l.URL, Priority: x, Because: []dowse.Because{{What: "chance", Weight: x}}})
	}
	return leads
}

// draw returns the priority of a URL: 53 bits of its hash.
func (r *random) draw(u dowse.URL) float64 {
	h := fnv.New64a()
	h.Write([]byte(u))
	return float64(mix(h.Sum64()^r.Seed*0x9e3779b97f4a7c15)>>11) / (1 << 53)
}

// mix spreads the bits of x (the finaliser of SplitMix64).
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}
