package interest

import (
	"strings"

	"dowse"
	"dowse/strategy/internal/lead"
)

// seeds are the seeds that were not visited yet. Their priority stays 1 whatever the
// evidence, as in the framework of the paper, and no rating replaces it.
type seeds map[dowse.URL]bool

// queue records seeds and returns their leads.
func (s seeds) queue(urls []dowse.URL) []dowse.Lead {
	for _, u := range urls {
		s[dowse.URL(strings.Clone(string(u)))] = true
	}
	return lead.Seeds(urls)
}

// settle records the outcome of a page. If it is a seed that redirects to a page that was
// not visited, that page becomes a seed; its lead is returned.
func (s seeds) settle(p *dowse.Page) (list []dowse.Lead) {
	if !s[p.URL] {
		return nil
	}
	delete(s, p.URL)
	if lead.Redirects(p) && p.Links[0].Target.State != dowse.Visited {
		return s.queue([]dowse.URL{p.Links[0].URL})
	}
	return nil
}
