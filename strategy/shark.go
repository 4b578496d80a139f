package strategy

import (
	"cmp"
	"strconv"

	"dowse"
	"dowse/strategy/internal/lead"
)

// shark is shark-search (Hersovici et al. 1998): fish-search with graded instead of
// binary scores. The score of a link is
//
//	Gamma·inherited + (1−Gamma)·neighbourhood
//
// inherited is Delta times the relevance of the linking page, or Delta times that
// page's own inherited score if the page is not similar to the topic: so interest
// decays along a chain of irrelevant pages. neighbourhood is Beta·anchor +
// (1−Beta)·context, where a similar anchor makes the context count fully. If several
// links lead to a URL, the best one counts.
type shark struct {
	Delta float64 `param:"delta" default:"0.5" max:"1" help:"how much of its similarity a page passes on; Hersovici et al. 1998"`
	Beta  float64 `param:"beta" default:"0.8" max:"1" help:"weight of the anchor against the words around it; Hersovici et al. 1998"`
	Gamma float64 `param:"gamma" default:"0.5" max:"1" help:"weight of what is inherited against the link itself; Hersovici et al. 1998"`
	Words int     `param:"words" default:"20" help:"words around a link, its anchor included; ours"`
	Least float64 `param:"least" default:"0.05" max:"1" help:"a rating up to here is no similarity: a judge that gives probabilities never says 0; ours"`
}

// Traits states what is the same for a whole crawl.
func (s *shark) Traits() dowse.Traits {
	return dowse.Traits{Window: cmp.Or(s.Words, 20), Anchors: true}
}

// Start queues the seeds with the highest priority.
func (s *shark) Start(seeds []dowse.URL) []dowse.Lead { return lead.Seeds(seeds) }

// Follow rates the links to pages that have not been visited. The inherited score of a
// URL is kept in the note of its lead, the highest if there are several.
func (s *shark) Follow(p *dowse.Page) []dowse.Lead {
	if p.Outcome != dowse.Fetched && p.Outcome != dowse.Listed {
		return nil
	}
	inherited := s.inherited(p)
	note := strconv.FormatFloat(inherited, 'g', -1, 64)
	gamma := cmp.Or(s.Gamma, 0.5)
	mine := float64(gamma * inherited)
	lead.TouchNotes(p.Links)
	leads := make([]dowse.Lead, 0, len(p.Links))
	because := make([]dowse.Because, 0, 2*len(p.Links))
	for i := range p.Links {
		l := &p.Links[i]
		if l.Target.State == dowse.Visited {
			continue
		}
		near := float64((1 - gamma) * s.neighbourhood(l))
		n := len(because)
		because = append(because, dowse.Because{What: "inherited from the linking page", Weight: mine}, dowse.Because{What: "anchor and words around it", Weight: near})
		lead := dowse.Lead{URL: l.URL, Priority: mine + near, Merge: dowse.Max, Note: note, Because: because[n : n+2 : n+2]}
		if heritage(l.Target.Note) > inherited {
			lead.Note = ""
		}
		leads = append(leads, lead)
	}
	return leads
}

// inherited returns the score that the targets of a page's links inherit.
func (s *shark) inherited(p *dowse.Page) float64 {
	sim := p.Verdict.Relevance
	if !s.similar(sim) {
		sim = heritage(p.Lead.Note)
	}
	return cmp.Or(s.Delta, 0.5) * sim
}

// neighbourhood returns the score of the link itself, by its best mention.
func (s *shark) neighbourhood(l *dowse.Link) float64 {
	best := s.mentioned(&l.Mention)
	for i := range l.More {
		best = max(best, s.mentioned(&l.More[i]))
	}
	return best
}

// mentioned returns the neighbourhood score of one mention. With a similar anchor the
// context counts as 1, as in the paper.
func (s *shark) mentioned(m *dowse.Mention) float64 {
	beta := cmp.Or(s.Beta, 0.8)
	switch {
	case s.similar(m.AnchorScore):
		return float64(beta*m.AnchorScore) + (1 - beta)
	case s.similar(m.Context):
		return (1 - beta) * m.Context
	}
	return 0
}

// similar reports whether a rating counts as similarity. The paper tests for more than
// 0, which a judge of probabilities always returns.
func (s *shark) similar(rating float64) bool { return rating > cmp.Or(s.Least, 0.05) }

// heritage parses a note; a page that no link led to has inherited nothing.
func heritage(note string) float64 {
	x, _ := strconv.ParseFloat(note, 64)
	return x
}
