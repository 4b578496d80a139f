package worddiff_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"dowse/internal/worddiff"
)

// short writes runs as a line.
func short(runs []worddiff.Run) string {
	var parts []string
	for _, r := range runs {
		parts = append(parts, map[worddiff.Op]string{worddiff.Same: "=", worddiff.Removed: "-", worddiff.Added: "+"}[r.Op]+strings.Join(r.Words, " "))
	}
	return strings.Join(parts, "|")
}

func TestOf(t *testing.T) {
	for _, test := range []struct{ old, new, want string }{
		{"", "", ""}, {"a b", "a b", "=a b"}, {"", "a b", "+a b"}, {"a b", "", "-a b"},
		{"a b c", "a x c", "=a|-b|+x|=c"}, {"a b c", "a c", "=a|-b|=c"}, {"a c", "a b c d", "=a|+b|=c|+d"},
		{"the tide is low today", "the tide was very low", "=the tide|-is|+was very|=low|-today"},
	} {
		if got := short(worddiff.Of(test.old, test.new)); got != test.want {
			t.Errorf("from %q to %q: %s, want %s", test.old, test.new, got, test.want)
		}
	}
}

// The runs of any two texts give back both, and no more is added and removed than is needed to turn one into
// the other by way of nothing.
func TestRunsGiveBackBothTexts(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 1))
	draw := func(n int) (words []string) {
		for range n {
			words = append(words, fmt.Sprint(dice.IntN(6)))
		}
		return words
	}
	for n := range 300 {
		a, b := draw(n%40), draw((n*7)%40)
		var was, is []string
		for _, r := range worddiff.Of(strings.Join(a, " "), strings.Join(b, " ")) {
			if r.Op != worddiff.Added {
				was = append(was, r.Words...)
			}
			if r.Op != worddiff.Removed {
				is = append(is, r.Words...)
			}
		}
		if strings.Join(was, " ") != strings.Join(a, " ") || strings.Join(is, " ") != strings.Join(b, " ") {
			t.Fatalf("from %v to %v: %v and %v", a, b, was, is)
		}
	}
}

// Texts that have nothing in common are replaced as a whole, however long they are.
func TestTextsThatDifferInAll(t *testing.T) {
	runs := worddiff.Of(strings.Repeat("a ", 30_000), strings.Repeat("b ", 30_000))
	if len(runs) != 2 || len(runs[0].Words) != 30_000 || len(runs[1].Words) != 30_000 {
		t.Errorf("%d runs", len(runs))
	}
}
