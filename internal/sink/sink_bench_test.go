//go:build unix

package sink_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"dowse/crawler"
)

// BenchmarkCrawlWithSinks crawls pages of 20 KB from memory as fast as it can, without sinks and with one. The
// metric is the time of processors per page until the last page is committed; compare runs of one machine.
//
//	go test ./internal/sink -run '^$' -bench CrawlWithSinks -benchtime 3x -count 3
func BenchmarkCrawlWithSinks(b *testing.B) {
	const pages = 1500
	web := &sinkWeb{pages: map[string]string{}}
	for i := range pages {
		tenths := 9
		if i%2 == 0 {
			tenths = 2
		}
		web.pages[fmt.Sprintf("h%d.example/%d", i/10, i)] = "<html lang=en>" + reefPage(i, tenths) + strings.Repeat(fmt.Sprintf("<p>Some more text of page %d.", i), 350)
	}
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body) }))
	defer srv.Close()
	for _, kind := range []string{"none", "jsonl", "http", "jsonl-all"} {
		b.Run(kind, func(b *testing.B) {
			var cpu, took time.Duration
			for b.Loop() {
				dir := b.TempDir()
				cfg := web.config()
				switch kind {
				case "jsonl":
					cfg.Sinks = []string{"jsonl:" + filepath.Join(dir, "out.jsonl")}
				case "jsonl-all":
					cfg.Sinks = []string{"jsonl:" + filepath.Join(dir, "out.jsonl") + "#pages=all"}
				case "http":
					cfg.Sinks = []string{srv.URL}
				}
				cfg.SinkWait = -1
				c, err := crawler.Open(filepath.Join(dir, "a.dowse"), cfg)
				if err != nil {
					b.Fatal(err)
				}
				used, begun, n := processorTime(), time.Now(), 0
				for range c.Crawl(b.Context()) {
					if n++; n == pages {
						cpu, took = cpu+processorTime()-used, took+time.Since(begun)
					}
				}
				if err := c.Close(); err != nil || n != pages {
					b.Fatalf("%d pages, %v", n, err)
				}
			}
			b.ReportMetric(float64(cpu.Microseconds())/float64(b.N*pages), "cpu-µs/page")
			b.ReportMetric(float64(b.N*pages)/took.Seconds(), "pages/s")
		})
	}
}

// processorTime returns the time of processors that this process has used.
func processorTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // it fails for other arguments only
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
