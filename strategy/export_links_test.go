package strategy

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
type LinkModel struct{ *linkModel }

// NewLinkModel makes one that was taught.
func NewLinkModel(list []Bag) LinkModel {
	m := LinkModel{newLinkModel(1000)}
	m.Learn(list)
	return m
}

// Bag is a link as a model sees it.
type Bag = bag

// Learn teaches more.
func (m LinkModel) Learn(list []Bag) { m.learn(list) }

// P is the probability of terms.
func (m LinkModel) P(terms []string) float64 { return m.bayes.P(terms) }

// Theta is the probability of a term.
func (m LinkModel) Theta(term string, relevant bool) float64 { return m.bayes.Theta(term, relevant) }

// Again is the model as it is after being saved and loaded.
func (m LinkModel) Again() LinkModel {
	again := NewLinkModel(nil)
	again.study(m.lessons())
	return again
}

// Lessons are what the model of a strategy was taught.
func (b *LinkBayes) LessonsLearnt() any { return b.model.lessons() }

// Lessons are what a model was taught.
func (m LinkModel) Lessons() any { return m.lessons() }

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
