//go:build unix

package collection_test

import (
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/crawler"
	"dowse/settings"
)

var (
	corpusPages = flag.Int("corpus-pages", 2000, "pages of 20 KB that BenchmarkExportCorpus exports")
	corpusDir   = flag.String("corpus-dir", "", "where BenchmarkExportCorpus keeps its collection; it is made if it is not there")
)

// BenchmarkExportCorpus exports a collection of made pages of 20 KB with their own texts, as shards of JSON lines and as
// one Parquet file. It reports pages per second, the time of processors per page and the largest heap.
//
//	go test ./collection -run '^$' -bench ExportCorpus -benchtime 1x -corpus-pages 100000 -corpus-dir /tmp/corpus.dowse -timeout 2h
func BenchmarkExportCorpus(b *testing.B) {
	dir := *corpusDir
	if dir == "" {
		dir = filepath.Join(b.TempDir(), "corpus.dowse")
	}
	if !collection.IsCollection(dir) {
		makeCorpus(b, dir, *corpusPages)
	}
	c, err := crawler.View(dir)
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	for _, format := range []struct {
		name  string
		shard int64
	}{{"jsonl.zst", 100_000_000}, {"parquet", 0}} {
		b.Run(format.name, func(b *testing.B) { exportCorpus(b, c.Collection, format.name, format.shard) })
	}
}

// exportCorpus exports a collection in one format.
func exportCorpus(b *testing.B, c *collection.Collection, format string, shard int64) {
	pages, cpu := 0, cpuTime()
	var most atomic.Uint64
	for b.Loop() {
		stop := watchHeap(&most)
		n, err := c.Export(b.Context(), filepath.Join(b.TempDir(), "corpus."+format), collection.ExportOptions{All: true, Text: "main", Shard: shard})
		stop()
		if err != nil || n == 0 {
			b.Fatalf("%d pages, %v", n, err)
		}
		pages += n
	}
	b.ReportMetric(float64(pages)/b.Elapsed().Seconds(), "pages/s")
	b.ReportMetric(float64(most.Load())/(1<<20), "heap-MiB")
	// On a machine that does other things, too, the time of the processors is what can be compared.
	b.ReportMetric(float64((cpuTime()-cpu).Microseconds())/float64(pages), "cpu-µs/page")
}

// cpuTime returns the time of processors that this process has used.
func cpuTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // it fails for other arguments only
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// watchHeap keeps the largest size of the heap until stop is called.
func watchHeap(most *atomic.Uint64) (stop func()) {
	done := make(chan struct{})
	go func() {
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most.Store(max(most.Load(), m.HeapInuse))
			select {
			case <-done:
				return
			case <-time.After(100 * time.Millisecond):
			}
		}
	}()
	return func() { close(done) }
}

// A corpusWeb is a web of n pages of about 20 KB: 50 per host, in a frame that is the same on all pages of a host.
type corpusWeb int

// perHost is how many pages a host of a corpusWeb has.
const perHost = 50

func (w corpusWeb) RoundTrip(r *http.Request) (*http.Response, error) {
	resp := &http.Response{StatusCode: 404, ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}, Request: r}
	body := ""
	if i, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/page/")); err == nil && i < int(w) {
		resp.StatusCode, body = 200, w.page(i)
	}
	resp.Body, resp.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
	return resp, nil
}

func corpusURL(i int) string { return fmt.Sprintf("http://h%d.example/page/%d", i/perHost, i) }

// page returns the i-th page. Page 0 links to the first page of every host, and these to the others.
func (w corpusWeb) page(i int) string {
	rng := rand.New(rand.NewPCG(uint64(i), 5))
	var b strings.Builder
	fmt.Fprintf(&b, "<html lang=en><head><title>Notes %d on reefs</title></head><body><nav><ul>", i)
	for k := range 30 {
		fmt.Fprintf(&b, `<li><a href="/menu/%d">Section %d of host %d</a></li>`, k%2, k, i/perHost)
	}
	fmt.Fprint(&b, "</ul></nav><main><h1>Notes</h1>")
	link := func(to int) {
		if to < int(w) {
			fmt.Fprintf(&b, `<a href="%s">more %d</a> `, corpusURL(to), to)
		}
	}
	if i%perHost == 0 {
		for k := 1; k < perHost; k++ {
			link(i + k)
		}
		for k := 1; k <= 20; k++ {
			link((i/perHost*20 + k) * perHost)
		}
	}
	for b.Len() < 18_500 {
		fmt.Fprint(&b, "<p>")
		for range 60 {
			fmt.Fprintf(&b, "%s ", corpusWords[rng.IntN(len(corpusWords))])
			if rng.IntN(12) == 0 {
				fmt.Fprintf(&b, "%d. ", rng.IntN(100_000))
			}
		}
		fmt.Fprint(&b, "</p>")
	}
	fmt.Fprintf(&b, "</main><footer>%s</footer></body></html>", strings.Repeat("All rights of this footer are reserved by its owner. ", 20))
	return b.String()
}

var corpusWords = strings.Fields(`the reef of a coral and its divers count species with care while warm water bleaches many in summer when
	currents slow and algae leave them pale until colder months return some color scientists note each change on charts that
	people read later to learn how long it takes for such places to recover after storms or heat`)

type alwaysOn struct{}

func (alwaysOn) Judge(*dowse.Page) dowse.Verdict {
	return dowse.Verdict{Relevance: 0.9, Judge: "always"}
}

func makeCorpus(b *testing.B, dir string, n int) {
	b.Helper()
	begun := time.Now()
	c, err := crawler.Open(dir, crawler.Config{
		Words: []string{"reef"}, Judge: alwaysOn{}, Transport: corpusWeb(n), Seeds: []string{corpusURL(0)},
		Settings: settings.Settings{
			Order: settings.Order{Strategy: "breadth-first"}, Key: 7, Politeness: settings.Politeness{Delay: settings.None},
			Identity: settings.Identity{Contact: "mailto:me@example.org"}, Limits: settings.Limits{Pages: n},
		},
	})
	if err != nil {
		b.Fatal(err)
	}
	got := 0
	for range c.Crawl(b.Context()) {
		got++
	}
	if err := c.Err(); err != nil || got < n {
		b.Fatalf("made %d pages, want %d: %v", got, n, err)
	}
	if err := c.Close(); err != nil {
		b.Fatal(err)
	}
	fmt.Fprintf(os.Stderr, "made %d pages in %v\n", got, time.Since(begun).Round(time.Second))
}
