package strategy_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/judge"
	"dowse/strategy"
	"dowse/strategy/input"
	"dowse/strategy/strategytest"
)

var million = flag.Bool("million", false, "benchmark strategies after 1,000,000 pages too; takes memory and time")

// BenchmarkPage measures what a strategy costs for pages with 40 links in a crawl that
// has visited a number of them. ns/op is the whole step of the crawl, mean-µs and median-µs the strategy's
// part of it (on a busy machine the median is more reliable), B/URL the memory of crawl and strategy for each known URL: what it has more than
// breadth-first is the strategy's own. T-Graphs have 1,000 nodes.
func BenchmarkPage(b *testing.B) {
	sizes := []int{10_000, 100_000}
	if *million {
		sizes = append(sizes, 1_000_000)
	}
	for _, d := range strategy.All() {
		for _, n := range sizes {
			b.Run(fmt.Sprintf("%s/%dk", d.Name, n/1000), func(b *testing.B) {
				s, err := strategy.NewWith(d.Name, input.Inputs{TGraph: manyNodes(1000), Words: []judge.TopicWord{{Term: "tide pools", Weight: 1}}})
				if err != nil {
					b.Skip(err) // what learns from people is in BenchmarkLearners
				}
				benchmarkPage(b, s, n, fillLinks(d.Name))
			})
		}
	}
}

// fillLinks is the number of links to a page while a crawl is filled: a quarter of the
// usual, since most are new all the same, but for strategies that follow few of them.
func fillLinks(name string) int {
	if name == "nb-threshold" || name == "lsfc-optimised" {
		return 40
	}
	return 10
}

func benchmarkPage(b *testing.B, s dowse.Strategy, n, links int) {
	var spent time.Duration
	timed := strategytest.Around(s, func(invoke func() []dowse.Lead) []dowse.Lead {
		began := time.Now()
		leads := invoke()
		spent += time.Since(began)
		return leads
	})
	before := heap()
	measure := filling()
	c, err := crawl.New(crawl.Config{Strategy: timed, Polite: polite, Traps: crawl.Traps{Budget: -1}})
	if err != nil {
		b.Fatal(err)
	}
	now := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	c.Start(now, []dowse.URL{broadURL(0), broadURL(1), broadURL(2)})
	universe := 10 * n
	step := func() {
		v, _, ok := c.Next(now)
		if !ok {
			b.Fatalf("the crawl is over: %s", c.Stopped())
		}
		now = now.Add(time.Millisecond)
		c.Absorb(now, broadPage(v, universe, links))
	}
	for range n {
		step()
	}
	links = 40
	measure()
	perURL := float64(heap()-before) / float64(c.Frontier().Len())
	var times []time.Duration
	sum := time.Duration(0)
	for b.Loop() {
		spent = 0
		step()
		times = append(times, spent)
		sum += spent
	}
	slices.Sort(times)
	b.ReportMetric(sum.Seconds()*1e6/float64(len(times)), "mean-µs")
	b.ReportMetric(times[len(times)/2].Seconds()*1e6, "median-µs")
	b.ReportMetric(perURL, "B/URL")
	runtime.KeepAlive(c)
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func broadURL(i int) dowse.URL {
	return dowse.URL("http://h" + strconv.Itoa(i%1000) + ".test/p" + strconv.Itoa(i))
}

// broadPage is a page of a broad web, drawn from its URL: so many links, a few of them
// relevant, and a text of topic words and others.
func broadPage(v crawl.Visit, universe, links int) *dowse.Page {
	p := v.Page()
	seed := uint64(len(v.URL))
	for i := range len(v.URL) {
		seed = seed*131 + uint64(v.URL[i])
	}
	rng := rand.New(rand.NewPCG(seed, 5))
	p.Verdict = dowse.Verdict{Relevance: rng.Float64(), Because: []dowse.Because{{What: "drawn"}}}
	p.Text, p.Words = broadText, broadWords
	p.Links = make([]dowse.Link, links)
	for i := range p.Links {
		l := &p.Links[i]
		l.URL = broadURL(rng.IntN(universe))
		at := int32(rng.IntN(len(broadWords) - 2))
		l.At, l.Anchor = dowse.Span{Start: at, End: at + 2}, "tide pools"
		l.Above = [3]int32{-1, -1, -1}
		l.Context = rng.Float64()
	}
	return p
}

const broadText = "in the tide pools of the shore live crabs and limpets that hold on to rocks while shops sell maps of other coasts and news of sport"

var broadWords = dowse.Words(broadText)
