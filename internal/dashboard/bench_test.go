//go:build unix

package dashboard

import (
	"context"
	"html"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"dowse/internal/operations"
)

// A benchPage is a page of the dashboard with addresses that are asked for in turn.
type benchPage struct {
	name  string // the pattern of the page, and what is special about the addresses
	paths []string
}

// benchPages returns every page of a collection. It reads addresses of single pages and words to search for from the
// pages themselves: those of the collection home, and those of the collection texts, whose pages are archived.
func benchPages(t testing.TB, s *site, home, other, texts string) (list []benchPage) {
	add := func(name string, paths ...string) { list = append(list, benchPage{name, paths}) }
	id := func(home string) string { return strings.Trim(strings.TrimPrefix(home, "/c/"), "/") }
	_, pages, _ := s.get(t, home+"pages?sort=score") // somewhere in the middle of the journal
	links := linksOf(pages, home)
	host := between(pages, `class="url" dir="ltr">`, "/")
	var same []string
	for _, l := range links {
		same = append(same, home+l)
	}
	add("collections", "/collections")
	add("new", "/new", "/new?words=tide+pools+of+the+shore")
	add("compare", "/compare?c="+id(home)+"&c="+id(other))
	add("compare, none chosen", "/compare")
	add("lab", "/lab")
	add("lab/run", "/lab/run?run=runs/demo")
	add("overview", home)
	for _, q := range []string{"", "?sort=fetched", "?verdict=on&sort=score", "?verdict=unsure&sort=uncertainty", "?sort=surprise", "?sort=host", "?host=" + host, "?lang=de", "?since=1h", "?reason=made", "?text=nowhere+to+be+found", "?model=m0", "?verdict=skipped", "?verdict=failed"} {
		add("pages"+q, home+"pages"+q)
	}
	add("page", same...)
	for _, q := range []string{"unsure", "audit", "disagreements"} {
		add("labels, "+q, home+"labels?queue="+q)
	}
	add("topic", home+"topic")
	add("topic, changed", home+"topic?value=0.9&boost=rock+pool&ban=shop")
	add("frontier", home+"frontier")
	add("frontier of a host", home+"frontier?host="+host)
	add("frontier, excluding", home+"frontier?exclude=%2Fpage-7")
	for _, q := range []string{"", "?sort=share", "?sort=name", "?show=problems", "?text=7"} {
		add("hosts"+q, home+"hosts"+q)
	}
	add("receipt", home+"receipt")
	add("graph", home+"graph")
	for _, q := range []string{"", "?sort=pages", "?sort=name"} {
		add("sites"+q, home+"sites"+q)
	}
	add("tgraph", home+"tgraph")
	for _, p := range []string{"problems", "export", "settings"} {
		add(p, home+p)
	}
	add("search, nothing asked", texts+"search")
	queries := benchQueries(t, s, texts)
	for _, kind := range slices.Sorted(maps.Keys(queries)) {
		add("search, "+kind, queries[kind]...)
	}
	return list
}

// linksOf returns the links to single pages in a list of pages.
func linksOf(body, home string) (list []string) {
	for _, part := range strings.Split(body, `class="name" href="`+home)[1:] {
		link, _, _ := strings.Cut(part, `"`)
		list = append(list, html.UnescapeString(link))
	}
	return list
}

// benchQueries returns searches by kinds, made of the titles of pages.
func benchQueries(t testing.TB, s *site, home string) map[string][]string {
	_, body, _ := s.get(t, home+"pages?sort=uncertainty")
	kinds := map[string][]string{}
	add := func(kind, query string, more ...string) {
		kinds[kind] = append(kinds[kind], home+"search?"+strings.Join(append(more, "q="+url.QueryEscape(query)), "&"))
	}
	links := strings.Split(body, `class="name" href="`+home)[1:]
	for i, part := range links {
		words := strings.Fields(html.UnescapeString(between(part, ">", "<")))
		others := strings.Fields(html.UnescapeString(between(links[(i+1)%len(links)], ">", "<")))
		if len(words) == 0 || len(others) == 0 {
			continue
		}
		title := strings.Join(words, " ")
		add("title", title)
		add("one word", words[0])
		add("two words", words[0]+" "+others[len(others)-1])
		add("phrase", `"`+title+`"`)
		add("phrase of two words", `"`+strings.Join(words[:min(2, len(words))], " ")+`"`)
		add("conditions", words[0]+" lang:en date:>2020 verdict:on")
		add("all, excluding", words[0]+" -"+others[0], "all=1")
		add("tenth part", words[0], "offset=180")
		page, _ := url.Parse(html.UnescapeString(before(part, `"`)))
		kinds["similar"] = append(kinds["similar"], home+"search?similar="+url.QueryEscape(page.Query().Get("url")))
	}
	return kinds
}

// before returns the part of a text before another one.
func before(text, end string) string {
	part, _, _ := strings.Cut(text, end)
	return part
}

// The cost of each page: go test ./internal/dashboard -run '^$' -bench Page. DASHBOARD_BENCH names a folder with
// a collection, such as one of a million pages, and perhaps a second one to compare it with; default a synthetic one of 120 pages. DASHBOARD_SEARCH names
// a folder with the collection that is searched; default the same, but the pages of a made collection have no text.
func BenchmarkPage(b *testing.B) {
	s, home, other, texts := benchSite(b)
	for _, p := range benchPages(b, s, home, other, texts) {
		b.Run(p.name, func(b *testing.B) {
			get := func(i int) {
				code, body, _ := s.get(b, p.paths[i%len(p.paths)])
				for strings.Contains(body, "data-poll") { // it is being made in the background
					time.Sleep(100 * time.Millisecond)
					code, body, _ = s.get(b, p.paths[i%len(p.paths)])
				}
				if code != 200 && !(code == 404 && p.name == "tgraph") { // a crawl that was given none has none
					b.Fatal(p.paths[i%len(p.paths)], code, body)
				}
			}
			before, began := cpu(b), time.Now()
			get(0) // what is made once for a view
			first, firstClock := cpu(b)-before, time.Since(began)
			var times, worked []time.Duration // by the clock, and of processors, which does not depend on what else the machine does
			before = cpu(b)
			for b.Loop() {
				began, beganCPU := time.Now(), cpu(b)
				get(len(times))
				times, worked = append(times, time.Since(began)), append(worked, cpu(b)-beganCPU)
			}
			b.ReportMetric(float64((cpu(b)-before).Microseconds())/1000/float64(len(times)), "cpu-ms/op")
			b.ReportMetric(float64(first.Microseconds())/1000, "first-cpu-ms")
			b.ReportMetric(float64(firstClock.Microseconds())/1000, "first-ms")
			slices.Sort(times)
			slices.Sort(worked)
			b.ReportMetric(float64(times[len(times)*95/100].Microseconds())/1000, "p95-ms")
			b.ReportMetric(float64(worked[len(worked)*95/100].Microseconds())/1000, "p95-cpu-ms")
		})
	}
}

// TestBenchmarkHasEveryPage compares the pages of the benchmark with what the dashboard answers.
func TestBenchmarkHasEveryPage(t *testing.T) {
	dir := copied(t)
	mux := http.NewServeMux()
	missing := map[string]bool{}
	ops, err := operations.New(operations.Config{Dirs: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	defer ops.Close()
	d, err := New(ops, Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, r := range d.routes() {
		mux.Handle(r.pattern, r.handler)
		missing[r.pattern] = strings.HasPrefix(r.pattern, "GET ")
	}
	for _, p := range []string{"GET /{$}", "GET /c/{id}", "GET /c/{id}/live", "GET /c/{id}/file", "GET /lab/file"} { // redirects, a stream, and files that are sent as they are
		delete(missing, p)
	}
	for _, p := range benchPages(t, open(t, dir), "/c/pools/", "/c/pools/", "/c/pools/") {
		for _, path := range p.paths {
			r, err := http.NewRequest(http.MethodGet, path, nil)
			if err != nil {
				t.Fatal(err)
			}
			_, pattern := mux.Handler(r)
			if pattern == "/" {
				t.Errorf("%s: the dashboard has no page %s", p.name, path)
			}
			delete(missing, pattern)
		}
		if len(p.paths) == 0 {
			t.Errorf("%s has no address", p.name)
		}
	}
	for p, isPage := range missing {
		if isPage {
			t.Errorf("the benchmark does not ask for %s", p)
		}
	}
}

// Fifty viewers, each with a stream of changes, that fetch the overview of a collection together.
func BenchmarkFiftyViewers(b *testing.B) {
	s, home, _, _ := benchSite(b)
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

// benchSite serves the collections of the benchmarks, and returns the addresses of the one that is shown, the one
// that it is compared with, and the one that is searched.
func benchSite(b *testing.B) (s *site, home, other, texts string) {
	cfg := operations.Config{Dirs: []string{os.Getenv("DASHBOARD_BENCH")}, SearchKey: func() []byte { return []byte("0123456789abcdef") }}
	if cfg.Dirs[0] == "" {
		cfg.Dirs[0] = copied(b)
		if err := os.CopyFS(filepath.Join(cfg.Dirs[0], "second.dowse"), os.DirFS(filepath.Join(cfg.Dirs[0], "pools.dowse"))); err != nil {
			b.Fatal(err)
		}
	}
	list, err := filepath.Glob(filepath.Join(cfg.Dirs[0], "*.dowse"))
	if err != nil || len(list) == 0 {
		b.Fatalf("%s has no collection", cfg.Dirs[0])
	}
	address := func(path string) string { return "/c/" + strings.TrimSuffix(filepath.Base(path), ".dowse") + "/" }
	home, other = address(list[0]), address(list[len(list)-1])
	texts = home
	if dir := os.Getenv("DASHBOARD_SEARCH"); dir != "" {
		list, err := filepath.Glob(filepath.Join(dir, "*.dowse"))
		if err != nil || len(list) == 0 {
			b.Fatalf("%s has no collection", dir)
		}
		cfg.Dirs, texts = append(cfg.Dirs, dir), address(list[0])
	}
	lab := withRun(b, b.TempDir())
	return openFull(b, cfg, Config{LabDirs: []string{lab}, LabReport: madeReport}), home, other, texts
}
