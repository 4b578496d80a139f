package text

import (
	"cmp"
	"slices"
)

// A Census counts in how many documents of a training set, positive and
// negative ones, each term occurs. Vocabularies are made from these counts. The
// zero value is an empty census. It must not be used concurrently.
type Census struct {
	docs  [2]int // negative, positive
	terms map[string]*presence
}

// presence counts the documents that contain a term.
type presence struct {
	in   [2]int // negative, positive
	last int    // number of the last document with the term, from 1: each counts once
}

// Add counts the terms of one document. A repeated term counts once.
func (c *Census) Add(terms []string, wanted bool) {
	if c.terms == nil {
		c.terms = map[string]*presence{}
	}
	c.docs[side(wanted)]++
	number := c.size()
	for _, t := range terms {
		p := c.terms[t]
		if p == nil {
			p = &presence{}
			c.terms[t] = p
		}
		if p.last != number {
			p.last = number
			p.in[side(wanted)]++
		}
	}
}

// side returns the index of a kind of document in docs and in.
func side(wanted bool) int {
	if wanted {
		return 1
	}
	return 0
}

// size returns the number of documents added.
func (c *Census) size() int { return c.docs[0] + c.docs[1] }

// chiSquare returns the chi-square statistic of a term and the kind of
// document: how far the presence of the term is from being independent of
// whether a document is positive. It is 0 if one of the four margins is empty.
func (c *Census) chiSquare(term string) float64 {
	p := c.terms[term]
	if p == nil {
		return 0
	}
	a, b := float64(p.in[1]), float64(p.in[0])
	without, others := float64(c.docs[1])-a, float64(c.docs[0])-b
	n := a + b + without + others
	margins := (a + without) * (b + others) * (a + b) * (without + others)
	if margins == 0 {
		return 0
	}
	diff := float64(a*others) - float64(without*b)
	return n * diff * diff / margins
}

// Vocabulary returns the vocabulary of all terms.
func (c *Census) Vocabulary() *Vocabulary { return c.Best(len(c.terms)) }

// Best returns the vocabulary of the n terms with the highest chi-square; among
// equals of those in more documents, then of the first in alphabetical order.
// Wang et al. 2009 keep 2,000.
func (c *Census) Best(n int) *Vocabulary {
	type candidate struct {
		term string
		df   int
		chi  float64
	}
	list := make([]candidate, 0, len(c.terms))
	for t, p := range c.terms {
		list = append(list, candidate{t, p.in[0] + p.in[1], c.chiSquare(t)})
	}
	slices.SortFunc(list, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.chi, a.chi), cmp.Compare(b.df, a.df), cmp.Compare(a.term, b.term))
	})
	list = list[:min(max(n, 0), len(list))]
	slices.SortFunc(list, func(a, b candidate) int { return cmp.Compare(a.term, b.term) })
	terms, df := make([]string, len(list)), make([]int, len(list))
	for i, t := range list {
		terms[i], df[i] = t.term, t.df
	}
	return newVocabulary(c.size(), terms, df)
}
