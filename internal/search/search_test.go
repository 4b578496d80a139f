package search_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/durable"
	"dowse/internal/search"
	"dowse/settings"
)

// A pageWeb is a small web: HTML by address, without http://.
type pageWeb map[string]string

func (w pageWeb) RoundTrip(req *http.Request) (*http.Response, error) {
	if body, ok := w[req.URL.Host+req.URL.Path]; ok {
		return answer(req, 200, body), nil
	}
	return answer(req, 404, "none"), nil
}

// byWord is a judge for which pages with the word reef are on topic, and those with the word maybe nearly.
type byWord struct{}

func (byWord) Judge(p *dowse.Page) dowse.Verdict {
	v := dowse.Verdict{Relevance: 0.1, Judge: "word", Because: []dowse.Because{{What: "reef", Weight: 0.1}}}
	switch {
	case strings.Contains(p.Text, "maybe"):
		v.Relevance = 0.6
	case strings.Contains(p.Text, "reef"):
		v.Relevance = 0.9
	}
	return v
}

// page returns a page with enough words of its own not to be a near-duplicate of others.
func page(seed uint64, lang, title, text string) string {
	return fmt.Sprintf("<html lang=%s><title>%s</title><p>%s</p><p>%s</p>", lang, title, text, prose(seed, 60))
}

// reefs is the web of most tests.
func reefs() pageWeb {
	return pageWeb{
		"a.example/bleaching": page(1, "en", "Coral bleaching in the Red Sea", "The reef bleached under thermal stress. Corals of Bogotá are in museums."),
		"a.example/stress":    page(2, "en", "Heat", "Stress of a thermal kind is no phrase on this reef. Bleaching is named once."),
		"b.example/recovery":  page(3, "en", "Recovery", `<meta property="article:published_time" content="2021-05-04T00:00:00Z">A reef recovers slowly; bleaching ends.`),
		"sub.b.example/fr":    page(4, "fr", "Les récifs", "Le blanchissement des coraux du reef et les pêcheurs."),
		"b.example/shop":      page(5, "en", "Bleaching your hair", "Buy hair bleaching cream."),
		"b.example/unsure":    page(6, "en", "Maybe", "It is maybe about bleaching."),
		"c.example/zh":        page(7, "zh", "珊瑚礁", "珊瑚礁白化是一个 reef 问题"),
		"c.example/evil":      page(8, "en", "Evil \x1b[31m title", "A reef \x1b]0;owned\x07 of evilword \u202e words. "+strings.Repeat("x", 100_000)),
	}
}

// crawlAll crawls all pages of a web.
func crawlAll(t testing.TB, web pageWeb) string {
	t.Helper()
	var seeds []string
	for address := range web {
		seeds = append(seeds, "http://"+address)
	}
	slices.Sort(seeds)
	return crawled(t, web, byWord{}, 0, seeds...)
}

// found returns the addresses of hits, in alphabetical order.
func found(r *search.Result) (list []string) {
	for _, h := range r.Hits {
		list = append(list, strings.TrimPrefix(string(h.Page.URL), "http://"))
	}
	slices.Sort(list)
	return list
}

func TestQueries(t *testing.T) {
	s := opened(t, search.Options{Key: key}, true, crawlAll(t, reefs()))
	bleaching := []string{"a.example/bleaching", "a.example/stress", "b.example/recovery", "b.example/unsure"}
	for _, c := range []struct {
		query string
		all   bool
		want  []string
	}{
		{"bleaching", false, bleaching},
		{"bleached", false, bleaching}, // another form of the word
		{"BLEACHING the", false, bleaching},
		{"bleaching", true, append(slices.Clone(bleaching), "b.example/shop")},
		{"bleaching thermal", false, []string{"a.example/bleaching", "a.example/stress"}},
		{`"thermal stress"`, false, []string{"a.example/bleaching"}},
		{`"stress thermal"`, false, nil},
		{`"in the Red Sea"`, false, []string{"a.example/bleaching"}},
		{"bleaching -thermal", false, []string{"b.example/recovery", "b.example/unsure"}},
		{`thermal -"thermal stress"`, false, []string{"a.example/stress"}},
		{"title:bleaching", false, []string{"a.example/bleaching"}},
		{"bleaching host:b.example", false, []string{"b.example/recovery", "b.example/unsure"}},
		{"reef host:b.example", false, []string{"b.example/recovery", "sub.b.example/fr"}},
		{"bleaching -host:b.example", false, []string{"a.example/bleaching", "a.example/stress"}},
		{"host:c.example", false, []string{"c.example/evil", "c.example/zh"}},
		{"reef lang:fr", false, []string{"sub.b.example/fr"}},
		{"reef lang:fr,zh-CN", false, []string{"c.example/zh", "sub.b.example/fr"}},
		{"bleaching date:2021", false, []string{"b.example/recovery"}},
		{"bleaching date:<2022", false, []string{"b.example/recovery"}},
		{"bleaching date:2021-05-04..2021-05", false, []string{"b.example/recovery"}},
		{"bleaching date:>=2022", false, []string{"a.example/bleaching", "a.example/stress", "b.example/unsure"}},
		{"bleaching score:0.8", false, []string{"a.example/bleaching", "a.example/stress", "b.example/recovery"}},
		{"bleaching score:0.5..0.7", false, []string{"b.example/unsure"}},
		{"bleaching verdict:on", true, bleaching}, // as many as without it, and without pages off topic
		{"bleaching verdict:unsure", false, []string{"b.example/unsure"}},
		{"bleaching verdict:off", false, []string{"b.example/shop"}},
		{"bleaching verdict:unsure,off", false, []string{"b.example/shop", "b.example/unsure"}},
		{"recif", false, []string{"sub.b.example/fr"}}, // without the accent, by the rules of French
		{"bogota", false, []string{"a.example/bleaching"}},
		{"珊瑚礁", false, []string{"c.example/zh"}},
		{"礁瑚", false, nil},
		{"evilword", false, []string{"c.example/evil"}},
		{"nowhere", true, nil},
	} {
		got := search1(t, s, search.Request{Query: c.query, All: c.all, Limit: 50})
		want := slices.Sorted(slices.Values(c.want))
		if !slices.Equal(found(got), want) || got.Total != len(want) || got.Some {
			t.Errorf("%s: got %v, total %d, want %v", c.query, found(got), got.Total, want)
		}
	}
	if got := search1(t, s, search.Request{Query: "recovers evilword"}); !got.Some || !slices.Equal(found(got), []string{"b.example/recovery", "c.example/evil"}) {
		t.Errorf("no page has both words: got %v, some %v", found(got), got.Some)
	}
}

func TestQueriesThatAreNone(t *testing.T) {
	s := opened(t, search.Options{Key: key}, true, crawlAll(t, reefs()))
	for _, q := range []string{"", " ", "-", `""`, "-reef", "score:x reef", "score:2", "score:", "date:soon reef", "date:2022..2021 reef", "verdict:good reef", "-lang:en reef", "score:> reef"} {
		if _, err := s.Search(context.Background(), search.Request{Query: q}); q == "score:" || q == "-" {
			continue // a word, or nothing
		} else if !errors.Is(err, search.ErrQuery) {
			t.Errorf("%q: got %v, want an ErrQuery", q, err)
		}
	}
}

// TestPlainLetters: words are found by those whose keyboards have plain letters only. What other people write with two letters
// stays two different words.
func TestPlainLetters(t *testing.T) {
	for term, want := range map[string]string{
		"łódź": "lodz", "københavn": "kobenhavn", "œuvre": "oeuvre", "ærø": "aero", "đồng": "dong", "ħaġar": "hagar", "kadıköy": "kadikoy", "müller": "muller", "ёлка": "елка", "珊瑚": "珊瑚", "plain": "plain",
	} {
		if got := search.Stripped(term); got != want {
			t.Errorf("%s: got %q, want %q", term, got, want)
		}
	}
}

// TestNothingToLookFor: the error of a query without a word says what is missing.
func TestNothingToLookFor(t *testing.T) {
	s := opened(t, search.Options{Key: key}, true, crawlAll(t, reefs()))
	for q, want := range map[string]string{"a": "at least two letters", "礁": "at least two letters", "-reef": "only excludes", `-"coral reef"`: "only excludes", "-host:d.example": "only excludes"} {
		if _, err := s.Search(t.Context(), search.Request{Query: q}); !errors.Is(err, search.ErrQuery) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want an ErrQuery that contains %q", q, err, want)
		}
	}
}

func TestSnippetsAndTitlesAreMarked(t *testing.T) {
	s := opened(t, search.Options{Key: key}, true, crawlAll(t, reefs()))
	h := search1(t, s, search.Request{Query: "bleaching corals"}).Hits[0]
	mark := func(list []search.Piece) (b string) {
		for _, p := range list {
			if p.Mark {
				b += "[" + p.Text + "]"
				continue
			}
			b += p.Text
		}
		return b
	}
	if got, want := mark(h.Title), "[Coral] [bleaching] in the Red Sea"; got != want {
		t.Errorf("title: got %q, want %q", got, want)
	}
	if got := mark(h.Snippet); !strings.Contains(got, "The reef [bleached] under thermal stress. [Corals] of Bogotá") {
		t.Errorf("snippet: got %q", got)
	}
	// Of words that are written without spaces, those of the query are marked and not the whole run.
	h = search1(t, s, search.Request{Query: "白化"}).Hits[0]
	if got := mark(h.Snippet); !strings.Contains(got, "珊瑚礁[白化]是一个 reef") {
		t.Errorf("snippet: got %q", got)
	}
	h = search1(t, s, search.Request{Query: "珊瑚礁"}).Hits[0]
	if got := mark(h.Title); got != "[珊瑚礁]" {
		t.Errorf("title: got %q", got)
	}
}

func TestFacets(t *testing.T) {
	s := opened(t, search.Options{Key: key}, true, crawlAll(t, reefs()))
	got := fmt.Sprint(search1(t, s, search.Request{Query: "bleaching", All: true, Facets: true}).Facets)
	year := time.Now().UTC().Year()
	if want := fmt.Sprintf("[{verdict [{on 4} {off 1} {unsure 1}]} {host [{b.example 3} {a.example 2}]} {lang [{en 5}]} {year [{%d 4} {2021 1}]}]", year); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestNearDuplicatesAreFolded(t *testing.T) {
	web := reefs()
	long := "A long reef text about polyps. " + prose(77, 300)
	web["a.example/one"] = page(77, "en", "One", long)
	web["z.example/two"] = page(77, "en", "One", long)
	s := opened(t, search.Options{Key: key}, true, crawlAll(t, web))
	got := search1(t, s, search.Request{Query: "polyps"})
	if len(got.Hits) != 1 || len(got.Hits[0].Same) != 1 || got.Total != 2 {
		t.Errorf("got %v, total %d, want one hit for both pages", found(got), got.Total)
	}
}

// TestCollectionsAreOne: the rarity of words is that in all collections, and a page in two of them is one hit.
func TestCollectionsAreOne(t *testing.T) {
	one, two := reefs(), pageWeb{"a.example/bleaching": reefs()["a.example/bleaching"]}
	for i := range uint64(30) {
		two[fmt.Sprintf("d.example/%d", i)] = page(100+i, "en", "Page", "A reef of urchins.")
	}
	one["c.example/urchins"] = page(200, "en", "Urchins", "A reef with one mention of urchins and one of bleaching.")
	a, b := crawlAll(t, one), crawlAll(t, two)
	s := opened(t, search.Options{Key: key}, true, a, b)
	got := search1(t, s, search.Request{Query: "bleaching urchins", Limit: 3})
	if len(got.Hits) != 1 || found(got)[0] != "c.example/urchins" {
		t.Errorf("got %v, want the page that has both", found(got))
	}
	got = search1(t, s, search.Request{Query: "title:coral"})
	if len(got.Hits) != 1 || got.Total != 2 || len(got.Hits[0].Same) != 1 {
		t.Errorf("a page in two collections: got %v, total %d", found(got), got.Total)
	}
	both := search1(t, s, search.Request{Query: "urchins", Limit: 50})
	if both.Total != 31 {
		t.Errorf("got %d pages, want those of both collections, 31", both.Total)
	}
}

func TestSimilar(t *testing.T) {
	web := reefs()
	web["d.example/x"] = page(300, "en", "Sculpins", "The reef sculpin hides. A sculpin eats. Sculpins hatch, and every young sculpin hides again.")
	web["d.example/y"] = page(301, "en", "Fish", "Of the sculpins on this reef most hide, eat and hatch as a sculpin must.")
	s := opened(t, search.Options{Key: key}, true, crawlAll(t, web))
	got := search1(t, s, search.Request{Similar: "http://d.example/x"})
	if len(got.Hits) == 0 || got.Hits[0].Page.URL != "http://d.example/y" {
		t.Errorf("got %v, want d.example/y first", found(got))
	}
	if slices.Contains(found(got), "d.example/x") {
		t.Error("a page is similar to itself")
	}
	if _, err := s.Search(t.Context(), search.Request{Similar: "http://nowhere.example/"}); !errors.Is(err, collection.ErrUnknown) {
		t.Errorf("got %v, want ErrUnknown", err)
	}
	for _, q := range []string{"reef", `"young sculpin"`, "title:fish", "host:d.example reef"} {
		if _, err := s.Search(t.Context(), search.Request{Similar: "http://d.example/x", Query: q}); !errors.Is(err, search.ErrQuery) {
			t.Errorf("with %s: got %v, want an ErrQuery", q, err)
		}
	}
	for _, q := range []string{"host:d.example", "host:d.example -aquarium"} {
		if got := search1(t, s, search.Request{Similar: "http://d.example/x", Query: q}); !slices.Equal(found(got), []string{"d.example/y"}) {
			t.Errorf("with %s: got %v, want d.example/y alone", q, found(got))
		}
	}
}

// TestSimilarInSeveral: a page that several collections have is not similar to itself, and it is read where it was
// fetched.
func TestSimilarInSeveral(t *testing.T) {
	web := reefs()
	web["d.example/x"] = page(300, "en", "Sculpins", "The reef sculpin hides. A sculpin eats. Sculpins hatch, and every young sculpin hides again.")
	web["d.example/y"] = page(301, "en", "Fish", "Of the sculpins on this reef most hide, eat and hatch as a sculpin must.")
	one, other := crawlAll(t, web), crawlAll(t, web)
	queued := crawled(t, web, byWord{}, 1, "http://a.example/stress", "http://d.example/x") // it stops before it comes to x
	for _, dirs := range [][]string{{one, other}, {queued, one, other}} {
		got := search1(t, opened(t, search.Options{Key: key}, true, dirs...), search.Request{Similar: "http://d.example/x"})
		if len(got.Hits) == 0 || got.Hits[0].Page.URL != "http://d.example/y" || slices.Contains(found(got), "d.example/x") {
			t.Errorf("%v: got %v, want d.example/y first, without d.example/x", dirs, found(got))
		}
	}
	s := opened(t, search.Options{Key: key}, true, queued)
	if _, err := s.Search(t.Context(), search.Request{Similar: "http://d.example/x"}); !errors.Is(err, collection.ErrNotKept) {
		t.Errorf("got %v, want that the page is not kept", err)
	}
}

// TestUnclearConditions: what looks like a condition and is none gets a note; times, addresses and quoted words are words.
func TestUnclearConditions(t *testing.T) {
	s := opened(t, search.Options{Key: key}, true, crawlAll(t, reefs()))
	for q, want := range map[string]string{
		"foo:bar reef": "foo: is no field", "Titel:reef": "Titel: is no field", "title:": "title: has no value", "host: reef": "host: has no value", "SITE: reef": "SITE: has no value",
		"reef": "", "title:reef": "", "site:a.example reef": "", "12:30 reef": "", "http://a.example/ reef": "", `"foo:bar" reef`: "", "reef: coral": "", "a.example:80 reef": "",
	} {
		got := search1(t, s, search.Request{Query: q}).Unclear
		if want == "" && len(got) > 0 || want != "" && (len(got) != 1 || !strings.HasPrefix(got[0], want)) {
			t.Errorf("%s: got notes %q, want %q", q, got, want)
		}
	}
}

// TestIndexComesBack deletes and damages the index in many ways: every time the answers are the same.
func TestIndexComesBack(t *testing.T) {
	dir := crawlAll(t, reefs())
	store := filepath.Join(dir, "search", "store")
	want := found(search1(t, opened(t, search.Options{Key: key}, true, dir), search.Request{Query: "bleaching"}))
	each := func(change func(path string) error) func() error {
		return func() error {
			files, err := filepath.Glob(filepath.Join(store, "*"))
			for _, f := range files {
				err = errors.Join(err, change(f))
			}
			return err
		}
	}
	for name, damage := range map[string]func() error{
		"deleted":     func() error { return os.RemoveAll(filepath.Join(dir, "search")) },
		"no files":    each(os.Remove),
		"empty files": each(func(f string) error { return os.Truncate(f, 0) }),
		"cut files":   each(func(f string) error { return os.Truncate(f, 1000) }),
		"no root":     func() error { return os.Remove(filepath.Join(store, "root.bolt")) },
		"garbage":     each(func(f string) error { return os.WriteFile(f, bytes.Repeat([]byte("garbage!"), 9000), 0o600) }),
		"no mark":     func() error { return os.Remove(filepath.Join(dir, "search", "mark")) },
		"a file instead": func() error {
			return errors.Join(os.RemoveAll(filepath.Join(dir, "search")), os.WriteFile(filepath.Join(dir, "search"), nil, 0o600))
		},
		"a link for lock": func() error {
			return errors.Join(os.Remove(filepath.Join(dir, "search.lock")), os.Symlink("/etc/passwd", filepath.Join(dir, "search.lock")))
		},
	} {
		if err := damage(); err != nil {
			t.Fatal(name, err)
		}
		got := found(search1(t, opened(t, search.Options{Key: key}, true, dir), search.Request{Query: "bleaching"}))
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
	if info, err := os.Lstat(filepath.Join(dir, "search.lock")); err != nil || !info.Mode().IsRegular() {
		t.Errorf("the link is still in place of the lock: %v %v", info, err)
	}
}

// TestForeignIndexIsNotRead plants the index of one collection, with its proof, in another, and links in place of
// folders and files.
func TestForeignIndexIsNotRead(t *testing.T) {
	other := crawlAll(t, pageWeb{"a.example/bleaching": page(1, "en", "Planted", "A reef with a plantedword.")})
	search1(t, opened(t, search.Options{Key: key}, true, other), search.Request{Query: "plantedword"})
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.CopyFS(outside, os.DirFS(filepath.Join(other, "search"))); err != nil {
		t.Fatal(err)
	}
	for name, plant := range map[string]func(index string) error{
		"a copy": func(index string) error { return os.CopyFS(index, os.DirFS(outside)) },
		"a link": func(index string) error { return os.Symlink(outside, index) },
		"a link inside": func(index string) error {
			return errors.Join(os.CopyFS(index, os.DirFS(outside)), os.RemoveAll(filepath.Join(index, "store")), os.Symlink(filepath.Join(outside, "store"), filepath.Join(index, "store")))
		},
	} {
		dir := crawlAll(t, reefs())
		if err := plant(filepath.Join(dir, "search")); err != nil {
			t.Fatal(name, err)
		}
		s := opened(t, search.Options{Key: key}, true, dir)
		if got := search1(t, s, search.Request{Query: "plantedword", All: true}); got.Total != 0 {
			t.Errorf("%s: the foreign index was read", name)
		}
		if got := search1(t, s, search.Request{Query: "bleaching"}); got.Total != 4 {
			t.Errorf("%s: got %d pages, want 4", name, got.Total)
		}
	}
	files, err := filepath.Glob(filepath.Join(outside, "store", "*"))
	if err != nil || len(files) == 0 {
		t.Errorf("what a link led to was removed: %v %v", files, err)
	}
	// Another user's index is foreign as well, and a copy of one's own.
	dir := crawlAll(t, reefs())
	opened(t, search.Options{Key: []byte("another user's key")}, true, dir)
	id := func() string { b, _ := os.ReadFile(filepath.Join(dir, "search", "id")); return string(b) }
	before := id()
	opened(t, search.Options{Key: key}, true, dir)
	if before == id() {
		t.Error("the index of another user was used")
	}
	own := id()
	copied := filepath.Join(t.TempDir(), "copy.dowse")
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	opened(t, search.Options{Key: key}, true, copied)
	if b, err := os.ReadFile(filepath.Join(copied, "search", "id")); err != nil || string(b) == own {
		t.Errorf("the index that came with a copy was used: %v", err)
	}
	opened(t, search.Options{Key: key}, true, dir)
	if own != id() {
		t.Error("the user's own index was made again")
	}
}

// TestForgetLeavesNoWord takes a page down: neither the index nor one that is made later has its word.
func TestForgetLeavesNoWord(t *testing.T) {
	dir := crawlAll(t, reefs())
	s := opened(t, search.Options{Key: key}, true, dir)
	if got := search1(t, s, search.Request{Query: "evilword"}); got.Total != 1 {
		t.Fatalf("got %d pages before, want 1", got.Total)
	}
	if !search.HasTerm(t, dir, key, "evilword") {
		t.Fatal("the word is not in the dictionary of the index, so the test shows nothing")
	}
	if _, err := crawler.Forget(dir, collection.Takedown{URLs: []dowse.URL{"http://c.example/evil"}, Why: "asked", At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "search")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the index is still there: %v", err)
	}
	noTrace(t, dir, "evilword")
	after := opened(t, search.Options{Key: key}, true, dir)
	if got := search1(t, after, search.Request{Query: "evilword", All: true}); got.Total != 0 {
		t.Errorf("got %d pages after, want none", got.Total)
	}
	if got := search1(t, after, search.Request{Query: "bleaching"}); got.Total != 4 {
		t.Errorf("other pages: got %d, want 4", got.Total)
	}
	if search.HasTerm(t, dir, key, "evilword") {
		t.Error("the word is in the dictionary of the new index")
	}
	noTrace(t, dir, "evilword")
}

// noTrace fails if a file of a collection has a word in it, forwards or, as in automata, backwards.
func noTrace(t *testing.T, dir, word string) {
	t.Helper()
	back := []byte(word)
	slices.Reverse(back)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(word)) || bytes.Contains(data, back) {
			t.Errorf("%s has the word", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestLag: an index that is not updated reports what it lacks, and one that is lacks nothing.
func TestLag(t *testing.T) {
	web := pageWeb{}
	for i := range uint64(12) {
		web[fmt.Sprintf("h%d.example/", i)] = page(400+i, "en", fmt.Sprint("Page ", i), "A reef.") + fmt.Sprintf("<a href=http://h%d.example/>next</a>", i+1)
	}
	dir := crawled(t, web, byWord{}, 5, "http://h0.example/")
	s := opened(t, search.Options{Key: key}, true, dir)
	if got := search1(t, s, search.Request{Query: "reef", Limit: 50}); got.Total != 5 || got.Lag.Pages != 0 {
		t.Errorf("got %d pages, lag %+v, want 5 and none", got.Total, got.Lag)
	}
	crawl(t, dir, crawler.Config{Judge: byWord{}, Transport: web, Settings: settings.Settings{Limits: settings.Limits{Pages: 9}}})
	// A searcher that is open does not change.
	if got := search1(t, s, search.Request{Query: "reef", Limit: 50}); got.Total != 5 {
		t.Errorf("an open searcher: got %d pages, want 5", got.Total)
	}
	old := search1(t, opened(t, search.Options{Key: key}, false, dir), search.Request{Query: "reef", Limit: 50})
	if old.Total != 5 || old.Lag.Pages != 4 || old.Lag.Since.IsZero() {
		t.Errorf("without an update: got %d pages, lag %+v, want 5 and 4", old.Total, old.Lag)
	}
	early := loaded(t, dir) // opened before another process indexes
	crawl(t, dir, crawler.Config{Judge: byWord{}, Transport: web, Settings: settings.Settings{Limits: settings.Limits{Pages: 12}}})
	if err := search.Update(t.Context(), dir, search.Options{Key: key}); err != nil {
		t.Fatal(err)
	}
	behind, err := search.Open(t.Context(), early, search.Options{Key: key}, true)
	if err != nil {
		t.Fatalf("an index that is ahead of the view: %v", err)
	}
	defer behind.Close()
	if got := search1(t, behind, search.Request{Query: "reef", Limit: 50}); got.Total != 9 || got.Lag.Pages != 0 {
		t.Errorf("an index that is ahead of the view: got %d pages, lag %+v, want 9 and none", got.Total, got.Lag)
	}
	now := search1(t, opened(t, search.Options{Key: key}, true, dir), search.Request{Query: "reef", Limit: 50})
	if now.Total != 12 || now.Lag.Pages != 0 {
		t.Errorf("after an update: got %d pages, lag %+v, want 12 and none", now.Total, now.Lag)
	}
}

// TestUnwritableCollections: without a key, or on a read-only file system, the index is temporary and goes with the
// searcher.
func TestUnwritableCollections(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for name, readOnly := range map[string]bool{"no key": false, "read-only": true} {
		dir, o := crawlAll(t, reefs()), search.Options{Key: key}
		end := func() {}
		if readOnly {
			end = durable.Inject(func(op durable.Op, path string) error {
				if strings.HasPrefix(path, dir) && strings.Contains(path, "search") && op == durable.OpOpen {
					return syscall.EROFS
				}
				return nil
			})
		} else {
			o.Key = nil
		}
		s, err := search.Open(t.Context(), loaded(t, dir), o, true)
		if err != nil {
			t.Fatal(name, err)
		}
		if got := search1(t, s, search.Request{Query: "bleaching"}); got.Total != 4 || !slices.Equal(s.Temporary, []string{dir}) {
			t.Errorf("%s: got %d pages, temporary %v", name, got.Total, s.Temporary)
		}
		if err := s.Close(); err != nil {
			t.Error(name, err)
		}
		end()
		if _, err := os.Stat(filepath.Join(dir, "search")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: something was written into the collection: %v", name, err)
		}
		if left, _ := os.ReadDir(os.TempDir()); len(left) > 0 {
			t.Errorf("%s: left in the temporary folder: %v", name, left)
		}
	}
}

// TestNoPlaceForAnIndex: the error names why no index was kept in the collection, which can be written, and why there is
// none elsewhere.
func TestNoPlaceForAnIndex(t *testing.T) {
	dir, missing := crawlAll(t, reefs()), filepath.Join(t.TempDir(), "missing")
	t.Setenv("TMPDIR", missing)
	_, err := search.Open(t.Context(), loaded(t, dir), search.Options{}, true)
	want := "no index can be kept (there is no secret by which it would be recognised later), and none made in a temporary folder: "
	if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), missing) {
		t.Errorf("got %v, want %s… %s", err, want, missing)
	}
}

// TestKilled ends processes that index without warning: what they leave is completed to the same index.
func TestKilled(t *testing.T) {
	if dir := os.Getenv("DOWSE_TEST_INDEX"); dir != "" {
		for {
			if err := search.UpdateSlowly(dir, key); err != nil {
				t.Fatal(err)
			}
			if err := os.RemoveAll(filepath.Join(dir, "search")); err != nil {
				t.Fatal(err)
			}
		}
	}
	if testing.Short() {
		t.Skip("short: starts processes")
	}
	web := pageWeb{}
	for i := range uint64(60) {
		web[fmt.Sprintf("h%d.example/", i)] = page(500+i, "en", fmt.Sprint("Page ", i), "A reef.")
	}
	dir := crawlAll(t, web)
	for i := range 5 {
		child := exec.Command(os.Args[0], "-test.run=^TestKilled$")
		child.Env = append(os.Environ(), "DOWSE_TEST_INDEX="+dir)
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(150+70*i) * time.Millisecond)
		child.Process.Kill()
		child.Wait()
		got := search1(t, opened(t, search.Options{Key: key}, true, dir), search.Request{Query: "reef", Limit: 100})
		if got.Total != 60 || got.Lag.Pages != 0 {
			t.Errorf("kill %d: got %d pages, lag %d, want 60 and none", i, got.Total, got.Lag.Pages)
		}
	}
}

func TestFollowEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := search.Follow(ctx, t.TempDir(), func() []byte { return key }); err != nil {
		t.Error(err)
	}
}

// TestOwnTextCountsMore: a page that is about a word comes before pages that have it, in a shorter text, in a list of
// other pages; these are found all the same, also by a phrase, and their excerpt shows where.
func TestOwnTextCountsMore(t *testing.T) {
	web := pageWeb{}
	article := "The narwhal is a whale of the north, and a narwhal tusk is a tooth, as this reef page says in some length. "
	web["a.example/about"] = page(900, "en", "About", article+prose(901, 300))
	for i := range uint64(4) {
		web[fmt.Sprintf("b.example/%d", i)] = fmt.Sprintf("<html lang=en><title>Other</title><article><p>A reef text of another kind that is not short: %s</p></article><aside><p><a href=/x>narwhal tusk, narwhal tooth</a></p></aside>", prose(910+i, 40))
	}
	s := opened(t, search.Options{Key: key}, true, crawlAll(t, web))
	for _, q := range []string{"narwhal", `"narwhal tusk"`} {
		got := search1(t, s, search.Request{Query: q})
		if got.Total != 5 || got.Hits[0].Page.URL != "http://a.example/about" {
			t.Errorf("%s: got %d pages, first %s; want 5, first the page about it", q, got.Total, got.Hits[0].Page.URL)
		}
		if last := fmt.Sprint(got.Hits[4].Snippet); !strings.Contains(last, "tooth") {
			t.Errorf("%s: the excerpt of a page with the word in its frame is %s", q, last)
		}
	}
}

// A phrase whose words are on very many pages is looked for on the best of these, and the answer reports that there may be more.
func TestPhraseOfCommonWords(t *testing.T) {
	web := pageWeb{}
	for i := range 12 {
		text := "Much of it is thermal and no stress."
		if i%2 == 0 {
			text = "It is thermal stress."
		}
		web[fmt.Sprintf("a.example/%02d", i)] = page(uint64(i)+40, "en", fmt.Sprintf("Page %d", i), "A reef. "+strings.Repeat("thermal ", i)+text)
	}
	s := opened(t, search.Options{Key: key}, true, crawlAll(t, web))
	whole := search1(t, s, search.Request{Query: `"thermal stress"`, Facets: true})
	if whole.Total != 6 || whole.AtLeast || len(whole.Hits) != 6 {
		t.Fatalf("of all pages: %d, at least %v", whole.Total, whole.AtLeast)
	}
	search.ReadForPhrases(s, 5)
	some := search1(t, s, search.Request{Query: `"thermal stress"`})
	if some.Total == 0 || some.Total > 5 || !some.AtLeast {
		t.Errorf("of five pages: %d, at least %v", some.Total, some.AtLeast)
	}
	for i, h := range some.Hits {
		if h.Page.URL != whole.Hits[i].Page.URL {
			t.Errorf("hit %d is %s, want %s", i, h.Page.URL, whole.Hits[i].Page.URL)
		}
	}
	if words := search1(t, s, search.Request{Query: "thermal stress"}); words.Total != 12 || words.AtLeast {
		t.Errorf("the words without order: %d, at least %v", words.Total, words.AtLeast)
	}
}
