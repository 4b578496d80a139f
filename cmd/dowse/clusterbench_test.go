//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

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
		return processorTime(p)
	}
	b.Run("alone", func(b *testing.B) {
		first, second := alone(b, few), alone(b, many)
		b.ReportMetric(second/many, "µs/page")
		b.ReportMetric((second-first)/(many-few), "more-µs/page")
	})
	cluster := func(b *testing.B, pages int) (coordinator, worker float64) {
		web := serveCluster(b, pages, 100, 0)
		web.text = differentTexts(20_000)
		servers := startNATS(b, 1)
		c := startCrawl(b, web, filepath.Join(b.TempDir(), "c.dowse"), servers.url())
		w := startWorker(b, servers.url(), 64)
		c.ended(exitOK)
		w.signal(syscall.SIGTERM)
		w.ended(exitOK)
		return processorTime(c), processorTime(w)
	}
	b.Run("cluster", func(b *testing.B) {
		c1, w1 := cluster(b, few)
		c2, w2 := cluster(b, many)
		b.ReportMetric(c2/many, "coordinator-µs/page")
		b.ReportMetric((c2-c1)/(many-few), "coordinator-more-µs/page")
		b.ReportMetric(w2/many, "worker-µs/page")
		b.ReportMetric((w2-w1)/(many-few), "worker-more-µs/page")
	})
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

// BenchmarkClusterScaling reports the pages per second of 1, 2, 4 and 8 workers on a web whose pages take
// 100 ms: with 32 connections each, and with 4, for which the processors of a small machine suffice.
func BenchmarkClusterScaling(b *testing.B) {
	for _, conns := range []int{4, 32} {
		for _, n := range []int{1, 2, 4, 8} {
			b.Run(fmt.Sprintf("conns=%d/workers=%d", conns, n), func(b *testing.B) {
				pages := 300 * n * min(conns, 16) / 4
				web := serveCluster(b, pages, 200, 100*time.Millisecond)
				web.text = differentTexts(1000)
				servers := startNATS(b, 1)
				c := startCrawl(b, web, filepath.Join(b.TempDir(), "c.dowse"), servers.url())
				for range n {
					startWorker(b, servers.url(), conns)
				}
				awaitThat(b, "the first pages", func() bool { return web.known() > pages/4 || !c.running() })
				begun, first := time.Now(), web.known()
				awaitThat(b, "nearly all pages", func() bool { return web.known() >= pages*9/10 || !c.running() })
				b.ReportMetric(float64(web.known()-first)/time.Since(begun).Seconds(), "pages/s")
				c.ended(exitOK)
			})
		}
	}
}

// BenchmarkClusterHarvest reports which share of the pages that a crawl fetches first is on topic, for one
// machine with 16 connections and for four workers with 4 each, over five random webs and seeds.
func BenchmarkClusterHarvest(b *testing.B) {
	const all, fetched = 3000, 600
	for seed := range 5 {
		b.Run(fmt.Sprint(seed), func(b *testing.B) {
			args := slices.Concat([]string{"crawl", "lighthouse keeper", "--pages", fmt.Sprint(fetched), "--rng", fmt.Sprint(seed + 1)}, clusterArgs)
			harvest := func(dir string, args ...string) float64 {
				startDowse(b, args...).ended(exitOK)
				p := startDowse(b, "status", dir, "--json")
				p.ended(exitOK)
				var st struct{ Harvest float64 }
				if err := json.Unmarshal(p.out.Bytes(), &st); err != nil {
					b.Fatal(err)
				}
				return st.Harvest
			}
			web := serveCluster(b, all, 100, 2*time.Millisecond)
			web.page = topicalWeb(web, uint64(seed))
			dir := filepath.Join(b.TempDir(), "alone.dowse")
			b.ReportMetric(harvest(dir, append(args, "-s", web.url(0), "-o", dir, "--conns", "16")...), "alone")
			servers := startNATS(b, 1)
			for range 4 {
				startWorker(b, servers.url(), 4)
			}
			dir = filepath.Join(b.TempDir(), "cluster.dowse")
			b.ReportMetric(harvest(dir, append(args, "-s", web.url(0), "-o", dir, "--cluster", servers.url())...), "cluster")
		})
	}
}

// topicalWeb returns a function that makes pages of a web of which a fifth is on topic. Two thirds of the
// links of a page lead to pages of its own kind, and their words mostly show which kind that is.
func topicalWeb(w *clusterWeb, seed uint64) func(page int) string {
	on := func(i int) bool { return i%5 == 0 }
	words := [2]string{"the harbour master sold fish and rope to the merchants of the town", "the lighthouse keeper lit the lamp of the lighthouse for ships at night"}
	return func(page int) string {
		rng := rand.New(rand.NewPCG(seed, uint64(page)))
		kind := func(is bool) string {
			if is {
				return words[1]
			}
			return words[0]
		}
		var b strings.Builder
		fmt.Fprintf(&b, "<html lang=en><title>Page %d</title>", page)
		for k := range 5 + rng.IntN(10) {
			fmt.Fprintf(&b, "<p>%s in the year %d, number %d.</p>", kind(on(page)), 1700+rng.IntN(300), k*rng.IntN(1000))
		}
		for range 12 {
			to := rng.IntN(w.n)
			if rng.IntN(3) > 0 && on(to) != on(page) {
				to -= to % 5
				if !on(page) {
					to++
				}
			}
			fmt.Fprintf(&b, "<p>%d %s <a href=%q>%s</a></p>", rng.IntN(1000), kind(on(to)), w.url(to%w.n), kind(on(to) != (rng.IntN(5) == 0)))
		}
		return b.String()
	}
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
