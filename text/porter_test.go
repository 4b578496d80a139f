package text_test

import (
	"bufio"
	"compress/gzip"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"dowse/text"
)

// vocabulary reads the words of a conformance list with their stems.
func vocabulary(t testing.TB, name string) [][2]string {
	t.Helper()
	f, err := os.Open(shared(t, "suites", "stem", name+".tsv.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var rows [][2]string
	for s := bufio.NewScanner(z); s.Scan(); {
		if word, stem, ok := strings.Cut(s.Text(), "\t"); ok {
			rows = append(rows, [2]string{word, stem})
		}
	}
	return rows
}

func TestStemVocabularies(t *testing.T) {
	tests := []struct {
		stemmer string
		atLeast float64 // share of the words
	}{
		{"porter", 1},
		{"english", 0.998},
		{"german", 0.94},
		{"turkish", 0.90},
	}
	for _, tt := range tests {
		t.Run(tt.stemmer, func(t *testing.T) {
			stem, ok := text.StemmerNamed(tt.stemmer)
			if !ok {
				t.Fatal("no such stemmer")
			}
			right, all := agreement(t, stem, vocabulary(t, tt.stemmer), tt.atLeast == 1)
			t.Logf("%d of %d (%.2f %%)", right, all, 100*float64(right)/float64(all))
			if float64(right) < tt.atLeast*float64(all) {
				t.Errorf("%d of %d, want a share of %g", right, all, tt.atLeast)
			}
		})
	}
}

// agreement counts the words with the expected stem, leaving out those of one or
// two letters, which Porter 1980 does not touch.
func agreement(t *testing.T, stem text.Stemmer, rows [][2]string, verbose bool) (right, all int) {
	for _, r := range rows {
		if utf8.RuneCountInString(r[0]) <= 2 {
			continue
		}
		all++
		got := stem(r[0])
		if got == r[1] {
			right++
		} else if verbose {
			t.Errorf("stem of %q = %q, want %q", r[0], got, r[1])
		}
	}
	return right, all
}

func TestPorterKeepsOtherLettersWhole(t *testing.T) {
	for word, want := range map[string]string{
		"és":                     "és",
		"naïves":                 "naïv",
		"\u2020\u2020ed":         "\u2020\u2020ed",
		"o\u2010\u2010ed":        "o\u2010\u2010",
		"":                       "",
		strings.Repeat("y", 100): strings.Repeat("y", 99) + "i",
	} {
		if got := text.Porter(word); got != want {
			t.Errorf("stem of %q = %q, want %q", word, got, want)
		}
	}
}

func TestStemmerNamed(t *testing.T) {
	for name, want := range map[string]string{
		"porter": "gener", "english": "generous", "en": "gener", "prefix": "gener", "whole": "generously", "German": "generously",
	} {
		stem, ok := text.StemmerNamed(name)
		if !ok {
			t.Errorf("no stemmer %q", name)
		} else if got := stem("generously"); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if _, ok := text.StemmerNamed("klingon"); ok {
		t.Error("a stemmer for klingon")
	}
}

func BenchmarkPorter(b *testing.B) {
	words := strings.Fields("relational conditional vietnamization crawling crawlers focused relevance computation hopefulness reef")
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		text.Porter(words[i%len(words)])
	}
}
