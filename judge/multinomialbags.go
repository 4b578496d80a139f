package judge

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// MultinomialBags is multinomial naive Bayes over bags of tokens (equations 5 to 7 of Taylan
// et al. 2011): the probability of a token in a class is (1 + its count) / (tokens
// known + tokens of the class). Its counts add up, so that learning one more bag is
// exact and costs no more than the bag. The zero value has learnt nothing.
//
// Judges of pages are made by the kind "multinomial"; this is for short bags, as those of
// links. It may be read from many goroutines while nobody adds.
type MultinomialBags struct {
	Limit int // tokens to know, later ones are ignored; 0 means 200,000

	counts map[string]*[2]float64 // irrelevant, relevant
	tokens [2]float64
	bags   [2]float64
}

const maxBagTokens = 200_000

// Add takes in a bag of tokens.
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

// count returns the counts of a token, new ones if there is room, else nil.
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

// Bags returns how many bags of each class were taken in.
func (b *MultinomialBags) Bags() (irrelevant, relevant float64) { return b.bags[0], b.bags[1] }

// MultinomialCounts are what a [MultinomialBags] has learnt, by which it is saved. All lists of two
// have first what is irrelevant.
type MultinomialCounts struct {
	Tokens []string // in order
	Counts [][2]float64
	Bags   [2]float64
}

// Counts returns what was learnt.
func (b *MultinomialBags) Counts() MultinomialCounts {
	c := MultinomialCounts{Tokens: slices.Sorted(maps.Keys(b.counts)), Bags: b.bags}
	for _, t := range c.Tokens {
		c.Counts = append(c.Counts, *b.counts[t])
	}
	return c
}

// AddCounts takes in what another has learnt, each bag for so much of one. It refuses
// counts that can't be.
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

// Theta returns the probability of a token in a class, 0 for one that is not known.
func (b *MultinomialBags) Theta(token string, relevant bool) float64 {
	n := b.counts[token]
	if n == nil {
		return 0
	}
	c := side(relevant)
	return (1 + n[c]) / (float64(len(b.counts)) + b.tokens[c])
}

// Weight returns by how much one occurrence of a token changes the log-odds, 0 for
// one that is not known.
func (b *MultinomialBags) Weight(token string) float64 {
	if b.counts[token] == nil {
		return 0
	}
	return math.Log(b.Theta(token, true)) - math.Log(b.Theta(token, false))
}

// logJoint returns the logarithms of the probabilities that a bag of a class has
// these tokens, times that of the class. Tokens that are not known are ignored.
func (b *MultinomialBags) logJoint(tokens []string) (relevant, irrelevant float64) {
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

// P returns the probability that a bag is relevant: with no known token what the
// shares of the classes say, and one half if nothing was learnt.
func (b *MultinomialBags) P(tokens []string) float64 {
	switch {
	case b.bags[1] == 0 && b.bags[0] == 0:
		return 0.5
	case b.bags[1] == 0:
		return 0
	case b.bags[0] == 0:
		return 1
	}
	relevant, irrelevant := b.logJoint(tokens)
	return sigmoid(relevant - irrelevant)
}
