package topic

import "dowse/judge"

// Separation returns how well the judge separates positive examples from the
// substitutes for negative ones: the share of pairs in which the example has
// the higher rating, by judges that have seen neither (the area under the ROC
// curve). Chance gives one half. With fewer than two of either it reports
// false.
//
// Examples and pages are divided into at most five folds, and as many judges
// are trained; the division depends on their order only.
func (t *Topic) Separation(m *Material) (share float64, ok bool, err error) {
	on, _ := m.Counts()
	pages := t.Substitutes(m)
	folds := min(unseenFolds, on, len(pages))
	if folds < 2 {
		return 0, false, nil
	}
	pairs := 0
	for fold := range folds {
		known, unknown := foldOf(m.Examples, fold, folds)
		others, apart := splitPages(pages, fold, folds)
		model, err := judge.Logistic{Language: t.Language()}.Train(append(known, others...))
		if err != nil {
			return 0, false, err
		}
		share += countAbove(ratings(model, unknown), ratings(model, apart))
		pairs += len(unknown) * len(apart)
	}
	return share / float64(pairs), true, nil
}

// splitPages sets every folds-th page apart.
func splitPages(pages []judge.Example, fold, folds int) (rest, apart []judge.Example) {
	for i, e := range pages {
		if i%folds == fold {
			apart = append(apart, e)
		} else {
			rest = append(rest, e)
		}
	}
	return rest, apart
}

// ratings returns how a model rates the pages of examples.
func ratings(m judge.Model, list []judge.Example) (r []float64) {
	for _, p := range pagesOf(list) {
		r = append(r, m.Judge(p).Relevance)
	}
	return r
}

// countAbove counts the pairs in which the first value is higher; equal ones
// count half.
func countAbove(first, second []float64) (n float64) {
	for _, a := range first {
		for _, b := range second {
			switch {
			case a > b:
				n++
			case a == b:
				n += 0.5
			}
		}
	}
	return n
}
