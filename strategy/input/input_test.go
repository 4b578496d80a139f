package input_test

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"dowse"
	"dowse/internal/tgraph"
	"dowse/judge"
	"dowse/strategy/input"
)

// follower is a strategy without inputs.
type follower struct{}

func (follower) Follow(*dowse.Page) []dowse.Lead { return nil }

// taker is a strategy with inputs. It keeps what it is given.
type taker struct {
	follower
	required, used input.Kind
	given          []input.Inputs
	err            error
}

func (s *taker) Inputs() (required, used input.Kind) { return s.required, s.used }

func (s *taker) Take(in input.Inputs) error {
	s.given = append(s.given, in)
	return s.err
}

// everything has each input that is a file.
func everything() input.Inputs {
	return input.Inputs{
		Trace: emptyTrace{}, TGraph: &tgraph.Graph{}, Language: "en", Words: []judge.TopicWord{{Term: "tide", Weight: 1}},
		Links: []input.LabelledLink{{Anchor: "tide"}}, Classes: []judge.Code{{Code: "5"}},
	}
}

type emptyTrace struct{ input.Trace }

// TestRequired checks that only inputs without which a strategy cannot crawl are named.
func TestRequired(t *testing.T) {
	for _, c := range []struct {
		s    dowse.Strategy
		want []string
	}{
		{follower{}, nil},
		{&taker{used: input.KindTrace | input.KindTGraph}, nil},
		{&taker{required: input.KindTrace}, []string{"a trace"}},
		{&taker{required: input.KindTGraph | input.KindTrace, used: input.KindLinks}, []string{"a trace", "a T-Graph"}},
	} {
		if got := input.Required(c.s); !slices.Equal(got, c.want) {
			t.Errorf("%+v requires %v, want %v", c.s, got, c.want)
		}
	}
}

// TestGive checks that a strategy with inputs gets all of them once, and that its error
// is returned.
func TestGive(t *testing.T) {
	if err := everything().Give(follower{}); err != nil {
		t.Errorf("a strategy without inputs: %v", err)
	}
	s := &taker{}
	if err := everything().Give(s); err != nil || len(s.given) != 1 || !reflect.DeepEqual(s.given[0], everything()) {
		t.Errorf("given %+v, %v; want all inputs once", s.given, err)
	}
	missing := errors.New("no trace")
	if err := (input.Inputs{}).Give(&taker{err: missing}); !errors.Is(err, missing) {
		t.Errorf("error %v, want %v", err, missing)
	}
}

// TestUnused checks that a file counts as used if one strategy requires or uses it, and
// that language and words, which come with every topic, are never named.
func TestUnused(t *testing.T) {
	all := []string{"the T-Graph", "the trace", "the links to learn from", "the classes"}
	for _, c := range []struct {
		in         input.Inputs
		strategies []dowse.Strategy
		want       []string
	}{
		{input.Inputs{Language: "en", Words: everything().Words}, []dowse.Strategy{follower{}}, nil},
		{everything(), nil, all},
		{everything(), []dowse.Strategy{follower{}}, all},
		{everything(), []dowse.Strategy{&taker{required: input.KindTGraph}, &taker{used: input.KindClasses}}, []string{"the trace", "the links to learn from"}},
		{everything(), []dowse.Strategy{&taker{required: input.KindTGraph | input.KindTrace, used: input.KindLinks | input.KindClasses}}, nil},
	} {
		if got := c.in.Unused(c.strategies...); !slices.Equal(got, c.want) {
			t.Errorf("unused by %+v: %v, want %v", c.strategies, got, c.want)
		}
	}
}

func knowledge() *input.Learnt {
	return &input.Learnt{
		Predicate: "tides-1234",
		Linkage:   &input.LinkageLearnt{Pages: input.Tally{10, 4}, Links: [4]float64{3, 2, 1, 9}, Words: map[string]input.Tally{"tide": {5, 4}}, Tokens: map[string]input.Tally{"test": {9, 2.5}}},
		Usage:     &input.UsageLearnt{Pages: input.Tally{10, 4}, Users: map[string]input.Tally{"00ff": {2, 1}}, Signatures: map[string]input.Tally{}, Near: input.Tally{2, 2}, Far: input.Tally{8, 2}},
		Bags:      &input.BagsLearnt{Links: input.Tally{64, 30}, Terms: map[string]input.Tally{"pool": {7, 7}}},
	}
}

// TestLearntFile checks that what is written is read back, with its format.
func TestLearntFile(t *testing.T) {
	var file bytes.Buffer
	l := knowledge()
	if err := l.Write(&file); err != nil {
		t.Fatal(err)
	}
	got, err := input.ReadLearnt(&file)
	if err != nil {
		t.Fatal(err)
	}
	want := knowledge()
	want.Format = "dowse-learnt/1"
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v, want %+v", got, want)
	}
	if l.Format != "" {
		t.Errorf("Write set the format of its receiver to %q", l.Format)
	}
}

// TestImpossibleCountsAreRefused spoils one count of each table in turn: more pages on
// topic than pages, or a negative number.
func TestImpossibleCountsAreRefused(t *testing.T) {
	impossible := input.Tally{1, 2}
	for where, spoil := range map[string]func(l *input.Learnt){
		"pages":        func(l *input.Learnt) { l.Linkage.Pages = impossible },
		"links":        func(l *input.Learnt) { l.Linkage.Links[3] = -1 },
		"words":        func(l *input.Learnt) { l.Linkage.Words["x"] = impossible },
		"tokens":       func(l *input.Learnt) { l.Linkage.Tokens["x"] = impossible },
		"trace pages":  func(l *input.Learnt) { l.Usage.Pages = impossible },
		"users":        func(l *input.Learnt) { l.Usage.Users["x"] = impossible },
		"signatures":   func(l *input.Learnt) { l.Usage.Signatures["x"] = input.Tally{-1, -1} },
		"near":         func(l *input.Learnt) { l.Usage.Near = impossible },
		"far":          func(l *input.Learnt) { l.Usage.Far = impossible },
		"bags":         func(l *input.Learnt) { l.Bags.Links = impossible },
		"terms of bag": func(l *input.Learnt) { l.Bags.Terms["x"] = impossible },
	} {
		l := knowledge()
		spoil(l)
		var file bytes.Buffer
		if err := l.Write(&file); err != nil {
			t.Fatal(err)
		}
		if _, err := input.ReadLearnt(&file); err == nil || !strings.Contains(err.Error(), "counts") {
			t.Errorf("%s: error %v, want one about counts", where, err)
		}
	}
}

// TestFits checks that knowledge about another predicate, or of another kind, is refused
// with what to do.
func TestFits(t *testing.T) {
	l := knowledge()
	if err := l.Fits("tides-1234", true, "links"); err != nil {
		t.Errorf("the same predicate: %v", err)
	}
	err := l.Fits("ski-5678", true, "links")
	if !errors.Is(err, input.ErrPredicate) || !strings.Contains(err.Error(), `"tides-1234"`) || !strings.Contains(err.Error(), `"ski-5678"`) {
		t.Errorf("another predicate: %v, want one that names both", err)
	}
	if err := l.Fits("tides-1234", false, "a trace"); err == nil || errors.Is(err, input.ErrPredicate) || !strings.Contains(err.Error(), "a trace") {
		t.Errorf("another kind of knowledge: %v, want one that names it", err)
	}
}

// TestSides checks that a tally is split into what is off and on topic.
func TestSides(t *testing.T) {
	if got, want := (input.Tally{10, 4}).Sides(), [2]float64{6, 4}; got != want {
		t.Errorf("sides %v, want %v", got, want)
	}
}

// TestTooManyLabelledLinks checks the bound on links from a file, and that a line that is
// too long is an error, not the end.
func TestTooManyLabelledLinks(t *testing.T) {
	const most = 100_000
	lines := strings.Repeat("+\tu\ta\n", most)
	if list, err := input.ReadLabelledLinks(strings.NewReader(lines)); err != nil || len(list) != most {
		t.Errorf("%d links: %v", len(list), err)
	}
	if _, err := input.ReadLabelledLinks(strings.NewReader(lines + "+\tu\ta\n")); err == nil || !strings.Contains(err.Error(), "line 100001") {
		t.Errorf("one more: %v, want an error with its line", err)
	}
	if _, err := input.ReadLabelledLinks(strings.NewReader("+\tu\t" + strings.Repeat("a", 1<<20))); err == nil {
		t.Error("a line of 1 MiB was read")
	}
}

// TestLongFieldsAreCut checks that a link from a file costs no more than one of a page.
func TestLongFieldsAreCut(t *testing.T) {
	list, err := input.ReadLabelledLinks(strings.NewReader("-\thttp://a.test/" + strings.Repeat("x", 5000) + "\t" + strings.Repeat("é", 3000)))
	if err != nil || len(list) != 1 {
		t.Fatalf("%d links: %v", len(list), err)
	}
	if l := list[0]; len(l.URL) != 1024 || len(l.Anchor) != 1024 || !strings.HasSuffix(l.Anchor, "é") {
		t.Errorf("URL of %d bytes, anchor of %d", len(l.URL), len(l.Anchor))
	}
}
