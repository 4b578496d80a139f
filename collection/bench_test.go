package collection_test

import (
	"testing"

	"dowse/collection"
)

func BenchmarkWhy(b *testing.B) {
	c := open(b, madeDir(b), true)
	n := c.Crawl.Frontier().Len()
	for i := 0; b.Loop(); i++ {
		if _, err := c.Why(c.URL(idOf(i * 31 % n))); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPages(b *testing.B) {
	c := open(b, madeDir(b), true)
	for b.Loop() {
		for _, err := range c.Pages(collection.Filter{}) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*madePages), "ns/page")
}
