package logistic_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dowse"
	"dowse/internal/wordnet"
	"dowse/strategy/input"
	"dowse/strategy/internal/logistic"
)

// A kindOf is a noun of a small dictionary, and what it is a kind of.
type kindOf struct{ word, above string }

// kindsOfTest is a taxonomy of animals and tools.
func kindsOfTest(t *testing.T) *wordnet.Taxonomy {
	t.Helper()
	nouns := []kindOf{{"animal", ""}, {"tool", ""}}
	for i := range 12 {
		nouns = append(nouns, kindOf{fmt.Sprintf("beast%c", 'a'+i), "animal"}, kindOf{fmt.Sprintf("thing%c", 'a'+i), "tool"})
	}
	at, data, index := map[string]int{}, "", []string{}
	for _, n := range nouns {
		up := "000"
		if n.above != "" {
			up = fmt.Sprintf("001 @ %08d n 0000", at[n.above])
		}
		at[n.word] = len(data)
		data += fmt.Sprintf("%08d 05 n 01 %s 0 %s | a noun  \n", len(data), n.word, up)
		index = append(index, fmt.Sprintf("%s n 1 1 @ 1 0 %08d  ", n.word, at[n.word]))
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"data.noun": data, "index.noun": strings.Join(index, "\n") + "\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	x, err := wordnet.OpenTaxonomy(dir)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// taughtKinds returns a strategy with a taxonomy that has visited animals on topic and tools off topic, and the leads that it
// has made of a further page with links to others.
func taughtKinds(t *testing.T, x *wordnet.Taxonomy) (*logistic.Auto, map[string]dowse.Lead) {
	t.Helper()
	s := &logistic.Auto{}
	if err := s.Take(input.Inputs{Taxonomy: x}); err != nil {
		t.Fatal(err)
	}
	said := map[dowse.URL]dowse.Lead{}
	keep := func(list []dowse.Lead) (leads []dowse.Lead) {
		for _, l := range list {
			if _, known := said[l.URL]; !known || l.Note != "" {
				said[l.URL] = l
			}
		}
		return list
	}
	for i := range 10 {
		beast, thing := fmt.Sprintf("Beast%c", 'a'+i), fmt.Sprintf("Thing%c (used)", 'a'+i)
		keep(s.Follow(autoPage(autoURL(1000+i), 0.5, "", said, 10*i, beast, thing)))
		keep(s.Follow(autoPage(autoURL(10*i), 0.95, "", said, 0)))
		keep(s.Follow(autoPage(autoURL(10*i+1), 0.05, "", said, 0)))
	}
	leads := map[string]dowse.Lead{}
	for i, l := range keep(s.Follow(autoPage("http://last.test/", 0.5, "", said, 500, "beastk", "thingk", "nothing"))) {
		if i < 3 {
			leads[[]string{"beast", "thing", "none"}[i]] = l
		}
	}
	return s, leads
}

// TestAutoKnowsKinds rates links by what their names are names of: an animal that no page had before, after animals turned out to be on
// topic. The reason names the kind. What was learnt goes on after it was saved.
func TestAutoKnowsKinds(t *testing.T) {
	x := kindsOfTest(t)
	s, leads := taughtKinds(t, x)
	_, plain := taughtKinds(t, nil)
	with, without := leads["beast"].Priority-leads["thing"].Priority, plain["beast"].Priority-plain["thing"].Priority
	if with < without+0.3 {
		t.Errorf("an animal is %.3f above a tool, %.3f without a taxonomy", with, without)
	}
	if leads["beast"].Priority <= leads["none"].Priority || leads["thing"].Priority >= leads["none"].Priority {
		t.Errorf("animal %.3f, unknown %.3f, tool %.3f", leads["beast"].Priority, leads["none"].Priority, leads["thing"].Priority)
	}
	reasons := fmt.Sprint(s.Explain(leads["beast"]))
	if !strings.Contains(reasons, `a kind of "animal"`) {
		t.Errorf("reasons: %s", reasons)
	}
	saved, err := s.Save()
	if err != nil {
		t.Fatal(err)
	}
	again := &logistic.Auto{}
	if err := again.Take(input.Inputs{Taxonomy: x}); err != nil {
		t.Fatal(err)
	}
	if err := again.Load(saved); err != nil {
		t.Fatal(err)
	}
	for name, l := range leads {
		if got, want := again.Rescore(l), s.Rescore(l); got != want {
			t.Errorf("%s after it was saved: %v, want %v", name, got, want)
		}
	}
	bare := &logistic.Auto{}
	if err := bare.Load(saved); err != nil {
		t.Errorf("without the taxonomy: %v", err)
	}
	if second, err := again.Save(); err != nil || !bytes.Equal(second, saved) {
		t.Errorf("saved again: %d bytes, %v; want the same %d", len(second), err, len(saved))
	}
}

// TestSumOfReasonsWithKinds adds up the reasons.
func TestSumOfReasonsWithKinds(t *testing.T) {
	s, leads := taughtKinds(t, kindsOfTest(t))
	for name, l := range leads {
		sum := 0.0
		for _, b := range s.Explain(l) {
			sum += b.Weight
		}
		if d := sum - s.Rescore(l); d > 1e-6 || d < -1e-6 {
			t.Errorf("%s: reasons add up to %v, priority %v", name, sum, s.Rescore(l))
		}
	}
}
