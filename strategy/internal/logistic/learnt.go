package logistic

import (
	"fmt"

	"dowse"
	"dowse/strategy/input"
)

// What online and auto have learnt can be reused by a later crawl for the same thing: the
// weights of signals and words, and how hosts turned out. What belongs to one crawl is left
// out: the numbers of its pages, and the leads that wait. Words and hosts are known by their
// hashes.

// A saver is a strategy that can be saved and loaded.
type saver interface {
	Save() ([]byte, error)
	Load([]byte) error
}

// forgetCrawl resets everything that is true of one crawl only.
func (s *learner) forgetCrawl() {
	s.ring = newRing()
	clear(s.sections)
	s.waiting = waiting{at: map[dowse.URL]int{}}
}

// learntBy returns what a strategy has learnt, as it saves it. to is a new one of the same
// parameters, and its learner.
func learntBy(name, predicate string, from, to saver, l *learner) *input.Learnt {
	saved, err := from.Save()
	if err == nil {
		err = to.Load(saved)
	}
	if err == nil {
		l.forgetCrawl()
		saved, err = to.Save()
	}
	if err != nil { // a state in memory can always be written and read
		panic(fmt.Sprintf("strategy: %s: %v", name, err))
	}
	return &input.Learnt{Predicate: predicate, Weights: map[string][]byte{name: saved}}
}

// learnFrom loads the weights of a strategy from what an earlier crawl learnt.
func learnFrom(name string, from *input.Learnt, predicate string, to saver, l *learner) error {
	saved, ok := from.Weights[name]
	err := from.Fits(predicate, ok, "links by "+name)
	if err == nil {
		err = to.Load(saved)
	}
	if err == nil {
		l.forgetCrawl()
	}
	return err
}

// Learnt returns the weights, and how hosts turned out.
func (s *online) Learnt(predicate string) *input.Learnt {
	other := &online{Features: s.Features, Language: s.Language}
	return learntBy("online", predicate, s, other, &other.learner)
}

// LearnFrom starts with the weights of an earlier crawl.
func (s *online) LearnFrom(l *input.Learnt, predicate string) error {
	return learnFrom("online", l, predicate, s, &s.learner)
}

// Learnt returns the weights, the vocabulary, and how hosts and folders turned out.
func (s *auto) Learnt(predicate string) *input.Learnt {
	other := &auto{Language: s.Language}
	return learntBy("auto", predicate, s, other, &other.learner)
}

// LearnFrom starts with the weights and the vocabulary of an earlier crawl.
func (s *auto) LearnFrom(l *input.Learnt, predicate string) error {
	return learnFrom("auto", l, predicate, s, &s.learner)
}
