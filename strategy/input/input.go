// Package input is what strategies can be given beside parameters and pages: a trace of
// who went where, a T-Graph, the words and the language of the topic, links of which it
// is known where they led, a decimal classification, and what an earlier crawl has
// learnt. A strategy that uses any of these is a [Taker]; one that can hand on what
// it learnt is a [Learner].
package input

import (
	"slices"

	"dowse"
	"dowse/internal/tgraph"
	"dowse/judge"
)

// Inputs are what there is for the strategies of a crawl.
type Inputs struct {
	Trace  Trace         // who went where; nil for none
	TGraph *tgraph.Graph // the ways to known pages; nil for none

	Language string            // of the topic, for strategies that are given no other
	Words    []judge.TopicWord // of the topic as people write them; nil for none
	Links    []LabelledLink    // to learn from; nil for none
	Classes  []judge.Code      // a decimal classification; nil for none
}

// A Kind is one of the inputs. Kinds are added up with |.
type Kind uint8

// The kinds of inputs, one for each field of [Inputs].
const (
	KindTrace Kind = 1 << iota
	KindTGraph
	KindLanguage
	KindWords
	KindLinks
	KindClasses
)

// A Taker is a strategy that uses inputs.
type Taker interface {
	// Inputs returns the kinds of inputs without which the strategy can't crawl, and
	// the kinds that it uses where they are given.
	Inputs() (required, used Kind)
	// Take hands the inputs over. It is called once, when the parameters are set and
	// before anything else is asked of the strategy. What a parameter says wins over an
	// input. The error for a required input that is missing says how to give it.
	Take(in Inputs) error
}

// Required names the inputs without which a strategy can't crawl: "a trace", "a T-Graph".
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

// Give hands the inputs to a strategy, if it uses any.
func (in Inputs) Give(s dowse.Strategy) error {
	if t, ok := s.(Taker); ok {
		return t.Take(in)
	}
	return nil
}

// Unused names the files that were given and that none of the strategies uses. The
// words and the language come with every topic, so they are not named.
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

func kindsOf(s dowse.Strategy) (required, used Kind) {
	if t, ok := s.(Taker); ok {
		return t.Inputs()
	}
	return 0, 0
}
