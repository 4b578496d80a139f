package strategy

import (
	"cmp"
	"strconv"

	"dowse"
	"dowse/strategy/internal/lead"
)

// shark smells how promising a link is where Fish only sees or does not (Hersovici
// et al. 1998): half of its score is inherited from the linking page, or from that
// page's own inheritance if it has nothing of the topic, and half comes from the
// anchor and the words around it. Of several links the best counts.
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

// Start queues the seeds at the highest priority there is.
func (s *shark) Start(seeds []dowse.URL) []dowse.Lead { return lead.Seeds(seeds) }

// Follow rates the links to pages that have not been visited. What a page inherits
// rides in its note.
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

// inherited is what the targets of a page's links get from it.
func (s *shark) inherited(p *dowse.Page) float64 {
	sim := p.Verdict.Relevance
	if !s.similar(sim) {
		sim = heritage(p.Lead.Note)
	}
	return cmp.Or(s.Delta, 0.5) * sim
}

// neighbourhood rates the link itself, by its best mention: a similar anchor vouches
// for the words around it.
func (s *shark) neighbourhood(l *dowse.Link) float64 {
	best := s.mentioned(&l.Mention)
	for i := range l.More {
		best = max(best, s.mentioned(&l.More[i]))
	}
	return best
}

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

func (s *shark) similar(rating float64) bool { return rating > cmp.Or(s.Least, 0.05) }

// heritage reads a note; a page that nothing led to has none.
func heritage(note string) float64 {
	x, _ := strconv.ParseFloat(note, 64)
	return x
}
