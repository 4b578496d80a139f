//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// scarceWeb is a web without end: each page links to many pages that no other page links to. Every
// second page, and the words around its links, are on topic.
type scarceWeb struct {
	links int
	hosts []string
}

func serveScarce(t *testing.T, links int) *scarceWeb {
	w := &scarceWeb{links: links}
	for h := range 16 {
		l, err := net.Listen("tcp", fmt.Sprintf("127.9.0.%d:0", h+1))
		if err != nil {
			t.Fatal(err)
		}
		s := &http.Server{Handler: w}
		t.Cleanup(func() { s.Close() })
		go s.Serve(l)
		w.hosts = append(w.hosts, l.Addr().String())
	}
	return w
}

func (w *scarceWeb) url(n uint64) string {
	return fmt.Sprintf("http://%s/archive/%d.html", w.hosts[n%uint64(len(w.hosts))], n)
}

func (w *scarceWeb) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	n, err := strconv.ParseUint(strings.TrimSuffix(filepath.Base(r.URL.Path), ".html"), 10, 64)
	if err != nil {
		http.NotFound(rw, r)
		return
	}
	rng := rand.New(rand.NewPCG(n, 1))
	rw.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(rw, "<html lang=en><title>Page %d</title>", n)
	subject := []string{"bread oven flour", "lighthouse keeper lamp"}[n%2]
	for range 20 {
		fmt.Fprintf(rw, "<p>%x %x %s %x</p>", rng.Uint32(), rng.Uint32(), subject, rng.Uint32())
	}
	for i := range w.links {
		about := "more"
		if i%8 == 0 {
			about = "lighthouse keeper lamp tower beam"
		}
		fmt.Fprintf(rw, "<li><a href=%q>%s</a>\n", w.url(rng.Uint64()>>16), about)
	}
}

// A scarceRun is what came of a crawl.
type scarceRun struct {
	LeftOut  int `json:"links_left_out"`
	Fetched  int
	OnTopic  int `json:"on_topic"`
	Balanced bool
	Books    struct{ Known int }
	Stopped  string `json:"stop_reason"`

	code int
	peak int64 // bytes of memory
	said string
}

// scarce runs a crawl of the web in a process of its own.
func scarce(t *testing.T, dir string, args ...string) (r scarceRun) {
	t.Helper()
	cmd := exec.Command("dowse", append([]string{"crawl"}, args...)...)
	var said strings.Builder
	cmd.Stderr = &said
	cmd.Env = append(os.Environ(), "GOMEMLIMIT=", "DOWSE_LONG=", clockSkew+"=0s")
	cmd.Run()
	status, err := exec.Command("dowse", "status", dir, "--json").Output()
	if err != nil {
		t.Fatalf("status: %v\n%s", err, said.String())
	}
	if err := json.Unmarshal(status, &r); err != nil {
		t.Fatal(err)
	}
	r.peak = cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
	r.code, r.said = cmd.ProcessState.ExitCode(), said.String()
	t.Logf("%v: %d pages, %d on topic, %d known, %d left out, %.1f MB, exit code %d", args[1:], r.Fetched, r.OnTopic, r.Books.Known, r.LeftOut, float64(r.peak)/1e6, r.code)
	return r
}

func newScarce(w *scarceWeb, dir string, pages int, more ...string) []string {
	return append([]string{
		"lighthouse keeper", "--seed", w.url(1), "-o", dir, "--pages", strconv.Itoa(pages), "--delay", "0s", "--hold", "none", "--conns", "16",
		"--allow-net", "127.0.0.0/8", "--no-progress", "--disk-floor", "none", "--index", "none", "--rng", "7",
	}, more...)
}

// TestMemoryIsKept crawls with a tenth of the memory that the crawl would take: the process stays within
// it, fetches all pages that it was asked for, leaves out the least promising links and counts them, and
// leaves a collection that verifies. What it would take is computed from crawls without a limit,
// of few pages.
func TestMemoryIsKept(t *testing.T) {
	if os.Getenv("DOWSE_LONG") == "" {
		t.Skip("it takes many minutes: make outages")
	}
	const links, limit = 1000, 100e6
	web := serveScarce(t, links)
	free := func(pages int) scarceRun {
		dir := filepath.Join(t.TempDir(), "free.dowse")
		return scarce(t, dir, newScarce(web, dir, pages)...)
	}
	few, more := free(50), free(350)
	perURL := float64(more.peak-few.peak) / float64(more.Books.Known-few.Books.Known)
	pages := int(10 * limit / perURL / links)
	t.Logf("%.0f bytes per URL without a limit, so %d pages take ten times %.0f MB", perURL, pages, limit/1e6)

	dir := filepath.Join(t.TempDir(), "tight.dowse")
	r := scarce(t, dir, newScarce(web, dir, pages, "--memory", "100MB")...)
	if r.code != exitOK || r.Stopped != "pages" || r.Fetched != pages || !r.Balanced {
		t.Errorf("exit code %d, %+v, want %d pages\n%s", r.code, r, pages, r.said)
	}
	if r.peak > limit {
		t.Errorf("%d bytes of memory, want at most %.0f", r.peak, float64(limit))
	}
	if met := r.LeftOut + r.Books.Known; r.LeftOut == 0 || float64(met)*perURL < 9.5*limit {
		t.Errorf("%d links left out of %d, want most of them", r.LeftOut, met)
	}
	if out, err := exec.Command("dowse", "collection", "verify", dir).CombinedOutput(); err != nil {
		t.Errorf("verify: %v\n%s", err, out)
	}
}

// TestMemoryIsKeptWithManyLinks crawls pages of 5,000 links each, of which what is in flight takes more than what
// is kept, with the least memory. Each of eight crawls stays within it and comes to its end.
func TestMemoryIsKeptWithManyLinks(t *testing.T) {
	if os.Getenv("DOWSE_LONG") == "" {
		t.Skip("it takes minutes: make outages")
	}
	const pages, limit = 150, 100e6
	web := serveScarce(t, 5000)
	for range 8 {
		dir := filepath.Join(t.TempDir(), "tight.dowse")
		r := scarce(t, dir, newScarce(web, dir, pages, "--memory", "100MB")...)
		if r.code != exitOK || r.Stopped != "pages" || r.Fetched != pages || !r.Balanced || r.LeftOut == 0 {
			t.Errorf("exit code %d, %+v, want %d pages\n%s", r.code, r, pages, r.said)
		}
		if r.peak > limit {
			t.Errorf("%d bytes of memory, want at most %.0f", r.peak, float64(limit))
		}
	}
}
