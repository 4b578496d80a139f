//go:build linux

package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"dowse"
	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/cluster"
)

var clusterProfile = flag.String("clusterprofile", "", "of BenchmarkClusterCoordinator: write CPU profiles of coordinators to files whose names begin so")

// BenchmarkCluster crawls with real processes and reports processor time per page: on one machine, of
// the coordinator, and of its worker. Pages have about 20 KB of text, each its own, and are answered
// immediately. Two crawls of different size are made: "more" is what a further page costs, without the
// start of the program and the training of the judge. Run it with -benchtime 1x.
func BenchmarkCluster(b *testing.B) {
	const few, many = 1500, 4500
	alone := func(b *testing.B, pages int) float64 {
		web := serveCluster(b, pages, 100, 0)
		web.text = differentTexts(20_000)
		args := slices.Concat([]string{"crawl", "lighthouse keeper", "-s", web.url(0), "-o", filepath.Join(b.TempDir(), "c.dowse"), "--conns", "64"}, clusterArgs)
		p := startDowse(b, args...)
		p.ended(exitOK)
		checkFetched(b, args[5], pages)
		return processorTime(p)
	}
	b.Run("alone", func(b *testing.B) {
		first, second := alone(b, few), alone(b, many)
		b.ReportMetric(second/many, "µs/page")
		b.ReportMetric((second-first)/(many-few), "more-µs/page")
	})
	together := func(b *testing.B, pages int) (coordinator, worker float64) {
		web := serveCluster(b, pages, 100, 0)
		web.text = differentTexts(20_000)
		servers := startNATS(b, 1)
		dir := filepath.Join(b.TempDir(), "c.dowse")
		c := startCrawl(b, web, dir, servers.url())
		w := startWorker(b, servers.url(), 64)
		c.ended(exitOK)
		checkFetched(b, dir, pages)
		w.signal(syscall.SIGTERM)
		w.ended(exitOK)
		return processorTime(c), processorTime(w)
	}
	b.Run("cluster", func(b *testing.B) {
		c1, w1 := together(b, few)
		c2, w2 := together(b, many)
		b.ReportMetric(c2/many, "coordinator-µs/page")
		b.ReportMetric((c2-c1)/(many-few), "coordinator-more-µs/page")
		b.ReportMetric(w2/many, "worker-µs/page")
		b.ReportMetric((w2-w1)/(many-few), "worker-more-µs/page")
	})
}

// BenchmarkClusterCoordinator reports the processor time of a coordinator per page while its worker, in
// this process, answers from memory: each visit is made once, by a first crawl, and not again. "long" has
// pages with about 20 KB of text and 4 links, "usual" with 5 KB and 40. As in BenchmarkCluster, "more" is
// what a further page costs. Run it with -benchtime 1x.
func BenchmarkClusterCoordinator(b *testing.B) {
	const few, many = 4000, 16000
	for _, x := range []struct {
		name        string
		text, links int
	}{{"long", 20_000, 4}, {"usual", 5000, 40}} {
		web := serveCluster(b, many, 100, 0)
		web.text = withLinks(web, differentTexts(x.text), x.links-4)
		known := &rememberedVisits{}
		crawl := func(b *testing.B, pages int, strategy string) float64 {
			servers := startNATS(b, 1)
			defer known.work(b, servers.url(), 256)()
			if *clusterProfile != "" {
				b.Setenv(profileVariable, fmt.Sprintf("%s-%s-%s-%d", *clusterProfile, x.name, strategy, pages))
			}
			dir := filepath.Join(b.TempDir(), "c.dowse")
			c := startCrawl(b, web, dir, servers.url(), append(web.seeds(), "--strategy", strategy, "--pages", fmt.Sprint(pages))...)
			if code := c.wait(); code != exitOK && code != exitNothing { // the judge may grow into one that accepts no page
				b.Errorf("exit code %d\n%s", code, c.errors())
			}
			checkFetched(b, dir, pages)
			return processorTime(c)
		}
		for _, strategy := range []string{"auto", "online", "breadth-first"} {
			b.Run(x.name+"/"+strategy, func(b *testing.B) {
				crawl(b, many, strategy)
				first, second := crawl(b, few, strategy), crawl(b, many, strategy)
				b.ReportMetric(second/many, "µs/page")
				b.ReportMetric((second-first)/(many-few), "more-µs/page")
			})
		}
	}
}

// seeds returns arguments that make a page of every host a seed. Without them the crawl would take a web of more than a
// hundred hosts on one network for a farm of hosts, and leave out links to more of them.
func (w *clusterWeb) seeds() (args []string) {
	for i := 1; i < w.hosts; i++ {
		args = append(args, "-s", w.url(i))
	}
	return args
}

// checkFetched fails a benchmark whose crawl ended before it had all pages.
func checkFetched(b *testing.B, dir string, pages int) {
	b.Helper()
	c, err := crawler.View(dir)
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	if n := c.Collection.Crawl.Books().Fetched; n != pages {
		b.Errorf("the crawl has %d pages, want %d", n, pages)
	}
}

// withLinks returns a function that adds links to other pages of the web to the text of a page.
func withLinks(w *clusterWeb, text func(page int) string, links int) func(page int) string {
	return func(page int) string {
		rng := rand.New(rand.NewPCG(5, uint64(page)))
		var b strings.Builder
		b.WriteString(text(page))
		for range links {
			to := rng.IntN(w.n)
			fmt.Fprintf(&b, "<li><a href=%q>keeper of light %d</a> and what he wrote</li>", w.url(to), to)
		}
		return b.String()
	}
}

// rememberedVisits are the results of visits, by what was visited.
type rememberedVisits struct {
	results sync.Map
	takes   time.Duration // a visit that is answered from memory
	made    atomic.Int64  // visits in all
}

// work works for the crawl on some servers until end is called. A visit that was made before is answered
// from memory.
func (r *rememberedVisits) work(b *testing.B, servers string, conns int) (end func()) {
	b.Helper()
	o := cluster.Options{URLs: servers, Version: crawler.Version}
	if err := o.Check(); err != nil {
		b.Fatal(err)
	}
	conn, err := cluster.Connect(b.Context(), o)
	if err != nil {
		b.Fatal(err)
	}
	cfg := crawler.Config{}
	cfg.AllowNet = []string{"127.0.0.0/8"}
	visits, close := crawler.WorkerVisits(cfg)
	ctx, cancel := context.WithCancel(b.Context())
	done := make(chan error, 1)
	go func() {
		done <- conn.Work(ctx, b.Context(), &cluster.Worker{Conns: conns, Make: func(files map[string][]byte) (func(context.Context, cluster.Job) *cluster.Result, error) {
			visit, err := visits(files)
			return func(ctx context.Context, j cluster.Job) *cluster.Result {
				defer r.made.Add(1)
				key := fmt.Sprint(j.Visit.Kind, j.Visit.URL)
				if x, ok := r.results.Load(key); ok {
					time.Sleep(r.takes)
					copied := *x.(*cluster.Result)
					return &copied
				}
				x := visit(ctx, j)
				copied := *x
				r.results.Store(key, &copied)
				return x
			}, err
		}})
	}()
	return func() {
		cancel()
		if err := <-done; err != nil {
			b.Error(err)
		}
		close()
		conn.Close()
	}
}

// BenchmarkClusterBytes reports how many bytes per page pass through the servers, and how many the
// collection has, for pages of about 20 KB.
func BenchmarkClusterBytes(b *testing.B) {
	const pages = 500
	web := serveCluster(b, pages, 50, 0)
	web.text = differentTexts(20_000)
	servers := startNATS(b, 1)
	nc, err := nats.Connect(servers.url())
	if err != nil {
		b.Fatal(err)
	}
	defer nc.Close()
	var sizes sync.Map
	for _, what := range []string{"arrival", "commit"} {
		n := new(atomic.Int64)
		sizes.Store(what, n)
		if _, err := nc.Subscribe("dowse.crawl."+what, func(m *nats.Msg) { n.Add(int64(len(m.Data))) }); err != nil {
			b.Fatal(err)
		}
	}
	dir := filepath.Join(b.TempDir(), "c.dowse")
	c := startCrawl(b, web, dir, servers.url())
	startWorker(b, servers.url(), 16)
	c.ended(exitOK)
	sizes.Range(func(what, n any) bool {
		b.ReportMetric(float64(n.(*atomic.Int64).Load())/pages, what.(string)+"-bytes/page")
		return true
	})
	disk := 0.0
	filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if info, e := d.Info(); err == nil && e == nil && d.Type().IsRegular() {
			disk += float64(info.Size())
		}
		return err
	})
	b.ReportMetric(disk/pages, "disk-bytes/page")
}

// BenchmarkClusterScaling reports the pages per second of 1, 2, 4 and 8 workers with 32 connections each on a
// web whose pages take 100 ms, and how many processors of the machine were busy, with other programs and the web. "processes" are real workers. "memory" are workers in this process that answer from memory after 100 ms, so that the processors of
// a small machine are not full with the first of them: it shows what the coordination adds.
func BenchmarkClusterScaling(b *testing.B) {
	const conns, each = 32, 2500
	const hosts = 1000 // far more than connections: a host is visited by one at a time
	const takes = 100 * time.Millisecond
	scale := func(b *testing.B, n int, web *clusterWeb, start func(servers string), made func() int) {
		pages := n * each
		servers := startNATS(b, 1)
		c := startCrawl(b, web, filepath.Join(b.TempDir(), "c.dowse"), servers.url(), append(web.seeds(), "--pages", fmt.Sprint(pages))...)
		for range n {
			start(servers.url())
		}
		awaitThat(b, "the first pages", func() bool { return made() > pages/4 || !c.running() })
		begun, first, busy := time.Now(), made(), processorsUsed(b)
		awaitThat(b, "nearly all pages", func() bool { return made() >= pages*9/10 || !c.running() })
		took := time.Since(begun).Seconds()
		b.ReportMetric(float64(made()-first)/took, "pages/s")
		b.ReportMetric((processorsUsed(b)-busy)/took, "processors")
		c.ended(exitOK)
		if made() < pages {
			b.Errorf("the crawl has ended after %d of %d pages:\n%s", made(), pages, c.errors())
		}
	}
	for _, n := range []int{1, 2, 4, 8} {
		b.Run(fmt.Sprintf("processes/workers=%d", n), func(b *testing.B) {
			web := serveCluster(b, n*each, hosts, takes)
			web.text = differentTexts(1000)
			scale(b, n, web, func(servers string) { startWorker(b, servers, conns) }, web.known)
		})
	}
	web := serveCluster(b, 8*each, hosts, 0)
	web.text = differentTexts(1000)
	known := &rememberedVisits{}
	memory := func(b *testing.B, n int) {
		before := known.made.Load()
		scale(b, n, web, func(servers string) { b.Cleanup(known.work(b, servers, conns)) }, func() int { return int(known.made.Load() - before) })
	}
	b.Run("memory/filled", func(b *testing.B) { memory(b, 8) }) // its pages take no time
	known.takes = takes
	for _, n := range []int{1, 2, 4, 8} {
		b.Run(fmt.Sprintf("memory/workers=%d", n), func(b *testing.B) { memory(b, n) })
	}
}

// processorsUsed returns for how many seconds the processors of the machine have been busy, in all.
func processorsUsed(b *testing.B) (seconds float64) {
	data, err := os.ReadFile("/proc/stat")
	if err != nil {
		b.Fatal(err)
	}
	var user, nice, system float64
	if _, err := fmt.Sscanf(string(data), "cpu %f %f %f", &user, &nice, &system); err != nil {
		b.Fatal(err)
	}
	return (user + nice + system) / 100 // ticks
}

// BenchmarkClusterHarvest reports which share of the first 800 pages of a crawl of the demo web is on topic, by
// the web's own truth: for one machine with 16 connections and for four workers with 4 each, over five random
// webs.
func BenchmarkClusterHarvest(b *testing.B) {
	const all, fetched = 2400, 800
	for seed := range 5 {
		b.Run(fmt.Sprint(seed), func(b *testing.B) {
			d, err := openDemoWeb(collection.Demo{Pages: all, Seed: uint64(seed + 1)})
			if err != nil {
				b.Fatal(err)
			}
			file := filepath.Join(b.TempDir(), "tide-pools.topic.yaml")
			data, err := json.Marshal(map[string]any{"dowse": "topic/v1", "name": "tide-pools", "words": d.topic.Words, "also": d.topic.Also, "not": d.topic.Not})
			if err == nil {
				err = os.WriteFile(file, data, 0o600)
			}
			if err != nil {
				b.Fatal(err)
			}
			args := slices.Concat([]string{"crawl", file, "--pages", fmt.Sprint(fetched)}, clusterArgs, []string{"--delay", "20ms"})
			harvest := func(name string, further ...string) float64 {
				web := serveDemo(b, d)
				for _, u := range d.seeds {
					further = append(further, "-s", web.there.Replace(string(u)))
				}
				dir := filepath.Join(b.TempDir(), name)
				startDowse(b, slices.Concat(args, []string{"-o", dir}, further)...).ended(exitOK)
				p := startDowse(b, "pages", dir, "--json")
				p.ended(exitOK)
				on, n := 0, 0
				for line := range strings.Lines(p.out.String()) {
					var row struct{ URL string }
					if err := json.Unmarshal([]byte(line), &row); err != nil {
						b.Fatal(err)
					}
					n++
					if relevant, _ := d.web.Truth(dowse.URL(web.back.Replace(row.URL)), demoTopic); relevant {
						on++
					}
				}
				return float64(on) / float64(n)
			}
			b.ReportMetric(harvest("alone.dowse", "--conns", "16"), "alone")
			servers := startNATS(b, 1)
			for range 4 {
				startWorker(b, servers.url(), 4)
			}
			b.ReportMetric(harvest("cluster.dowse", "--cluster", servers.url()), "cluster")
			best, _ := d.web.Oracle(demoTopic, d.seeds, fetched)
			b.ReportMetric(best, "best")
		})
	}
}

// A servedDemo is a demo web on addresses of loopback, one for each of its sites: workers are processes of
// their own, which resolve names as usual.
type servedDemo struct {
	there, back *strings.Replacer // between the URLs of the web and those at which it is served
	names       map[string]string // of sites, by address
	web         http.Handler
}

func serveDemo(b *testing.B, d *demoWeb) *servedDemo {
	b.Helper()
	s := &servedDemo{names: map[string]string{}, web: d.web.Handler()}
	var there, back []string
	port := 0
	for site := range d.web.Sites() {
		n := len(s.names)
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.%d.%d:%d", n/200, n%200+1, port))
		if err != nil {
			b.Fatal(err)
		}
		port = l.Addr().(*net.TCPAddr).Port
		s.names[l.Addr().String()] = site.Host
		there = append(there, "//"+site.Host+"/", "//"+l.Addr().String()+"/")
		back = append(back, "//"+l.Addr().String()+"/", "//"+site.Host+"/")
		server := &http.Server{Handler: s}
		go server.Serve(l)
		b.Cleanup(func() { server.Close() })
	}
	s.there, s.back = strings.NewReplacer(there...), strings.NewReplacer(back...)
	return s
}

func (s *servedDemo) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	r.Host = s.names[r.Context().Value(http.LocalAddrContextKey).(net.Addr).String()]
	got := httptest.NewRecorder()
	s.web.ServeHTTP(got, r)
	for name, values := range got.Header() {
		for _, v := range values {
			rw.Header().Add(name, s.there.Replace(v))
		}
	}
	rw.Header().Del("Content-Length") // addresses and names differ in length
	rw.WriteHeader(got.Code)
	io.WriteString(rw, s.there.Replace(got.Body.String()))
}

func benchText() string {
	return "<p>" + strings.Repeat("The keeper of the light wrote every night what the sea had done to the rocks below. ", 230) + "</p>"
}

// differentTexts returns a function that makes the text of a page: at least size bytes of words that are drawn at
// random, common ones more often, so that no page resembles another one more than pages of the web do.
func differentTexts(size int) func(page int) string {
	rng := rand.New(rand.NewPCG(1, 2))
	words := make([]string, 5000)
	for i := range words {
		for range 2 + rng.IntN(8) {
			words[i] += string(rune('a' + rng.IntN(26)))
		}
	}
	return func(page int) string {
		rng := rand.New(rand.NewPCG(3, uint64(page)))
		var b strings.Builder
		for b.Len() < size {
			b.WriteString("<p>")
			for range 60 {
				b.WriteString(words[int(float64(len(words))*math.Pow(rng.Float64(), 3))])
				b.WriteByte(' ')
			}
			b.WriteString("</p>\n")
		}
		return b.String()
	}
}

// processorTime returns the processor time of a process that has ended, in microseconds.
func processorTime(p *clusterProcess) float64 {
	st := p.cmd.ProcessState
	return float64((st.UserTime() + st.SystemTime()).Microseconds())
}
