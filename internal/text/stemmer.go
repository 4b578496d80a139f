package text

import (
	"strings"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/turkish"
)

// A Stemmer reduces a folded word to its stem. It is a pure function and safe
// for concurrent use.
type Stemmer func(word string) string

// Whole is the stemmer that leaves words as they are.
func Whole(word string) string { return word }

// Prefix returns the stemmer that keeps the first m letters of a word, which
// does well for Turkish (Can et al. 2008 recommend 5). An m below 1 means 5.
func Prefix(m int) Stemmer {
	if m < 1 {
		m = 5
	}
	return func(word string) string {
		n := 0
		for i := range word {
			if n == m {
				return word[:i]
			}
			n++
		}
		return word
	}
}

// stemmerFor returns the stemmer of a language given by its BCP 47 tag:
// Porter's for English, Snowball's for the others, [Whole] if there is none.
func stemmerFor(language string) Stemmer {
	switch lang := primary(language); lang {
	case "en":
		return Porter
	case "da", "nl", "fi", "fr", "de", "hu", "it", "nb", "nn", "no", "pt", "ro", "ru", "es", "sv", "tr":
		return snowball(snowballOf(lang))
	}
	return Whole
}

// StemmerNamed returns a stemmer by its name: "porter", "whole", "prefix" (of 5
// letters), the names of Snowball ("english", "turkish", …), or the tag of a
// language. ok is false for an unknown name.
func StemmerNamed(name string) (stem Stemmer, ok bool) {
	name = strings.ToLower(name)
	switch name {
	case "porter", "en":
		return Porter, true
	case "prefix":
		return Prefix(0), true
	case "whole":
		return Whole, true
	}
	if f := snowballOf(name); f != nil {
		return snowball(f), true
	}
	return nil, false
}

// snowballOf returns the generated stemmer of a language, nil if there is none.
func snowballOf(name string) func(*snowballstem.Env) bool {
	switch name {
	case "da", "danish":
		return danish.Stem
	case "nl", "dutch":
		return dutch.Stem
	case "english":
		return english.Stem
	case "fi", "finnish":
		return finnish.Stem
	case "fr", "french":
		return french.Stem
	case "de", "german":
		return german.Stem
	case "hu", "hungarian":
		return hungarian.Stem
	case "it", "italian":
		return italian.Stem
	case "nb", "nn", "no", "norwegian":
		return norwegian.Stem
	case "pt", "portuguese":
		return portuguese.Stem
	case "ro", "romanian":
		return romanian.Stem
	case "ru", "russian":
		return russian.Stem
	case "es", "spanish":
		return spanish.Stem
	case "sv", "swedish":
		return swedish.Stem
	case "tr", "turkish":
		return turkish.Stem
	}
	return nil
}

// snowball guards a generated stemmer, which needs valid UTF-8 and takes long
// for long words. A word that it would reduce to nothing stays as it is.
func snowball(stem func(*snowballstem.Env) bool) Stemmer {
	return func(word string) string {
		if len(word) > maxWord || !utf8.ValidString(word) {
			return word
		}
		env := snowballstem.NewEnv(word)
		stem(env)
		if s := env.Current(); s != "" {
			return s
		}
		return word
	}
}
