package operations_test

import (
	"context"
	"errors"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/demo"
	"dowse/internal/durable"
	"dowse/internal/facts"
	"dowse/internal/operations"
	"dowse/settings"
	"dowse/topic"
	"dowse/weburl"
)

const madePages = 120

var madeWeb = sync.OnceValue(func() *demo.Web { return demo.New(demo.Config{Latency: -1, SlowLatency: -1}) })

// openMade opens a crawl of the synthetic web in dir, which ends after the given number of pages.
func openMade(t testing.TB, dir string, pages int) *crawler.Crawler {
	t.Helper()
	web := madeWeb()
	tp, _ := web.Topic("tide pools")
	var seeds []string
	for _, u := range web.Seeds("tide pools", 3) {
		seeds = append(seeds, string(u))
	}
	for site := range web.Sites() {
		switch site.Kind {
		case demo.Calendar, demo.Closed, demo.Moved, demo.Mirror, demo.Forum:
			seeds = append(seeds, "http://"+site.Host+"/")
		}
	}
	c, err := crawler.Open(dir, crawler.Config{
		Topic: &topic.Topic{Name: "pools", Words: tp.Words, Also: tp.Also, Not: tp.Not}, Seeds: seeds,
		Settings: settings.Settings{
			Order: settings.Order{Strategy: "link-context"}, Contrast: "everyday", Scope: settings.Scope{Exclude: []string{`/shop/`}},
			Limits: settings.Limits{Pages: pages, PerHost: 15, Depth: 4}, Identity: settings.Identity{Agent: "poolbot", Contact: "https://example.org/bot"},
			Politeness: settings.Politeness{Delay: -1, InFlight: 1},
		}, Transport: web.RoundTripper(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// crawlMade crawls the synthetic web into dir until it has the given number of pages.
func crawlMade(t testing.TB, dir string, pages int) {
	t.Helper()
	c := openMade(t, dir, pages)
	for range c.Crawl(context.Background()) {
	}
	if err := c.Err(); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

var (
	made     = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "dowse-operations-test-*") })
	madeOnce sync.Once
)

// sameGoroutines skips a test in short runs, which look for races: its goroutines are those of
// other tests, here or in package api.
func sameGoroutines(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("short: other tests have the same goroutines")
	}
}

func TestMain(m *testing.M) {
	durable.UsualFloor = 1 << 20 // tests run on any disk
	code := m.Run()
	if dir, err := made(); err == nil {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

// copied returns a folder with a copy of a collection of the synthetic web, pools.dowse, which is
// crawled once for all tests.
func copied(t testing.TB) string {
	t.Helper()
	root, err := made()
	if err != nil {
		t.Fatal(err)
	}
	madeOnce.Do(func() { crawlMade(t, filepath.Join(root, "pools.dowse"), madePages) })
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(root)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// over returns the operations over folders, which are closed at the end of the test.
func over(t testing.TB, cfg operations.Config) *operations.Operations {
	t.Helper()
	o, err := operations.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := o.Close(); err != nil {
			t.Error(err)
		}
	})
	return o
}

var bg = context.Background()

// TestListsAreThoseOfTheCollection compares the lists of pages, read in parts of seven, with those that
// package collection makes, for every filter and order that both have.
func TestListsAreThoseOfTheCollection(t *testing.T) {
	dir := copied(t)
	o := over(t, operations.Config{Dirs: []string{dir}})
	cr, err := crawler.View(filepath.Join(dir, "pools.dowse"))
	if err != nil {
		t.Fatal(err)
	}
	defer cr.Close()
	host := ""
	for row := range cr.Collection.Pages(collection.Filter{Limit: 1}) {
		host = weburl.Hostname(row.URL)
	}
	for _, x := range []struct {
		q operations.PageQuery
		f collection.Filter
	}{
		{operations.PageQuery{Sort: "fetched"}, collection.Filter{}},
		{operations.PageQuery{}, collection.Filter{Sort: collection.ByTime}},
		{operations.PageQuery{Sort: "score"}, collection.Filter{Sort: collection.ByScore}},
		{operations.PageQuery{Sort: "score", Verdict: "on"}, collection.Filter{Sort: collection.ByScore, On: true}},
		{operations.PageQuery{Sort: "fetched", Verdict: "off"}, collection.Filter{Off: true}},
		{operations.PageQuery{Sort: "uncertainty", Verdict: "unsure"}, collection.Filter{Sort: "uncertainty", Unsure: true}},
		{operations.PageQuery{Sort: "surprise"}, collection.Filter{Sort: "surprise"}},
		{operations.PageQuery{Sort: "fetched", Host: host}, collection.Filter{Host: host}},
		{operations.PageQuery{Sort: "fetched", Failed: true}, collection.Filter{Failed: true}},
		{operations.PageQuery{Sort: "fetched", Skipped: "any"}, collection.Filter{Skipped: "any"}},
		{operations.PageQuery{Sort: "fetched", Skipped: "scope"}, collection.Filter{Skipped: "scope"}},
	} {
		want := map[dowse.URL]bool{}
		var first []float64
		for row, err := range cr.Collection.Pages(x.f) {
			if err != nil {
				t.Fatal(err)
			}
			want[row.URL] = true
			first = append(first, row.Relevance())
		}
		got := map[dowse.URL]bool{}
		var keys []float64
		q := x.q
		q.Limit = 7
		total := -1
		for {
			list, err := o.Pages(bg, "pools", q)
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range list.Pages {
				if got[row.URL] {
					t.Errorf("%+v: %s comes twice", x.q, row.URL)
				}
				got[row.URL] = true
				keys = append(keys, row.Relevance())
			}
			if list.Total != nil {
				total = *list.Total
			}
			if q.Cursor = list.Next; q.Cursor == "" {
				break
			}
		}
		if len(want) == 0 || !maps.Equal(got, want) || total != len(want) {
			t.Errorf("%+v: got %d rows, total %d, want %d", x.q, len(got), total, len(want))
		}
		if x.q.Sort == "score" && !slices.Equal(keys, first) {
			t.Errorf("%+v: another order", x.q)
		}
	}
}

// TestConditions checks the conditions that are looked up in each row.
func TestConditions(t *testing.T) {
	o := over(t, operations.Config{Dirs: []string{copied(t)}})
	all := func(q operations.PageQuery) (list []*facts.Row) {
		t.Helper()
		for q.Limit = 9; ; {
			part, err := o.Pages(bg, "pools", q)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, part.Pages...)
			if q.Cursor = part.Next; q.Cursor == "" {
				return list
			}
		}
	}
	pages := all(operations.PageQuery{})
	count := func(meets func(*facts.Row) bool) (n int) {
		for _, r := range pages {
			if meets(r) {
				n++
			}
		}
		return n
	}
	word := strings.ToLower(pages[0].Title)
	word, _, _ = strings.Cut(word, " ")
	middle := pages[len(pages)/2].Fetch.At
	reason := pages[0].Page.Verdict.Because[0].What
	for name, x := range map[string]struct {
		q    operations.PageQuery
		want func(*facts.Row) bool
	}{
		"text": {operations.PageQuery{Text: strings.ToUpper(word)}, func(r *facts.Row) bool {
			return strings.Contains(strings.ToLower(r.Title), word) || strings.Contains(string(r.URL), word)
		}},
		"language": {operations.PageQuery{Language: "en", Sort: "score"}, func(r *facts.Row) bool { return r.Language == "en" }},
		"none":     {operations.PageQuery{Language: "tlh"}, func(*facts.Row) bool { return false }},
		"reason": {operations.PageQuery{Reason: reason}, func(r *facts.Row) bool {
			return slices.ContainsFunc(r.Page.Verdict.Because, func(b dowse.Because) bool { return strings.Contains(b.What, reason) })
		}},
		"model": {operations.PageQuery{Model: pages[0].Page.Verdict.Judge}, func(r *facts.Row) bool { return r.Page.Verdict.Judge == pages[0].Page.Verdict.Judge }},
		"since": {operations.PageQuery{Since: middle}, func(r *facts.Row) bool { return !r.Fetch.At.Before(middle) }},
	} {
		got := all(x.q)
		want := count(x.want)
		if name == "since" { // visits are recorded in the order of their ends
			if len(got) < want-2 || len(got) > want+2 {
				t.Errorf("since: %d rows, want about %d", len(got), want)
			}
			continue
		}
		if len(got) != want || name != "none" && want == 0 {
			t.Errorf("%s: %d rows, want %d", name, len(got), want)
		}
	}
}

// TestDamagedJournals asks for everything of collections whose journal is forged in many places. No
// question may panic, and what can't be read must not take the rest with it.
func TestDamagedJournals(t *testing.T) {
	sameGoroutines(t)
	dir := copied(t)
	names, err := filepath.Glob(filepath.Join(dir, "pools.dowse", "state", "journal-*.log"))
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	whole, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 1))
		forged := slices.Clone(whole)
		for range 1 + seed {
			at := 8 + r.IntN(len(forged)-8)
			switch seed % 3 {
			case 0:
				forged[at] ^= byte(1 + r.IntN(255))
			case 1:
				clear(forged[at:min(len(forged), at+r.IntN(300))])
			case 2:
				copy(forged[at:], forged[r.IntN(at):at])
			}
		}
		if seed == 7 {
			forged = forged[:len(forged)/2]
		}
		if err := os.WriteFile(names[0], forged, 0o644); err != nil {
			t.Fatal(err)
		}
		o, err := operations.New(operations.Config{Dirs: []string{dir}})
		if err != nil {
			t.Fatal(err)
		}
		failed := askAll(o)
		if err := o.Close(); err != nil {
			t.Error(err)
		}
		t.Logf("seed %d: %d questions had no answer", seed, failed)
	}
}

// askAll asks every question and returns how many had no answer.
func askAll(o *operations.Operations) (failed int) {
	count := func(err error) {
		if err != nil {
			failed++
		}
	}
	_, err := o.Collections(bg, operations.CountWait)
	count(err)
	_, err = o.Status(bg, "pools")
	count(err)
	list, err := o.Pages(bg, "pools", operations.PageQuery{Limit: 12})
	count(err)
	if err == nil {
		for _, p := range list.Pages {
			_, err = o.Page(bg, "pools", string(p.URL))
			count(err)
			_, err = o.Why(bg, "pools", string(p.URL), true)
			count(err)
		}
	}
	for _, q := range []operations.PageQuery{{Skipped: "any"}, {Failed: true, Sort: "host"}, {Text: "a"}, {Since: time.Unix(1, 0)}} {
		_, err = o.Pages(bg, "pools", q)
		count(err)
	}
	_, err = o.Frontier(bg, "pools", operations.FrontierQuery{})
	count(err)
	_, err = o.Hosts(bg, "pools", operations.HostQuery{})
	count(err)
	_, err = o.Problems(bg, "pools")
	count(err)
	_, err = o.Series(bg, "pools", operations.SeriesQuery{})
	count(err)
	for _, after := range []string{"0", "8", "5000"} {
		_, err = o.Events(bg, "pools", after, 500)
		count(err)
	}
	_, err = o.Graph(bg, "pools", 10)
	count(err)
	_, err = o.Sites(bg, "pools", operations.SiteQuery{})
	count(err)
	_, err = o.Queue(bg, "pools", "audit", 5)
	count(err)
	_, err = o.Measures(bg)
	count(err)
	count(o.Decisions(bg, "pools", time.Time{}, io.Discard))
	return failed
}

// TestForgottenPagesAreGone takes a page down and looks for it everywhere.
func TestForgottenPagesAreGone(t *testing.T) {
	o := over(t, operations.Config{Dirs: []string{copied(t)}, SearchKey: func() []byte { return []byte("0123456789abcdef") }})
	list, err := o.Pages(bg, "pools", operations.PageQuery{Limit: 1, Verdict: "on"})
	if err != nil {
		t.Fatal(err)
	}
	gone := list.Pages[0].URL
	if _, err := searched(o, "anemone"); err != nil {
		t.Fatal(err)
	}
	if _, err := o.Forget(bg, "pools", operations.ForgetRequest{URLs: []string{string(gone)}, Because: "asked"}); err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for q := (operations.PageQuery{Limit: 100}); ; {
		list, err := o.Pages(bg, "pools", q)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range list.Pages {
			all.WriteString(string(p.URL) + "\n")
		}
		if q.Cursor = list.Next; q.Cursor == "" {
			break
		}
	}
	events, err := o.Events(bg, "pools", "0", 500)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		all.WriteString(string(e.URL) + "\n" + string(e.Target) + "\n")
	}
	if err := o.Decisions(bg, "pools", time.Time{}, &all); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(all.String(), string(gone)+"\n") || strings.Contains(all.String(), `"`+string(gone)+`"`) {
		t.Error("it is still listed")
	}
	if _, err := o.Page(bg, "pools", string(gone)); operations.KindOf(err) != operations.NotFound && err != nil {
		t.Errorf("%v", err)
	}
}

// TestReadOnlyRefusesChanges calls every change of operations that only read.
func TestReadOnlyRefusesChanges(t *testing.T) {
	o := over(t, operations.Config{Dirs: []string{copied(t)}, ReadOnly: true})
	calls := map[string]error{}
	_, calls["Set"] = o.Set(bg, "pools", operations.SetRequest{Reset: []string{"pages"}})
	_, calls["Label"] = o.Label(bg, "pools", operations.LabelRequest{Train: true})
	_, calls["Train"] = o.Train(bg, "pools", false)
	_, calls["Undo"] = o.Undo(bg, "pools", "", "")
	_, calls["Stop"] = o.Stop(bg, "pools", 0)
	_, calls["Start"] = o.Start(bg, operations.StartRequest{Words: []string{"x"}})
	_, calls["Continue"] = o.Continue(bg, "pools", nil)
	_, calls["Forget"] = o.Forget(bg, "pools", operations.ForgetRequest{Host: "x", Because: "y"})
	for name, err := range calls {
		if operations.KindOf(err) != operations.Refused {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestNewCollectionsAppear creates and removes a collection in a folder that is being read.
func TestNewCollectionsAppear(t *testing.T) {
	dir := t.TempDir()
	now, pass := clock()
	o := over(t, operations.Config{Dirs: []string{dir}, Now: now})
	if _, err := o.Status(bg, "pools"); operations.KindOf(err) != operations.NotFound {
		t.Errorf("%v", err)
	}
	if err := os.CopyFS(filepath.Join(dir, "pools.dowse"), os.DirFS(filepath.Join(copied(t), "pools.dowse"))); err != nil {
		t.Fatal(err)
	}
	if st, err := o.Status(bg, "pools"); err != nil || st.Fetched != madePages {
		t.Fatalf("%+v, %v", st, err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "pools.dowse")); err != nil {
		t.Fatal(err)
	}
	for name, ask := range map[string]func() error{ // also what this process still has in memory
		"pages":  func() error { _, err := o.Pages(bg, "pools", operations.PageQuery{}); return err },
		"labels": func() error { _, err := o.Labels(bg, "pools"); return err },
		"search": func() error {
			_, err := o.Search(bg, []string{"pools"}, operations.SearchQuery{Query: "tide"})
			return err
		},
	} {
		if err := ask(); operations.KindOf(err) != operations.NotFound || !strings.Contains(err.Error(), "moved or removed") {
			t.Errorf("%s, after it was removed: %v", name, err)
		}
	}
	pass(time.Minute)
	if _, err := o.Status(bg, "pools"); operations.KindOf(err) != operations.NotFound {
		t.Errorf("after it was removed: %v", err)
	}
	if list, err := o.Collections(bg, operations.CountWait); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
}

// clock returns a clock that stands still and what moves it. Views are made in the background, which asks for the time, too.
func clock() (now func() time.Time, pass func(time.Duration)) {
	start, since := time.Now(), new(atomic.Int64)
	return func() time.Time { return start.Add(time.Duration(since.Load())) }, func(d time.Duration) { since.Add(int64(d)) }
}

// TestAnswersAreNotOld asks after a long time without questions. Views that are slow to make answer while another one is made, but
// not those of an hour ago, and of a crawl that has ended none that is not the last.
func TestAnswersAreNotOld(t *testing.T) {
	dir := copied(t)
	now, pass := clock()
	o := over(t, operations.Config{Dirs: []string{dir}, Now: now})
	fetched := func() int {
		t.Helper()
		st, err := o.Status(bg, "pools")
		if err != nil {
			t.Fatal(err)
		}
		return st.Fetched
	}
	before := fetched()
	o.SlowView(t, "pools")
	c, more := openMade(t, filepath.Join(dir, "pools.dowse"), madePages+40), 0
	for range c.Crawl(bg) {
		if more++; more != 20 {
			continue
		}
		pass(31 * time.Second) // a view of a second is used for half a minute
		if got := fetched(); got != before {
			t.Errorf("while the view is made again: got %d pages, want %d, as before", got, before)
		}
		pass(time.Hour)
		o.SlowView(t, "pools")
		if got := fetched(); got < before+19 {
			t.Errorf("an hour later, while the crawl runs: got %d pages, want %d", got, before+20)
		}
		o.SlowView(t, "pools")
	}
	if err := errors.Join(c.Err(), c.Close()); err != nil {
		t.Fatal(err)
	}
	pass(31 * time.Second)
	if got := fetched(); got != madePages+40 {
		t.Errorf("after the crawl has ended: got %d pages, want %d", got, madePages+40)
	}
}

// TestManyReaders asks concurrently while a crawl runs and views are made again.
func TestManyReaders(t *testing.T) {
	dir := t.TempDir()
	cr := openMade(t, filepath.Join(dir, "pools.dowse"), 60)
	defer cr.Close()
	o := over(t, operations.Config{Dirs: []string{dir}})
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if n := askAll(o); n > 3 { // events that do not exist
					t.Errorf("%d questions had no answer", n)
					return
				}
			}
		})
	}
	events := 0
	ctx, cancel := context.WithCancel(bg)
	readers.Go(func() {
		_ = o.Follow(ctx, "pools", "0", func(list []operations.Event) error {
			for _, e := range list {
				if e.Event == operations.EventPage {
					if events++; events == 60 {
						cancel()
					}
				}
			}
			return nil
		})
	})
	for range cr.Crawl(bg) {
	}
	if err := cr.Err(); err != nil {
		t.Fatal(err)
	}
	close(done)
	<-ctx.Done()
	readers.Wait()
	cancel()
	if events != 60 {
		t.Errorf("%d events of pages, want 60", events)
	}
}

// TestCursorsAndIDs checks that what callers send back is not trusted.
func TestCursorsAndIDs(t *testing.T) {
	o := over(t, operations.Config{Dirs: []string{copied(t)}})
	list, err := o.Pages(bg, "pools", operations.PageQuery{Limit: 2, Sort: "score"})
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []operations.PageQuery{{Sort: "time", Cursor: list.Next}, {Cursor: "@@@"}, {Cursor: "bnVsbA"}, {Cursor: strings.Repeat("A", 5000)}} {
		if _, err := o.Pages(bg, "pools", q); operations.KindOf(err) != operations.Invalid {
			t.Errorf("%+v: %v", q, err)
		}
	}
	for _, id := range []string{"", "..", "../pools", "pools.dowse", "pools/", "\x00"} {
		if _, err := o.Status(bg, id); operations.KindOf(err) != operations.NotFound {
			t.Errorf("%q: %v", id, err)
		}
	}
}

// TestCompareWithItself compares a collection with a copy of itself.
func TestCompareWithItself(t *testing.T) {
	dir := copied(t)
	if err := os.CopyFS(filepath.Join(dir, "twin.dowse"), os.DirFS(filepath.Join(dir, "pools.dowse"))); err != nil {
		t.Fatal(err)
	}
	o := over(t, operations.Config{Dirs: []string{dir}})
	if _, err := o.Set(bg, "twin", operations.SetRequest{Set: map[string][]string{"delay": {"3s"}}}); err != nil {
		t.Fatal(err)
	}
	x, err := o.Compare(bg, []string{"pools", "twin"})
	if err != nil {
		t.Fatal(err)
	}
	p := x.Pairs[0]
	if p.OnlyA != 0 || p.OnlyB != 0 || p.Both != x.Collections[0].OnTopic || p.Both == 0 || p.Estimated {
		t.Errorf("%+v", p)
	}
	if len(x.Differ) != 1 || x.Differ[0].Setting != "delay" || x.Differ[0].Values[1] != "3s" {
		t.Errorf("%+v", x.Differ)
	}
}

// TestExplanationsAreBounded explains a page of a collection whose journal is longer than the bound: the
// answer says that it is partial, and that of the command line is not.
func TestExplanationsAreBounded(t *testing.T) {
	sameGoroutines(t)
	dir := t.TempDir()
	makeLarge(t, filepath.Join(dir, "large.dowse"), 12_000)
	o := over(t, operations.Config{Dirs: []string{dir}})
	list, err := o.Pages(bg, "large", operations.PageQuery{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	u := list.Pages[0].URL
	here, err := o.Why(bg, "large", string(u), false)
	if err != nil {
		t.Fatal(err)
	}
	cr, err := crawler.View(filepath.Join(dir, "large.dowse"))
	if err != nil {
		t.Fatal(err)
	}
	defer cr.Close()
	there, err := cr.Collection.Why(u)
	if err != nil {
		t.Fatal(err)
	}
	size := cr.Collection.Journal.End()
	if !here.Partial || there.Partial || here.Judged.Relevance != there.Judged.Relevance || size < 5<<20 {
		t.Errorf("partial %v and %v, of a journal of %d bytes", here.Partial, there.Partial, size)
	}
}

// TestSitesAreThoseOfTheCommandLine compares the sites that are grouped from the columns with those that the
// command line groups from the pages.
func TestSitesAreThoseOfTheCommandLine(t *testing.T) {
	dir := copied(t)
	o := over(t, operations.Config{Dirs: []string{dir}})
	cr, err := crawler.View(filepath.Join(dir, "pools.dowse"))
	if err != nil {
		t.Fatal(err)
	}
	defer cr.Close()
	for _, homepage := range []bool{false, true} {
		want, err := operations.SitesOf(cr.Collection, homepage)
		if err != nil {
			t.Fatal(err)
		}
		got, err := o.Sites(bg, "pools", operations.SiteQuery{Homepage: homepage, All: true, Limit: 500})
		if err != nil {
			t.Fatal(err)
		}
		want = operations.PickSites(want, true, false, "order")
		if len(want) < 5 || !slices.Equal(got.Sites, want) {
			t.Errorf("homepage %v:\ngot  %+v\nwant %+v", homepage, got.Sites, want)
		}
	}
}

// A crawl for pages on several names of a site, by http and https: the list of sites, which is made without reading the URL of
// every page, is that of the command line.
func TestSitesWithSeveralNames(t *testing.T) {
	dir := t.TempDir()
	pages := []string{"http://a.example/x", "http://www.a.example/", "https://a.example/", "http://a.example/y", "https://b.example/z", "http://b.example/", "http://c.example:8080/q", "http://c.example/"}
	makeRated(t, filepath.Join(dir, "rated.dowse"), pages)
	o := over(t, operations.Config{Dirs: []string{dir}})
	cr, err := crawler.View(filepath.Join(dir, "rated.dowse"))
	if err != nil {
		t.Fatal(err)
	}
	defer cr.Close()
	for _, homepage := range []bool{false, true} {
		want, err := operations.SitesOf(cr.Collection, homepage)
		if err != nil || len(want) != 4 {
			t.Fatal(want, err)
		}
		for range 2 { // the second time as it was kept
			got, err := o.Sites(bg, "rated", operations.SiteQuery{Homepage: homepage, All: true})
			if err != nil || !slices.Equal(got.Sites, want) {
				t.Errorf("by homepage %v: got %+v, %v, want %+v", homepage, got, err, want)
			}
			if _, err := o.Sites(bg, "rated", operations.SiteQuery{Homepage: homepage, On: true, Sort: "name"}); err != nil {
				t.Error(err)
			}
		}
	}
}

// A comparison is made once for the moments that are shown, and again when a collection has changed.
func TestCompareAgain(t *testing.T) {
	dir := t.TempDir()
	makeRated(t, filepath.Join(dir, "a.dowse"), []string{"http://a.example/x", "http://a.example/y"})
	makeRated(t, filepath.Join(dir, "b.dowse"), []string{"http://a.example/x", "http://b.example/y"})
	o := over(t, operations.Config{Dirs: []string{dir}})
	compare := func(ids ...string) *operations.Comparison {
		x, err := o.Compare(bg, ids)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	first := compare("a", "b")
	if again := compare("a", "b"); again != first {
		t.Error("the same comparison was made twice")
	}
	if other := compare("b", "a"); other == first || other.Pairs[0].A != "b" {
		t.Errorf("in the other order: %+v", other.Pairs)
	}
	if _, err := o.Set(bg, "a", operations.SetRequest{Set: map[string][]string{"delay": {"3s"}}}); err != nil {
		t.Fatal(err)
	}
	if changed := compare("a", "b"); changed == first || len(changed.Differ) == len(first.Differ) {
		t.Errorf("after a change of the settings: %+v, before it %+v", changed.Differ, first.Differ)
	}
}
