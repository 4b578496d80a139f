package operations_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/crawl"
	"dowse/internal/operations"
	"dowse/strategy"
)

var (
	benchPages = flag.Int("pages", 20_000, "pages of the made collection of the benchmarks")
	benchDir   = flag.String("made", "", "folder of the made collection; made if it is missing, and kept")
)

// makeLarge writes a collection of made pages, by a crawl that absorbs them without a web. Every page
// links to five others, three of them new, on a host per two hundred pages.
func makeLarge(t testing.TB, dir string, pages int) {
	t.Helper()
	s := collection.Settings{Name: "large", Begun: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)}
	s.Strategy, s.Threshold, s.Key = "breadth-first", 0.5, 7
	s.Politeness.Delay = -1
	col, err := collection.Create(dir, s, []byte("dowse: topic/v1\nname: large\nwords: [made]\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	st, err := strategy.New(s.Strategy)
	if err != nil {
		t.Fatal(err)
	}
	cfg := crawl.Config{Strategy: st, Threshold: s.Threshold, Traps: crawl.Traps{Budget: -1}, Polite: crawl.Politeness{Delay: -1, InFlight: 1}}
	if err := col.Load(cfg, nil); err != nil {
		t.Fatal(err)
	}
	hosts := max(2, pages/200)
	now := s.Begun
	known := 1
	name := func(i int) dowse.URL {
		return dowse.URL(fmt.Sprintf("http://host-%d.example/section-%d/page-%d", i%hosts, i%17, i))
	}
	col.Crawl.Start(now, []dowse.URL{name(0)})
	r := rand.New(rand.NewPCG(1, 2))
	languages := []string{"en", "de", "fr", ""}
	for n := 0; n < pages; {
		v, when, ok := col.Crawl.Next(now)
		if !ok {
			if when.IsZero() {
				t.Fatalf("it ended after %d pages", n)
			}
			now = when
			continue
		}
		p := v.Page()
		p.Fetch = dowse.Fetch{At: now, Took: 120 * time.Millisecond, Status: 200, Type: "text/html", Bytes: 9000, Wire: 3000}
		p.Outcome = dowse.Fetched
		p.Title = fmt.Sprintf("Made page %d", n)
		p.Language = languages[n%len(languages)]
		p.Verdict = dowse.Verdict{Relevance: r.Float64(), Judge: "made", Scale: "share", Because: []dowse.Because{{What: "made", Weight: 0.4, Count: 3}, {What: "page", Weight: 0.1, Count: 1}}}
		for i := range 5 {
			u := name(r.IntN(known))
			if i < 3 && known < 3*pages {
				u = name(known)
				known++
			}
			if slices.ContainsFunc(p.Links, func(l dowse.Link) bool { return l.URL == u }) {
				continue
			}
			p.Links = append(p.Links, dowse.Link{URL: u, Mention: dowse.Mention{Anchor: "a made link"}})
		}
		now = now.Add(time.Millisecond)
		col.Crawl.Absorb(now, p)
		n++
		if n%5000 == 0 {
			if err := col.Journal.Sync(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := col.Journal.Sync(); err != nil {
		t.Fatal(err)
	}
	save, err := col.Checkpoint()
	if err == nil {
		err = save()
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := col.Close(); err != nil {
		t.Fatal(err)
	}
}

// makeRated writes a collection of pages that a seed of each leads to, by a crawl that absorbs them without a web. Their relevance falls from
// 0.9 to 0.1.
func makeRated(t testing.TB, dir string, pages []string) {
	t.Helper()
	s := collection.Settings{Name: "rated", Begun: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)}
	s.Strategy, s.Threshold, s.Key = "breadth-first", 0.5, 7
	s.Politeness.Delay = -1
	col, err := collection.Create(dir, s, []byte("dowse: topic/v1\nname: rated\nwords: [made]\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	st, err := strategy.New(s.Strategy)
	if err != nil {
		t.Fatal(err)
	}
	if err := col.Load(crawl.Config{Strategy: st, Threshold: s.Threshold, Polite: crawl.Politeness{Delay: -1, InFlight: 1}}, nil); err != nil {
		t.Fatal(err)
	}
	now := s.Begun
	var seeds []dowse.URL
	for _, u := range pages {
		seeds = append(seeds, dowse.URL(u))
	}
	col.Crawl.Start(now, seeds)
	for n := 0; n < len(pages); {
		v, when, ok := col.Crawl.Next(now)
		if !ok {
			if when.IsZero() {
				t.Fatalf("it ended after %d pages", n)
			}
			now = when
			continue
		}
		p := v.Page()
		p.Fetch = dowse.Fetch{At: now, Status: 200, Type: "text/html"}
		p.Outcome = dowse.Fetched
		p.Verdict = dowse.Verdict{Relevance: 0.9 - 0.8*float64(n)/float64(len(pages)), Judge: "made", Scale: "share"}
		now = now.Add(time.Millisecond)
		col.Crawl.Absorb(now, p)
		n++
	}
	if err := errors.Join(col.Journal.Sync(), col.Close()); err != nil {
		t.Fatal(err)
	}
}

// large returns a folder with a made collection, large.dowse.
func large(b testing.TB) string {
	b.Helper()
	dir := *benchDir
	if dir == "" {
		dir = b.TempDir()
	}
	if !collection.IsCollection(filepath.Join(dir, "large.dowse")) {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			b.Fatal(err)
		}
		makeLarge(b, filepath.Join(dir, "large.dowse"), *benchPages)
	}
	return dir
}

// BenchmarkOpen is the first question about a collection that was not asked about before.
func BenchmarkOpen(b *testing.B) {
	dir := large(b)
	began := cpuTime()
	defer func() { b.ReportMetric((cpuTime()-began).Seconds()/float64(b.N), "cpu-s/op") }()
	for b.Loop() {
		o := over(b, operations.Config{Dirs: []string{dir}})
		if _, err := o.Status(bg, "large"); err != nil {
			b.Fatal(err)
		}
		if err := o.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkAnswers are questions about a collection that is open. It reports the 95th percentile.
func BenchmarkAnswers(b *testing.B) {
	dir := large(b)
	o := over(b, operations.Config{Dirs: []string{dir}})
	first, err := o.Pages(bg, "large", operations.PageQuery{})
	if err != nil {
		b.Fatal(err)
	}
	url := string(first.Pages[0].URL)
	pages := func(q operations.PageQuery) func() error {
		return func() error {
			list, err := o.Pages(bg, "large", q)
			if err == nil && list.Next != "" { // the second part, too
				q := q
				q.Cursor = list.Next
				_, err = o.Pages(bg, "large", q)
			}
			return err
		}
	}
	for _, x := range []struct {
		name string
		ask  func() error
	}{
		{"status", func() error { _, err := o.Status(bg, "large"); return err }},
		{"pages/time", pages(operations.PageQuery{})},
		{"pages/score-on", pages(operations.PageQuery{Verdict: "on", Sort: "score"})},
		{"pages/unsure", pages(operations.PageQuery{Verdict: "unsure", Sort: "uncertainty"})},
		{"pages/host", pages(operations.PageQuery{Host: "host-1.example"})},
		{"pages/by-host", pages(operations.PageQuery{Sort: "host"})},
		{"pages/language", pages(operations.PageQuery{Language: "de"})},
		{"pages/text", pages(operations.PageQuery{Text: "nowhere to be found"})},
		{"pages/since", pages(operations.PageQuery{Since: time.Date(2026, 11, 1, 0, 0, 5, 0, time.UTC)})},
		{"pages/failed", pages(operations.PageQuery{Failed: true})},
		{"page", func() error { _, err := o.Page(bg, "large", url); return err }},
		{"why", func() error { _, err := o.Why(bg, "large", url, false); return err }},
		{"frontier", func() error { _, err := o.Frontier(bg, "large", operations.FrontierQuery{}); return err }},
		{"hosts", func() error { _, err := o.Hosts(bg, "large", operations.HostQuery{Sort: "share"}); return err }},
		{"problems", func() error { _, err := o.Problems(bg, "large"); return err }},
		{"series", func() error { _, err := o.Series(bg, "large", operations.SeriesQuery{}); return err }},
		{"events", func() error { _, err := o.Events(bg, "large", "0", 100); return err }},
		{"queue", func() error { _, err := o.Queue(bg, "large", "unsure", 20); return err }},
		{"graph", func() error { _, err := o.Graph(bg, "large", 100); return err }},
	} {
		b.Run(x.name, func(b *testing.B) {
			var took []time.Duration
			worked := cpuTime()
			for b.Loop() {
				began := time.Now()
				if err := x.ask(); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(began))
			}
			b.ReportMetric(float64((cpuTime()-worked).Microseconds())/1000/float64(len(took)), "cpu-ms/op")
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
		})
	}
}
