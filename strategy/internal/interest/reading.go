package interest

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"dowse"
	"dowse/internal/text"
	"dowse/strategy/internal/book"
)

// Reading are the parameters of reading pages. They bound the memory for words.
type Reading struct {
	Read       int    `param:"read" default:"1500" help:"words of a page that are read, from its beginning; the rest adds little; ours"`
	Words      int    `param:"words" default:"50" help:"words kept of a page: those with the highest TF-IDF; ours"`
	Vocabulary int    `param:"vocabulary" default:"100000" help:"words known at a time, and as many parts of URLs; the rarest are forgotten; ours"`
	Language   string `param:"language" default:"en" help:"of stems and stop words, as in BCP 47; ours"`

	Analyzer *text.Analyzer // used instead of Language, for tests; nil for none
}

// useLanguage sets the language of the topic, unless another one is set.
func (r *Reading) useLanguage(language string) { r.Language = cmp.Or(r.Language, language) }

const (
	readWords = 1500 // of a page
	maxToken  = 64   // bytes; longer ones are data
	maxTokens = 32   // of a URL
)

// A termReader turns pages into words: the terms with the highest TF-IDF, where document
// frequency is counted over the pages read so far. Most words of running text are
// recognised by their hash (package book), without stemming.
type termReader struct {
	Pages float64 // read so far
	Lex   *termTable

	most     int // words kept of a page
	length   int // words read of it
	analyzer *text.Analyzer
	book     book.Book

	hashes []uint64 // of a page's words

	terms []string
	found []found
	best  []found
	seen  []tally
	round uint32
}

// found is a term of the page that is being read.
type found struct {
	word   word
	times  float64
	weight float64
}

// before reports whether a term ranks before another: by TF-IDF, equal ones by number.
func (f *found) before(g *found) bool {
	return f.weight > g.weight || f.weight == g.weight && f.word < g.word
}

// A tally is where in found a term is; it is valid if its round is the current one.
type tally struct {
	round uint32
	at    uint32 // in found
}

// newReader returns a reader with an empty table of terms.
func newReader(r Reading) *termReader {
	a := r.Analyzer
	if a == nil {
		a = text.NewAnalyzer(text.Options{Language: r.Language, Memory: -1}) // the book remembers
	}
	return &termReader{Lex: newLexicon(cmp.Or(r.Vocabulary, 100_000)), most: max(cmp.Or(r.Words, 50), 1), length: max(cmp.Or(r.Read, readWords), 0), analyzer: a}
}

// restore continues from a saved state.
func (r *termReader) restore(lex *savedLexicon, pages float64) {
	r.Lex, r.Pages = lex.restored(r.Lex.size), pages
	r.seen, r.round, r.book = nil, 0, book.Book{}
}

// read returns the words of a page, highest TF-IDF first. The inverse document frequency is
// ln(1 + pages/pages with the term), which is positive also for terms on all pages.
func (r *termReader) read(p *dowse.Page) []word {
	r.Pages++
	r.count(p)
	for i := range r.found {
		f := &r.found[i]
		f.weight = f.times
		if h := r.Lex.head(f.word); h != nil {
			h.met++
			f.weight *= math.Log1p(r.Pages / float64(h.met))
		}
	}
	best := r.topWords()
	words := make([]word, len(best))
	for i := range words {
		words[i] = best[i].word
	}
	return words
}

// topWords returns the terms with the highest TF-IDF, in order. A page has many more terms
// than are kept, and sorting them all would take most of the time: a heap of the best so
// far, with the worst of them on top, takes one comparison for most terms.
func (r *termReader) topWords() []found {
	n := min(len(r.found), r.most)
	r.best = append(r.best[:0], r.found[:n]...)
	for i := n/2 - 1; i >= 0; i-- {
		r.sink(i)
	}
	for i := n; i < len(r.found); i++ {
		if r.found[i].before(&r.best[0]) {
			r.best[0] = r.found[i]
			r.sink(0)
		}
	}
	slices.SortFunc(r.best, func(a, b found) int {
		if a.before(&b) {
			return -1
		}
		return 1
	})
	return r.best
}

// sink moves the term at a place of the heap down to where it belongs.
func (r *termReader) sink(at int) {
	f := r.best[at]
	for {
		low := 2*at + 1
		if low >= len(r.best) {
			break
		}
		if low+1 < len(r.best) && r.best[low].before(&r.best[low+1]) {
			low++
		}
		if r.best[low].before(&f) {
			break
		}
		r.best[at] = r.best[low]
		at = low
	}
	r.best[at] = f
}

// count fills found with the terms of a page, each once, with the number of times it
// occurs.
func (r *termReader) count(p *dowse.Page) {
	r.found = r.found[:0]
	if r.round++; r.round == 0 {
		clear(r.seen)
		r.round = 1
	}
	r.book.Open(r.Lex.forgot, r.Lex.size)
	words := p.Words[:min(len(p.Words), r.length)]
	r.hashes = r.hashes[:0]
	for _, w := range words {
		r.hashes = append(r.hashes, r.book.Hash(p.Text, int(w.Start), r.analyzer.WordEnd(p.Text, w)))
	}
	r.book.Touch(r.hashes)
	r.touchHeads()
	for i, h := range r.hashes {
		id, kind := r.book.Find(h)
		switch {
		case kind == book.IsNothing:
		case kind == book.IsTerm && r.Lex.head(word(id)) != nil:
			r.meet(word(id))
		default:
			r.look(p.Text, words[i], h)
		}
	}
}

// touchHeads loads what is known of the words with the current hashes into the cache, see
// lead.TouchNotes.
//
//go:noinline
func (r *termReader) touchHeads() (sum uint32) {
	for _, h := range r.hashes {
		id, _ := r.book.Find(h)
		if place := int(word(id).place()); place < len(r.Lex.heads) && place < len(r.seen) {
			sum += r.Lex.heads[place].met + r.seen[place].round
		}
	}
	return sum
}

// look stems a word that is not in the book, counts its terms and records it in the book. A
// run of a script without spaces has several terms and is never recorded.
func (r *termReader) look(s string, w dowse.Span, h uint64) {
	r.terms = r.analyzer.AppendTerms(r.terms[:0], s, []dowse.Span{w})
	if len(r.terms) == 0 {
		r.book.Note(h, 0, book.IsNothing)
	}
	for _, t := range r.terms {
		id := r.Lex.add(t)
		r.meet(id)
		if len(r.terms) == 1 { // others are of scripts without spaces
			r.book.Note(h, uint32(id), book.IsTerm)
		}
	}
}

// meet counts an occurrence of a term on the page.
func (r *termReader) meet(w word) {
	if int(w.place()) >= len(r.seen) {
		r.seen = append(r.seen, make([]tally, len(r.Lex.terms)+len(r.Lex.terms)/2-len(r.seen)+1)...)
	}
	s := &r.seen[w.place()]
	if s.round == r.round && r.found[s.at].word == w {
		r.found[s.at].times++
		return
	}
	*s = tally{r.round, uint32(len(r.found))}
	r.found = append(r.found, found{word: w, times: 1})
}

// tokens appends the parts of a URL between dots and slashes, without the scheme, each once
// and in lower case (SPEC C.10). Parts of more than 64 bytes are data, not names, and are
// left out; so is everything behind the 32nd part.
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

// Admission is the parameter of what is queued at all (the candidate threshold of Aggarwal,
// Al-Garawi and Yu 2001). A zero field means its default: everything is.
type Admission struct {
	Least float64 `param:"least" default:"none" min:"-1e9" help:"priority that a URL must exceed to be queued; one that does not is rated again when another page links to it, or another person went there; Aggarwal et al. 2001, no number given"`
}
