package dashboard

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"dowse"
	"dowse/internal/operations"
	"dowse/internal/plain"
)

//go:embed templates static
var files embed.FS

// A Config is what a dashboard shows besides collections.
type Config struct {
	// LabDirs are folders in which runs of the lab are looked for.
	LabDirs []string
	// LabReport returns the report of a run of the lab from its folder; nil for none.
	LabReport func(dir string) (*LabReport, error)
	// Experiments lists the experiments that can be started; nil for none.
	Experiments func() []Experiment
	// StopMeans has what each reason for which a crawl stops means, in words.
	StopMeans map[dowse.StopReason]string
	// SignalMeans has what each signal that pauses a crawl means, by its name.
	SignalMeans map[string]string
	// Now is the clock; default time.Now.
	Now func() time.Time
}

// A Dashboard is the set of pages over some collections. It is safe for concurrent use.
type Dashboard struct {
	ops     *operations.Operations
	cfg     Config
	pages   map[string]*template.Template
	assets  map[string]string // file name to its URL, with a hash of its content
	cache   liveCache
	reports reportCache
	trainer *trainer
}

// New makes the pages over the collections of ops.
func New(ops *operations.Operations, cfg Config) (*Dashboard, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	d := &Dashboard{ops: ops, cfg: cfg, pages: map[string]*template.Template{}, assets: map[string]string{}, trainer: newTrainer()}
	if err := d.hash(); err != nil {
		return nil, err
	}
	return d, d.parse()
}

// Close waits for what the dashboard does in the background.
func (d *Dashboard) Close() { d.trainer.end() }

// hash computes the URLs of the static files. A changed file has another URL, so browsers can keep
// them for good.
func (d *Dashboard) hash() error {
	list, err := fs.ReadDir(files, "static")
	if err != nil {
		return err
	}
	for _, f := range list {
		data, err := files.ReadFile("static/" + f.Name())
		if err != nil {
			return err
		}
		sum := sha256.Sum256(data)
		d.assets[f.Name()] = "/static/" + f.Name() + "?v=" + hex.EncodeToString(sum[:6])
	}
	return nil
}

// parse reads the templates: each page is the base with its own part.
func (d *Dashboard) parse() error {
	base, err := template.New("base").Funcs(d.funcs()).ParseFS(files, "templates/base.html")
	if err != nil {
		return err
	}
	list, err := fs.Glob(files, "templates/*.html")
	if err != nil {
		return err
	}
	for _, name := range list {
		if name == "templates/base.html" {
			continue
		}
		t, err := base.Clone()
		if err == nil {
			t, err = t.ParseFS(files, name)
		}
		if err != nil {
			return err
		}
		d.pages[strings.TrimSuffix(path.Base(name), ".html")] = t
	}
	return nil
}

// funcs are the functions of the templates.
func (d *Dashboard) funcs() template.FuncMap {
	return template.FuncMap{
		"asset": func(name string) string { return d.assets[name] },
		"fixed": d.ops.ReadOnly, // whether nothing can be changed: pages then have no forms for it
		"words": commandWords, "lines": func(n int, s string) string { return tidyText(s, n) },
		"title": func(s string) string { return tidy(s, 160) },
		"line":  func(n int, s any) string { return tidy(fmt.Sprint(s), n) },
		"bare":  bare, "count": count, "score": score, "signed": signed, "inWords": inWords, "percent": percent,
		"bytes": plain.Bytes, "some": plain.Some, "meter": meter, "span": span,
		"ago":   func(t time.Time) string { return ago(d.cfg.Now(), t) },
		"clock": func(t time.Time) string { return clock(d.cfg.Now(), t.Local()) },
		"iso":   func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	}
}

// A pageFrame is what is around the part of a page, and the part's data.
type pageFrame struct {
	Title   string
	C       *head // the collection; nil for pages about none
	Global  []tab
	Tabs    []tab
	Live    string // where changes are reported; "" for a page that does not change
	Poll    bool   // something that is shown goes on and reports no changes: the page is fetched again and again
	Command string // the command that shows the same
	Flash   string // what the last form did
	Body    any
	status  int
}

// A tab is a link to a page.
type tab struct {
	Name, Href string
	Here       bool
}

// A head is the collection in the head of a page.
type head struct {
	ID, Name, Dir, Home string
	Folder              string // shown next to the name, which several collections may have; "" if it is the name
	State, Class        string
	Running             bool
}

// sections are the pages of a collection, in the order of the tabs.
var sections = []struct{ path, name string }{
	{"", "Overview"}, {"pages", "Pages"}, {"search", "Search"}, {"labels", "Label"}, {"topic", "Topic"}, {"frontier", "Frontier"}, {"hosts", "Hosts"},
	{"graph", "Graph"}, {"problems", "Problems"}, {"export", "Export"}, {"settings", "Settings"},
}

// A shown page returns its frame.
type shown func(r *http.Request, c *head) (*pageFrame, error)

// A done form returns where the browser goes next and what to show there.
type done func(r *http.Request, c *head) (next, flash string, err error)

// Static answers requests for scripts, styles and pictures.
func Static() http.Handler {
	sub, _ := fs.Sub(files, "static")
	server := http.FileServerFS(sub)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("v") {
			w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		} else {
			w.Header().Set("Cache-Control", "no-cache")
		}
		http.StripPrefix("/static/", server).ServeHTTP(w, r)
	})
}

// A route is a pattern of requests and what answers them.
type route struct {
	pattern string
	handler http.Handler
}

// routes returns everything that the dashboard answers.
func (d *Dashboard) routes() (list []route) {
	add := func(pattern string, h http.Handler) { list = append(list, route{pattern, h}) }
	add("GET /{$}", http.HandlerFunc(d.first))
	for pattern, page := range map[string]shown{"/collections": d.collections, "/new": d.newCrawl, "/compare": d.compare, "/lab": d.lab, "/lab/run": d.labRun} {
		add("GET "+pattern, d.show(pattern, page))
	}
	add("POST /new", d.change(d.start))
	add("POST /lab", d.change(d.startLab))
	for section, page := range map[string]shown{
		"{$}": d.overview, "pages": d.pageList, "page": d.onePage, "search": d.search, "labels": d.labels, "topic": d.topic, "frontier": d.frontier,
		"hosts": d.hosts, "graph": d.graph, "problems": d.problems, "export": d.exports, "settings": d.settings, "sites": d.sites, "tgraph": d.tgraph,
	} {
		add("GET /c/{id}/"+section, d.show(section, page))
	}
	for name, form := range map[string]done{
		"label": d.label, "undo": d.undo, "train": d.train, "stop": d.stop, "continue": d.resume, "set": d.set, "export": d.export, "drop-export": d.dropExport,
		"topic": d.editTopic,
	} {
		add("POST /c/{id}/"+name, d.change(form))
	}
	add("GET /c/{id}", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/c/"+url.PathEscape(r.PathValue("id"))+"/", http.StatusSeeOther)
	}))
	add("GET /c/{id}/live", http.HandlerFunc(d.live))
	add("GET /c/{id}/file", http.HandlerFunc(d.file))
	add("GET /c/{id}/receipt", http.HandlerFunc(d.receipt))
	add("GET /lab/file", http.HandlerFunc(d.labFile))
	add("/", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.fail(w, r, nil, &operations.Error{Kind: operations.NotFound, Err: errors.New("there is no such page")})
	}))
	return list
}

// Handler returns the pages.
func (d *Dashboard) Handler() http.Handler {
	mux := http.NewServeMux()
	for _, r := range d.routes() {
		mux.Handle(r.pattern, r.handler)
	}
	return recovered(mux)
}

// first leads to the first page that a person wants: the overview if there is one collection, else
// the list. The list has an address of its own, so that collections that appear later can be reached.
func (d *Dashboard) first(w http.ResponseWriter, r *http.Request) {
	next := "/collections"
	if list, err := d.ops.Collections(r.Context(), 0); err == nil && len(list) == 1 {
		next = headOf(list[0]).Home
	}
	http.Redirect(w, r, next, http.StatusSeeOther)
}

// recovered answers a request whose handler panics with an error, so that one bad page does not
// look like a broken connection.
func recovered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if p := recover(); p != nil && p != http.ErrAbortHandler { //nolint:errorlint // it is that value
				http.Error(w, "this page could not be made; the crawl is not affected", http.StatusInternalServerError)
			}
		}()
		next.ServeHTTP(w, r)
	})
}

// show returns the handler of a page.
func (d *Dashboard) show(section string, page shown) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := r.URL.RequestURI()
		live := r.Header.Get("Dowse-Live") != ""
		var made []byte // for the other viewers; nil if this page is an error
		if live {
			body, end := d.cache.begin(r.Context(), key, d.cfg.Now)
			if body != nil {
				writePage(w, http.StatusOK, body)
				return
			}
			defer func() { end(made) }()
		}
		c, err := d.head(r)
		if err != nil {
			d.fail(w, r, nil, err)
			return
		}
		f, err := page(r, c)
		if err != nil {
			d.fail(w, r, c, err)
			return
		}
		f.C = c
		if !live { // the message is for the page that the browser goes to
			f.Flash = flashOf(w, r)
		}
		d.frame(f, section, r)
		body, err := d.render(section, f)
		if err != nil {
			d.fail(w, r, c, err)
			return
		}
		if f.status <= http.StatusOK {
			made = body
		}
		writePage(w, max(f.status, http.StatusOK), body)
	})
}

// writePage sends a page.
func writePage(w http.ResponseWriter, code int, body []byte) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(code)
	_, _ = w.Write(body)
}

// head returns the collection of a request, nil for a page about none.
func (d *Dashboard) head(r *http.Request) (*head, error) {
	id := r.PathValue("id")
	if id == "" {
		return nil, nil
	}
	c, err := d.ops.Collection(id)
	if err != nil {
		return nil, err
	}
	return headOf(c), nil
}

// headOf returns a collection as the head of a page shows it.
func headOf(c operations.Collection) *head {
	h := &head{ID: c.ID, Name: c.Name, Dir: c.Dir, Home: "/c/" + url.PathEscape(c.ID) + "/", State: c.State, Running: c.Running}
	if folder := folderOf(c); folder != c.Name {
		h.Folder = folder
	}
	switch {
	case c.Running:
		h.Class = "running"
	case c.Error != "" || c.State == operations.StateKilled:
		h.Class = "bad"
	}
	return h
}

// folderOf returns the name of the folder of a collection without its suffix, and the number by which it differs from others of
// the same name.
func folderOf(c operations.Collection) string {
	folder := strings.TrimSuffix(filepath.Base(c.Dir), ".dowse")
	if _, number, ok := strings.Cut(c.ID, "~"); ok {
		folder += "~" + number
	}
	return folder
}

// frame fills what is around a page.
func (d *Dashboard) frame(f *pageFrame, section string, r *http.Request) {
	for _, g := range []tab{{Name: "Collections", Href: "/collections"}, {Name: "Compare", Href: "/compare"}, {Name: "Lab", Href: "/lab"}, {Name: "New crawl", Href: "/new"}} {
		if d.ops.ReadOnly() && g.Href == "/new" {
			continue
		}
		g.Here = g.Href == r.URL.Path
		f.Global = append(f.Global, g)
	}
	if f.C == nil {
		return
	}
	switch section {
	case "{$}":
		section = ""
	case "sites", "tgraph": // they are views of the graph
		section = "graph"
	case "page": // it is one of the list
		section = "pages"
	}
	for _, s := range sections {
		f.Tabs = append(f.Tabs, tab{s.name, f.C.Home + s.path, s.path == section})
	}
}

// templates of pages whose section has another name.
var templateOf = map[string]string{"{$}": "overview", "/collections": "collections", "/new": "new", "/compare": "compare", "/lab": "lab", "/lab/run": "labrun"}

// render writes a page into memory, so that an error does not leave half a page.
func (d *Dashboard) render(section string, f *pageFrame) ([]byte, error) {
	name := section
	if n, ok := templateOf[section]; ok {
		name = n
	}
	t := d.pages[name]
	if t == nil {
		return nil, fmt.Errorf("dashboard: no template %q", name)
	}
	var b bytes.Buffer
	err := t.ExecuteTemplate(&b, "base", f)
	return b.Bytes(), err
}

// change returns the handler of a form.
func (d *Dashboard) change(form done) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := d.head(r)
		if err != nil {
			d.fail(w, r, nil, err)
			return
		}
		if err := r.ParseForm(); err != nil {
			d.fail(w, r, c, &operations.Error{Kind: operations.Invalid, Err: errors.New("the form can't be read")})
			return
		}
		next, flash, err := form(r, c)
		if err != nil {
			d.fail(w, r, c, err)
			return
		}
		d.cache.clear()
		setFlash(w, flash)
		http.Redirect(w, r, next, http.StatusSeeOther)
	})
}

// An errorBody is the page of an error.
type errorBody struct {
	Text, Help string
	Commands   []string // what a person can do about it
	Back       string   // a form, as it was filled in
}

// fail shows an error as a page.
func (d *Dashboard) fail(w http.ResponseWriter, r *http.Request, c *head, err error) {
	if r.Context().Err() != nil { // the client is gone, or has not sent its form in time: nothing was done
		http.Error(w, "the request ended before it was answered", http.StatusRequestTimeout)
		return
	}
	code := http.StatusInternalServerError
	switch operations.KindOf(err) {
	case operations.NotFound:
		code = http.StatusNotFound
	case operations.Invalid, operations.TooLarge:
		code = http.StatusBadRequest
	case operations.Conflict:
		code = http.StatusConflict
	case operations.Refused:
		code = http.StatusForbidden
	case operations.Busy:
		code = http.StatusServiceUnavailable
	case operations.DiskFull:
		code = http.StatusInsufficientStorage
	}
	b := &errorBody{Text: tidy(plain.Error(err), 600)}
	if c != nil && operations.KindOf(err) == operations.Damaged {
		b.Help = "The files are left as they are. The first command lists what is damaged, the second one makes a new collection of what can be read:"
		b.Commands = []string{command("collection", "verify", c.Dir), command("collection", "salvage", c.Dir, "-o", strings.TrimSuffix(c.Dir, ".dowse")+"-salvaged.dowse")}
	}
	if r.Method == http.MethodPost && r.URL.Path == "/new" {
		b.Back = "/new" + refilled(r)
	}
	f := &pageFrame{Title: "Error", C: c, Body: b}
	d.frame(f, "error", r)
	body, renderErr := d.render("error", f)
	if renderErr != nil {
		http.Error(w, err.Error(), code)
		return
	}
	writePage(w, code, body)
}

// flashCookie is the cookie that carries a message from a form to the page after it.
const flashCookie = "dowse-note"

// setFlash has the next page show a message.
func setFlash(w http.ResponseWriter, text string) {
	if text != "" {
		http.SetCookie(w, &http.Cookie{Name: flashCookie, Value: base64.RawURLEncoding.EncodeToString([]byte(plain.Cut(text, 900))), Path: "/", MaxAge: 20, HttpOnly: true, SameSite: http.SameSiteStrictMode})
	}
}

// flashOf returns the message of the last form, once.
func flashOf(w http.ResponseWriter, r *http.Request) string {
	c, err := r.Cookie(flashCookie)
	if err != nil {
		return ""
	}
	http.SetCookie(w, &http.Cookie{Name: flashCookie, Path: "/", MaxAge: -1, HttpOnly: true, SameSite: http.SameSiteStrictMode})
	text, err := base64.RawURLEncoding.DecodeString(c.Value)
	if err != nil {
		return ""
	}
	return tidy(string(text), 400)
}

// back returns the page that a form came from, if it is one of this collection.
func back(r *http.Request, c *head, other string) string {
	if next := r.PostFormValue("back"); strings.HasPrefix(next, c.Home) && !strings.ContainsAny(next, "\\\r\n") {
		return next
	}
	return c.Home + other
}

// A liveCache keeps pages for a moment, so that many viewers of one running crawl cost as much as one. A page that
// several viewers want in the same moment is made once, and the others wait for it.
type liveCache struct {
	mu      sync.Mutex
	list    map[string]cachedPage
	making  map[string]chan struct{} // closed when the page is made
	changes int                      // how often all pages were forgotten
}

type cachedPage struct {
	body []byte
	till time.Time
}

// Bounds of the cache.
const (
	liveTime  = 900 * time.Millisecond
	livePages = 32
)

// begin returns a page that was made a moment ago, or is being made. If there is none, body is nil: the caller makes the
// page and calls end with it, with nil if that failed.
func (l *liveCache) begin(ctx context.Context, key string, now func() time.Time) (body []byte, end func([]byte)) {
	for {
		l.mu.Lock()
		if p, ok := l.list[key]; ok && now().Before(p.till) {
			l.mu.Unlock()
			return p.body, nil
		}
		wait := l.making[key]
		if wait == nil {
			defer l.mu.Unlock()
			return nil, l.claim(key, now)
		}
		l.mu.Unlock()
		select {
		case <-wait:
		case <-ctx.Done():
			return nil, func([]byte) {}
		}
	}
}

// claim has others wait for a page until the function that it returns is called. It is called with the lock held.
func (l *liveCache) claim(key string, now func() time.Time) func([]byte) {
	if l.making == nil {
		l.making = map[string]chan struct{}{}
	}
	made, changes := make(chan struct{}), l.changes
	l.making[key] = made
	return func(body []byte) {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.making, key)
		close(made)
		if body == nil || l.changes != changes { // what it shows may have changed while it was made
			return
		}
		if l.list == nil || len(l.list) >= livePages {
			l.list = map[string]cachedPage{}
		}
		l.list[key] = cachedPage{body, now().Add(liveTime)}
	}
}

// clear forgets all pages: a form has changed something.
func (l *liveCache) clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.changes++
	clear(l.list)
}
