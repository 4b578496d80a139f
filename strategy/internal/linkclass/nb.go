package linkclass

import "dowse"

// nb follows links of relevant pages whose words make it at least as probable as not that
// they lead to a relevant page (Taylan et al. 2011).
type nb struct {
	LinkBayes
}

func (s *nb) policy() policy { return policy{least: probable} }

// Follow rates the links of a page.
func (s *nb) Follow(p *dowse.Page) []dowse.Lead { return s.follow(p, s.policy()) }

// Idle ends the training if there is nothing left to train with.
func (s *nb) Idle() []dowse.Lead { return s.idle(s.policy()) }
