package lead

import "dowse"

// A Sheet is a list of leads with their reasons, kept together to spare allocations.
type Sheet struct {
	Leads   []dowse.Lead
	Because []dowse.Because
}

// NewSheet makes a sheet with room for so many leads of so many reasons each.
func NewSheet(leads, reasons int) *Sheet {
	return &Sheet{make([]dowse.Lead, 0, leads), make([]dowse.Because, 0, leads*reasons)}
}

// Put adds a lead whose priority is the sum of its reasons: those that were added
// since the last lead.
func (s *Sheet) Put(u dowse.URL, priority float64, reasons int) {
	n := len(s.Because)
	s.Leads = append(s.Leads, dowse.Lead{URL: u, Priority: priority, Merge: dowse.Replace, Because: s.Because[n-reasons : n : n]})
}
