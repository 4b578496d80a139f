package predicate

import (
	"dowse"
	"dowse/internal/facts"
	"dowse/internal/text"
)

// A reading is one page while it is tested. What is costly to compute is computed when a clause first needs
// it, and once. It belongs to one call of Test, so a Predicate has no state of its own and needs no lock.
type reading struct {
	page       *dowse.Page
	row        facts.Row
	categories map[string]float64 // see [Facts]
	of         *Predicate
	steps      int // that are left of MaxSteps

	folded   map[string][]string // by the names of facts
	computed map[*facts.Fact]any
	keywords []bool
}

// newReading begins to test a page.
func newReading(p *Predicate, page *dowse.Page, f *Facts) *reading {
	r := &reading{page: page, categories: f.Categories, of: p, steps: MaxSteps}
	r.row = facts.Row{Page: page, Anchors: f.Anchors, Score: f.Score, ServerModified: f.Modified, Languages: f.Languages}
	if f.Parent != nil {
		r.row.ParentScore, r.row.ParentHost = &f.Parent.Score, f.Parent.Host
	}
	return r
}

// value returns the value of a fact for the page, all values of one that can have several, and nil if
// it is not known.
func (r *reading) value(f *facts.Fact) any {
	if f.All != nil {
		return f.All(&r.row)
	}
	if !f.Costly {
		return f.Value(&r.row)
	}
	v, ok := r.computed[f]
	if !ok {
		if r.computed == nil {
			r.computed = map[*facts.Fact]any{}
		}
		v = f.Value(&r.row)
		r.computed[f] = v
	}
	return v
}

// fold returns the values of a fact in the form in which words are compared. The result is kept under the
// name of the fact, which is unique also for an entry of a table (og.type).
func (r *reading) fold(f *fact, values []string) []string {
	if got, ok := r.folded[f.name]; ok {
		return got
	}
	got := make([]string, len(values))
	for i, v := range values {
		got[i] = text.Fold(v)
	}
	if r.folded == nil {
		r.folded = map[string][]string{}
	}
	r.folded[f.name] = got
	return got
}

// isAlnum reports whether a byte is an ASCII letter or digit.
func isAlnum(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// keywords are the words of a predicate that are compared by their stems. All of
// them are looked for in one pass over the page, so the cost of a test does not
// grow with their number: each word of the page is stemmed at most once, and most
// are ruled out by their first byte.
type keywords struct {
	analyzer *text.Analyzer // nil where there are none
	index    map[string]int // by stem
	first    [256]bool      // bytes with which words can begin that have one of the stems
}

// add returns the number of a keyword, -1 if it has no stem.
func (k *keywords) add(word string) int {
	if k.analyzer == nil {
		k.analyzer = text.NewAnalyzer(text.Options{Stem: text.Porter, Stop: []string{}, Memory: 1 << 13})
		k.index = map[string]int{}
	}
	stem := k.analyzer.Term(word)
	if stem == "" {
		return -1
	}
	if i, ok := k.index[stem]; ok {
		return i
	}
	i := len(k.index)
	k.index[stem] = i
	k.mark(stem[0])
	return i
}

// mark notes how a word with a stem may begin. Porter's stemmer leaves the first
// letter alone; what is not ASCII may be written in several ways.
func (k *keywords) mark(c byte) {
	k.first[c] = true
	if 'a' <= c && c <= 'z' {
		k.first[c-'a'+'A'] = true
	}
	for b := 0x80; b < 0x100; b++ {
		k.first[b] = true
	}
}

// keyword reports whether the page has the keyword with a number.
func (r *reading) keyword(n int) bool {
	if r.keywords == nil {
		r.keywords = make([]bool, len(r.of.keywords.index))
		r.lookFor(r.page.Title, dowse.Words(r.page.Title))
		r.lookFor(r.page.Text, r.page.Words)
	}
	return r.keywords[n]
}

// lookFor finds the keywords in the words of s.
func (r *reading) lookFor(s string, words []dowse.Span) {
	k := &r.of.keywords
	for _, w := range words {
		if !k.first[s[w.Start]] {
			continue
		}
		if i, ok := k.index[k.analyzer.Term(s[w.Start:w.End])]; ok {
			r.keywords[i] = true
		}
	}
}
