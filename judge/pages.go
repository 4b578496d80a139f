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
	slots  []int32       // of the terms of all examples, ascending
	counts []text.Vector // by example: counts by index in slots
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
	p.number(j.made.Slots)
	return p, nil
}

// number numbers the slots that have a term, in their order, so that training works on tables of that size and
// adds up the same numbers in the same order.
func (p *Pages) number(slots int) {
	numbers := make([]int32, slots)
	for _, v := range p.counts {
		for _, e := range v {
			numbers[e.Term] = 1
		}
	}
	for slot, used := range numbers {
		if used != 0 {
			numbers[slot] = int32(len(p.slots))
			p.slots = append(p.slots, int32(slot))
		}
	}
	for _, v := range p.counts {
		for i := range v {
			v[i].Term = numbers[v[i].Term]
		}
	}
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
	state := newRegression(len(p.slots))
	state.train(j.made, counts, wanted)
	if n := kinds(wanted, nil); n[1] > 1 && n[0] > 0 {
		state.calibrate(j.made, counts, wanted)
	}
	j.state.spread(state, p.slots)
	return j
}

// spread sets the state to that of a regression over some of the slots.
func (s *regression) spread(from *regression, slots []int32) {
	for i, slot := range slots {
		s.weights[slot], s.squares[slot], s.df[slot] = from.weights[i], from.squares[i], from.df[i]
	}
	s.weights[len(s.weights)-1], s.squares[len(s.squares)-1] = from.bias(), from.squares[len(slots)]
	s.docs, s.slope, s.shift = from.docs, from.slope, from.shift
	s.reckon()
}

// LogOdds returns the log-odds of all examples by a judge that was trained on some of them.
func (p *Pages) LogOdds(j *Online) []float64 {
	j.mu.RLock()
	defer j.mu.RUnlock()
	list := make([]float64, len(p.counts))
	var x text.Vector
	for i, v := range p.counts {
		x = append(x[:0], v...)
		for i := range x {
			x[i].Term = p.slots[x[i].Term]
		}
		j.state.weigh(x)
		list[i] = j.state.logOdds(x)
	}
	return list
}
