package topic_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"dowse"
	"dowse/judge"
	"dowse/topic"
)

// A page of words with the frequencies of a language; on topic, every tenth is one of
// the topic's.
func zipfPage(seed uint64, n int, on bool) *dowse.Page {
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
	p := &dowse.Page{Document: dowse.Document{Title: "word1 topical2", Text: b.String()}}
	p.Words = dowse.Words(p.Text)
	return p
}

// BenchmarkWindow is what each window of 20 words costs, and BenchmarkPage what a page
// of 2,000 words does, for a topic of words, of examples and of both; to be set beside
// BenchmarkTokenizer of package extract.
func BenchmarkWindow(b *testing.B) {
	p := zipfPage(1000, 2000, true)
	windows := make([]dowse.Span, 2000)
	for i := range windows {
		at := int32(i) % 1980
		windows[i] = dowse.Span{Start: at, End: at + 20}
	}
	eachTopic(b, func(b *testing.B, j *topic.Judge) {
		for b.Loop() {
			j.JudgeWindows(p, windows)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(windows)), "ns/window")
	})
}

func BenchmarkPage(b *testing.B) {
	p := zipfPage(1000, 2000, true)
	eachTopic(b, func(b *testing.B, j *topic.Judge) {
		for b.Loop() {
			p.Words = dowse.AppendWords(p.Words[:0], p.Text, 0)
			j.Judge(p)
		}
	})
}

func eachTopic(b *testing.B, run func(b *testing.B, j *topic.Judge)) {
	words := []string{"topical1 topical2", "topical3", "topical4"}
	var examples []judge.Example
	for i := range 60 {
		examples = append(examples, judge.Example{Page: zipfPage(uint64(i), 400, i%3 == 0), Relevant: i%3 == 0})
	}
	for _, c := range []struct {
		name  string
		topic topic.Topic
		m     topic.Material
	}{
		{"words", topic.Topic{Words: words}, topic.Material{}},
		{"examples", topic.Topic{}, topic.Material{Examples: examples}},
		{"both", topic.Topic{Words: words}, topic.Material{Examples: examples}},
	} {
		j, err := c.topic.NewJudge(&c.m)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(c.name, func(b *testing.B) { run(b, j) })
	}
}
