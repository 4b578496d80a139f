// Package input defines what a strategy can be given in addition to parameters and pages: a
// trace of who accessed what, a T-Graph, the words and the language of the topic, labelled
// links, a decimal classification, word vectors, names of what the words may mean, and what an earlier crawl has learnt. A strategy that
// uses any of these is a [Taker]; one whose knowledge can be reused is a [Learner].
// Strategies that need none of it do not depend on this package.
package input

import (
	"slices"

	"dowse"
	"dowse/internal/tgraph"
	"dowse/internal/vectors"
	"dowse/internal/wordnet"
	"dowse/judge"
)

// Inputs are the inputs that a crawl has for its strategies. Strategies must not change
// them.
type Inputs struct {
	Trace  Trace         // who went where; nil for none
	TGraph *tgraph.Graph // the ways to known pages; nil for none

	Language string            // of the topic, for strategies that are given no other
	Words    []judge.TopicWord // of the topic as people write them; nil for none
	Stems    []judge.TopicWord // of a table of weighted words that judges, in place of Words; nil for none
	Prefix   int               // letters to which Stems are cut; 0 if the stemmer of Language made them
	Links    []LabelledLink    // to learn from; nil for none
	Classes  []judge.Code      // a decimal classification; nil for none
	Vectors  *vectors.Table    // of words in general use; nil for none
	Taxonomy *wordnet.Taxonomy // what names are names of, by a dictionary; nil for none
	Names    []string          // what the words of the topic may stand for, by a dictionary: kinds, instances, parts; nil for none
}

// A Kind is a set of inputs. Kinds are combined with |.
type Kind uint8

// The kinds of inputs, one for each field of [Inputs]; those of the topic in words, and those of words in general, taken together.
const (
	KindTrace Kind = 1 << iota
	KindTGraph
	KindLanguage
	KindWords
	KindLinks
	KindClasses
	KindVectors // and the taxonomy: both say what is known of words in general
)

// A Taker is a strategy that uses inputs.
type Taker interface {
	// Inputs returns the kinds of inputs without which the strategy cannot crawl, and the
	// kinds that it uses if they are given.
	Inputs() (required, used Kind)
	// Take sets the inputs. It is called once, after the parameters were set and before any
	// other method. A parameter takes precedence over an input. The error for a required
	// input that is missing describes how to give it.
	Take(in Inputs) error
}

// Required returns the names of the inputs without which a strategy cannot crawl: "a
// trace", "a T-Graph".
func Required(s dowse.Strategy) (names []string) {
	required, _ := kindsOf(s)
	if required&KindTrace != 0 {
		names = append(names, "a trace")
	}
	if required&KindTGraph != 0 {
		names = append(names, "a T-Graph")
	}
	return names
}

// Give sets the inputs of a strategy that uses any, and returns its error.
func (in Inputs) Give(s dowse.Strategy) error {
	if t, ok := s.(Taker); ok {
		return t.Take(in)
	}
	return nil
}

// Unused returns the names of the files that were given and that none of the strategies
// uses, so that a person is warned of a file without effect. The words and the language
// come with every topic and are not named.
func (in Inputs) Unused(strategies ...dowse.Strategy) (names []string) {
	for _, file := range []struct {
		name  string
		given bool
		kind  Kind
	}{
		{"the T-Graph", in.TGraph != nil, KindTGraph},
		{"the trace", in.Trace != nil, KindTrace},
		{"the links to learn from", in.Links != nil, KindLinks},
		{"the classes", in.Classes != nil, KindClasses},
		{"the word vectors", in.Vectors != nil, KindVectors},
	} {
		goes := func(s dowse.Strategy) bool {
			required, used := kindsOf(s)
			return (required|used)&file.kind != 0
		}
		if file.given && !slices.ContainsFunc(strategies, goes) {
			names = append(names, file.name)
		}
	}
	return names
}

// kindsOf returns what a strategy requires and uses; nothing for one that is not a Taker.
func kindsOf(s dowse.Strategy) (required, used Kind) {
	if t, ok := s.(Taker); ok {
		return t.Inputs()
	}
	return 0, 0
}
