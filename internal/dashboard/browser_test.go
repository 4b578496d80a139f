//go:build !race

// The tests in a browser have no part in a run with the race detector: what they add to
// the other tests of the package happens in the browser, and the library that drives it
// takes longer to compile than all else that the package needs.

package dashboard

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"dowse/collection"
)

// A browser is a tab of a real browser that has what it wrote to its console.
type browser struct {
	t     *testing.T
	ctx   context.Context
	mu    sync.Mutex
	lines []string
}

// shared is the browser process of all tests; each has a tab of its own.
var shared struct {
	sync.Once
	ctx context.Context
	err error
}

// browse returns a tab of a browser of this machine. Where there is none, the test is skipped.
func browse(t *testing.T) *browser {
	t.Helper()
	if testing.Short() {
		t.Skip("short: needs a browser")
	}
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil && path == "" {
			path = p
		}
	}
	if path == "" {
		t.Skip("no browser: install chromium (make browser)")
	}
	t.Parallel()
	shared.Do(func() {
		opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU)
		for _, f := range []string{"disable-quic", "no-first-run", "disable-background-networking", "disable-component-update", "disable-sync", "disable-dev-shm-usage"} {
			opts = append(opts, chromedp.Flag(f, true))
		}
		a, end := chromedp.NewExecAllocator(context.Background(), opts...)
		ctx, cancel := chromedp.NewContext(a)
		shared.ctx, closeBrowser = ctx, func() { cancel(); end() }
		shared.err = chromedp.Do(ctx, chromedp.Navigate("about:blank"))
	})
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	ctx, cancel := chromedp.NewContext(shared.ctx, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	b := &browser{t: t, ctx: ctx}
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(1280, 900)); err != nil { // without a deadline: that of the first call would be the tab's
		t.Fatal(err)
	}
	messages := chromedp.Console(ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			b.mu.Lock()
			b.lines = append(b.lines, m.String())
			b.mu.Unlock()
		}
	}()
	return b
}

// do runs actions.
func (b *browser) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 30*time.Second)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// eval returns the value of an expression of JavaScript.
func eval[T any](b *browser, expression string) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 30*time.Second)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %v", plainCut(expression), err)
	}
	return v
}

func plainCut(s string) string { return tidy(s, 80) }

// until waits for an expression to be true. One that can't be evaluated, because a page is just being
// replaced, is not true yet.
func (b *browser) until(expression string) {
	b.t.Helper()
	safe := "(() => { try { return !!(" + expression + ") } catch { return false } })()"
	for end := time.Now().Add(patience); !eval[bool](b, safe); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			b.t.Fatalf("it did not become true: %s\n%s", expression, eval[string](b, "document.body.innerText.slice(0, 200)"))
		}
	}
}

// patience is how long a test waits for what must happen. It is long, since only a failure takes it all, and the machine
// may be busy.
const patience = 2 * time.Minute

// click clicks an element within the page, in one step: one that is found first and clicked
// afterwards may have been replaced by a live part in between.
func (b *browser) click(selector string) {
	b.t.Helper()
	b.until(fmt.Sprintf("!!document.querySelector(%q)", selector))
	if !eval[bool](b, fmt.Sprintf("(e => { e?.click(); return !!e })(document.querySelector(%q))", selector)) {
		b.t.Fatalf("%s is gone", selector)
	}
}

// console returns what was written to the console since the last call.
func (b *browser) console() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	lines := b.lines
	b.lines = nil
	return lines
}

// enter logs in by the address that is printed.
func (b *browser) enter(s *site) {
	b.t.Helper()
	b.do(chromedp.Navigate(s.URL()))
	if at := eval[string](b, "location.href"); at != s.base+"/c/pools/" { // there is one collection
		b.t.Fatalf("after the log-in the browser is at %s", at)
	}
}

// press presses keys.
func (b *browser) press(keys string) {
	b.t.Helper()
	b.do(chromedp.KeyEvent(keys))
}

// axe returns the source of axe-core, "" where it was not fetched (make browser fetches it).
func axe() string {
	path := os.Getenv("DOWSE_AXE")
	if path == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return ""
		}
		path = filepath.Join(cache, "dowse-test", "axe-core-4.14.0", "axe.min.js")
	}
	source, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(source)
}

// sortedPages has the paths of every page in a fixed order.
func sortedPages() (list []string) {
	for p := range everyPage() {
		list = append(list, p)
	}
	slices.Sort(list)
	return list
}

// Every page loads in a real browser without an error on its console, wide and narrow, and the
// narrow one does not have to be scrolled sideways.
func TestBrowserEveryPage(t *testing.T) {
	s := open(t, copied(t))
	b := browse(t)
	b.enter(s)
	for _, path := range sortedPages() {
		for _, width := range []int64{1280, 400} {
			b.do(chromedp.EmulateViewport(width, 900), chromedp.Navigate(s.base+path))
			if wide := eval[int](b, "document.documentElement.scrollWidth"); int64(wide) > width {
				t.Errorf("%s at %d: the page is %d wide: %v", path, width, wide, eval[[]string](b, fmt.Sprintf(`[...document.querySelectorAll("main *")].filter(e => e.getBoundingClientRect().right > %d && !e.closest(".scroll")).map(e => e.tagName + "." + e.className).slice(0, 5)`, width)))
			}
		}
		if list := eval[[]string](b, sideways); len(list) > 0 {
			t.Errorf("%s: on a phone these have to be scrolled sideways: %q", path, list)
		}
		if lines := b.console(); len(lines) > 0 {
			t.Errorf("%s: console: %q", path, lines)
		}
	}
}

// sideways has the names of the parts of a page that are wider than their place.
const sideways = `[...document.querySelectorAll("main .scroll, main .card")].filter(e => e.checkVisibility() && e.scrollWidth > e.clientWidth + 1).map(e => e.ariaLabel || e.id || e.className)`

// A crawl for a word as long as German has them, in a host whose name is as long: on a phone nothing has to be scrolled
// sideways, and two crawls can be compared.
func TestBrowserLongWords(t *testing.T) {
	const word = "Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz"
	host := strings.Repeat("ueberwachungsaufgaben.", 6) + "example"
	dir := t.TempDir()
	web := answerAll(func(r *http.Request) string {
		return "<html lang=de><title>" + word + " " + r.URL.Path + "</title><p>" + strings.Repeat(word+" ist "+r.URL.Path+" ein Gesetz. ", 20) + "<a href=/a>" + word + "</a> <a href=/b>b</a>"
	})
	for _, name := range []string{"lang", "laenger-" + strings.Repeat("n", 40)} {
		crawlWith(t, filepath.Join(dir, name+".dowse"), web, []string{word}, []string{"http://" + host + "/"}, 2, -1)
	}
	s := open(t, dir)
	b := browse(t)
	b.do(chromedp.EmulateViewport(400, 900), chromedp.Navigate(s.URL()))
	home := "/c/lang/"
	for _, path := range []string{"/collections", home, home + "pages", home + "page?url=http://" + host + "/", home + "topic", home + "topic?boost=" + word, home + "hosts", home + "labels", home + "frontier", home + "graph", home + "sites", home + "search?q=" + word, "/compare?id=lang&id=laenger-" + strings.Repeat("n", 40)} {
		b.do(chromedp.Navigate(s.base + path))
		if wide := eval[int](b, "document.documentElement.scrollWidth"); wide > 400 {
			t.Errorf("%s is %d wide", path, wide)
		}
		if list := eval[[]string](b, sideways); len(list) > 0 {
			t.Errorf("%s: these have to be scrolled sideways: %q", path, list)
		}
		if title := eval[string](b, `document.querySelector("h1").innerText`); title == "That did not work" {
			t.Errorf("%s: %s", path, eval[string](b, `document.querySelector("main").innerText`))
		}
	}
}

// An answerAll is a web that has a page at every address but robots.txt.
type answerAll func(r *http.Request) string

func (f answerAll) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	if r.URL.Path == "/robots.txt" {
		w.WriteHeader(http.StatusNotFound)
	} else {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, f(r))
	}
	answer := w.Result()
	answer.Request = r
	return answer, nil
}

// A page that comes into sight again shows what is true now, and does not wait until something happens.
func TestBrowserComesBack(t *testing.T) {
	s := open(t, copied(t))
	b := browse(t)
	b.enter(s)
	b.until(`document.getElementById("live-sign").innerText == "live"`)
	hide := func(hidden bool) {
		eval[bool](b, fmt.Sprintf(`(Object.defineProperty(document, "hidden", {value: %t, configurable: true}), document.dispatchEvent(new Event("visibilitychange")))`, hidden))
	}
	hide(true)
	b.until(`document.getElementById("live-sign").innerText == "paused"`)
	eval[bool](b, `(window.asked = 0, window.fetch = (plain => (...x) => { window.asked++; return plain(...x) })(window.fetch), true)`)
	hide(false)
	b.until("window.asked == 1")
}

// axe-core finds no serious violation on any page, in light and dark.
func TestBrowserAccessible(t *testing.T) {
	source := axe()
	if source == "" {
		t.Skip("no axe-core in the cache: make browser fetches it from the npm registry")
	}
	s := open(t, copied(t))
	b := browse(t)
	b.enter(s)
	for i, path := range sortedPages() {
		if strings.Contains(path, "?") && !strings.Contains(path, "/page?") && !strings.Contains(path, "/search?") {
			continue // the same page with other rows
		}
		b.dark(i%2 == 1)
		b.do(chromedp.Navigate(s.base + path))
		b.accessible(source)
	}
}

// accessible reports the serious violations that axe-core finds on the page that is shown.
func (b *browser) accessible(source string) {
	b.t.Helper()
	eval[bool](b, source+"; true")
	text := eval[string](b, `axe.run(document, {resultTypes: ["violations"]}).then(r => JSON.stringify(r.violations.map(v => ({id: v.id, impact: v.impact, help: v.help, nodes: v.nodes.slice(0, 2).map(n => ({html: n.html, failureSummary: n.failureSummary}))}))))`)
	var list []struct {
		ID, Impact, Help string
		Nodes            []struct{ HTML, FailureSummary string }
	}
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		b.t.Fatal(err)
	}
	for _, v := range list {
		if v.Impact == "serious" || v.Impact == "critical" {
			b.t.Errorf("%s: %s (%s): %+v", eval[string](b, "location.pathname"), v.ID, v.Help, v.Nodes)
		}
	}
}

// Log-in works by the address, by the form and by the keyboard, and fails as it should.
func TestBrowserLogIn(t *testing.T) {
	s := open(t, copied(t))
	b := browse(t)
	b.do(chromedp.Navigate(s.base + "/c/pools/pages?verdict=on"))
	if got := eval[string](b, "document.title"); !strings.HasPrefix(got, "Log in") {
		t.Fatalf("without a token: %q", got)
	}
	b.press("wrong-token\r")
	b.until(`document.body.innerText.includes("not the token")`)
	b.do(chromedp.Focus("#token"))
	b.press(s.Token() + "\r")
	b.until(`document.querySelector("h1")?.innerText == "Pages"`)
	if got := eval[string](b, "location.pathname + location.search"); got != "/c/pools/pages?verdict=on" {
		t.Errorf("after the log-in: %s", got)
	}
	if got := eval[string](b, "document.cookie"); got != "" {
		t.Errorf("scripts can read the cookie: %q", got)
	}
	b.do(chromedp.Navigate(s.base + "/?t=wrong"))
	b.until(`document.body.innerText.includes("not the token")`)
}

// A filter is part of the address: it survives a reload, and is applied without one.
func TestBrowserFilter(t *testing.T) {
	s := open(t, copied(t))
	b := browse(t)
	b.enter(s)
	b.do(chromedp.Navigate(s.base+"/c/pools/pages"), chromedp.Focus("#host"))
	b.press("shorewalks.demo\r")
	b.until(`location.search.includes("host=shorewalks.demo")`)
	rows := `[...document.querySelectorAll("#list .url")].map(e => e.innerText)`
	b.until(rows + `.every(u => u.startsWith("shorewalks.demo"))`)
	before := eval[[]string](b, rows)
	b.do(chromedp.Reload())
	after := eval[[]string](b, rows)
	if len(before) == 0 || !slices.Equal(before, after) || eval[string](b, `document.getElementById("host").value`) != "shorewalks.demo" {
		t.Errorf("before the reload %d pages, after it %d", len(before), len(after))
	}
	if lines := b.console(); len(lines) > 0 {
		t.Errorf("console: %q", lines)
	}
}

// Labels given by keys alone train a model, which can be undone, and the next page comes without
// a reload.
func TestBrowserLabel(t *testing.T) {
	dir := copied(t)
	s := open(t, dir)
	b := browse(t)
	b.enter(s)
	b.do(chromedp.Navigate(s.base + "/c/pools/labels"))
	eval[bool](b, "window.sameDocument = true")
	page := `document.querySelector("#ask input[name=url]")?.value`
	keys := []string{"y", "n", "y", "n", "s", "y", "n"}
	for _, key := range keys {
		was := eval[string](b, page)
		b.press(key)
		b.until(page + " != " + fmt.Sprintf("%q", was))
	}
	if !eval[bool](b, "!!window.sameDocument") {
		t.Error("the page was loaded again for a label")
	}
	labels := func() int {
		l, err := collection.ReadLabels(filepath.Join(dir, "pools.dowse"))
		if err != nil {
			t.Fatal(err)
		}
		return len(l.Standing())
	}
	if n := labels(); n != 6 {
		t.Errorf("%d labels are in force, want 6", n)
	}
	b.press("u") // take the last one back
	b.until(`!document.querySelector("[data-key=u]")`)
	if n := labels(); n != 5 {
		t.Errorf("after taking one back %d labels are in force, want 5", n)
	}
	// The model is trained in the background, and refused or used; either is shown.
	for end := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		b.do(chromedp.Navigate(s.base + "/c/pools/labels"))
		if eval[bool](b, `!!document.querySelector("#models tbody tr")`) && !eval[bool](b, `document.body.innerText.includes("being trained")`) {
			break
		}
		if time.Now().After(end) {
			t.Fatal("no model was trained")
		}
	}
	if eval[bool](b, `document.body.innerText.includes("Use it all the same")`) {
		b.click(`form[action$="/train"] button`)
		b.until(`document.querySelector("#flash")?.innerText.includes("Model m")`)
	}
	model := func() string {
		l, err := collection.Models(filepath.Join(dir, "pools.dowse"))
		if err != nil || len(l) == 0 {
			t.Fatal(l, err)
		}
		return l[len(l)-1].Model
	}
	if m := model(); m == collection.FirstModel {
		t.Errorf("the model is %s", m)
	}
	b.click("#undo")
	b.until(`document.querySelector("#flash")?.innerText.includes("Back to model")`)
	if m := model(); m != collection.FirstModel {
		t.Errorf("after the undo the model is %s", m)
	}
	if lines := b.console(); len(lines) > 0 {
		t.Errorf("console: %q", lines)
	}
}

// The numbers of an open page move while a crawl runs, without a reload.
func TestBrowserLive(t *testing.T) {
	dir := t.TempDir()
	col := filepath.Join(dir, "pools.dowse")
	crawlMade(t, col, 20, -1)
	s := open(t, dir)
	b := browse(t)
	b.enter(s)
	b.do(chromedp.Navigate(s.base + "/c/pools/"))
	eval[bool](b, "window.sameDocument = true")
	number := `document.querySelector("#numbers div:nth-child(2) .big").innerText`
	if got := eval[string](b, number); !strings.Contains(got, "/ 20") {
		t.Fatalf("at the beginning: %q", got)
	}
	b.until(`document.getElementById("live-sign").innerText == "live"`)
	crawlMade(t, col, 60, -1) // the limit of a resumed crawl
	if _, body, _ := s.get(t, "/c/pools/pages"); !strings.Contains(body, "60 URLs") {
		t.Fatal("the crawl was not resumed")
	}
	b.until(number + `.includes("/ 60")`)
	if !eval[bool](b, "!!window.sameDocument") {
		t.Error("the page was loaded again")
	}
	if lines := b.console(); len(lines) > 0 {
		t.Errorf("console: %q", lines)
	}
}

// The list of collections moves while one of them grows, and rests afterwards.
func TestBrowserLiveList(t *testing.T) {
	dir := t.TempDir()
	col := filepath.Join(dir, "pools.dowse")
	crawlMade(t, col, 20, -1)
	s := open(t, dir)
	b := browse(t)
	b.enter(s)
	g := newGate(madeWeb().RoundTripper(), 30) // the crawl waits until the list is open, however long that takes
	t.Cleanup(g.open)
	done := make(chan bool)
	go func() {
		defer close(done)
		crawlThrough(t, madeWeb(), g, col, 120, 10*time.Millisecond)
	}()
	for running := false; !running; {
		b.do(chromedp.Navigate(s.base + "/collections"))
		running = eval[bool](b, `document.querySelector("#list .state").innerText == "running"`)
		select {
		case <-done:
			t.Fatal("the crawl has ended before the gate was opened")
		default:
		}
	}
	eval[bool](b, "window.sameDocument = true")
	g.open()
	<-done
	b.until(`document.querySelector("#list td.n").innerText == "120" && document.querySelector("#list .state").innerText == "stopped"`)
	b.until(`!("poll" in document.body.dataset)`)
	if !eval[bool](b, "!!window.sameDocument") {
		t.Error("the page was loaded again")
	}
	if lines := b.console(); len(lines) > 0 {
		t.Errorf("console: %q", lines)
	}
}

// Hostile pages of a collection can neither run, nor fetch, nor break the layout.
func TestBrowserHostile(t *testing.T) {
	s := open(t, hostile(t))
	b := browse(t)
	b.enter(s)
	for _, path := range hostilePages {
		b.do(chromedp.EmulateViewport(1280, 900), chromedp.Navigate(s.base+path))
		if eval[bool](b, "window.pwned !== undefined") {
			t.Errorf("%s: a script of an archived page has run: %v", path, eval[any](b, "window.pwned"))
		}
		foreign := eval[[]string](b, `performance.getEntriesByType("resource").map(e => e.name).filter(n => !n.startsWith(location.origin))`)
		if len(foreign) > 0 {
			t.Errorf("%s: it fetched %v", path, foreign)
		}
		if wide := eval[int](b, "document.documentElement.scrollWidth"); wide > 1280 {
			t.Errorf("%s: the page is %d wide", path, wide)
		}
		if tall := eval[int](b, "document.documentElement.scrollHeight"); tall > 8000 {
			t.Errorf("%s: the page is %d tall", path, tall)
		}
		b.do(chromedp.EmulateViewport(400, 900))
		if wide := eval[int](b, "document.documentElement.scrollWidth"); wide > 400 {
			t.Errorf("%s: on a phone the page is %d wide", path, wide)
		}
		if at := eval[string](b, "location.href"); at != s.base+path {
			t.Errorf("%s: the browser went to %s", path, at)
		}
	}
	if lines := b.console(); len(lines) > 0 {
		t.Errorf("console: %q", lines)
	}
}

// A person without a mouse gets from the list to a page, labels it and goes on: by Tab, Enter and the
// keys that ? lists.
func TestBrowserKeyboard(t *testing.T) {
	dir := copied(t)
	s := open(t, dir)
	b := browse(t)
	b.enter(s)
	b.do(chromedp.Navigate(s.base + "/collections"))
	b.press("\t") // the first stop skips the navigation
	if got := eval[string](b, "document.activeElement.className"); got != "skip" {
		t.Errorf("the first Tab goes to %q", got)
	}
	b.press("j")
	b.press("\r")
	b.until(`location.pathname == "/c/pools/" && document.readyState == "complete" && document.querySelector("h1")?.innerText == "Overview"`)
	b.press("/")
	if got := eval[string](b, "document.activeElement.id"); got != "find" {
		t.Errorf("/ goes to %q", got)
	}
	b.press("tide\r")
	b.until(`location.pathname == "/c/pools/search" && document.readyState == "complete" && document.querySelector(".hit")`)
	b.press("?")
	b.until(`document.getElementById("keys-help").open`)
	b.press("\u001b")
	b.until(`!document.getElementById("keys-help").open`)
	b.press("j")
	b.press("\r")
	b.until(`location.pathname == "/c/pools/page" && document.readyState == "complete"`)
	b.press("n")
	b.until(`document.getElementById("flash").innerText.includes("Labelled off")`)
	l, err := collection.ReadLabels(filepath.Join(dir, "pools.dowse"))
	if err != nil || len(l.Standing()) != 1 {
		t.Errorf("labels: %+v, %v", l, err)
	}
	// Everything that can be clicked can be reached: links, buttons and fields have no negative tabindex.
	if n := eval[int](b, `document.querySelectorAll("a[tabindex='-1'], button[tabindex='-1'], input[tabindex='-1']").length`); n > 0 {
		t.Errorf("%d controls can't be reached by Tab", n)
	}
}

// The slider shows what a threshold would change while it moves, and sets it.
func TestBrowserThreshold(t *testing.T) {
	s := open(t, copied(t))
	b := browse(t)
	b.enter(s)
	b.do(chromedp.Navigate(s.base+"/c/pools/topic"), chromedp.Focus("#threshold"))
	if got := eval[string](b, `document.getElementById("threshold-says").innerText`); !strings.HasSuffix(got, "of 120 pages are on topic") {
		t.Errorf("at the present threshold: %q", got)
	}
	if !eval[bool](b, `document.querySelector("form.slider button.first").disabled && !document.querySelector("form.slider button[formmethod=get]").checkVisibility()`) {
		t.Error("the present threshold can be set again, or a button without use is shown")
	}
	b.press(kb.End) // 1.00
	b.until(`document.getElementById("threshold-value").innerText == "1.00"`)
	b.press(strings.Repeat(kb.ArrowLeft, 3))
	b.until(`document.getElementById("threshold-command").innerText.endsWith("--threshold 0.97")`)
	says := eval[string](b, `document.getElementById("threshold-says").innerText`)
	want, _, ok := strings.Cut(says, " of 120 pages would be on topic")
	if !ok {
		t.Fatalf("at 0.97: %q", says)
	}
	b.do(chromedp.Click("form.slider button.first"))
	b.until(`document.readyState == "complete" && document.getElementById("flash").innerText.includes("threshold is 0.97 now")`) // a page of its own, which is loaded in parts
	if got := eval[string](b, `document.getElementById("threshold-says").innerText`); got != want+" of 120 pages are on topic" {
		t.Errorf("the slider said %q, and then %q", says, got)
	}
	if lines := b.console(); len(lines) > 0 {
		t.Errorf("console: %q", lines)
	}
}

// The T-Graph of a crawl is drawn, wide and narrow, and can be reached from the graph.
func TestBrowserTGraph(t *testing.T) {
	s := open(t, treasured(t))
	b := browse(t)
	b.enter(s)
	b.do(chromedp.Navigate(s.base+"/c/pools/graph"), chromedp.Click(`.choices a[href$="/tgraph"]`))
	b.until(`location.pathname == "/c/pools/tgraph" && document.querySelector("svg.tgraph .step")`)
	if source := axe(); source != "" {
		b.accessible(source)
	}
	for _, width := range []int64{1280, 400} {
		b.do(chromedp.EmulateViewport(width, 900))
		if wide := eval[int](b, "document.documentElement.scrollWidth"); int64(wide) > width {
			t.Errorf("at %d: the page is %d wide", width, wide)
		}
	}
	if lines := b.console(); len(lines) > 0 {
		t.Errorf("console: %q", lines)
	}
}
