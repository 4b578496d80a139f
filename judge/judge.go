// Package judge rates pages against a topic, one kind of judge to a file.
//
// Every judge is a [dowse.WindowJudge]: relevance from 0 to 1 with the reasons for
// it, whose weights add up to the relevance on the scale that the verdict names. So
// a person can be told what made a page relevant, and what would have changed that
// ([Without]). Where a judge is no sum the scale is [Change].
//
// [Words] judges by words that a person gives. The others are made by a [Trainer]
// from [Example]s, or from a table, and are kept with [Save] and [Load].
// [Logistic] is the one to begin with: it goes on learning, label by label.
// [Validate] tells how good a judge is.
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
	Change  = "change"   // each is what the relevance loses without it; there is no sum
)

// Threshold is the relevance from which a page is on topic where nobody says
// otherwise: the point at which a judge thinks it more likely than not.
const Threshold = 0.5

// Without returns the relevance that the page would have if reason i were absent
// and all others stood: what would flip the verdict.
func Without(v dowse.Verdict, i int) float64 {
	if v.Scale == Change {
		return withoutChange(v, i)
	}
	sum := 0.0
	for k, b := range v.Because {
		if k != i {
			sum += b.Weight
		}
	}
	return relevance(v.Scale, sum)
}

func withoutChange(v dowse.Verdict, i int) float64 {
	if i < 0 || i >= len(v.Because) {
		return v.Relevance
	}
	return min(max(v.Relevance-v.Because[i].Weight, 0), 1)
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
