package collection

import "math"

// unsureBand is how near to the threshold a relevance is no clear verdict.
const unsureBand = 0.15

// Unsure reports whether a relevance is too near to the threshold for a clear
// verdict.
func Unsure(relevance, threshold float64) bool {
	return math.Abs(relevance-threshold) < unsureBand
}
