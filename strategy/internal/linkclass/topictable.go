package linkclass

import (
	"maps"
	"math"
	"slices"
	"strings"

	"dowse"
	"dowse/internal/linktext"
	"dowse/internal/text"
	"dowse/judge"
)

// A topicTable compares terms with the weighted words of a topic, by the cosine over these
// words alone (Taylan et al. 2011, eq. 3, with the product of norms that the paper prints
// as the root of a sum: SPEC A.4).
type topicTable struct {
	words   *text.Vocabulary
	weights []float64
	norm    float64
}

// newTopicTable returns the table of a list of words, nil for an empty list. Of a word that
// is listed twice the larger weight counts.
func newTopicTable(list []judge.TopicWord) *topicTable {
	if len(list) == 0 {
		return nil
	}
	weight := map[string]float64{}
	for _, w := range list {
		weight[w.Term] = max(weight[w.Term], w.Weight)
	}
	terms := slices.Sorted(maps.Keys(weight))
	df := make([]int, len(terms))
	t := &topicTable{weights: make([]float64, len(terms))}
	for i, term := range terms {
		df[i], t.weights[i] = 1, weight[term]
		t.norm += float64(weight[term] * weight[term])
	}
	t.norm = math.Sqrt(t.norm)
	words, err := text.NewVocabulary(1, terms, df)
	if err != nil {
		panic(err) // the terms are sorted, and each is there once
	}
	t.words = words
	return t
}

// cosine returns the similarity of terms with the table. Terms that are not in the table
// are ignored, in the norm too: both sums run over the words of the table (SPEC A.6).
func (t *topicTable) cosine(terms []string) float64 {
	var ids []int32
	for _, term := range terms {
		if id := t.words.ID(term); id >= 0 {
			ids = append(ids, id)
		}
	}
	return t.compare(ids)
}

// compare is cosine for the numbers of terms, which it sorts. 0 means that there is no term
// of the table.
func (t *topicTable) compare(ids []int32) float64 {
	if len(ids) == 0 || t.norm == 0 {
		return 0
	}
	slices.Sort(ids)
	squares, dot := 0.0, 0.0
	for i := 0; i < len(ids); {
		id, count := ids[i], 0.0
		for ; i < len(ids) && ids[i] == id; i++ {
			count++
		}
		squares += float64(count * count)
		dot += float64(count * t.weights[id])
	}
	return dot / (t.norm * math.Sqrt(squares))
}

// A topicReader compares anchors and URLs with a topicTable. It caches which word of the
// table a word of running text stands for, so that most words are not stemmed; rare ones,
// such as page numbers, replace each other in the cache. Anchors and URLs have a cache
// each, because URLs ignore some words.
type topicReader struct {
	table   *topicTable
	words   *linkReader
	anchors *text.Codes[uint16] // of words: 0 for one that is not in the table, else its number and one; nil for a large table
	urls    *text.Codes[uint16]
	ids     []int32
	terms   []string
}

const (
	topicMemory = 1 << 13            // words that are remembered: they stay in the cache of a processor
	maxCoded    = math.MaxUint16 - 1 // words of a table that have codes
)

// newTopicReader returns the reader of the words' table, nil if there is none.
func newTopicReader(w *LinkWords) *topicReader {
	words := newLinkReader(w)
	list := slices.Clone(w.Table)
	for i := range list {
		list[i].Term = words.letters(list[i].Term)
	}
	table := newTopicTable(list)
	if table == nil {
		return nil
	}
	words.analyzer = words.analyzer.WithoutMemory() // the codes remember
	r := &topicReader{table: table, words: words}
	if table.words.Len() > maxCoded {
		return r
	}
	r.anchors = text.NewCodes(topicMemory, math.MaxUint16, r.code)
	r.urls = text.NewCodes(topicMemory, math.MaxUint16, func(word string) uint16 {
		if words.empty(strings.TrimRight(word, "#+")) {
			return 0
		}
		return r.code(word)
	})
	return r
}

// code returns which word of the table a word stands for: its number and one, 0 for none.
func (r *topicReader) code(word string) uint16 {
	if t := r.words.analyzer.Term(word); t != "" {
		return uint16(r.table.words.ID(r.words.letters(t)) + 1)
	}
	return 0
}

// anchor returns the similarity of an anchor with the topic.
func (r *topicReader) anchor(anchor string) float64 {
	if r.anchors == nil {
		r.terms = r.words.anchor(r.terms[:0], anchor)
		return r.table.cosine(r.terms)
	}
	return r.compare(r.anchors, linktext.Cut(anchor, linktext.MaxBytes))
}

// url returns the similarity of the words of a URL with the topic.
func (r *topicReader) url(u dowse.URL) float64 {
	if r.urls == nil {
		r.terms = r.words.url(r.terms[:0], u)
		return r.table.cosine(r.terms)
	}
	return r.compare(r.urls, linktext.Address(u))
}

// compare returns the similarity of a text, whose words it looks up in a cache.
func (r *topicReader) compare(codes *text.Codes[uint16], s string) float64 {
	spans := r.words.cut(s)
	r.ids = r.ids[:0]
	for _, w := range spans {
		end := r.words.analyzer.WordEnd(s, w)
		if text.Spaceless(s[w.Start:end]) {
			r.spaceless(s, w)
			continue
		}
		if c := codes.In(s, int(w.Start), end); c > 0 {
			r.ids = append(r.ids, int32(c)-1)
		}
	}
	return r.table.compare(r.ids)
}

// spaceless adds the terms of a run of a script without spaces. Such a run has many terms,
// and the cache holds one per word.
func (r *topicReader) spaceless(s string, w dowse.Span) {
	r.terms = r.words.appendTerms(r.terms[:0], s, []dowse.Span{w})
	for _, t := range r.terms {
		if id := r.table.words.ID(t); id >= 0 {
			r.ids = append(r.ids, id)
		}
	}
}
