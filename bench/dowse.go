package main

import (
	"context"
	"dowse/settings"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"dowse/crawler"
)

// dowseCrawl is a complete crawl: robots.txt, extraction, stems, judge, 40 link
// windows, frontier, sketches, WARC, and state that is synced to disk. Only the
// politeness is off, which would otherwise decide how long it takes. The ballast
// is that of the command, which makes the garbage collector run less often. An
// empty strategy is the default.
func dowseCrawl(pages, conns int, strategy string) int {
	defer runtime.KeepAlive(make([]byte, 32<<20)) // ballast, as in the command
	dir, err := os.MkdirTemp("", "dowse-bench")
	if err != nil {
		fatal(err)
	}
	defer os.RemoveAll(dir)
	c, err := crawler.Open(filepath.Join(dir, "bench.dowse"), crawler.Config{
		Words: []string{"coral reef"}, Seeds: []string{urlOf(0)}, Settings: settings.Settings{Order: settings.Order{Strategy: strategy}, Limits: settings.Limits{Pages: pages}, Politeness: settings.Politeness{Delay: -1, Conns: conns, InFlight: conns}, Network: settings.Network{AllowNet: []string{"127.0.0.0/8"}}},
	})
	if err != nil {
		fatal(err)
	}
	defer c.Close()
	n := 0
	for range c.Crawl(context.Background()) {
		n++
	}
	if err := c.Err(); err != nil {
		fatal(err)
	}
	return n
}

// fatal prints an error and ends the process.
func fatal(err error) {
	fmt.Fprintln(os.Stderr, "bench:", err)
	os.Exit(1)
}
