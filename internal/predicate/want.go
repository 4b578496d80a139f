package predicate

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"dowse"
	"dowse/internal/plain"
	"dowse/internal/text"
)

// A want is one string or pattern to look for in the values of a fact. Strings are
// folded once when the predicate is made: lower case, and one form for characters
// that Unicode can write in several ways. A page is folded once per fact.
type want struct {
	as     string         // as it was written
	plain  string         // folded
	phrase phrase         // its words; nil if it is matched literally
	re     *regexp.Regexp // a pattern, in place of the others
}

// newWant returns a want for a string that is not a pattern.
func newWant(s string) want {
	w := want{as: s, plain: text.Fold(s)}
	w.phrase = newPhrase(w.plain)
	return w
}

// among reports whether one of the values has what is wanted. folded are the
// folded values. A pattern sees at most [MaxText] bytes of all values together.
func (w *want) among(r *reading, l like, values, folded []string) bool {
	left := MaxText
	for i, v := range values {
		switch {
		case w.re == nil:
			if w.in(r, l, folded[i]) {
				return true
			}
		case left > 0:
			seen := plain.Cut(v, left)
			if w.re.MatchString(seen) {
				return true
			}
			left -= len(seen)
		}
	}
	return false
}

// in reports whether a folded value has the string that is wanted.
func (w *want) in(r *reading, l like, folded string) bool {
	switch l {
	case words:
		if w.phrase == nil {
			return strings.Contains(folded, w.plain)
		}
		return w.phrase.in(folded, &r.steps)
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

// isBelow reports whether a host is the domain or below it: ch, example.ch,
// *.example.ch. Labels are compared as a whole: ample.ch is not above
// example.ch.
func isBelow(host, domain string) bool {
	domain = strings.TrimLeft(domain, "*.")
	rest, ok := strings.CutSuffix(host, domain)
	return ok && domain != "" && (rest == "" || strings.HasSuffix(rest, "."))
}

// A phrase is a sequence of folded words. Anything but a word may be between
// them.
type phrase []phraseWord

// A phraseWord is a word, and whether others may touch its head and tail, as in
// scripts without spaces.
type phraseWord struct {
	word       string
	head, tail bool
}

// newPhrase returns the words of a folded string; nil if it begins or ends with
// something else (c++, .net), which then matters.
func newPhrase(s string) phrase {
	s = strings.TrimSpace(s)
	spans := dowse.Words(s)
	if len(spans) == 0 || spans[0].Start != 0 || int(spans[len(spans)-1].End) != len(s) {
		return nil
	}
	return phraseOf(s, spans)
}

// phraseOf returns the words at spans as a phrase.
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

// in reports whether a folded text contains the phrase. The search for the first
// word is that of package strings; only where it is found the rest is compared.
// Each comparison costs a step; without steps it gives up, so a page of repeated words can't take
// quadratic time.
func (p phrase) in(s string, steps *int) bool {
	for at := 0; *steps > 0; {
		i := strings.Index(s[at:], p[0].word)
		if i < 0 {
			return false
		}
		i += at
		if p.startsAt(s, i, steps) {
			return true
		}
		at = i + 1
	}
	return false
}

// startsAt reports whether the phrase is at i, where the letters of its first
// word are.
func (p phrase) startsAt(s string, i int, steps *int) bool {
	*steps--
	if r, _ := utf8.DecodeLastRuneInString(s[:i]); i > 0 && !p[0].head && isWord(r) {
		return false
	}
	for n, w := range p {
		if n > 0 {
			*steps--
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

// gap returns the number of bytes before the next word.
func gap(s string) int {
	for i, r := range s {
		if isWord(r) {
			return i
		}
	}
	return len(s)
}

// isWord reports whether a character is part of a word; marks are, so that
// combining accents do not split one.
func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return isAlnum(byte(r))
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}
