package strategy

import (
	"dowse"
	"dowse/strategy/internal/lead"
)

// BreadthFirst visits pages in the order in which they were found: the baseline of
// Wang et al. 2009, and the one that ignores the topic. All leads have the same
// priority, and the frontier keeps equal ones in order of first sighting; the strategy
// itself has no state and costs one lead per new link.
type BreadthFirst struct {
	N int `param:"round" default:"0" help:"leads to a round; 0 streams; Wang et al. 2009 take 50"`
}

// Traits states what is the same for a whole crawl.
func (s BreadthFirst) Traits() dowse.Traits { return dowse.Traits{Round: s.N} }

var justFound = []dowse.Because{{What: "found", Weight: 0}}

// Start queues the seeds in the given order.
func (BreadthFirst) Start(seeds []dowse.URL) []dowse.Lead {
	leads := make([]dowse.Lead, len(seeds))
	for i, u := range seeds {
		leads[i] = dowse.Lead{URL: u, Merge: dowse.Max, Because: []dowse.Because{{What: "seed"}}}
	}
	return leads
}

// Follow queues every link that was not seen before. The target of a redirect comes
// next, because it replaces a page whose turn had come.
func (BreadthFirst) Follow(p *dowse.Page) []dowse.Lead {
	if lead.Redirects(p) { // the target takes its place, which was the first
		return []dowse.Lead{{URL: p.Links[0].URL, Priority: 1, Merge: dowse.Max, Because: []dowse.Because{{What: "redirect"}}}}
	}
	leads := make([]dowse.Lead, 0, len(p.Links))
	for i := range p.Links {
		if l := &p.Links[i]; l.Target.State == dowse.Unseen || l.Target.State == dowse.Held {
			leads = append(leads, dowse.Lead{URL: l.URL, Merge: dowse.Max, Because: justFound})
		}
	}
	return leads
}
