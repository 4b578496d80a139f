package judge

import (
	"encoding/json"
	"fmt"
	"math"

	"dowse"
	"dowse/internal/text"
)

// A Centroid trains the page classifier of Ester, Kriegel and Schubert 2004: each
// class is a few centres, found by k-means, and a page is as likely of a class as
// it is near to the nearest of them.
type Centroid struct {
	Features
	K       int     // centres of a class; 0 means 5
	Literal bool    // the confidence as it is printed, see [Confidence]
	Gamma   float64 // sharpens the confidence; 0 means 1, 2, 4 or 8, by cross-validation
	Folds   int     // of the cross-validation, by site; 0 means 10, Ester et al. 2004
}

// confidence returns how sure it is that a page at the given distances from two
// classes is of the first: the inverses of ln(1 + distance), scaled to sum to 1. It
// falls with the distance and tends to one half far away from both.
//
// The paper prints ln d / Σ ln d, which has these properties for no range of d;
// literal gives that, for distances up to 1.
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

func closeness(d float64) float64 { return -math.Log(min(max(d, 1e-6), 1)) }

// sharpened brings a confidence nearer to 0 or 1.
func sharpened(p, gamma float64) float64 {
	if gamma == 1 {
		return p
	}
	a, b := math.Pow(p, gamma), math.Pow(1-p, gamma)
	return a / (a + b)
}

// Centroids is the judge that [Centroid] trains.
type Centroids struct{ *trained }

// ErrorRate returns the share of the examples that the judge got wrong in
// cross-validation, the p_err of Ester et al. 2004.
func (j *Centroids) ErrorRate() float64 { return j.core.(*centres).ErrorRate }

// Train makes the judge. Its reasons are on the scale [Change].
func (t Centroid) Train(examples []Example) (Model, error) {
	if err := t.trainable(examples); err != nil {
		return nil, fmt.Errorf("judge: centroid: %w", err)
	}
	if t.K < 0 || t.K > maxCentres/2 {
		return nil, fmt.Errorf("judge: centroid: %d centres of a class, 1 to %d are possible", t.K, maxCentres/2)
	}
	s := t.sample(examples)
	in := s.space(s.vocabulary(s.all()))
	c := t.train(s, in)
	return &Centroids{newTrained("centroid", in, c)}, nil
}

func (t Centroid) train(s *sample, in *space) *centres {
	x := s.vectors(in)
	c := t.centres(x, s.wanted, in.size)
	fold, k := t.folds(s)
	ratings := outOfFold(fold, k, func(from []int) func(int) float64 {
		c := t.centres(pick(x, from), pick(s.wanted, from), in.size)
		return func(i int) float64 { return c.rate(x[i]) }
	})
	c.ErrorRate = errorRate(ratings, s.wanted)
	c.Gamma = t.Gamma
	if c.Gamma == 0 {
		c.Gamma = bestGamma(ratings, s.wanted)
	}
	return c
}

// folds deals the examples by site, unless a class would be missing in what is
// learnt from.
func (t Centroid) folds(s *sample) ([]int, int) {
	k := t.Folds
	if k == 0 {
		k = 10
	}
	fold := siteFolds(s.sites, k)
	for f := range k {
		from, rest := split(fold, f)
		if n := wantedIn(s.wanted, from); len(rest) > 0 && (n == 0 || n == len(from)) {
			return folds(s.wanted, k), k
		}
	}
	return fold, k
}

func wantedIn(wanted []bool, of []int) int {
	n := 0
	for _, i := range of {
		if wanted[i] {
			n++
		}
	}
	return n
}

func errorRate(ratings []float64, wanted []bool) float64 {
	wrong := 0
	for i, r := range ratings {
		if (r >= Threshold) != wanted[i] {
			wrong++
		}
	}
	return float64(wrong) / float64(len(ratings))
}

// bestGamma returns the sharpness with the least loss.
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

// centres rate by the nearest centre of each class.
type centres struct {
	Wanted    [][]float64 `json:"wanted"`
	Others    [][]float64 `json:"others"`
	Literal   bool        `json:"literal,omitempty"`
	Gamma     float64     `json:"gamma"`
	ErrorRate float64     `json:"error"`

	norms []float64
	rows  []float64 // the weights of each term in all centres, wanted ones first
}

// maxCentres bounds the centres of both classes.
const maxCentres = 256

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

// products leaves in dots the products with all centres.
func (c *centres) products(dots []float64, v text.Vector) {
	clear(dots)
	for _, e := range v {
		c.addTo(dots, e.Term, e.Weight)
	}
}

func (c *centres) addTo(dots []float64, term int32, weight float64) {
	row := c.rows[int(term)*len(dots):]
	for k := range dots {
		dots[k] += float64(row[k] * weight)
	}
}

// confidence returns the relevance from the products of a vector of some length.
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

// MarshalJSON writes down the terms and the centres.
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
	return &Centroids{newTrained("centroid", s, saved.centres)}, nil
}

// check reports whether centres that were written down can be used.
func (c *centres) check(size int) error {
	all := append(append([][]float64{}, c.Wanted...), c.Others...)
	if len(c.Wanted) == 0 || len(c.Others) == 0 || len(all) > maxCentres {
		return fmt.Errorf("%d and %d centres", len(c.Wanted), len(c.Others))
	}
	for _, row := range all {
		if err := sameLength("weights of a centre", len(row), size); err != nil {
			return err
		}
	}
	if !(c.Gamma > 0 && c.Gamma <= 64) {
		return fmt.Errorf("a gamma of %g", c.Gamma)
	}
	return sane(all...)
}
