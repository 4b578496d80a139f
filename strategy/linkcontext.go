package strategy

import "dowse"

// LinkContext predicts the relevance of a page from the page that links to it and
// from the words around the link (Wang et al. 2009, eq. 9; Pant and Srinivasan
// 2006): Beta·page + (1−Beta)·context. Of several links the best counts.
type LinkContext struct {
	Beta  float64 `param:"beta" default:"0.25" help:"weight of the whole page against the words around the link; Wang et al. 2009"`
	Words int     `param:"words" default:"20" help:"words around a link, its anchor included; Wang et al. 2009"`
}

// Window is the number of words that are rated around a link.
func (s *LinkContext) Window() int {
	if s.Words == 0 {
		return 20
	}
	return s.Words
}

func (s *LinkContext) beta() float64 {
	if s.Beta == 0 {
		return 0.25
	}
	return s.Beta
}

// Start queues the seeds at the highest priority there is.
func (s *LinkContext) Start(seeds []dowse.URL) []dowse.Lead {
	leads := make([]dowse.Lead, len(seeds))
	for i, u := range seeds {
		leads[i] = dowse.Lead{URL: u, Priority: 1, Merge: dowse.Max, Because: []dowse.Because{{What: "seed", Weight: 1}}}
	}
	return leads
}

// Follow rates the links to pages that have not been visited.
func (s *LinkContext) Follow(p *dowse.Page) []dowse.Lead {
	if p.Outcome != dowse.Fetched && p.Outcome != dowse.Listed {
		return nil
	}
	b := s.beta()
	page := float64(b * p.Verdict.Relevance)
	leads := make([]dowse.Lead, 0, len(p.Links))
	because := make([]dowse.Because, 0, 2*len(p.Links))
	for i := range p.Links {
		l := &p.Links[i]
		if l.Target.State == dowse.Visited {
			continue
		}
		context := float64((1 - b) * l.BestContext())
		n := len(because)
		because = append(because, dowse.Because{What: "parent page", Weight: page}, dowse.Because{What: "words around the link", Weight: context})
		leads = append(leads, dowse.Lead{URL: l.URL, Priority: page + context, Merge: dowse.Max, Because: because[n : n+2 : n+2]})
	}
	return leads
}
