package judge

import (
	"fmt"
	"slices"
	"strings"

	"dowse"
	"dowse/internal/plain"
	"dowse/internal/text"
)

// Wanted is a topic in words: what [NewWords] judges by. Words and phrases are
// given as people write them.
type Wanted struct {
	Words    []string // words and phrases of the topic; at least one
	Also     []string // good signs, not required
	Not      []string // what looks alike and is not
	About    string   // a description; its words are weak signs
	Language string   // BCP 47, for stems and stop words; "" means English
}

// The limits of a topic in words.
const (
	MaxWords  = 1000 // words and phrases in all
	MaxPhrase = 8    // words of a phrase, stop words not counted

	maxAbout = 64 // words of the description that count
	maxGap   = 4  // words from one word of a phrase to the next: up to 3 stop words between
	memory   = 1 << 15
)

// What the memory says of a word: that it is no term of the topic, or which one.
const (
	foreign uint16 = iota
	dropped        // a stop word: phrases reach across it
	run            // a run of words without spaces
	first          // the code of term 0
)

// group tells which cap the weight of a sign falls under.
type group uint8

const (
	wordGroup group = iota
	partGroup
	alsoGroup
	notGroup
	groups
)

// A sign is a word or phrase that speaks for or against the topic.
type sign struct {
	what   string // as reasons show it; "" for a word of the description
	weight float64
	group  group
}

// A topicLexicon finds signs in texts. Signs are sequences of terms, kept as a tree:
// a node is a beginning of a sign, or all of it.
type topicLexicon struct {
	analyzer *text.Analyzer
	codes    *text.Codes // what a word as written is
	terms    map[string]int32
	topical  map[int32]bool // terms of words and phrases of the topic
	children map[phraseEdge]int32
	signOf   []int32 // by node; -1 for a beginning only
	signs    []sign
}

type phraseEdge struct{ node, term int32 }

const root = 0

func newLexicon(w Wanted) (*topicLexicon, error) {
	if n := len(w.Words) + len(w.Also) + len(w.Not); n > MaxWords {
		return nil, fmt.Errorf("%d words and phrases are too many, %d is the limit", n, MaxWords)
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
	l.codes = text.NewCodes(memory, l.code)
	return l, nil
}

// addAll adds the signs, the strong ones first: where two are the same sequence
// of terms, the first stays.
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

// wordWeight returns what a word of the topic weighs, which depends on how many
// different ones there are.
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

// addNot adds the signs against, which must not be signs for the topic as well.
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
			return fmt.Errorf("%q is wanted and %q is not, but they are the same to the judge", same, entry)
		}
		l.add(terms, sign{"not " + quoted(entry), notWeight, notGroup})
	}
	return nil
}

func (l *topicLexicon) addWord(entry string, terms []string, weight float64) {
	if len(terms) > 1 && len(dowse.Words(entry)) > 1 {
		weight *= phrase // a run without spaces has several terms and is a word all the same
	}
	l.add(terms, sign{quoted(entry), weight, wordGroup})
	for _, t := range terms {
		l.topical[l.number(t)] = true
	}
}

// addParts adds the single words of phrases.
func (l *topicLexicon) addParts(entries []string, weight float64) {
	for _, entry := range entries {
		terms, _ := l.sequence(entry)
		if len(terms) < 2 {
			continue
		}
		each := weight * min(part, parts/float64(len(terms)))
		for _, span := range dowse.Words(entry) {
			word := l.analyzer.Word(entry, span)
			if t := l.analyzer.Term(word); t != "" && !text.Spaceless(word) {
				l.addPart(t, word, each)
			}
		}
	}
}

// addPart adds a single word; one that two phrases have gets the higher weight.
func (l *topicLexicon) addPart(term, word string, weight float64) {
	i := l.add([]string{term}, sign{quoted(word), weight, partGroup})
	if s := &l.signs[i]; s.group == partGroup {
		s.weight = max(s.weight, weight)
	}
}

func (l *topicLexicon) addAbout(about string) {
	terms := l.analyzer.Terms(head(about, maxMeta))
	for _, t := range terms[:min(len(terms), maxAbout)] {
		l.add([]string{t}, sign{"", aboutWord, alsoGroup})
	}
}

// add returns the number of the sign for the terms, which is s unless there was
// one already.
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

func (l *topicLexicon) number(term string) int32 {
	n, ok := l.terms[term]
	if !ok {
		n = int32(len(l.terms))
		l.terms[term] = n
	}
	return n
}

// sequence returns the terms of a word or phrase, or why it can't be looked for.
func (l *topicLexicon) sequence(entry string) ([]string, error) {
	terms := l.analyzer.Terms(entry)
	if len(terms) == 0 {
		return nil, fmt.Errorf("%q can't be looked for: it has only stop words or signs", entry)
	}
	if len(terms) > MaxPhrase {
		return nil, fmt.Errorf("%q is a phrase of %d words, %d is the limit: cut it into shorter ones", entry, len(terms), MaxPhrase)
	}
	return terms, nil
}

// code is what the memory remembers. Topics are bounded so that it suffices.
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

// find leaves in the scratch where the signs stand among the words of a text, in
// order of their first word.
func (l *topicLexicon) find(s *scratch, t string, words []dowse.Span) {
	s.hits, s.read = l.appendHits(s.hits[:0], t, words)
	s.finds = s.finds[:0]
	for i := range s.hits {
		s.finds = l.appendFinds(s.finds, s.hits[i:])
	}
}

// A hit is a term of the topic in a text.
type hit struct {
	word int32 // its place among the words
	seq  int32 // and among the words that are not dropped
	term int32
}

// appendHits appends the hits of a text and returns how many words it has, those of
// a run counted one by one.
func (l *topicLexicon) appendHits(hits []hit, t string, words []dowse.Span) (_ []hit, read int) {
	seq, stops := int32(0), 0
	for i, w := range words {
		code := l.codes.In(t, int(w.Start), l.analyzer.WordEnd(t, w))
		if code == dropped {
			stops++
			continue
		}
		if code == run {
			hits, seq = l.appendRun(hits, int32(i), seq, l.analyzer.Word(t, w))
			continue
		}
		seq++
		if code >= first {
			hits = append(hits, hit{int32(i), seq, int32(code - first)})
		}
	}
	return hits, int(seq) + stops
}

// appendRun appends the hits of a word that is cut by [text.Bigrams].
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

// A find is a sign in a text, from its first word to after its last.
type find struct{ start, end, sign int32 }

// appendFinds appends the signs that begin with the first hit.
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

// hasSymbols reports whether a word of the topic ends in # or +, as c# does.
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

// quoted returns a word or phrase as reasons show it: on one line, in quotes.
func quoted(entry string) string { return `"` + plain.Words(entry) + `"` }
