// Package judge rates pages against a topic, one kind of judge to a file.
//
// Every judge is a [dowse.Judge]: relevance from 0 to 1 with the reasons for it,
// whose weights add up to the relevance on the scale that the verdict names. So a
// person can be told what made a page relevant, and what would have changed that
// ([Without]).
package judge

import (
	"math"

	"dowse"
)

// The scales on which the weights of reasons add up.
const (
	Share   = "share"    // the sum is the relevance
	LogOdds = "log-odds" // the sum is ln(relevance / (1 - relevance))
	Cosine  = "cosine"   // the sum is the cosine, negative ones being 0
)

// Threshold is the relevance from which a page is on topic where nobody says
// otherwise: the point at which a judge thinks it more likely than not.
const Threshold = 0.5

// Without returns the relevance that the page would have if reason i were absent
// and all others stood: what would flip the verdict.
func Without(v dowse.Verdict, i int) float64 {
	sum := 0.0
	for k, b := range v.Because {
		if k != i {
			sum += b.Weight
		}
	}
	return relevance(v.Scale, sum)
}

// relevance returns what a sum of weights means on a scale.
func relevance(scale string, sum float64) float64 {
	if scale == LogOdds {
		return sigmoid(sum)
	}
	return min(max(sum, 0), 1)
}

// sigmoid is the inverse of the log-odds, written so that nothing overflows.
func sigmoid(z float64) float64 {
	if z >= 0 {
		return 1 / (1 + math.Exp(-z))
	}
	e := math.Exp(z)
	return e / (1 + e)
}
