package predicate

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"dowse"
	"dowse/internal/plain"
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

// among reports whether one of the values has what is wanted. Folded are the values
// folded. A pattern sees so much of them as [MaxText] allows.
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

// isBelow reports whether a host is the domain or in it: ch, example.ch, *.example.ch.
func isBelow(host, domain string) bool {
	domain = strings.TrimLeft(domain, "*.")
	rest, ok := strings.CutSuffix(host, domain)
	return ok && domain != "" && (rest == "" || strings.HasSuffix(rest, "."))
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

// in reports whether a folded text has the phrase. Each word that is compared costs
// a step; when none are left it gives up.
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

// startsAt reports whether the phrase stands at i, where its first word's letters
// are.
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
