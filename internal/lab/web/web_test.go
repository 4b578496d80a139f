package web

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"dowse"
	"dowse/crawl"
	"dowse/crawler"
	"dowse/fetch"
	"dowse/internal/demo"
	"dowse/internal/linkrating"
	"dowse/internal/repeats"
	"dowse/internal/shareddata"
	"dowse/judge"
	"dowse/strategy"
	"dowse/weburl"
)

// made opens a small synthetic web; it is prepared once for all tests.
func smallDemo(t testing.TB, o Options) *Web {
	t.Helper()
	demoOnce.Do(func() { demoDir, demoErr = os.MkdirTemp("", "lab-web-") })
	if demoErr != nil {
		t.Fatal(demoErr)
	}
	o.Cache = demoDir
	w, err := Open(context.Background(), Source{Demo: &Synthetic{Pages: 1000}}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

var (
	demoOnce sync.Once
	demoDir  string
	demoErr  error
)

func TestMain(m *testing.M) {
	code := m.Run()
	os.RemoveAll(demoDir)
	os.Exit(code)
}

// TestAsLive visits pages in the lab and as a live crawl does. A strategy must see the
// same: text, words, links, ratings of page, windows and anchors, redirects, failures.
func TestAsLive(t *testing.T) {
	sequential(t)
	w := smallDemo(t, Options{})
	site := demo.New(demo.Config{Pages: 1000})
	client, err := fetch.New(fetch.Config{Agent: agent, Transport: site.RoundTripper()})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	j, err := judge.NewWords(judge.Wanted{Words: []string{"tide pool", "limpet", "shore"}})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[dowse.Outcome]int{}
	shark, err := strategy.New("shark")
	if err != nil {
		t.Fatal(err)
	}
	known, repeated := templatesOf(w), 0
	for k, s := range []dowse.Strategy{&strategy.BreadthFirst{}, &strategy.LinkContext{}, shark, anchorsOnly{}, &strategy.LinkContext{}, shark, &strategy.LinkContext{}} {
		var use repeats.Use
		if k > 3 {
			use = []repeats.Use{{Judge: true}, {Links: true}, {Judge: true, Links: true}}[k-4]
		}
		live := &crawler.Visitor{Client: client, Judge: j, Templates: use}
		live.Rate(s)
		view := NewJudged(w, j, linkrating.WishOf(s)).For(s, nil).Without(use)
		for i := 0; i < w.Len(); i += 31 {
			v := crawl.Visit{URL: w.URL(i), Lead: dowse.Lead{URL: w.URL(i), Priority: 0.5, Note: "n"}, Depth: 3}
			kept, _ := w.Page(i)
			if kept.Outcome == dowse.Listed {
				v.Kind = crawl.VisitSitemap
			}
			if use.Any() {
				v.Template = known[weburl.Host(v.URL)]
			}
			want := live.Visit(t.Context(), v).Page
			if want.Outcome == dowse.Temporary { // temporary failures of the synthetic web are not recorded
				continue
			}
			want.Fetch.At, want.Fetch.Took, want.Host = kept.Fetch.At, kept.Fetch.Took, nil
			want.Numbers = nil // they save time in a live crawl, and are valid in one process only
			got, took := view.Visit(v)
			if took != site.Latency(v.URL) {
				t.Errorf("%s takes %v, want %v", v.URL, took, site.Latency(v.URL))
			}
			if a, b := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); a != b { // NaN is not equal to itself
				t.Fatalf("%T, %s:\nlab  %.2000s\nlive %.2000s", s, v.URL, a, b)
			}
			seen[got.Outcome]++
			repeated += len(got.Repeated)
		}
	}
	if seen[dowse.Fetched] < 100 || seen[dowse.Redirected] == 0 || repeated < 100 {
		t.Errorf("too little was compared: %v, %d repeated parts", seen, repeated)
	}
}

// templatesOf returns what a crawl knows of the hosts of a web after it has fetched all pages.
func templatesOf(w *Web) map[string]*repeats.Known {
	var hosts repeats.Hosts
	number, known := map[string]uint32{}, map[string]*repeats.Known{}
	for i := range w.Len() {
		p, err := w.Page(i)
		if err != nil || p.Outcome != dowse.Fetched {
			continue
		}
		host := weburl.Host(w.URL(i))
		if _, ok := number[host]; !ok {
			number[host] = uint32(len(number))
		}
		own := *p
		(&repeats.Known{Learns: true}).Apply(&own)
		hosts.Note(number[host], own.Blocks)
		known[host] = hosts.Known(number[host])
	}
	return known
}

// anchorsOnly wants anchors to be rated, and no windows.
type anchorsOnly struct{ strategy.BreadthFirst }

func (anchorsOnly) Traits() dowse.Traits                  { return dowse.Traits{Anchors: true} }
func (anchorsOnly) Follow(p *dowse.Page) (l []dowse.Lead) { return nil }

// TestOutside asks for what is not there.
func TestOutside(t *testing.T) {
	w := smallDemo(t, Options{})
	j, err := judge.NewWords(judge.Wanted{Words: []string{"shore"}})
	if err != nil {
		t.Fatal(err)
	}
	view := NewJudged(w, j).For(&strategy.BreadthFirst{}, nil)
	p, _ := view.Visit(crawl.Visit{URL: "http://nowhere.test/"})
	if p.Outcome != dowse.Failed || p.Fetch.Status != 404 || p.Reason != dowse.FailHTTP {
		t.Errorf("outside: %v %v %v", p.Outcome, p.Fetch.Status, p.Reason)
	}
	p, _ = view.Visit(crawl.Visit{Kind: crawl.VisitRobots, URL: "http://nowhere.test/robots.txt"})
	if ok, _ := p.Host.Robots.Rules.Allowed("http://nowhere.test/x"); !ok {
		t.Error("a host without robots.txt forbids something")
	}
}

// TestMemoryIsBounded reads a web with room for a few pages only: nothing changes but
// what is kept.
func TestMemoryIsBounded(t *testing.T) {
	large, small := smallDemo(t, Options{}), smallDemo(t, Options{Memory: 300_000})
	for i := range 500 {
		a, err := large.Page(i)
		if err != nil {
			t.Fatal(err)
		}
		b, err := small.Page(i)
		if err != nil {
			t.Fatal(err)
		}
		if a.Text != b.Text || len(a.Links) != len(b.Links) {
			t.Fatalf("page %d differs", i)
		}
		if held := small.held.Load(); held > 300_000 {
			t.Fatalf("%d bytes are held", held)
		}
	}
}

// TestDamage breaks feature files: what is broken is noticed, and made again.
func TestDamage(t *testing.T) {
	sequential(t)
	w := smallDemo(t, Options{})
	path := w.features.closer.(*os.File).Name()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	record := w.features.index[3]
	for _, test := range []struct {
		name  string
		bytes func() []byte
	}{
		{"a record", func() []byte { b := bytes.Clone(whole); b[record.offset+9] ^= 1; return b }},
		{"the footer", func() []byte { b := bytes.Clone(whole); b[len(b)-trailerSize-20] ^= 1; return b }},
		{"the end", func() []byte { return whole[:len(whole)-5] }},
		{"all of it", func() []byte { return nil }},
	} {
		b := test.bytes()
		f, err := readFeatures(bytes.NewReader(b), int64(len(b)))
		if err == nil {
			_, err = f.page(3)
		}
		if err == nil {
			t.Errorf("%s is damaged, and reading it succeeds", test.name)
		}
	}
	broken := filepath.Join(t.TempDir(), filepath.Base(path))
	if err := os.WriteFile(broken, whole[:len(whole)-5], 0o644); err != nil {
		t.Fatal(err)
	}
	again, err := Open(t.Context(), Source{Demo: &Synthetic{Pages: 1000}}, Options{Cache: filepath.Dir(broken)})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if again.SHA256 != w.SHA256 {
		t.Error("the same web read twice gives other bytes")
	}
}

// TestGraph checks what leads where against the synthetic web's own answers.
func TestGraph(t *testing.T) {
	w := smallDemo(t, Options{})
	site := demo.New(demo.Config{Pages: 1000})
	g, err := w.Graph()
	if err != nil {
		t.Fatal(err)
	}
	for i := range w.Len() {
		u := w.URL(i)
		if g.IsPage(i) && !site.Allowed(u) {
			t.Errorf("%s is forbidden, and counts as a page", u)
		}
	}
	seeds := site.Seeds("tide pools", 2)
	var numbers []int
	for _, s := range seeds {
		i, ok := w.Find(s)
		if !ok {
			t.Fatalf("no seed %s", s)
		}
		numbers = append(numbers, i)
	}
	reach := g.Reach(numbers)
	_, order := site.Oracle("tide pools", seeds, 1_000_000)
	for _, u := range order {
		if i, ok := w.Find(u); !ok || !reach[i] {
			t.Errorf("%s is reached by the web's own oracle, not here", u)
		}
	}
}

// TestLabels reads files that people write.
func TestLabels(t *testing.T) {
	l, err := ReadLabels(strings.NewReader("url\ttopic\r\n# our own\nhttp://a.test\tTop/X/Y\nhttp://a.test/\tTop/Z/\n\nhttp://b.test/\tTop/X\textra\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		url   dowse.URL
		topic string
		want  bool
	}{
		{"http://a.test/", "Top/X", true}, {"http://a.test/", "Top/X/Y", true}, {"http://a.test/", "Top/Z", true},
		{"http://a.test/", "Top/X/Y/Z", false}, {"http://b.test/", "Top/X/Y", false}, {"http://b.test/", "Top", true},
		{"http://b.test/", "To", false}, {"http://c.test/", "Top", false},
	} {
		if got := l.Is(test.url, test.topic); got != test.want {
			t.Errorf("%s on %s: %v", test.url, test.topic, got)
		}
	}
	if on := l.On("Top/X"); !reflect.DeepEqual(on, []dowse.URL{"http://a.test/", "http://b.test/"}) {
		t.Errorf("on Top/X: %v", on)
	}
	for _, bad := range []string{"http://a.test/\n", "http://a.test/\t\n", "no url\tTop\n"} {
		if _, err := ReadLabels(strings.NewReader(bad)); err == nil || !strings.HasPrefix(err.Error(), "labels:1:1: ") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// TestRecord makes a web of WARC files and reads it again.
func TestRecord(t *testing.T) {
	sample := shareddata.Path(t, "webs", "wikispeedia-subjects.warc.gz")
	dir := filepath.Join(t.TempDir(), "hubs.web")
	labels := filepath.Join(t.TempDir(), "l.tsv")
	if err := os.WriteFile(labels, []byte("http://schools-wikipedia.org/wp/index/alpha.htm\tTop/Index\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	r, err := Record(sample, dir, labels)
	if err != nil {
		t.Fatal(err)
	}
	if r.Labels != 1 || len(r.Files) != 1 {
		t.Errorf("recorded %+v", r)
	}
	direct, err := Open(t.Context(), Source{Paths: []string{sample}}, Options{Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer direct.Close()
	w, err := Open(t.Context(), Source{Paths: []string{dir}}, Options{Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if w.SHA256 != direct.SHA256 || w.Name != "hubs" || w.Len() != 146 {
		t.Errorf("%s has %d answers; same pages: %v", w.Name, w.Len(), w.SHA256 == direct.SHA256)
	}
	if _, err := Record(sample, dir, ""); err == nil {
		t.Error("Record into a folder that exists: no error, want one")
	}
}

// FuzzPage decodes arbitrary records: no panic, and all spans are in range.
func FuzzPage(f *testing.F) {
	e := &encoder{url: func(u dowse.URL) int { return len(u) }}
	e.page(samplePage())
	f.Add(e.B)
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := newDecoder(b, func(i int) (dowse.URL, bool) { return "http://a.test/", i < 1000 }).page()
		if err != nil {
			return
		}
		for _, word := range p.Words {
			_ = p.Text[word.Start:word.End]
		}
		for _, l := range p.Links {
			_ = p.Words[l.At.Start:l.At.End]
			for _, h := range l.Above {
				if h >= 0 {
					_ = p.Headings[h]
				}
			}
		}
	})
}

// FuzzFeatures opens arbitrary files.
func FuzzFeatures(f *testing.F) {
	path := filepath.Join(f.TempDir(), "f")
	w, err := newWriter(path)
	if err != nil {
		f.Fatal(err)
	}
	w.add(samplePage())
	if err := w.close(map[string]*dowse.Robots{"sample.test": {Status: 200, Body: []byte("User-agent: *\n")}}); err != nil {
		f.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add([]byte(magic + magic))
	f.Fuzz(func(t *testing.T, b []byte) {
		fs, err := readFeatures(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		for i := range fs.index {
			_, _ = fs.page(i)
		}
	})
}

// FuzzLabels reads any text.
func FuzzLabels(f *testing.F) {
	f.Add("url\ttopic\nhttp://a.test/\tTop/X\n")
	f.Fuzz(func(t *testing.T, s string) {
		l, err := ReadLabels(strings.NewReader(s))
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := l.Write(&b); err != nil {
			t.Fatal(err)
		}
		again, err := ReadLabels(&b)
		if err != nil || len(again.order) != len(l.order) {
			t.Fatalf("%d pages became %v, %v", len(l.order), again, err)
		}
	})
}

// TestOnce checks that a page is stored once, although others link to it before it is
// read.
func TestOnce(t *testing.T) {
	w := smallDemo(t, Options{})
	seen := map[dowse.URL]bool{}
	for i := range w.Len() {
		if seen[w.URL(i)] {
			t.Fatalf("%s is there twice", w.URL(i))
		}
		seen[w.URL(i)] = true
	}
	g, err := w.Graph()
	if err != nil {
		t.Fatal(err)
	}
	if n := g.Pages(); n > 1000 {
		t.Errorf("%d pages of a web of 1,000", n)
	}
}

// TestRecordMade records a synthetic web: the same pages and labels come back from it, and the
// same bytes are written again.
// TestLabelsOfADirectory: a dump of the Open Directory is a truth: its entries are labels, all
// of them listed, a page under each of its categories. What cannot be read is counted.
func TestLabelsOfADirectory(t *testing.T) {
	rdf := `<?xml version="1.0" encoding="UTF-8"?>
<RDF xmlns:r="http://www.w3.org/TR/RDF/" xmlns:d="http://purl.org/dc/elements/1.0/" xmlns="http://dmoz.org/rdf/">
<ExternalPage about="http://reef.example/"><d:Title>Reefs</d:Title><topic>Top/Science/Reefs</topic></ExternalPage>
<ExternalPage about="http://reef.example/"><d:Title>Reefs</d:Title><topic>Top/Travel/Diving</topic></ExternalPage>
<ExternalPage about="http://dunes.example/a"><d:Title>Dunes</d:Title><topic>Top/Science/Dunes</topic></ExternalPage>
<ExternalPage about="ftp://dunes.example/b"><d:Title>Dunes</d:Title><topic>Top/Science/Dunes</topic></ExternalPage>
</RDF>
`
	jsonl := `{"path": "Top/Science/Reefs", "url": "http://reef.example/"}
{"path": "Top/Travel/Diving", "url": "http://reef.example/"}
{"path": "Top/Science/Dunes", "url": "http://dunes.example/a"}
not JSON
`
	for name, text := range map[string]string{"content.rdf.u8": rdf, "content.jsonl": jsonl} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		l, err := Source{Labels: path}.LoadLabels()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		reef := dowse.URL("http://reef.example/")
		if !l.Is(reef, "Top/Science") || !l.Is(reef, "Top/Travel/Diving") || !l.Listed(reef, "Top/Science/Reefs") || !l.Listed("http://dunes.example/a", "Top/Science") || l.Listed(reef, "Top/Science/Dunes") {
			t.Errorf("%s: want each entry as a listed label", name)
		}
		if l.Unread != 1 {
			t.Errorf("%s: %d entries unread, want 1", name, l.Unread)
		}
	}
}

func TestRecordSynthetic(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made.web")
	m := Synthetic{Pages: 1000}
	if _, err := RecordSynthetic(t.Context(), m, dir, nil); err != nil {
		t.Fatal(err)
	}
	w, err := Open(t.Context(), Source{Paths: []string{dir}}, Options{Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	from, err := smallDemo(t, Options{}).Graph()
	if err != nil {
		t.Fatal(err)
	}
	g, err := w.Graph()
	if err != nil {
		t.Fatal(err)
	}
	labels, err := Source{Paths: []string{dir}}.LoadLabels()
	if err != nil || labels == nil {
		t.Fatalf("labels: %v", err)
	}
	if g.Pages() != from.Pages() || g.Resolving != from.Resolving || !reflect.DeepEqual(labels.Topics(), m.labels().Topics()) {
		t.Errorf("recorded %d pages and %d links, want %d and %d", g.Pages(), g.Resolving, from.Pages(), from.Resolving)
	}
	known := Known(filepath.Dir(dir), "nowhere")
	if len(known) != 1 || known[0].What != "recorded web, with labels" {
		t.Errorf("known: %+v", known)
	}
	if _, err := RecordSynthetic(t.Context(), m, dir, nil); err == nil {
		t.Error("RecordSynthetic into a folder that exists: no error, want one")
	}
}

// sequential skips a test without concurrency in short mode, in which the race detector
// runs.
func sequential(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("short: starts no goroutines")
	}
}
