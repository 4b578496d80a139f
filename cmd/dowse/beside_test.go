//go:build linux

package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
)

// TestReadersBesideACrawl crawls a web without end with a process of its own, and runs every
// reading command at the same time, many times. None of them may find fault with the collection.
// DOWSE_ALL_FAULTS=1 reads twenty times as often.
func TestReadersBesideACrawl(t *testing.T) {
	skipShort(t)
	rng := rand.New(rand.NewPCG(uint64(os.Getpid()), 1))
	c := &chaos{t: t, rng: rng, web: serveChaos(t, 1<<20, rng), dir: filepath.Join(t.TempDir(), "beside.dowse"), strategy: "link-context"}
	defer c.web.close()
	c.crawl = c.launch("", "crawl", "lighthouse keeper", "--seed", c.web.url(0), "-o", c.dir, "-q", "--strategy", c.strategy,
		"--allow-net", "127.0.0.0/8", "--delay", "100ms", "--contact", "mailto:beside@example.org",
		"--max-rate", "20/s") // what there is to read stays small on a busy machine, too
	defer c.endCrawl(syscall.SIGKILL)
	c.awaitPages()
	reads := 60 // six of each command
	if os.Getenv("DOWSE_ALL_FAULTS") != "" {
		reads *= 20
	}
	var next atomic.Int64
	var readers sync.WaitGroup
	commands := c.readingCommands()
	for range 3 {
		readers.Go(func() {
			for i := next.Add(1); i <= int64(reads); i = next.Add(1) {
				c.readBeside(commands[int(i)%len(commands)])
			}
		})
	}
	readers.Wait()
	if c.crawl.over() {
		t.Fatalf("the crawl ended: %s", c.crawl.said.String())
	}
	c.endCrawl(syscall.SIGTERM)
	if p := c.launch("", "collection", "verify", c.dir); p.wait(t) != 0 {
		t.Errorf("verify after the crawl: %s%s", p.out.String(), p.said.String())
	}
}

// awaitPages waits until the crawl has fetched a few pages.
func (c *chaos) awaitPages() {
	c.t.Helper()
	for !c.crawl.over() {
		if p := c.launch("", "pages", c.dir); p.wait(c.t) == 0 && strings.Count(p.out.String(), "\n") > 5 {
			return
		}
	}
	c.t.Fatalf("the crawl ended: %s", c.crawl.said.String())
}

func (c *chaos) readingCommands() [][]string {
	return [][]string{
		{"status", c.dir, "--json"},
		{"status", c.dir, "--check"},
		{"pages", c.dir},
		{"hosts", c.dir},
		{"why", c.dir, c.web.url(0)},
		{"export", c.dir, "-", "--all", "--format", "csv", "--fields", "url"},
		{"export", c.dir, "-", "--all", "--format", "jsonl", "--text"},
		{"export", c.dir, "-", "--format", "decisions.jsonl"},
		{"collection", "verify", c.dir},
		{"collection", "info", c.dir},
	}
}

// readBeside runs a command while the crawl runs. It must succeed, or find nothing yet.
func (c *chaos) readBeside(args []string) {
	p := c.launch("", args...)
	if code := p.wait(c.t); code != exitOK && code != exitNothing || strings.Contains(p.said.String(), "can't be") {
		c.t.Errorf("%s: exit code %d\n%.600s", p, code, p.said.String())
	}
}
