package logistic_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"dowse/internal/vectors"
	"dowse/judge"
	"dowse/strategy/input"
	"dowse/strategy/internal/logistic"
)

// twoKinds returns a table with the words cat0 to cat9 and ship0 to ship9 as letters, in which
// the words of a kind are alike, after 300 words of no kind.
func twoKinds(t *testing.T) *vectors.Table {
	t.Helper()
	draw := rand.New(rand.NewPCG(3, 4))
	var b strings.Builder
	put := func(word string, at int) {
		b.WriteString(word)
		for i := range 10 {
			x := draw.NormFloat64()
			if i == at {
				x += 5
			}
			fmt.Fprintf(&b, " %.3f", x)
		}
		b.WriteString("\n")
	}
	for i := range 300 {
		put(fmt.Sprint("filler", i), -1)
	}
	for i := range 10 {
		put(kindWord("cat", i), 2)
		put(kindWord("ship", i), 7)
	}
	table, err := vectors.Read(strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// kindWord returns the i-th word of a kind, which has no digit, since URLs with digits are no words.
func kindWord(kind string, i int) string { return kind + strings.Repeat(string(rune('a'+i)), 3) }

// taught returns a strategy after pages with titles of both kinds, of which those about cats are
// relevant.
func taught(t *testing.T, table *vectors.Table) *logistic.Auto {
	t.Helper()
	s := &logistic.Auto{}
	if err := s.Take(input.Inputs{Vectors: table}); err != nil {
		t.Fatal(err)
	}
	for i := range 6 {
		for k, kind := range []string{"cat", "ship"} {
			p := autoPage(autoURL(100+2*i+k), float64(1-k), "", nil, 0)
			p.Title = kindWord(kind, i)
			s.Follow(p)
		}
	}
	return s
}

// kindLeads returns the priorities of links with anchors that no page has had yet: about a cat and a ship.
func kindLeads(s *logistic.Auto) (cat, ship float64) {
	leads := s.Follow(autoPage("http://hub.test/", 0.5, "", nil, 0, kindWord("cat", 9), kindWord("ship", 9)))
	for _, l := range leads {
		switch l.URL {
		case autoURL(0):
			cat = l.Priority
		case autoURL(1):
			ship = l.Priority
		}
	}
	return cat, ship
}

// TestKin rates anchors that no page has had: with word vectors the one that is like the titles
// of relevant pages is above the other, and without them both are the same.
func TestKin(t *testing.T) {
	table := twoKinds(t)
	if cat, ship := kindLeads(taught(t, table)); cat < ship+1 {
		t.Errorf("with vectors: cat %.2f, ship %.2f", cat, ship)
	}
	if cat, ship := kindLeads(taught(t, nil)); cat != ship {
		t.Errorf("without vectors: cat %.2f, ship %.2f", cat, ship)
	}
}

// TestKinIsSaved saves and loads a strategy with vectors: it goes on as if it had not ended. With
// another table it begins afresh with the vectors, and without one it does without.
func TestKinIsSaved(t *testing.T) {
	table := twoKinds(t)
	s := taught(t, table)
	saved, err := s.Save()
	if err != nil {
		t.Fatal(err)
	}
	cat, ship := kindLeads(s)
	again := func(with *vectors.Table) (float64, float64) {
		s := &logistic.Auto{}
		if err := s.Take(input.Inputs{Vectors: with}); err != nil {
			t.Fatal(err)
		}
		if err := s.Load(saved); err != nil {
			t.Fatal(err)
		}
		return kindLeads(s)
	}
	if c, h := again(table); c != cat || h != ship {
		t.Errorf("the same table: %.4f %.4f, want %.4f %.4f", c, h, cat, ship)
	}
	other, err := vectors.Read(strings.NewReader("a 1 2\nb 2 1\nc 3 4\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, with := range []*vectors.Table{nil, other} {
		if c, h := again(with); c != h {
			t.Errorf("another table: %.4f %.4f", c, h)
		}
	}
}

// TestKinBeginsWithTheTopic rates anchors before any page was read: the one that is like the words of
// the topic is above the other, as far as the words have weights, and what was learnt goes on after it was saved.
func TestKinBeginsWithTheTopic(t *testing.T) {
	table := twoKinds(t)
	begun := func(words ...judge.TopicWord) *logistic.Auto {
		s := &logistic.Auto{}
		if err := s.Take(input.Inputs{Vectors: table, Words: words}); err != nil {
			t.Fatal(err)
		}
		return s
	}
	cats := judge.TopicWord{Term: kindWord("cat", 0) + " and " + kindWord("cat", 1), Weight: 1}
	few := judge.TopicWord{Term: kindWord("ship", 0), Weight: 0.25}
	if cat, ship := kindLeads(begun(cats, few)); cat < ship+1 {
		t.Errorf("cats are wanted: cat %.2f, ship %.2f", cat, ship)
	}
	for _, words := range [][]judge.TopicWord{nil, {{Term: "unknown words", Weight: 1}}} {
		if cat, ship := kindLeads(begun(words...)); cat != ship {
			t.Errorf("%v are wanted: cat %.2f, ship %.2f", words, cat, ship)
		}
	}
	s := begun(cats)
	saved, err := s.Save()
	if err != nil {
		t.Fatal(err)
	}
	again := begun(cats)
	if err := again.Load(saved); err != nil {
		t.Fatal(err)
	}
	cat, ship := kindLeads(s)
	if c, h := kindLeads(again); c != cat || h != ship {
		t.Errorf("after it was saved: %.4f %.4f, want %.4f %.4f", c, h, cat, ship)
	}
}
