package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"dowse"
	"dowse/internal/archive"
	"dowse/internal/requisite"
)

// picturedSite is a site of pages on topic that share requisites, and one page off topic. Everything
// that a page can load an image by is on it.
type picturedSite struct {
	*httptest.Server
	mu    sync.Mutex
	asked map[string]int
}

func newPicturedSite(t *testing.T) *picturedSite {
	t.Helper()
	s := &picturedSite{asked: map[string]int{}}
	files := reefFiles()
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked[r.URL.Path]++
		s.mu.Unlock()
		switch text, ok := files[r.URL.Path]; {
		case r.URL.Path == "/img/moved":
			http.Redirect(w, r, "/img/pic.png", http.StatusFound)
		case ok:
			w.Header().Set("Content-Type", map[string]string{".css": "text/css", ".png": "image/png", ".js": "text/javascript", ".txt": "text/plain"}[filepath.Ext(r.URL.Path)])
			if w.Header().Get("Content-Type") == "" {
				w.Header().Set("Content-Type", "text/html; charset=utf-8")
			}
			io.WriteString(w, text)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func reefFiles() map[string]string {
	page := `<!doctype html><html lang=en><head><title>%s</title><link rel=stylesheet href=/css/main.css><link rel=icon href=/favicon.png></head>
<body background="/img/bg.png"><h1>%[1]s</h1><div class=box>
<img src=/img/reef.png srcset="/img/reef.png 1x, /img/reef2x.png 2x" width=300 height=120>
<picture><source srcset=/img/pic.png><img src=/img/fish.png width=120 height=120></picture>
<img class=late data-src=/img/lazy.png width=120 height=120><img src=/img/moved width=60 height=60>
<img src=/secret/hidden.png width=10 height=10 style="visibility:hidden">
<img src=/img/gone width=10 height=10 style="visibility:hidden"><img src=http://10.1.2.3/private.png width=10 height=10 style="visibility:hidden">%s</div>
<p>Coral reefs are built by coral polyps. The coral reef holds fish, coral and coral again. A coral reef near the shore is full of coral reef life.</p>
<p id=js>no script</p><script src=/app.js></script>
<a href=/fish.html>coral reef fish</a> <a href=/index.html>coral reefs</a> <a href=/cars.html>cars</a></body></html>`
	files := map[string]string{
		"/robots.txt":              "User-agent: *\nDisallow: /secret/\n",
		"/index.html":              fmt.Sprintf(page, "Coral reefs", `<img src="/img/own.png" width=60 height=60>`),
		"/fish.html":               fmt.Sprintf(page, "Coral reef fish", ""),
		"/cars.html":               `<html><title>Cars</title><body>Engines, wheels and roads. <img src=/img/car.png></body></html>`,
		"/.well-known/tdmrep.json": `[{"location": "/", "tdm-reservation": 0}, {"location": "/fish*", "tdm-reservation": 1}]`,
		"/css/main.css":            `@import "more.css"; /* url(/img/comment.png) */ h1 { color: #a33; border-bottom: 4px solid #a33 } .box { background: url(../img/wave.png); padding: 16px }`,
		"/css/more.css":            `p { font-size: 18px; color: #234 } .late { outline: 3px dashed green }`,
		"/app.js":                  `document.querySelectorAll("img[data-src]").forEach(i => i.src = i.dataset.src); document.getElementById("js").textContent = "script ran";`,
	}
	for name, c := range map[string]color.RGBA{
		"/img/reef.png": {230, 90, 60, 255}, "/img/reef2x.png": {230, 90, 60, 255}, "/img/fish.png": {40, 120, 220, 255}, "/img/lazy.png": {40, 180, 90, 255},
		"/img/wave.png": {200, 225, 245, 255}, "/img/pic.png": {160, 60, 180, 255}, "/favicon.png": {0, 0, 0, 255}, "/img/bg.png": {250, 240, 210, 255},
		"/img/own.png": {90, 90, 90, 255}, "/secret/hidden.png": {255, 0, 0, 255}, "/img/car.png": {9, 9, 9, 255},
	} {
		m := image.NewRGBA(image.Rect(0, 0, 16, 16))
		for i := range 256 {
			m.Set(i%16, i/16, c)
		}
		var b bytes.Buffer
		if err := png.Encode(&b, m); err != nil {
			panic(err)
		}
		files[name] = b.String()
	}
	return files
}

// crawlReef crawls the site and returns the collection.
func (s *picturedSite) crawl(t *testing.T, flags ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "reef.dowse")
	args := append([]string{"crawl", "coral reef", "--seed", s.URL + "/index.html", "-o", dir, "--allow-net", "127.0.0.0/8", "--delay", "0", "--index", "none"}, flags...)
	if code, _, errs := runHere(args...); code != exitOK {
		t.Fatal(errs)
	}
	return dir
}

// kept returns the paths of the requisites that a collection has.
func (s *picturedSite) kept(t *testing.T, dir string) (paths []string) {
	t.Helper()
	for l, err := range requisite.Lines(dir) {
		if err != nil {
			t.Fatal(err)
		}
		if l.File != "" {
			paths = append(paths, strings.TrimPrefix(string(l.URL), s.URL))
		}
	}
	slices.Sort(paths)
	return paths
}

// sharedRequisites are those that both pages on topic use.
var sharedRequisites = []string{"/app.js", "/css/main.css", "/css/more.css", "/favicon.png", "/img/bg.png", "/img/fish.png", "/img/gone", "/img/lazy.png", "/img/moved", "/img/pic.png", "/img/reef.png", "/img/reef2x.png", "/img/wave.png"}

// TestRequisites checks which requisites are fetched, that each is asked for once, over several runs,
// and that a takedown removes those that only its page uses.
func TestRequisites(t *testing.T) {
	s := newPicturedSite(t)
	dir := s.crawl(t, "--requisites")
	all := append(slices.Clone(sharedRequisites), "/img/own.png")
	slices.Sort(all)
	if got := s.kept(t, dir); !slices.Equal(got, all) {
		t.Errorf("kept %v\nwant %v", got, all)
	}
	if code, _, errs := runHere("crawl", dir, "--trust"); code != exitOK {
		t.Fatal(errs)
	}
	for path, n := range s.asked {
		if n != 1 {
			t.Errorf("%s was asked for %d times", path, n)
		}
	}
	for l, err := range requisite.Lines(dir) {
		if want := map[string]string{s.URL + "/secret/hidden.png": "robots.txt", "http://10.1.2.3/private.png": string(dowse.SkipPrivateIP)}[string(l.URL)]; err != nil || l.Left != want {
			t.Errorf("%s was left out for %q, want %q; %v", l.URL, l.Left, want, err)
		}
	}
	if n := s.asked["/secret/hidden.png"] + s.asked["/img/comment.png"] + s.asked["/img/car.png"]; n > 0 {
		t.Error("something was fetched that robots.txt forbids, that is in a comment, or that is of a page off topic")
	}
	if code, out, _ := runHere("status", dir); code != exitOK || !strings.Contains(out, "14 requisites of 2 pages") || !strings.Contains(out, "3 fetched + 0 failed") {
		t.Errorf("status:\n%s", out)
	}
	s.forget(t, dir, "/index.html", sharedRequisites)
	s.forget(t, dir, "/fish.html", nil)
}

// TestRequisitesOfAnArchive exports a collection as a WACZ and imports it: requisites stay requisites, also
// those that were redirected under a name that could be that of a page, and the ones that are missing.
func TestRequisitesOfAnArchive(t *testing.T) {
	s := newPicturedSite(t)
	dir := s.crawl(t, "--requisites")
	here := t.TempDir()
	wacz, again := filepath.Join(here, "x.wacz"), filepath.Join(here, "again.dowse")
	for _, args := range [][]string{{"export", dir, wacz}, {"collection", "import", wacz, "coral reef", "-o", again}} {
		if code, _, errs := runHere(args...); code != exitOK {
			t.Fatal(errs)
		}
	}
	if got, want := s.kept(t, again), s.kept(t, dir); !slices.Equal(got, want) {
		t.Errorf("imported %v\nwant %v", got, want)
	}
	if _, out, _ := runHere("status", again); !strings.Contains(out, "3 fetched + 0 failed + 0 redirected") {
		t.Errorf("the books have requisites:\n%s", out)
	}
	s.forget(t, again, "/index.html", sharedRequisites)
}

// TestReservations checks that the tdmrep.json of a host is asked for once, and only if that was wanted,
// and that an export respects it. An export itself asks for nothing.
func TestReservations(t *testing.T) {
	const file = "/.well-known/tdmrep.json"
	s := newPicturedSite(t)
	dir := s.crawl(t)
	exported := func(flags ...string) (paths, note string) {
		out := filepath.Join(t.TempDir(), "x.jsonl")
		code, _, errs := runHere(append([]string{"export", dir, out, "--fields", "url"}, flags...)...)
		data, err := os.ReadFile(out)
		if code != exitOK || err != nil {
			t.Fatal(errs, err)
		}
		for _, path := range []string{"/index.html", "/fish.html"} {
			if strings.Contains(string(data), path) {
				paths += path
			}
		}
		return paths, errs
	}
	if got, note := exported("--respect", "tdm"); got != "/index.html/fish.html" || !strings.Contains(note, "tdmrep.json of 1 host is not in the collection") || s.asked[file] > 0 {
		t.Errorf("before: %s, %s", got, note)
	}
	for range 2 {
		if code, _, errs := runHere("crawl", dir, "--trust", "--tdmrep", "--index", "none"); code != exitOK {
			t.Fatal(errs)
		}
	}
	if s.asked[file] != 1 || s.asked["/css/main.css"] > 0 {
		t.Errorf("asked %v", s.asked)
	}
	if got, note := exported("--respect", "tdm"); got != "/index.html" || strings.Contains(note, "tdmrep") {
		t.Errorf("after: %s, %s", got, note)
	}
	if got, _ := exported(); got != "/index.html/fish.html" {
		t.Errorf("without respect: %s", got)
	}
	if code, out, errs := runHere("collection", "verify", dir); code != exitOK {
		t.Errorf("verify: %s%s", out, errs)
	}
}

// forget takes a page down, and checks what is left.
func (s *picturedSite) forget(t *testing.T, dir, path string, want []string) {
	t.Helper()
	if code, _, errs := runHere("forget", dir, s.URL+path, "--because", "asked", "--yes"); code != exitOK {
		t.Fatal(errs)
	}
	if got := s.kept(t, dir); !slices.Equal(got, want) {
		t.Errorf("without %s: %v\nwant %v", path, got, want)
	}
	if code, out, errs := runHere("collection", "verify", dir); code != exitOK {
		t.Errorf("verify without %s: %s%s", path, out, errs)
	}
	files, err := requisite.Files(dir)
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	records := 0
	for _, name := range files {
		for rec, err := range archive.ReadableRecords(name, func(l archive.Loss) { t.Error(l) }) {
			if err != nil {
				t.Fatal(err)
			}
			if rec.Type() == "response" {
				records++
			}
		}
	}
	if records != len(want) {
		t.Errorf("%d records, want %d", records, len(want))
	}
}

// TestRequisiteBudgets checks the budgets, and that a later run with larger ones does not ask again
// for what is there.
func TestRequisiteBudgets(t *testing.T) {
	s := newPicturedSite(t)
	dir := s.crawl(t, "--requisites", "--requisites-per-page", "3")
	if got := s.kept(t, dir); len(got) > 6 || len(got) < 3 {
		t.Errorf("3 per page: %v", got)
	}
	s.raise(t, dir, "--requisites-per-page", "100")
	dir = s.crawl(t, "--requisites", "--requisites-page-bytes", "1B")
	if got := s.kept(t, dir); len(got) > 4 {
		t.Errorf("1 byte per page: %v", got)
	}
	s.raise(t, dir, "--requisites-page-bytes", "1MB")
	dir = s.crawl(t, "--requisites", "--requisites-bytes", "1B")
	if got := s.kept(t, dir); len(got) > 1 {
		t.Errorf("1 byte in all: %v", got)
	}
	s.raise(t, dir, "--requisites-bytes", "1MB")
	if got := s.kept(t, s.crawl(t)); len(got) > 0 {
		t.Errorf("not asked for: %v", got)
	}
	for _, bad := range [][]string{{"--requisites-per-page", "-1"}, {"--requisites-bytes", "much"}} {
		if code, _, errs := runHere(append([]string{"crawl", "x", "--seed", s.URL}, bad...)...); code != exitUsage || !strings.Contains(errs, bad[0]) {
			t.Errorf("%v: %d %s", bad, code, errs)
		}
	}
}

// raise resumes a crawl with a larger limit, and checks that it then has everything, that it asked only
// for what it had not, and that the counts are those of a crawl that had the limit from the beginning.
func (s *picturedSite) raise(t *testing.T, dir string, flags ...string) {
	t.Helper()
	had := map[string]bool{}
	for _, path := range s.kept(t, dir) {
		had[path] = true
	}
	s.mu.Lock()
	clear(s.asked)
	s.mu.Unlock()
	if code, _, errs := runHere(append([]string{"crawl", dir, "--trust", "--index", "none"}, flags...)...); code != exitOK {
		t.Fatal(errs)
	}
	all := append(slices.Clone(sharedRequisites), "/img/own.png")
	slices.Sort(all)
	if got := s.kept(t, dir); !slices.Equal(got, all) {
		t.Errorf("%v: %v\nwant %v", flags, got, all)
	}
	for path, n := range s.asked {
		if had[path] || n > 1 {
			t.Errorf("%v: %s was asked for %d times more", flags, path, n)
		}
	}
	totals, err := requisite.TotalsOf(dir)
	if err != nil {
		t.Fatal(err)
	}
	if totals.Kept != len(all) || totals.Pages != 2 || totals.Left != 2 {
		t.Errorf("%v: %+v", flags, totals)
	}
}

// TestReplayLooksLikeThePage compares the picture of a live page with that of the page in a WACZ,
// which a proxy serves that knows nothing else.
func TestReplayLooksLikeThePage(t *testing.T) {
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("needs Chromium:", err)
	}
	s := newPicturedSite(t)
	live := screenshot(t, browser, s.URL+"/index.html")
	t.Run("wabac", func(t *testing.T) {
		wacz := filepath.Join(t.TempDir(), "x.wacz")
		mustRun(t, "export", s.crawl(t, "--requisites"), wacz)
		replay := screenshot(t, browser, s.URL+"/index.html", "--proxy-server="+serveWabac(t, wacz), "--proxy-bypass-list=<-loopback>")
		if !bytes.Equal(live.Pix, replay.Pix) {
			t.Error("what wabac replays does not look like the page")
		}
		keepPicture(t, "replay-wabac", replay)
	})
	for name, flags := range map[string][]string{"with": {"--requisites"}, "without": nil} {
		wacz := filepath.Join(t.TempDir(), "x.wacz")
		if code, _, errs := runHere("export", s.crawl(t, flags...), wacz); code != exitOK {
			t.Fatal(errs)
		}
		web, err := archive.OpenWeb(wacz)
		if err != nil {
			t.Fatal(err)
		}
		defer web.Close()
		replay := screenshot(t, browser, s.URL+"/index.html", "--proxy-server="+serveWeb(t, web), "--proxy-bypass-list=<-loopback>")
		same := bytes.Equal(live.Pix, replay.Pix)
		if same != (name == "with") {
			t.Errorf("%s requisites the pictures are the same: %v", name, same)
		}
		keepPicture(t, "replay-"+name, replay)
	}
	keepPicture(t, "live", live)
	colours := map[color.Color]bool{}
	for i := range live.Pix[:len(live.Pix)/4] {
		colours[live.At(i%live.Rect.Dx(), i/live.Rect.Dx())] = true
	}
	for _, c := range []color.Color{color.RGBA{230, 90, 60, 255}, color.RGBA{160, 60, 180, 255}, color.RGBA{40, 180, 90, 255}, color.RGBA{200, 225, 245, 255}} {
		if !colours[c] {
			t.Errorf("the live page has no %v, so the pictures show nothing; it has %d colours", c, len(slices.Collect(maps.Keys(colours))))
		}
	}
}

// keepPicture writes a picture into the folder that PICTURES names, to be looked at.
func keepPicture(t *testing.T, name string, m *image.RGBA) {
	t.Helper()
	dir := os.Getenv("PICTURES")
	if dir == "" {
		return
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// serveWabac serves a WACZ by wabac as a proxy and returns its address.
func serveWabac(t *testing.T, wacz string) string {
	t.Helper()
	file := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, wacz) }))
	t.Cleanup(file.Close)
	cmd := exec.Command("node", filepath.Join(installNode(t, "wabac"), "open.mjs"), file.URL+"/x.wacz", "serve")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	var address string
	if _, err := fmt.Fscan(out, &address); err != nil {
		t.Fatalf("wabac does not serve: %v", err)
	}
	return address
}

// serveWeb serves a recorded web as a proxy and returns its address.
func serveWeb(t *testing.T, web *archive.Web) string {
	t.Helper()
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		req, err := http.NewRequest(http.MethodGet, r.URL.String(), nil)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		resp, err := web.RoundTrip(req)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer resp.Body.Close()
		maps.Copy(w.Header(), resp.Header)
		w.WriteHeader(resp.StatusCode)
		io.Copy(w, resp.Body)
	}))
	t.Cleanup(proxy.Close)
	return proxy.URL
}

// screenshot returns a picture of a page in a browser.
func screenshot(t *testing.T, browser, url string, flags ...string) *image.RGBA {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "page.png")
	args := append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=800,500", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--user-data-dir=" + filepath.Join(dir, "profile"), "--screenshot=" + file}, flags...)
	if text, err := exec.Command(browser, append(args, url)...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	out := image.NewRGBA(m.Bounds())
	for y := range m.Bounds().Dy() {
		for x := range m.Bounds().Dx() {
			out.Set(x, y, m.At(x, y))
		}
	}
	return out
}
