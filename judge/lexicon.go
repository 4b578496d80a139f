package judge

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"dowse"
	"dowse/internal/plain"
	"dowse/internal/text"
)

// Wanted is a topic in words, the input of [NewWords]. Words and phrases are written
// as people write them; the judge stems them like the pages.
type Wanted struct {
	Words    []string // words and phrases of the topic; at least one
	Also     []string // supporting words; never enough alone
	Not      []string // words of look-alikes: they count against a page
	About    string   // a description; its words are weak evidence
	Language string   // BCP 47, for stems and stop words; default English
}

// Limits of a topic in words. They keep a term's code within 16 bits.
const (
	MaxWords  = 1000 // words and phrases together
	MaxPhrase = 8    // words in one phrase, not counting stop words

	maxAbout = 64      // terms of the description that are used
	maxGap   = 4       // distance between neighbouring words of a phrase: at most 3 stop words between them
	memory   = 1 << 15 // words whose code is remembered
)

// Codes of a word: not a term of the topic, or which one.
const (
	foreign uint16 = iota // not in the topic
	dropped               // a stop word: phrases reach across it
	run                   // a run of words in a script without spaces
	first                 // the code of term 0
)

// A group determines which cap applies to the weight of a sign.
type group uint8

const (
	wordGroup group = iota // words and phrases of the topic; no cap
	partGroup
	alsoGroup
	notGroup
	groups
)

// A sign is a word or phrase that is evidence for or against the topic.
type sign struct {
	what   string // its name in reasons; "" for a word of the description
	weight float64
	group  group
}

// A topicLexicon finds signs in texts. Signs are sequences of terms in a trie: a node
// is the beginning of a sign, or a whole one. Finding costs one memory look-up per
// word of the text, and a walk in the trie only at terms of the topic. After
// newLexicon it does not change, apart from the word memory, which is safe for
// concurrent use.
type topicLexicon struct {
	analyzer *text.Analyzer
	codes    *text.Codes[uint16] // word as written to code, remembered
	terms    map[string]int32
	topical  map[int32]bool // terms that occur in Wanted.Words
	children map[phraseEdge]int32
	signOf   []int32 // by node; -1 if no sign ends here
	signs    []sign
}

type phraseEdge struct{ node, term int32 }

const root = 0

func newLexicon(w Wanted) (*topicLexicon, error) {
	if n := len(w.Words) + len(w.Also) + len(w.Not); n > MaxWords {
		return nil, fmt.Errorf("%d words and phrases are too many (at most %d)", n, MaxWords)
	}
	l := &topicLexicon{
		analyzer: text.NewAnalyzer(text.Options{Language: w.Language, SymbolSuffix: hasSymbols(w), Memory: -1}),
		terms:    map[string]int32{},
		topical:  map[int32]bool{},
		children: map[phraseEdge]int32{},
		signOf:   []int32{-1},
	}
	if err := l.addAll(w); err != nil {
		return nil, err
	}
	l.codes = text.NewCodes(memory, math.MaxUint16, l.code)
	return l, nil
}

// addAll adds the signs, strong ones first: if two have the same terms, the first one
// stays.
func (l *topicLexicon) addAll(w Wanted) error {
	weight, err := l.wordWeight(w.Words)
	if err != nil {
		return err
	}
	if err := l.addNot(slices.Concat(w.Words, w.Also), w.Not); err != nil {
		return err
	}
	for _, entry := range w.Words {
		terms, _ := l.sequence(entry)
		l.addWord(entry, terms, weight)
	}
	for _, entry := range w.Also {
		terms, _ := l.sequence(entry)
		l.add(terms, sign{quoted(entry), alsoWeight, alsoGroup})
	}
	l.addParts(w.Words, weight)
	l.addAbout(w.About)
	return nil
}

// wordWeight returns W = 4 + 2/n, the weight of a word in a topic of n different
// words. In a topic of one word that word is all there can be; in a topic of many a
// page should have several.
func (l *topicLexicon) wordWeight(entries []string) (float64, error) {
	different := map[string]bool{}
	for _, entry := range entries {
		terms, err := l.sequence(entry)
		if err != nil {
			return 0, err
		}
		different[strings.Join(terms, " ")] = true
	}
	return manyWords + (oneWord-manyWords)/float64(max(len(different), 1)), nil
}

// addNot adds the signs against the topic. It returns an error if one has the same
// terms as a sign for it.
func (l *topicLexicon) addNot(signs, not []string) error {
	wanted := map[string]string{}
	for _, entry := range signs {
		terms, err := l.sequence(entry)
		if err != nil {
			return err
		}
		wanted[strings.Join(terms, " ")] = entry
	}
	for _, entry := range not {
		terms, err := l.sequence(entry)
		if err != nil {
			return err
		}
		if same, ok := wanted[strings.Join(terms, " ")]; ok {
			return fmt.Errorf("%q is wanted and %q is not, but both have the same word stems", same, entry)
		}
		l.add(terms, sign{"not " + quoted(entry), notWeight, notGroup})
	}
	return nil
}

// addWord adds a word or phrase of the topic.
func (l *topicLexicon) addWord(entry string, terms []string, weight float64) {
	if len(terms) > 1 && len(dowse.Words(entry)) > 1 {
		weight *= phrase // a run without spaces has several terms and is a word all the same
	}
	i := l.add(terms, sign{quoted(entry), weight, wordGroup})
	l.alias(l.analyzer.Terms(unspaced(entry)), i)
	for _, t := range terms {
		l.topical[l.number(t)] = true
	}
}

// unspaced returns a phrase without the spaces between words of scripts that are written without
// them: people put spaces between words to search for, and texts have none there. It is "" if there
// are no such spaces.
func unspaced(entry string) string {
	var b strings.Builder
	start, end, joined := int32(0), int32(0), false
	for i, w := range dowse.Words(entry) {
		if space := entry[end:w.Start]; i > 0 && strings.TrimSpace(space) == "" && text.Spaceless(entry[start:end]) && text.Spaceless(entry[w.Start:w.End]) {
			joined = true
		} else {
			b.WriteString(space)
		}
		b.WriteString(entry[w.Start:w.End])
		start, end = w.Start, w.End
	}
	if !joined {
		return ""
	}
	return b.String()
}

// alias lets other terms be found as sign i, unless they are a sign, too many, or none.
func (l *topicLexicon) alias(terms []string, i int32) {
	if len(terms) == 0 || len(terms) > 2*MaxPhrase {
		return
	}
	node := int32(root)
	for _, t := range terms {
		node = l.child(node, l.number(t))
	}
	if l.signOf[node] < 0 {
		l.signOf[node] = i
	}
}

// addParts adds the single words of phrases as weaker signs, unless a word is a sign
// by itself.
func (l *topicLexicon) addParts(entries []string, weight float64) {
	for _, entry := range entries {
		list := l.partsOf(entry)
		if len(list) < 2 {
			continue
		}
		each := weight * min(part, parts/float64(len(list)))
		for _, p := range list {
			l.addPart(p.terms, p.word, each)
		}
	}
}

// A phrasePart is a word of a phrase with its terms: one, or the bigrams of a word in a script
// without spaces.
type phrasePart struct {
	word  string
	terms []string
}

// partsOf returns the words of a phrase that are no stop words.
func (l *topicLexicon) partsOf(entry string) (list []phrasePart) {
	for _, span := range dowse.Words(entry) {
		word := l.analyzer.Word(entry, span)
		if text.Spaceless(word) {
			list = append(list, phrasePart{word, l.analyzer.Terms(word)})
		} else if t := l.analyzer.Term(word); t != "" {
			list = append(list, phrasePart{word, []string{t}})
		}
	}
	return list
}

// addPart adds a single word. If two phrases contain it, the higher weight counts.
func (l *topicLexicon) addPart(terms []string, word string, weight float64) {
	i := l.add(terms, sign{quoted(word), weight, partGroup})
	if s := &l.signs[i]; s.group == partGroup {
		s.weight = max(s.weight, weight)
	}
}

// addAbout adds the first words of the description.
func (l *topicLexicon) addAbout(about string) {
	terms := l.analyzer.Terms(head(about, maxMeta))
	for _, t := range terms[:min(len(terms), maxAbout)] {
		l.add([]string{t}, sign{"", aboutWord, alsoGroup})
	}
}

// add returns the number of the sign with these terms: s, or the one that was there
// before.
func (l *topicLexicon) add(terms []string, s sign) int32 {
	node := int32(root)
	for _, t := range terms {
		node = l.child(node, l.number(t))
	}
	if l.signOf[node] < 0 {
		l.signOf[node] = int32(len(l.signs))
		l.signs = append(l.signs, s)
	}
	return l.signOf[node]
}

// child returns the node that follows node by a term, and makes it if there is none.
func (l *topicLexicon) child(node, term int32) int32 {
	e := phraseEdge{node, term}
	next, ok := l.children[e]
	if !ok {
		next = int32(len(l.signOf))
		l.signOf = append(l.signOf, -1)
		l.children[e] = next
	}
	return next
}

// number returns the number of a term, a new one if it has none.
func (l *topicLexicon) number(term string) int32 {
	n, ok := l.terms[term]
	if !ok {
		n = int32(len(l.terms))
		l.terms[term] = n
	}
	return n
}

// sequence returns the terms of a word or phrase, or an error if it could never be
// found.
func (l *topicLexicon) sequence(entry string) ([]string, error) {
	terms := l.analyzer.Terms(entry)
	if len(terms) == 0 {
		return nil, fmt.Errorf("%q cannot be searched for: it contains only stop words or punctuation", entry)
	}
	if len(terms) > MaxPhrase {
		return nil, fmt.Errorf("%q is a phrase of %d words (at most %d): split it into shorter ones", entry, len(terms), MaxPhrase)
	}
	return terms, nil
}

// code computes the code of a word for the word memory.
func (l *topicLexicon) code(word string) uint16 {
	if text.Spaceless(word) {
		return run
	}
	return l.termCode(word)
}

func (l *topicLexicon) termCode(word string) uint16 {
	t := l.analyzer.Term(word)
	if t == "" {
		return dropped
	}
	if n, ok := l.terms[t]; ok {
		return first + uint16(n)
	}
	return foreign
}

// find sets s.finds to the signs in a text, ordered by their first word, and s.read to
// the number of words. numbers are those of the words, nil for none.
func (l *topicLexicon) find(s *scratch, t string, words []dowse.Span, numbers []uint32) {
	s.codes = l.codes.Append(s.codes[:0], l.analyzer, t, words, numbers)
	s.hits, s.read = l.appendHits(s.hits[:0], t, words, s.codes)
	s.finds = s.finds[:0]
	for i := range s.hits {
		s.finds = l.appendFinds(s.finds, s.hits[i:])
	}
}

// A hit is an occurrence of a term of the topic in a text.
type hit struct {
	word int32 // index of the word
	seq  int32 // index among the words that are not stop words
	term int32
}

// appendHits appends the hits of a text whose words have the given codes, and returns the
// number of words in it; the bigrams of a run without spaces count one each.
func (l *topicLexicon) appendHits(hits []hit, t string, words []dowse.Span, codes []uint16) (_ []hit, read int) {
	seq, stops := int32(0), 0
	for i, code := range codes {
		if code == dropped {
			stops++
			continue
		}
		if code == run {
			hits, seq = l.appendRun(hits, int32(i), seq, l.analyzer.Word(t, words[i]))
			continue
		}
		seq++
		if code >= first {
			hits = append(hits, hit{int32(i), seq, int32(code - first)})
		}
	}
	return hits, int(seq) + stops
}

// appendRun appends the hits of a run without spaces, which is cut by [text.Bigrams].
func (l *topicLexicon) appendRun(hits []hit, at, seq int32, word string) ([]hit, int32) {
	for _, part := range text.Bigrams(nil, word) {
		code := l.termCode(part)
		if code == dropped {
			continue
		}
		seq++
		if code >= first {
			hits = append(hits, hit{at, seq, int32(code - first)})
		}
	}
	return hits, seq
}

// A find is a sign in a text: the index of its first word, the index after its last,
// and its number.
type find struct{ start, end, sign int32 }

// appendFinds appends the signs that begin at the first hit. Signs may overlap: a
// phrase and its single words are all found.
func (l *topicLexicon) appendFinds(finds []find, hits []hit) []find {
	node := int32(root)
	for i, h := range hits {
		if i > 0 && (h.seq != hits[i-1].seq+1 || h.word-hits[i-1].word > maxGap) {
			break
		}
		next, ok := l.children[phraseEdge{node, h.term}]
		if !ok {
			break
		}
		node = next
		if sign := l.signOf[node]; sign >= 0 {
			finds = append(finds, find{hits[0].word, h.word + 1, sign})
		}
	}
	return finds
}

// hasSymbols reports whether a word of the topic ends in # or +, like c#. Only then do
// symbols belong to words in pages, since elsewhere they are noise.
func hasSymbols(w Wanted) bool {
	for _, list := range [][]string{w.Words, w.Also, w.Not} {
		for _, entry := range list {
			for _, span := range dowse.Words(entry) {
				if end := int(span.End); end < len(entry) && (entry[end] == '#' || entry[end] == '+') {
					return true
				}
			}
		}
	}
	return false
}

// quoted returns a word or phrase for a reason: on one line, in quotation marks,
// without control characters.
func quoted(entry string) string { return `"` + plain.Words(entry) + `"` }
