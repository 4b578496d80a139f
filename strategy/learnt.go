package strategy

import (
	"fmt"

	"dowse/strategy/input"
)

// What online and auto have learnt can be reused by a later crawl for the same thing: the weights of signals
// and words, and how the hosts turned out. What belongs to one crawl is left out: the numbers of its
// pages, and the leads that wait. Words and hosts are known by their hashes.

// learntWeights returns what a strategy has learnt, as it saves it.
func learntWeights(name, predicate string, saved []byte, err error) *input.Learnt {
	if err != nil { // a state in memory can always be written
		panic(fmt.Sprintf("strategy: %s: %v", name, err))
	}
	return &input.Learnt{Predicate: predicate, Weights: map[string][]byte{name: saved}}
}

// weightsOf returns the weights of a strategy in what an earlier crawl learnt.
func weightsOf(l *input.Learnt, name, predicate string) ([]byte, error) {
	saved, ok := l.Weights[name]
	return saved, l.Fits(predicate, ok, "links, by "+name)
}

// general returns what is true beyond one crawl.
func (k onlineState) general() onlineState {
	return onlineState{Weights: k.Weights, Base: k.Base, Hosts: k.Hosts, Pages: make([]cell, lastPages), Next: 1}
}

// Learnt returns the weights, and how hosts turned out.
func (s *online) Learnt(predicate string) *input.Learnt {
	s.begin()
	other := online{Features: s.Features, Language: s.Language}
	other.begin()
	other.state = s.state.general()
	saved, err := other.Save()
	return learntWeights("online", predicate, saved, err)
}

// LearnFrom starts with the weights of an earlier crawl.
func (s *online) LearnFrom(l *input.Learnt, predicate string) error {
	saved, err := weightsOf(l, "online", predicate)
	if err == nil {
		err = s.Load(saved)
	}
	if err == nil {
		s.state = s.state.general()
		clear(s.at)
	}
	return err
}

// general returns what is true beyond one crawl.
func (k autoState) general() autoState {
	return autoState{Base: k.Base, Places: k.Places, Pages: make([]cell, lastPages), Sections: make([]hostCell, someSections), Next: 1}
}

// Learnt returns the weights, the vocabulary, and how hosts and folders turned out.
func (s *auto) Learnt(predicate string) *input.Learnt {
	s.begin()
	other := auto{Language: s.Language}
	other.begin()
	other.model.modelState, other.state = s.model.modelState, s.state.general()
	saved, err := other.Save()
	return learntWeights("auto", predicate, saved, err)
}

// LearnFrom starts with the weights and the vocabulary of an earlier crawl.
func (s *auto) LearnFrom(l *input.Learnt, predicate string) error {
	saved, err := weightsOf(l, "auto", predicate)
	if err == nil {
		err = s.Load(saved)
	}
	if err == nil {
		s.state = s.state.general()
		s.kept = nil
		clear(s.at)
	}
	return err
}
