package linkclass

import (
	"dowse"
	"dowse/judge"
)

// Cosine compares terms with a table.
func Cosine(table []judge.TopicWord, terms []string) float64 {
	return newTopicTable(table).cosine(terms)
}

// URLTerms are the terms of a URL.
func URLTerms(w LinkWords, u dowse.URL) []string { return newLinkReader(&w).url(nil, u) }

// LinkScore is the score of a URL by its note, and its level, -1 for none.
func LinkScore(s LinkScoring, u dowse.URL, note string) (score float64, level int) {
	known := standingOf(note)
	return newScorer(&s).rate(u, &known).score(), known.level
}

// The bands of a queue of links.
const (
	SeedBand     = seedBand
	LessonBand   = lessonBand
	ProbableBand = probableBand
	ScoredBand   = scoredBand
)

// A LinkModel is what strategies with naive Bayes learn.
type LinkModel struct{ *judge.MultinomialBags }

// NewLinkModel makes one that was taught.
func NewLinkModel(list []Bag) LinkModel {
	m := LinkModel{&judge.MultinomialBags{Limit: 1000}}
	m.Learn(list)
	return m
}

// Bag is a link as a model sees it.
type Bag = bag

// Learn teaches more.
func (m LinkModel) Learn(list []Bag) {
	for _, b := range list {
		m.Add(b.Relevant, b.Terms)
	}
}

// Again is the model as it is after being saved and loaded.
func (m LinkModel) Again() LinkModel {
	again := NewLinkModel(nil)
	if err := again.AddCounts(m.Counts(), 1); err != nil {
		panic(err)
	}
	return again
}

// Lessons are what the model of a strategy was taught.
func (b *LinkBayes) LessonsLearnt() any { return b.model.Counts() }

// Lessons are what the model was taught.
func (m LinkModel) Lessons() any { return m.Counts() }

// Training reports whether a strategy is still being trained.
func (b *LinkBayes) InTraining() bool { return !b.state.Training.Over }

// Chance rates a link.
func (b *LinkBayes) Chance(l *dowse.Link) float64 {
	p, _ := b.chance(l)
	return p
}

// Balanced is what of outcomes is learnt.
func Balanced(list []Bag) []Bag { return balanced(list) }

// Renoted is a note after being read and written.
func Renoted(note string) string {
	s := standingOf(note)
	return s.note()
}

// Tests know strategies by these names; programs make them by their names in the list.
type (
	LSFC          = lsfc
	NB            = nb
	NBThreshold   = nbThreshold
	NBUpdateable  = nbUpdateable
	OptimisedLSFC = optimisedLSFC
)

var (
	UpdateSelf     = updateSelf
	UpdateVerified = updateVerified
)

// Optimised returns lsfc-optimised with a threshold of links.
func Optimised(link float64, scoring LinkScoring) *OptimisedLSFC {
	return &optimisedLSFC{Link: link, lsfc: lsfc{LinkScoring: scoring}}
}
