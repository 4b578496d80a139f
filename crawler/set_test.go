package crawler_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"dowse"
	"dowse/collection"
	"dowse/crawl"
	"dowse/crawler"
	"dowse/settings"
)

// A shopSite has pages in a row, each with a link to a page of a shop. At the page
// numbered at, it waits for the channel before it answers.
type shopSite struct {
	*httptest.Server
	at     string
	asked  chan struct{} // is closed when the page at is requested
	answer chan struct{} // the page at is answered when this is closed

	mu    sync.Mutex
	paths []string
}

func newShopSite(t *testing.T, at string) *shopSite {
	s := &shopSite{at: at, asked: make(chan struct{}), answer: make(chan struct{})}
	var once sync.Once
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		s.mu.Lock()
		s.paths = append(s.paths, r.URL.Path)
		s.mu.Unlock()
		if r.URL.Path == s.at {
			once.Do(func() { close(s.asked) })
			<-s.answer
		}
		n := 0
		_, _ = fmt.Sscanf(r.URL.Path, "/%d", &n)
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<html lang=en><title>Coral %[1]d</title><p>coral word%[1]d other%[1]d`, n)
		if n < 12 && !strings.HasPrefix(r.URL.Path, "/shop") {
			fmt.Fprintf(w, ` <a href=/shop/%d>coral shop</a> <a href=/%d>coral</a>`, n, n+1)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// shops returns how many pages of the shop were requested so far.
func (s *shopSite) shops() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.paths {
		if strings.HasPrefix(p, "/shop") {
			n++
		}
	}
	return n
}

// soundAs opens a collection to read, verifies that a replay of its journal gives the saved
// state, and returns it.
func soundAs(t *testing.T, dir string) *crawler.Crawler {
	t.Helper()
	v, err := crawler.View(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { v.Close() })
	if r, err := v.Verify(nil); err != nil || len(r.Problems) > 0 {
		t.Errorf("verified: %+v, %v", r, err)
	}
	return v
}

// TestSetWhileItRuns excludes a folder, and changes politeness and limits, while a crawl runs
// and waits for an answer. No URL of the folder is visited from then on, why names the
// pattern, and the journal has the changes. Taking the exclusion back queues what it left out.
func TestSetWhileItRuns(t *testing.T) {
	site := newShopSite(t, "/3")
	cfg := local
	cfg.Words, cfg.Seeds, cfg.InFlight = []string{"coral"}, []string{site.URL + "/0"}, 1
	cfg.Settings.Strategy = "breadth-first"
	dir := filepath.Join(t.TempDir(), "x.dowse")
	cr, err := crawler.Open(dir, cfg)
	if err != nil {
		t.Fatal(err)
	}
	before := 0
	var failed error
	go func() {
		defer close(site.answer)
		<-site.asked
		before = site.shops()
		for _, w := range []crawler.Wanted{
			{Settings: settings.Settings{Scope: settings.Scope{Exclude: []string{"/shop/"}}}},
			{Settings: settings.Settings{Politeness: settings.Politeness{MaxRate: 500}, Limits: settings.Limits{PerHost: 9}}},
		} {
			if r, err := crawler.Set(t.Context(), dir, w); err != nil || len(r.Changes) == 0 {
				failed = errors.Join(failed, fmt.Errorf("%+v: %w", r, err))
			}
		}
	}()
	for range cr.Crawl(t.Context()) {
	}
	if err := errors.Join(failed, cr.Err(), cr.Close()); err != nil {
		t.Fatal(err)
	}
	if after := site.shops(); after != before {
		t.Errorf("%d pages of the shop were requested after the exclusion", after-before)
	}
	v := soundAs(t, dir)
	if got := v.Status().Fetched; got != 9 {
		t.Errorf("fetched %d pages, want 9, which is the limit of the host", got)
	}
	why, err := v.Collection.Why(dowse.URL(site.URL + "/shop/4"))
	if err != nil || why.Row.Reason != dowse.SkipScopeExclude || why.Row.Detail != "exclude /shop/" {
		t.Errorf("why: %s, %q, %v", why.Row.Reason, why.Row.Detail, err)
	}
	var texts []string
	for e, err := range v.Collection.Journal.Scan(0, nil) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == crawl.EntryRequeue {
			texts = append(texts, e.Text)
		}
	}
	if got := strings.Join(texts, "; "); got != "set exclude unset → /shop/; set per_host unset → 9, max_rate unset → 500/s" {
		t.Errorf("the journal has %q", got)
	}
	s, err := collection.ReadSettings(dir)
	if err != nil || s.PerHost != 9 || s.MaxRate != 500 || len(s.Exclude) != 1 {
		t.Errorf("kept %+v, %v", s.Settings, err)
	}
	r, err := crawler.Set(t.Context(), dir, crawler.Wanted{Drop: []string{"/shop/"}, Reset: []string{"per-host"}})
	if err != nil || len(r.Changes) != 2 {
		t.Fatalf("taken back: %+v, %v", r, err)
	}
	if soundAs(t, dir).Status().Books.Queued == 0 {
		t.Error("nothing waits after the exclusion was taken back")
	}
	crawlAll(t, dir, local)
	if got := site.shops(); got != 12 {
		t.Errorf("%d pages of the shop were requested in the end, want all 12", got)
	}
	soundAs(t, dir)
}

// TestSetNarrows gives a crawl that runs patterns to match, where it had none, and a narrower reach. Nothing is decided
// again, no other URL is visited from then on, and what is left out waits again when it is taken back.
func TestSetNarrows(t *testing.T) {
	site := newShopSite(t, "/3")
	cfg := local
	cfg.Words, cfg.Seeds, cfg.InFlight = []string{"coral"}, []string{site.URL + "/0"}, 1
	cfg.Settings.Strategy = "breadth-first"
	dir := filepath.Join(t.TempDir(), "x.dowse")
	cr, err := crawler.Open(dir, cfg)
	if err != nil {
		t.Fatal(err)
	}
	before := 0
	var record crawler.SetRecord
	var failed error
	go func() {
		defer close(site.answer)
		<-site.asked
		before = site.shops()
		record, failed = crawler.Set(t.Context(), dir, crawler.Wanted{Settings: settings.Settings{Scope: settings.Scope{Include: []string{"/[0-9]+$", "/x$"}, Exclude: []string{"/shop/"}, Reach: "host"}}})
	}()
	for range cr.Crawl(t.Context()) {
	}
	if err := errors.Join(failed, cr.Err(), cr.Close()); err != nil {
		t.Fatal(err)
	}
	if after := site.shops(); after != before {
		t.Errorf("%d pages of the shop were requested after the change", after-before)
	}
	if notes := strings.Join(record.Notes, "; "); strings.Contains(notes, "ranked again") {
		t.Errorf("all was decided again: %s", notes)
	}
	s, err := collection.ReadSettings(dir)
	if got := strings.Join(s.Late, ", "); err != nil || got != "exclude /shop/, include /[0-9]+$, include /x$, reach web" {
		t.Errorf("late: %q, %v", got, err)
	}
	soundAs(t, dir)
	r, err := crawler.Set(t.Context(), dir, crawler.Wanted{Drop: []string{"/[0-9]+$", "/x$", "/shop/"}, Reset: []string{"scope"}})
	if err != nil || len(r.Changes) != 3 || strings.Contains(strings.Join(r.Notes, "; "), "ranked again") {
		t.Fatalf("taken back: %+v, %v", r, err)
	}
	if s, err = collection.ReadSettings(dir); err != nil || len(s.Late) != 0 {
		t.Errorf("late: %q, %v", s.Late, err)
	}
	crawlAll(t, dir, local)
	if got := site.shops(); got != 12 {
		t.Errorf("%d pages of the shop were requested in the end, want all 12", got)
	}
	soundAs(t, dir)
	if r, err = crawler.Set(t.Context(), dir, crawler.Wanted{Settings: settings.Settings{Scope: settings.Scope{Reach: "host"}}}); err != nil {
		t.Fatal(err)
	}
	cfg = local
	cfg.Settings.Scope.Reach = "prefix" // a resumed crawl decides all again, and nothing is late afterwards
	crawlAll(t, dir, cfg)
	if s, err = collection.ReadSettings(dir); err != nil || len(s.Late) != 0 || s.Reach != "prefix" {
		t.Errorf("reach %s, late: %q, %v", s.Reach, s.Late, err)
	}
	soundAs(t, dir)
}

// TestSetIsNotLost asks a process that has a collection open and does not crawl: the request
// waits. The next run makes the change before its first visit.
func TestSetIsNotLost(t *testing.T) {
	site := newShopSite(t, "")
	close(site.answer)
	cfg := local
	cfg.Words, cfg.Seeds = []string{"coral"}, []string{site.URL + "/0"}
	dir := filepath.Join(t.TempDir(), "x.dowse")
	cr, err := crawler.Open(dir, cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	want := crawler.Wanted{Settings: settings.Settings{Limits: settings.Limits{Pages: 1}}}
	if _, err := crawler.Set(ctx, dir, want); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that it waits", err)
	}
	if err := cr.Close(); err != nil {
		t.Fatal(err)
	}
	crawlAll(t, dir, local)
	if got := soundAs(t, dir).Status().Fetched; got != 1 {
		t.Errorf("fetched %d pages, want 1", got)
	}
	list, err := crawler.SetRecords(dir)
	if err != nil || len(list) != 1 || list[0].Error != "" {
		t.Errorf("the log has %+v, %v", list, err)
	}
}

// TestSetRefusesBlocks checks that a block which no URL could match is refused with what to give.
func TestSetRefusesBlocks(t *testing.T) {
	for text, want := range map[string]string{
		"nonsense host!":         "want a name such as",
		"http://127.0.1.3:8400/": "want a host: 127.0.1.3:8400",
		"https://Ads.test/x":     "want a host: ads.test",
		"ads.test/shop":          "want a host: ads.test",
		"ads.test:443":           "want a host: ads.test",
		"ads.test:80":            "want a host: ads.test",
	} {
		_, err := crawler.Set(t.Context(), t.TempDir(), crawler.Wanted{Settings: settings.Settings{Scope: settings.Scope{Block: []string{text}}}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("block %q: %v, want an error with %q", text, err, want)
		}
	}
}

// TestSetRefuses puts requests into a collection that no person may make in this way, or
// that are none. They are refused, removed and logged, and change nothing.
func TestSetRefuses(t *testing.T) {
	site := newShopSite(t, "")
	close(site.answer)
	cfg := local
	cfg.Words, cfg.Seeds, cfg.Pages = []string{"coral"}, []string{site.URL + "/0"}, 1
	dir := filepath.Join(t.TempDir(), "x.dowse")
	crawlAll(t, dir, cfg)
	before, err := os.ReadFile(filepath.Join(dir, "crawl.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range []string{
		`{"settings":{"AllowNet":["10.0.0.0/8"]}}`, `{"settings":{"Contact":"x"}}`, `{"reset":["allow-net"]}`,
		`{"settings":{"Strategy":"fish"}}`, `{"settings":{"Exclude":["("]}}`, `{"settings":{"Pages":-1}}`, `not JSON`, `{"unknown":1}`,
	} {
		name := filepath.Join(dir, "state", fmt.Sprintf("set-%d.json", i))
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	crawlAll(t, dir, local)
	list, err := crawler.SetRecords(dir)
	if err != nil || len(list) != 8 {
		t.Fatalf("%d records, %v", len(list), err)
	}
	for _, r := range list {
		if r.Error == "" {
			t.Errorf("%s was not refused: %v", r.Request, r.Changes)
		}
	}
	if after, err := os.ReadFile(filepath.Join(dir, "crawl.yaml")); err != nil || string(after) != string(before) {
		t.Errorf("settings changed: %s, %v", after, err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "state", "set-*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// toThreshold returns the wish for another threshold.
func toThreshold(x float64) (w crawler.Wanted) {
	w.Settings.Threshold = x
	return w
}

// TestSetThresholdWhileItRuns raises the threshold of a crawl that waits for an answer. Nothing is decided
// again, the pages that were visited change sides, and so does what comes after.
func TestSetThresholdWhileItRuns(t *testing.T) {
	site := newShopSite(t, "/3")
	cfg := local
	cfg.Words, cfg.Seeds, cfg.InFlight = []string{"coral"}, []string{site.URL + "/0"}, 1
	cfg.Settings.Strategy = "breadth-first"
	dir := filepath.Join(t.TempDir(), "x.dowse")
	cr, err := crawler.Open(dir, cfg)
	if err != nil {
		t.Fatal(err)
	}
	var record crawler.SetRecord
	var failed error
	go func() {
		defer close(site.answer)
		<-site.asked
		record, failed = crawler.Set(t.Context(), dir, toThreshold(1))
	}()
	for range cr.Crawl(t.Context()) {
	}
	if err := errors.Join(failed, cr.Err(), cr.Close()); err != nil {
		t.Fatal(err)
	}
	if notes := strings.Join(record.Notes, "; "); !strings.Contains(notes, "changed sides") || strings.HasPrefix(notes, "0 ") || strings.Contains(notes, "ranked again") {
		t.Errorf("notes: %s", notes)
	}
	v := soundAs(t, dir)
	if got := v.Status(); got.OnTopic != 0 || got.Fetched < 20 {
		t.Errorf("%d of %d pages are on topic", got.OnTopic, got.Fetched)
	}
}

// TestSetThreshold changes the threshold of a crawl to more, to less and back, between its runs. Nothing is decided
// again, lists and counts agree, and a replay of the journal gives the same. A resume with another threshold
// decides all again, as if it had been given from the beginning.
func TestSetThreshold(t *testing.T) {
	sameGoroutines(t)
	for _, strategy := range []string{"auto", "link-context"} {
		dir := filepath.Join(t.TempDir(), "x.dowse")
		onward(t, dir, poolsWith(strategy, 30))
		for i, x := range []float64{0.9, 0.2, 0.5} {
			r, err := crawler.Set(t.Context(), dir, toThreshold(x))
			if notes := strings.Join(r.Notes, "; "); err != nil || !strings.Contains(notes, "changed sides") || strings.Contains(notes, "ranked again") {
				t.Fatalf("threshold %g: %v, %v", x, r, err)
			}
			cfg := poolsWith(strategy, 50+20*i)
			cfg.Topic, cfg.Seeds = nil, nil
			onward(t, dir, cfg)
			if s, err := collection.ReadSettings(dir); err != nil || len(s.Late) != 1 || !strings.HasPrefix(s.Late[0], "threshold 0.5 from ") {
				t.Errorf("%s: late: %q, %v", strategy, s.Late, err)
			}
		}
		cfg := poolsWith(strategy, 110)
		cfg.Topic, cfg.Seeds, cfg.Settings.Threshold = nil, nil, 0.4
		onward(t, dir, cfg)
		if s, err := collection.ReadSettings(dir); err != nil || len(s.Late) != 0 || s.Threshold != 0.4 {
			t.Errorf("%s: threshold %g, late: %q, %v", strategy, s.Threshold, s.Late, err)
		}
	}
}
