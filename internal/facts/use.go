package facts

import (
	"slices"
	"strings"
	"unicode"

	"dowse/internal/text"
)

// The uses of a page that it or its server can reserve.
const (
	UseTDM = "tdm" // text and data mining: TDM-Reservation
	UseAI  = "ai"  // training of models: noai, noimageai, Content-Usage
)

// useFlags returns the uses that a page reserves, by its meta elements or its header.
func useFlags(r *Row) []string {
	list := slices.Clone(r.Reserved)
	for _, m := range r.Meta {
		switch {
		case m.Name == "tdm-reservation" && strings.TrimSpace(m.Content) == "1":
			list = append(list, UseTDM)
		case m.Name == "robots" && ReservesAI(m.Content):
			list = append(list, UseAI)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// ReservesAI reports whether directives for robots forbid the training of models.
func ReservesAI(directives string) bool {
	for _, d := range strings.FieldsFunc(strings.ToLower(directives), func(c rune) bool { return c == ',' || c == ';' || c == ':' || c <= ' ' }) {
		if d == "noai" || d == "noimageai" {
			return true
		}
	}
	return false
}

// languageScore returns how certain the words of the text are of the language of
// the page; nil without a text.
func languageScore(r *Row) any {
	if r.Text == "" {
		return nil
	}
	declared, _ := language(r).(string)
	found, certainty := text.Detect(r.Text, nil)
	if base(found) != base(declared) {
		return 0.0
	}
	return certainty
}

// base returns a language without its region.
func base(lang string) string {
	lang, _, _ = strings.Cut(lang, "-")
	return lang
}

// tokens counts the tokens of a text: runs of letters, runs of digits, and runs of other
// characters without spaces, which is how byte-pair encoders cut a text before they look
// for pairs. Letters of scripts that are written without spaces count one by one.
func tokens(s string) (n int) {
	last := spaceRune
	for _, r := range s {
		kind := kindOfRune(r)
		if kind == singleRune || kind != last && kind != spaceRune {
			n++
		}
		last = kind
	}
	return n
}

// The kinds of characters in a token.
const (
	spaceRune = iota
	letterRune
	digitRune
	otherRune
	singleRune // a token by itself
)

// kindOfRune returns the kind of a character.
func kindOfRune(r rune) int {
	switch {
	case r < 0x80 && ('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'):
		return letterRune
	case '0' <= r && r <= '9':
		return digitRune
	case unicode.IsSpace(r):
		return spaceRune
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
		return singleRune
	case unicode.IsLetter(r), unicode.IsMark(r):
		return letterRune
	case unicode.IsDigit(r):
		return digitRune
	}
	return otherRune
}
