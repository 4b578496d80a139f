package text

import "unicode/utf8"

// Porter stems an English word in lower case by the algorithm of Porter 1980,
// without its later departures. Words of one or two letters, words longer than
// maxWord and words that do not end in a letter of English are returned as they
// are.
func Porter(word string) string {
	if len(word) > maxWord || utf8.RuneCountInString(word) <= 2 {
		return word
	}
	if last := word[len(word)-1]; last < 'a' || last > 'z' {
		return word // no suffix of a rule ends like this: numbers, other scripts
	}
	var space [maxWord + 2]byte
	p := porter(append(space[:0], word...))
	p = p.plural().past().terminalY()
	p = p.replace(porterStep2).replace(porterStep3).residual().finalE().finalL()
	if string(p) == word {
		return word
	}
	return string(p)
}

// porter is a word that is being stemmed, in place.
type porter []byte

// A porterRule turns a suffix into another if the stem before it has a measure
// above 0.
type porterRule struct{ from, to string }

// The rules of a step are tried in order; the first whose suffix matches ends
// it.
var (
	porterStep2 = []porterRule{
		{"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"}, {"anci", "ance"}, {"izer", "ize"},
		{"abli", "able"}, {"alli", "al"}, {"entli", "ent"}, {"eli", "e"}, {"ousli", "ous"},
		{"ization", "ize"}, {"ation", "ate"}, {"ator", "ate"}, {"alism", "al"}, {"iveness", "ive"},
		{"fulness", "ful"}, {"ousness", "ous"}, {"aliti", "al"}, {"iviti", "ive"}, {"biliti", "ble"},
	}
	porterStep3 = []porterRule{
		{"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"}, {"ical", "ic"}, {"ful", ""}, {"ness", ""},
	}
	porterStep4 = []string{
		"al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion",
		"ou", "ism", "ate", "iti", "ous", "ive", "ize",
	}
)

// plural is step 1a: caresses, ponies, cats.
func (p porter) plural() porter {
	switch {
	case p.ends("sses"), p.ends("ies"):
		return p[:len(p)-2]
	case p.ends("ss"):
		return p
	case p.ends("s"):
		return p[:len(p)-1]
	}
	return p
}

// past is step 1b: agreed, plastered, motoring.
func (p porter) past() porter {
	switch {
	case p.ends("eed"):
		if p[:len(p)-3].measure() > 0 {
			return p[:len(p)-1]
		}
		return p
	case p.ends("ed") && p[:len(p)-2].vowel():
		return p[:len(p)-2].mended()
	case p.ends("ing") && p[:len(p)-3].vowel():
		return p[:len(p)-3].mended()
	}
	return p
}

// mended restores what -ed and -ing changed: conflat(e), hop(p), fil(e).
func (p porter) mended() porter {
	switch {
	case p.ends("at"), p.ends("bl"), p.ends("iz"):
		return append(p, 'e')
	case p.double() && !p.endsIn('l', 's', 'z'):
		return p[:len(p)-1]
	case p.measure() == 1 && p.short():
		return append(p, 'e')
	}
	return p
}

// terminalY is step 1c: happy.
func (p porter) terminalY() porter {
	if p.ends("y") && p[:len(p)-1].vowel() {
		p[len(p)-1] = 'i'
	}
	return p
}

// replace is steps 2 and 3. The first rule whose suffix matches ends the step,
// even if its condition fails.
func (p porter) replace(rules []porterRule) porter {
	for _, r := range rules {
		if !p.ends(r.from) {
			continue
		}
		if stem := p[:len(p)-len(r.from)]; stem.measure() > 0 {
			return append(stem, r.to...)
		}
		return p
	}
	return p
}

// residual is step 4: suffixes that are dropped if enough of the word is left.
func (p porter) residual() porter {
	for _, suffix := range porterStep4 {
		if !p.ends(suffix) {
			continue
		}
		stem := p[:len(p)-len(suffix)]
		if stem.measure() > 1 && (suffix != "ion" || stem.endsIn('s', 't')) {
			return stem
		}
		return p
	}
	return p
}

// finalE is step 5a: probate, cease.
func (p porter) finalE() porter {
	if !p.ends("e") {
		return p
	}
	stem := p[:len(p)-1]
	if m := stem.measure(); m > 1 || m == 1 && !stem.short() {
		return stem
	}
	return p
}

// finalL is step 5b: controll.
func (p porter) finalL() porter {
	if p.endsIn('l') && p.double() && p.measure() > 1 {
		return p[:len(p)-1]
	}
	return p
}

func (p porter) ends(suffix string) bool {
	return len(p) >= len(suffix) && string(p[len(p)-len(suffix):]) == suffix
}

func (p porter) endsIn(letters ...byte) bool {
	if len(p) == 0 {
		return false
	}
	for _, c := range letters {
		if p[len(p)-1] == c {
			return true
		}
	}
	return false
}

// consonant reports whether the i-th letter is a consonant: y is one after a
// vowel, and every byte that is not a letter of English counts as one.
func (p porter) consonant(i int) bool {
	switch p[i] {
	case 'a', 'e', 'i', 'o', 'u':
		return false
	case 'y':
		return i == 0 || !p.consonant(i-1)
	}
	return true
}

// measure counts the vowel-consonant sequences: the m of [C](VC)^m[V].
func (p porter) measure() int {
	m, vowel := 0, false
	for i := range p {
		c := p.isConsonant(i, vowel)
		if c && vowel {
			m++
		}
		vowel = !c
	}
	return m
}

// isConsonant is consonant for callers that know whether the letter before i is
// a vowel, so that the time for a long run of y is linear.
func (p porter) isConsonant(i int, afterVowel bool) bool {
	if p[i] == 'y' {
		return i == 0 || afterVowel
	}
	return p.consonant(i)
}

// vowel reports whether the word has one.
func (p porter) vowel() bool {
	for i := range p {
		if !p.isConsonant(i, false) {
			return true
		}
	}
	return false
}

// double reports whether the word ends in a double consonant. Only letters of
// English count, so that no rune is ever cut apart.
func (p porter) double() bool {
	n := len(p)
	return n >= 2 && p[n-1] == p[n-2] && p[n-1] < utf8.RuneSelf && p.consonant(n-1)
}

// short reports whether the word ends in consonant, vowel, consonant, the last
// not w, x or y: -wil, -hop.
func (p porter) short() bool {
	n := len(p)
	return n >= 3 && p.consonant(n-1) && !p.consonant(n-2) && p.consonant(n-3) && !p.endsIn('w', 'x', 'y')
}
