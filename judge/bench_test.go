package judge_test

import (
	"testing"

	"dowse"
	"dowse/internal/judgetest"
	"dowse/judge"
)

func BenchmarkTrain225(b *testing.B) {
	examples := judgetest.Class(225)
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
	p := judgetest.Page(1000, 2000, true)
	eachModel(b, func(b *testing.B, m judge.Model) {
		for b.Loop() {
			p.Words = dowse.AppendWords(p.Words[:0], p.Text, 0)
			m.Judge(p)
		}
	})
}

// BenchmarkWindow is what each window of 20 words costs beyond the page itself.
func BenchmarkWindow(b *testing.B) {
	p := judgetest.Page(1000, 2000, true)
	windows := judgetest.Windows(2000)
	eachModel(b, func(b *testing.B, m judge.Model) {
		for b.Loop() {
			m.JudgeWindows(p, windows)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(windows)), "ns/window")
	})
}

func eachModel(b *testing.B, run func(b *testing.B, m judge.Model)) {
	examples := judgetest.Class(225)
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
	m, err := judge.Logistic{}.Train(judgetest.Class(225))
	if err != nil {
		b.Fatal(err)
	}
	labels := judgetest.Class(50)
	for i := 0; b.Loop(); i++ {
		m.(*judge.Online).Learn(labels[i%len(labels)])
	}
}
