package linkclass

import (
	"cmp"

	"dowse"
)

// nbThreshold is [NewNB] with a higher probability from which links are followed (Taylan et
// al. 2011): fewer links, of which more lead to relevant pages.
type nbThreshold struct {
	Threshold float64 `param:"threshold" default:"0.8" max:"1" help:"probability from which links of relevant pages are followed; the paper gives no number"`
	LinkBayes
}

func (s *nbThreshold) policy() policy { return policy{least: cmp.Or(s.Threshold, 0.8)} }

// Follow rates the links of a page.
func (s *nbThreshold) Follow(p *dowse.Page) []dowse.Lead { return s.follow(p, s.policy()) }

// Idle ends the training if there is nothing left to train with.
func (s *nbThreshold) Idle() []dowse.Lead { return s.idle(s.policy()) }
