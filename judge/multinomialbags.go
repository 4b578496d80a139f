package judge

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// MultinomialBags is multinomial naive Bayes over bags of tokens (equations 5 to 7 of
// Taylan et al. 2011). The probability of token t in class c is
//
//	θ(t|c) = (1 + count of t in c) / (distinct tokens + all tokens of c)
//
// The state is counts, which add up: learning one more bag is exact, costs one step
// per token, and does not depend on the order. The zero value has learnt nothing.
//
// It is meant for short bags such as the words of a link; the kind "multinomial"
// judges pages. Concurrent readers are safe as long as no goroutine calls Add or
// AddCounts.
type MultinomialBags struct {
	Limit int // distinct tokens to keep, later ones are ignored; default 200,000

	counts map[string]*[2]float64 // by token: irrelevant, relevant
	tokens [2]float64             // sums of counts, by class
	bags   [2]float64
}

const maxBagTokens = 200_000

// Add learns one bag of tokens of a class. Tokens beyond the limit are ignored.
func (b *MultinomialBags) Add(relevant bool, tokens []string) {
	if b.counts == nil {
		b.counts = map[string]*[2]float64{}
	}
	c := side(relevant)
	b.bags[c]++
	for _, t := range tokens {
		if n := b.count(t); n != nil {
			n[c]++
			b.tokens[c]++
		}
	}
}

// count returns the counts of a token, new ones if there is room, and nil otherwise.
func (b *MultinomialBags) count(token string) *[2]float64 {
	n := b.counts[token]
	if n == nil && len(b.counts) < b.limit() {
		n = &[2]float64{}
		b.counts[token] = n
	}
	return n
}

func (b *MultinomialBags) limit() int {
	if b.Limit <= 0 {
		return maxBagTokens
	}
	return b.Limit
}

// Bags returns the number of bags learnt per class. It is a float because AddCounts
// may add fractions.
func (b *MultinomialBags) Bags() (irrelevant, relevant float64) { return b.bags[0], b.bags[1] }

// MultinomialCounts is the state of a [MultinomialBags] for saving. All pairs are in
// the order irrelevant, relevant.
type MultinomialCounts struct {
	Tokens []string // sorted
	Counts [][2]float64
	Bags   [2]float64
}

// Counts returns a copy of the state.
func (b *MultinomialBags) Counts() MultinomialCounts {
	c := MultinomialCounts{Tokens: slices.Sorted(maps.Keys(b.counts)), Bags: b.bags}
	for _, t := range c.Tokens {
		c.Counts = append(c.Counts, *b.counts[t])
	}
	return c
}

// AddCounts adds a saved state, every count multiplied by weight; a weight below 1
// makes earlier experience count less than new bags. It returns an error for negative
// or huge counts and then changes nothing.
func (b *MultinomialBags) AddCounts(c MultinomialCounts, weight float64) error {
	if len(c.Tokens) != len(c.Counts) {
		return fmt.Errorf("judge: multinomial: %d tokens and %d counts", len(c.Tokens), len(c.Counts))
	}
	for _, n := range append(c.Counts, c.Bags) {
		if !(n[0] >= 0 && n[1] >= 0 && n[0] <= maxNumber && n[1] <= maxNumber) {
			return fmt.Errorf("judge: multinomial: counts of %g and %g", n[0], n[1])
		}
	}
	if b.counts == nil {
		b.counts = map[string]*[2]float64{}
	}
	for class := range b.bags {
		b.bags[class] += float64(weight * c.Bags[class])
	}
	for i, t := range c.Tokens {
		n := b.count(t)
		for class := range b.tokens {
			if n != nil {
				more := float64(weight * c.Counts[i][class])
				n[class] += more
				b.tokens[class] += more
			}
		}
	}
	return nil
}

// Theta returns θ(token|class), 0 for an unknown token.
func (b *MultinomialBags) Theta(token string, relevant bool) float64 {
	n := b.counts[token]
	if n == nil {
		return 0
	}
	c := side(relevant)
	return (1 + n[c]) / (float64(len(b.counts)) + b.tokens[c])
}

// Weight returns by how much one occurrence of a token changes the log-odds, 0 for an
// unknown token.
func (b *MultinomialBags) Weight(token string) float64 {
	if b.counts[token] == nil {
		return 0
	}
	return math.Log(b.Theta(token, true)) - math.Log(b.Theta(token, false))
}

// LogJoint returns ln P(class) + Σ ln θ(t|class) for both classes. Unknown tokens are
// ignored.
func (b *MultinomialBags) LogJoint(tokens []string) (relevant, irrelevant float64) {
	all := b.bags[0] + b.bags[1]
	irrelevant, relevant = math.Log(b.bags[0]/all), math.Log(b.bags[1]/all)
	for _, t := range tokens {
		if b.counts[t] == nil {
			continue
		}
		irrelevant += math.Log(b.Theta(t, false))
		relevant += math.Log(b.Theta(t, true))
	}
	return relevant, irrelevant
}

// P returns the probability that a bag is relevant. With no known token it is the
// share of relevant bags, and one half if nothing was learnt.
func (b *MultinomialBags) P(tokens []string) float64 {
	switch {
	case b.bags[1] == 0 && b.bags[0] == 0:
		return 0.5
	case b.bags[1] == 0:
		return 0
	case b.bags[0] == 0:
		return 1
	}
	relevant, irrelevant := b.LogJoint(tokens)
	return sigmoid(relevant - irrelevant)
}
