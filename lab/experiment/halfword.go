package experiment

import (
	"fmt"
	"strings"

	"dowse"
	"dowse/internal/predicate"
	"dowse/text"
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
	for w, n := range on.stems {
		if n*all < 2*everywhere.stems[w]*pages {
			continue
		}
		if off := max(2*n-pages, pages-2*n); off < nearest || off == nearest && w < best {
			best, nearest = w, off
		}
	}
	if best == "" {
		return "", fmt.Errorf("experiment: no word is on about half of the pages on %s", topic)
	}
	return on.word[best], nil
}

// wordCounts tells on how many pages words are, all of a stem together, as predicates
// compare them.
type wordCounts struct {
	stems map[string]int
	word  map[string]string // of a stem, the first by letters
}

// wordCounts counts the words of all pages of the web, once.
func (b *bench) wordCounts() (*wordCounts, error) {
	b.countOnce.Do(func() { b.counted, b.countErr = b.countWords(b.graph.IsPage) })
	return b.counted, b.countErr
}

func (b *bench) countWords(of func(i int) bool) (*wordCounts, error) {
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

const shortestWord = 5 // letters of a word that says something

// add counts the words of a page that say something.
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

func plainWord(w string) bool {
	return !strings.ContainsFunc(w, func(r rune) bool { return r < 'a' || r > 'z' })
}
