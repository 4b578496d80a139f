package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"dowse"

	"golang.org/x/text/unicode/norm"
)

// maxWord is the length in bytes above which a word is not a term: such a run
// of letters is data, or a script without spaces. It bounds the work and the
// memory that a hostile page can cause.
const maxWord = 128

// Options are the rules by which words become terms. The zero value means
// English with Porter's stemmer.
type Options struct {
	Language     string   // BCP 47; default "en". An unknown language has no stop words and no stems
	Stem         Stemmer  // default the language's, see stemmerFor
	Stop         []string // default (nil) the language's, see [StopWords]; empty means none
	SymbolSuffix bool     // keep # and + after a word: c#, c++ (Taylan et al. 2011)
	Memory       int      // words to cache; default 65,536, negative means none
}

// An Analyzer turns words into terms by fixed rules. The same word always gives
// the same term. It is safe for concurrent use, and its memory is bounded
// whatever it is given.
type Analyzer struct {
	stem    Stemmer
	stop    map[string]bool
	turkish bool
	symbols bool
	digits  bool          // numbers are neither stemmed nor dropped
	memo    *Memo[string] // of reduce; nil for none
}

// NewAnalyzer returns an analyzer with the given rules.
func NewAnalyzer(o Options) *Analyzer {
	lang := primary(o.Language)
	a := &Analyzer{
		stem:    o.Stem,
		stop:    map[string]bool{},
		turkish: lang == "tr" || lang == "az",
		symbols: o.SymbolSuffix,
	}
	if a.stem == nil {
		a.stem = stemmerFor(lang)
		a.digits = lang == "en" // other stemmers take a digit for a consonant, and 2011 for a doubled one
	}
	stop := o.Stop
	if stop == nil {
		stop = StopWords(lang)
	}
	for _, w := range stop {
		a.stop[a.fold(w)] = true
		a.digits = a.digits && !strings.ContainsAny(w, "0123456789")
	}
	if o.Memory >= 0 {
		a.memo = NewMemo(o.Memory, a.reduce)
	}
	return a
}

// WithoutMemory returns an analyzer with the same rules and no cache, for
// callers that cache what they derive from terms.
func (a *Analyzer) WithoutMemory() *Analyzer {
	b := *a
	b.memo = nil
	return &b
}

// Term returns the term of a word as written, "" for a word that is dropped
// because it is too short, too long, or a stop word. Words are those of
// [dowse.Words], with their symbols if the analyzer keeps them (see
// [Analyzer.Word]).
func (a *Analyzer) Term(word string) string {
	if a.memo == nil {
		return a.reduce(word)
	}
	return a.memo.Of(word)
}

// Terms returns the terms of s in order, without dropped words. Words of
// scripts without spaces are cut by [Bigrams].
func (a *Analyzer) Terms(s string) []string { return a.AppendTerms(nil, s, dowse.Words(s)) }

// AppendTerms appends the terms of the words of s to dst, as [Analyzer.Terms]
// does.
func (a *Analyzer) AppendTerms(dst []string, s string, words []dowse.Span) []string {
	for _, w := range words {
		word := a.Word(s, w)
		if Spaceless(word) {
			dst = a.appendBigrams(dst, word)
			continue
		}
		if t := a.Term(word); t != "" {
			dst = append(dst, t)
		}
	}
	return dst
}

func (a *Analyzer) appendBigrams(dst []string, word string) []string {
	for _, part := range Bigrams(nil, word) {
		if t := a.Term(part); t != "" {
			dst = append(dst, t)
		}
	}
	return dst
}

// Tokens returns the folded words of s in order, stop words included and not
// stemmed.
func (a *Analyzer) Tokens(s string) []string {
	var tokens []string
	for _, w := range dowse.Words(s) {
		if t := a.token(a.Word(s, w)); t != "" {
			tokens = append(tokens, t)
		}
	}
	return tokens
}

// Word returns the word w of s, with the # and + that follow it if the analyzer
// keeps them.
func (a *Analyzer) Word(s string, w dowse.Span) string { return s[w.Start:a.WordEnd(s, w)] }

// WordEnd returns the index in s at which [Analyzer.Word] ends.
func (a *Analyzer) WordEnd(s string, w dowse.Span) int {
	end := int(w.End)
	if a.symbols {
		for end < len(s) && (s[end] == '#' || s[end] == '+') {
			end++
		}
	}
	return end
}

// IsNumber reports whether a word is a number, in ASCII digits, that is its own term.
func (a *Analyzer) IsNumber(word string) bool {
	if !a.digits || len(word) < 2 || len(word) > maxWord {
		return false
	}
	for i := range len(word) {
		if word[i]-'0' > 9 {
			return false
		}
	}
	return true
}

// reduce computes the term of a word without the cache.
func (a *Analyzer) reduce(word string) string {
	t := a.token(word)
	if t == "" || a.stop[t] {
		return ""
	}
	return a.stem(t)
}

// token returns the folded word, "" if it is too short or too long.
func (a *Analyzer) token(word string) string {
	if len(word) > maxWord {
		return ""
	}
	t := a.fold(word)
	if utf8.RuneCountInString(t) < 2 {
		return ""
	}
	return t
}

// fold composes the word (NFC) and lowers it, with the two letters i of Turkish
// kept apart if that is the language.
func (a *Analyzer) fold(word string) string {
	word = norm.NFC.String(word)
	if a.turkish {
		return strings.ToLowerSpecial(unicode.TurkishCase, word)
	}
	return strings.ToLower(word)
}

// primary returns the language of a BCP 47 tag without script and region, "en"
// for none.
func primary(tag string) string {
	tag = strings.ToLower(strings.TrimSpace(tag))
	if i := strings.IndexAny(tag, "-_"); i >= 0 {
		tag = tag[:i]
	}
	if tag == "" {
		return "en"
	}
	return tag
}
