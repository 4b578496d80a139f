package strategy

import (
	"dowse"
	"dowse/strategy/internal/lead"
)

// naiveBestFirst gives a link the relevance of the linking page, the highest if there
// are several (Cho, Garcia-Molina and Page 1998; the baseline of Menczer et al. 2004).
// It relies on topical locality: pages link to pages on the same topic. With a cosine
// judge it is the classic algorithm; it equals link-context with Beta 1.
type naiveBestFirst struct{}

// Start queues the seeds with the highest priority.
func (naiveBestFirst) Start(seeds []dowse.URL) []dowse.Lead { return lead.Seeds(seeds) }

// Follow gives the page's relevance to its links.
func (naiveBestFirst) Follow(p *dowse.Page) []dowse.Lead { return inherit(p) }

// inherit queues all links to pages that have not been visited, with the page's
// relevance as priority.
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
