package text

import (
	"cmp"
	"slices"
)

// A Census counts in how many documents of a training set, wanted ones and
// others, each term occurs. From these counts come vocabularies.
type Census struct {
	docs  [2]int // others, wanted
	terms map[string]*presence
}

// presence is in how many documents a term was seen.
type presence struct {
	in   [2]int // others, wanted
	last int    // number of the last document, counted from 1
}

// Add takes in the terms of one document, repeated ones included.
func (c *Census) Add(terms []string, wanted bool) {
	if c.terms == nil {
		c.terms = map[string]*presence{}
	}
	c.docs[side(wanted)]++
	number := c.Docs()
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

func side(wanted bool) int {
	if wanted {
		return 1
	}
	return 0
}

// Docs returns the number of documents.
func (c *Census) Docs() int { return c.docs[0] + c.docs[1] }

// ChiSquare returns how far the presence of a term is from being independent of
// whether a document is wanted; 0 where one of the four margins is empty.
func (c *Census) ChiSquare(term string) float64 {
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

// Vocabulary returns all terms.
func (c *Census) Vocabulary() *Vocabulary { return c.Best(len(c.terms)) }

// Best returns the n terms with the highest [Census.ChiSquare]; of equal ones those
// in more documents, then the first by alphabet. Wang et al.
// 2009 keep 2,000.
func (c *Census) Best(n int) *Vocabulary {
	type candidate struct {
		term string
		df   int
		chi  float64
	}
	list := make([]candidate, 0, len(c.terms))
	for t, p := range c.terms {
		list = append(list, candidate{t, p.in[0] + p.in[1], c.ChiSquare(t)})
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
	return newVocabulary(c.Docs(), terms, df)
}
