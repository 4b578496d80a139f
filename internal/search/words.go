package search

import (
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"dowse"
	"dowse/internal/text"
)

// Bounds on what is indexed of a page. A hostile page can be longer; its end is not found.
const (
	maxText  = 256 << 10 // bytes
	maxTitle = 1 << 10
)

// noLanguage is the tag of a language that is not known, or that has no stemmer.
const noLanguage = "und"

// A token is a word of a text as the index knows it.
type token struct {
	term       string
	at         int // position, counted in words from 1
	start, end int // bytes in the text
}

// stems turn words into terms, by the rules of each language. It is safe for concurrent use.
type stems struct {
	mu        sync.Mutex
	analyzers map[string]*text.Analyzer
}

func newStems() *stems { return &stems{analyzers: map[string]*text.Analyzer{}} }

// languageOf returns the language by whose rules a page with this tag is analysed. There are few of
// them, whatever pages declare.
func languageOf(tag string) string {
	tag, _, _ = strings.Cut(strings.ToLower(strings.ReplaceAll(tag, "_", "-")), "-")
	if len(tag) > 3 {
		return noLanguage
	}
	if _, ok := text.StemmerNamed(tag); !ok {
		return noLanguage
	}
	return tag
}

// analyzer returns the rules of a language. Stop words are kept, for phrases that contain them.
func (l *stems) analyzer(language string) *text.Analyzer {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.analyzers[language]
	if a == nil {
		a = text.NewAnalyzer(text.Options{Language: language, Stop: []string{}, SymbolSuffix: true})
		l.analyzers[language] = a
	}
	return a
}

// tokens returns the words of a text. Words of scripts without spaces are cut into pairs of
// characters, which have positions of their own.
func (l *stems) tokens(language, s string) []token { return l.of(language, s, dowse.Words(s)) }

// of is tokens for some words of a text.
func (l *stems) of(language, s string, words []dowse.Span) (list []token) {
	a := l.analyzer(language)
	at := 0
	for _, w := range words {
		word := a.Word(s, w)
		start, end := int(w.Start), a.WordEnd(s, w)
		if !text.Spaceless(word) {
			at++
			if t := strip(a.Term(word)); t != "" {
				list = append(list, token{t, at, start, end})
			}
			continue
		}
		for _, part := range text.Bigrams(nil, word) {
			at++
			if t := strip(a.Term(part)); t != "" {
				list = append(list, token{t, at, start, end})
			}
		}
	}
	return list
}

// strip removes the accents of Latin, Greek and Cyrillic letters, so that bogota finds Bogotá, and writes letters with a stroke and ligatures
// with plain letters, as keyboards without them do: lodz finds Łódź, coeur finds cœur.
func strip(term string) string {
	if isASCII(term) {
		return term
	}
	var b strings.Builder
	for _, r := range norm.NFD.String(term) {
		switch r {
		case 'ø':
			b.WriteByte('o')
		case 'ł':
			b.WriteByte('l')
		case 'đ':
			b.WriteByte('d')
		case 'ħ':
			b.WriteByte('h')
		case 'ı':
			b.WriteByte('i')
		case 'œ':
			b.WriteString("oe")
		case 'æ':
			b.WriteString("ae")
		default:
			if r < 0x300 || r > 0x36f {
				b.WriteRune(r)
			}
		}
	}
	return norm.NFC.String(b.String())
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r > unicode.MaxASCII }) < 0
}
