package search

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"dowse"
	"dowse/internal/plain"
	"dowse/internal/text"
)

// snippetWords is the length of an excerpt.
const snippetWords = 32

// A marker marks the words of a query in texts.
type marker struct {
	lex   *stems
	langs []string
	terms map[string]float64 // with their rarity
}

// marker returns the marker for the words of the query in a page with a language.
func (x *answer) marker(language string) *marker {
	m := &marker{x.s.lex, x.s.langs, map[string]float64{}}
	if language != "" {
		m.langs = []string{languageOf(language)}
	}
	for _, g := range x.groups {
		for _, t := range g.terms {
			m.terms[t] = x.s.stats.rarity(g)
		}
	}
	return m
}

// A spot is a word of a text, with its weight if it is one of the query.
type spot struct {
	start, end int
	term       string
	weight     float64
}

// spots returns the words of the query in a text. A word that begins with another letter than all terms
// is passed over without looking for its stem.
func (m *marker) spots(s string) (list []spot) {
	var initial [128]bool
	for t := range m.terms {
		if t[0] < 128 {
			initial[t[0]] = true
		}
	}
	words := dowse.Words(s)
	words = slices.DeleteFunc(words, func(w dowse.Span) bool {
		c := s[w.Start]
		return c < 128 && !initial[lower(c)]
	})
	for _, l := range m.langs {
		for _, t := range m.lex.of(l, s, words) {
			if w := m.terms[t.term]; w > 0 {
				list = append(list, spot{t.start, t.end, t.term, w})
			}
		}
	}
	return list
}

// lower returns the lower case of an ASCII letter.
func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// cutTitle returns a title as far as it is searched.
func cutTitle(s string) string { return plain.Words(plain.Cut(s, maxTitle)) }

// pieces cuts a text into parts that are words of the query and parts that are not.
func (m *marker) pieces(s string) (list []Piece) {
	if s == "" {
		return nil
	}
	marked := make([]bool, len(s)+1)
	for _, p := range m.spots(s) {
		p.mark(s, marked)
	}
	for start := 0; start < len(s); {
		end := start + 1
		for end < len(s) && marked[end] == marked[start] {
			end++
		}
		list = append(list, Piece{s[start:end], marked[start]})
		start = end
	}
	return list
}

// mark marks the bytes of a spot: in a run of words without spaces those of the term, which is a part of it, and
// else the whole word.
func (p spot) mark(s string, marked []bool) {
	run, found := s[p.start:p.end], false
	for at := 0; text.Spaceless(p.term); {
		i := strings.Index(run[at:], p.term)
		if i < 0 {
			break
		}
		found = true
		for j := range len(p.term) {
			marked[p.start+at+i+j] = true
		}
		at += i + len(p.term)
	}
	for i := p.start; i < p.end && !found; i++ {
		marked[i] = true
	}
}

// snippet returns the part of a page with the most words of the query. It is taken from the own text, or from the frame if that
// has none of them. If neither has, it is the description, or the beginning of the text.
func (m *marker) snippet(t *pageText) []Piece {
	for _, s := range []string{t.own, t.frame} {
		if list := m.excerpt(s); list != nil {
			return list
		}
	}
	return m.pieces(firstWords(cmp.Or(t.description, t.own)))
}

// excerpt returns the part of a text with the most words of the query, each counted once by its
// rarity; the earliest of several. It is nil if the text has none of them.
func (m *marker) excerpt(s string) []Piece {
	words := dowse.Words(s)
	weights := make(map[int]spot, 16) // by the first byte of the word
	for _, p := range m.spots(s) {
		weights[p.start] = p
	}
	if len(weights) == 0 {
		return nil
	}
	best, at := -1.0, 0
	for i := range words {
		if _, ok := weights[int(words[i].Start)]; !ok {
			continue
		}
		if sum := windowWeight(words[i:min(len(words), i+snippetWords*3/4)], weights); sum > best {
			best, at = sum, i
		}
	}
	from := max(0, at-snippetWords/4)
	to := min(len(words), from+snippetWords)
	start, end := int(words[from].Start), int(words[to-1].End)
	if to == len(words) {
		end = len(s)
	}
	excerpt := plain.Words(s[start:min(end, start+4*256)])
	if from > 0 {
		excerpt = "… " + excerpt
	}
	if to < len(words) {
		excerpt += " …"
	}
	return m.pieces(strings.ToValidUTF8(excerpt, ""))
}

// windowWeight returns the weight of the different words of the query in a run of words.
func windowWeight(words []dowse.Span, weights map[int]spot) (sum float64) {
	seen := map[string]bool{}
	for _, w := range words {
		if p, ok := weights[int(w.Start)]; ok {
			if !seen[p.term] {
				sum += p.weight
			}
			seen[p.term] = true
		}
	}
	return sum
}

// firstWords returns the beginning of a text.
func firstWords(s string) string {
	short := plain.Cut(s, 240)
	if len(short) < len(s) {
		for len(short) > 0 && !strings.HasSuffix(short, " ") {
			_, n := utf8.DecodeLastRuneInString(short)
			short = short[:len(short)-n]
		}
		short += "…"
	}
	return plain.Words(short)
}
