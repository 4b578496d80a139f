package text

import (
	"fmt"
	"math"
	"slices"
)

// A Vocabulary numbers terms in alphabetical order and knows in how many
// documents of a training set each occurs. It is never changed and safe for
// concurrent use.
type Vocabulary struct {
	terms []string // sorted; the index is the number
	df    []int    // documents that contain the term, by number
	docs  int
	ids   map[string]int32
}

// NewVocabulary returns the vocabulary of terms in a training set of docs
// documents, df[i] of which contain terms[i]. Terms that are not in strictly
// ascending order, and counts below 1 or above docs, are an error. The
// vocabulary keeps both slices.
func NewVocabulary(docs int, terms []string, df []int) (*Vocabulary, error) {
	if len(terms) != len(df) {
		return nil, fmt.Errorf("text: vocabulary: %d terms and %d counts", len(terms), len(df))
	}
	for i, t := range terms {
		if i > 0 && terms[i-1] >= t {
			return nil, fmt.Errorf("text: vocabulary: %q is out of order", t)
		}
		if df[i] < 1 || df[i] > docs {
			return nil, fmt.Errorf("text: vocabulary: %q is in %d of %d documents", t, df[i], docs)
		}
	}
	return newVocabulary(docs, terms, df), nil
}

func newVocabulary(docs int, terms []string, df []int) *Vocabulary {
	v := &Vocabulary{terms: terms, df: df, docs: docs, ids: make(map[string]int32, len(terms))}
	for i, t := range terms {
		v.ids[t] = int32(i)
	}
	return v
}

// ID returns the number of a term, -1 for one that is not in the vocabulary.
func (v *Vocabulary) ID(term string) int32 {
	if id, ok := v.ids[term]; ok {
		return id
	}
	return -1
}

// Term returns the term with a number, which must be valid.
func (v *Vocabulary) Term(id int32) string { return v.terms[id] }

// Len returns the number of terms. The numbers of terms are those from 0 to
// Len-1.
func (v *Vocabulary) Len() int { return len(v.terms) }

// Terms returns a copy of all terms, in order of their numbers.
func (v *Vocabulary) Terms() []string { return slices.Clone(v.terms) }

// Docs returns the number of documents in the training set.
func (v *Vocabulary) Docs() int { return v.docs }

// DF returns in how many documents of the training set the term occurs.
func (v *Vocabulary) DF(id int32) int { return v.df[id] }

// idf returns ln(documents / documents with the term), which is 0 for a term
// that is in all of them.
func (v *Vocabulary) idf(id int32) float64 {
	return math.Log(float64(v.docs) / float64(v.df[id]))
}

// Count returns how often each term of the vocabulary occurs among terms.
// Others are ignored.
func (v *Vocabulary) Count(terms []string) Vector {
	ids := make([]int32, 0, len(terms))
	for _, t := range terms {
		if id := v.ID(t); id >= 0 {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	var counts Vector
	for _, id := range ids {
		if n := len(counts); n == 0 || counts[n-1].Term != id {
			counts = append(counts, Entry{Term: id})
		}
		counts[len(counts)-1].Weight++
	}
	return counts
}

// TFIDF weights term counts by how rare the terms are: count · ln(documents /
// documents with the term), as in equation 4 of Wang et al. 2009. It is safe
// for concurrent use.
type TFIDF struct {
	idf  []float64
	unit bool
}

// NewTFIDF returns the weights of a vocabulary. With unit, vectors are scaled
// to length 1, so that pages and short texts can be compared.
func NewTFIDF(v *Vocabulary, unit bool) *TFIDF {
	w := &TFIDF{idf: make([]float64, v.Len()), unit: unit}
	for i := range w.idf {
		w.idf[i] = v.idf(int32(i))
	}
	return w
}

// Weigh turns counts into weights, in place.
func (w *TFIDF) Weigh(v Vector) {
	for i := range v {
		v[i].Weight *= w.idf[v[i].Term]
	}
	if w.unit {
		v.Normalize()
	}
}
