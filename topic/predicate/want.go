package predicate

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"dowse"
	"dowse/text"
)

// A want is one string or pattern that is looked for in the values of a fact.
type want struct {
	as     string         // as it was written
	plain  string         // folded
	phrase phrase         // its words; nil where it is looked for as it stands
	re     *regexp.Regexp // instead of all that
}

func newWant(s string) want {
	w := want{as: s, plain: text.Fold(s)}
	w.phrase = newPhrase(w.plain)
	return w
}

// in reports whether a value has what is wanted. Folded is the value folded.
func (w *want) in(l like, value, folded string) bool {
	if w.re != nil {
		return w.re.MatchString(cutText(value))
	}
	switch l {
	case words:
		if w.phrase == nil {
			return strings.Contains(folded, w.plain)
		}
		return w.phrase.in(folded)
	case part:
		return strings.Contains(folded, w.plain)
	case domain:
		return isBelow(folded, w.plain)
	case tag:
		return folded == w.plain || strings.HasPrefix(folded, w.plain+"-")
	case media:
		if kind, ok := strings.CutSuffix(w.plain, "*"); ok {
			return strings.HasPrefix(folded, kind)
		}
	}
	return folded == w.plain
}

// isBelow reports whether a host is the domain or in it: ch, example.ch, *.example.ch.
func isBelow(host, domain string) bool {
	domain = strings.TrimLeft(domain, "*.")
	rest, ok := strings.CutSuffix(host, domain)
	return ok && domain != "" && (rest == "" || strings.HasSuffix(rest, "."))
}

// cutText returns the part of a value that patterns see.
func cutText(s string) string {
	if len(s) <= MaxText {
		return s
	}
	s = s[:MaxText]
	for len(s) > 0 && !utf8.RuneStart(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	if r, n := utf8.DecodeLastRuneInString(s); r == utf8.RuneError && n == 1 {
		s = s[:len(s)-1]
	}
	return s
}

// A phrase is a run of folded words. Between them anything but a word may stand.
type phrase []phraseWord

// A phraseWord is a word, and whether others may touch it: in scripts without
// spaces they do.
type phraseWord struct {
	word       string
	head, tail bool
}

// newPhrase returns the words of a folded string, nil if it begins or ends with
// something else (c++, .net), which then counts.
func newPhrase(s string) phrase {
	s = strings.TrimSpace(s)
	spans := dowse.Words(s)
	if len(spans) == 0 || spans[0].Start != 0 || int(spans[len(spans)-1].End) != len(s) {
		return nil
	}
	return phraseOf(s, spans)
}

func phraseOf(s string, spans []dowse.Span) phrase {
	p := make(phrase, len(spans))
	for i, w := range spans {
		word := s[w.Start:w.End]
		_, first := utf8.DecodeRuneInString(word)
		_, last := utf8.DecodeLastRuneInString(word)
		p[i] = phraseWord{word, text.Spaceless(word[:first]), text.Spaceless(word[len(word)-last:])}
	}
	return p
}

// in reports whether a folded text has the phrase.
func (p phrase) in(s string) bool {
	for at := 0; ; {
		i := strings.Index(s[at:], p[0].word)
		if i < 0 {
			return false
		}
		i += at
		if p.startsAt(s, i) {
			return true
		}
		at = i + 1
	}
}

// startsAt reports whether the phrase stands at i, where its first word's letters
// are.
func (p phrase) startsAt(s string, i int) bool {
	if r, _ := utf8.DecodeLastRuneInString(s[:i]); i > 0 && !p[0].head && isWord(r) {
		return false
	}
	for n, w := range p {
		if n > 0 {
			i += gap(s[i:])
		}
		if !strings.HasPrefix(s[i:], w.word) {
			return false
		}
		i += len(w.word)
		if r, _ := utf8.DecodeRuneInString(s[i:]); i < len(s) && !w.tail && isWord(r) {
			return false
		}
	}
	return true
}

// gap returns the length of what stands before the next word.
func gap(s string) int {
	for i, r := range s {
		if isWord(r) {
			return i
		}
	}
	return len(s)
}

func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return isAlnum(byte(r))
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}
