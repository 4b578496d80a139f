package topic

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"dowse/internal/text"
	"dowse/judge"
)

// A Level is how serious a finding is.
type Level string

// The levels of findings.
const (
	OK    Level = "ok"
	Hint  Level = "hint"
	Warn  Level = "warn"
	Wrong Level = "error" // the topic can't be used
)

// A Finding is one line about a topic.
type Finding struct {
	Level Level
	Text  string
}

func (f Finding) String() string { return fmt.Sprintf("%-5s %s", f.Level, f.Text) }

// Check returns findings about a topic before it is crawled: what it has, how
// the judge reads it, and what will probably go wrong. A topic without a
// finding of level [Wrong] can be used.
func (t *Topic) Check() []Finding {
	c := &checker{topic: t, analyzer: text.NewAnalyzer(text.Options{Language: t.Language(), SymbolSuffix: true, Memory: -1})}
	c.say(OK, "%s", t.counts())
	c.judge()
	c.terms()
	c.duplicates()
	c.breadth()
	c.gate()
	c.languages()
	c.seeds()
	return c.findings
}

// A checker collects what will probably go wrong with a topic. It reads the topic with the
// analyzer of its judge, so that it sees words as the judge does: stemmed, and without stop
// words.
type checker struct {
	topic    *Topic
	analyzer *text.Analyzer
	findings []Finding
}

// say adds a finding. Findings stay in the order in which they were made, which is that of
// the keys of a topic file.
func (c *checker) say(l Level, format string, args ...any) {
	c.findings = append(c.findings, Finding{l, fmt.Sprintf(format, args...)})
}

// judge reports everything that prevents the topic from being used.
func (c *checker) judge() {
	found := len(c.findings)
	for _, list := range c.lists() {
		for _, w := range list.entries {
			c.entry(list.key, w)
		}
	}
	if len(c.findings) > found {
		return
	}
	if err := c.topic.judgeable(); err != nil {
		c.say(Wrong, "%v", err)
	}
}

// judgeable returns what prevents the topic from being used, as far as it is
// known before its examples are loaded.
func (t *Topic) judgeable() error {
	if !t.Needs() {
		_, err := t.NewJudge(&Material{})
		return err
	}
	if _, err := t.newGate(); err != nil {
		return err
	}
	return (&Judge{}).addWords(t)
}

// counts describes how much of each kind the topic has.
func (t *Topic) counts() string {
	var parts []string
	for _, k := range kinds() {
		switch {
		case k.counted != nil:
			parts = append(parts, k.counted(t))
		case k.present(t):
			parts = append(parts, k.key)
		}
	}
	s := strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), ", ")
	switch {
	case t.SeedsFrom != "" && len(t.Seeds) > 0:
		return s + fmt.Sprintf(", seeds %d and from %s", len(t.Seeds), t.SeedsFrom)
	case t.SeedsFrom != "":
		return s + ", seeds from " + t.SeedsFrom
	}
	return s + fmt.Sprintf(", seeds %d", len(t.Seeds))
}

// entry reports a word or phrase that no page can match: one of stop words alone, or one
// that is longer than the judge compares.
func (c *checker) entry(key, w string) {
	switch n := len(c.analyzer.Terms(w)); {
	case n == 0:
		c.say(Wrong, "%s: %q has only stop words or signs, which every page has; write a word that pages on topic have", key, w)
	case n > judge.MaxPhrase:
		c.say(Wrong, "%s: %q is too long for a phrase: cut it into phrases of at most %d words", key, w, judge.MaxPhrase)
	}
}

// A namedList is a list of words of a topic with its key in the file.
type namedList struct {
	key     string
	entries []string
}

// lists returns the lists of words that a topic may have.
func (c *checker) lists() []namedList {
	return []namedList{{"words", c.topic.Words}, {"also", c.topic.Also}, {"not", c.topic.Not}}
}

// terms reports what the judge looks for.
func (c *checker) terms() {
	var forms []string
	for _, w := range c.topic.Words {
		terms := slices.DeleteFunc(c.analyzer.Tokens(w), func(token string) bool { return c.analyzer.Term(token) == "" })
		if len(terms) > 0 {
			forms = append(forms, strings.Join(terms, " "))
		}
	}
	if len(forms) > 12 {
		forms = append(forms[:12], "…")
	}
	if len(forms) > 0 {
		c.say(Hint, "the judge looks for, in any form: %s", strings.Join(forms, ", "))
	}
}

// duplicates reports words that are the same to the judge.
func (c *checker) duplicates() {
	type mention struct{ key, word string }
	first := map[string]mention{}
	for _, list := range c.lists()[:2] {
		for _, w := range list.entries {
			form := strings.Join(c.analyzer.Terms(w), " ")
			if m, ok := first[form]; ok && form != "" {
				c.say(Warn, "%s: %q is the same to the judge as %q in %s: remove one", list.key, w, m.word, m.key)
				continue
			}
			first[form] = mention{list.key, w}
		}
	}
}

// breadth warns of topics that match too much.
func (c *checker) breadth() {
	t := c.topic
	if len(t.Words) == 1 && len(c.analyzer.Terms(t.Words[0])) == 1 {
		if utf8.RuneCountInString(t.Words[0]) < 5 {
			c.say(Warn, "words: %q is one short word and will match much else: add phrases, also: or not:", t.Words[0])
		} else {
			c.say(Hint, "one word makes a wide topic: phrases and also: make it more precise")
		}
	}
	if len(t.Not) == 0 && len(t.Unlike) == 0 && t.Where == nil {
		c.say(Hint, "`not:` is empty; list look-alikes you do not want")
	}
	if th := t.Threshold; th != 0 && (th < 0.2 || th > 0.9) {
		c.say(Warn, "threshold %g: nearly every page, or hardly any, will be on topic; 0.5 is usual", th)
	}
}

// gate reports what where does to the topic, if there are only words in
// addition.
func (c *checker) gate() {
	t := c.topic
	g, err := t.newGate()
	if g == nil || err != nil {
		return
	}
	if asked, holds := g.asks(); !asked {
		c.say(Warn, "where: has no clause that asks something: it holds for %s", map[bool]string{true: "every page", false: "no page"}[holds])
	}
	for _, name := range slices.Sorted(maps.Keys(t.Categories)) {
		if !slices.Contains(t.asksCategories(), name) {
			c.say(Hint, "categories: where: does not ask for %s", cut(name))
		}
	}
	if g.Needs().Reads("links_in") {
		c.say(Hint, "where: links_in counts the pages that were fetched before a page and link to it: usually none for a seed, few for pages that are visited early")
	}
	if t.Needs() || len(t.Words) == 0 && t.Model != "" {
		return
	}
	if len(t.Words) == 0 {
		c.say(Hint, "where: without words links are ranked only once a page holds; add words: of such pages, which then only rank links")
		return
	}
	if g.decides {
		c.say(Hint, "where: asks what pages say, so it alone decides which are on topic; words only rank links")
	} else {
		c.say(Hint, "where: narrows what the words find")
	}
}

// languages warns where words can't be stemmed.
func (c *checker) languages() {
	for _, l := range c.topic.Languages {
		if len(text.StopWords(l)) == 0 {
			c.say(Hint, "languages: %q has no list of stop words here: words match as they are written", l)
		}
	}
	if len(c.topic.Languages) > 1 {
		c.say(Hint, "words are stemmed as %q, the first of the languages", c.topic.Language())
	}
}

// seeds reports seeds that are listed twice, and a topic without any: its crawl has no place
// to begin unless the caller supplies one.
func (c *checker) seeds() {
	seen := map[string]bool{}
	for _, s := range c.topic.Seeds {
		if seen[s] {
			c.say(Warn, "seeds: %s is there twice: remove one", s)
		}
		seen[s] = true
	}
	if len(c.topic.Seeds) == 0 && c.topic.SeedsFrom == "" {
		c.say(Warn, "no seeds: add seeds: to the topic, or give some on the command line")
	}
}
