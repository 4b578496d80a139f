package collection

import "dowse/internal/facts"

// What a page's relevance comes to.
const (
	verdictOn     = facts.On
	verdictOff    = facts.Off
	VerdictUnsure = facts.Unsure // near the threshold, on either side
)

// Unsure reports whether a relevance is too near to the threshold for a clear verdict.
func Unsure(relevance, threshold float64) bool {
	return facts.VerdictOf(relevance, threshold) == VerdictUnsure
}
