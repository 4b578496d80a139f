package site

import (
	"fmt"
	"runtime"
	"testing"

	"dowse"
)

// BenchmarkFollow reads sites of 20 pages with 40 links each, 30 of them into the site,
// and reports the time for a page.
func BenchmarkFollow(b *testing.B) {
	c := &Crawler{Pages: 20, Sure: 0.999999, Links: 1e9}
	pages := benchPages(200)
	c.Start([]dowse.URL{"http://s0.test/"})
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		c.Follow(pages[i%len(pages)])
		if i++; i%len(pages) == 0 {
			c = &Crawler{Pages: 20, Sure: 0.999999, Links: 1e9}
			c.Start([]dowse.URL{"http://s0.test/"})
		}
	}
}

// benchPages makes the pages of n sites in the order in which a crawler that begins at
// s0 reads them: homepage, then pages 1 to 19.
func benchPages(n int) (list []*dowse.Page) {
	for s := range n {
		for k := range 20 {
			u := fmt.Sprintf("http://s%d.test/%d", s, k)
			if k == 0 {
				u = fmt.Sprintf("http://s%d.test/", s)
			}
			p := &dowse.Page{URL: dowse.URL(u), Outcome: dowse.Fetched, Verdict: dowse.Verdict{Relevance: 0.5 + 0.1*float64(k%2)}}
			for l := range 30 {
				p.Links = append(p.Links, dowse.Link{URL: dowse.URL(fmt.Sprintf("http://s%d.test/%d", s, (k+l)%40+1))})
			}
			for l := range 10 {
				p.Links = append(p.Links, dowse.Link{URL: dowse.URL(fmt.Sprintf("http://s%d.test/", s+l+1))})
			}
			list = append(list, p)
		}
	}
	return list
}

// BenchmarkKnownSites measures the memory of 100,000 known sites, half of them done.
func BenchmarkKnownSites(b *testing.B) {
	for b.Loop() {
		before := inUse()
		c := knowing(100_000)
		b.ReportMetric(float64(inUse()-before)/(1<<20), "MiB")
		b.ReportMetric(float64(inUse()-before)/100_000, "B/site")
		runtime.KeepAlive(c)
	}
}

// knowing returns a crawler that knows n sites.
func knowing(n int) *Crawler {
	c := &Crawler{}
	c.begin()
	for i := range n {
		u := dowse.URL(fmt.Sprintf("http://www.a-site-with-a-usual-name-%d.example/some/page", i))
		name, home := c.of(u)
		s := c.outer.site(name, home, u)
		s.sum, s.links = 0.5, 1
		c.outer.offer(s)
	}
	for range n / 2 {
		c.finish(c.choose(c.outer.best()))
	}
	return c
}

func inUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestKnownSitesAreSmall holds the bound: 100,000 known sites in at most 200 MiB.
func TestKnownSitesAreSmall(t *testing.T) {
	before := inUse()
	c := knowing(100_000)
	if mib := float64(inUse()-before) / (1 << 20); mib > 200 {
		t.Errorf("100,000 known sites take %.0f MiB", mib)
	}
	if known, reading, _, _ := c.Counts(); known != 100_000 || reading != 0 {
		t.Errorf("%d known, %d being read", known, reading)
	}
}
