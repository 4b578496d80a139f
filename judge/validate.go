package judge

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"dowse"
)

// A Rating is a judge's relevance for an example, with the example's label.
type Rating struct {
	Relevance float64
	Relevant  bool
}

// Quality measures ratings against labels. A share of nothing is 0.
type Quality struct {
	Examples         int
	Relevant         int     // number of examples labelled relevant
	Precision        float64 // relevant share of the examples rated relevant
	Recall           float64 // share of the relevant examples rated relevant
	F1               float64 // harmonic mean of precision and recall
	AveragePrecision float64 // mean precision at the rank of each relevant example
	Brier            float64 // mean squared error of the relevance
	ECE              float64 // expected calibration error: mean |relevance - share relevant| over Reliability, weighted by examples
	Reliability      []Bin   // ten bins of equal width, without empty ones
}

// A Bin holds the examples with a relevance in [From, To); the last bin includes 1.
type Bin struct {
	From, To  float64
	Examples  int
	Relevance float64 // mean relevance as rated
	Relevant  float64 // share labelled relevant
}

// bins is the number of bins of the reliability table.
const bins = 10

// Measure returns the quality of ratings. Examples rated at or above the threshold
// count as rated relevant.
func Measure(ratings []Rating, threshold float64) Quality {
	q := Quality{Examples: len(ratings)}
	var called, right int
	for _, r := range ratings {
		if r.Relevant {
			q.Relevant++
		}
		if r.Relevance >= threshold {
			called++
			right += side(r.Relevant)
		}
		off := r.Relevance - float64(side(r.Relevant))
		q.Brier += float64(off * off)
	}
	q.Precision, q.Recall = share(right, called), share(right, q.Relevant)
	if q.Precision+q.Recall > 0 {
		q.F1 = 2 * q.Precision * q.Recall / (q.Precision + q.Recall)
	}
	if len(ratings) > 0 {
		q.Brier /= float64(len(ratings))
	}
	q.AveragePrecision = averagePrecision(ratings, q.Relevant)
	q.Reliability = reliability(ratings)
	for _, b := range q.Reliability {
		q.ECE += math.Abs(b.Relevance-b.Relevant) * float64(b.Examples) / float64(len(ratings))
	}
	return q
}

func share(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

// averagePrecision treats examples with equal relevance as one rank, so that their
// order does not matter.
func averagePrecision(ratings []Rating, relevant int) float64 {
	if relevant == 0 {
		return 0
	}
	sorted := slices.Clone(ratings)
	slices.SortStableFunc(sorted, func(a, b Rating) int { return cmp.Compare(b.Relevance, a.Relevance) })
	sum, found := 0.0, 0
	for i := 0; i < len(sorted); {
		level, before := sorted[i].Relevance, found
		for ; i < len(sorted) && sorted[i].Relevance == level; i++ {
			found += side(sorted[i].Relevant)
		}
		sum += float64(found-before) * float64(found) / float64(i)
	}
	return sum / float64(relevant)
}

func reliability(ratings []Rating) []Bin {
	var table [bins]Bin
	for _, r := range ratings {
		b := &table[min(int(r.Relevance*bins), bins-1)]
		b.Examples++
		b.Relevance += r.Relevance
		b.Relevant += float64(side(r.Relevant))
	}
	var list []Bin
	for i, b := range table {
		if b.Examples == 0 {
			continue
		}
		b.From, b.To = float64(i)/bins, float64(i+1)/bins
		b.Relevance /= float64(b.Examples)
		b.Relevant /= float64(b.Examples)
		list = append(list, b)
	}
	return list
}

// A Validation is the quality of a trainer's judges on examples that they were not
// trained on.
type Validation struct {
	Name     string
	Ratings  []Rating        // by example
	Verdicts []dowse.Verdict // by example, with reasons
	Quality
	Wrong  []int // numbers of the examples rated wrongly, the worst first
	BySite bool  // all examples of a site were in one fold
}

// A Candidate is a named trainer to compare with others.
type Candidate struct {
	Name    string
	Trainer Trainer
	// Make, if set, is used instead of Trainer, for judges that are more than a model. It returns
	// a judge and its threshold.
	Make func(examples []Example) (dowse.Judge, float64, error)
}

func (c Candidate) train(examples []Example) (dowse.Judge, float64, error) {
	if c.Make != nil {
		return c.Make(examples)
	}
	m, err := c.Trainer.Train(examples)
	if err != nil {
		return nil, 0, err
	}
	return m, m.Threshold(), nil
}

// Compare cross-validates several trainers on the same k folds: of each kind it trains
// k judges, each without one fold, and each rates the fold that it has not seen. Pages
// of one site look alike, so a site is in one fold; if there are too few sites for
// that, the j-th example of its class is in fold j mod k, and BySite is false. It
// needs k ≥ 2 and two examples of each class.
func Compare(candidates []Candidate, examples []Example, k int) ([]Validation, error) {
	fold, bySite, err := validationFolds(examples, k)
	if err != nil {
		return nil, fmt.Errorf("judge: validate: %w", err)
	}
	list := make([]Validation, 0, len(candidates))
	for _, c := range candidates {
		v, err := c.validate(examples, fold, k)
		if err != nil {
			return nil, fmt.Errorf("judge: validate %s: %w", c.Name, err)
		}
		v.BySite = bySite
		list = append(list, v)
	}
	return list, nil
}

func validationFolds(examples []Example, k int) (fold []int, bySite bool, err error) {
	sites := make([]string, len(examples))
	wanted := make([]bool, len(examples))
	relevant := 0
	for i := range examples {
		wanted[i], sites[i] = examples[i].Relevant, examples[i].site()
		relevant += side(wanted[i])
	}
	if k < 2 {
		return nil, false, fmt.Errorf("%d folds (want at least 2)", k)
	}
	if min(relevant, len(examples)-relevant) < 2 {
		return nil, false, errors.New("too few examples (want at least two on topic and two off topic)")
	}
	if fold = evenFolds(sites, wanted, k); teaches(fold, wanted, k) {
		return fold, true, nil
	}
	return folds(wanted, k), false, nil
}

func (c Candidate) validate(examples []Example, fold []int, k int) (Validation, error) {
	v := Validation{Name: c.Name, Ratings: make([]Rating, len(examples)), Verdicts: make([]dowse.Verdict, len(examples))}
	threshold := Threshold
	for f := range k {
		from, rest := split(fold, f)
		if len(rest) == 0 {
			continue
		}
		m, bar, err := c.train(pick(examples, from))
		if err != nil {
			return v, err
		}
		threshold = bar
		for _, i := range rest {
			v.Verdicts[i] = m.Judge(examples[i].page())
			v.Ratings[i] = Rating{v.Verdicts[i].Relevance, examples[i].Relevant}
		}
	}
	v.Quality = Measure(v.Ratings, threshold)
	v.Wrong = wrong(v.Ratings, threshold)
	return v, nil
}

// wrong returns the numbers of the ratings on the wrong side of the threshold, the
// farthest from the label first.
func wrong(ratings []Rating, threshold float64) []int {
	off := func(i int) float64 {
		r := ratings[i]
		return max(float64(side(r.Relevant))-r.Relevance, r.Relevance-float64(side(r.Relevant)))
	}
	var list []int
	for i, r := range ratings {
		if (r.Relevance >= threshold) != r.Relevant {
			list = append(list, i)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(off(b), off(a)) })
	return list
}

// A trade is the recall and precision that a judge has at one threshold.
type trade struct{ Threshold, Recall, Precision float64 }

// Trades returns the precision-recall curve, from the highest threshold down: one
// point per rating level at which a relevant example is found.
func Trades(ratings []Rating) (list []trade) {
	sorted := slices.Clone(ratings)
	slices.SortStableFunc(sorted, func(a, b Rating) int { return cmp.Compare(b.Relevance, a.Relevance) })
	relevant := 0
	for _, r := range sorted {
		relevant += side(r.Relevant)
	}
	for i, found := 0, 0; i < len(sorted); {
		level, before := sorted[i].Relevance, found
		for ; i < len(sorted) && sorted[i].Relevance == level; i++ {
			found += side(sorted[i].Relevant)
		}
		if found > before {
			list = append(list, trade{level, share(found, relevant), share(found, i)})
		}
	}
	return list
}
