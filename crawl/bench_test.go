package crawl_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/strategy"
)

// BenchmarkAbsorb takes in pages of 40 links, 30 of them new, with the link-context
// strategy, and picks the next lead.
func BenchmarkAbsorb(b *testing.B) {
	b.Run("memory", func(b *testing.B) { absorb(b, nil, crawl.Config{}) })
	b.Run("counting links", func(b *testing.B) { absorb(b, nil, crawl.Config{LinksIn: true}) })
	b.Run("shadow", func(b *testing.B) {
		absorb(b, nil, crawl.Config{Shadows: []crawl.Shadow{{Name: "x", Strategy: &strategy.LinkContext{}}}})
	})
	b.Run("journal", func(b *testing.B) {
		j, err := crawl.OpenJournal(b.TempDir(), parse, false)
		if err != nil {
			b.Fatal(err)
		}
		defer j.Close()
		absorb(b, j, crawl.Config{})
	})
}

func absorb(b *testing.B, j *crawl.Journal, with crawl.Config) {
	cfg := hurried(&strategy.LinkContext{})
	cfg.Shadows, cfg.LinksIn = with.Shadows, with.LinksIn
	cfg.Traps = crawl.Traps{}
	cfg.Polite.InFlight = 1000
	if j != nil {
		cfg.Log = j
	}
	var seeds []dowse.URL
	for i := range 500 {
		seeds = append(seeds, dowse.URL(fmt.Sprintf("http://h%d.example/", i)))
	}
	before := heapBytes()
	c := begin(b, cfg, seeds...)
	now, n := epoch, 0
	pages := make([]*dowse.Page, 0, 256)
	b.ReportAllocs()
	for b.Loop() {
		if len(pages) == 0 {
			b.StopTimer()
			pages = pages[:cap(pages)]
			for i := range pages {
				pages[i] = linkedPage(n)
				n++
			}
			if j != nil {
				if err := j.Sync(); err != nil {
					b.Fatal(err)
				}
			}
			b.StartTimer()
		}
		p := pages[len(pages)-1]
		pages = pages[:len(pages)-1]
		now = now.Add(time.Millisecond)
		v, _, ok := c.Next(now)
		if !ok {
			b.Fatal("nothing to visit")
		}
		p.URL = v.URL
		c.Absorb(now, p)
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N), "µs/page")
	b.ReportMetric(float64(heapBytes()-before)/float64(c.Frontier().Len()), "B/URL")
	runtime.KeepAlive(c)
}

func heapBytes() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func linkedPage(n int) *dowse.Page {
	p := &dowse.Page{Outcome: dowse.Fetched}
	p.Sketch = sketchOf(uint64(n) + 1)
	p.Verdict = dowse.Verdict{Relevance: 0.6, Because: []dowse.Because{{What: "tide", Weight: 0.6, Count: 4}}}
	p.Links = make([]dowse.Link, 40)
	for i := range p.Links {
		l := &p.Links[i]
		l.URL = dowse.URL(fmt.Sprintf("http://h%d.example/section-%c/article/%d-about-tide-pools", (n*7+i)%500, 'a'+rune(i%26), n*40+i))
		if i >= 30 {
			l.URL = dowse.URL(fmt.Sprintf("http://h%d.example/section-%c/article/%d-about-tide-pools", (n/2*7+i-10)%500, 'a'+rune((i-10)%26), n/2*40+i-10))
		}
		l.Anchor, l.Context = "tide pools of the north", float64((n*31+i*17)%100)/100
	}
	return p
}
