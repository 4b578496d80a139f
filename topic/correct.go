package topic

import (
	"dowse/judge"
)

// Correct corrects the judge that m gives by labels of people, and leaves the corrected
// model and its zero in m for [Topic.NewJudge]. What the judge was before, by words,
// examples or growth, is the prior: few labels change little, and the base rate stays that
// of the judge, since labelled pages are no random sample of the pages seen (see
// [judge.Online.Corrected]).
//
// Pages seen in the crawl show what all pages have in common, and how rare words are if m has
// nothing that was learnt. It returns the log-odds of each labelled page by the judge before and by one that was corrected without its
// label, to compare them by. It returns no trial, and m is unchanged, for a judge that can't
// be corrected: one that is a where alone, or that was trained by another method. Labels
// are then further examples.
func (t *Topic) Correct(m *Material, labels []judge.Example, seen []Seen) (*judge.Trial, error) {
	prior, err := t.newJudge(m)
	if err != nil || !prior.correctable() {
		return nil, err
	}
	part := *m
	part.Temperature = 0 // labels correct what was learnt; the temperature applies to the result
	if part.Trained, part.Zero, err = prior.learnt(t); err != nil {
		return nil, err
	}
	if prior, err = t.newJudge(&part); err != nil {
		return nil, err
	}
	prior.gate = nil // it decides by facts, which no correction of words can replace
	model := part.Trained.(*judge.Online)
	rest := make([]float64, len(labels))
	for i, p := range pagesOf(labels) {
		rest[i] = logit(prior.Judge(p).Relevance) - logit(model.Judge(p).Relevance)
	}
	var others []judge.Example
	for _, s := range seen {
		others = append(others, judge.Example{Page: s.Page})
	}
	fixed, trial := model.Corrected(labels, rest, others)
	m.Trained, m.Zero = fixed, part.Zero
	return &trial, nil
}

// correctable reports whether a linear model can be added to the judge without changing
// which pages it calls relevant. A where that decides by itself does so only while there
// is no model next to it.
func (j *Judge) correctable() bool {
	if j.model != nil {
		_, ok := j.model.(*judge.Online)
		return ok
	}
	return len(j.evidence) > 0 && (j.gate == nil || !j.gate.decides || len(j.models()) > 0)
}

// learnt returns the model of the judge and its zero. A judge without one gets a model that
// knows nothing, with the zero at which words next to a model have the threshold that they
// have alone.
func (j *Judge) learnt(t *Topic) (judge.Model, *float64, error) {
	zero := j.zero
	if j.model != nil {
		return j.model, &zero, nil
	}
	if j.words && len(j.models()) == 0 {
		zero = -wordsWeight * wordsZero
	}
	model, err := judge.Logistic{Language: t.Language()}.Train(nil)
	return model, &zero, err
}
