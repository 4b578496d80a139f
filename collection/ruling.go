package collection

import (
	"cmp"
	"math"
	"slices"

	"dowse"
	"dowse/internal/facts"
	"dowse/judge"
)

// A Ruling is a judge's verdict with what would have changed it.
type Ruling struct {
	Relevance float64 `json:"relevance" doc:"how relevant the judge rates the page, from 0 to 1"`
	OnTopic   bool    `json:"on_topic" doc:"whether the relevance reaches the threshold"`
	Verdict   string  `json:"verdict" doc:"on, off, or unsure near the threshold"`
	Threshold float64 `json:"threshold" doc:"the relevance from which pages are on topic"`
	Scale     string  `json:"scale" doc:"what the weights add up on: share, log-odds, cosine or change"`
	Judge     string  `json:"judge" doc:"name and version of the judge"`
	Because   []Part  `json:"because" doc:"the reasons, the strongest first"`
}

// A Part is one reason of a ruling.
type Part struct {
	Cause
	Without float64 `json:"without" doc:"what the relevance would be without it"`
	Flips   bool    `json:"flips" doc:"whether that alone would change the verdict"`
}

func (c *Collection) ruling(v dowse.Verdict) *Ruling { return RulingOf(v, c.Threshold()) }

// RulingOf returns a verdict with what would have changed it, where pages are on topic
// from a threshold on.
func RulingOf(v dowse.Verdict, threshold float64) *Ruling {
	r := &Ruling{
		Relevance: facts.Finite(v.Relevance), Threshold: threshold, Scale: v.Scale, Judge: v.Judge,
		OnTopic: v.Relevance >= threshold, Verdict: facts.VerdictOf(v.Relevance, threshold),
		Because: make([]Part, len(v.Because)),
	}
	for i, cause := range facts.Causes(v.Because) {
		without := facts.Finite(judge.Without(v, i))
		r.Because[i] = Part{cause, without, (without >= r.Threshold) != r.OnTopic}
	}
	slices.SortStableFunc(r.Because, func(a, b Part) int { return cmp.Compare(math.Abs(b.Weight), math.Abs(a.Weight)) })
	return r
}
