package strategy

import (
	"cmp"
	"dowse"
	"dowse/strategy/internal/lead"
)

// LinkContext predicts the relevance of a page from the linking page and from the
// words around the link (Wang et al. 2009, eq. 9; Pant and Srinivasan 2006):
//
//	Beta·relevance(page) + (1−Beta)·relevance(window)
//
// The words around a link describe its target better than the whole page does,
// therefore the small default of Beta. If several links lead to a URL, the best one
// counts. It has no state; a link costs one rating of its window by the judge.
type LinkContext struct {
	Beta  float64 `param:"beta" default:"0.25" max:"1" help:"weight of the whole page against the words around the link; Wang et al. 2009"`
	Words int     `param:"words" default:"20" help:"words around a link, its anchor included; Wang et al. 2009"`
	N     int     `param:"round" default:"0" help:"leads to a round; 0 streams; Wang et al. 2009 take 50"`
}

// Traits states what is the same for a whole crawl.
func (s *LinkContext) Traits() dowse.Traits {
	return dowse.Traits{Window: cmp.Or(s.Words, 20), Round: s.N}
}

// Start queues the seeds with the highest priority.
func (s *LinkContext) Start(seeds []dowse.URL) []dowse.Lead { return lead.Seeds(seeds) }

// Follow rates the links to pages that have not been visited.
func (s *LinkContext) Follow(p *dowse.Page) []dowse.Lead {
	if p.Outcome != dowse.Fetched && p.Outcome != dowse.Listed {
		return nil
	}
	leads := make([]dowse.Lead, 0, len(p.Links))
	because := make([]dowse.Because, 0, 2*len(p.Links))
	for i := range p.Links {
		l := &p.Links[i]
		if l.Target.State == dowse.Visited {
			continue
		}
		page, context := predicted(cmp.Or(s.Beta, 0.25), p, l)
		n := len(because)
		because = append(because, dowse.Because{What: "parent page", Weight: page}, dowse.Because{What: "words around the link", Weight: context})
		leads = append(leads, dowse.Lead{URL: l.URL, Priority: page + context, Merge: dowse.Max, Because: because[n : n+2 : n+2]})
	}
	return leads
}

// predicted returns the two summands of eq. 9: the relevance that a link promises.
func predicted(beta float64, p *dowse.Page, l *dowse.Link) (page, context float64) {
	return float64(beta * p.Verdict.Relevance), float64((1 - beta) * l.BestContext())
}
