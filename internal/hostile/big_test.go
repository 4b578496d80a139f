package hostile_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"dowse"
	"dowse/internal/hostile"
)

// TestBigPages crawls many hosts with a page of 10 MiB each, with a connection for
// each of them. What the crawl has in flight must have a budget: without one, memory
// grows with the number of connections. HOSTILE_BIG sets the number of hosts and
// connections.
func TestBigPages(t *testing.T) {
	if testing.Short() {
		t.Skip("short: takes some ten seconds")
	}
	t.Parallel()
	hosts := 24
	if n, err := strconv.Atoi(os.Getenv("HOSTILE_BIG")); err == nil {
		hosts = n
	}
	s := serve(t, hostile.BigRows(hosts))
	begun := time.Now()
	r, cpu := run(t, job{
		Dir: filepath.Join(t.TempDir(), "big.dowse"), Seeds: s.Seeds(), Resolver: s.Resolver(), Networks: s.Networks(),
		Conns: hosts, Timeout: time.Minute, Delay: -1, // a slow answer would be followed by a long rest
	})
	t.Logf("%d hosts: %d pages, %d MiB in %v; %v of CPU, at most %d MiB of memory",
		hosts, r.Status.Fetched, r.Status.Bytes>>20, time.Since(begun).Round(time.Second), cpu.Round(time.Second/10), r.Memory>>20)
	byURL := map[string]hostile.Finding{}
	for _, f := range r.Findings {
		byURL[string(f.URL)] = f
	}
	for _, site := range s.Sites {
		for _, path := range []string{"/", "/ok/1", "/ok/2", "/ok/3", "/ok/4", "/big"} {
			if f := byURL[site.URL(path)]; f.State != dowse.Visited {
				t.Errorf("%s is %s: %s %s", site.URL(path), f.State, f.Reason, f.Detail)
			}
		}
		if f := byURL[site.URL("/big")]; f.Fetch.Truncated || f.Fetch.Bytes < 9<<20 {
			t.Errorf("%s has %d bytes, truncated: %v; want the whole page", f.URL, f.Fetch.Bytes, f.Fetch.Truncated)
		}
	}
	checkAlways(t, s, r)
}
