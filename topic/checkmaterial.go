package topic

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"dowse/judge"
)

// maxTrials is the number of examples that a self-test reports.
const maxTrials = 12

// CheckMaterial returns findings about the gathered material: how many examples
// there are, which terms matter most, and how the judge rates examples that it
// has not seen.
func (t *Topic) CheckMaterial(m *Material) []Finding {
	c := &checker{topic: t}
	for _, n := range m.Notes {
		c.say(Hint, "%s", n)
	}
	on, off := m.Counts()
	if on+off == 0 {
		return c.findings
	}
	c.say(OK, "examples: %d on topic, %d not", on, off)
	c.contradictions(m)
	if off == 0 && len(t.Not) == 0 {
		c.say(Warn, "no unlike: pages that look alike may score high; add unlike: or not:")
	}
	j, err := t.NewJudge(m)
	if err != nil {
		c.say(Wrong, "%v", err)
		return c.findings
	}
	if terms := t.strongest(j, m, 8); len(terms) > 0 {
		c.say(Hint, "strongest terms: %s", strings.Join(terms, ", "))
	}
	alone, why := t.withoutCrawlFacts()
	if why != "" {
		c.say(Hint, "self-test: %s", why)
	}
	c.selfTest(alone, m)
	return c.findings
}

// contradictions reports pages that are both positive and negative examples.
func (c *checker) contradictions(m *Material) {
	kind := map[string]bool{}
	for i, o := range m.Origins {
		was, seen := kind[o.SHA256]
		if seen && was != m.Examples[i].Relevant {
			c.say(Warn, "%s is there as like and as unlike: remove one", o.place())
		}
		kind[o.SHA256] = m.Examples[i].Relevant
	}
}

// strongest returns the terms with the largest effect on the positive examples.
func (t *Topic) strongest(j *Judge, m *Material, n int) (names []string) {
	if j.model == nil {
		return nil
	}
	on, _ := t.Learnt(j.model, slices.DeleteFunc(slices.Clone(m.Examples), func(e judge.Example) bool { return !e.Relevant }), n)
	for _, term := range on {
		names = append(names, term.Spelt())
	}
	return names
}

// selfTest rates examples by judges that have not seen them, and everyday texts.
func (c *checker) selfTest(t *Topic, m *Material) {
	scores := t.trials(m)
	j, err := t.NewJudge(m)
	if err != nil || len(scores) == 0 {
		return
	}
	low, high := math.Inf(1), math.Inf(-1)
	texts, _ := everyday(t.Language())
	for _, e := range texts {
		r := j.Judge(e.Page).Relevance
		low, high = min(low, r), max(high, r)
	}
	var list []string
	missed := 0
	for _, s := range scores {
		list = append(list, fmt.Sprintf("%.2f", s))
		if s < t.OnTopic() {
			missed++
		}
	}
	known := ""
	if t.Against(m) > 0 {
		known = ", which the judge has seen,"
	}
	c.say(OK, "self-test: examples score %s by judges that have not seen them; everyday texts%s %.2f to %.2f", strings.Join(list, " "), known, low, high)
	if missed > 0 {
		c.say(Warn, "self-test: %d of %d examples score below %g by judges that have not seen them: add examples like them, words, or lower the threshold", missed, len(scores), t.OnTopic())
	}
}

// trials rates some of the positive examples, each by a judge that has not seen
// it.
func (t *Topic) trials(m *Material) (scores []float64) {
	on, _ := m.Counts()
	folds := min(unseenFolds, on)
	for fold := 0; fold < folds && folds > 1; fold++ {
		seen, unseen := foldOf(m.Examples, fold, folds)
		j, err := t.NewJudge(&Material{Examples: seen, Contrast: m.Contrast, ContrastOf: m.ContrastOf, Model: m.Model, Categories: m.Categories})
		if err != nil {
			return nil
		}
		for _, e := range unseen {
			scores = append(scores, j.Judge(e.Page).Relevance)
		}
	}
	return scores[:min(len(scores), maxTrials)]
}
