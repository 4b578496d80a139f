package judge

import (
	"slices"

	"dowse/internal/text"
)

// Pages are examples that were read once. Judges can be trained on parts of them, and rate
// them, without reading a text again: a judge that grows in rounds is trained several times
// on nearly the same pages. They do not change, and may be used by many goroutines.
type Pages struct {
	made   Logistic
	bags   []bag
	counts []text.Vector // by example: counts by slot
}

// Read reads examples, whose labels make no difference. It returns an error for parameters
// out of range.
func (t Logistic) Read(examples []Example) (*Pages, error) {
	j, err := t.untrained()
	if err != nil {
		return nil, err
	}
	p := &Pages{made: j.made, bags: t.features().sample(examples).bags}
	p.counts = make([]text.Vector, len(p.bags))
	for i, b := range p.bags {
		p.counts[i] = j.space.count(b)
	}
	return p, nil
}

// all returns the numbers of all examples.
func (p *Pages) all() []int {
	list := make([]int, len(p.bags))
	for i := range list {
		list[i] = i
	}
	return list
}

// Train returns the judge that [Logistic.Train] makes of the numbered examples: first those
// on topic, then those off topic.
func (p *Pages) Train(on, off []int) *Online {
	wanted := make([]bool, len(on)+len(off))
	for i := range on {
		wanted[i] = true
	}
	return p.train(slices.Concat(on, off), wanted)
}

// train trains a judge on the numbered examples. The calibration needs two examples on topic
// and one off topic.
func (p *Pages) train(of []int, wanted []bool) *Online {
	j, err := p.made.untrained()
	if err != nil {
		panic(err) // Read checked the parameters
	}
	for _, i := range of {
		j.nameAll(p.bags[i].terms)
	}
	counts := pick(p.counts, of)
	j.state.train(j.made, counts, wanted)
	if n := kinds(wanted, nil); n[1] > 1 && n[0] > 0 {
		j.state.calibrate(j.made, counts, wanted)
	}
	return j
}

// LogOdds returns the log-odds of all examples by a judge that was trained on some of them.
func (p *Pages) LogOdds(j *Online) []float64 {
	j.mu.RLock()
	defer j.mu.RUnlock()
	list := make([]float64, len(p.counts))
	var x text.Vector
	for i, v := range p.counts {
		x = append(x[:0], v...)
		j.state.weigh(x)
		list[i] = j.state.logOdds(x)
	}
	return list
}
