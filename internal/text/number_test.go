package text

import (
	"math/rand/v2"
	"strconv"
	"testing"
)

// TestIsNumber checks that a word that is called a number is its own term, in every language, and that other words
// are not called one.
func TestIsNumber(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, language := range []string{"", "en", "en-GB", "da", "fi", "de", "tr", "ru", "ja", "xx"} {
		a := NewAnalyzer(Options{Language: language, Memory: -1})
		for range 2000 {
			word := strconv.FormatUint(rng.Uint64()>>(8*rng.IntN(8)), 10)
			if a.IsNumber(word) && a.Term(word) != word {
				t.Fatalf("language %q: the term of %s is %q", language, word, a.Term(word))
			}
		}
		for _, word := range []string{"", "7", "1a", "a1", "12 3", "٣٤", "page", "12.5"} {
			if a.IsNumber(word) {
				t.Errorf("language %q: %q is called a number", language, word)
			}
		}
	}
	for name, o := range map[string]Options{"a stop word": {Stop: []string{"2011"}}, "a stemmer": {Stem: Prefix(3)}} {
		if o.Memory = -1; NewAnalyzer(o).IsNumber("2011") {
			t.Errorf("with %s of its own, a number may not be its own term", name)
		}
	}
	if !NewAnalyzer(Options{Memory: -1}).IsNumber("2011") {
		t.Error("2011 is not called a number")
	}
}
