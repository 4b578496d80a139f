package linkclass

import (
	"math"
	"strings"
	"testing"

	"dowse"
	"dowse/internal/text"
	"dowse/judge"
	"dowse/strategy/input"
)

// TestTopicReader compares the similarity by cached words with that by stemmed terms.
func TestTopicReader(t *testing.T) {
	table := []judge.TopicWord{{Term: "tide", Weight: 1}, {Term: "pool", Weight: 0.5}, {Term: "index", Weight: 0.3}, {Term: "東京", Weight: 2}, {Term: "c++", Weight: 1}}
	texts := []string{
		"", "tide pools", "Tide Tides TIDE pool", "index of tides", "the and of", "12 345", "p12345", "東京都 tide", "c++ and C++", "12++ tides",
		strings.Repeat("x ", 70) + "tide", strings.Repeat("y", 1100) + " tide",
	}
	for _, symbols := range []bool{false, true} {
		w := LinkWords{Table: table, Analyzer: text.NewAnalyzer(text.Options{SymbolSuffix: symbols})}
		r, words, plain := newTopicReader(&w), newLinkReader(&w), newTopicTable(table)
		for range 2 { // the second time by memory
			for _, s := range texts {
				if got, want := r.anchor(s), plain.cosine(words.anchor(nil, s)); got != want {
					t.Errorf("anchor %.20q: %v, by terms %v", s, got, want)
				}
				u := dowse.URL("http://tides.test/index/" + strings.ReplaceAll(s, " ", "-"))
				if got, want := r.url(u), plain.cosine(words.url(nil, u)); got != want {
					t.Errorf("%.40q: %v, by terms %v", u, got, want)
				}
			}
		}
	}
	if got, want := newTopicTable(table).cosine([]string{"tide", "tide", "pool", "sea"}), 2.5/(math.Sqrt(5)*math.Sqrt(1+0.25+0.09+4+1)); math.Abs(got-want) > 1e-12 {
		t.Errorf("cosine %v, want %v", got, want)
	}
}

// TestTurkishURLs: URLs have no Turkish letters, so words of links are compared in ASCII.
func TestTurkishURLs(t *testing.T) {
	w := LinkWords{Language: "tr"}
	w.tableOf([]judge.TopicWord{{Term: "alışveriş", Weight: 1}, {Term: "çiçek", Weight: 1}})
	r := newTopicReader(&w)
	for u, want := range map[dowse.URL]float64{
		"http://dukkan.test/alisveris/":         1 / math.Sqrt2,
		"http://dukkan.test/CICEK-ALISVERISI":   1,
		"http://dukkan.test/al%C4%B1%C5%9Fkan/": 0,
	} {
		if got := r.url(u); math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: %v, want %v", u, got, want)
		}
	}
	if got := r.anchor("Alışveriş ve çiçek"); math.Abs(got-1) > 1e-9 {
		t.Errorf("anchor: %v, want 1", got)
	}
	words := newLinkReader(&w)
	if got, want := words.url(nil, "http://x.test/cicek"), words.anchor(nil, "çiçek"); got[len(got)-1] != want[0] {
		t.Errorf("a model of links sees %q in the URL and %q in the anchor", got, want)
	}
	english := LinkWords{Language: "en", Table: []judge.TopicWord{{Term: "café", Weight: 1}}}
	if got := newTopicReader(&english).anchor("cafe"); got != 0 {
		t.Errorf("English is compared as it is written, got %v", got)
	}
}

// TestWeightedTable: the table of the topic's judge is used with its weights and its own stems.
func TestWeightedTable(t *testing.T) {
	var s LinkScoring
	in := input.Inputs{Language: "en", Words: []judge.TopicWord{{Term: "tide", Weight: 1}}, Prefix: 4, Stems: []judge.TopicWord{{Term: "tide", Weight: 1}, {Term: "anem", Weight: 0.5}}}
	if err := s.Take(in); err != nil {
		t.Fatal(err)
	}
	f := newScorer(&s)
	if got, want := f.topic.anchor("anemones"), 0.5/math.Sqrt(1.25); math.Abs(got-want) > 1e-9 {
		t.Errorf("anemones: %v, want %v", got, want)
	}
	other := LinkScoring{LinkWords: LinkWords{Stem: "whole"}}
	if err := other.Take(in); err != nil || len(other.Table) != 1 {
		t.Errorf("with other stems the words of the topic are the table: %v, %v", other.Table, err)
	}
}
