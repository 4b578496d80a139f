package topic

import (
	"errors"
	"fmt"
	"slices"

	"dowse"
	"dowse/judge"
)

// OwnJudge names the topic's own judge among those that are compared.
const OwnJudge = "topic"

// A Trial is how good the judges are that the examples of a topic make: each example
// was rated by judges that had not seen it.
type Trial struct {
	Examples []judge.Example // stand-ins last
	Origins  []Origin        // of the first examples, as far as they are known
	StandIns int             // of the examples: pages that are probably not on topic
	Folds    int
	BySite   bool               // pages of one site were in one fold
	Judges   []judge.Validation // the topic's own first
	Note     string             // what the topic's own judge left out, for people; "" for nothing
}

// Test compares the topic's own judge (its words, gate and model with what examples
// teach) and every kind of judge that examples train, on the same folds. Where examples
// that are not on topic are missing, the pages that stand in for them in training do so
// here: then it tells less than it seems to. A gate that asks for what only a crawl knows
// is left out.
func (t *Topic) Test(m *Material, folds int) (*Trial, error) {
	on, off := m.Counts()
	standIns := t.StandIns(m)
	if on < 2 || off+len(standIns) < 2 {
		return nil, fmt.Errorf("topic: %s: %w", t.Name, errTooFew)
	}
	trial := &Trial{
		Examples: slices.Concat(m.Examples, standIns), Origins: m.Origins,
		StandIns: len(standIns), Folds: min(folds, on, off+len(standIns)),
	}
	alone, why := t.apart()
	trial.Note = why
	own := judge.Candidate{Name: OwnJudge, Make: alone.maker(m, standIns)}
	var err error
	trial.Judges, err = judge.Compare(append([]judge.Candidate{own}, judge.Candidates(t.Language())...), trial.Examples, trial.Folds)
	if err != nil {
		return nil, fmt.Errorf("topic: %s: %w", t.Name, err)
	}
	trial.BySite = trial.Judges[0].BySite
	return trial, nil
}

var errTooFew = errors.New("too few examples to test with: it needs at least two on topic and two that are not; add like: and unlike:, or label pages of a crawl")

// maker returns how the topic's own judge is made from some of the examples. What stands
// in for others is not shown as an example.
func (t *Topic) maker(m *Material, standIns []judge.Example) func([]judge.Example) (dowse.Judge, float64, error) {
	stands := map[*dowse.Page]bool{}
	for _, e := range standIns {
		stands[e.Page] = true
	}
	return func(examples []judge.Example) (dowse.Judge, float64, error) {
		part := &Material{Model: m.Model, ContrastOf: m.ContrastOf, everyday: len(m.Contrast) == 0}
		for _, e := range examples {
			if e.Page != nil && stands[e.Page] {
				part.Contrast = append(part.Contrast, e)
			} else {
				part.Examples = append(part.Examples, e)
			}
		}
		j, err := t.newJudge(part)
		return j, t.OnTopic(), err
	}
}
