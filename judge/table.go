package judge

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"dowse"
	"dowse/internal/text"
)

// A Table makes the judge of Taylan et al. 2011: a short table of weighted topic
// words. A page is compared with it by the cosine over these words alone, so other
// words of the page neither help nor hurt. The table comes from pages on topic, such
// as the first results of a search, or from given words. Examples off topic are not in
// the paper; here they show which words are common everywhere, and where the threshold
// should be.
type Table struct {
	Language string  // for stems and stop words; default English
	Prefix   int     // stem by cutting words to so many letters; 0 uses the language's stemmer
	Words    int     // number of words in the table; default 15, as in Table I of the paper
	Head     float64 // count of a word in title or meta, against 1 in the text; default 2 (the paper)
	Bar      float64 // threshold; default 0.8 (the paper), or the best on the examples if some are off topic
}

const (
	tableWords = 15
	tableBar   = 0.8
)

// A TopicWord is a word of a table: its stem, and its weight relative to the heaviest,
// which has 1.
type TopicWord struct {
	Term   string  `json:"term"`
	Weight float64 `json:"weight"`
}

// Train makes the table from the examples on topic. It needs no others. The reasons of
// its verdicts add up to the cosine.
func (t Table) Train(examples []Example) (Model, error) {
	wanted, others := t.read(examples)
	m, err := t.model(tableOf(wanted, others, t.size()))
	if err == nil && t.Bar == 0 && len(others) > 0 {
		m.(*tableJudge).threshold = bestBar(m, examples)
	}
	return m, err
}

// TopicWords returns the table that Train would use, the heaviest word first.
func (t Table) TopicWords(examples []Example) []TopicWord {
	wanted, others := t.read(examples)
	return tableOf(wanted, others, t.size())
}

// read returns the bags of the examples on topic and of the others. Title and meta
// count like the text here: the paper weights them only when it compares.
func (t Table) read(examples []Example) (wanted, others []bag) {
	r := newBagReader(t.features().analyzer(0), 1)
	for i := range examples {
		b := r.read(examples[i].page())
		if examples[i].Relevant {
			wanted = append(wanted, b)
		} else {
			others = append(others, b)
		}
	}
	return wanted, others
}

// bestBar returns the threshold with the highest F1 on the examples, halfway between
// two ratings. Of equal ones the lowest is taken.
func bestBar(m Model, examples []Example) float64 {
	ratings := make([]Rating, len(examples))
	for i := range examples {
		ratings[i] = Rating{m.Judge(examples[i].page()).Relevance, examples[i].Relevant}
	}
	slices.SortFunc(ratings, func(a, b Rating) int { return cmp.Compare(a.Relevance, b.Relevance) })
	bar, most := tableBar, 0.0
	for i := 1; i < len(ratings); i++ {
		between := (ratings[i-1].Relevance + ratings[i].Relevance) / 2
		if f := Measure(ratings, between).F1; f > most {
			bar, most = between, f
		}
	}
	return bar
}

// Of returns the judge for a given table of stems and weights.
func (t Table) Of(words []TopicWord) (Model, error) { return t.model(slices.Clone(words)) }

func (t Table) size() int {
	if t.Words == 0 {
		return tableWords
	}
	return t.Words
}

func (t Table) features() Features {
	return Features{Language: t.Language, Prefix: t.Prefix, Head: t.Head, Raw: true}
}

// tableOf returns the n words with the highest TF·idf in the bags, the heaviest first,
// ties in alphabetical order. Without others idf is ln(1 + pages/df): a word in all
// pages is the topic's own and must not get 0. With others idf is ln(pages/df) over
// all pages, which removes words that are everywhere.
func tableOf(bags, others []bag, n int) []TopicWord {
	tf, df := map[string]float64{}, map[string]float64{}
	for _, b := range bags {
		for i, t := range b.terms {
			tf[t] += b.counts[i]
			df[t]++
		}
	}
	for _, b := range others {
		for _, t := range b.terms {
			df[t]++
		}
	}
	plus, pages := 1.0, float64(len(bags)+len(others))
	if len(others) > 0 {
		plus = 0
	}
	list := make([]TopicWord, 0, len(tf))
	for t := range tf {
		if w := tf[t] * math.Log(plus+pages/df[t]); w > 0 {
			list = append(list, TopicWord{t, w})
		}
	}
	slices.SortFunc(list, func(a, b TopicWord) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Term, b.Term))
	})
	list = list[:min(n, len(list))]
	for i := len(list) - 1; i >= 0; i-- {
		list[i].Weight /= list[0].Weight
	}
	return list
}

// model returns the judge of a table. It sorts words in place.
func (t Table) model(words []TopicWord) (Model, error) {
	if len(words) == 0 {
		return nil, errors.New("judge: table: the table is empty (no words, or only stop words)")
	}
	slices.SortFunc(words, func(a, b TopicWord) int { return cmp.Compare(a.Term, b.Term) })
	c := &table{}
	terms, df := make([]string, len(words)), make([]int, len(words))
	for i, w := range words {
		if !(w.Weight > 0 && w.Weight <= maxNumber) {
			return nil, fmt.Errorf("judge: table: weight of %q is %g (want more than 0)", w.Term, w.Weight)
		}
		terms[i], df[i] = w.Term, 1
		c.weights = append(c.weights, w.Weight)
		c.norm += float64(w.Weight * w.Weight)
	}
	c.norm = math.Sqrt(c.norm)
	vocabulary, err := text.NewVocabulary(1, terms, df)
	if err != nil {
		return nil, fmt.Errorf("judge: table: %w", err)
	}
	j := &tableJudge{newTrained("table", newSpace(t.features(), vocabulary, false), c), t}
	j.threshold = cmp.Or(t.Bar, tableBar)
	return j, nil
}

// table rates by the cosine between a page and the weights.
type table struct {
	weights []float64
	norm    float64
}

func (c *table) rate(v text.Vector) float64 {
	norm := v.Norm()
	if norm == 0 {
		return 0
	}
	return min(v.DotDense(c.weights)/(c.norm*norm), 1)
}

func (c *table) explain(v text.Vector, r *pageReading) (float64, string, []dowse.Because) {
	norm := v.Norm() * c.norm
	for _, e := range v {
		r.reasons.add(e.Term, e.Weight*c.weights[e.Term]/norm)
	}
	return c.rate(v), Cosine, nil
}

type tableJudge struct {
	*trained
	made Table
}

// Table returns how the words of the table were made, and the words. A strategy that
// compares links with the same table reads their words in the same way.
func (j *tableJudge) Table() (Table, []TopicWord) {
	var words []TopicWord
	for i, w := range j.core.(*table).weights {
		words = append(words, TopicWord{j.space.words.Term(int32(i)), w})
	}
	return j.made, words
}

type savedTable struct {
	Language string      `json:"language,omitempty"`
	Prefix   int         `json:"prefix,omitempty"`
	Head     float64     `json:"head,omitempty"`
	Bar      float64     `json:"threshold"`
	Words    []TopicWord `json:"words"`
}

// MarshalJSON returns the table and the threshold as JSON.
func (j *tableJudge) MarshalJSON() ([]byte, error) {
	made, words := j.Table()
	return json.Marshal(savedTable{made.Language, made.Prefix, made.Head, j.threshold, words})
}

func loadTable(data []byte) (Model, error) {
	var s savedTable
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, err
	}
	return Table{Language: s.Language, Prefix: s.Prefix, Head: s.Head, Bar: s.Bar}.Of(s.Words)
}
