package collection

import (
	"cmp"
	"math"
	"slices"

	"dowse"
	"dowse/judge"
)

// What a page's relevance comes to.
const (
	VerdictOn     = "on"
	VerdictOff    = "off"
	VerdictUnsure = "unsure" // near the threshold, on either side
)

// unsureWithin is how near to the threshold a judge's opinion is worth a look.
const unsureWithin = 0.15

func verdictOf(relevance, threshold float64) string {
	switch {
	case math.Abs(relevance-threshold) < unsureWithin:
		return VerdictUnsure
	case relevance >= threshold:
		return VerdictOn
	}
	return VerdictOff
}

// A Ruling is a judge's verdict with what would have changed it.
type Ruling struct {
	Relevance float64 `json:"relevance"`
	OnTopic   bool    `json:"on_topic"`
	Verdict   string  `json:"verdict"`
	Threshold float64 `json:"threshold"`
	Scale     string  `json:"scale"` // what the weights add up on: see package judge
	Judge     string  `json:"judge"`
	Because   []Part  `json:"because"` // the strongest first; the weights of all add up to the relevance
}

// A Part is one reason of a ruling.
type Part struct {
	Cause
	Without float64 `json:"without"` // what the relevance would be if it were absent
	Flips   bool    `json:"flips"`   // whether that alone would change the verdict
}

// Flips lists the reasons whose absence alone would change the verdict.
func (r *Ruling) Flips() (list []Part) {
	for _, p := range r.Because {
		if p.Flips {
			list = append(list, p)
		}
	}
	return list
}

func (c *Collection) ruling(v dowse.Verdict) *Ruling { return RulingOf(v, c.threshold()) }

// RulingOf returns a verdict with what would have changed it, where pages are on topic
// from a threshold on.
func RulingOf(v dowse.Verdict, threshold float64) *Ruling {
	r := &Ruling{
		Relevance: finite(v.Relevance), Threshold: threshold, Scale: v.Scale, Judge: v.Judge,
		OnTopic: v.Relevance >= threshold, Verdict: verdictOf(v.Relevance, threshold),
		Because: make([]Part, len(v.Because)),
	}
	for i, cause := range causes(v.Because) {
		without := finite(judge.Without(v, i))
		r.Because[i] = Part{cause, without, (without >= r.Threshold) != r.OnTopic}
	}
	slices.SortStableFunc(r.Because, func(a, b Part) int { return cmp.Compare(math.Abs(b.Weight), math.Abs(a.Weight)) })
	return r
}
