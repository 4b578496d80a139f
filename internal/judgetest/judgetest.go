// Package judgetest generates pages for benchmarks of judges, so that all of
// them are measured on the same text.
//
// Words follow Zipf's law over 6,000 words, as in natural language, because the
// cost of a judge depends on how many different words a page has. The same
// arguments give the same page.
package judgetest

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"dowse"
	"dowse/judge"
)

// Page returns a page of n words with Zipf's frequencies; on topic, every tenth
// is one of 60 words of the topic.
func Page(seed uint64, n int, on bool) *dowse.Page {
	rng := rand.New(rand.NewPCG(seed, 9))
	zipf := rand.NewZipf(rng, 1.05, 6, 6000)
	var b strings.Builder
	for i := range n {
		if on && i%10 == 0 {
			fmt.Fprintf(&b, "topical%d ", rng.IntN(60))
		} else {
			fmt.Fprintf(&b, "word%d ", zipf.Uint64())
		}
	}
	return &dowse.Page{Document: dowse.Document{Title: "word1 topical2", Text: b.String(), Words: dowse.Words(b.String())}}
}

// Class returns n examples of 400 words each, a third of them on topic, with
// about 3,000 terms together: more than a judge keeps.
func Class(n int) (list []judge.Example) {
	for i := range n {
		list = append(list, judge.Example{Page: Page(uint64(i), 400, i%3 == 0), Relevant: i%3 == 0})
	}
	return list
}

// Windows returns n windows of 20 words in a page of 2,000.
func Windows(n int) []dowse.Span {
	windows := make([]dowse.Span, n)
	for i := range windows {
		at := int32(i) % 1980
		windows[i] = dowse.Span{Start: at, End: at + 20}
	}
	return windows
}
