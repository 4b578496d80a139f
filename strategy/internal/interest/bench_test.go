package interest_test

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"dowse"
	"dowse/internal/trace"
	"dowse/strategy"
	"dowse/strategy/input"
)

var million = flag.Bool("million", false, "benchmark strategies after 1,000,000 pages too; takes memory and time")

// A mill makes pages of 40 links on the fly: a quarter of the links lead to URLs that
// were not seen before, the rest to seen ones, popular ones more often. It visits some seen
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
	b := append(make([]byte, 0, 48), "http://h"...)
	b = append(strconv.AppendInt(b, int64(i%1000), 10), ".test/dir"...)
	b = append(strconv.AppendInt(b, int64(i%37), 10), "/page-"...)
	return dowse.URL(append(strconv.AppendInt(b, int64(i), 10), ".html"...))
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
func millTrace(b testing.TB, pages int) input.Trace {
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

// A filler takes in a page without rating anything.
type filler interface {
	dowse.Strategy
	Fill(p *dowse.Page)
}

func newLearner(t testing.TB, name string, pages int) filler {
	needs := input.Inputs{}
	if name != "intelligent" {
		needs.Trace = millTrace(t, pages)
	}
	s, err := strategy.NewWith(name, needs)
	if err != nil {
		t.Fatal(err)
	}
	s.(dowse.Starter).Start([]dowse.URL{millURL(0)})
	return s.(filler)
}

var learners = []string{"intelligent", "collaborative", "combined"}

// TestFill checks that filling leaves a strategy as following does.
func TestFill(t *testing.T) {
	for _, name := range learners {
		filled, followed, m := newLearner(t, name, 500), newLearner(t, name, 500), newMill()
		for range 300 {
			p := m.page()
			filled.Fill(p)
			followed.Follow(p)
		}
		a, err := filled.(dowse.Saver).Save()
		if err != nil {
			t.Fatal(err)
		}
		if b, err := followed.(dowse.Saver).Save(); err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s: what was filled is not what was followed (%v)", name, err)
		}
	}
}

// BenchmarkLearners fills strategies with many pages and reports what Follow costs for
// the 2,000 pages after them, in processor time, and the memory for each URL that was
// seen.
func BenchmarkLearners(b *testing.B) {
	for _, name := range learners {
		sizes := []int{10_000, 100_000}
		if *million {
			sizes = append(sizes, 1_000_000)
		}
		for _, pages := range sizes {
			b.Run(fmt.Sprintf("%s/%dk", name, pages/1000), func(b *testing.B) { benchmarkLearner(b, name, pages) })
		}
	}
}

func benchmarkLearner(b *testing.B, name string, pages int) {
	const last = 2000
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for b.Loop() {
		m, before := newMill(), 0.0
		s := newLearner(b, name, pages)
		before = heapBytes()
		measure := filling()
		kept := cap(m.visited) + cap(m.onTopic) + 8*cap(m.waiting)
		for range pages - last {
			s.Fill(m.page())
		}
		measure()
		runtime.GC()
		took, leads := time.Duration(0), 0
		for range last {
			p := m.page()
			began := clock()
			list := s.Follow(p)
			took += clock() - began
			leads += len(list)
		}
		kept = cap(m.visited) + cap(m.onTopic) + 8*cap(m.waiting) - kept
		b.ReportMetric(float64(took.Microseconds())/last, "µs/page")
		b.ReportMetric(float64(leads)/last, "leads/page")
		b.ReportMetric((heapBytes()-before-float64(kept))/float64(len(m.visited)), "B/URL")
		runtime.KeepAlive(s)
		runtime.KeepAlive(m)
	}
	b.ReportMetric(0, "ns/op")
}
