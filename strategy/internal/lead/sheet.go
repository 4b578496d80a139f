package lead

import "dowse"

// A Sheet is a list of leads with their reasons. It makes two allocations for all links of
// a page instead of one per link.
type Sheet struct {
	Leads   []dowse.Lead
	Because []dowse.Because
}

// NewSheet returns a sheet with room for a number of leads with a number of reasons each.
// With more, earlier leads keep their reasons, at the cost of further allocations.
func NewSheet(leads, reasons int) *Sheet {
	return &Sheet{make([]dowse.Lead, 0, leads), make([]dowse.Because, 0, leads*reasons)}
}

// Put adds a lead whose reasons are the last ones that were appended to Because.
func (s *Sheet) Put(u dowse.URL, priority float64, reasons int) {
	n := len(s.Because)
	s.Leads = append(s.Leads, dowse.Lead{URL: u, Priority: priority, Merge: dowse.Replace, Because: s.Because[n-reasons : n : n]})
}
