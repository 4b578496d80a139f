package interest

import (
	"strings"

	"dowse"
	"dowse/strategy/internal/lead"
)

// seeds are those that were not visited. They stand at priority 1, whatever the
// evidence: the paper's framework begins there.
type seeds map[dowse.URL]bool

// queue lets seeds wait.
func (s seeds) queue(urls []dowse.URL) []dowse.Lead {
	for _, u := range urls {
		s[dowse.URL(strings.Clone(string(u)))] = true
	}
	return lead.Seeds(urls)
}

// settle takes note that a page was visited. Where a seed redirects to a page that
// waits, that one is a seed; its lead is returned.
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
