package demo

import "strings"

// A sentence is text with slots, read from a line like "The {n} {v}.".
type sentence []textPiece

// A textPiece is a run of text, or a slot if slot is not 0.
type textPiece struct {
	text string
	slot byte
}

// parseSentences parses lines of a grammar.
func parseSentences(lines []string) []sentence {
	sentences := make([]sentence, len(lines))
	for i, line := range lines {
		sentences[i] = parseSentence(line)
	}
	return sentences
}

// parseSentence splits a line into text and slots; a slot is one letter in
// braces.
func parseSentence(line string) sentence {
	var s sentence
	for {
		before, after, found := strings.Cut(line, "{")
		if before != "" {
			s = append(s, textPiece{text: before})
		}
		if !found {
			return s
		}
		s = append(s, textPiece{slot: after[0]})
		line = after[2:]
	}
}

// A textWriter writes text on one subject. Every slot takes exactly one random
// number, so that changing a word leaves the rest of the text as it is; mirrors
// rely on it.
type textWriter struct {
	buf      []byte
	rng      rng
	words    *vocabulary
	lex      *lexicon
	subject  string
	topical  float64 // share of sentences on the subject
	aside    *lexicon
	borrowed float64 // share of sentences on aside, which is another topic
	accents  bool    // use words with accents
	slips    bool    // change some words: a copy that is not exact
	slipSeed uint64
}

// str appends text as it is. All texts are part of the program and need no
// escaping.
func (s *textWriter) str(text string) { s.buf = append(s.buf, text...) }

// sentence writes one sentence of the page. The share topical of sentences is
// on the page's subject, the share borrowed on a related one, the rest is
// everyday text; pages in another language have sentences of their own.
func (s *textWriter) sentence() {
	pick := s.rng.next()
	u := float64(uint32(pick)) / (1 << 32)
	switch {
	case s.lex.sentences != nil:
		s.fill(s.lex.sentences[scale(pick, len(s.lex.sentences))], s.lex, true)
	case u < s.topical:
		s.fill(s.words.topical[scale(pick, len(s.words.topical))], s.lex, true)
	case u < s.topical+s.borrowed:
		s.fill(s.words.topical[scale(pick, len(s.words.topical))], s.aside, true)
	default:
		s.fill(s.words.plain[scale(pick, len(s.words.plain))], s.lex, false)
	}
}

// about writes a sentence of a list, on another lexicon.
func (s *textWriter) about(list []sentence, lex *lexicon) {
	s.fill(list[s.rng.under(len(list))], lex, true)
}

// fill writes a sentence with its slots filled.
func (s *textWriter) fill(line sentence, lex *lexicon, topical bool) {
	start := len(s.buf)
	for _, p := range line {
		if p.slot == 0 {
			s.buf = append(s.buf, p.text...)
			continue
		}
		s.slot(p.slot, s.draw(), lex, topical)
	}
	s.capital(start)
}

// article turns the "a" before the word at an offset into "an" if needed, by
// the letter that follows.
func (s *textWriter) article(at int) {
	if at < 2 || at >= len(s.buf) || s.buf[at-1] != ' ' || s.buf[at-2]|0x20 != 'a' || at > 2 && s.buf[at-3] != ' ' && s.buf[at-3] != '>' {
		return
	}
	switch s.buf[at] {
	case 'a', 'e', 'i', 'o':
		s.buf = append(s.buf, 0)
		copy(s.buf[at:], s.buf[at-1:])
		s.buf[at-1] = 'n'
	}
}

// capital makes the letter at an offset upper case.
func (s *textWriter) capital(at int) {
	if at < len(s.buf) && 'a' <= s.buf[at] && s.buf[at] <= 'z' {
		s.buf[at] -= 'a' - 'A'
	}
}

// draw returns the random bits for a word, changed for about every 61st word of
// an inexact copy. The copy draws as often as the original, so that the two
// differ in these words alone.
func (s *textWriter) draw() uint64 {
	bits := s.rng.next()
	if s.slips && bits%61 == 0 {
		return mix(bits ^ s.slipSeed)
	}
	return bits
}

// slot fills a slot. The upper half of the bits selects within a list, the
// lower half the list.
func (s *textWriter) slot(slot byte, bits uint64, lex *lexicon, topical bool) {
	at := len(s.buf)
	s.word(slot, bits, lex, topical)
	if lex.language == "en" {
		s.article(at)
	}
}

// word writes the word of a slot: n and N nouns, v and V verbs, a adjectives, d
// adverbs, s beginnings, p places, q numbers, T the topic, j the subject. Upper
// case is the plural.
func (s *textWriter) word(slot byte, bits uint64, lex *lexicon, topical bool) {
	own := lex.sentences != nil || topical && bits&15 < 9
	switch slot {
	case 'n':
		s.str(s.noun(bits, lex, own).one)
	case 'N':
		s.str(s.noun(bits, lex, own).many)
	case 'v':
		s.str(s.verb(bits, lex, own).one)
	case 'V':
		s.str(s.verb(bits, lex, own).many)
	case 'a':
		s.str(s.adjective(bits, lex, own))
	case 'd':
		s.str(s.words.adverbs[scale(bits, len(s.words.adverbs))])
	case 's':
		s.str(s.words.starts[scale(bits, len(s.words.starts))])
	case 'p':
		s.place(bits, lex)
	case 'q':
		s.number(2 + scale(bits, 97))
	case 'T':
		s.str(lex.phrases[scale(bits, len(lex.phrases))])
	case 'j':
		s.str(s.subject)
	}
}

// noun returns a noun of the lexicon, or of everyday language with the
// frequencies of Zipf's law.
func (s *textWriter) noun(bits uint64, lex *lexicon, own bool) form {
	if own {
		return lex.nouns[scale(bits, len(lex.nouns))]
	}
	return s.words.nouns[s.words.nounRanks.at(bits>>32)]
}

// verb is noun for verbs.
func (s *textWriter) verb(bits uint64, lex *lexicon, own bool) form {
	if own {
		return lex.verbs[scale(bits, len(lex.verbs))]
	}
	return s.words.verbs[s.words.verbRanks.at(bits>>32)]
}

// adjective is noun for adjectives; pages in an old encoding use some with
// accents.
func (s *textWriter) adjective(bits uint64, lex *lexicon, own bool) string {
	switch {
	case own:
		return lex.adjs[scale(bits, len(lex.adjs))]
	case s.accents && bits&0x70 == 0:
		return s.words.foreign[scale(bits, len(s.words.foreign))]
	}
	return s.words.adjs[s.words.adjRanks.at(bits>>32)]
}

// place writes one of the many names of places: the long tail of the
// vocabulary.
func (s *textWriter) place(bits uint64, lex *lexicon) {
	if len(lex.places) > 0 {
		s.str(lex.places[scale(bits, len(lex.places))])
		return
	}
	s.str(s.words.heads[scale(bits, len(s.words.heads))])
	s.str(s.words.tails[int(bits>>8&0xffff)%len(s.words.tails)])
}

// number appends a number in digits.
func (s *textWriter) number(n int) { s.buf = appendInt(s.buf, n) }
