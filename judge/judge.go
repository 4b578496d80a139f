// Package judge rates pages against a topic. One file holds one kind of judge.
//
// Every judge is a [dowse.WindowJudge]. It returns a relevance from 0 to 1 together
// with reasons, and the weights of the reasons add up to the relevance on the scale
// that the verdict names. A verdict can therefore be explained term by term, and
// [Without] computes what it would be if one reason were absent. Where a model is not
// a sum (centres, networks, votes) the scale is [Change]: each reason is what the
// relevance would lose without it.
//
// # The kinds
//
//   - [Words] judges by words that a person gives; it needs no examples.
//   - [Logistic] learns from labels, one at a time, and is the one to begin with.
//   - [SVM], kernel-density naive Bayes, a three-layer network and their vote are the judges of Wang et al. 2009.
//   - [Centroid] is the classifier of Ester, Kriegel and Schubert 2004.
//   - [Table] is the topic table of Taylan et al. 2011; [MultinomialBags] is the naive Bayes that the same paper uses for links.
//   - [Dewey] decides a decimal classification digit by digit (Seyfi and Patel 2015).
//
// A [Trainer] makes a judge from [Example]s; [Save] and [Load] keep it, and [Compare]
// measures candidates by cross-validation over sites.
//
// # How the parts fit
//
// All judges but Words share a space, which turns a page into a sparse vector, and
// differ in the core, which rates vectors. A page is read once; windows around links
// are cut from that reading. So a page costs one look-up per word plus one step per
// distinct term and model row, and a window costs only its own words. Judges are safe
// for concurrent use and keep no memory per page.
//
// # Invariants
//
// Training and rating are deterministic: sums run in a fixed order, products are
// rounded by float64(...) before they are added, so that no compiler fuses them
// differently on another machine, and everything random is drawn from a given seed. A
// loaded judge gives the same verdicts as the saved one.
package judge

import (
	"math"

	"dowse"
)

// The scales on which the weights of reasons add up to the relevance r.
const (
	Share   = "share"    // the sum is r
	LogOdds = "log-odds" // the sum is ln(r / (1 - r))
	Cosine  = "cosine"   // the sum is the cosine; r is 0 if it is negative
	Change  = "change"   // each weight is what r loses without the reason; they do not add up
)

// Threshold is the default relevance from which a page counts as on topic: the point
// at which a judge considers it more likely than not.
const Threshold = 0.5

// Without returns the relevance that the page would have if reason i were absent and
// all others unchanged, which shows what would flip the verdict. An i outside of the
// list leaves nothing out.
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

// withoutChange is Without for verdicts on the scale [Change].
func withoutChange(v dowse.Verdict, i int) float64 {
	if i < 0 || i >= len(v.Because) {
		return v.Relevance
	}
	return min(max(v.Relevance-v.Because[i].Weight, 0), 1)
}

// relevance converts a sum of weights on a scale into a relevance from 0 to 1.
func relevance(scale string, sum float64) float64 {
	if scale == LogOdds {
		return sigmoid(sum)
	}
	return min(max(sum, 0), 1)
}

// sigmoid is 1/(1+exp(-z)), the inverse of the log-odds. The exponent is never
// positive, so nothing overflows.
func sigmoid(z float64) float64 {
	if z >= 0 {
		return 1 / (1 + math.Exp(-z))
	}
	e := math.Exp(z)
	return e / (1 + e)
}
