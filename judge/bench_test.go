package judge_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"dowse"
	"dowse/judge"
)

// class returns n examples of 400 words each, a third on topic, with some 3,000
// terms in all: more than are kept.
func class(n int) []judge.Example {
	var list []judge.Example
	for i := range n {
		list = append(list, judge.Example{Page: benchPage(uint64(i), 400, i%3 == 0), Relevant: i%3 == 0})
	}
	return list
}

// benchPage makes a page of words with Zipf's frequencies; on topic, every tenth is
// one of the topic's.
func benchPage(seed uint64, n int, on bool) *dowse.Page {
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
	return page("word1 topical2", b.String())
}

func BenchmarkTrain225(b *testing.B) {
	examples := class(225)
	for _, c := range candidates() {
		b.Run(c.Name, func(b *testing.B) {
			for b.Loop() {
				if _, err := c.Trainer.Train(examples); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkJudge2000Words is a whole page: words, terms, judgement, reasons.
func BenchmarkJudge2000Words(b *testing.B) {
	p := benchPage(1000, 2000, true)
	eachModel(b, func(b *testing.B, m judge.Model) {
		for b.Loop() {
			p.Words = dowse.AppendWords(p.Words[:0], p.Text, 0)
			m.Judge(p)
		}
	})
}

// BenchmarkWindow is what each window of 20 words costs beyond the page itself.
func BenchmarkWindow(b *testing.B) {
	p := benchPage(1000, 2000, true)
	windows := make([]dowse.Span, 2000)
	for i := range windows {
		at := int32(i) % 1980
		windows[i] = dowse.Span{Start: at, End: at + 20}
	}
	eachModel(b, func(b *testing.B, m judge.Model) {
		for b.Loop() {
			m.JudgeWindows(p, windows)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(windows)), "ns/window")
	})
}

func eachModel(b *testing.B, run func(b *testing.B, m judge.Model)) {
	examples := class(225)
	for _, c := range candidates() {
		m, err := c.Trainer.Train(examples)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(c.Name, func(b *testing.B) { run(b, m) })
	}
	digits, err := judge.Dewey{}.New()
	if err != nil {
		b.Fatal(err)
	}
	b.Run("dewey", func(b *testing.B) { run(b, digits) })
}

func BenchmarkLearn(b *testing.B) {
	m, err := judge.Logistic{}.Train(class(225))
	if err != nil {
		b.Fatal(err)
	}
	labels := class(50)
	for i := 0; b.Loop(); i++ {
		m.(*judge.Online).Learn(labels[i%len(labels)])
	}
}
