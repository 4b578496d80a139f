package strategy_test

import (
	"reflect"
	"testing"

	"dowse"
	"dowse/judge"
	"dowse/strategy"
	"dowse/strategy/input"
	"dowse/strategy/internal/interest"
	"dowse/strategy/internal/linkclass"
	"dowse/strategy/internal/treasure"
)

// TestInputsAreDeclared gives every strategy each kind of input in addition to those that
// it requires: one that it reports as used changes it (or is refused), another does not.
// Without one that it requires it is not made.
func TestInputsAreDeclared(t *testing.T) {
	people := readers(t) // one trace: two that were read differ in their hashes
	give := map[input.Kind]func(in *input.Inputs){
		input.KindTrace:    func(in *input.Inputs) { in.Trace = people },
		input.KindTGraph:   func(in *input.Inputs) { in.TGraph = tides() },
		input.KindLanguage: func(in *input.Inputs) { in.Language = "de" },
		input.KindWords:    func(in *input.Inputs) { in.Words = []judge.TopicWord{{Term: "crabs", Weight: 1}} },
		input.KindLinks:    func(in *input.Inputs) { in.Links = []input.LabelledLink{{URL: "u", Relevant: true}} },
		input.KindClasses:  func(in *input.Inputs) { in.Classes = []judge.Code{{Code: "577", Label: "tide pools"}} },
	}
	for _, d := range strategy.All() {
		only := func(kinds input.Kind) (dowse.Strategy, error) {
			var in input.Inputs
			for k, give := range give {
				if kinds&k != 0 {
					give(&in)
				}
			}
			return strategy.NewWith(d.Name, in)
		}
		all := input.Kind(1<<len(give) - 1)
		var required, used input.Kind
		if s, err := only(all &^ input.KindClasses); err != nil {
			t.Errorf("%s: %v", d.Name, err)
		} else if taker, ok := s.(input.Taker); ok {
			required, used = taker.Inputs()
		}
		plain, err := only(required)
		if err != nil {
			t.Errorf("%s with what it requires: %v", d.Name, err)
			continue
		}
		for k := range give {
			if required&k != 0 {
				if _, err := only(all &^ k); err == nil {
					t.Errorf("%s was made without a required input, kind %b", d.Name, k)
				}
				continue
			}
			s, err := only(required | k)
			changed := err != nil || !reflect.DeepEqual(s, plain)
			if changed != (used&k != 0) {
				t.Errorf("%s: an input of kind %b changes it: %v; it reports that it uses %b", d.Name, k, changed, used)
			}
		}
	}
}

// TestUnusedInputs checks which files are named that no strategy of a crawl uses.
func TestUnusedInputs(t *testing.T) {
	in := input.Inputs{Trace: readers(t), TGraph: tides(), Language: "en", Links: []input.LabelledLink{{URL: "u"}}, Classes: []judge.Code{{Code: "1"}}}
	for _, row := range []struct {
		strategies []dowse.Strategy
		want       []string
	}{
		{nil, []string{"the T-Graph", "the trace", "the links to learn from", "the classes"}},
		{[]dowse.Strategy{&strategy.OTIE{}, treasure.NewTreasure()}, []string{"the trace", "the links to learn from"}},
		{[]dowse.Strategy{linkclass.NewNB(), treasure.NewContextGraph(), interest.NewCombined()}, []string{"the classes"}},
	} {
		if got := in.Unused(row.strategies...); !reflect.DeepEqual(got, row.want) {
			t.Errorf("%T: unused %q, want %q", row.strategies, got, row.want)
		}
	}
}

// TestNeedsOfTopic gives strategies the words and the language of a topic.
func TestNeedsOfTopic(t *testing.T) {
	n := input.Inputs{Language: "tr", Words: []judge.TopicWord{{Term: "bilgisayarlar", Weight: 1}, {Term: "yazılım", Weight: 0.25}}}
	for _, name := range []string{"lsfc", "nb", "nb-updateable"} {
		s, err := strategy.NewWith(name, n)
		if err != nil {
			t.Fatal(err)
		}
		if dowse.TraitsOf(s).Anchors {
			t.Errorf("%s: it has a table, and asks the judge for anchors all the same", name)
		}
	}
	s, err := strategy.NewWith("lsfc", n)
	if err != nil {
		t.Fatal(err)
	}
	table, _ := field(s, "Table").([]judge.TopicWord)
	if field(s, "Language") != "tr" || len(table) != 2 || table[0] != (judge.TopicWord{Term: "bilgi", Weight: 1}) {
		t.Errorf("%+v", s)
	}
	if s, _ = strategy.NewWith("lsfc:language=en", n); field(s, "Language") != "en" {
		t.Error("a parameter must win over the topic")
	}
	if s, _ = strategy.NewWith("intelligent", n); field(s, "Language") != "tr" {
		t.Error("intelligent was not given the language")
	}
}

// field returns a parameter of a strategy.
func field(s dowse.Strategy, name string) any {
	return reflect.ValueOf(s).Elem().FieldByName(name).Interface()
}
