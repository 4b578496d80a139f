package strategy_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/judge"
	"dowse/strategy"
	"dowse/strategy/input"
	"dowse/strategy/strategytest"
)

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
	if l := s.(*strategy.LSFC); l.Language != "tr" || len(l.Table) != 2 || l.Table[0] != (judge.TopicWord{Term: "bilgi", Weight: 1}) {
		t.Errorf("%+v", l.LinkWords)
	}
	if s, _ = strategy.NewWith("lsfc:language=en", n); s.(*strategy.LSFC).Language != "en" {
		t.Error("a parameter must win over the topic")
	}
	if s, _ = strategy.NewWith("intelligent", n); s.(*strategy.Intelligent).Language != "tr" {
		t.Error("intelligent was not told the language")
	}
}

func TestClasses(t *testing.T) {
	table := []judge.Code{{Code: "577", Label: "ecology of tide pools"}, {Code: "595", Label: "crabs"}, {Code: "641", Label: "cooking crabs"}}
	for spec, want := range map[string]struct {
		codes []judge.Code
		says  string
	}{
		"treasure":              {nil, ""},
		"treasure:codes=paper":  {nil, ""},
		"treasure:codes=57+59":  {table, ""},
		"treasure:codes=":       {table, "which classes"},
		"treasure:codes=7":      {table, "no such classes"},
		"treasure:select=worst": {nil, "lowest or best"},
	} {
		s, err := strategy.NewWith(spec, input.Inputs{TGraph: tides(), Classes: want.codes})
		if want.says != "" {
			if err == nil || !strings.Contains(err.Error(), want.says) {
				t.Errorf("%s: %v, want %q", spec, err, want.says)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", spec, err)
			continue
		}
		if has := s.(*strategy.Treasure).Classes != nil; has != strings.Contains(spec, "codes") {
			t.Errorf("%s: classes %v", spec, has)
		}
	}
}

const taughtLinks = "# to learn from\n+\thttp://a.test/tide-pools\ttide pools of the north\n\n-\thttp://b.test/shop\tcart\r\n-\thttp://c.test/\n"

func TestLabelledLinks(t *testing.T) {
	list, err := input.ReadLabelledLinks(strings.NewReader(taughtLinks))
	if err != nil {
		t.Fatal(err)
	}
	want := []input.LabelledLink{
		{Anchor: "tide pools of the north", URL: "http://a.test/tide-pools", Relevant: true},
		{Anchor: "cart", URL: "http://b.test/shop"}, {URL: "http://c.test/"},
	}
	if !slices.Equal(list, want) {
		t.Errorf("%+v", list)
	}
	for _, bad := range []string{"http://a.test/ x", "?\thttp://a.test/\tx", "+\t\tx"} {
		if _, err := input.ReadLabelledLinks(strings.NewReader(taughtLinks + bad)); err == nil || !strings.Contains(err.Error(), "line 6") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func FuzzLabelledLinks(f *testing.F) {
	f.Add([]byte(taughtLinks))
	f.Add([]byte("+\t\xff\t\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		list, err := input.ReadLabelledLinks(bytes.NewReader(b))
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := input.WriteLabelledLinks(&out, list); err != nil {
			t.Fatal(err)
		}
		if again, err := input.ReadLabelledLinks(&out); err != nil || len(again) != len(list) {
			t.Errorf("%d links, read again %d: %v", len(list), len(again), err)
		}
	})
}

// TestLinksLearnt hands what one link classifier has learnt to another, which then
// needs no training.
func TestLinksLearnt(t *testing.T) {
	links, err := input.ReadLabelledLinks(strings.NewReader(taughtLinks))
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
	if whole.Band != strategy.ProbableBand || whole.Priority <= half.Priority || half.Priority <= 0.5 {
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

// TestExpandParent crawls a toy web of which one page has three links: once the first
// is visited the others follow at once, whatever was found meanwhile.
func TestExpandParent(t *testing.T) {
	order := func(spec string) (list []dowse.URL) {
		s, err := strategy.NewWith(spec, input.Inputs{TGraph: tides()})
		if err != nil {
			t.Fatal(err)
		}
		target := tides().Pages[0].Text
		web := strategytest.Toy{
			"s": {Links: strategytest.To("a", "b", "c")},
			"a": {Text: target, Links: strategytest.To("a1", "a2")},
			"b": {}, "c": {}, "a1": {}, "a2": {},
		}
		c, err := crawl.New(crawl.Config{Strategy: s, Polite: polite, Traps: crawl.Traps{Budget: -1}})
		if err != nil {
			t.Fatal(err)
		}
		c.Start(time.Time{}, []dowse.URL{"s"})
		for now := (time.Time{}); ; now = now.Add(time.Second) {
			v, _, ok := c.Next(now)
			if !ok {
				return list
			}
			list = append(list, v.URL)
			p, _ := web.Visit(v)
			c.Absorb(now, p)
		}
	}
	if got := order("context-graph"); !slices.Equal(got, []dowse.URL{"s", "a", "a1", "a2", "b", "c"}) {
		t.Errorf("link by link: %v", got)
	}
	if got := order("context-graph:expand=parent"); !slices.Equal(got, []dowse.URL{"s", "a", "b", "c", "a1", "a2"}) {
		t.Errorf("page by page: %v", got)
	}
}
