package linkclass_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"dowse"
	"dowse/strategy"
	"dowse/strategy/input"
	"dowse/strategy/internal/linkclass"
)

// TestLinksLearnt hands what one link classifier has learnt to another, which then
// needs no training.
func TestLinksLearnt(t *testing.T) {
	links, err := input.ReadLabelledLinks(strings.NewReader("+\thttp://a.test/tide-pools\ttide pools of the north\n-\thttp://b.test/shop\tcart\n-\thttp://c.test/\n"))
	if err != nil {
		t.Fatal(err)
	}
	first, err := strategy.NewWith("nb", input.Inputs{Links: links})
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := first.(input.Learner).Learnt("pools").Write(&file); err != nil {
		t.Fatal(err)
	}
	l, err := input.ReadLearnt(&file)
	if err != nil {
		t.Fatal(err)
	}
	lead := func(spec string) dowse.Lead {
		s, err := strategy.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.(input.Learner).LearnFrom(l, "pools"); err != nil {
			t.Fatal(err)
		}
		p := &dowse.Page{URL: "http://x.test/", Verdict: dowse.Verdict{Relevance: 0.9}}
		p.Links = []dowse.Link{{URL: "http://x.test/a", Mention: dowse.Mention{Anchor: "tide pools"}}}
		return s.Follow(p)[0]
	}
	whole, half := lead("nb"), lead("nb:reuse-weight=0.5")
	if whole.Band != linkclass.ProbableBand || whole.Priority <= half.Priority || half.Priority <= 0.5 {
		t.Errorf("whole %v in band %d, half %v", whole.Priority, whole.Band, half.Priority)
	}
	s, _ := strategy.New("nb")
	if err := s.(input.Learner).LearnFrom(l, "shops"); !errors.Is(err, input.ErrPredicate) {
		t.Errorf("another predicate: %v", err)
	}
	if err := s.(input.Learner).LearnFrom(&input.Learnt{Predicate: "pools"}, "pools"); err == nil {
		t.Error("nothing learnt there, and no error")
	}
	if _, err := strategy.New("nb:reuse-weight=2"); err == nil {
		t.Error("a weight of 2 was taken")
	}
}
