package strategy_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"dowse"
	"dowse/strategy"
	"dowse/trace"
)

// A mill makes pages of 40 links on the fly: a quarter of the links lead to URLs that
// nobody saw, the rest to seen ones, popular ones more often. It visits some seen
// page each time, as a crawl does.
type mill struct {
	rng     *rand.Rand
	texts   []string
	words   [][]dowse.Span
	visited []bool // by number of the URL
	onTopic []bool
	waiting []int
}

const millLinks = 40

func newMill() *mill {
	m := &mill{rng: rand.New(rand.NewPCG(1, 2)), visited: []bool{false}, onTopic: []bool{false}, waiting: []int{0}}
	zipf := rand.NewZipf(m.rng, 1.1, 5, 50_000)
	for range 500 {
		var b strings.Builder
		for range 300 {
			fmt.Fprintf(&b, "w%dx ", zipf.Uint64())
		}
		m.texts = append(m.texts, b.String())
		m.words = append(m.words, dowse.Words(b.String()))
	}
	return m
}

func millURL(i int) dowse.URL {
	return dowse.URL(fmt.Sprintf("http://h%d.test/dir%d/page-%d.html", i%1000, i%37, i))
}

func (m *mill) page() *dowse.Page {
	at := m.rng.IntN(len(m.waiting))
	i := m.waiting[at]
	m.waiting[at] = m.waiting[len(m.waiting)-1]
	m.waiting = m.waiting[:len(m.waiting)-1]
	text := m.rng.IntN(len(m.texts))
	p := &dowse.Page{URL: millURL(i), Outcome: dowse.Fetched, OnTopic: text%5 == 0}
	p.Text, p.Words = m.texts[text], m.words[text]
	twice := map[int]bool{i: true}
	for k := range millLinks {
		to := int(float64(len(m.visited)) * m.rng.Float64() * m.rng.Float64())
		if k%4 == 0 {
			to = len(m.visited)
			m.visited, m.onTopic = append(m.visited, false), append(m.onTopic, false)
		}
		if twice[to] {
			continue
		}
		twice[to] = true
		l := dowse.Link{URL: millURL(to), Target: dowse.Target{State: dowse.Waiting, Seq: uint32(to)}}
		switch {
		case k%4 == 0:
			l.Target.State = dowse.Unseen
			m.waiting = append(m.waiting, to)
		case m.visited[to]:
			l.Target.State, l.Target.OnTopic = dowse.Visited, m.onTopic[to]
		}
		p.Links = append(p.Links, l)
	}
	m.visited[i], m.onTopic[i] = true, p.OnTopic
	return p
}

// millTrace is a trace of people who went to 20 pages each, every page by ten people
// on average.
func millTrace(b *testing.B, pages int) strategy.Trace {
	rng := rand.New(rand.NewPCG(3, 4))
	t, err := trace.New(trace.Options{Salt: salt})
	if err != nil {
		b.Fatal(err)
	}
	for user := range pages / 2 {
		near := rng.IntN(pages)
		for range 20 {
			t.Add(trace.Access{User: fmt.Sprint(user), URL: millURL((near + rng.IntN(50)*rng.IntN(50)) % pages)})
		}
	}
	return t.Log()
}

func heapBytes() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// BenchmarkLearners absorbs many pages and reports what Follow costs for the last
// tenth of them, in processor time, and the memory for each URL that was seen.
func BenchmarkLearners(b *testing.B) {
	for _, name := range []string{"intelligent", "collaborative", "combined"} {
		sizes := []int{10_000, 100_000}
		if *million {
			sizes = append(sizes, 1_000_000)
		}
		for _, pages := range sizes {
			b.Run(fmt.Sprintf("%s/%dk", name, pages/1000), func(b *testing.B) {
				needs := strategy.Needs{}
				if name != "intelligent" {
					needs.Trace = millTrace(b, pages)
				}
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
				for b.Loop() {
					m := newMill()
					before := heapBytes()
					s, err := strategy.NewWith(name, needs)
					if err != nil {
						b.Fatal(err)
					}
					s.(dowse.Starter).Start([]dowse.URL{millURL(0)})
					took, leads := time.Duration(0), 0
					for n := range pages {
						p := m.page()
						began := clock()
						list := s.Follow(p)
						if n >= pages-pages/10 {
							took += clock() - began
							leads += len(list)
						}
					}
					known := len(m.visited)
					urls := m.visited
					m.texts, m.words, m.waiting, m.onTopic = nil, nil, nil, nil
					held := heapBytes() - before
					b.ReportMetric(float64(took.Microseconds())/float64(pages/10), "µs/page")
					b.ReportMetric(float64(leads)/float64(pages/10), "leads/page")
					b.ReportMetric(held/float64(known), "B/URL")
					runtime.KeepAlive(s)
					runtime.KeepAlive(urls)
				}
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
