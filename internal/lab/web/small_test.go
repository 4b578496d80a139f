package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/internal/archive"
	"dowse/internal/linkrating"
	"dowse/internal/mistake"
	"dowse/judge"
	"dowse/strategy"
)

// An answer of a web that a test writes by hand.
type answer struct {
	status   int    // default 200
	kind     string // content type; default text/html
	location string
	body     string
}

// A handWeb answers requests by URL, 404 for others.
type handWeb map[string]answer

func (w handWeb) RoundTrip(r *http.Request) (*http.Response, error) {
	a, ok := w[r.URL.String()]
	if !ok {
		a = answer{status: 404, body: "Not Found"}
	}
	if a.status == 0 {
		a.status = 200
	}
	if a.kind == "" {
		a.kind = "text/html; charset=utf-8"
	}
	h := http.Header{"Content-Type": {a.kind}}
	if a.location != "" {
		h.Set("Location", a.location)
	}
	return &http.Response{StatusCode: a.status, Status: fmt.Sprint(a.status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: h, Body: io.NopCloser(strings.NewReader(a.body)), ContentLength: int64(len(a.body)), Request: r}, nil
}

// urls lists the URLs of the web that are pages of a crawl, in order.
func (w handWeb) urls() (list []dowse.URL) {
	for u := range w {
		if !strings.HasSuffix(u, "robots.txt") && !strings.HasSuffix(u, ".xml") {
			list = append(list, dowse.URL(u))
		}
	}
	slices.Sort(list)
	return list
}

// page returns the HTML of a page with links.
func page(title string, links ...string) answer {
	var b strings.Builder
	fmt.Fprintf(&b, "<html><head><title>%s</title></head><body><p>%s text.</p>", title, title)
	for _, l := range links {
		fmt.Fprintf(&b, "<p>see <a href=%q>about %s</a></p>", l, l)
	}
	return answer{body: b.String() + "</body></html>"}
}

// opened prepares a web and opens it.
func opened(t *testing.T, from http.RoundTripper, list []dowse.URL) *Web {
	t.Helper()
	path := filepath.Join(t.TempDir(), "f.features")
	tr := &transport{RoundTripper: from, list: list, close: func() error { return nil }}
	if err := tr.prepare(t.Context(), "by hand", path, nil); err != nil {
		t.Fatal(err)
	}
	f, err := openFeatures(path)
	if err != nil {
		t.Fatal(err)
	}
	w := newWeb(f, 0)
	t.Cleanup(func() { w.Close() })
	return w
}

// linkedWeb has one of everything that decides where a crawl can go.
func linkedWeb() handWeb {
	w := handWeb{
		"http://a.test/":           page("home", "/one", "/moved", "/loop1", "/private", "http://b.test/", "http://gone.test/", "/one", "/"),
		"http://a.test/one":        page("one", "http://b.test/deep"),
		"http://a.test/moved":      {status: 301, location: "http://a.test/moved2"},
		"http://a.test/moved2":     {status: 302, location: "http://a.test/end"},
		"http://a.test/end":        page("end"),
		"http://a.test/loop1":      {status: 301, location: "http://a.test/loop2"},
		"http://a.test/loop2":      {status: 301, location: "http://a.test/loop1"},
		"http://a.test/private":    page("private", "/one"),
		"http://a.test/robots.txt": {kind: "text/plain", body: "User-agent: *\nDisallow: /private\n"},
		"http://b.test/":           {body: `<html><body><p><a rel="nofollow" href="/closed">closed</a></p></body></html>`},
		"http://b.test/closed":     page("closed"),
		"http://b.test/deep":       page("deep"),
		"http://b.test/mapped":     page("mapped"),
		"http://b.test/robots.txt": {kind: "text/plain", body: "Sitemap: http://b.test/map.xml\n"},
		"http://b.test/map.xml": {kind: "application/xml", body: `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` +
			`<url><loc>http://b.test/mapped</loc></url><url><loc>http://b.test/nowhere</loc></url></urlset>`},
	}
	return w
}

// TestGraphByHand checks each rule of what a crawl can reach on a web of a few pages.
func TestGraphByHand(t *testing.T) {
	hand := linkedWeb()
	w := opened(t, hand, hand.urls())
	g, err := w.Graph()
	if err != nil {
		t.Fatal(err)
	}
	number := func(u dowse.URL) int {
		i, ok := w.Find(u)
		if !ok {
			t.Fatalf("Find(%s): not there", u)
		}
		return i
	}
	out := func(u dowse.URL) (list []dowse.URL) {
		for _, to := range g.Out(number(u)) {
			list = append(list, w.URL(int(to)))
		}
		return list
	}
	for _, test := range []struct {
		from dowse.URL
		want []dowse.URL
	}{
		{"http://a.test/", []dowse.URL{"http://a.test/one", "http://a.test/end", "http://b.test/"}}, // each once, over redirects
		{"http://a.test/one", []dowse.URL{"http://b.test/deep"}},
		{"http://a.test/private", nil}, // robots.txt forbids it, so nothing leads on from it
		{"http://b.test/", nil},        // the link is nofollow
	} {
		if got := out(test.from); !slices.Equal(got, test.want) {
			t.Errorf("Out(%s) = %v, want %v", test.from, got, test.want)
		}
	}
	for u, want := range map[dowse.URL]bool{"http://a.test/": true, "http://a.test/private": false, "http://a.test/moved": false, "http://b.test/closed": true} {
		if got := g.IsPage(number(u)); got != want {
			t.Errorf("IsPage(%s) = %v, want %v", u, got, want)
		}
	}
	if to, ok := g.Alias(number("http://a.test/moved")); !ok || w.URL(to) != "http://a.test/end" {
		t.Errorf("Alias(/moved) = %v, %v, want the end of the chain", to, ok)
	}
	if to, ok := g.Alias(number("http://a.test/loop1")); ok {
		t.Errorf("Alias(/loop1) = %v, want none for a loop", w.URL(to))
	}
	if g.Hosts() != 2 || !w.HasRobots() {
		t.Errorf("%d hosts, robots.txt %v, want 2 and true", g.Hosts(), w.HasRobots())
	}
	reach := g.Reach([]int{number("http://a.test/")})
	for u, want := range map[dowse.URL]bool{
		"http://a.test/": true, "http://b.test/deep": true, "http://b.test/mapped": true, // by the sitemap of a visited host
		"http://b.test/closed": false, "http://a.test/private": false,
	} {
		if got := reach[number(u)]; got != want {
			t.Errorf("Reach(%s) = %v, want %v", u, got, want)
		}
	}
	if in := g.Linking()[number("http://b.test/deep")]; len(in) != 1 || w.URL(int(in[0])) != "http://a.test/one" {
		t.Errorf("Linking(/deep) = %v, want /one", in)
	}
	if from := g.Reach([]int{number("http://a.test/private")}); slices.Contains(from, true) {
		t.Error("a seed that robots.txt forbids reaches something")
	}
}

// TestSurveyByHand compares the summary of a web with its pages, counted by hand.
func TestSurveyByHand(t *testing.T) {
	hand := linkedWeb()
	w := opened(t, hand, hand.urls())
	labels, err := ReadLabels(strings.NewReader("http://a.test/\tTop/A\nhttp://a.test/one\tTop/A\nhttp://b.test/deep\tTop/A/Deep\n" +
		"http://b.test/closed\tTop/B\nhttp://lost.test/\tTop/A\nhttp://a.test/private\tTop/A\n"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := w.Survey(labels, []string{"Top/A", "Top/None"})
	if err != nil {
		t.Fatal(err)
	}
	// Pages: /, /one, /end of a; /, /closed, /deep, /mapped of b. Orphans are /, /closed
	// (nofollow) and /mapped (in the sitemap only).
	if s.Pages != 7 || s.Hosts != 2 || s.Orphans != 3 || s.Labelled != 4 || s.Elsewhere != 1 {
		t.Errorf("Survey = %+v, want 7 pages on 2 hosts, 3 orphans, 4 labelled, 1 elsewhere", s)
	}
	// From / of a: itself, /one, /end, / of b, /deep, and /mapped.
	if s.Reachable != 6 {
		t.Errorf("%d pages are reachable, want 6", s.Reachable)
	}
	// On A: /, /one, /deep. Links of them to pages: 3 and 1, of which /one and /deep are on A.
	want := TopicSurvey{Topic: "Top/A", Pages: 3, Locality: 2. / 4, Chance: 3. / 7, Linked: 2}
	if s.Topics[0] != want {
		t.Errorf("topic = %+v, want %+v", s.Topics[0], want)
	}
	if s.Topics[1] != (TopicSurvey{Topic: "Top/None"}) {
		t.Errorf("a topic without pages = %+v, want zeros", s.Topics[1])
	}
	bare, err := w.Survey(nil, []string{"Top/A"})
	if err != nil || bare.Labelled != 0 || bare.Topics != nil || bare.Bytes != s.Bytes || bare.Bytes == 0 {
		t.Errorf("without labels: %+v, %v; want no topics and %d bytes", bare, err, s.Bytes)
	}
}

// A counting judge counts what it is asked to rate.
type counting struct {
	dowse.WindowJudge
	pages *atomic.Int32
}

func (c counting) Judge(p *dowse.Page) dowse.Verdict {
	c.pages.Add(1)
	return c.WindowJudge.Judge(p)
}

func (c counting) JudgeWindows(p *dowse.Page, w []dowse.Span) (dowse.Verdict, []float64) {
	c.pages.Add(1)
	return c.WindowJudge.JudgeWindows(p, w)
}

func newCounting(t *testing.T) counting {
	t.Helper()
	j, err := judge.NewWords(judge.Wanted{Words: []string{"one", "deep"}})
	if err != nil {
		t.Fatal(err)
	}
	return counting{j, new(atomic.Int32)}
}

// TestRatingsAreShared: crawls of one topic rate a page once, also if one of them needs
// only the page and the other the windows around links; and each has a copy of its own.
func TestRatingsAreShared(t *testing.T) {
	hand := linkedWeb()
	w := opened(t, hand, hand.urls())
	j := newCounting(t)
	plain, windows := &strategy.BreadthFirst{}, &strategy.LinkContext{}
	judged := NewJudged(w, j, linkrating.WishOf(plain), linkrating.WishOf(windows))
	visit := crawl.Visit{URL: "http://a.test/one"}
	first, took := judged.For(windows, nil).Visit(visit)
	second, _ := judged.For(plain, nil).Visit(visit)
	if n := j.pages.Load(); n != 1 {
		t.Errorf("the page was rated %d times, want once", n)
	}
	if first.Verdict.Relevance != second.Verdict.Relevance || first.Verdict.Relevance == 0 {
		t.Errorf("relevance %v and %v, want the same, above 0", first.Verdict.Relevance, second.Verdict.Relevance)
	}
	if took != defaultLatency {
		t.Errorf("a visit took %v, want %v where the web has no latency", took, defaultLatency)
	}
	first.Links[0].URL, first.Words[0] = "http://changed.test/", dowse.Span{}
	third, _ := judged.For(plain, func(dowse.URL) time.Duration { return time.Minute }).Visit(visit)
	if third.Links[0].URL != "http://b.test/deep" || third.Words[0] == (dowse.Span{}) {
		t.Error("a change by one crawl is seen by another")
	}
	i, _ := w.Find("http://a.test/moved")
	if got := judged.Relevance(i); got != 0 {
		t.Errorf("Relevance of a redirect = %v, want 0", got)
	}
	if err := judged.Err(); err != nil {
		t.Error(err)
	}
}

// TestLinksInAreNotShared: a rating that depends on the links that a crawl has seen is
// computed for every visit.
func TestLinksInAreNotShared(t *testing.T) {
	hand := linkedWeb()
	w := opened(t, hand, hand.urls())
	j := newCounting(t)
	view := NewJudged(w, j).For(&strategy.BreadthFirst{}, nil)
	n := 2
	for range 3 {
		p, _ := view.Visit(crawl.Visit{URL: "http://a.test/one", LinksIn: &n})
		if p.LinksIn == nil || *p.LinksIn != 2 {
			t.Fatalf("LinksIn = %v, want 2", p.LinksIn)
		}
	}
	if got := j.pages.Load(); got != 3 {
		t.Errorf("rated %d times, want 3", got)
	}
}

// TestKindsOfVisits: a sitemap is a list, not a page, and robots.txt is a visit of its
// own.
func TestKindsOfVisits(t *testing.T) {
	hand := linkedWeb()
	w := opened(t, hand, hand.urls())
	view := NewJudged(w, newCounting(t)).For(&strategy.BreadthFirst{}, nil)
	for _, test := range []struct {
		name  string
		visit crawl.Visit
		want  dowse.Outcome
	}{
		{"page", crawl.Visit{URL: "http://a.test/"}, dowse.Fetched},
		{"redirect", crawl.Visit{URL: "http://a.test/moved"}, dowse.Redirected},
		{"sitemap", crawl.Visit{Kind: crawl.VisitSitemap, URL: "http://b.test/map.xml"}, dowse.Listed},
		{"sitemap as a page", crawl.Visit{URL: "http://b.test/map.xml"}, dowse.Skipped},
		{"page as a sitemap", crawl.Visit{Kind: crawl.VisitSitemap, URL: "http://a.test/one"}, dowse.Skipped},
		{"robots.txt", crawl.Visit{Kind: crawl.VisitRobots, URL: "http://a.test/robots.txt"}, dowse.Listed},
		{"unknown", crawl.Visit{URL: "http://a.test/unknown"}, dowse.Failed},
	} {
		if p, _ := view.Visit(test.visit); p.Outcome != test.want {
			t.Errorf("%s: outcome %v (%s), want %v", test.name, p.Outcome, p.Reason, test.want)
		}
	}
	p, _ := view.Visit(crawl.Visit{Kind: crawl.VisitRobots, URL: "http://a.test/robots.txt"})
	if ok, _ := p.Host.Robots.Rules.Allowed("http://a.test/private"); ok {
		t.Error("the robots.txt of a.test does not forbid /private")
	}
}

// moody fails each URL a number of times before it answers.
type moody struct {
	handWeb
	fail int

	mu   sync.Mutex
	seen map[string]int
}

func (m *moody) RoundTrip(r *http.Request) (*http.Response, error) {
	m.mu.Lock()
	m.seen[r.URL.String()]++
	n := m.seen[r.URL.String()]
	m.mu.Unlock()
	if n <= m.fail && !strings.HasSuffix(r.URL.Path, "robots.txt") {
		return (handWeb{r.URL.String(): {status: 503}}).RoundTrip(r)
	}
	return m.handWeb.RoundTrip(r)
}

// TestTemporaryFailures: a page that fails for a while is stored as the page; one that
// never answers is stored as failed, not as a temporary failure that a crawl would retry.
func TestTemporaryFailures(t *testing.T) {
	hand := handWeb{"http://a.test/": page("home"), "http://a.test/one": page("one")}
	for _, test := range []struct {
		fail int
		want dowse.Outcome
	}{{0, dowse.Fetched}, {tries - 1, dowse.Fetched}, {tries, dowse.Failed}} {
		w := opened(t, &moody{handWeb: hand, fail: test.fail, seen: map[string]int{}}, hand.urls())
		for i := range w.Len() {
			if p, err := w.Page(i); err != nil || p.Outcome != test.want {
				t.Errorf("after %d failures %s is %v, %v; want %v", test.fail, w.URL(i), p.Outcome, err, test.want)
			}
		}
	}
}

// TestPrepareOrder: the file is the same whether pages are read concurrently or one after
// the other, and progress ends at the total.
func TestPrepareOrder(t *testing.T) {
	hand := linkedWeb()
	for i := range 600 { // more than two chunks
		hand[fmt.Sprintf("http://c.test/%d", i)] = page(fmt.Sprint(i), fmt.Sprintf("/%d", (i*7)%600))
	}
	var sums []string
	for _, serial := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "f")
		tr := &transport{RoundTripper: hand, list: hand.urls(), serial: serial, close: func() error { return nil }}
		done, total := 0, 0
		if err := tr.prepare(t.Context(), "x", path, func(d, n int) {
			if d < done {
				t.Errorf("progress goes back from %d to %d", done, d)
			}
			done, total = d, n
		}); err != nil {
			t.Fatal(err)
		}
		if done != len(hand.urls()) || total != done {
			t.Errorf("progress ends at %d of %d, want %d", done, total, len(hand.urls()))
		}
		f, err := openFeatures(path)
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, f.sha256)
		f.closer.Close()
	}
	if sums[0] != sums[1] {
		t.Error("concurrent and serial reading give different files")
	}
}

// TestPrepareInterrupted leaves no file behind.
func TestPrepareInterrupted(t *testing.T) {
	hand := linkedWeb()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := t.TempDir()
	tr := &transport{RoundTripper: hand, list: hand.urls(), close: func() error { return nil }}
	if err := tr.prepare(ctx, "x", filepath.Join(dir, "f"), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("prepare = %v, want context.Canceled", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v; want nothing", left, err)
	}
}

// TestBeyond: targets of links are read up to the given number of links away.
func TestBeyond(t *testing.T) {
	hand := handWeb{"http://a.test/": page("0", "/1"), "http://a.test/1": page("1", "/2"), "http://a.test/2": page("2", "/3"), "http://a.test/3": page("3")}
	for beyond, want := range []int{1, 2, 3, 4} {
		path := filepath.Join(t.TempDir(), "f")
		tr := &transport{RoundTripper: hand, list: []dowse.URL{"http://a.test/"}, beyond: beyond, close: func() error { return nil }}
		if err := tr.prepare(t.Context(), "x", path, nil); err != nil {
			t.Fatal(err)
		}
		f, err := openFeatures(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(f.index) != want {
			t.Errorf("beyond %d: %d pages, want %d", beyond, len(f.index), want)
		}
		f.closer.Close()
	}
}

// TestConcurrentPages reads a web with little memory from several goroutines: every page
// is the right one, and the budget holds.
func TestConcurrentPages(t *testing.T) {
	hand := handWeb{}
	for i := range 200 {
		hand[fmt.Sprintf("http://a.test/%03d", i)] = page(fmt.Sprintf("title%03d", i))
	}
	w := opened(t, hand, hand.urls())
	w.budget = 20_000
	var group sync.WaitGroup
	for k := range 4 {
		group.Go(func() {
			for n := range 400 {
				i := (n*(2*k+1) + k) % w.Len()
				p, err := w.Page(i)
				if err != nil || p.URL != w.URL(i) || p.Title != "title"+string(p.URL[len(p.URL)-3:]) {
					t.Errorf("page %d: %v, %v", i, p, err)
					return
				}
			}
		})
	}
	group.Wait()
	if held := w.held.Load(); held > w.budget {
		t.Errorf("%d bytes are held, want at most %d", held, w.budget)
	}
}

// writeWARC records pages of a hand-written web.
func writeWARC(t *testing.T, dir string, hand handWeb) string {
	t.Helper()
	at := func() time.Time { return recordedAt }
	w, err := archive.OpenWriter(dir, archive.Options{Prefix: "hand", Host: "test", Now: at})
	if err != nil {
		t.Fatal(err)
	}
	rec := &archive.Recorder{Transport: hand, Writer: w, Now: at}
	for _, u := range hand.urls() {
		req, err := http.NewRequest("GET", string(u), nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := rec.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := archivesIn(dir)
	if err != nil || len(files) != 1 {
		t.Fatalf("archives: %v, %v", files, err)
	}
	return files[0]
}

// TestRecordByHand records an archive without labels, with labels next to it, and with
// labels given; opens the result; and refuses what it can't read.
func TestRecordByHand(t *testing.T) {
	hand := handWeb{"http://a.test/": page("home", "/one"), "http://a.test/one": page("one")}
	warc := writeWARC(t, t.TempDir(), hand)
	near := strings.TrimSuffix(warc, ".warc.gz") + ".labels.tsv"
	given := filepath.Join(t.TempDir(), "given.tsv")
	write(t, given, "http://a.test/\tTop/Given\nhttp://a.test/one\tTop/Given\n")
	for _, test := range []struct {
		name, near, file, from string
		labels                 int
	}{
		{"none", "", "", "", 0},
		{"next to the archive", "http://a.test/one\tTop/Near\n", "", "a file", 1},
		{"given", "http://a.test/one\tTop/Near\n", given, "a file", 2},
	} {
		if test.near != "" {
			write(t, near, test.near)
		}
		dir := filepath.Join(t.TempDir(), "deep", "x.web")
		r, err := Record(warc, dir, test.file)
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		if r.From != test.from || r.Labels != test.labels || len(r.Files) != 1 {
			t.Errorf("%s: %+v, want labels from %q and %d of them", test.name, r, test.from, test.labels)
		}
		w, err := Open(t.Context(), Source{Paths: []string{dir}}, Options{Cache: t.TempDir()})
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		if w.Len() != 2 || w.Name != "x" {
			t.Errorf("%s: web %s of %d answers, want x of 2", test.name, w.Name, w.Len())
		}
		w.Close()
		text, err := os.ReadFile(filepath.Join(dir, "web.yaml"))
		if err != nil || !bytes.Contains(text, []byte("dowse: web/v1\n")) || !bytes.Contains(text, []byte("sha256: ")) {
			t.Errorf("%s: web.yaml is %q, %v", test.name, text, err)
		}
	}
	bad := filepath.Join(t.TempDir(), "bad.tsv")
	write(t, bad, "http://a.test/\tTop/A\nno tab here\n")
	dir := filepath.Join(t.TempDir(), "y.web")
	var wrong *mistake.Error
	if _, err := Record(warc, dir, bad); !errors.As(err, &wrong) || wrong.Line != 2 || wrong.File != bad {
		t.Errorf("bad labels: %v, want a mistake in line 2 of %s", err, bad)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a failed recording leaves %s behind", dir)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestCutArchive: half an archive is refused, by Open and by Record.
func TestCutArchive(t *testing.T) {
	hand := handWeb{"http://a.test/": page("home", "/one"), "http://a.test/one": page("one")}
	warc := writeWARC(t, t.TempDir(), hand)
	whole, err := os.ReadFile(warc)
	if err != nil {
		t.Fatal(err)
	}
	cut := filepath.Join(t.TempDir(), "cut.warc.gz")
	write(t, cut, string(whole[:len(whole)-20]))
	if _, err := Open(t.Context(), Source{Paths: []string{cut}}, Options{Cache: t.TempDir()}); !errors.Is(err, ErrCut) {
		t.Errorf("Open of a truncated archive: %v, want ErrCut", err)
	}
	if _, err := Record(cut, filepath.Join(t.TempDir(), "z.web"), ""); !errors.Is(err, ErrCut) {
		t.Errorf("Record of a truncated archive: %v, want ErrCut", err)
	}
}

// TestSources checks names, and errors of sources that have no pages.
func TestSources(t *testing.T) {
	for want, s := range map[string]Source{
		"demo":    {Demo: &Synthetic{}},
		"demo-7":  {Demo: &Synthetic{Seed: 7}},
		"wiki":    {Paths: []string{"/x/wiki.warc.gz"}},
		"packed":  {Paths: []string{"packed.wacz", "other.warc"}},
		"crawl":   {Paths: []string{"/y/crawl.dowse"}},
		"my web":  {Paths: []string{"/y/crawl.dowse"}, Name: "my web"},
		"rec.old": {Paths: []string{"rec.old.web"}},
	} {
		if got := s.ShownName(); got != want {
			t.Errorf("name of %+v = %q, want %q", s, got, want)
		}
	}
	empty := t.TempDir()
	for _, test := range []struct {
		source Source
		want   string
	}{
		{Source{Paths: []string{empty}}, "no WARC or WACZ file"},
		{Source{Paths: []string{filepath.Join(empty, "nothing.warc")}}, "no such file"},
		{Source{}, "want files or the synthetic web"},
	} {
		if _, err := Open(t.Context(), test.source, Options{Cache: t.TempDir()}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Open(%+v): %v, want %q", test.source, err, test.want)
		}
	}
}

// TestKey: the name of a feature file changes with the content of the source, not with
// its name or path.
func TestKey(t *testing.T) {
	dir := t.TempDir()
	key := func(name, text string) string {
		path := filepath.Join(dir, name)
		write(t, path, text)
		k, err := Source{Paths: []string{path}}.key()
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	if a, b := key("a.warc", "text"), key("b.warc", "text"); a != b {
		t.Error("the same content under two names has two keys")
	}
	if a, b := key("a.warc", "text"), key("a.warc", "other"); a == b {
		t.Error("other content under the same name has the same key")
	}
	one, _ := Source{Demo: &Synthetic{Pages: 1000}}.key()
	two, _ := Source{Demo: &Synthetic{Pages: 1000, Seed: 1}}.key()
	again, _ := Source{Demo: &Synthetic{Pages: 1000}}.key()
	if one == two || one != again {
		t.Error("the key of a synthetic web must depend on its random seed alone")
	}
}

// TestLabelsByTopic counts and orders topics.
func TestLabelsByTopic(t *testing.T) {
	l, err := ReadLabels(strings.NewReader("\ufeffhttp://a.test/\tTop/B\nhttp://b.test/\tTop/B\nhttp://c.test/\tTop/A\nhttp://d.test/\tTop/C\nhttp://a.test/\tTop/B\nhttp://a.test/\tTop/C\n"))
	if err != nil {
		t.Fatal(err)
	}
	if want := []TopicCount{{"Top/A", 1}, {"Top/B", 2}, {"Top/C", 2}}; !reflect.DeepEqual(l.Topics(), want) {
		t.Errorf("Topics = %v, want %v", l.Topics(), want)
	}
	for n, want := range [][]string{{}, {"Top/B"}, {"Top/B", "Top/C"}, {"Top/B", "Top/C", "Top/A"}, {"Top/B", "Top/C", "Top/A"}} {
		if got := l.Largest(n); !slices.Equal(got, want) {
			t.Errorf("Largest(%d) = %v, want %v", n, got, want)
		}
	}
	if _, ok := l.WordsOf("Top/A"); ok {
		t.Error("a topic of a file has words")
	}
	if w, ok := (Synthetic{Pages: 1000}).labels().WordsOf((Synthetic{Pages: 1000}).web().Topics()[0].Path); !ok || len(w.Words) == 0 {
		t.Error("a topic of the synthetic web has no words")
	}
	long := "http://a.test/" + strings.Repeat("x", maxLabelLine) + "\tTop/A\n"
	if _, err := ReadLabels(strings.NewReader(long)); err == nil {
		t.Error("a line longer than the limit is read")
	}
}

// TestKnown lists what is a web, and nothing else.
func TestKnown(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.warc.gz", "b.warc", "c.wacz", "notes.txt", "b.labels.tsv"} {
		write(t, filepath.Join(dir, name), "x")
	}
	for _, name := range []string{"folder", "rec.web"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(dir, "rec.web", "web.yaml"), "dowse: web/v1\n")
	want := []KnownWeb{
		{filepath.Join(dir, "a.warc.gz"), "WARC file"}, {filepath.Join(dir, "b.warc"), "WARC file, with labels"},
		{filepath.Join(dir, "c.wacz"), "WACZ file"}, {filepath.Join(dir, "rec.web"), "recorded web"},
	}
	if got := Known(dir); !reflect.DeepEqual(got, want) {
		t.Errorf("Known = %+v, want %+v", got, want)
	}
}

// TestCached lists feature files by what is in them, and skips damaged ones.
func TestCached(t *testing.T) {
	cache := t.TempDir()
	hand := handWeb{"http://a.test/": page("home"), "http://a.test/one": page("one")}
	tr := &transport{RoundTripper: hand, list: hand.urls(), close: func() error { return nil }}
	if err := tr.prepare(t.Context(), "x", filepath.Join(cache, "good.features"), nil); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(cache, "bad.features"), "not one")
	want := []KnownWeb{{"good.features", "read before: 2 answers, the first http://a.test/"}}
	if got := Cached(cache); !reflect.DeepEqual(got, want) {
		t.Errorf("Cached = %+v, want %+v", got, want)
	}
}

// TestListedLabels: a third column says that a directory lists a page under the topic, and
// is written again; other words there mean nothing.
func TestListedLabels(t *testing.T) {
	const file = "url\ttopic\nhttp://a.demo/\tTop/A/B\tlisted\nhttp://a.demo/x\tTop/A/B\thome\tlisted\nhttp://a.demo/\tTop/C\n"
	l, err := ReadLabels(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		url   dowse.URL
		topic string
		want  bool
	}{
		{"http://a.demo/", "Top/A/B", true}, {"http://a.demo/", "Top/A", true}, {"http://a.demo/", "Top/C", false},
		{"http://a.demo/x", "Top/A/B", false}, {"http://b.demo/", "Top/A/B", false},
	} {
		if got := l.Listed(c.url, c.topic); got != c.want || c.url != "http://b.demo/" && c.topic != "Top/C" && !l.Is(c.url, c.topic) {
			t.Errorf("%s is listed under %s: %v, want %v", c.url, c.topic, got, c.want)
		}
	}
	var again strings.Builder
	if err := l.Write(&again); err != nil {
		t.Fatal(err)
	}
	if want := "url\ttopic\nhttp://a.demo/\tTop/A/B\tlisted\nhttp://a.demo/\tTop/C\nhttp://a.demo/x\tTop/A/B\n"; again.String() != want {
		t.Errorf("wrote %q, want %q", again.String(), want)
	}
}
