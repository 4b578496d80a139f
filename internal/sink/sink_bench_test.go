//go:build unix

package sink_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/sink"
)

var sinkPages = flag.Int("sink-pages", 1500, "pages that BenchmarkCrawlWithSinks crawls")

// BenchmarkCrawlWithSinks crawls pages of 20 KB from memory as fast as it can, without sinks and with some. The
// metric is the time of processors per page until the last page is committed; compare runs of one machine. What
// receives the pages is another process, whose time does not count. records/page is what the sinks had by then; the rest
// is sent after it, and a sink that lacks a record then fails the benchmark.
//
// A feed makes batches of 256 records and rests after each, so a short crawl shows the cost of its one or two
// batches and not that of sinks: take a crawl of many batches.
//
//	go test ./internal/sink -run '^$' -bench CrawlWithSinks -benchtime 1x -count 5 -sink-pages 12000
func BenchmarkCrawlWithSinks(b *testing.B) {
	pages := *sinkPages
	made := benchWeb(pages)
	web, stream := receivers(b)
	sinks := map[string]string{"http": web, "opensearch": "opensearch+" + web + "/reefs", "nats": stream + "/crawl.pages"}
	for _, kind := range []string{"none", "jsonl", "http", "opensearch", "nats", "four", "jsonl-all"} {
		b.Run(kind, func(b *testing.B) {
			var cpu, took time.Duration
			records := 0
			for b.Loop() {
				dir := b.TempDir()
				cfg := made.config()
				switch kind {
				case "jsonl":
					cfg.Sinks = []string{"jsonl:" + filepath.Join(dir, "out.jsonl")}
				case "jsonl-all":
					cfg.Sinks = []string{"jsonl:" + filepath.Join(dir, "out.jsonl") + "#pages=all"}
				case "four":
					cfg.Sinks = []string{"jsonl:" + filepath.Join(dir, "out.jsonl"), sinks["http"], sinks["opensearch"], sinks["nats"]}
				case "http", "opensearch", "nats":
					cfg.Sinks = []string{sinks[kind]}
				}
				cfg.SinkWait = 10 * time.Minute
				c, err := crawler.Open(filepath.Join(dir, "a.dowse"), cfg)
				if err != nil {
					b.Fatal(err)
				}
				used, begun, n := processorTime(), time.Now(), 0
				for range c.Crawl(b.Context()) {
					if n++; n == pages {
						cpu, took = cpu+processorTime()-used, took+time.Since(begun)
						records += sent(lagsOf(b, dir, cfg.Sinks))
					}
				}
				if err := c.Close(); err != nil || n != pages {
					b.Fatalf("%d pages, %v", n, err)
				}
				for _, l := range lagsOf(b, dir, cfg.Sinks) {
					if l.Error != "" || l.Pages > 0 || l.Sent == 0 {
						b.Fatalf("%s lacks %d pages after the crawl and has %d: %s", l.Sink, l.Pages, l.Sent, l.Error)
					}
				}
			}
			b.ReportMetric(float64(cpu.Microseconds())/float64(b.N*pages), "cpu-µs/page")
			b.ReportMetric(float64(b.N*pages)/took.Seconds(), "pages/s")
			b.ReportMetric(float64(records)/float64(b.N*pages), "records/page")
		})
	}
}

// lagsOf returns how far the sinks of the collection a.dowse in dir are behind.
func lagsOf(b *testing.B, dir string, sinks []string) []sink.Lag {
	specs, err := sink.ParseAll(sinks)
	if err != nil {
		b.Fatal(err)
	}
	col, err := collection.Open(filepath.Join(dir, "a.dowse"), nil, true)
	if err != nil {
		b.Fatal(err)
	}
	defer col.Close()
	return sink.Lags(col, specs, time.Now())
}

// sent returns how many records sinks have accepted.
func sent(lags []sink.Lag) (n int) {
	for _, l := range lags {
		n += l.Sent
	}
	return n
}

// benchWeb returns a web of n pages of 20 KB, every second of which is on topic.
func benchWeb(n int) *sinkWeb {
	web := &sinkWeb{pages: map[string]string{}}
	for i := range n {
		tenths := 9
		if i%2 == 0 {
			tenths = 2
		}
		var b strings.Builder
		b.WriteString("<html lang=en><nav>")
		for k := range 30 {
			fmt.Fprintf(&b, `<a href="http://h%d.example/%d">Section %d</a> `, i/10, i/10*10+k%10, k)
		}
		b.WriteString("</nav>" + reefPage(i, tenths))
		rng := rand.New(rand.NewPCG(uint64(i), 5))
		for b.Len() < 19_500 {
			b.WriteString("<p>Some more text")
			for range 40 {
				fmt.Fprintf(&b, " word%d", rng.IntN(5000))
			}
		}
		web.pages[fmt.Sprintf("h%d.example/%d", i/10, i)] = b.String()
	}
	return web
}

// processorTime returns the time of processors that this process has used.
func processorTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // it fails for other arguments only
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkRecords sends all pages of a collection to a file, without the pace of a crawl. The metric is the
// time of processors per record.
//
//	go test ./internal/sink -run '^$' -bench Records -benchtime 10x
func BenchmarkRecords(b *testing.B) {
	const pages = 1000
	web := benchWeb(pages)
	dir := filepath.Join(b.TempDir(), "a.dowse")
	crawlInto(b, dir, web.config())
	for _, text := range []string{"main", "all", "none"} {
		b.Run(text, func(b *testing.B) {
			var cpu time.Duration
			for b.Loop() {
				used := processorTime()
				name := "jsonl:" + filepath.Join(b.TempDir(), "out.jsonl") + "#pages=all&text=" + text
				if l := drained(b, dir, sink.Options{}, time.Minute, name)[0]; l.Sent != pages {
					b.Fatalf("sent %d records, want %d", l.Sent, pages)
				}
				cpu += processorTime() - used
			}
			b.ReportMetric(float64(cpu.Microseconds())/float64(b.N*pages), "cpu-µs/record")
		})
	}
}
