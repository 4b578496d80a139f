package judge

import (
	"cmp"
	"math"
	"slices"
)

// folds deals examples into k folds: the j-th example of its kind goes to fold j
// mod k, so that each fold has its share of both kinds.
func folds(wanted []bool, k int) []int {
	fold := make([]int, len(wanted))
	var seen [2]int
	for i, w := range wanted {
		n := &seen[0]
		if w {
			n = &seen[1]
		}
		fold[i] = *n % k
		*n++
	}
	return fold
}

// siteFolds deals examples into k folds such that those of one site are together.
// Sites are dealt in the order in which they appear; an example without a site is
// one of its own.
func siteFolds(sites []string, k int) []int {
	fold := make([]int, len(sites))
	known := map[string]int{}
	dealt := 0
	for i, s := range sites {
		f, ok := known[s]
		if !ok || s == "" {
			f = dealt % k
			dealt++
			known[s] = f
		}
		fold[i] = f
	}
	return fold
}

// outOfFold returns for each example what a rating learnt without its fold says of
// it. learn gets the numbers of the examples to learn from.
func outOfFold(fold []int, k int, learn func(from []int) (rating func(i int) float64)) []float64 {
	ratings := make([]float64, len(fold))
	for f := range k {
		from, rest := split(fold, f)
		if len(rest) == 0 {
			continue
		}
		rating := learn(from)
		for _, i := range rest {
			ratings[i] = rating(i)
		}
	}
	return ratings
}

// split returns the examples outside of a fold, and those in it.
func split(fold []int, f int) (from, rest []int) {
	for i, x := range fold {
		if x == f {
			rest = append(rest, i)
		} else {
			from = append(from, i)
		}
	}
	return from, rest
}

// evenFolds deals examples into k folds such that those of one site are together and
// folds have about as many of both kinds: the largest site first, each to the fold that
// it fills least.
func evenFolds(sites []string, wanted []bool, k int) []int {
	groups := groupSites(sites)
	slices.SortStableFunc(groups, func(a, b []int) int { return cmp.Compare(len(b), len(a)) })
	all := kinds(wanted, nil)
	filled := make([][2]float64, k)
	fold := make([]int, len(sites))
	for _, g := range groups {
		n := kinds(wanted, g)
		best, least := 0, math.Inf(1)
		for f := range k {
			if full := max((filled[f][0]+n[0])/all[0], (filled[f][1]+n[1])/all[1]); full < least {
				best, least = f, full
			}
		}
		filled[best][0] += n[0]
		filled[best][1] += n[1]
		for _, i := range g {
			fold[i] = best
		}
	}
	return fold
}

// groupSites returns the numbers of the examples of each site, in the order in which
// the sites appear. An example without a site is a group of its own.
func groupSites(sites []string) (groups [][]int) {
	known := map[string]int{}
	for i, s := range sites {
		g, ok := known[s]
		if !ok || s == "" {
			g = len(groups)
			known[s] = g
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], i)
	}
	return groups
}

// kinds counts the examples of both kinds among those numbered, nil for all.
func kinds(wanted []bool, numbered []int) (n [2]float64) {
	for _, i := range numbered {
		n[side(wanted[i])]++
	}
	if numbered == nil {
		for _, w := range wanted {
			n[side(w)]++
		}
	}
	return n
}

// teaches reports whether both kinds are left to learn from without any of the folds,
// and at least half of the examples.
func teaches(fold []int, wanted []bool, k int) bool {
	all := kinds(wanted, nil)
	for f := range k {
		_, rest := split(fold, f)
		n := kinds(wanted, rest)
		if len(rest) > 0 && (n[0] > all[0]/2 || n[1] > all[1]/2) {
			return false
		}
	}
	return true
}
