//go:build unix

package dashboard

import (
	"context"
	"html"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// The cost of each page: go test ./internal/dashboard -run '^$' -bench Page. DASHBOARD_BENCH names a folder with
// one collection, such as one of a million pages; default the synthetic one of 120 pages.
func BenchmarkPage(b *testing.B) {
	dir, home := benchDir(b)
	s := open(b, dir)
	_, list, _ := s.get(b, home+"pages?sort=score")
	first := html.UnescapeString(between(list, `class="name" href="`+home, `"`)) // somewhere in the middle of the journal
	for _, path := range []string{"", "pages", "pages?verdict=on&sort=score", "pages?host=kelp.demo", first, "frontier", "hosts", "problems", "labels", "topic", "graph", "settings", "export"} {
		b.Run("/"+path, func(b *testing.B) {
			path := home + path
			before := cpu(b)
			s.get(b, path) // what is made once for a view
			first := cpu(b) - before
			var times []time.Duration
			before = cpu(b)
			for b.Loop() {
				began := time.Now()
				if code, body, _ := s.get(b, path); code != 200 {
					b.Fatal(code, body)
				}
				times = append(times, time.Since(began))
			}
			b.ReportMetric(float64((cpu(b)-before).Microseconds())/1000/float64(len(times)), "cpu-ms/op")
			b.ReportMetric(float64(first.Microseconds())/1000, "first-cpu-ms")
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)*95/100].Microseconds())/1000, "p95-ms")
		})
	}
}

// Fifty viewers, each with a stream of changes, that fetch the overview of a collection together.
func BenchmarkFiftyViewers(b *testing.B) {
	dir, home := benchDir(b)
	s := open(b, dir)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	for range 50 {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.base+home+"live", nil)
		if err != nil {
			b.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+s.Token())
		r.Header.Set("Accept", "text/event-stream")
		a, err := http.DefaultClient.Do(r)
		if err != nil || a.StatusCode != 200 {
			b.Fatal(a, err)
		}
		defer a.Body.Close()
	}
	s.get(b, home) // opening the collection is another benchmark
	var mu sync.Mutex
	var times []time.Duration
	before := cpu(b)
	for b.Loop() {
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				began := time.Now()
				r, _ := http.NewRequest(http.MethodGet, s.base+home, nil)
				r.Header.Set("Authorization", "Bearer "+s.Token())
				r.Header.Set("Dowse-Live", "1")
				a, err := http.DefaultClient.Do(r)
				if err != nil {
					panic(err)
				}
				_, _ = io.Copy(io.Discard, a.Body)
				a.Body.Close()
				mu.Lock()
				times = append(times, time.Since(began))
				mu.Unlock()
			})
		}
		all.Wait()
	}
	b.ReportMetric(float64((cpu(b)-before).Microseconds())/1000/float64(len(times)), "cpu-ms/view")
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)*95/100].Microseconds())/1000, "p95-ms")
}

// cpu returns the processor time of this process, which does not depend on what else the machine does.
func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// benchDir returns a folder with one collection, and the address of its overview.
func benchDir(b *testing.B) (dir, home string) {
	if dir = os.Getenv("DASHBOARD_BENCH"); dir == "" {
		return copied(b), "/c/pools/"
	}
	list, err := filepath.Glob(filepath.Join(dir, "*.dowse"))
	if err != nil || len(list) != 1 {
		b.Fatalf("%s has %d collections, want one", dir, len(list))
	}
	return dir, "/c/" + strings.TrimSuffix(filepath.Base(list[0]), ".dowse") + "/"
}
