package text_test

import (
	"bufio"
	"compress/gzip"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"dowse/internal/shareddata"
	"dowse/internal/text"
)

// vocabulary reads the words of a conformance list with their stems.
func vocabulary(t testing.TB, name string) [][2]string {
	t.Helper()
	f, err := os.Open(shareddata.Path(t, "suites", "stem", name+".tsv.gz"))
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

// Porter's stems are those of its vocabulary, but for 14 strings of one or two
// letters, which Porter 1980 does not touch.
func TestPorterVocabulary(t *testing.T) {
	rows := vocabulary(t, "porter")
	short := 0
	for _, r := range rows {
		got := text.Porter(r[0])
		switch {
		case got == r[1]:
		case utf8.RuneCountInString(r[0]) <= 2 && got == r[0]:
			short++
		default:
			t.Errorf("stem of %q = %q, want %q", r[0], got, r[1])
		}
	}
	t.Logf("%d of %d", len(rows)-short, len(rows))
	if len(rows) < 42_000 || short != 14 {
		t.Errorf("%d of %d words are short and differ, want 14", short, len(rows))
	}
}

// The shares of today's vocabularies that Snowball's stemmers, as they were generated,
// reach. The rules have changed since.
func TestSnowballVocabularies(t *testing.T) {
	for name, atLeast := range map[string]float64{"english": 0.9985, "german": 0.96, "turkish": 0.90} {
		t.Run(name, func(t *testing.T) {
			stem, ok := text.StemmerNamed(name)
			if !ok {
				t.Fatal("no such stemmer")
			}
			rows, right := vocabulary(t, name), 0
			for _, r := range rows {
				if stem(r[0]) == r[1] {
					right++
				}
			}
			share := float64(right) / float64(len(rows))
			t.Logf("%d of %d (%.2f %%)", right, len(rows), 100*share)
			if share < atLeast {
				t.Errorf("a share of %.4f, want %g", share, atLeast)
			}
		})
	}
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
