package linkclass

import (
	"cmp"

	"dowse"
)

// nbThreshold is [NewNB] for which a link must be more probable (Taylan et al. 2011).
type nbThreshold struct {
	Threshold float64 `param:"threshold" default:"0.8" max:"1" help:"probability from which links of relevant pages are followed; the paper says: predetermined"`
	LinkBayes
}

func (s *nbThreshold) policy() policy { return policy{least: cmp.Or(s.Threshold, 0.8)} }

// Follow rates the links of a page.
func (s *nbThreshold) Follow(p *dowse.Page) []dowse.Lead { return s.follow(p, s.policy()) }

// Idle ends the training where nothing is left to learn from.
func (s *nbThreshold) Idle() []dowse.Lead { return s.idle(s.policy()) }
