package judge

import (
	"encoding/json"
	"maps"
	"math"
	"reflect"
	"slices"
	"sort"
	"testing"

	"dowse"
	"dowse/internal/golden"
	"dowse/internal/text"
)

// A golden file holds worked examples that were computed by another program.
type goldenFile struct {
	Tolerance float64
	Cases     []goldenCase
}

type goldenCase struct {
	Name                    string
	Params, Input, Expected json.RawMessage
	tolerance               float64
}

// goldenCases returns the cases of a golden file by their names.
func goldenCases(t *testing.T, name string) map[string]goldenCase {
	t.Helper()
	var g goldenFile
	golden.Read(t, name, &g)
	cases := map[string]goldenCase{}
	for _, c := range g.Cases {
		c.tolerance = g.Tolerance
		cases[c.Name] = c
	}
	return cases
}

// read decodes the input and what is expected.
func (c goldenCase) read(t *testing.T, input, expected any) {
	t.Helper()
	if c.Name == "" {
		t.Fatal("the case is missing")
	}
	if err := json.Unmarshal(c.Input, input); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(c.Expected, expected); err != nil {
		t.Fatal(err)
	}
}

func (c goldenCase) near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= c.tolerance*max(1, math.Abs(want))) {
		t.Errorf("%s: %s is %.12g, want %.12g", c.Name, what, got, want)
	}
}

func (c goldenCase) nearAll(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %s: %d values, want %d", c.Name, what, len(got), len(want))
	}
	for i := range got {
		c.near(t, what, got[i], want[i])
	}
}

// sparse returns dense rows as vectors.
func sparse(rows ...[]float64) []text.Vector {
	list := make([]text.Vector, len(rows))
	for i, row := range rows {
		for k, x := range row {
			if x != 0 {
				list[i] = append(list[i], text.Entry{Term: int32(k), Weight: x})
			}
		}
	}
	return list
}

func positive(y []float64) []bool {
	list := make([]bool, len(y))
	for i := range y {
		list[i] = y[i] > 0
	}
	return list
}

func TestGoldenSVM(t *testing.T) {
	c := goldenCases(t, "svm_platt")["linear_svm"]
	var in struct {
		X [][]float64
		Y []float64
	}
	var want struct {
		W         []float64
		B         float64
		Objective float64
	}
	c.read(t, &in, &want)
	x := sparse(in.X...)
	h := separate(x, in.Y, 3, 1, 1e-13)
	c.nearAll(t, "w", h.w, want.W)
	c.near(t, "b", h.b, want.B)
	objective := (norm(h.w)*norm(h.w) + h.b*h.b) / 2
	for i, v := range x {
		objective += max(0, 1-in.Y[i]*h.decision(v))
	}
	c.near(t, "objective", objective, want.Objective)
}

func TestGoldenPlatt(t *testing.T) {
	cases := goldenCases(t, "svm_platt")
	c := cases["platt_5fold"]
	var in struct {
		X, Test [][]float64
		Y       []float64
	}
	var want struct {
		Fold      []int
		Decisions []float64 `json:"cv_decision"`
		A, B      float64
		High      float64   `json:"target_hi"`
		Low       float64   `json:"target_lo"`
		D         []float64 `json:"test_decision"`
		P         []float64 `json:"test_probability"`
	}
	c.read(t, &in, &want)
	wanted := positive(in.Y)
	if got := folds(wanted, 5); !slices.Equal(got, want.Fold) {
		t.Errorf("folds %v, want %v", got, want.Fold)
	}
	x := sparse(in.X...)
	f := outOfFold(want.Fold, 5, func(from []int) func(int) float64 {
		h := separate(pick(x, from), pick(in.Y, from), 3, 1, 1e-13)
		return func(i int) float64 { return h.decision(x[i]) }
	})
	c.nearAll(t, "decisions", f, want.Decisions)
	targets, _ := plattTargets(wanted)
	c.near(t, "high target", slices.Max(targets), want.High)
	c.near(t, "low target", slices.Min(targets), want.Low)
	p := fitPlatt(f, wanted)
	c.near(t, "A", p.a, want.A)
	c.near(t, "B", p.b, want.B)
	h := separate(x, in.Y, 3, 1, 1e-13)
	l := h.calibrated(p)
	for i, v := range sparse(in.Test...) {
		c.near(t, "decision", h.decision(v), want.D[i])
		c.near(t, "probability", l.rate(v), want.P[i])
	}

	c = cases["platt_only"]
	var only struct{ Decision, Y []float64 }
	c.read(t, &only, &want)
	p = fitPlatt(only.Decision, positive(only.Y))
	c.near(t, "A", p.a, want.A)
	c.near(t, "B", p.b, want.B)
}

func TestGoldenKDE(t *testing.T) {
	c := goldenCases(t, "nb_kde")["nb_kde"]
	var in struct {
		X, Test [][]float64
		Y       []float64
	}
	var want struct {
		Precision []float64
		Pos       float64 `json:"prior_pos"`
		Neg       float64 `json:"prior_neg"`
		SD        struct{ Pos, Neg []float64 }
		Test      []struct {
			Pos float64 `json:"log_joint_pos"`
			Neg float64 `json:"log_joint_neg"`
			P   float64 `json:"p_relevant"`
		}
	}
	c.read(t, &in, &want)
	d := estimate(sparse(in.X...), positive(in.Y), 2)
	for j := range d.Grids {
		g := &d.Grids[j]
		c.near(t, "precision", g.Step, want.Precision[j])
		c.near(t, "width relevant", g.width(1, d.Classes[1]), want.SD.Pos[j])
		c.near(t, "width irrelevant", g.width(0, d.Classes[0]), want.SD.Neg[j])
	}
	for i, v := range sparse(in.Test...) {
		joint := [2]float64{math.Log(want.Neg), math.Log(want.Pos)}
		for j := range d.Grids {
			g := &d.Grids[j]
			for class := range joint {
				joint[class] += g.logDensity(class, d.Classes[class], g.place(v.Weight(int32(j))))
			}
		}
		c.near(t, "log joint relevant", joint[1], want.Test[i].Pos)
		c.near(t, "log joint irrelevant", joint[0], want.Test[i].Neg)
		c.near(t, "log-odds", d.logOdds(v), want.Test[i].Pos-want.Test[i].Neg)
		c.near(t, "probability", d.rate(v), want.Test[i].P)
	}
	d.tabulate()
	for i, v := range sparse(in.Test...) {
		c.near(t, "log-odds by the tables", d.logOdds(v), want.Test[i].Pos-want.Test[i].Neg)
	}
}

type goldenLesson struct{ x, want []float64 }

func (l *goldenLesson) UnmarshalJSON(data []byte) error {
	var pair [2][]float64
	err := json.Unmarshal(data, &pair)
	l.x, l.want = pair[0], pair[1]
	return err
}

func lessonsOf(list []goldenLesson) (lessons []lesson) {
	for _, l := range list {
		lessons = append(lessons, lesson{l.x, [2]float64(l.want)})
	}
	return lessons
}

func TestGoldenNetwork(t *testing.T) {
	c := goldenCases(t, "mlp")["forward_and_train"]
	var in struct {
		W, V              [][]float64
		Train, Validation []goldenLesson
		Probe             []float64
	}
	type weights struct{ W, V [][]float64 }
	var want struct {
		Hidden  []float64 `json:"first_hidden"`
		Output  []float64 `json:"first_output"`
		Epoch1  weights
		Epoch50 weights
		Error1  float64   `json:"validation_error_epoch1"`
		Error50 float64   `json:"validation_error_epoch50"`
		Probe   []float64 `json:"probe_output"`
		P       float64   `json:"probe_p_relevant"`
	}
	c.read(t, &in, &want)
	train, held := lessonsOf(in.Train), lessonsOf(in.Validation)
	m := newLayers(in.W, in.V)
	out := m.forward(train[0].x)
	c.nearAll(t, "hidden", m.active, want.Hidden)
	c.nearAll(t, "output", out[:], want.Output)
	check := func(w weights, err float64) {
		for i := range w.W {
			c.nearAll(t, "weights of a hidden unit", m.hidden[i], w.W[i])
		}
		for i := range w.V {
			c.nearAll(t, "weights of an output", m.output[i], w.V[i])
		}
		c.near(t, "validation error", m.squaredError(held), err)
	}
	for epoch := 1; epoch <= 50; epoch++ {
		m.epoch(train, 0.3, 0.2)
		if epoch == 1 {
			check(want.Epoch1, want.Error1)
		}
	}
	check(want.Epoch50, want.Error50)
	out = m.forward(in.Probe)
	c.nearAll(t, "probe", out[:], want.Probe)
	n := newNetwork(m, scales{[]float64{0, 0}, []float64{1, 1}})
	c.near(t, "relevance", n.rate(sparse(in.Probe)[0]), want.P)
}

func TestGoldenNetworkStopsAndScales(t *testing.T) {
	cases := goldenCases(t, "mlp")
	c := cases["early_stop"]
	var in struct {
		Errors []float64 `json:"validation_errors"`
	}
	var want struct {
		Stop  int     `json:"stop_epoch"`
		Best  int     `json:"best_epoch"`
		Error float64 `json:"best_error"`
	}
	c.read(t, &in, &want)
	s := stopping{patience: 4}
	for _, e := range in.Errors {
		if _, enough := s.epoch(e); enough {
			break
		}
	}
	if s.epochs != want.Stop || s.bestEpoch != want.Best || s.best != want.Error {
		t.Errorf("%+v, want %+v", s, want)
	}

	c = cases["input_scaling"]
	var column struct {
		Train []float64 `json:"train_column"`
		Probe []float64
	}
	var scaled struct{ Scaled []float64 }
	c.read(t, &column, &scaled)
	var rows [][]float64
	for _, x := range column.Train {
		rows = append(rows, []float64{x})
	}
	by := scale(sparse(rows...), 1)
	for i, x := range column.Probe {
		c.near(t, "scaled", by.of(0, x), scaled.Scaled[i])
		c.near(t, "scaled, dense", by.dense(sparse([]float64{x})[0])[0], scaled.Scaled[i])
	}
}

func TestGoldenVote(t *testing.T) {
	c := goldenCases(t, "vote")["two_of_three"]
	var in struct{ P [][3]float64 }
	var want struct{ Relevant []bool }
	c.read(t, &in, &want)
	for i, p := range in.P {
		if got := middle(p[0], p[1], p[2]) >= Threshold; got != want.Relevant[i] {
			t.Errorf("%v: %t", p, got)
		}
	}
}

func TestGoldenCentroids(t *testing.T) {
	cases := goldenCases(t, "centroid_knn")
	c := cases["kmeans_and_confidence"]
	var in struct{ Target, Other, Tests [][]float64 }
	var want struct {
		Target   [][]float64 `json:"target_centroids"`
		TargetIn []int       `json:"target_assign"`
		Other    [][]float64 `json:"other_centroids"`
		OtherIn  []int       `json:"other_assign"`
		Tests    []struct {
			Target  float64 `json:"d_target"`
			Other   float64 `json:"d_other"`
			Invlog  float64 `json:"conf_target_invlog"`
			Literal float64 `json:"conf_target_literal"`
		}
	}
	c.read(t, &in, &want)
	cluster := func(rows, centres [][]float64, assigned []int) {
		points := sparse(rows...)
		for _, p := range points {
			p.Normalize()
		}
		got, at := kmeans(points, 2, 4)
		if !slices.Equal(at, assigned) {
			t.Errorf("clusters %v, want %v", at, assigned)
		}
		for i := range centres {
			c.nearAll(t, "centre", got[i], centres[i])
		}
	}
	cluster(in.Target, want.Target, want.TargetIn)
	cluster(in.Other, want.Other, want.OtherIn)
	wanted := make([]bool, len(in.Target)+len(in.Other))
	for i := range in.Target {
		wanted[i] = true
	}
	for _, literal := range []bool{false, true} {
		m := Centroid{K: 2, Literal: literal}.centres(sparse(slices.Concat(in.Target, in.Other)...), wanted, 4)
		for i, v := range sparse(in.Tests...) {
			if literal {
				c.near(t, "literal confidence", m.rate(v), want.Tests[i].Literal)
			} else {
				c.near(t, "confidence", m.rate(v), want.Tests[i].Invlog)
			}
		}
	}

	c = cases["confidence_formulas"]
	var pairs struct{ Distances [][2]float64 }
	var formulas struct {
		Invlog  []float64
		Literal []*float64
	}
	c.read(t, &pairs, &formulas)
	for i, d := range pairs.Distances {
		c.near(t, "confidence", confidence(d[0], d[1], false), formulas.Invlog[i])
		if want := formulas.Literal[i]; want != nil {
			c.near(t, "literal confidence", confidence(d[0], d[1], true), *want)
		}
	}
}

type goldenBag struct {
	Label  string
	Tokens []string
}

func (b goldenBag) relevant() bool { return b.Label == "rel" }

func learnt(bags []goldenBag) *MultinomialBags {
	b := &MultinomialBags{}
	for _, x := range bags {
		b.Add(x.relevant(), x.Tokens)
	}
	return b
}

func TestGoldenBayes(t *testing.T) {
	cases := goldenCases(t, "nb_links")
	c := cases["train_and_score"]
	var in struct {
		Train   []goldenBag
		Queries [][]string
	}
	var want struct {
		V       []string
		Theta   map[string]map[string]float64
		Queries []struct {
			Rel float64 `json:"log_joint_rel"`
			Irr float64 `json:"log_joint_irr"`
			P   float64 `json:"p_relevant"`
		}
	}
	c.read(t, &in, &want)
	b := learnt(in.Train)
	if b.Known() != len(want.V) {
		t.Errorf("%d tokens known, want %d", b.Known(), len(want.V))
	}
	for _, w := range want.V {
		c.near(t, "theta of "+w, b.Theta(w, true), want.Theta["rel"][w])
		c.near(t, "theta of "+w, b.Theta(w, false), want.Theta["irr"][w])
	}
	for i, q := range in.Queries {
		rel, irr := b.logJoint(q)
		c.near(t, "log joint relevant", rel, want.Queries[i].Rel)
		c.near(t, "log joint irrelevant", irr, want.Queries[i].Irr)
		c.near(t, "probability", b.P(q), want.Queries[i].P)
	}
	updates(t, cases["update_period"], in.Queries)
}

// updates checks what is learnt from a stream, by itself and from the truth.
func updates(t *testing.T, c goldenCase, queries [][]string) {
	var in struct {
		Train  []goldenBag
		Stream []struct {
			Tokens   []string
			Relevant bool `json:"page_relevant"`
		}
	}
	var want struct {
		P        []float64   `json:"stream_p"`
		Added    []goldenBag `json:"self_added"`
		Self     []float64   `json:"self_p_after"`
		Verified []float64   `json:"verified_p_after"`
	}
	c.read(t, &in, &want)
	frozen, self, verified := learnt(in.Train), learnt(in.Train), learnt(in.Train)
	var added []goldenBag
	for i, s := range in.Stream {
		p := frozen.P(s.Tokens)
		c.near(t, "probability in the stream", p, want.P[i])
		verified.Add(s.Relevant, s.Tokens)
		switch {
		case p >= 0.9:
			added = append(added, goldenBag{"rel", s.Tokens})
		case 1-p >= 0.9:
			added = append(added, goldenBag{"irr", s.Tokens})
		}
	}
	if !reflect.DeepEqual(added, want.Added) {
		t.Errorf("added %v, want %v", added, want.Added)
	}
	for _, a := range added {
		self.Add(a.relevant(), a.Tokens)
	}
	for i, q := range queries {
		c.near(t, "probability after its own labels", self.P(q), want.Self[i])
		c.near(t, "probability after true labels", verified.P(q), want.Verified[i])
	}
}

// plainBag returns tokens as a bag.
func plainBag(tokens []string) bag {
	counts := map[string]float64{}
	for _, t := range tokens {
		counts[t]++
	}
	b := bag{terms: slices.Sorted(maps.Keys(counts))}
	for _, t := range b.terms {
		b.counts = append(b.counts, counts[t])
	}
	return b
}

func TestGoldenTable(t *testing.T) {
	cases := goldenCases(t, "topic_table")
	c := cases["topic_table"]
	var in struct{ Results [][]string }
	var want struct{ Table map[string]float64 }
	c.read(t, &in, &want)
	var bags []bag
	for _, r := range in.Results {
		bags = append(bags, plainBag(r))
	}
	words := tableOf(bags, nil, len(want.Table))
	if len(words) != len(want.Table) {
		t.Fatalf("%v, want %v", words, want.Table)
	}
	for _, w := range words {
		c.near(t, w.Term, w.Weight, want.Table[w.Term])
	}

	c = cases["page_relevance"]
	var pages struct {
		Table map[string]float64
		Pages []struct {
			Name              string
			Title, Meta, Body []string
		}
	}
	var rated struct {
		Pages []struct {
			Similarity float64
			Relevant   bool `json:"relevant_at_0.8"`
		}
	}
	c.read(t, &pages, &rated)
	words = nil
	for term, w := range pages.Table {
		words = append(words, TopicWord{term, w})
	}
	j, err := Table{Language: "xx"}.Of(words) // the words are stems already
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range pages.Pages {
		v := j.Judge(&dowse.Page{Document: document(join(p.Title), join(p.Meta), join(p.Body))})
		c.near(t, p.Name, v.Relevance, rated.Pages[i].Similarity)
		if got := v.Relevance > j.Threshold(); got != rated.Pages[i].Relevant {
			t.Errorf("%s: relevant %t", p.Name, got)
		}
	}
}

func join(words []string) (s string) {
	for _, w := range words {
		s += w + " "
	}
	return s
}

func document(title, meta, body string) dowse.Document {
	return dowse.Document{Title: title, Description: meta, Text: body, Words: dowse.Words(body)}
}

type goldenLink struct{ ID, Anchor, Around, ISH, SH, MH string }

type goldenPrediction struct {
	ID     string
	Votes  map[string]float64
	Phases []struct {
		Totals map[string]float64
		Kept   []string
	}
	Final   []string
	OnTopic bool `json:"on_topic"`
}

func (c goldenCase) predicted(t *testing.T, got Prediction, want goldenPrediction) {
	t.Helper()
	c.ballots(t, got.Votes, want.Votes)
	if len(got.Phases) != len(want.Phases) || !slices.Equal(got.Codes, want.Final) || got.OnTopic != want.OnTopic {
		t.Fatalf("%s: %+v, want %+v", want.ID, got, want)
	}
	for i, p := range got.Phases {
		c.ballots(t, p.Totals, want.Phases[i].Totals)
		if !slices.Equal(p.Kept, want.Phases[i].Kept) {
			t.Errorf("%s: phase %d keeps %v, want %v", want.ID, i+1, p.Kept, want.Phases[i].Kept)
		}
	}
}

func (c goldenCase) ballots(t *testing.T, got []Ballot, want map[string]float64) {
	t.Helper()
	if len(got) != len(want) || !sort.SliceIsSorted(got, func(i, k int) bool { return got[i].Code < got[k].Code }) {
		t.Errorf("%s: %v, want %v", c.Name, got, want)
	}
	for _, b := range got {
		c.near(t, "votes for "+b.Code, b.Weight, want[b.Code])
	}
}

func TestGoldenDewey(t *testing.T) {
	cases := goldenCases(t, "treasure")
	c := cases["d_number"]
	var in struct {
		DDC     []Code
		Desired []string
		Links   []goldenLink
	}
	var want struct{ Links []goldenPrediction }
	c.read(t, &in, &want)
	j, err := Dewey{Codes: in.DDC, Desired: in.Desired}.New()
	if err != nil {
		t.Fatal(err)
	}
	predict := func(l goldenLink, anchor float64) Prediction {
		tokens := j.Terms(l.Anchor, anchor)
		for _, s := range []string{l.Around, l.ISH, l.SH, l.MH} {
			tokens = append(tokens, j.Terms(s, 1)...)
		}
		return j.Predict(tokens)
	}
	for i, l := range in.Links {
		c.predicted(t, predict(l, anchorVote), want.Links[i])
	}

	c = cases["anchor_impact_flip"]
	var flip struct{ Link goldenLink }
	var impacts map[string]goldenPrediction
	c.read(t, &flip, &impacts)
	c.predicted(t, predict(flip.Link, 1.4), impacts["1.4"])
	c.predicted(t, predict(flip.Link, 0.5), impacts["0.5"])
}
