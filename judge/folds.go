package judge

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
