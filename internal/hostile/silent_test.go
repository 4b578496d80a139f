package hostile_test

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dowse"
	"dowse/internal/hostile/template"
)

// A quietTown has hosts on loopback addresses that accept and never answer, and a few
// with a small site each.
type quietTown struct {
	port int

	mu     sync.Mutex
	silent int                  // requests to hosts that do not answer
	before int                  // of these: those before the last page of a site
	sites  map[string]int       // pages that each site was asked for
	first  map[string]time.Time // when it was asked for the first time
	last   time.Time
}

const sitePages = 10

func serveQuietTown(t *testing.T) *quietTown {
	t.Helper()
	l, err := net.Listen("tcp4", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	town := &quietTown{port: l.Addr().(*net.TCPAddr).Port, sites: map[string]int{}, first: map[string]time.Time{}}
	server := &http.Server{Handler: town}
	go server.Serve(l)
	t.Cleanup(func() { server.Close() })
	return town
}

func (q *quietTown) silentSeed(i int) string {
	return fmt.Sprintf("http://127.9.%d.%d:%d/", i/200, i%200+1, q.port)
}

func (q *quietTown) siteSeed(i int) string { return fmt.Sprintf("http://127.10.0.%d:%d/", i+1, q.port) }

func (q *quietTown) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.Host, "127.9.") {
		q.mu.Lock()
		q.silent++
		q.mu.Unlock()
		<-r.Context().Done()
		return
	}
	if r.URL.Path == "/robots.txt" {
		http.NotFound(w, r)
		return
	}
	q.mu.Lock()
	if q.sites[r.Host]++; q.sites[r.Host] == 1 {
		q.first[r.Host] = time.Now()
	}
	q.last, q.before = time.Now(), q.silent
	q.mu.Unlock()
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprintf(w, "<title>%s %s</title><nav><a href=/>Home</a></nav><h1>Notes of %[1]s</h1><p>Note %[2]s of %[1]s: %s<ul>",
		r.Host, r.URL.Path, strings.Repeat(r.Host+r.URL.Path+" has words of its own. ", 5))
	for i := range sitePages - 1 {
		fmt.Fprintf(w, `<li><a href="/note/%d">Note %[1]d</a>`, i)
	}
}

// TestSilentSeeds crawls from a thousand seeds that accept and never answer, with eight
// sites after them. The sites must be whole before the silent hosts were all tried again.
// It takes a minute, so it has to be asked for: HOSTILE_LONG=1.
func TestSilentSeeds(t *testing.T) {
	if os.Getenv("HOSTILE_LONG") == "" {
		t.Skip("takes a minute: set HOSTILE_LONG=1")
	}
	const silent, sites = 1000, 8
	town := serveQuietTown(t)
	var seeds []string
	for i := range silent {
		seeds = append(seeds, town.silentSeed(i))
	}
	for i := range sites {
		seeds = append(seeds, town.siteSeed(i))
	}
	begun := time.Now()
	r, _ := run(t, job{
		Dir: filepath.Join(t.TempDir(), "silent.dowse"), Seeds: seeds, Networks: []string{"127.0.0.0/8"}, Pages: sites * sitePages,
	})
	town.mu.Lock()
	defer town.mu.Unlock()
	if len(town.sites) != sites || r.Status.Fetched != sites*sitePages {
		t.Errorf("%d sites of %d were asked, %d pages fetched", len(town.sites), sites, r.Status.Fetched)
	}
	var first time.Duration
	for _, at := range town.first {
		first = max(first, at.Sub(begun))
	}
	t.Logf("all sites asked after %v, whole after %v and %d requests to silent hosts; %d MiB",
		first.Round(time.Second), town.last.Sub(begun).Round(time.Second), town.before, r.Memory>>20)
	if most := silent * 3 / 2; town.before > most {
		t.Errorf("%d requests to silent hosts came before the sites were whole, want at most %d", town.before, most)
	}
}

// TestAddressesCostNothing crawls from a host without a name whose pages link to fifty other
// addresses each, all of which answer alike: the server listens on every address of the
// machine. Few of them may become known.
func TestAddressesCostNothing(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp4", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	var requests atomic.Int64
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<title>Mirror %s</title><nav><a href=/>Home</a> <a href=/imprint>Imprint</a></nav><p>%s<ul>", r.Host, template.Prose(r.Host+r.URL.Path, 120))
		dice := rand.New(rand.NewPCG(uint64(len(r.Host)), uint64(requests.Load())))
		for range 50 {
			fmt.Fprintf(w, `<li><a href="http://127.%d.%d.%d:%d/">a mirror</a>`, 1+dice.IntN(250), dice.IntN(256), 1+dice.IntN(250), port)
		}
	})}
	go server.Serve(l)
	t.Cleanup(func() { server.Close() })
	r, _ := run(t, job{
		Dir: filepath.Join(t.TempDir(), "addresses.dowse"), Seeds: []string{fmt.Sprintf("http://127.77.0.1:%d/", port)}, Networks: []string{"127.0.0.0/8"}, Pages: 5000,
	})
	t.Logf("%d requests, %d hosts, %d MiB", requests.Load(), r.Status.Hosts, r.Memory>>20)
	if r.Stopped != dowse.StopExhausted || r.Status.Hosts > 500 || requests.Load() > 1500 {
		t.Errorf("stopped: %s after %d requests with %d hosts, want it exhausted after 1500 with 500 at most", r.Stopped, requests.Load(), r.Status.Hosts)
	}
	if r.Status.Dropped == 0 {
		t.Error("no link was counted as dropped")
	}
}
