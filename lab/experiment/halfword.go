package experiment

import (
	"fmt"
	"strings"

	"dowse"
	"dowse/internal/predicate"
	"dowse/internal/text"
)

// predicateFor returns the condition that relevant pages of a topic meet in
// addition to the topic; nil for none.
func (b *labelledWeb) predicateFor(x *Experiment, topic string) (*predicate.Predicate, error) {
	if x.Predicate != halfWordPredicate {
		return x.condition, nil
	}
	word, err := b.halfWord(topic)
	if err != nil {
		return nil, err
	}
	p, err := predicate.ParseExpr("keyword(" + word + ")")
	if err != nil {
		return nil, fmt.Errorf("experiment: predicate %s for %s: %w", halfWordPredicate, topic, err)
	}
	return p, nil
}

// halfWord returns the word whose number of pages on topic is closest to half of
// them, among words that are at least twice as frequent on topic as on the web.
// Ties go to the first in alphabetical order. The condition keeps out words that
// are on half of all pages whatever their topic.
func (b *labelledWeb) halfWord(topic string) (string, error) {
	everywhere, err := b.wordCounts()
	if err != nil {
		return "", err
	}
	wanted := b.web.On(b.graph, b.labels, topic)
	on, err := b.countWords(func(i int) bool { return wanted[i] })
	if err != nil {
		return "", err
	}
	pages, all := count(wanted), b.graph.Pages()
	best, nearest := "", pages
	for w, n := range on.stems {
		if n*all < 2*everywhere.stems[w]*pages {
			continue
		}
		if off := max(2*n-pages, pages-2*n); off < nearest || off == nearest && w < best {
			best, nearest = w, off
		}
	}
	if best == "" {
		return "", fmt.Errorf("experiment: predicate %s: no word is on about half of the pages on %s", halfWordPredicate, topic)
	}
	return on.word[best], nil
}

// wordCounts holds the number of pages that each word is on. Words with the same
// stem count as one, as predicates compare them.
type wordCounts struct {
	stems map[string]int
	word  map[string]string // by stem, its first word in alphabetical order
}

// wordCounts counts the words of all pages of the web. It reads every page, once
// per run.
func (b *labelledWeb) wordCounts() (*wordCounts, error) {
	b.countOnce.Do(func() { b.counted, b.countErr = b.countWords(b.graph.IsPage) })
	return b.counted, b.countErr
}

// countWords counts the words of the pages for which of returns true.
func (b *labelledWeb) countWords(of func(i int) bool) (*wordCounts, error) {
	on := &wordCounts{map[string]int{}, map[string]string{}}
	known := map[string]string{} // stems of words
	for i := range b.web.Len() {
		if !of(i) {
			continue
		}
		p, err := b.web.Page(i)
		if err != nil {
			return nil, err
		}
		on.add(p, known)
	}
	return on, nil
}

// shortestWord is the least length of a word that is counted, in bytes. Shorter
// ones are mostly function words and abbreviations.
const shortestWord = 5

// add counts the words of a page, each stem once. The map known caches stems
// across pages.
func (c *wordCounts) add(p *dowse.Page, known map[string]string) {
	here := map[string]bool{}
	for i := range p.Words {
		w := strings.ToLower(p.Word(i))
		if len(w) < shortestWord || !plainWord(w) {
			continue
		}
		stem, ok := known[w]
		if !ok {
			stem = text.Porter(w)
			known[w] = stem
		}
		if old, ok := c.word[stem]; !ok || w < old {
			c.word[stem] = w
		}
		if !here[stem] {
			here[stem] = true
			c.stems[stem]++
		}
	}
}

// plainWord reports whether a word has only the letters a to z.
func plainWord(w string) bool {
	return !strings.ContainsFunc(w, func(r rune) bool { return r < 'a' || r > 'z' })
}
