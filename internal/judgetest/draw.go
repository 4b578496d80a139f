package judgetest

import (
	"math/rand/v2"

	"dowse/judge"
)

// Draw splits examples at random into a training set of n on topic and twice as many others
// (or as many as there are) and the rest, for testing. Wang et al. 2009 train on 75 and 150.
// The same page must not be among the examples twice.
func Draw(examples []judge.Example, n int, rng *rand.Rand) (train, rest []judge.Example) {
	left := map[bool]int{true: n, false: 2 * n}
	for _, i := range rng.Perm(len(examples)) {
		e := examples[i]
		if left[e.Relevant] > 0 {
			left[e.Relevant]--
			train = append(train, e)
		} else {
			rest = append(rest, e)
		}
	}
	return train, rest
}
