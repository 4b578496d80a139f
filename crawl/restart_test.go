package crawl_test

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/strategy"
)

// BenchmarkRestart takes up a crawl that knows a million URLs, from its snapshot
// and a journal that has gone on for 5,000 pages since: the longest tail that a
// crash can leave. It ends with the first visit.
func BenchmarkRestart(b *testing.B) {
	const pages, links, tail = 25_000, 40, 5_000
	dir := b.TempDir()
	snap := filepath.Join(dir, "snapshot")
	write(b, dir, snap, pages, links, tail)
	b.ResetTimer()
	for range b.N {
		j, err := crawl.OpenJournal(dir, parse, true)
		if err != nil {
			b.Fatal(err)
		}
		f, err := os.Open(snap)
		if err != nil {
			b.Fatal(err)
		}
		c, from, err := crawl.Restore(restartConfig(j), bufio.NewReaderSize(f, 1<<20))
		if err != nil {
			b.Fatal(err)
		}
		if _, _, err := c.Fold(j, from, nil); err != nil {
			b.Fatal(err)
		}
		c.Resume(crawl.Limits{})
		if _, _, ok := c.Next(epoch.Add(24 * time.Hour)); !ok {
			b.Fatal("no visit")
		}
		b.ReportMetric(float64(c.Books().Known), "urls")
		f.Close()
		j.Close()
	}
}

func restartConfig(log crawl.Log) crawl.Config {
	return crawl.Config{Strategy: &strategy.LinkContext{}, Log: log, Key: 7, Polite: crawl.Politeness{Delay: crawl.None}, Traps: crawl.Traps{Budget: -1}}
}

// write crawls a number of pages, saves, and goes on for a while.
func write(b *testing.B, dir, snap string, pages, links, tail int) {
	b.Helper()
	j, err := crawl.OpenJournal(dir, parse, false)
	if err != nil {
		b.Fatal(err)
	}
	defer j.Close()
	c, err := crawl.New(restartConfig(j))
	if err != nil {
		b.Fatal(err)
	}
	c.Start(epoch, []dowse.URL{"http://h0.test/0"})
	now := epoch
	for n := range pages {
		v, _, ok := c.Next(now)
		if !ok {
			b.Fatalf("no visit after %d pages", n)
		}
		p := v.Page()
		p.Verdict = dowse.Verdict{Relevance: 0.5, Because: []dowse.Because{{What: "bench", Weight: 0.5}}}
		for i := range links {
			k := n*links + i + 1
			p.Links = append(p.Links, dowse.Link{
				URL:     dowse.URL(fmt.Sprintf("http://h%d.test/some/path/%d", k%5000, k)),
				Mention: dowse.Mention{Anchor: "an anchor of some words", Context: float64(k%97) / 97},
			})
		}
		now = now.Add(time.Millisecond)
		c.Absorb(now, p)
		if n == pages-tail {
			save(b, c, j, snap)
		}
	}
	if err := j.Sync(); err != nil {
		b.Fatal(err)
	}
}

func save(b *testing.B, c *crawl.Crawl, j *crawl.Journal, snap string) {
	b.Helper()
	f, err := os.Create(snap)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	if err := saveTo(c, w, j.End()); err != nil {
		b.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
}
