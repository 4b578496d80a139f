package logistic_test

import (
	"testing"

	"dowse"
	"dowse/strategy/internal/logistic"
)

// TestWordsAt compares, for every part of a text as a phrase and every word at which it may begin, the words
// of the document with those that are cut from the phrase. Only phrases that begin and end with words of the
// document, or between them, are found.
func TestWordsAt(t *testing.T) {
	d := &dowse.Document{Text: "Reefs, e\u0301tudes (2nd ed.)\nand Reefs again"}
	d.Words = dowse.Words(d.Text)
	found := 0
	for at := range d.Words {
		for start := range d.Text {
			for end := start; end <= len(d.Text); end++ {
				phrase := d.Text[start:end]
				n := logistic.WordsAt(d, phrase, int32(at))
				if n == 0 {
					continue
				}
				found++
				words := dowse.Words(phrase)
				if len(words) != n {
					t.Fatalf("%q at word %d has %d words, want %d", phrase, at, n, len(words))
				}
				for i, w := range words {
					if got, want := d.Word(at+i), phrase[w.Start:w.End]; got != want {
						t.Errorf("%q at word %d: word %d is %q, want %q", phrase, at, i, got, want)
					}
				}
			}
		}
	}
	if found < len(d.Words) {
		t.Errorf("%d phrases were found, want one for each of %d words at least", found, len(d.Words))
	}
	for _, at := range []int32{-1, int32(len(d.Words))} {
		if n := logistic.WordsAt(d, "Reefs", at); n != 0 {
			t.Errorf("%d words at %d, which the document does not have", n, at)
		}
	}
}
