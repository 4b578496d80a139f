package judge

import (
	"cmp"
	"math"
	"slices"
)

// folds assigns examples to k folds: the j-th example of its class goes to fold j mod
// k, so that every fold has its share of both classes. No randomness is needed, since
// the caller fixes the order.
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

// siteFolds assigns examples to k folds so that the examples of one site are in one
// fold: pages of a site look alike, and a judge that has seen one of them knows the
// others too well. Sites are assigned in order of appearance; an example without a
// site is a site of its own.
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

// outOfFold returns for every example the rating of a model that was trained without
// the example's fold. learn is called once per non-empty fold with the numbers of the
// examples to train on, and returns that model's rating of example i.
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

// split returns the numbers of the examples outside of fold f, and of those in it,
// both ascending.
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

// evenFolds assigns examples to k folds so that the examples of one site are in one
// fold, and every fold has about the same share of both classes. It is greedy: sites
// in descending order of size, each into the fold whose fuller class stays lowest.
// Ties go to the lower fold and to the site that appeared first.
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

// groupSites returns the numbers of the examples of each site, sites in order of
// appearance. An example without a site is a group of its own.
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

// kinds counts the examples of both classes (off topic, on topic) among those
// numbered; nil counts all.
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

// teaches reports whether every fold leaves at least half of the examples of each
// class to train on. One huge site can hold most of a class, and then folds by site
// test little else than its absence.
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
