package dashboard

import (
	"context"
	"fmt"
	"html"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/demo"
	"dowse/internal/durable"
	"dowse/internal/operations"
	"dowse/internal/server"
	"dowse/settings"
	"dowse/topic"
)

var madeWeb = sync.OnceValue(func() *demo.Web { return demo.New(demo.Config{Latency: -1, SlowLatency: -1}) })

// crawlMade crawls the synthetic web into dir until it has the given number of pages.
func crawlMade(t testing.TB, dir string, pages int, delay time.Duration) {
	t.Helper()
	crawlDemo(t, madeWeb(), dir, pages, delay)
}

// crawlDemo crawls a synthetic web into dir until it has the given number of pages.
func crawlDemo(t testing.TB, web *demo.Web, dir string, pages int, delay time.Duration) {
	t.Helper()
	crawlThrough(t, web, web.RoundTripper(), dir, pages, delay)
}

// crawlThrough is crawlDemo with a transport of the caller's in front of the web.
func crawlThrough(t testing.TB, web *demo.Web, transport http.RoundTripper, dir string, pages int, delay time.Duration) {
	t.Helper()
	tp, _ := web.Topic("tide pools")
	var seeds []string
	for _, u := range web.Seeds("tide pools", 3) {
		seeds = append(seeds, string(u))
	}
	crawlWith(t, dir, transport, tp.Words, seeds, pages, delay)
}

// A gate answers a number of requests, and the others when it is opened.
type gate struct {
	http.RoundTripper
	free   atomic.Int64
	opened chan struct{}
	open   func()
}

func newGate(web http.RoundTripper, free int64) *gate {
	g := &gate{RoundTripper: web, opened: make(chan struct{})}
	g.free.Store(free)
	g.open = sync.OnceFunc(func() { close(g.opened) })
	return g
}

func (g *gate) RoundTrip(r *http.Request) (*http.Response, error) {
	if g.free.Add(-1) < 0 {
		select {
		case <-g.opened:
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
	return g.RoundTripper.RoundTrip(r)
}

// crawlWith crawls what a transport answers.
func crawlWith(t testing.TB, dir string, web http.RoundTripper, words, seeds []string, pages int, delay time.Duration) {
	t.Helper()
	c, err := crawler.Open(dir, crawler.Config{
		Topic: &topic.Topic{Name: "pools", Words: words}, Seeds: seeds, Transport: web,
		Settings: settings.Settings{
			Order: settings.Order{Strategy: "link-context"}, Contrast: "everyday",
			Limits: settings.Limits{Pages: pages}, Identity: settings.Identity{Agent: "poolbot", Contact: "https://example.org/bot"},
			Politeness: settings.Politeness{Delay: delay, InFlight: 4},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for range c.Crawl(context.Background()) {
	}
	if err := c.Err(); err != nil {
		t.Fatal(err)
	}
	if n := c.Status().Fetched; n < pages {
		t.Fatalf("the crawl ended after %d of %d pages", n, pages)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

// made is a collection of the synthetic web that tests copy.
var made struct {
	sync.Once
	dir string
}

// closeBrowser ends the browser that tests share, if one was started.
var closeBrowser = func() {}

func TestMain(m *testing.M) {
	durable.UsualFloor = 1 << 20 // tests run on any disk
	code := m.Run()
	closeBrowser()
	if made.dir != "" {
		os.RemoveAll(made.dir)
	}
	os.Exit(code)
}

// copied returns a folder with a collection of 120 pages of its own, pools.dowse.
func copied(t testing.TB) string {
	t.Helper()
	made.Do(func() {
		dir, err := os.MkdirTemp("", "dowse-dashboard-test-*")
		if err != nil {
			t.Fatal(err)
		}
		made.dir = dir
		crawlMade(t, filepath.Join(dir, "pools.dowse"), 120, -1)
	})
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(made.dir)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A site is a dashboard over a folder, behind its guarded server.
type site struct {
	*server.Server
	base string
}

// open serves a dashboard over a folder until the test ends.
func open(t testing.TB, dir string) *site {
	return openWith(t, operations.Config{Dirs: []string{dir}, SearchKey: func() []byte { return []byte("0123456789abcdef") }})
}

// openWith serves the collections of a config.
func openWith(t testing.TB, cfg operations.Config) *site {
	t.Helper()
	return openFull(t, cfg, Config{LabDirs: []string{cfg.Dirs[0]}})
}

// openFull serves the collections of a config with what else the dashboard shows.
func openFull(t testing.TB, cfg operations.Config, shown Config) *site {
	t.Helper()
	ops, err := operations.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	d, err := New(ops, shown)
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.Listen(server.Config{Listen: "127.0.0.1:0", Pages: d.Handler(), Static: Static()})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		d.Close()
		if err := ops.Close(); err != nil {
			t.Error(err)
		}
	})
	return &site{s, "http://" + s.Addr().String()}
}

// get returns a page as a program that has the token gets it. It asks again while the index of a search is being made.
func (s *site) get(t testing.TB, path string) (int, string, http.Header) {
	t.Helper()
	for {
		code, body, head := s.send(t, http.MethodGet, path, nil)
		if code != http.StatusServiceUnavailable || !strings.Contains(body, "is being made") {
			return code, body, head
		}
	}
}

// send sends a request; a form is posted.
func (s *site) send(t testing.TB, method, path string, form url.Values) (int, string, http.Header) {
	t.Helper()
	r, err := http.NewRequest(method, s.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.Token())
	r.Header.Set("Accept", "text/html")
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(body), answer.Header
}

// everyPage has the path of every page, and a text that it must have.
func everyPage() map[string]string {
	home := "/c/pools/"
	return map[string]string{
		"/collections": "Collections", "/new": "What are you looking for?", "/lab": "Start a run", "/new?words=tide+pools+of+the+shore": "How it is understood", "/compare": "two to four crawls",
		home: "Harvest rate over pages", home + "pages": "120 URLs", home + "pages?verdict=on&sort=score": `class="v on"`, home + "pages?verdict=skipped": "robots.txt",
		home + "page?url=http://shorewalks.demo/": "Why this verdict", home + "search": "Search", home + "search?q=tide": "similar", home + "labels": "Is this page on topic?",
		home + "labels?queue=audit": "Is this page on topic?", home + "topic": "Topic file", home + "topic?value=0.9": "would be on topic", home + "topic?boost=rock+pool&ban=shop": "Apply: judge every page again", home + "frontier?exclude=%2Fold%2F": "waiting links would go", home + "frontier": "Links by priority", home + "hosts": "shorewalks.demo",
		home + "graph": "Strongest links", home + "problems": "What was left out", home + "export": "New file", home + "settings": "Can be changed", home + "sites": "probability",
	}
}

// Every page is complete without JavaScript, shows what it is about and the equal command, and has its
// landmarks.
func TestEveryPageWithoutScripts(t *testing.T) {
	s := open(t, copied(t))
	for path, want := range everyPage() {
		code, body, head := s.get(t, path)
		if code != 200 || !strings.Contains(body, want) {
			t.Errorf("%s: got %d, want a page with %q", path, code, want)
			continue
		}
		for _, part := range []string{"<main id=", "<nav", "<h1", `<html lang="en">`} {
			if !strings.Contains(body, part) {
				t.Errorf("%s: no %s", path, part)
			}
		}
		if !strings.Contains(body, "Same in a terminal") {
			t.Errorf("%s: no equal command", path)
		}
		if strings.Contains(body, " style=") || strings.Contains(body, "onclick") || strings.Contains(body, "<no value>") || strings.Contains(body, "ZgotmplZ") {
			t.Errorf("%s: inline style, inline script or a value that is missing", path)
		}
		if csp := head.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") {
			t.Errorf("%s: policy %q", path, csp)
		}
	}
}

func TestErrorsArePages(t *testing.T) {
	s := open(t, copied(t))
	for path, want := range map[string]int{
		"/nothing": 404, "/c/none/": 404, "/c/pools/page?url=http://never.demo/": 404, "/c/pools/pages?sort=colour": 400, "/c/pools/pages?cursor=x": 400,
		"/c/pools/pages?skipped=nonsense": 400, "/c/pools/pages?since=soon": 400, "/c/pools/hosts?sort=x": 400, "/c/pools/search?q=score:x": 400, "/c/pools/file?export=e9": 404,
		"/lab/run?run=../..": 404, "/c/pools/labels?queue=x": 400,
	} {
		code, body, _ := s.get(t, path)
		if code != want || !strings.Contains(body, "</html>") {
			t.Errorf("%s: got %d, want %d", path, code, want)
		}
	}
}

// Nothing is changed by GET, and every form says what it did on the page after it.
func TestForms(t *testing.T) {
	dir := copied(t)
	s := open(t, dir)
	for _, form := range []string{"label", "undo", "train", "stop", "continue", "set", "export", "drop-export"} {
		if code, _, _ := s.get(t, "/c/pools/"+form+"?label=on&url=http://shorewalks.demo/"); form != "export" && code != 404 && code != 405 {
			t.Errorf("GET %s: got %d", form, code)
		}
	}
	post := func(form string, values ...string) (string, string) {
		v := url.Values{}
		for i := 0; i < len(values); i += 2 {
			v.Set(values[i], values[i+1])
		}
		code, body, head := s.send(t, http.MethodPost, "/c/pools/"+form, v)
		if code != http.StatusSeeOther {
			t.Fatalf("%s %v: got %d: %s", form, values, code, between(body, `role="alert">`, "<"))
		}
		return head.Get("Location"), flashText(t, head)
	}
	if next, note := post("label", "url", "http://shorewalks.demo/", "label", "off", "back", "/c/pools/pages?verdict=on"); next != "/c/pools/pages?verdict=on" || !strings.Contains(note, "off") {
		t.Errorf("label: next %q, note %q", next, note)
	}
	if next, _ := post("label", "url", "http://shorewalks.demo/", "label", "on", "back", "https://evil.example/"); next != "/c/pools/labels" {
		t.Errorf("a foreign page to return to was accepted: %q", next)
	}
	labels, err := collection.ReadLabels(filepath.Join(dir, "pools.dowse"))
	if err != nil || len(labels.Lines) != 2 || labels.Lines[1].Label != collection.LabelOn {
		t.Fatalf("labels.jsonl: %+v, %v", labels, err)
	}
	if _, note := post("set", "exclude", "/shop/"); !strings.Contains(note, "/shop/") {
		t.Errorf("set: note %q", note)
	}
	if _, body, _ := s.get(t, "/c/pools/settings"); !strings.Contains(body, "/shop/") {
		t.Error("the exclusion is not among the settings")
	}
	if _, note := post("set", "block", "kelp.demo"); !strings.Contains(note, "kelp.demo") {
		t.Errorf("block: note %q", note)
	}
	if _, body, _ := s.get(t, "/c/pools/hosts"); !strings.Contains(body, `aria-label="Unblock kelp.demo"`) {
		t.Error("the list of hosts does not offer to unblock a blocked host")
	}
	if _, body, _ := s.get(t, "/c/pools/settings"); !strings.Contains(body, `aria-label="Remove kelp.demo"`) {
		t.Error("the settings do not offer to remove a block")
	}
	post("set", "drop", "kelp.demo")
	if _, body, _ := s.get(t, "/c/pools/hosts"); strings.Contains(body, "Unblock") {
		t.Error("a block was not removed")
	}
	if _, note := post("set", "name", "per-host", "value", "7"); !strings.Contains(note, "7") {
		t.Errorf("set: note %q", note)
	}
	for name, value := range map[string]string{"pages": "", "exclude": "", "include": "none"} {
		if code, _, _ := s.send(t, http.MethodPost, "/c/pools/set", url.Values{"name": {name}, "value": {value}}); code != 400 {
			t.Errorf("set %s to %q: %d, want 400: only reset removes a setting", name, value, code)
		}
	}
	if code, _, _ := s.send(t, http.MethodPost, "/c/pools/set", url.Values{"name": {"max-rate"}, "reset": {"1"}}); code != http.StatusSeeOther {
		t.Errorf("reset: %d, want %d", code, http.StatusSeeOther)
	}
	if _, list, _ := s.get(t, "/c/pools/settings"); strings.Contains(list, "<bdi></bdi></span></dd>") || strings.Contains(list, "</dt><dd> ") || strings.Contains(list, "</dt><dd><span") {
		t.Errorf("the list of changes has an empty row, or a change without an author that shows by: %s", between(list, "h-changes", "</dl>"))
	}
	for value, want := range map[string]string{"50": "pages: got 50, and there are 120 pages already", "many": "pages: got &#34;many&#34;"} {
		if code, body, _ := s.send(t, http.MethodPost, "/c/pools/continue", url.Values{"pages": {value}}); code != 400 || !strings.Contains(body, ">"+want) {
			t.Errorf("continue with a limit of %s: %d, %s", value, code, between(body, `role="alert">`, "<"))
		}
	}
	if code, _, _ := s.send(t, http.MethodPost, "/c/pools/set", url.Values{"name": {"delay"}, "value": {"soon"}}); code != 400 {
		t.Errorf("a bad value: got %d", code)
	}
	if next, note := post("stop"); next != "/c/pools/" || note != "No crawl was running." {
		t.Errorf("stop: %q, %q", next, note)
	}
	post("export", "format", "jsonl", "which", "on")
	_, body, _ := s.get(t, "/c/pools/export")
	file := between(body, `href="/c/pools/file?`, `"`)
	code, data, head := s.get(t, "/c/pools/file?"+file)
	if code != 200 || !strings.HasPrefix(data, "{") || !strings.HasPrefix(head.Get("Content-Disposition"), "attachment") || head.Get("Content-Type") != "application/octet-stream" {
		t.Errorf("the exported file: got %d, %v", code, head)
	}
}

// flashText returns the message that the next page shows.
func flashText(t *testing.T, head http.Header) string {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	for _, c := range (&http.Response{Header: head}).Cookies() {
		r.AddCookie(c)
	}
	return flashOf(httptest.NewRecorder(), r)
}

// between returns the text between two others.
func between(text, from, to string) string {
	_, rest, _ := strings.Cut(text, from)
	part, _, _ := strings.Cut(rest, to)
	return part
}

// hostileTitle is a title of ten megabytes that would turn, hide and stack text if it were shown as it is.
var hostileTitle = "\u202eevil\u2066\u200b\ufeff" + strings.Repeat("Z\u0301\u0302\u0303\u0304\u0305\u0306\u0307\u0308\u0309", 400) + strings.Repeat("W", 10<<20)

// hostileWeb answers with pages that attack whoever shows them.
func hostileWeb() http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		body := `<html><head><title>tide pools <script>alert(1)</script>` + "\u202e" + ` "><img src=x onerror=alert(2)></title><meta http-equiv=refresh content="0;url=http://127.0.0.1:9/stolen"></head><body>
<script>window.pwned=1;fetch("http://127.0.0.1:9/x")</script><svg onload="window.pwned=2"><script>window.pwned=3</script></svg><img src="http://127.0.0.1:9/pixel.png" onerror="window.pwned=4">
<form action="http://127.0.0.1:9/phish"><input name=token autofocus onfocus="window.pwned=5"></form><iframe src="javascript:parent.pwned=6"></iframe><style>*{display:none}</style>
<p>tide pools intertidal anemone &lt;script&gt;window.pwned=7&lt;/script&gt; ` + "\u202e\u2066reversed\u200b\u200d" + `</p>` + strings.Repeat("<p>tide pools and anemones in rocky tide pools</p>", 30) + `
<a href="/long">"><script>window.pwned=8</script></a><a href="/x?a=%22%3E%3Cscript%3Ewindow.pwned=9%3C/script%3E">` + "\u202eknil" + `</a><a href="javascript:alert(1)">js</a></body></html>`
		if r.URL.Path == "/long" {
			body = "<title>" + hostileTitle + "</title><p>tide pools</p>" + strings.Repeat("w", 100_000)
		}
		code := 200
		if r.URL.Path == "/robots.txt" {
			code, body = 404, ""
		}
		return &http.Response{StatusCode: code, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// hostile returns a folder with a collection of hostile pages.
func hostile(t testing.TB) string {
	dir := t.TempDir()
	crawlWith(t, filepath.Join(dir, "pools.dowse"), hostileWeb(), []string{"tide pools"}, []string{"http://evil.demo/", "http://evil.demo/long"}, 3, -1)
	return dir
}

// hostilePages are the pages that show text of the web.
var hostilePages = []string{"/c/pools/", "/c/pools/pages", "/c/pools/page?url=http://evil.demo/", "/c/pools/page?url=http://evil.demo/long", "/c/pools/labels", "/c/pools/frontier", "/c/pools/hosts", "/c/pools/graph", "/c/pools/search?q=tide", "/c/pools/problems", "/c/pools/topic"}

// Hostile text is text: nothing of it is markup, it neither turns nor hides other text, and it is short.
func TestHostileText(t *testing.T) {
	s := open(t, hostile(t))
	for _, path := range hostilePages {
		code, body, head := s.get(t, path)
		if code != 200 {
			t.Errorf("%s: got %d", path, code)
			continue
		}
		if n := strings.Count(body, "<script"); n != 1 {
			t.Errorf("%s: %d scripts, want our own only", path, n)
		}
		for _, bad := range []string{"<img", "<iframe", "http-equiv=refresh", "onerror=alert(2)>", "javascript:", "<svg onload", "\u202e", "\u2066", "\u200b"} {
			if strings.Contains(body, bad) {
				t.Errorf("%s: has %q", path, bad)
			}
		}
		if len(body) > 400<<10 {
			t.Errorf("%s: %d bytes", path, len(body))
		}
		if strings.HasSuffix(path, "evil.demo/long") && (strings.Contains(body, "was not fetched") || !strings.Contains(body, "has no text")) {
			t.Errorf("%s: a page that was fetched is said not to be", path)
		}
		if head.Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("%s: type %q", path, head.Get("Content-Type"))
		}
	}
}

func TestHarmless(t *testing.T) {
	for in, want := range map[string]string{
		"plain": "plain", "a\u202eb": "ab", "a\u200bb\ufeff": "ab", "می\u200cشود": "می\u200cشود", "a \u200d b": "a  b", "x\x00\x1by": "xy",
		"e" + strings.Repeat("\u0301", 50): "e" + strings.Repeat("\u0301", mostMarks), "👩\u200d🔬": "👩\u200d🔬", "a\nb": "a\nb", "\xff\xfe": "", "tag\U000e0041": "tag",
	} {
		if got := harmless(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
	if got := tidy(hostileTitle, 160); len([]rune(got)) > 160 || strings.ContainsAny(got, "\u202e\u200b") {
		t.Errorf("a hostile title has %d characters", len([]rune(got)))
	}
}

func TestMarked(t *testing.T) {
	got := marked("Tide pools, tides!", func(w string) bool { return strings.EqualFold(w, "tide") || w == "tides" }, nil)
	want := []piece{{"Tide", true}, {" pools, ", false}, {"tides", true}, {"!", false}}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	// Words of scripts without spaces are parts of runs, and may overlap.
	got = marked("天然酵母でパンを焼きます。パン", func(string) bool { return false }, []string{"酵母", "然酵", "パン"})
	want = []piece{{"天", false}, {"然酵母", true}, {"で", false}, {"パン", true}, {"を焼きます。", false}, {"パン", true}}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestPartsOfRuns compares marks with a search for each part at each place.
func TestPartsOfRuns(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	random := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteRune([]rune("酵母パ")[rng.IntN(3)])
		}
		return b.String()
	}
	for range 2000 {
		run, parts := random(1+rng.IntN(12)), []string{random(2), random(1 + rng.IntN(3))}
		marks := make([]bool, len(run))
		for _, p := range parts {
			for i := range run {
				if strings.HasPrefix(run[i:], p) {
					for j := range len(p) {
						marks[i+j] = true
					}
				}
			}
		}
		at := 0
		for _, x := range marked(run, func(string) bool { return false }, parts) {
			for range len(x.Text) {
				if marks[at] != x.Mark {
					t.Fatalf("%s with %q: byte %d is marked: %v, want %v", run, parts, at, x.Mark, marks[at])
				}
				at++
			}
		}
	}
}

func TestCommand(t *testing.T) {
	if got := command("why", "/a b/x.dowse", "http://e.org/?q='1'"); got != `dowse why '/a b/x.dowse' 'http://e.org/?q='\''1'\'''` {
		t.Errorf("got %s", got)
	}
}

// Charts have what they show as text, and are the same for the same values.
func TestCharts(t *testing.T) {
	c := chart{Title: `a "title" <x>`, X: "pages", Width: 400, Height: 200, Lines: []line{{Name: "one", Class: "a", Points: []chartPoint{{0, 0.5}, {100, 1}}}}}
	svg := string(c.SVG())
	if strings.Contains(svg, "<x>") || !strings.Contains(svg, "<path") || svg != string(c.SVG()) {
		t.Errorf("the chart: %s", svg)
	}
	if rows := c.Table(); len(rows) != 3 || rows[2][0] != "100" || rows[2][1] != "1" {
		t.Errorf("the table: %v", rows)
	}
	for _, empty := range []chart{{Width: 100, Height: 50}, {Width: 100, Height: 50, Lines: []line{{}}}} {
		if s := string(empty.SVG()); strings.Contains(s, "NaN") || strings.Contains(s, "Inf") {
			t.Errorf("an empty chart: %s", s)
		}
	}
}

func TestLayoutIsTheSame(t *testing.T) {
	draw := func() string {
		nodes := make([]drawnNode, 30)
		var edges []drawnEdge
		for i := 1; i < len(nodes); i++ {
			edges = append(edges, drawnEdge{i, i / 3, 0.5})
		}
		layout(nodes, edges, 1200, 720)
		for i, n := range nodes {
			if !(n.x >= 0 && n.x <= 1200 && n.y >= 0 && n.y <= 720) {
				t.Fatalf("node %d is at %v, %v", i, n.x, n.y)
			}
		}
		return string(graphSVG("t", nodes, edges, 1200, 720))
	}
	if first, second := draw(), draw(); first != second {
		t.Error("two drawings of one graph differ")
	}
}

// TestReadOnlyPages checks that the pages of a server that only reads have no form for a change, and no key that would use
// one, and give the reason. Exports stay: they are written elsewhere.
func TestReadOnlyPages(t *testing.T) {
	dir := copied(t)
	paths := []string{
		"/c/pools/", "/c/pools/pages", "/c/pools/labels", "/c/pools/labels?queue=audit", "/c/pools/topic", "/c/pools/topic?boost=reef", "/c/pools/topic?value=0.7", "/c/pools/frontier", "/c/pools/frontier?exclude=tide",
		"/c/pools/hosts", "/c/pools/problems", "/c/pools/settings", "/c/pools/search?q=tide", "/c/pools/export", "/lab", "/new", "/compare", "/collections",
	}
	s := openWith(t, operations.Config{Dirs: []string{dir}, ReadOnly: true})
	_, list, _ := s.get(t, "/c/pools/pages")
	paths = append(paths, html.UnescapeString(between(list, `class="name" href="`, `"`)))
	open, forms := open(t, dir), 0
	for _, path := range paths {
		code, body, _ := s.get(t, path)
		if code != http.StatusOK || !strings.Contains(body, "This server only reads") {
			t.Errorf("%s: got %d, want a page that can't change anything", path, code)
		}
		offers := strings.Count(body, `method="post"`) + strings.Count(body, "data-key") + strings.Count(body, "data-row-key") + strings.Count(body, `type="checkbox" form="bulk"`)
		if want := strings.Count(body, `method="post" action="/c/pools/export"`); offers != want {
			t.Errorf("%s: %d forms and keys, want %d", path, offers, want)
		}
		_, usual, _ := open.get(t, path)
		forms += strings.Count(usual, `method="post"`)
	}
	if forms < 20 {
		t.Errorf("a server that may change has %d forms on the same pages: they were not looked for", forms)
	}
	if _, body, _ := s.get(t, "/collections"); strings.Contains(body, `href="/new"`) {
		t.Error("the list of collections offers a new crawl")
	}
}
