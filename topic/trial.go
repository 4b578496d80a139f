package topic

import (
	"fmt"
	"slices"

	"dowse"
	"dowse/judge"
)

// OwnJudge is the name of the topic's own judge in a comparison.
const OwnJudge = "topic"

// A Trial reports how good the judges are that the examples of a topic yield:
// each example was rated by judges that had not seen it.
type Trial struct {
	Examples    []judge.Example // substitutes last
	origins     []Origin        // of the first examples, as far as they are known
	Substitutes int             // how many examples are substitutes, probably off topic
	Folds       int
	BySite      bool               // pages of one site were in the same fold
	Judges      []judge.Validation // the topic's own first
	Note        string             // what was left out of the topic's own judge; "" for nothing
}

// Test compares the topic's own judge (its words, gate and model with what
// examples teach) and every kind of trainable judge, on the same folds. If
// negative examples are missing, the substitutes of training are used here too;
// then the result is too optimistic. A gate that depends on what only a crawl
// knows is left out.
func (t *Topic) Test(m *Material, folds int) (*Trial, error) {
	on, off := m.Counts()
	substitutes := t.Substitutes(m)
	if on < 2 || off+len(substitutes) < 2 {
		return nil, fmt.Errorf("topic: %s: too few examples to test (got %d on topic and %d off topic, want two of each); add like: and unlike:, or label pages of a crawl", t.Name, on, off)
	}
	trial := &Trial{
		Examples: slices.Concat(m.Examples, substitutes), origins: m.Origins,
		Substitutes: len(substitutes), Folds: min(folds, on, off+len(substitutes)),
	}
	alone, why := t.withoutCrawlFacts()
	trial.Note = why
	own := judge.Candidate{Name: OwnJudge, Make: alone.maker(m, substitutes)}
	var err error
	trial.Judges, err = judge.Compare(append([]judge.Candidate{own}, judge.Candidates(t.Language())...), trial.Examples, trial.Folds)
	if err != nil {
		return nil, fmt.Errorf("topic: %s: %w", t.Name, err)
	}
	trial.BySite = trial.Judges[0].BySite
	return trial, nil
}

// maker returns a function that builds the topic's own judge from some of the
// examples. Substitutes are passed as contrast, not as examples.
func (t *Topic) maker(m *Material, substitutes []judge.Example) func([]judge.Example) (dowse.Judge, float64, error) {
	replaced := map[*dowse.Page]bool{}
	for _, e := range substitutes {
		replaced[e.Page] = true
	}
	return func(examples []judge.Example) (dowse.Judge, float64, error) {
		part := &Material{Model: m.Model, Categories: m.Categories, ContrastOf: m.ContrastOf, everyday: len(m.Contrast) == 0}
		for _, e := range examples {
			if e.Page != nil && replaced[e.Page] {
				part.Contrast = append(part.Contrast, e)
			} else {
				part.Examples = append(part.Examples, e)
			}
		}
		j, err := t.newJudge(part)
		return j, t.OnTopic(), err
	}
}
