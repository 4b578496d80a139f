package demo

import (
	"hash/crc32"
	"math"
	"regexp"
	"runtime"
	"sort"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"dowse"
)

const tidePools = "tide pools"

// small is the web of the demo, which most tests look at.
var small = sync.OnceValue(func() *Web { return New(Config{}) })

// siteOf returns the first site of a kind.
func siteOf(t *testing.T, w *Web, k Kind) *site {
	t.Helper()
	for i := range w.sites {
		if w.sites[i].kind == k {
			return &w.sites[i]
		}
	}
	t.Fatalf("no site of kind %v", k)
	return nil
}

func body(t *testing.T, w *Web, u dowse.URL) string {
	t.Helper()
	p, ok := w.Page(u)
	if !ok || p.Status != 200 {
		t.Fatalf("%s: status %d, ok %v", u, p.Status, ok)
	}
	return string(p.Body)
}

func TestSameConfigSameBytes(t *testing.T) {
	sum := func(c Config) (uint32, int) {
		w, h, n := New(c), crc32.NewIEEE(), 0
		for i := 0; i < w.Len(); i += 11 {
			p, _ := w.Page(w.URL(i))
			h.Write(p.Body)
			n += len(p.Body)
		}
		return h.Sum32(), n
	}
	a, n := sum(Config{})
	if b, _ := sum(Config{}); a != b {
		t.Errorf("two webs of the same config differ: %08x, %08x", a, b)
	}
	if b, _ := sum(Config{Seed: 1}); a == b {
		t.Error("another seed gives the same web")
	}
	const golden = 0x5ae464bb // the bytes of the default web; a change belongs into docs/demo-web.md
	t.Logf("%d bytes, crc %#08x", n, a)
	if runtime.GOARCH == "amd64" && a != golden { // other architectures round otherwise
		t.Errorf("the default web has changed: crc %#08x, was %#08x", a, golden)
	}
}

func TestDefaultsAreThoseOfTheDemo(t *testing.T) {
	w := small()
	if w.Len() != 2400 || len(w.sites) != 48 {
		t.Errorf("%d pages on %d sites, want 2400 on 48", w.Len(), len(w.sites))
	}
	n, sites := 0, 0
	for s := range w.Sites() {
		n += s.Pages
		sites++
		if !strings.HasSuffix(s.Host, ".demo") {
			t.Errorf("host %q", s.Host)
		}
	}
	if n != 2400 || sites != 48 {
		t.Errorf("sites have %d pages, and are %d", n, sites)
	}
	if topics := w.Topics(); len(topics) != 20 || topics[0].Name != tidePools || len(topics[0].Words) != 3 {
		t.Errorf("topics: %d, first %+v", len(topics), topics[0])
	}
}

func TestSizesAreThoseOfTheWeb(t *testing.T) {
	sequential(t)
	w := small()
	var sizes []float64
	total, links := 0.0, 0
	for u := range w.Pages() {
		b := body(t, w, u)
		sizes = append(sizes, float64(len(b)))
		total += float64(len(b))
		links += strings.Count(b, "<a href=")
	}
	sort.Float64s(sizes)
	n := float64(len(sizes))
	mean, median, perPage := total/n, sizes[len(sizes)/2], float64(links)/n
	t.Logf("mean %.0f bytes, median %.0f, largest %.0f, %.1f links", mean, median, sizes[len(sizes)-1], perPage)
	if mean < 18_000 || mean > 22_000 {
		t.Errorf("mean size %.0f", mean)
	}
	if median >= mean || sizes[len(sizes)-1] < 3*mean {
		t.Error("sizes are not skewed")
	}
	if perPage < 36 || perPage > 46 {
		t.Errorf("%.1f links per page", perPage)
	}
}

func TestAddressesLeadBack(t *testing.T) {
	for _, c := range []Config{{}, {Seed: 7, Pages: 1000}, {Pages: 30_000, Topic: "glaciers"}, {Pages: 5000, Sites: 100}} {
		w := New(c)
		seen := map[dowse.URL]bool{}
		for i := range w.Len() {
			u := w.URL(i)
			if id, ok := w.numberOf(u); !ok || id != i || seen[u] {
				t.Fatalf("%+v: page %d is at %s, which is page %d (%v), seen %v", c, i, u, id, ok, seen[u])
			}
			seen[u] = true
		}
	}
}

var href = regexp.MustCompile(`<a href="([^"]*)"`)

func TestEveryLinkLeadsWhereItShould(t *testing.T) {
	sequential(t)
	w := small()
	kinds := map[string]int{}
	for u := range w.Pages() {
		at, _ := parse(u)
		links := w.Links(u)
		found := href.FindAllStringSubmatch(body(t, w, u), -1)
		if len(found) != len(links) {
			t.Fatalf("%s: %d links in the HTML, %d in Links", u, len(found), len(links))
		}
		for i, f := range found {
			to := f[1]
			if strings.HasPrefix(to, "/") {
				to = "http://" + at.host + to
			}
			if to != string(links[i]) {
				t.Fatalf("%s: link %d is %s in the HTML, %s in Links", u, i, to, links[i])
			}
			kinds[outcome(t, w, links[i])]++
		}
	}
	t.Log(kinds)
	for _, kind := range []string{"page", "redirect to page", "redirect to redirect", "404", "410", "application/pdf", "endless"} {
		if kinds[kind] == 0 {
			t.Errorf("no link leads to: %s", kind)
		}
	}
}

// outcome returns what is at u without generating pages.
func outcome(t *testing.T, w *Web, u dowse.URL) string {
	if _, ok := w.numberOf(u); ok {
		return "page"
	}
	if w.isEndless(u) {
		return "endless"
	}
	p, ok := w.Page(u)
	if !ok {
		t.Fatalf("%s: no such host", u)
	}
	switch {
	case p.Location != "":
		if _, ok := w.numberOf(p.Location); ok {
			return "redirect to page"
		}
		return "redirect to redirect"
	case p.Status == 404:
		return "404"
	case p.Status == 410:
		return "410"
	}
	return p.Type
}

func TestEveryPageCanBeReached(t *testing.T) {
	sequential(t)
	for _, c := range []Config{{}, {Pages: 12_000, Seed: 3}} {
		w := New(c)
		seen, n := make([]bool, w.Len()), 0
		queue := []int{}
		reach := func(id int) {
			if !seen[id] {
				seen[id] = true
				n++
				queue = append(queue, id)
			}
		}
		for _, u := range w.Seeds(tidePools, 1) {
			id, _ := w.numberOf(u)
			reach(id)
		}
		for len(queue) > 0 {
			id := queue[0]
			queue = queue[1:]
			for _, l := range w.planOf(w.page(id)).links {
				if l.kind == toPage {
					reach(l.page)
				}
			}
		}
		if n != w.Len() {
			t.Errorf("%d of %d pages can be reached", n, w.Len())
		}
	}
}

func TestLinksKeepToTheirTopic(t *testing.T) {
	w := small()
	internal, links, same, external := 0, 0, 0, 0
	in := make([]int, w.Len())
	for id := range w.Len() {
		p := w.page(id)
		for _, l := range w.planOf(p).links {
			q := w.page(l.page)
			in[l.page]++
			links++
			if q.site == p.site {
				internal++
			} else if p.lex < w.words.topics() && p.site.topic == p.lex {
				external++
				if q.lex == p.lex {
					same++
				}
			}
		}
	}
	base := 0.0 // the chance that two random pages share a topic
	for _, topic := range w.Topics() {
		share := float64(w.RelevantCount(topic.Name)) / float64(w.Len())
		base += share * share
	}
	inside, kept := float64(internal)/float64(links), float64(same)/float64(external)
	t.Logf("internal %.2f, external on the same topic %.2f, by chance %.2f", inside, kept, base)
	if math.Abs(inside-0.75) > 0.07 {
		t.Errorf("internal share %.2f", inside)
	}
	if kept < 0.25 || kept < 3*base {
		t.Errorf("external links on the same topic %.2f, by chance %.2f", kept, base)
	}
	sort.Sort(sort.Reverse(sort.IntSlice(in)))
	top := 0
	for _, n := range in[:w.Len()/10] {
		top += n
	}
	if share := float64(top) / float64(links); share < 0.3 {
		t.Errorf("the most linked tenth of the pages has %.2f of the links", share)
	}
}

func TestMillionPagesNeedNoMemory(t *testing.T) {
	sequential(t)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	w := New(Config{Pages: 1_000_000})
	runtime.GC()
	runtime.ReadMemStats(&after)
	kept := (int64(after.HeapAlloc) - int64(before.HeapAlloc)) >> 10
	t.Logf("%d sites, %d KB", len(w.sites), kept)
	if kept > 16<<10 {
		t.Errorf("keeps %d KB", kept)
	}
	d := rng(1)
	for range 300 {
		i := d.under(w.Len())
		u := w.URL(i)
		if id, ok := w.numberOf(u); !ok || id != i {
			t.Fatalf("page %d is at %s, which is %d", i, u, id)
		}
		if p, ok := w.Page(u); !ok || p.Status != 200 || len(p.Body) < 4000 || p.URL != u {
			t.Fatalf("%s: %d, %d bytes", u, p.Status, len(p.Body))
		}
	}
	for _, topic := range w.Topics() {
		if share := float64(w.RelevantCount(topic.Name)) / float64(w.Len()); share < 0.02 || share > 0.08 {
			t.Errorf("%s: %.3f of all pages", topic.Name, share)
		}
	}
}

var wrongArticle = regexp.MustCompile(`\b[Aa] [aeio]\w*|\b[Aa]n [^aeio]\w*`)

func TestPagesAreWellFormed(t *testing.T) {
	sequential(t)
	w := small()
	for i := 0; i < w.Len(); i += 5 {
		u := w.URL(i)
		b := body(t, w, u)
		old := w.page(i).site.kind == OldPages
		if utf8.ValidString(b) == old {
			t.Errorf("%s: valid UTF-8 %v", u, !old)
		}
		for _, tag := range []string{"html", "head", "title", "body", "main", "article", "aside", "footer", "h1"} {
			if strings.Count(b, "<"+tag+">")+strings.Count(b, "<"+tag+" ") != 1 || strings.Count(b, "</"+tag+">") != 1 {
				t.Errorf("%s: tag %s is not there exactly once", u, tag)
			}
		}
		for _, tag := range []string{"p", "h2", "a", "li", "ul"} {
			open, closed := strings.Count(b, "<"+tag+">")+strings.Count(b, "<"+tag+" "), strings.Count(b, "</"+tag+">")
			if open != closed {
				t.Errorf("%s: %d <%s>, %d closed", u, open, tag, closed)
			}
		}
		if strings.ContainsAny(b[strings.Index(b, "<article>"):], "{}") {
			t.Errorf("%s: a slot was left open", u)
		}
		text := b[strings.Index(b, "<article>"):strings.Index(b, "</article>")]
		if at := wrongArticle.FindString(text); at != "" && strings.Contains(b, `lang="en"`) {
			t.Errorf("%s: %q", u, at)
		}
	}
}

func TestUnknownTopicPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	New(Config{Topic: "submarines"})
}

func FuzzPage(f *testing.F) {
	w := small()
	for _, u := range []string{
		"http://shorewalks.demo/", "http://calendar.demo/2031/05", "http://moved.demo/chain/3", "http://forum.demo/?PHPSESSID=1",
		"http://kelp.demo/go/99999999", "http://weeklypost.demo/archive/archive/", "http://signpost.demo/directory/tide-pools", "http://x", "https://kelp.demo/", "http://kelp.demo/a/-3#x",
	} {
		f.Add(u)
	}
	f.Fuzz(func(t *testing.T, s string) {
		u := dowse.URL(s)
		p, ok := w.Page(u)
		if ok && p.Status == 0 {
			t.Errorf("%q: no status", s)
		}
		_, isPage := w.Truth(u, tidePools)
		if isPage != (ok && p.Status == 200 && p.Type == htmlType) {
			t.Errorf("%q: page %v, status %d", s, isPage, p.Status)
		}
		w.Links(u)
		w.Allowed(u)
		w.Latency(u)
	})
}

func BenchmarkPage(b *testing.B) {
	w := New(Config{})
	b.ReportAllocs()
	n, i := 0, 0
	for b.Loop() {
		p, _ := w.Page(w.URL(i % w.Len()))
		n += len(p.Body)
		i += 7
	}
	b.SetBytes(int64(n / b.N))
}

func BenchmarkPageOfMillion(b *testing.B) {
	w := New(Config{Pages: 1_000_000})
	d := rng(1)
	for b.Loop() {
		w.Page(w.URL(d.under(w.Len())))
	}
}

func BenchmarkLinks(b *testing.B) {
	w := New(Config{})
	i := 0
	for b.Loop() {
		w.Links(w.URL(i % w.Len()))
		i += 7
	}
}

func BenchmarkTruth(b *testing.B) {
	w := New(Config{})
	u := w.URL(1700)
	for b.Loop() {
		w.Truth(u, tidePools)
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		New(Config{})
	}
}

// sequential skips a test without concurrency where tests are to be short:
// there the race detector runs.
func sequential(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("short: starts no goroutines")
	}
}
