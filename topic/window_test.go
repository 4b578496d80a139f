package topic_test

import (
	"testing"

	"dowse"
	"dowse/internal/judgetest"
	"dowse/topic"
)

// BenchmarkWindow is what each window of 20 words costs, and BenchmarkPage what a page
// of 2,000 words does, for a topic of words, of examples and of both; to be set beside
// BenchmarkTokenizer of package extract.
func BenchmarkWindow(b *testing.B) {
	p := judgetest.Page(1000, 2000, true)
	windows := judgetest.Windows(2000)
	eachTopic(b, func(b *testing.B, j *topic.Judge) {
		for b.Loop() {
			j.JudgeWindows(p, windows)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(windows)), "ns/window")
	})
}

func BenchmarkPage(b *testing.B) {
	p := judgetest.Page(1000, 2000, true)
	eachTopic(b, func(b *testing.B, j *topic.Judge) {
		for b.Loop() {
			p.Words = dowse.AppendWords(p.Words[:0], p.Text, 0)
			j.Judge(p)
		}
	})
}

func eachTopic(b *testing.B, run func(b *testing.B, j *topic.Judge)) {
	words := []string{"topical1 topical2", "topical3", "topical4"}
	examples := judgetest.Class(60)
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
