// Package lead holds what strategies of several lines of research do alike when they
// turn a page into leads: queue the seeds first, recognise a redirect, pass over links
// whose targets are settled, and keep leads and their reasons in few allocations.
package lead

import "dowse"

// Seeds returns leads for seeds at priority 1, above all probabilities and shares that
// strategies predict.
func Seeds(seeds []dowse.URL) []dowse.Lead {
	because := []dowse.Because{{What: "seed", Weight: 1}}
	leads := make([]dowse.Lead, len(seeds))
	for i, u := range seeds {
		leads[i] = dowse.Lead{URL: u, Priority: 1, Merge: dowse.Max, Because: because}
	}
	return leads
}

// Redirects reports whether a page redirects to a URL that can be queued.
func Redirects(p *dowse.Page) bool { return p.Outcome == dowse.Redirected && len(p.Links) > 0 }

// Settled reports whether the target of a link was visited or is being visited, so that
// evidence for it comes too late.
func Settled(l *dowse.Link) bool {
	return l.Target.State == dowse.Visited || l.Target.State == dowse.Flying
}
