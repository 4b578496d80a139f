package linkclass

import "dowse"

// nb follows links of relevant pages that are at least as probable as not to lead to
// another, by their words (Taylan et al. 2011).
type nb struct {
	LinkBayes
}

func (s *nb) policy() policy { return policy{least: probable} }

// Follow rates the links of a page.
func (s *nb) Follow(p *dowse.Page) []dowse.Lead { return s.follow(p, s.policy()) }

// Idle ends the training where nothing is left to learn from.
func (s *nb) Idle() []dowse.Lead { return s.idle(s.policy()) }
