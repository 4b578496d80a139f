package crawl_test

import (
	"fmt"
	"runtime"
	"testing"

	"dowse"
	"dowse/crawl"
)

// BenchmarkHosts measures what a host costs that is known by one URL alone.
func BenchmarkHosts(b *testing.B) {
	const n = 200_000
	for b.Loop() {
		cfg := hurried(follow(queueAll))
		cfg.Traps = crawl.Traps{}
		before := heapBytes()
		c := begin(b, cfg, "http://www.example/")
		v, _, _ := c.Next(epoch)
		p := v.Page()
		for i := range n {
			p.Links = append(p.Links, dowse.Link{URL: dowse.URL(fmt.Sprintf("http://host%x.test/", uint32(i)*0x9e3779b1))})
		}
		c.Absorb(epoch, p)
		p.Links = nil
		b.ReportMetric(float64(heapBytes()-before)/n, "B/host")
		runtime.KeepAlive(c)
	}
}
