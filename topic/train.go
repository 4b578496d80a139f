package topic

import (
	"math"
	"slices"

	"dowse/judge"
)

// How few examples are handled. The values were tuned on topics of Wikispeedia;
// docs/judges.md has the figures.
const (
	enoughOn  = 3   // positive examples from which no substitutes are needed, if there are twice as many negative ones
	enoughOff = 30  // negative examples including substitutes, if there are any
	perText   = 2   // pages seen in a crawl that replace an everyday text
	strange   = 1.7 // log-odds by which everyday texts make a judge too confident, as they are unlike any page of the crawl
	easy      = 0.6 // log-odds by which pages seen in the crawl do: those that are drawn are the ones farthest from the topic
	cautious  = 0.5 // share of the distance by which a judge that is too cautious is corrected, if it was trained against pages seen

	wordsWeight = 0.5  // weight of words next to a model
	wordsZero   = -2.5 // neutral log-odds of words next to a model: those of a page with hardly a sign
)

// contrastNeeded returns how many substitutes for negative examples are needed,
// given the numbers of positive and negative ones. Judges are trained on two
// negative examples per positive one, as in Wang et al. 2009; with very few
// examples on many more.
func contrastNeeded(on, off int) int {
	if on >= enoughOn && off >= 2*on {
		return 0
	}
	return max(enoughOff, 2*on) - min(off, max(enoughOff, 2*on))
}

// train trains a logistic model on the examples and the substitutes.
func (t *Topic) train(m *Material) (judge.Model, error) {
	return judge.Logistic{Language: t.Language()}.Train(slices.Concat(m.Examples, t.Substitutes(m)))
}

// Substitutes returns the pages that are used as negative examples in addition
// to the labelled ones, as the topic's own training uses them.
func (t *Topic) Substitutes(m *Material) []judge.Example {
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

// zeroOf returns the stored zero of a trained model, or computes it.
func (t *Topic) zeroOf(m *Material) float64 {
	if m.Zero != nil && m.Trained != nil {
		return *m.Zero
	}
	return t.learntZero(m)
}

// learntZero returns the log-odds that a judge of these examples gives a page
// about which it knows nothing. With one positive example there is nothing to
// calibrate by, and the ratio of the classes would dominate; with everyday
// texts, and with pages drawn from the crawl, the judge is too confident. A judge that would not find half of its own
// examples, had it not seen them, is too cautious, as happens if examples are
// few or contradict each other; the median of unseen examples bounds the zero
// then. Against pages of a crawl, where ratings mean more, it bounds it by half:
// the median of a few examples is itself uncertain.
func (t *Topic) learntZero(m *Material) float64 {
	on, off := m.Counts()
	in := len(t.Substitutes(m))
	if on == 0 || off+in == 0 {
		return 0
	}
	zero, share := 0.0, float64(in)/float64(off+in)
	switch {
	case len(m.Contrast) == 0 || m.everyday:
		zero = strange * share
	case m.ContrastOf == OfCrawl:
		zero = easy * share
	}
	if on == 1 {
		return zero - math.Log(float64(off+in))
	}
	unseen := t.medianUnseen(m)
	if m.ContrastOf == OfCrawl && unseen < 0 {
		unseen *= cautious
	}
	return min(zero, unseen)
}

// unseenFolds is the number of folds for judging examples by models that have
// not seen them.
const unseenFolds = 5

// medianUnseen returns the median log-odds of positive examples by judges that
// have not seen them.
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

// foldOf leaves out every folds-th positive example.
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
