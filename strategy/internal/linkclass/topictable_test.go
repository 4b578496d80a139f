package linkclass

import (
	"math"
	"strings"
	"testing"

	"dowse"
	"dowse/internal/text"
	"dowse/judge"
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
