package main

import (
	"fmt"
	"testing"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/strategy"
)

// BenchmarkHold is what waiting for better links costs in virtual time and brings in true
// harvest, on three demo webs: the table of docs/stopping.md.
//
//	go test ./cmd/dowse -run '^$' -bench Hold -benchtime 1x
func BenchmarkHold(b *testing.B) {
	const webs, pages = 3, 800
	for _, name := range []string{"link-context", "online", "naive-best-first"} {
		for _, hold := range []float64{-1, 0.4, 0.2, 0.1, 0.05, 0.02} {
			b.Run(fmt.Sprintf("%s/hold=%v", name, hold), func(b *testing.B) {
				for b.Loop() {
					seconds, harvest := 0.0, 0.0
					for i := range webs {
						s, h := heldCrawl(b, name, uint64(i), pages, hold)
						seconds, harvest = seconds+s/webs, harvest+h/webs
					}
					b.ReportMetric(seconds, "virtual-s")
					b.ReportMetric(harvest, "harvest")
				}
			})
		}
	}
}

// heldCrawl returns the virtual seconds and the true harvest of one crawl of a demo web.
func heldCrawl(b *testing.B, name string, seed uint64, pages int, hold float64) (seconds, harvest float64) {
	m, err := openDemoWeb(collection.Demo{Pages: 2400, Seed: seed})
	if err != nil {
		b.Fatal(err)
	}
	web, err := m.lab(pages)
	if err != nil {
		b.Fatal(err)
	}
	web.Polite.Hold = hold
	s, err := strategy.New(name)
	if err != nil {
		b.Fatal(err)
	}
	fetched, relevant := 0, 0
	end, err := web.Crawl(b.Context(), s, func(_ time.Time, p *dowse.Page) {
		fetched++
		if web.Relevant(p.URL) {
			relevant++
		}
	})
	if err != nil {
		b.Fatal(err)
	}
	return end.Elapsed.Seconds(), float64(relevant) / float64(fetched)
}
