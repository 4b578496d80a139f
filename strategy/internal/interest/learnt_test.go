package interest_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"dowse/strategy"
	"dowse/strategy/input"
	"dowse/strategy/internal/interest"
	"dowse/strategy/strategytest"
)

// unmarshalExactly decodes the members of an object whose names match in case.
func unmarshalExactly(b []byte, members map[string]any) error {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(b, &raw); err != nil {
		return err
	}
	for name, into := range members {
		if v, ok := raw[name]; ok {
			if err := json.Unmarshal(v, into); err != nil {
				return err
			}
		}
	}
	return nil
}

func TestLearntTravels(t *testing.T) {
	web, seeds := strategytest.Random(300, 5)
	first, err := strategy.NewWith("combined", input.Inputs{Trace: readers(t)})
	if err != nil {
		t.Fatal(err)
	}
	crawlToy(t, first, web, seeds, 150)
	l := first.(input.Learner).Learnt("tide pools #1a2b")
	var file bytes.Buffer
	if err := l.Write(&file); err != nil {
		t.Fatal(err)
	}
	read, err := input.ReadLearnt(bytes.NewReader(file.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"intelligent", "collaborative", "combined"} {
		s, err := strategy.NewWith(name+":reuse-weight=0.5", input.Inputs{Trace: readers(t)})
		if err != nil {
			t.Fatal(err)
		}
		learner := s.(input.Learner)
		if err := learner.LearnFrom(read, "rock pools #9f"); !errors.Is(err, input.ErrPredicate) || !strings.Contains(err.Error(), "tide pools #1a2b") {
			t.Errorf("%s: learnt from another predicate: %v", name, err)
		}
		if err := learner.LearnFrom(read, "tide pools #1a2b"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		half(t, name, learner.Learnt(""), l)
	}
}

// half checks that counts came through at half their weight.
func half(t *testing.T, name string, got, whole *input.Learnt) {
	t.Helper()
	if got.Linkage != nil {
		if len(got.Linkage.Words) != len(whole.Linkage.Words) || got.Linkage.Links[0] != whole.Linkage.Links[0]/2 {
			t.Errorf("%s: links %v of %v, %d words of %d", name, got.Linkage.Links, whole.Linkage.Links, len(got.Linkage.Words), len(whole.Linkage.Words))
		}
	}
	if got.Usage != nil {
		for key, c := range whole.Usage.Users {
			if h := got.Usage.Users[key]; h[0] != c[0]/2 || h[1] != c[1]/2 {
				t.Errorf("%s: a user counts %v, want half of %v", name, h, c)
			}
		}
	}
}

func TestLearntIsRefused(t *testing.T) {
	for file, want := range map[string]string{
		``:                           "EOF",
		`{"format":"other"}`:         "the format",
		`{"format":"dowse-learnt/1"`: "unexpected EOF",
		`{"format":"dowse-learnt/1","linkage":{"words":{"a":[1,2]}}}`:   "can't be",
		`{"format":"dowse-learnt/1","linkage":{"links":[-1,0,0,0]}}`:    "can't be",
		`{"format":"dowse-learnt/1","usage":{"users":{"a":[-1,-1]}}}`:   "can't be",
		`{"format":"dowse-learnt/1","usage":{"users":{"a":[1e999,0]}}}`: "json",
	} {
		if _, err := input.ReadLearnt(strings.NewReader(file)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", file, err, want)
		}
	}
	s := &interest.Intelligent{}
	if err := s.LearnFrom(&input.Learnt{Usage: &input.UsageLearnt{}}, ""); err == nil || !strings.Contains(err.Error(), "links") {
		t.Errorf("links learnt from a trace: %v", err)
	}
}

func TestTraceIsNeeded(t *testing.T) {
	for _, name := range []string{"collaborative", "combined"} {
		if _, err := strategy.New(name); !errors.Is(err, interest.ErrNoTrace) || !strings.Contains(err.Error(), "access log") {
			t.Errorf("%s without a trace: %v", name, err)
		}
	}
}
