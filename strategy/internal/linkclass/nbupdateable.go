package linkclass

import (
	"cmp"
	"fmt"

	"dowse"
)

// nbUpdateable is [NewNB] that goes on learning (Taylan et al. 2011): after every so
// many pages it takes in links that came since, each URL once. By itself, as in the
// paper, it learns those of which it is sure; verified, those that were visited, by
// how that ended.
type nbUpdateable struct {
	Every int     `param:"every" default:"50" help:"pages from one learning to the next; Taylan et al. 2011"`
	Mode  string  `param:"mode" default:"self" help:"learns links of which it is sure (self, as in the paper), or those that were visited (verified)"`
	Rate  float64 `param:"rate" default:"0.9" min:"0.5" max:"1" help:"probability from which it is sure, either way; the paper says: some rate"`
	LinkBayes
}

// The ways to learn on.
const (
	updateSelf     = "self"
	updateVerified = "verified"
)

// Check reports what is wrong with the parameters.
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

// Idle ends the training where nothing is left to learn from.
func (s *nbUpdateable) Idle() []dowse.Lead { return s.idle(s.policy()) }
