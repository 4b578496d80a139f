package judge

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"dowse"
)

// A Rating is what a judge said of an example, and what is true.
type Rating struct {
	Relevance float64
	Relevant  bool
}

// Quality tells how good ratings are. Shares of nothing are 0.
type Quality struct {
	Examples         int
	Relevant         int     // of them
	Precision        float64 // share of what the judge called relevant that is
	Recall           float64 // share of what is relevant that the judge called so
	F1               float64 // their harmonic mean
	AveragePrecision float64 // mean of the precision at each relevant example, the best rated first
	Brier            float64 // mean of the squared error of the relevance
	ECE              float64 // mean distance of relevance and share of relevant ones over Reliability, by examples
	Reliability      []Bin   // ten bins of equal width, those with nothing in them left out
}

// A Bin holds the examples with a relevance in [From, To), the last one 1 as well.
type Bin struct {
	From, To  float64
	Examples  int
	Relevance float64 // their mean relevance as rated
	Relevant  float64 // the share of them that are relevant
}

// bins of the reliability table.
const bins = 10

// Measure returns the quality of ratings, of which those from the threshold on call
// an example relevant.
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

// averagePrecision takes examples with the same relevance together, so that their
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

// A Validation is how good the judges of a trainer are on examples that they have
// not seen.
type Validation struct {
	Name     string
	Ratings  []Rating        // by example
	Verdicts []dowse.Verdict // by example, with the reasons
	Quality
	Wrong  []int // the examples that it gets wrong, the worst first
	BySite bool  // all examples of a site were in one fold
}

// A Candidate is a trainer with a name, to be compared with others.
type Candidate struct {
	Name    string
	Trainer Trainer
	// Make stands in for Trainer where what is made is more than a model: it returns a
	// judge, and the relevance from which it calls a page relevant.
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

// Compare validates several trainers on the same k folds: it trains k judges of each kind,
// every one without one fold of the examples, and has each rate the fold that it was not
// trained on. Pages of one site look alike, so they are in one fold, unless there are too few
// sites: then the j-th example of its kind is in fold j mod k. There must be at least two
// examples of either kind, and two folds.
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
		return nil, false, fmt.Errorf("%d folds, at least two are needed", k)
	}
	if min(relevant, len(examples)-relevant) < 2 {
		return nil, false, errors.New("at least two examples on topic and two others are needed")
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
// farthest from the truth first.
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

// A Trade is what a judge would do at one threshold: the share of the relevant
// examples that it would find, and of what it would call relevant that is.
type Trade struct{ Threshold, Recall, Precision float64 }

// Trades returns how precision and recall go against each other, from the highest
// rating down, a step to each level at which an example is relevant.
func Trades(ratings []Rating) (list []Trade) {
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
			list = append(list, Trade{level, share(found, relevant), share(found, i)})
		}
	}
	return list
}
