package text

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"dowse"

	"github.com/abadojack/whatlanggo"
)

// The part of a text that is examined, in bytes. The time grows with it (16 KB
// take several times as long), and the answer settles early: for the paragraphs
// of the tests in ten languages, the first 40 characters give the same answer
// as the whole. The beginning of a long text is skipped, because it is mostly a
// menu.
const (
	sampleSize = 1024
	sampleSkip = 512
)

const (
	minLetters     = 24   // with fewer, a text can be nearly anything
	minConfidence  = 0.05 // of trigrams: below it, two languages fit equally well
	sureConfidence = 0.9  // of trigrams: from it on, stop words are not examined
	minStopWords   = 3    // stop words of a language that a text needs to be in it
)

// Detect guesses the language of a text by its scripts, its trigrams and, if
// these do not settle it, its stop words. It returns a BCP 47 code in lower
// case and a confidence from 0 to 1. among are the languages to choose from, as
// codes with or without a region; nil means all 84 that are known. The code is
// "" if the text is too short or too mixed, or looks more like a language that
// is not in among. At most a few KB of the text are examined.
//
// A page's own declaration of its language should be believed before this
// guess.
func Detect(sample string, among []string) (lang string, confidence float64) {
	sample = excerpt(sample)
	c := countScripts(sample)
	if c.letters < minLetters {
		return "", 0
	}
	if lang = c.eastAsian(); lang != "" {
		return admitted(lang, 1, among)
	}
	info := whatlanggo.DetectWithOptions(sample, whatlanggo.Options{Whitelist: contestants(among)})
	if info.Lang >= 0 && info.Confidence >= sureConfidence {
		return admitted(codeOf(info.Lang), info.Confidence, among)
	}
	if lang, confidence = byStopWords(sample); lang != "" {
		return admitted(lang, confidence, among)
	}
	if info.Lang < 0 || info.Confidence < minConfidence {
		return "", 0
	}
	return admitted(codeOf(info.Lang), info.Confidence, among)
}

// byStopWords guesses the language of a text by its stop words, if it is a
// language with a list of them. Short texts have few trigrams but nearly always
// such words. A fifth of all words must be stop words, and half as many again
// as in the second language.
func byStopWords(sample string) (lang string, confidence float64) {
	spans := dowse.Words(sample)
	hits := make([]int, len(stopLanguages))
	for _, w := range spans {
		for _, l := range stopSets()[strings.ToLower(sample[w.Start:w.End])] {
			hits[l]++
		}
	}
	best, second := 0, 0
	for i, n := range hits {
		switch {
		case n > best:
			best, second, lang = n, best, stopLanguages[i]
		case n > second:
			second = n
		}
	}
	if best < minStopWords || best*5 < len(spans) || best*2 < second*3 {
		return "", 0
	}
	return lang, float64(best-second) / float64(best)
}

// stopLanguages are the languages with a list of stop words.
var stopLanguages = [...]string{"en", "tr", "de", "fr", "es", "it", "pt", "nl", "sv", "ru"}

// stopSets maps each stop word to the indexes in stopLanguages of its
// languages.
var stopSets = sync.OnceValue(func() map[string][]uint8 {
	in := map[string][]uint8{}
	for i, lang := range stopLanguages {
		for _, w := range StopWords(lang) {
			in[w] = append(in[w], uint8(i))
		}
	}
	return in
})

// excerpt returns the part of a text that is examined, cut between words if
// possible.
func excerpt(s string) string {
	if len(s) <= sampleSize {
		return s
	}
	if skip := min(sampleSkip, len(s)-sampleSize); skip > 0 {
		s = s[skip:]
	}
	s = s[:sampleSize]
	for len(s) > 0 && !utf8.RuneStart(s[0]) {
		s = s[1:]
	}
	if i := strings.IndexAny(s, " \n"); i >= 0 && i < 64 {
		s = s[i:]
	}
	return strings.ToValidUTF8(s, "")
}

// scripts counts the letters of a text.
type scripts struct{ letters, han, kana, hangul int }

// countScripts counts a character of Chinese, Japanese or Korean as four
// letters, because it carries as much information.
func countScripts(s string) (c scripts) {
	for _, r := range s {
		switch {
		case r < utf8.RuneSelf:
			if r|0x20 >= 'a' && r|0x20 <= 'z' {
				c.letters++
			}
		case !unicode.IsLetter(r):
		case r >= 0x3041 && r <= 0x30ff || r >= 0x31f0 && r <= 0x31ff:
			c.kana++
			c.letters += 4
		case r >= 0xac00 && r <= 0xd7a3:
			c.hangul++
			c.letters += 4
		case isCJK(r):
			c.han++
			c.letters += 4
		default:
			c.letters++
		}
	}
	return c
}

// eastAsian returns the code of Chinese, Japanese or Korean if at least half of
// the text is in their characters, else "". Japanese mixes kana with Han
// characters, which make up most of a heading, so a few kana suffice.
func (c scripts) eastAsian() string {
	all := c.han + c.kana + c.hangul
	switch {
	case 4*all*2 < c.letters:
		return ""
	case c.hangul*2 >= all:
		return "ko"
	case c.kana*20 >= all:
		return "ja"
	}
	return "zh"
}

// admitted returns the language as it is spelled in among, "" if it is not
// there.
func admitted(lang string, confidence float64, among []string) (string, float64) {
	if len(among) == 0 {
		return lang, confidence
	}
	for _, a := range among {
		if named(a) && sameLanguage(primary(a), lang) {
			return primary(a), confidence
		}
	}
	return "", 0
}

// named reports whether a code names a language at all; primary would return
// English.
func named(code string) bool {
	code = strings.TrimSpace(code)
	return code != "" && code[0] != '-' && code[0] != '_'
}

// sameLanguage reports whether code a includes code b: Norwegian has one code
// for each written form and one for both.
func sameLanguage(a, b string) bool {
	return a == b || a == "no" && (b == "nb" || b == "nn")
}

// contestants returns the languages that a text is compared with: those in
// among and those that are common on the web, so that a text in none of among
// is not forced into one of them. Nil means all.
func contestants(among []string) map[whatlanggo.Lang]bool {
	if len(among) == 0 {
		return nil
	}
	list := map[whatlanggo.Lang]bool{}
	for _, l := range common {
		list[l] = true
	}
	for _, a := range among {
		for l := whatlanggo.Afr; l <= whatlanggo.Zul; l++ {
			if sameLanguage(primary(a), codeOf(l)) {
				list[l] = true
			}
		}
	}
	return list
}

// common are the languages of most pages, grouped by script.
var common = [...]whatlanggo.Lang{
	whatlanggo.Eng, whatlanggo.Deu, whatlanggo.Fra, whatlanggo.Spa, whatlanggo.Ita, whatlanggo.Por, whatlanggo.Nld,
	whatlanggo.Swe, whatlanggo.Pol, whatlanggo.Tur, whatlanggo.Ces, whatlanggo.Ron, whatlanggo.Hun, whatlanggo.Dan,
	whatlanggo.Fin, whatlanggo.Ind, whatlanggo.Vie, whatlanggo.Rus, whatlanggo.Ukr, whatlanggo.Bul, whatlanggo.Srp,
	whatlanggo.Arb, whatlanggo.Pes, whatlanggo.Heb, whatlanggo.Hin,
}

// codeOf returns the BCP 47 code of a language, the one of two letters if there
// is one.
func codeOf(l whatlanggo.Lang) string { return codes()[l] }

// codes holds the codes of all languages, computed once: the library rebuilds
// its whole table for each lookup.
var codes = sync.OnceValue(func() (list [whatlanggo.Zul + 1]string) {
	for l := range list {
		list[l] = whatlanggo.Lang(l).Iso6391()
		if list[l] == "" {
			list[l] = whatlanggo.Lang(l).Iso6393()
		}
	}
	list[whatlanggo.Pes] = "fa"
	list[whatlanggo.Ydd] = "yi"
	list[whatlanggo.Bho] = "bho"
	return list
})
