package crawler

import (
	"cmp"
	"fmt"
	"slices"

	"dowse"
	"dowse/internal/text"
	"dowse/judge"
	"dowse/topic"
)

// firstFormula is the formula of collections that do not name one.
const firstFormula = "words/1"

// ownFormula is the formula of crawls whose pages a judge of the program's own rates. Only such
// a program can continue them: another one would judge the rest of the pages by the words.
const ownFormula = "program"

// formulaOf returns the name of the formula by which a crawl judges the
// words of its topic; "" if there are no words to judge by.
func formulaOf(t *topic.Topic, cfg Config) string {
	if cfg.Judge != nil {
		return ownFormula
	}
	if len(t.Words)+len(t.Also)+len(t.Not) == 0 && t.About == "" {
		return ""
	}
	return judge.WordsName
}

// sameFormula reports whether words and phrases of a topic are judged as they were by an earlier formula. Formula
// words/3 differs from words/2 in phrases of scripts that are written without spaces; words/1 had no stuffing,
// which concerns every topic.
func sameFormula(before string, words []string) bool {
	return before == judge.WordsName || before == "words/2" && !slices.ContainsFunc(words, isSpacedRun)
}

// isSpacedRun reports whether a phrase has several words, one of them in a script that is written without spaces.
func isSpacedRun(entry string) bool {
	words := dowse.Words(entry)
	return len(words) > 1 && slices.ContainsFunc(words, func(w dowse.Span) bool { return text.Spaceless(entry[w.Start:w.End]) })
}

// switchFormula switches a resumed crawl to the current formula. Earlier
// verdicts stay, so a note reports the switch once if the topic was judged in
// another way.
func (c *Crawler) switchFormula() {
	s, now := &c.Collection.Settings, formulaOf(c.Topic, c.cfg)
	if now == "" {
		return
	}
	before := cmp.Or(s.Formula, firstFormula)
	same := now == ownFormula || sameFormula(before, c.Topic.Words)
	if n := c.Status().Fetched; !same && n > 0 {
		c.Notes = append(c.Notes, fmt.Sprintf(
			"words are judged by another formula from now on (%s, before %s): the verdicts on %d pages stay until a training on labels judges them again", now, before, n))
	}
	s.Formula = now
}
