package demo

import "strings"

// A sentence is text with slots, read from a line like "The {n} {v}.".
type sentence []textPiece

// A textPiece is a run of text, or a slot if slot is not 0.
type textPiece struct {
	text string
	slot byte
}

func parseSentences(lines []string) []sentence {
	sentences := make([]sentence, len(lines))
	for i, line := range lines {
		sentences[i] = parseSentence(line)
	}
	return sentences
}

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

// A scribe writes text on one subject. Every slot takes exactly one draw, so that
// changing a word leaves the rest of the text as it is.
type scribe struct {
	buf      []byte
	dice     dice
	words    *vocabulary
	lex      *lexicon
	subject  string
	topical  float64 // share of sentences on the subject
	aside    *lexicon
	borrowed float64 // share of sentences on the aside, which is another topic
	accents  bool    // use words with accents
	slips    bool    // change a word now and then: a copy that is not quite one
	slipSeed uint64
}

func (s *scribe) str(text string) { s.buf = append(s.buf, text...) }

// sentence writes one sentence of the page.
func (s *scribe) sentence() {
	pick := s.dice.next()
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
func (s *scribe) about(list []sentence, lex *lexicon) {
	s.fill(list[s.dice.under(len(list))], lex, true)
}

func (s *scribe) fill(line sentence, lex *lexicon, topical bool) {
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

// article turns the "a" before a word that begins at a place of the text into "an"
// where it has to be.
func (s *scribe) article(at int) {
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

// capital makes the letter at a place of the text upper case.
func (s *scribe) capital(at int) {
	if at < len(s.buf) && 'a' <= s.buf[at] && s.buf[at] <= 'z' {
		s.buf[at] -= 'a' - 'A'
	}
}

// draw rolls for a word.
func (s *scribe) draw() uint64 {
	bits := s.dice.next()
	if s.slips && bits%61 == 0 {
		return mix(bits ^ s.slipSeed)
	}
	return bits
}

// slot fills a slot. The upper half of the bits picks within a list, the lower half the list.
func (s *scribe) slot(slot byte, bits uint64, lex *lexicon, topical bool) {
	at := len(s.buf)
	s.word(slot, bits, lex, topical)
	if lex.language == "en" {
		s.article(at)
	}
}

func (s *scribe) word(slot byte, bits uint64, lex *lexicon, topical bool) {
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

func (s *scribe) noun(bits uint64, lex *lexicon, own bool) form {
	if own {
		return lex.nouns[scale(bits, len(lex.nouns))]
	}
	return s.words.nouns[s.words.nounRanks.at(bits>>32)]
}

func (s *scribe) verb(bits uint64, lex *lexicon, own bool) form {
	if own {
		return lex.verbs[scale(bits, len(lex.verbs))]
	}
	return s.words.verbs[s.words.verbRanks.at(bits>>32)]
}

func (s *scribe) adjective(bits uint64, lex *lexicon, own bool) string {
	switch {
	case own:
		return lex.adjs[scale(bits, len(lex.adjs))]
	case s.accents && bits&0x70 == 0:
		return s.words.foreign[scale(bits, len(s.words.foreign))]
	}
	return s.words.adjs[s.words.adjRanks.at(bits>>32)]
}

// place writes one of the many names of places: the long tail of the vocabulary.
func (s *scribe) place(bits uint64, lex *lexicon) {
	if len(lex.places) > 0 {
		s.str(lex.places[scale(bits, len(lex.places))])
		return
	}
	s.str(s.words.heads[scale(bits, len(s.words.heads))])
	s.str(s.words.tails[int(bits>>8&0xffff)%len(s.words.tails)])
}

func (s *scribe) number(n int) { s.buf = appendInt(s.buf, n) }
