package linkclass

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dowse"
	"dowse/internal/linktext"
	"dowse/internal/text"
	"dowse/judge"
	"dowse/strategy/input"
)

// LinkWords are the parameters of reading anchors and URLs.
type LinkWords struct {
	Language string `param:"language" default:"en" help:"of stems and stop words, as in BCP 47; ours"`
	Stem     string `param:"stem" default:"the language's" help:"stems: porter, whole, prefix (the first 5 letters; the default for Turkish, Can et al. 2008), or a language"`

	Analyzer *text.Analyzer    // takes the place of Language and Stem; nil for none
	Drop     []string          // words of URLs that are ignored; nil means emptyURLWords
	Table    []judge.TopicWord // words of the topic, stemmed likewise; nil for none, see [NewLSFC]
}

// emptyURLWords are words of URLs that occur on all topics (SPEC C.5).
const emptyURLWords = "www com org net html htm php asp aspx jsp index"

// check returns an error for a stemmer that does not exist.
func (w *LinkWords) check() error {
	if _, ok := text.StemmerNamed(w.Stem); w.Stem != "" && !ok {
		return fmt.Errorf("stem=%s: want porter, whole, prefix or a language", w.Stem)
	}
	return nil
}

// Inputs returns the inputs that it uses: the language and the words of the topic.
func (w *LinkWords) Inputs() (required, used input.Kind) {
	return 0, input.KindLanguage | input.KindWords
}

// Take takes the language of the topic unless another was given, and makes the table
// from the weighted words of the topic's judge or, if it has none, from the words of the
// topic. A weighted table is used only with the stems that it was made with: if the
// parameters ask for others, its words would never be found.
func (w *LinkWords) Take(in input.Inputs) error {
	own := w.Language == "" && w.Stem == ""
	w.Language = cmp.Or(w.Language, in.Language)
	if w.Table == nil && own && len(in.Stems) > 0 {
		w.Table = in.Stems
		if in.Prefix > 0 {
			w.Analyzer = text.NewAnalyzer(text.Options{Language: w.Language, Stem: text.Prefix(in.Prefix)})
		} else {
			w.Analyzer = text.NewAnalyzer(text.Options{Language: w.Language})
		}
	}
	w.tableOf(in.Words)
	return nil
}

// tableOf makes the table from words of the topic, unless there is one. Words are stemmed
// as anchors are, so that both match.
func (w *LinkWords) tableOf(words []judge.TopicWord) {
	if w.Table != nil {
		return
	}
	a := w.analyzer()
	for _, word := range words {
		for _, term := range a.Terms(word.Term) {
			w.Table = append(w.Table, judge.TopicWord{Term: term, Weight: word.Weight})
		}
	}
}

// analyzer returns the analyzer that turns text into terms. Turkish is stemmed to the first
// 5 letters, as Can et al. 2008 recommend.
func (w *LinkWords) analyzer() *text.Analyzer {
	if w.Analyzer != nil {
		return w.Analyzer
	}
	o := text.Options{Language: w.Language}
	if stem, ok := text.StemmerNamed(w.Stem); ok && w.Stem != "" {
		o.Stem = stem
	} else if w.turkish() {
		o.Stem = text.Prefix(0)
	}
	return text.NewAnalyzer(o)
}

// turkish reports whether the language is Turkish.
func (w *LinkWords) turkish() bool {
	lang, _, _ := strings.Cut(strings.ToLower(w.Language), "-")
	return lang == "tr"
}

// asciiTurkish replaces the letters of Turkish that ASCII does not have.
var asciiTurkish = strings.NewReplacer("ç", "c", "ğ", "g", "ı", "i", "ö", "o", "ş", "s", "ü", "u")

// A linkReader makes terms of anchors and URLs. Terms of Turkish are in ASCII: URLs are
// written that way (alisveris for alışveriş), and so are many anchors.
type linkReader struct {
	analyzer *text.Analyzer
	ascii    bool
	drop     map[string]bool
	spans    []dowse.Span
}

func newLinkReader(w *LinkWords) *linkReader {
	r := &linkReader{analyzer: w.analyzer(), ascii: w.turkish(), drop: map[string]bool{}}
	drop := w.Drop
	if drop == nil {
		drop = strings.Fields(emptyURLWords)
	}
	for _, d := range drop {
		r.drop[strings.ToLower(d)] = true
	}
	return r
}

// anchor appends the terms of an anchor, of which at most MaxBytes and MaxWords of package
// linktext are read.
func (r *linkReader) anchor(dst []string, anchor string) []string {
	anchor = linktext.Cut(anchor, linktext.MaxBytes)
	return r.appendTerms(dst, anchor, r.cut(anchor))
}

// appendTerms appends the terms of some words of a text.
func (r *linkReader) appendTerms(dst []string, s string, spans []dowse.Span) []string {
	n := len(dst)
	dst = r.analyzer.AppendTerms(dst, s, spans)
	for i := n; i < len(dst); i++ {
		dst[i] = r.letters(dst[i])
	}
	return dst
}

// letters returns a term in the letters in which terms are compared.
func (r *linkReader) letters(term string) string {
	if r.ascii {
		return asciiTurkish.Replace(term)
	}
	return term
}

// cut returns the words of an anchor or URL, at most MaxWords. The list is valid until the
// next call.
func (r *linkReader) cut(s string) []dowse.Span {
	r.spans = dowse.AppendWords(r.spans[:0], s, 0)
	return r.spans[:min(len(r.spans), linktext.MaxWords)]
}

// url appends the terms of a URL: its words, without the scheme, numbers and words that
// occur in URLs of all topics.
func (r *linkReader) url(dst []string, u dowse.URL) []string {
	s := linktext.Address(u)
	spans := slices.DeleteFunc(r.cut(s), func(w dowse.Span) bool { return r.empty(s[w.Start:w.End]) })
	return r.appendTerms(dst, s, spans)
}

// empty reports whether a word of a URL is ignored: a number, or a word of Drop.
func (r *linkReader) empty(word string) bool {
	return digitsOnly(word) || r.drop[strings.ToLower(word)]
}

func digitsOnly(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}
