package judge_test

import (
	"math/rand/v2"
	"testing"

	"dowse"
	"dowse/internal/judgetest"
	"dowse/judge"
)

// TestWindowsWithoutVectors compares the ratings of windows that are computed without making a vector
// with those of the vectors, to the last digit: for windows in any order, with repeated words, with
// words of no example, empty ones, and ones that reach beyond the page.
func TestWindowsWithoutVectors(t *testing.T) {
	m, err := judge.Logistic{Slots: 256}.Train(judgetest.Class(40))
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 20 {
		p := judgetest.Page(uint64(3000+i), 400, i%2 == 0)
		var windows []dowse.Span
		for range 200 {
			start := int32(rng.IntN(420))
			windows = append(windows, dowse.Span{Start: start, End: start + int32(rng.IntN(40))})
		}
		_, ratings := m.JudgeWindows(p, windows)
		for k, want := range m.(*judge.Online).VectorRatings(p, windows) {
			if ratings[k] != want {
				t.Fatalf("page %d, words %v: %v, want %v", i, windows[k], ratings[k], want)
			}
		}
	}
}
