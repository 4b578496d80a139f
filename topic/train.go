package topic

import (
	"math"
	"slices"

	"dowse/judge"
)

// How few examples are treated. All of it was found on the tuning topics of
// Wikispeedia: docs/judges.md has the figures.
const (
	enoughOn  = 3   // examples on topic from which no stand-ins are needed, if others are twice as many
	enoughOff = 30  // others, with the stand-ins, where they are
	perText   = 2   // pages seen in a crawl that stand in for an everyday text
	strange   = 1.7 // log-odds by which stand-ins make a judge too sure, as they are unlike any page of the crawl

	besideModel = 0.5  // weight of words beside what was learnt
	wordsZero   = -2.5 // log-odds of words that tell nothing beside it: a page with hardly a sign
)

// contrastNeeded returns how many pages that are not on topic must stand in where so
// many examples are on topic, and so many not. Judges are trained on two others for
// one page on topic, as Wang et al. 2009 do; with very few examples on many more.
func contrastNeeded(on, off int) int {
	if on >= enoughOn && off >= 2*on {
		return 0
	}
	return max(enoughOff, 2*on) - min(off, max(enoughOff, 2*on))
}

// train makes the judge that examples, and contrast where it is needed, teach.
func (t *Topic) train(m *Material) (judge.Model, error) {
	return judge.Logistic{Language: t.Language()}.Train(slices.Concat(m.Examples, t.StandIns(m)))
}

// StandIns returns the pages that stand in for examples that are not on topic, where
// there are too few of them, as the topic's own training takes them.
func (t *Topic) StandIns(m *Material) []judge.Example {
	need := contrastNeeded(m.Counts())
	if m.seen() {
		need *= perText
	}
	list := m.Contrast
	if len(list) == 0 && need > 0 {
		list, _ = everyday(t.Language())
	}
	return list[:min(need, len(list))]
}

// zeroOf returns the zero that is known of what was trained, or works it out.
func (t *Topic) zeroOf(m *Material) float64 {
	if m.Zero != nil && m.Trained != nil {
		return *m.Zero
	}
	return t.learntZero(m)
}

// learntZero returns the log-odds that a judge of these examples gives a page of which
// it knows nothing either way. With one example on topic there is nothing to calibrate
// by, and the numbers of both kinds stand in the way; with stand-ins it is too sure. And
// a judge that would not find half of its own examples, had it not seen them, is too
// shy, as happens when examples are few, or contradict each other.
func (t *Topic) learntZero(m *Material) float64 {
	on, off := m.Counts()
	in := len(t.StandIns(m))
	if on == 0 || off+in == 0 {
		return 0
	}
	zero := 0.0
	if len(m.Contrast) == 0 || m.everyday {
		zero = strange * float64(in) / float64(off+in)
	}
	if on == 1 {
		return zero - math.Log(float64(off+in))
	}
	return min(zero, t.medianUnseen(m))
}

// unseenFolds is into how many parts examples are cut to be judged by what was learnt
// from the others.
const unseenFolds = 5

// medianUnseen returns the log-odds that the examples on topic get in the middle from
// judges that have not seen them.
func (t *Topic) medianUnseen(m *Material) float64 {
	var odds []float64
	on, _ := m.Counts()
	for fold := range min(unseenFolds, on) {
		seen, unseen := foldOf(m.Examples, fold, min(unseenFolds, on))
		model, err := t.train(&Material{Examples: seen, Contrast: m.Contrast, ContrastOf: m.ContrastOf, everyday: m.everyday})
		if err != nil {
			return 0
		}
		for _, e := range unseen {
			odds = append(odds, logit(model.Judge(e.Page).Relevance))
		}
	}
	slices.Sort(odds)
	return odds[len(odds)/2]
}

// foldOf leaves out every so manieth example on topic.
func foldOf(examples []judge.Example, fold, folds int) (seen, unseen []judge.Example) {
	n := 0
	for _, e := range examples {
		if e.Relevant {
			n++
		}
		if e.Relevant && n%folds == fold {
			if e.Page == nil {
				e.Page = textPage(e.Text)
			}
			unseen = append(unseen, e)
		} else {
			seen = append(seen, e)
		}
	}
	return seen, unseen
}
