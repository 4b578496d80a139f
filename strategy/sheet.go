package strategy

import "dowse"

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
