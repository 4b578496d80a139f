package experiment

import (
	"fmt"
	"strings"

	"dowse"
	"dowse/topic/predicate"
)

// askedOf returns what is asked of a page beside a topic; nil for nothing.
func (b *bench) askedOf(x *Experiment, topic string) (*predicate.Predicate, error) {
	if x.Predicate != HalfWord {
		return x.asked, nil
	}
	word, err := b.halfWord(topic)
	if err != nil {
		return nil, err
	}
	p, err := predicate.ParseExpr("keyword(" + word + ")")
	if err != nil {
		return nil, fmt.Errorf("experiment: a word for half of %s: %w", topic, err)
	}
	return p, nil
}

// halfWord returns the word that is nearest to be on half of a topic's pages, and is on
// other pages half as often at most; of several the first by letters.
func (b *bench) halfWord(topic string) (string, error) {
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
	for w, n := range on {
		if n*all < 2*everywhere[w]*pages {
			continue
		}
		if off := max(2*n-pages, pages-2*n); off < nearest || off == nearest && w < best {
			best, nearest = w, off
		}
	}
	if best == "" {
		return "", fmt.Errorf("experiment: no word is on about half of the pages on %s", topic)
	}
	return best, nil
}

// wordCounts tells for every word on how many pages of the web it is.
func (b *bench) wordCounts() (map[string]int, error) {
	b.countOnce.Do(func() { b.counted, b.countErr = b.countWords(b.graph.IsPage) })
	return b.counted, b.countErr
}

func (b *bench) countWords(of func(i int) bool) (map[string]int, error) {
	on := map[string]int{}
	for i := range b.web.Len() {
		if !of(i) {
			continue
		}
		p, err := b.web.Page(i)
		if err != nil {
			return nil, err
		}
		for w := range wordsOf(p) {
			on[w]++
		}
	}
	return on, nil
}

const shortestWord = 5 // letters of a word that says something

// wordsOf returns the different words of a page that say something, in lower case.
func wordsOf(p *dowse.Page) map[string]bool {
	words := map[string]bool{}
	for i := range p.Words {
		w := strings.ToLower(p.Word(i))
		if len(w) >= shortestWord && plainWord(w) {
			words[w] = true
		}
	}
	return words
}

func plainWord(w string) bool {
	return !strings.ContainsFunc(w, func(r rune) bool { return r < 'a' || r > 'z' })
}
