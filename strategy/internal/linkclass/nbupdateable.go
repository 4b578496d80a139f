package linkclass

import (
	"cmp"
	"fmt"

	"dowse"
)

// nbUpdateable is [NewNB] that continues to learn during the crawl (Taylan et al. 2011).
// After every Every pages it adds links to its model, each URL once. In mode self, as in
// the paper, these are links about which it is sure, with the class it gives them: it can
// confirm its own errors. In mode verified they are links whose page was visited, with the
// outcome of the visit.
type nbUpdateable struct {
	Every int     `param:"every" default:"50" help:"pages from one learning to the next; Taylan et al. 2011"`
	Mode  string  `param:"mode" default:"self" help:"learns links of which it is sure (self, as in the paper), or those that were visited (verified)"`
	Rate  float64 `param:"rate" default:"0.9" min:"0.5" max:"1" help:"probability from which it is sure, either way; the paper gives no number"`
	LinkBayes
}

// The modes of learning during the crawl.
const (
	updateSelf     = "self"
	updateVerified = "verified"
)

// Check returns an error for parameters that are invalid.
func (s *nbUpdateable) Check() error {
	switch s.Mode {
	case "", updateSelf, updateVerified:
	default:
		return fmt.Errorf("mode=%s: want %s or %s", s.Mode, updateSelf, updateVerified)
	}
	return s.LinkBayes.Check()
}

func (s *nbUpdateable) policy() policy {
	p := policy{least: probable, learn: certain, rate: cmp.Or(s.Rate, 0.9)}
	if s.Mode == updateVerified {
		p.learn = verified
	}
	return p
}

// Follow rates the links of a page, and learns when it is time.
func (s *nbUpdateable) Follow(p *dowse.Page) []dowse.Lead {
	leads := s.follow(p, s.policy())
	if !p.Again && p.Outcome == dowse.Fetched && s.state.Fetched%cmp.Or(s.Every, 50) == 0 {
		s.update()
	}
	return leads
}

// Idle ends the training if there is nothing left to train with.
func (s *nbUpdateable) Idle() []dowse.Lead { return s.idle(s.policy()) }
