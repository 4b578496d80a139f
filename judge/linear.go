package judge

import (
	"encoding/json"

	"dowse"
	"dowse/text"
)

// linear rates by a weighted sum on the scale of log-odds: r = sigmoid(Bias + Σ
// weight·x). It is the core of every judge whose decision is a hyperplane, and the
// cheapest one: one multiplication per term.
type linear struct {
	Bias    float64   `json:"bias"`
	Weights []float64 `json:"weights"` // by term
}

func (l *linear) rate(v text.Vector) float64 { return sigmoid(l.Bias + v.DotDense(l.Weights)) }

func (l *linear) explain(v text.Vector, r *pageReading) (float64, string, []dowse.Because) {
	for _, e := range v {
		r.reasons.add(e.Term, float64(e.Weight*l.Weights[e.Term]))
	}
	return l.rate(v), LogOdds, []dowse.Because{{What: "bias", Weight: l.Bias}}
}

// leaveOut sets out[i] to the rating of v without its entry i.
func (l *linear) leaveOut(v text.Vector, out []float64) {
	z := l.Bias + v.DotDense(l.Weights)
	for i, e := range v {
		out[i] = sigmoid(z - float64(e.Weight*l.Weights[e.Term]))
	}
}

// A linearJudge is a judge with one weight per term: a support vector machine or
// multinomial naive Bayes.
type linearJudge struct{ *trained }

// MarshalJSON returns the terms and their weights as JSON.
func (j linearJudge) MarshalJSON() ([]byte, error) {
	return json.Marshal(savedLinear{save(j.space), j.core.(*linear)})
}

type savedLinear struct {
	savedSpace
	*linear
}

// linearLoader returns the function that loads linear judges of a kind.
func linearLoader(kind string) func(data []byte) (Model, error) {
	return func(data []byte) (Model, error) {
		saved := savedLinear{linear: &linear{}}
		s, err := saved.load(data, &saved)
		if err != nil {
			return nil, err
		}
		if err := saved.linear.check(s.size); err != nil {
			return nil, err
		}
		return linearJudge{newTrained(kind, s, saved.linear)}, nil
	}
}

// check reports why weights that were read from a file cannot be used.
func (l *linear) check(size int) error {
	if err := sameLength("weights", len(l.Weights), size); err != nil {
		return err
	}
	return sane(l.Weights, []float64{l.Bias})
}
