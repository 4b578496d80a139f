package linkclass

import (
	"cmp"

	"dowse"
)

// optimisedLSFC is [NewLSFC] with a threshold (Taylan et al. 2011): links of relevant pages
// are followed only if their score reaches it. The others are held with their evidence, and
// are followed when enough pages link to them.
type optimisedLSFC struct {
	Link float64 `param:"link" default:"2" help:"score from which links of relevant pages are followed; above 1.8, since one relevant page gives that much; ours, Taylan et al. 2011 give no number"`
	lsfc
}

// Follow rates the links of a page, and holds those below the threshold.
func (s *optimisedLSFC) Follow(p *dowse.Page) []dowse.Lead {
	s.begin()
	least := cmp.Or(s.Link, 2)
	return s.links.follow(p, func(c *candidate) { c.admitted = c.merit.score() >= least })
}
