package judge

import (
	"encoding/json"
	"fmt"
	"math"

	"dowse"
	"dowse/internal/text"
)

// A Centroid trains the page classifier of Ester, Kriegel and Schubert 2004. Each
// class is described by K centres, found by [kmeans] over TF-IDF vectors of length 1,
// and the relevance of a page compares its distance to the nearest wanted centre with
// its distance to the nearest other one. Several centres per class, because a topic of
// the web is rarely one cloud of words: shops, manuals and clubs about the same thing
// share few terms.
//
// Training costs one run of k-means per fold plus one; a page costs one multiplication
// per term and centre.
type Centroid struct {
	Features
	K       int     // centres per class, at most maxCentres/2; default 5
	Literal bool    // use the formula as the paper prints it, see confidence
	Gamma   float64 // exponent that sharpens the confidence; 0 selects 1 to 32 by cross-validation
	Folds   int     // folds of the cross-validation, by site; default 10 (Ester et al. 2004)
}

// confidence returns the probability that a page belongs to the first of two classes,
// from its distances d1 and d2 to them:
//
//	(1/ln(1+d1)) / (1/ln(1+d1) + 1/ln(1+d2)) = ln(1+d2) / (ln(1+d1) + ln(1+d2))
//
// It falls as d1 grows, and is one half where both distances are equal.
//
// The paper prints ln d / Σ ln d, which has these properties for no range of d. With
// literal set, confidence computes -ln d / Σ -ln d, the reading of it that is usable
// for distances up to 1.
func confidence(first, second float64, literal bool) float64 {
	if literal {
		a, b := closeness(first), closeness(second)
		if a+b == 0 {
			return 0.5
		}
		return a / (a + b)
	}
	a, b := math.Log1p(first), math.Log1p(second)
	if a+b == 0 {
		return 0.5
	}
	return b / (a + b)
}

// closeness is -ln d, with d limited to 1e-6 .. 1 so that the result is finite and not
// negative.
func closeness(d float64) float64 { return -math.Log(min(max(d, 1e-6), 1)) }

// sharpened moves a probability towards 0 or 1: p^γ / (p^γ + (1-p)^γ), which
// multiplies the log-odds by γ. One half stays one half, so sharpening never changes a
// decision, only how far the ratings spread.
func sharpened(p, gamma float64) float64 {
	if gamma == 1 {
		return p
	}
	a, b := math.Pow(p, gamma), math.Pow(1-p, gamma)
	return a / (a + b)
}

// Centroids is the judge that [Centroid] trains.
type Centroids struct {
	*trained

	// Mixed reports that the error rate comes from folds by page and not by site, since
	// there were too few sites of one class. Pages of one site were then on both sides, so
	// the true error rate is higher. It is known after training only, and not saved.
	Mixed bool
}

// ErrorRate returns the share of the training examples that the judge got wrong in
// cross-validation: p_err in Ester et al. 2004, where a crawl uses it to discount
// single verdicts.
func (j *Centroids) ErrorRate() float64 { return j.core.(*centres).ErrorRate }

// Train clusters the examples and returns a *[Centroids]. The reasons of its verdicts
// are on the scale [Change], because the nearest centre changes with the terms and
// nothing adds up.
func (t Centroid) Train(examples []Example) (Model, error) {
	if err := t.trainable(examples); err != nil {
		return nil, fmt.Errorf("judge: centroid: %w", err)
	}
	if t.K < 0 || t.K > maxCentres/2 {
		return nil, fmt.Errorf("judge: centroid: %d centres per class (want 1 to %d)", t.K, maxCentres/2)
	}
	s := t.sample(examples)
	in := s.space(s.vocabulary(s.all()))
	c, mixed := t.train(s, in)
	return &Centroids{trained: newTrained("centroid", in, c), Mixed: mixed}, nil
}

// train clusters all examples, then once more without each fold, and takes the error
// rate and the sharpness from the ratings of the left-out examples. Judged by its own
// training data, k-means would look perfect as soon as there is a centre for every
// page.
func (t Centroid) train(s *sample, in *space) (c *centres, mixed bool) {
	x := s.vectors(in)
	c = t.centres(x, s.wanted, in.size)
	fold, k, mixed := t.folds(s)
	ratings := outOfFold(fold, k, func(from []int) func(int) float64 {
		c := t.centres(pick(x, from), pick(s.wanted, from), in.size)
		return func(i int) float64 { return c.rate(x[i]) }
	})
	c.ErrorRate = errorRate(ratings, s.wanted)
	c.Gamma = t.Gamma
	if c.Gamma == 0 {
		c.Gamma = bestGamma(ratings, s.wanted)
	}
	return c, mixed
}

// folds assigns examples to folds by site. Where that would leave some fold's training
// data with one class only (few sites), it falls back to folds by class, and reports that
// sites are mixed.
func (t Centroid) folds(s *sample) (fold []int, k int, mixed bool) {
	if k = t.Folds; k == 0 {
		k = 10
	}
	fold = siteFolds(s.sites, k)
	for f := range k {
		from, rest := split(fold, f)
		if n := wantedIn(s.wanted, from); len(rest) > 0 && (n == 0 || n == len(from)) {
			return folds(s.wanted, k), k, true
		}
	}
	return fold, k, false
}

// wantedIn counts the examples on topic among those with the given numbers.
func wantedIn(wanted []bool, of []int) int {
	n := 0
	for _, i := range of {
		if wanted[i] {
			n++
		}
	}
	return n
}

// errorRate returns the share of ratings on the wrong side of [Threshold].
func errorRate(ratings []float64, wanted []bool) float64 {
	wrong := 0
	for i, r := range ratings {
		if (r >= Threshold) != wanted[i] {
			wrong++
		}
	}
	return float64(wrong) / float64(len(ratings))
}

// bestGamma returns the exponent with the least cross-entropy on left-out examples.
// Powers of two up to 32 suffice: between neighbours the loss hardly differs.
func bestGamma(ratings []float64, wanted []bool) float64 {
	best, least := 1.0, math.Inf(1)
	for _, gamma := range []float64{1, 2, 4, 8, 16, 32} {
		loss := 0.0
		for i, r := range ratings {
			p := sharpened(r, gamma)
			if !wanted[i] {
				p = 1 - p
			}
			loss -= math.Log(max(p, 1e-12))
		}
		if loss < least {
			best, least = gamma, loss
		}
	}
	return best
}

// centres clusters each class separately. It scales the vectors of x to length 1 in
// place.
func (t Centroid) centres(x []text.Vector, wanted []bool, size int) *centres {
	k := t.K
	if k == 0 {
		k = 5
	}
	var classes [2][]text.Vector
	for i, v := range x {
		v.Normalize()
		classes[side(wanted[i])] = append(classes[side(wanted[i])], v)
	}
	c := &centres{Literal: t.Literal, Gamma: 1}
	c.Wanted, _ = kmeans(classes[1], k, size)
	c.Others, _ = kmeans(classes[0], k, size)
	c.prepare()
	return c
}

// centres rates a vector by the nearest centre of each class. The exported fields are
// what a saved judge contains; prepare computes the others from them.
type centres struct {
	Wanted    [][]float64 `json:"wanted"`
	Others    [][]float64 `json:"others"`
	Literal   bool        `json:"literal,omitempty"`
	Gamma     float64     `json:"gamma"`
	ErrorRate float64     `json:"error"`

	norms []float64 // by centre: its length
	rows  []float64 // by term: its weight in every centre, wanted ones first
}

// maxCentres limits the centres of both classes together, so that a rating can keep
// its products on the stack.
const maxCentres = 256

// prepare computes norms and rows. The centres are transposed into one array, term by
// term, because a page has few terms: all weights that a term needs are then next to
// each other in memory.
func (c *centres) prepare() {
	all := append(append([][]float64{}, c.Wanted...), c.Others...)
	c.norms = make([]float64, len(all))
	size := 0
	if len(all) > 0 {
		size = len(all[0])
	}
	c.rows = make([]float64, size*len(all))
	for k, row := range all {
		c.norms[k] = norm(row)
		for t, w := range row {
			c.rows[t*len(all)+k] = w
		}
	}
}

// products sets dots[k] to the inner product of v with centre k, wanted centres first.
func (c *centres) products(dots []float64, v text.Vector) {
	clear(dots)
	for _, e := range v {
		c.addTo(dots, e.Term, e.Weight)
	}
}

// addTo adds to all products what one term contributes. A negative weight takes the
// term out again.
func (c *centres) addTo(dots []float64, term int32, weight float64) {
	row := c.rows[int(term)*len(dots):]
	for k := range dots {
		dots[k] += float64(row[k] * weight)
	}
}

// confidence returns the relevance of a vector with the given products and length. A
// vector without terms has distance 1 from everything and is rated one half.
func (c *centres) confidence(dots []float64, length float64) float64 {
	near := [2]float64{1, 1}
	for k, dot := range dots {
		s := side(k < len(c.Wanted))
		near[s] = min(near[s], distance(dot, length, c.norms[k]))
	}
	return sharpened(confidence(near[1], near[0], c.Literal), c.Gamma)
}

func (c *centres) rate(v text.Vector) float64 {
	var space [maxCentres]float64
	dots := space[:len(c.norms)]
	c.products(dots, v)
	return c.confidence(dots, v.Norm())
}

func (c *centres) explain(v text.Vector, r *pageReading) (float64, string, []dowse.Because) {
	return explainChanges(c, v, r)
}

// leaveOut sets out[i] to the rating of v without its entry i. It subtracts the entry
// from products and length instead of rating each shorter vector, so all of them cost
// no more than two ratings.
func (c *centres) leaveOut(v text.Vector, out []float64) {
	var with, without [maxCentres]float64
	n := len(c.norms)
	c.products(with[:n], v)
	squares := v.Dot(v)
	for i, e := range v {
		copy(without[:n], with[:n])
		c.addTo(without[:n], e.Term, -e.Weight)
		length := math.Sqrt(max(squares-float64(e.Weight*e.Weight), 0))
		if len(v) == 1 {
			length = 0
		}
		out[i] = c.confidence(without[:n], length)
	}
}

// MarshalJSON returns the terms, the centres and the measured error rate as JSON.
func (j *Centroids) MarshalJSON() ([]byte, error) {
	return json.Marshal(savedCentroid{save(j.space), j.core.(*centres)})
}

type savedCentroid struct {
	savedSpace
	*centres
}

func loadCentroid(data []byte) (Model, error) {
	saved := savedCentroid{centres: &centres{}}
	s, err := saved.load(data, &saved)
	if err != nil {
		return nil, err
	}
	if err := saved.centres.check(s.size); err != nil {
		return nil, err
	}
	saved.prepare()
	return &Centroids{trained: newTrained("centroid", s, saved.centres)}, nil
}

// check reports why centres that were read from a file cannot be used: too many or
// none, a wrong length, or numbers that would overflow.
func (c *centres) check(size int) error {
	all := append(append([][]float64{}, c.Wanted...), c.Others...)
	if len(c.Wanted) == 0 || len(c.Others) == 0 || len(all) > maxCentres {
		return fmt.Errorf("%d wanted and %d other centres", len(c.Wanted), len(c.Others))
	}
	for _, row := range all {
		if err := sameLength("weights of a centre", len(row), size); err != nil {
			return err
		}
	}
	if !(c.Gamma > 0 && c.Gamma <= 64) {
		return fmt.Errorf("gamma is %g (want more than 0, at most 64)", c.Gamma)
	}
	return sane(all...)
}
