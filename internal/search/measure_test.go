package search_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/archive"
	"dowse/internal/search"
	"dowse/internal/shareddata"
	"dowse/settings"
)

var measure = flag.String("measure", "", "measure indexing and searching: wikispeedia, teasers, a number of made pages, or the directory of a collection")

var keep = flag.String("keep", "", "make the collection that is measured in this directory, and keep it for -measure")

// key is a user's secret.
var key = []byte("0123456789abcdef")

// certain is a judge for which every page is on topic.
type certain struct{}

func (certain) Judge(*dowse.Page) dowse.Verdict {
	return dowse.Verdict{Relevance: 1, Judge: "certain", Because: []dowse.Because{{What: "all", Weight: 1}}}
}

// crawled makes a collection of a web, and closes it.
func crawled(t testing.TB, web http.RoundTripper, judge dowse.Judge, pages int, seeds ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "made.dowse")
	if *keep != "" {
		dir = *keep
	}
	crawlMade(t, dir, web, judge, pages, seeds...)
	return dir
}

// crawlMade makes a collection in a directory.
func crawlMade(t testing.TB, dir string, web http.RoundTripper, judge dowse.Judge, pages int, seeds ...string) {
	t.Helper()
	crawl(t, dir, crawler.Config{
		Words: []string{"made"}, Judge: judge, Seeds: seeds, Transport: web, NoSitemaps: true,
		Settings: settings.Settings{
			Order: settings.Order{Strategy: "breadth-first"}, Limits: settings.Limits{Pages: pages},
			Identity:   settings.Identity{Agent: "madebot", Contact: "https://example.org/bot"},
			Politeness: settings.Politeness{Delay: settings.None, Conns: 8, InFlight: 16, Prefer: "time"},
		},
	})
}

// crawl begins or resumes a crawl and runs it to its end.
func crawl(t testing.TB, dir string, cfg crawler.Config) {
	t.Helper()
	cr, err := crawler.Open(dir, cfg)
	if err != nil {
		t.Fatal(err)
	}
	cr.Run(t.Context(), t.Context(), func(*crawler.Page) bool { return true })
	if err := cr.Err(); err != nil {
		t.Fatal(err)
	}
	if err := cr.Close(); err != nil {
		t.Fatal(err)
	}
}

// opened opens a searcher over collections.
func opened(t testing.TB, o search.Options, update bool, dirs ...string) *search.Searcher {
	t.Helper()
	s, err := search.Open(context.Background(), loaded(t, dirs...), o, update)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// loaded opens collections to read.
func loaded(t testing.TB, dirs ...string) (cols []*collection.Collection) {
	t.Helper()
	for _, dir := range dirs {
		cr, err := crawler.View(dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { cr.Close() })
		cols = append(cols, cr.Collection)
	}
	return cols
}

// search1 answers a request.
func search1(t testing.TB, s *search.Searcher, r search.Request) *search.Result {
	t.Helper()
	got, err := s.Search(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestMeasure measures what docs/search.md reports: how fast pages are indexed, how many bytes they take, how
// fast queries are answered, and where a page is among the hits for its title.
func TestMeasure(t *testing.T) {
	if *measure == "" || *measure == "crawl" {
		t.Skip("not asked for: -measure wikispeedia, or -measure 100000")
	}
	dir := measured(t)
	began, beganCPU := time.Now(), cpu(t)
	if err := search.Update(t.Context(), dir, search.Options{Key: key}); err != nil {
		t.Fatal(err)
	}
	took, tookCPU := time.Since(began), cpu(t)-beganCPU
	s := opened(t, search.Options{Key: key}, false, dir)
	rows := slices.Collect(rowsOf(t, dir))
	texts := int64(0)
	for _, r := range rows {
		texts += r.Fetch.Bytes
	}
	n := float64(len(rows))
	fmt.Printf("| pages | %d |\n| indexed per second | %.0f |\n| indexed per second of a processor | %.0f |\n| index, bytes per page | %.0f |\n| archive, bytes per page | %.0f |\n| HTML, bytes per page | %.0f |\n",
		len(rows), n/took.Seconds(), n/tookCPU, float64(sizeOf(t, filepath.Join(dir, "search")))/n, float64(sizeOf(t, filepath.Join(dir, "archive")))/n, float64(texts)/n)
	rank, queries := 0.0, titles(rows, 50)
	for _, r := range queries {
		got := search1(t, s, search.Request{Query: r.Title, Limit: 100})
		at := slices.IndexFunc(got.Hits, func(h search.Hit) bool { return h.Page.URL == r.URL || slices.Contains(h.Same, r.URL) })
		if at >= 0 {
			rank += 1 / float64(at+1)
		}
		if at != 0 && testing.Verbose() {
			fmt.Println("not first:", r.Title, at)
		}
	}
	fmt.Printf("| mean reciprocal rank, %d titles | %.3f |\n", len(queries), rank/float64(len(queries)))
	if *measure == "teasers" {
		measureTeasers(t, s)
	}
	for _, kind := range []string{"title", "one word", "two words", "phrase", "similar"} {
		times, clock := timed(t, s, kind, rows)
		fmt.Printf("| %s: queries per second of a processor, median, p99 | %.0f, %.1f ms, %.1f ms |\n", kind, 1/mean(times), times[len(times)/2]*1e3, times[len(times)*99/100]*1e3)
		fmt.Printf("| %s: queries per second by the clock, median, p99 | %.0f, %.1f ms, %.1f ms |\n", kind, 1/mean(clock), clock[len(clock)/2]*1e3, clock[len(clock)*99/100]*1e3)
	}
	for _, kind := range []string{"title", "one word"} {
		rate, clock := together(t, s, kind, rows, 8)
		fmt.Printf("| %s, 8 clients: queries per second by the clock, median, p99 | %.0f, %.1f ms, %.1f ms |\n", kind, rate, clock[len(clock)/2]*1e3, clock[len(clock)*99/100]*1e3)
	}
}

// TestFollowTakesATenth counts the processor time of everything that Follow causes, the engine and the collection of garbage
// included, against the time that passes. The rests are counted and not made.
func TestFollowTakesATenth(t *testing.T) {
	if testing.Short() {
		t.Skip("short: other tests have the same goroutines")
	}
	dir := crawled(t, proseWeb{800}, certain{}, 800, "http://h0.example/0")
	runtime.GC()
	rounds, rested := 0, time.Duration(0)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	began, beganCPU := time.Now(), cpu(t)
	err := search.Follow1(ctx, dir, func() []byte { return key }, 0, func(_ context.Context, d time.Duration) bool {
		rested += d
		rounds++
		return rounds <= 6
	})
	used, passed := cpu(t)-beganCPU, time.Since(began)+rested
	if err != nil {
		t.Fatal(err)
	}
	got := search1(t, opened(t, search.Options{Key: key}, false, dir), search.Request{Query: spelled(0), Limit: 1})
	if got.Lag.Pages != 200 || rounds != 7 {
		t.Errorf("after %d rounds %d of 800 pages are missing, want 200, so the test shows nothing", rounds-1, got.Lag.Pages)
	}
	share := used / passed.Seconds()
	t.Logf("%.1f s of a processor in %.1f s: %.3f", used, passed.Seconds(), share)
	if share > 0.1 {
		t.Errorf("Follow takes %.3f of a processor, want at most 0.1", share)
	}
}

// TestMeasureCrawl measures what the index costs a crawl that has no delays and is limited by the processor: pairs of crawls of
// the same pages, with the index that follows and without.
func TestMeasureCrawl(t *testing.T) {
	if *measure != "crawl" {
		t.Skip("not asked for: -measure crawl")
	}
	const pages = 12_000
	for range 3 {
		for _, indexed := range []bool{false, true} {
			dir := filepath.Join(t.TempDir(), "made.dowse")
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			began, beganCPU := time.Now(), cpu(t)
			if indexed {
				go func() { done <- followWhenThere(ctx, dir) }()
			} else {
				done <- nil
			}
			crawlMade(t, dir, proseWeb{pages}, certain{}, pages, "http://h0.example/0")
			took, used := time.Since(began).Seconds(), cpu(t)-beganCPU
			cancel()
			if err := <-done; err != nil {
				t.Fatal(err)
			}
			lag := pages
			if indexed {
				lag = search1(t, opened(t, search.Options{Key: key}, false, dir), search.Request{Query: spelled(0), Limit: 1}).Lag.Pages
			}
			fmt.Printf("| index %v | %.0f pages/s | %.2f ms of a processor per page | %d pages indexed |\n", indexed, pages/took, used/pages*1e3, pages-lag)
		}
	}
}

// followWhenThere is Follow for a collection that is about to be made, without the rest before the first round.
func followWhenThere(ctx context.Context, dir string) error {
	for !collection.IsCollection(dir) {
		if !search.Pause(ctx, 100*time.Millisecond) {
			return nil
		}
	}
	return search.Follow1(ctx, dir, func() []byte { return key }, time.Second, search.Pause)
}

// measured returns the collection that the flag asks for.
func measured(t *testing.T) string {
	if collection.IsCollection(*measure) {
		return *measure
	}
	if *measure == "teasers" {
		return crawled(t, teaserWeb{}, certain{}, 0, "http://h0.example/0")
	}
	if *measure != "wikispeedia" {
		n, err := strconv.Atoi(*measure)
		if err != nil {
			t.Fatal(err)
		}
		return crawled(t, proseWeb{n}, certain{}, n, "http://h0.example/0")
	}
	web, err := archive.OpenWeb(shareddata.Path(t, "webs", "wikispeedia.warc.gz"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { web.Close() })
	var seeds []string
	for u := range web.URLs() {
		seeds = append(seeds, string(u))
	}
	return crawled(t, web, certain{}, 0, seeds...)
}

// rowsOf lists the pages of a collection.
func rowsOf(t testing.TB, dir string) func(yield func(*collection.Row) bool) {
	return func(yield func(*collection.Row) bool) {
		for row, err := range loaded(t, dir)[0].Pages(collection.Filter{}) {
			if err != nil {
				t.Fatal(err)
			}
			if !yield(row) {
				return
			}
		}
	}
}

// titles draws pages whose titles are the queries, the same whatever the order of the crawl was. A title that several pages have names none of
// them.
func titles(rows []*collection.Row, n int) (list []*collection.Row) {
	counts := map[string]int{}
	for _, r := range rows {
		counts[strings.ToLower(r.Title)]++
	}
	rows = slices.SortedFunc(slices.Values(rows), func(a, b *collection.Row) int { return strings.Compare(string(a.URL), string(b.URL)) })
	for _, i := range rand.New(rand.NewPCG(1, 1)).Perm(len(rows)) {
		if r := rows[i]; len(list) < n && r.Title != "" && counts[strings.ToLower(r.Title)] == 1 {
			list = append(list, r)
		}
	}
	return list
}

// queries returns 300 queries of a kind.
func queries(kind string, rows []*collection.Row) (list []search.Request) {
	for i, r := range titles(rows, 300) {
		words := strings.Fields(r.Title)
		other := strings.Fields(rows[i].Title)
		if len(words) == 0 || len(other) == 0 {
			continue
		}
		q := search.Request{Query: r.Title}
		switch kind {
		case "one word":
			q.Query = words[0]
		case "two words":
			q.Query = words[0] + " " + other[len(other)-1]
		case "phrase":
			q.Query = `"` + r.Title + `"`
		case "similar":
			q = search.Request{Similar: r.URL}
		}
		list = append(list, q)
	}
	return list
}

// timed answers the queries of a kind and returns how long each took, in seconds, the quickest first: the time that a processor
// worked, in which other work of the machine does not count, but the collection of garbage does, and the time by the clock.
func timed(t *testing.T, s *search.Searcher, kind string, rows []*collection.Row) (times, clock []float64) {
	for _, q := range queries(kind, rows) {
		began, beganCPU := time.Now(), cpu(t)
		if _, err := s.Search(t.Context(), q); err == nil {
			times, clock = append(times, cpu(t)-beganCPU), append(clock, time.Since(began).Seconds())
		}
	}
	slices.Sort(times)
	slices.Sort(clock)
	return times, clock
}

// together has clients answer the queries of a kind concurrently, and returns how many were answered per second, and how long each
// took, in seconds, the quickest first.
func together(t *testing.T, s *search.Searcher, kind string, rows []*collection.Row, clients int) (rate float64, clock []float64) {
	var all sync.WaitGroup
	var mu sync.Mutex
	list := queries(kind, rows)
	began := time.Now()
	for c := range clients {
		all.Go(func() {
			for i := c; i < len(list); i += clients {
				asked := time.Now()
				if _, err := s.Search(t.Context(), list[i]); err != nil {
					continue
				}
				took := time.Since(asked).Seconds()
				mu.Lock()
				clock = append(clock, took)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	slices.Sort(clock)
	return float64(len(clock)) / time.Since(began).Seconds(), clock
}

// cpu returns how many seconds processors have worked for this process.
func cpu(t testing.TB) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}

func mean(list []float64) (sum float64) {
	for _, x := range list {
		sum += x / float64(len(list))
	}
	return sum
}

// sizeOf returns the bytes of all files below a folder.
func sizeOf(t testing.TB, dir string) (sum int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			sum += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// A proseWeb has n pages of 400 words on a thousand hosts, as a tree. Its 100,000 different words are as frequent as
// those of a language (Zipf 1935).
type proseWeb struct{ n int }

// prose returns words that depend on the seed alone.
func prose(seed uint64, n int) string {
	dice := rand.New(rand.NewPCG(seed, 1))
	zipf := rand.NewZipf(dice, 1.1, 5, 100_000)
	words := make([]string, n)
	for i := range words {
		words[i] = spelled(zipf.Uint64())
	}
	return strings.Join(words, " ")
}

// spelled returns the word with a number.
func spelled(n uint64) (word string) {
	syllables := []string{"ba", "co", "du", "fe", "gi", "ha", "jo", "ku", "le", "mi", "no", "pa", "ro", "su", "te", "vi"}
	for n += 16; n > 0; n /= 16 {
		word += syllables[n%16]
	}
	return word
}

// RoundTrip answers with the page that the path numbers.
func (w proseWeb) RoundTrip(req *http.Request) (*http.Response, error) {
	i, err := strconv.Atoi(strings.Trim(req.URL.Path, "/"))
	if err != nil || i >= w.n {
		return answer(req, 404, "no such page"), nil
	}
	title := func(i int) string { return prose(uint64(i)<<32, 4) }
	var b strings.Builder
	fmt.Fprintf(&b, "<html lang=en><title>%s</title><h1>%[1]s</h1><p>%s</p>", title(i), prose(uint64(i), 400))
	for k := 10*i + 1; k <= 10*i+10 && k < w.n; k++ {
		fmt.Fprintf(&b, "<a href=http://h%d.example/%d>%s</a> ", k%1000, k, title(k))
	}
	return answer(req, 200, b.String()), nil
}

// A teaserWeb is news sites: each page has an article, and next to it the first sentences of other articles, in elements
// that say so on every second host and in nameless ones on the others.
type teaserWeb struct{}

// teaserPages is the number of pages of a teaserWeb.
const teaserPages = 3000

// first returns the first sentence of an article: words that are seldom used.
func (teaserWeb) first(i int) string {
	dice := rand.New(rand.NewPCG(uint64(i), 9))
	words := make([]string, 8)
	for k := range words {
		words[k] = spelled(5000 + dice.Uint64N(95_000))
	}
	return strings.Join(words, " ") + "."
}

// RoundTrip answers with the page that the path numbers.
func (w teaserWeb) RoundTrip(req *http.Request) (*http.Response, error) {
	i, err := strconv.Atoi(strings.Trim(req.URL.Path, "/"))
	if err != nil || i >= teaserPages {
		return answer(req, 404, "no such page"), nil
	}
	article, aside := [2]string{"<article>", "</article>"}, [2]string{"<aside>", "</aside>"}
	if i%2 == 1 {
		article, aside = [2]string{"<div>", "</div>"}, [2]string{"<div>", "</div>"}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<html lang=en><title>%s</title>%s<p>%s %s</p>", prose(uint64(i)<<32, 4), article[0], w.first(i), prose(uint64(i), 40))
	for k := range 4 {
		fmt.Fprintf(&b, "<p>%s</p>", prose(uint64(i)<<8+uint64(k), 50))
	}
	fmt.Fprint(&b, article[1], aside[0])
	for k := range 10 {
		other := (10*i + k + 1) % teaserPages
		fmt.Fprintf(&b, "<p><a href=http://h%d.example/%d>%s</a></p>", other%40, other, w.first(other))
	}
	fmt.Fprint(&b, aside[1])
	return answer(req, 200, b.String()), nil
}

// measureTeasers prints where an article is among the hits for three words of its first sentence, which ten other pages show.
func measureTeasers(t *testing.T, s *search.Searcher) {
	sum := [2]float64{}
	for i := range 200 {
		n := 7*i + 3
		words := strings.Fields(strings.TrimSuffix(teaserWeb{}.first(n), "."))
		got := search1(t, s, search.Request{Query: strings.Join(words[1:4], " "), Limit: 100})
		want := dowse.URL(fmt.Sprintf("http://h%d.example/%d", n%40, n))
		if at := slices.IndexFunc(got.Hits, func(h search.Hit) bool { return h.Page.URL == want || slices.Contains(h.Same, want) }); at >= 0 {
			sum[n%2] += 1 / float64(at+1) / 100
		}
	}
	fmt.Printf("| mean reciprocal rank, three words of an article that others show: elements, nameless | %.3f, %.3f |\n", sum[0], sum[1])
}

// answer makes an answer of HTML.
func answer(req *http.Request, status int, body string) *http.Response {
	return &http.Response{
		StatusCode: status, Status: fmt.Sprint(status, " ", http.StatusText(status)), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}, Body: io.NopCloser(strings.NewReader(body)),
		ContentLength: int64(len(body)), Request: req,
	}
}
