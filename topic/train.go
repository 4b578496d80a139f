package topic

import (
	"dowse/judge"
)

// contrastNeeded returns how many pages that are not on topic must stand in where so
// many examples are on topic, and so many not: judges are trained on two others for
// one page on topic, as Wang et al. 2009 do.
func contrastNeeded(on, off int) int { return max(2*on-off, 0) }

// train makes the judge that examples, and contrast where it is needed, teach.
func (t *Topic) train(m *Material) (judge.Model, error) {
	return judge.Logistic{Language: t.Language()}.Train(t.trainingSet(m))
}

// trainingSet returns the examples, with contrast where it is needed.
func (t *Topic) trainingSet(m *Material) []judge.Example {
	need := contrastNeeded(m.Counts())
	contrast := m.Contrast
	if len(contrast) == 0 && need > 0 {
		contrast = everyday()
	}
	return append(m.Examples[:len(m.Examples):len(m.Examples)], contrast[:min(need, len(contrast))]...)
}
