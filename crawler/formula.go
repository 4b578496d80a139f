package crawler

import (
	"cmp"
	"fmt"

	"dowse/judge"
	"dowse/topic"
)

// firstFormula judged words in collections that do not say which formula did.
const firstFormula = "words/1"

// formulaOf names the formula by which a crawl judges the words of its topic; "" for one
// that has no words to judge by.
func formulaOf(t *topic.Topic, cfg Config) string {
	if cfg.Judge != nil || len(t.Words)+len(t.Also)+len(t.Not) == 0 && t.About == "" {
		return ""
	}
	return judge.WordsName
}

// takeFormula lets a crawl that is taken up judge words by the formula of today. Verdicts of
// before stand, so where another one gave them that is told, once.
func (c *Crawler) takeFormula() {
	s, now := &c.Collection.Settings, formulaOf(c.Topic, c.cfg)
	if now == "" {
		return
	}
	before := cmp.Or(s.Formula, firstFormula)
	if n := c.Status().Fetched; before != now && n > 0 {
		c.Notes = append(c.Notes, fmt.Sprintf(
			"words are judged by another formula from now on (%s, before %s): the verdicts on %d pages stand until labels have all judged anew", now, before, n))
	}
	s.Formula = now
}
