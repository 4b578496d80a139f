package main

import (
	"context"
	"dowse/settings"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"dowse/crawl"
	"dowse/crawler"
)

// soak crawls a web with faults for a long time and records what grows: memory,
// goroutines, open files. At the end the collection is verified. The time is a
// limit of the crawl itself, so that it ends as a user's crawl does.
func soak(o options, d time.Duration) {
	server := start(o)
	defer func() { server.Process.Kill(); server.Wait() }()
	dir, err := os.MkdirTemp("", "dowse-soak")
	if err != nil {
		fatal(err)
	}
	defer os.RemoveAll(dir)
	w := &watch{every: 30 * time.Second}
	path := filepath.Join(dir, "soak.dowse")
	c, err := crawler.Open(path, crawler.Config{
		Words: []string{"coral reef"}, Seeds: []string{urlOf(0)}, Settings: settings.Settings{Limits: settings.Limits{Time: d}, Politeness: settings.Politeness{Delay: 20 * time.Millisecond, Conns: 4, InFlight: o.conns, MaxRate: o.rate, Hold: -1}, Network: settings.Network{AllowNet: []string{"127.0.0.0/8"}}},

		Tick: w.tick,
	})
	if err != nil {
		fatal(err)
	}
	for range c.Crawl(context.Background()) {
	}
	if c.Err() != nil {
		fatal(c.Err())
	}
	w.report(c.Status())
	if err := c.Close(); err != nil {
		fatal(err)
	}
	verify(path)
}

// A watch samples the process while it crawls.
type watch struct {
	every   time.Duration
	next    time.Time
	samples []sample
}

// A sample is the state of the process at one moment.
type sample struct {
	pages, known, goroutines, files int
	heap, rss                       float64 // MiB
}

// tick records and prints a sample if it is time for one; the crawl calls it.
func (w *watch) tick(s crawl.Status) {
	now := time.Now()
	if now.Before(w.next) {
		return
	}
	w.next = now.Add(w.every)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	x := sample{s.Fetched, s.Books.Known, runtime.NumGoroutine(), openFiles(), float64(m.HeapInuse) / (1 << 20), float64(resident()) / (1 << 20)}
	w.samples = append(w.samples, x)
	fmt.Printf("%8d pages %9d known %5d goroutines %5d files %7.1f MiB heap %7.1f MiB resident\n", x.pages, x.known, x.goroutines, x.files, x.heap, x.rss)
}

// report prints how memory grew over the second half, per page and per known
// URL. The first half fills caches and shows nothing about leaks.
func (w *watch) report(s crawl.Status) {
	if len(w.samples) < 4 {
		return
	}
	half, last := w.samples[len(w.samples)/2], w.samples[len(w.samples)-1]
	pages, known := last.pages-half.pages, last.known-half.known
	fmt.Printf("second half: %d pages, %d URLs, resident memory %+.1f MiB", pages, known, last.rss-half.rss)
	if pages > 0 {
		fmt.Printf(", %+.0f bytes a page", (last.rss-half.rss)*(1<<20)/float64(pages))
	}
	fmt.Printf("; books %+v balanced=%v\n", s.Books, s.Books.Balanced())
}

// openFiles returns the number of open file descriptors of this process; 0 on
// systems without /proc.
func openFiles() int {
	names, _ := os.ReadDir("/proc/self/fd")
	return len(names)
}

// verify checks the collection that the crawl left, and prints the first
// problems. A crawl that survives faults but leaves a damaged collection fails.
func verify(dir string) {
	c, err := crawler.View(dir)
	if err != nil {
		fatal(err)
	}
	defer c.Close()
	v, err := c.Verify(nil)
	if err != nil {
		fatal(err)
	}
	fmt.Printf("verified: ok=%v, %d problems\n", v.OK(), len(v.Problems))
	for _, p := range v.Problems[:min(10, len(v.Problems))] {
		fmt.Println(" ", p)
	}
}
