package judge

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"

	"dowse"
	"dowse/text"
)

// A networkTrainer trains a network of three layers by back-propagation, one of the
// three judges of Wang et al. 2009: the terms, 4 hidden units, and 2 outputs
// (relevant, irrelevant), all with logistic activation. What the paper leaves open is
// as in Weka's MultilayerPerceptron, whose settings it names.
type networkTrainer struct {
	Features
	Hidden   int     // hidden units, at most maxHidden; default 4 (Wang et al. 2009)
	Rate     float64 // learning rate; default 0.3 (Wang et al. 2009)
	Momentum float64 // share of the last change that is added to the next; default 0.2 (Weka)
	Epochs   int     // upper limit of passes; default 500 (Wang et al. 2009)
	Held     float64 // share of the examples held out for early stopping; default 0.3 (Wang et al. 2009)
	Patience int     // epochs without improvement before it stops; default 20
	Seed     uint64  // random seed for initial weights and the order of examples
}

// firstWeight limits the magnitude of initial weights.
const firstWeight = 0.05

func (t networkTrainer) withDefaults() networkTrainer {
	set := func(n *int, def int) {
		if *n == 0 {
			*n = def
		}
	}
	setFloat := func(x *float64, def float64) {
		if *x == 0 {
			*x = def
		}
	}
	set(&t.Hidden, 4)
	set(&t.Epochs, 500)
	set(&t.Patience, 20)
	setFloat(&t.Rate, 0.3)
	setFloat(&t.Momentum, 0.2)
	setFloat(&t.Held, 0.3)
	return t
}

// Train returns the judge. Its reasons are on the scale [Change], since a network is
// not a sum.
func (t networkTrainer) Train(examples []Example) (Model, error) {
	if err := t.trainable(examples); err != nil {
		return nil, fmt.Errorf("judge: network: %w", err)
	}
	if err := t.possible(); err != nil {
		return nil, err
	}
	s := t.sample(examples)
	in := s.space(s.vocabulary(s.all()))
	return networkJudge{newTrained("network", in, t.train(s, in))}, nil
}

// possible returns an error if the number of hidden units is out of range.
func (t networkTrainer) possible() error {
	if t.Hidden < 0 || t.Hidden > maxHidden {
		return fmt.Errorf("judge: network: %d hidden units (want 1 to %d)", t.Hidden, maxHidden)
	}
	return nil
}

// train shuffles the examples, holds out the first t.Held of them, and trains on the
// others. The random generator is used in a fixed order (shuffle, then weights), so
// one seed gives one network.
func (t networkTrainer) train(s *sample, in *space) *network {
	t = t.withDefaults()
	x := s.vectors(in)
	scales := scale(x, in.size)
	rng := rand.New(rand.NewPCG(t.Seed, 0x6e6574))
	lessons := make([]lesson, len(x))
	for i, v := range x {
		lessons[i] = lesson{scales.dense(v), target(s.wanted[i])}
	}
	rng.Shuffle(len(lessons), func(i, k int) { lessons[i], lessons[k] = lessons[k], lessons[i] })
	held := int(t.Held * float64(len(lessons)))
	m := randomLayers(in.size, t.Hidden, rng)
	m = t.teach(m, lessons[held:], lessons[:held])
	return newNetwork(m, scales)
}

// teach makes epochs until the error on the held-out examples has not improved for
// t.Patience epochs, and returns the weights with the least error. If nothing is held
// out it uses the training error instead.
func (t networkTrainer) teach(m *layers, lessons, held []lesson) *layers {
	if len(held) == 0 {
		held = lessons
	}
	best := m.clone()
	stop := stopping{patience: t.Patience}
	for range t.Epochs {
		m.epoch(lessons, t.Rate, t.Momentum)
		better, enough := stop.epoch(m.squaredError(held))
		if better {
			best.set(m)
		}
		if enough {
			break
		}
	}
	return best
}

// stopping decides when training ends.
type stopping struct {
	patience  int
	epochs    int
	bestEpoch int
	best      float64
}

// epoch records the error after an epoch. It reports whether that is the least so far,
// and whether training should end.
func (s *stopping) epoch(err float64) (better, enough bool) {
	s.epochs++
	if s.bestEpoch == 0 || err < s.best {
		s.best, s.bestEpoch = err, s.epochs
		return true, false
	}
	return false, s.epochs-s.bestEpoch >= s.patience
}

// A lesson is one example: the scaled input and the desired outputs, relevant first.
type lesson struct {
	x    []float64
	want [2]float64
}

func target(wanted bool) [2]float64 {
	if wanted {
		return [2]float64{1, 0}
	}
	return [2]float64{0, 1}
}

// layers are the weights of a network in training. Each row is one unit: one weight
// per input, then the bias.
type layers struct {
	hidden [][]float64
	output [][]float64

	moveHidden, moveOutput [][]float64 // last changes, for the momentum
	active                 []float64   // output of the hidden units after forward
}

func newLayers(hidden, output [][]float64) *layers {
	m := &layers{hidden: hidden, output: output, active: make([]float64, len(hidden))}
	m.moveHidden, m.moveOutput = zeros(hidden), zeros(output)
	return m
}

func zeros(like [][]float64) [][]float64 {
	rows := make([][]float64, len(like))
	for i := range like {
		rows[i] = make([]float64, len(like[i]))
	}
	return rows
}

func randomLayers(inputs, hidden int, rng *rand.Rand) *layers {
	draw := func(rows, columns int) [][]float64 {
		list := make([][]float64, rows)
		for i := range list {
			list[i] = make([]float64, columns)
			for k := range list[i] {
				list[i][k] = (2*rng.Float64() - 1) * firstWeight
			}
		}
		return list
	}
	return newLayers(draw(hidden, inputs+1), draw(2, hidden+1))
}

func (m *layers) clone() *layers {
	c := newLayers(zeros(m.hidden), zeros(m.output))
	c.set(m)
	return c
}

// set copies the weights of another network of the same size.
func (m *layers) set(from *layers) {
	for i := range from.hidden {
		copy(m.hidden[i], from.hidden[i])
	}
	for i := range from.output {
		copy(m.output[i], from.output[i])
	}
}

// forward returns the outputs for an input, and stores those of the hidden units in
// m.active.
func (m *layers) forward(x []float64) (out [2]float64) {
	for j, row := range m.hidden {
		m.active[j] = sigmoid(unit(row, x))
	}
	for k, row := range m.output {
		out[k] = sigmoid(unit(row, m.active))
	}
	return out
}

// unit returns the weighted input of a unit: bias + Σ w·x.
func unit(row, x []float64) float64 {
	weights, sum := row[:len(x)], row[len(x)]
	for i, w := range weights {
		sum += float64(w * x[i])
	}
	return sum
}

func (m *layers) epoch(lessons []lesson, rate, momentum float64) {
	errs := make([]float64, len(m.hidden))
	for _, l := range lessons {
		m.learn(l, rate, momentum, errs)
	}
}

// learn makes one step of gradient descent on the squared error of one lesson. errs is
// working memory, one entry per hidden unit. The errors of the hidden units are
// computed before any weight of the outputs changes.
func (m *layers) learn(l lesson, rate, momentum float64, errs []float64) {
	out := m.forward(l.x)
	var outErr [2]float64
	for k, o := range out {
		outErr[k] = (l.want[k] - o) * o * (1 - o)
	}
	for j, h := range m.active {
		back := 0.0
		for k, e := range outErr {
			back += float64(e * m.output[k][j])
		}
		errs[j] = h * (1 - h) * back
	}
	for k, e := range outErr {
		move(m.output[k], m.moveOutput[k], m.active, rate*e, momentum)
	}
	for j, e := range errs {
		move(m.hidden[j], m.moveHidden[j], l.x, rate*e, momentum)
	}
}

// move adds to the weights of a unit by·x plus momentum times their last change.
func move(row, last, x []float64, by, momentum float64) {
	n := len(x)
	w, d := row[:n], last[:n]
	for i, xi := range x {
		d[i] = float64(by*xi) + float64(momentum*d[i])
		w[i] += d[i]
	}
	last[n] = by + float64(momentum*last[n])
	row[n] += last[n]
}

// squaredError is the sum over the lessons of the mean squared error of the two
// outputs.
func (m *layers) squaredError(lessons []lesson) float64 {
	sum := 0.0
	for _, l := range lessons {
		each := 0.0
		for k, o := range m.forward(l.x) {
			each += float64((l.want[k] - o) * (l.want[k] - o))
		}
		sum += each / 2
	}
	return sum
}

// scales map every input column to the range -1 to 1 that it has in the examples, as
// Weka does; a column with one value maps to 0. Half is never 0.
type scales struct {
	Middle []float64 `json:"middle"`
	Half   []float64 `json:"half"`
}

func scale(x []text.Vector, size int) scales {
	low, high, seen := make([]float64, size), make([]float64, size), make([]int, size)
	for _, v := range x {
		for _, e := range v {
			if seen[e.Term] == 0 {
				low[e.Term], high[e.Term] = e.Weight, e.Weight
			}
			low[e.Term], high[e.Term] = min(low[e.Term], e.Weight), max(high[e.Term], e.Weight)
			seen[e.Term]++
		}
	}
	s := scales{make([]float64, size), make([]float64, size)}
	for t := range low {
		if seen[t] < len(x) { // the others have 0
			low[t], high[t] = min(low[t], 0), max(high[t], 0)
		}
		s.Middle[t], s.Half[t] = (low[t]+high[t])/2, (high[t]-low[t])/2
		if s.Half[t] == 0 {
			s.Half[t] = 1
		}
	}
	return s
}

// of returns a value on the scale of its column. Values outside of the examples' range
// are not clipped.
func (s scales) of(column int32, x float64) float64 {
	return (x - s.Middle[column]) / s.Half[column]
}

// dense returns the whole input row of a vector, absent terms scaled too.
func (s scales) dense(v text.Vector) []float64 {
	x := make([]float64, len(s.Middle))
	for i := range x {
		x[i] = -s.Middle[i] / s.Half[i]
	}
	for _, e := range v {
		x[e.Term] = s.of(e.Term, e.Weight)
	}
	return x
}

// A network rates vectors. On the scale, absent terms are not 0; their contribution to
// the hidden units is summed once (empty) and the scaling is folded into the weights
// (rows), so a page costs one multiplication per term and hidden unit.
type network struct {
	Hidden [][]float64 `json:"hidden"` // one row per unit, the bias last
	Output [][]float64 `json:"output"`
	scales

	empty []float64 // input of each hidden unit for a page without terms
	rows  []float64 // by term: its scaled weight for every hidden unit
}

func newNetwork(m *layers, s scales) *network {
	n := &network{Hidden: m.hidden, Output: m.output, scales: s}
	n.prepare()
	return n
}

func (n *network) prepare() {
	units, size := len(n.Hidden), len(n.Middle)
	n.rows = make([]float64, units*size)
	n.empty = make([]float64, units)
	for j, row := range n.Hidden {
		n.empty[j] = row[size]
		for t := range n.Middle {
			w := row[t] / n.Half[t]
			n.rows[t*units+j] = w
			n.empty[j] -= float64(w * n.Middle[t])
		}
	}
}

// into sets sums to the inputs of the hidden units.
func (n *network) into(sums []float64, v text.Vector) {
	copy(sums, n.empty)
	for _, e := range v {
		n.addTo(sums, e.Term, e.Weight)
	}
}

func (n *network) addTo(sums []float64, term int32, weight float64) {
	row := n.rows[int(term)*len(sums):]
	for j := range sums {
		sums[j] += float64(row[j] * weight)
	}
}

// outOf returns the relevance p/(p+q) from the inputs of the hidden units, where p and
// q are the outputs for relevant and irrelevant.
func (n *network) outOf(sums []float64) float64 {
	last := len(sums)
	relevant, other := n.Output[0][last], n.Output[1][last]
	for j, s := range sums {
		h := sigmoid(s)
		relevant += float64(n.Output[0][j] * h)
		other += float64(n.Output[1][j] * h)
	}
	p, q := sigmoid(relevant), sigmoid(other)
	if p+q == 0 {
		return 0.5
	}
	return p / (p + q)
}

// maxHidden limits the hidden units, so that a rating needs no memory from the heap.
const maxHidden = 64

func (n *network) rate(v text.Vector) float64 {
	var space [maxHidden]float64
	sums := space[:len(n.empty)]
	n.into(sums, v)
	return n.outOf(sums)
}

func (n *network) explain(v text.Vector, r *pageReading) (float64, string, []dowse.Because) {
	return explainChanges(n, v, r)
}

// leaveOut sets out[i] to the rating of v without its entry i, by subtracting the
// entry from the inputs of the hidden units.
func (n *network) leaveOut(v text.Vector, out []float64) {
	var with, without [maxHidden]float64
	units := len(n.empty)
	n.into(with[:units], v)
	for i, e := range v {
		without = with
		n.addTo(without[:units], e.Term, -e.Weight)
		out[i] = n.outOf(without[:units])
	}
}

type networkJudge struct{ *trained }

// MarshalJSON returns the terms, the scales and the weights of the units as JSON.
func (j networkJudge) MarshalJSON() ([]byte, error) {
	return json.Marshal(savedNetwork{save(j.space), j.core.(*network)})
}

type savedNetwork struct {
	savedSpace
	*network
}

func loadNetwork(data []byte) (Model, error) {
	saved := savedNetwork{network: &network{}}
	s, err := saved.load(data, &saved)
	if err != nil {
		return nil, err
	}
	if err := saved.network.check(s.size); err != nil {
		return nil, err
	}
	saved.prepare()
	return networkJudge{newTrained("network", s, saved.network)}, nil
}

// check reports why a network that was read from a file cannot be used.
func (n *network) check(size int) error {
	units := len(n.Hidden)
	if units < 1 || units > maxHidden {
		return fmt.Errorf("%d hidden units (want 1 to %d)", units, maxHidden)
	}
	if len(n.Output) != 2 || len(n.Middle) != size || len(n.Half) != size {
		return fmt.Errorf("the layers do not fit %d terms", size)
	}
	for _, row := range n.Hidden {
		if err := sameLength("weights of a hidden unit", len(row), size+1); err != nil {
			return err
		}
	}
	for _, row := range n.Output {
		if err := sameLength("weights of an output", len(row), units+1); err != nil {
			return err
		}
	}
	for _, h := range n.Half {
		if math.Abs(h) < 1/maxNumber {
			return fmt.Errorf("scale %g is too small", h)
		}
	}
	return sane(append(append([][]float64{n.Middle, n.Half}, n.Hidden...), n.Output...)...)
}
