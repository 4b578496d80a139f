package topic

import "dowse/judge"

// Told returns how well examples on topic are told from the pages that stand in for
// others: the share of pairs in which the example gets the higher rating, where the judge
// knew neither of the two. One half is what chance gives. It tells nothing, and reports
// false, where there are fewer than two of either.
//
// Examples and pages are dealt into at most five parts, and as many judges are trained; the
// deal hangs on nothing but their order.
func (t *Topic) Told(m *Material) (share float64, ok bool, err error) {
	on, _ := m.Counts()
	pages := t.StandIns(m)
	folds := min(unseenFolds, on, len(pages))
	if folds < 2 {
		return 0, false, nil
	}
	pairs := 0
	for fold := range folds {
		known, unknown := foldOf(m.Examples, fold, folds)
		others, apart := dealt(pages, fold, folds)
		model, err := judge.Logistic{Language: t.Language()}.Train(append(known, others...))
		if err != nil {
			return 0, false, err
		}
		share += above(ratings(model, unknown), ratings(model, apart))
		pairs += len(unknown) * len(apart)
	}
	return share / float64(pairs), true, nil
}

// dealt sets every so manieth page apart.
func dealt(pages []judge.Example, fold, folds int) (rest, apart []judge.Example) {
	for i, e := range pages {
		if i%folds == fold {
			apart = append(apart, e)
		} else {
			rest = append(rest, e)
		}
	}
	return rest, apart
}

func ratings(m judge.Model, list []judge.Example) (r []float64) {
	for _, p := range pagesOf(list) {
		r = append(r, m.Judge(p).Relevance)
	}
	return r
}

// above counts the pairs in which the first is higher; equal ones count half.
func above(first, second []float64) (n float64) {
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
