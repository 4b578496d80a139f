package strategy

import (
	"dowse"
	"dowse/strategy/internal/lead"
)

// naiveBestFirst expects of a link what its page is: the priority of a link is the
// relevance of the linking page, of several the highest (Cho, Garcia-Molina and Page
// 1998; as a baseline, Menczer et al. 2004). With a judge by cosine it is the
// classic; it is also link-context with a Beta of 1.
type naiveBestFirst struct{}

// Start queues the seeds at the highest priority there is.
func (naiveBestFirst) Start(seeds []dowse.URL) []dowse.Lead { return lead.Seeds(seeds) }

// Follow gives the page's relevance to its links.
func (naiveBestFirst) Follow(p *dowse.Page) []dowse.Lead { return inherit(p) }

// inherit gives the page's relevance to all links to pages that have not been
// visited.
func inherit(p *dowse.Page) []dowse.Lead {
	if p.Outcome != dowse.Fetched && p.Outcome != dowse.Listed {
		return nil
	}
	r := p.Verdict.Relevance
	because := []dowse.Because{{What: "linking page", Weight: r}}
	leads := make([]dowse.Lead, 0, len(p.Links))
	for i := range p.Links {
		if l := &p.Links[i]; l.Target.State != dowse.Visited {
			leads = append(leads, dowse.Lead{URL: l.URL, Priority: r, Merge: dowse.Max, Because: because})
		}
	}
	return leads
}
