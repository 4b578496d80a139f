package logistic

import "testing"

// BenchmarkAutoState saves and loads a model that has learnt nothing, which is what a crawl of
// few pages mostly saves.
func BenchmarkAutoState(b *testing.B) {
	s := &auto{}
	data, err := s.Save()
	if err != nil {
		b.Fatal(err)
	}
	b.Run("save", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Save(); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(len(data)), "bytes")
	})
	b.Run("load", func(b *testing.B) {
		for b.Loop() {
			if err := s.Load(data); err != nil {
				b.Fatal(err)
			}
		}
	})
}
