package judge

import (
	"dowse"
	"dowse/internal/text"
)

// Known returns the number of tokens known.
func (b *MultinomialBags) Known() int { return len(b.counts) }

// Terms returns the terms of a text as the table's labels have them, each counted
// with the given weight.
func (j *Digits) Terms(s string, weight float64) []Token {
	var list []Token
	for _, t := range j.space.analyzer.Terms(s) {
		list = append(list, Token{t, weight})
	}
	return list
}

// Trade is the point of a precision-recall curve.
type Trade = trade

// Clone returns a judge that knows the same and learns apart.
func (j *Online) Clone() *Online { return j.copy() }

// OfWords makes the table from words as people write them, with the same weight
// for each.
func (t Table) OfWords(words []string) (Model, error) {
	a := t.features().analyzer(-1)
	var list []TopicWord
	seen := map[string]bool{}
	for _, w := range words {
		for _, term := range a.Terms(w) {
			if !seen[term] {
				seen[term] = true
				list = append(list, TopicWord{term, 1})
			}
		}
	}
	return t.model(list)
}

// Validate trains k judges, each without one fold of the examples, and has each rate
// its fold. Pages of one site look alike, so they are in one fold, unless the sites are
// too few for that: then the j-th example of its kind is in fold j mod k. It needs at
// least two examples of both kinds and two folds.
func Validate(t Trainer, examples []Example, k int) (Validation, error) {
	list, err := Compare([]Candidate{{Trainer: t}}, examples, k)
	if err != nil {
		return Validation{}, err
	}
	return list[0], nil
}

// KDE is what tests call it.
type KDE = kdeTrainer

// Multinomial is what tests call it.
type Multinomial = multinomialTrainer

// Network is what tests call it.
type Network = networkTrainer

// Vote is what tests call it.
type Vote = voteTrainer

// Sparse returns the same judge with all slots of its table, those without a term included.
func (j *Online) Sparse() Model {
	c := j.copy()
	c.reading.Do(func() { c.reader = c.trained })
	return c
}

// TrainSparse is Train on tables with all slots.
func (t Logistic) TrainSparse(examples []Example) (Model, error) {
	j, err := t.untrained()
	if err != nil {
		return nil, err
	}
	s := t.features().sample(examples)
	var counts []text.Vector
	for _, b := range s.bags {
		j.nameAll(b.terms)
		counts = append(counts, j.space.count(b))
	}
	j.state.train(j.made, counts, s.wanted)
	j.state.calibrate(j.made, counts, s.wanted)
	return j, nil
}

// VectorRatings rates windows by the vectors of their words.
func (j *Online) VectorRatings(p *dowse.Page, windows []dowse.Span) (ratings []float64) {
	r := j.space.open()
	j.space.read(r, p)
	for _, w := range windows {
		ratings = append(ratings, j.core.rate(j.space.window(r, w)))
		r.clear()
	}
	return ratings
}

// Shared is between the terms of a reason that names several.
const Shared = shared
