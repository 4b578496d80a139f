package strategy

import (
	"strings"

	"dowse"
)

// seeds are those that were not visited. They stand at priority 1, whatever the
// evidence: the paper's framework begins there.
type seeds map[dowse.URL]bool

// queue lets seeds wait.
func (s seeds) queue(urls []dowse.URL) []dowse.Lead {
	for _, u := range urls {
		s[dowse.URL(strings.Clone(string(u)))] = true
	}
	return seedsFirst(urls)
}

// settle takes note that a page was visited. Where a seed redirects to a page that
// waits, that one is a seed; its lead is returned.
func (s seeds) settle(p *dowse.Page) (list []dowse.Lead) {
	if !s[p.URL] {
		return nil
	}
	delete(s, p.URL)
	if redirects(p) && p.Links[0].Target.State != dowse.Visited {
		return s.queue([]dowse.URL{p.Links[0].URL})
	}
	return nil
}

// A sheet is a list of leads with their reasons, kept together to spare allocations.
type sheet struct {
	leads   []dowse.Lead
	because []dowse.Because
}

func newSheet(leads, reasons int) *sheet {
	return &sheet{make([]dowse.Lead, 0, leads), make([]dowse.Because, 0, leads*reasons)}
}

// put adds a lead whose priority is the sum of its reasons: those that were added
// since the last lead.
func (s *sheet) put(u dowse.URL, priority float64, reasons int) {
	n := len(s.because)
	s.leads = append(s.leads, dowse.Lead{URL: u, Priority: priority, Merge: dowse.Replace, Because: s.because[n-reasons : n : n]})
}
