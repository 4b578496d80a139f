package strategy

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"dowse"
	"dowse/text"
)

// Reading says how the words of pages are read. Memory is bounded by it.
type Reading struct {
	Words      int    `param:"words" default:"50" help:"words kept of a page: those that tell it from others the most (TF-IDF)"`
	Vocabulary int    `param:"vocabulary" default:"100000" help:"words known at a time, and as many parts of URLs; the rarest are forgotten"`
	Language   string `param:"language" default:"en" help:"of stems and stop words, as in BCP 47"`

	Analyzer *text.Analyzer // takes the place of Language; nil for none
}

// speaks is told the language of the topic, which counts unless another was given.
func (r *Reading) speaks(language string) {
	if r.Language == "" {
		r.Language = language
	}
}

const (
	readBytes = 1 << 15 // of a page's text, about 5,000 words: the rest says the same
	maxToken  = 64      // bytes; longer ones are data
	maxTokens = 32      // of a URL
)

// A reader makes words of pages.
type reader struct {
	Pages float64 // read so far
	Lex   *lexicon

	most     int
	analyzer *text.Analyzer

	terms []string
	found []found
	seen  []tally
	round uint32
}

type found struct {
	word   word
	times  float64
	weight float64
}

type tally struct {
	round uint32
	at    uint32 // in found
}

func newReader(r Reading) *reader {
	a := r.Analyzer
	if a == nil {
		a = text.NewAnalyzer(text.Options{Language: r.Language})
	}
	return &reader{Lex: newLexicon(or(r.Vocabulary, 100_000)), most: or(r.Words, 50), analyzer: a}
}

// restore goes on from a saved state.
func (r *reader) restore(lex *lexicon, pages float64) {
	r.Lex, r.Pages = lex.restored(r.Lex.size), pages
	r.seen, r.round = nil, 0
}

// read returns the words of a page, those first that tell it from other pages.
func (r *reader) read(p *dowse.Page) []word {
	r.Pages++
	r.terms = r.analyzer.AppendTerms(r.terms[:0], p.Text, readable(p.Words))
	r.count()
	for i := range r.found {
		f := &r.found[i]
		f.weight = f.times
		if e := r.Lex.entry(f.word); e != nil {
			e.Met++
			f.weight *= math.Log1p(r.Pages / float64(e.Met))
		}
	}
	slices.SortFunc(r.found, func(a, b found) int {
		if a.weight != b.weight {
			return cmp.Compare(b.weight, a.weight)
		}
		return cmp.Compare(a.word, b.word)
	})
	words := make([]word, min(len(r.found), r.most))
	for i := range words {
		words[i] = r.found[i].word
	}
	return words
}

// count fills found with the terms, each once.
func (r *reader) count() {
	r.found = r.found[:0]
	if r.round++; r.round == 0 {
		clear(r.seen)
		r.round = 1
	}
	for _, t := range r.terms {
		w := r.Lex.add(t)
		if int(w.place()) >= len(r.seen) {
			r.seen = append(r.seen, make([]tally, len(r.Lex.Terms)+len(r.Lex.Terms)/2-len(r.seen)+1)...)
		}
		s := &r.seen[w.place()]
		if s.round == r.round && r.found[s.at].word == w {
			r.found[s.at].times++
			continue
		}
		*s = tally{r.round, uint32(len(r.found))}
		r.found = append(r.found, found{word: w, times: 1})
	}
}

// readable returns the words up to where pages are read.
func readable(words []dowse.Span) []dowse.Span {
	n := len(words)
	if n == 0 || words[n-1].End <= readBytes {
		return words
	}
	i, _ := slices.BinarySearchFunc(words, int32(readBytes), func(w dowse.Span, end int32) int { return cmp.Compare(w.End, end+1) })
	return words[:i]
}

// tokens appends the parts of a URL between dots and slashes, scheme left out, each
// once and in lower case.
func tokens(dst []string, u dowse.URL) []string {
	s := string(u)
	if _, rest, ok := strings.Cut(s, "://"); ok {
		s = rest
	}
	for start, i := 0, 0; i <= len(s) && len(dst) < maxTokens; i++ {
		if i < len(s) && s[i] != '.' && s[i] != '/' {
			continue
		}
		if n := i - start; n > 0 && n <= maxToken {
			if t := strings.ToLower(s[start:i]); !slices.Contains(dst, t) {
				dst = append(dst, t)
			}
		}
		start = i + 1
	}
	return dst
}
