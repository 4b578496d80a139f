package directory

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"dowse"
	"dowse/internal/shareddata"
)

const small = `{"path":"Recreation/Collecting/Lighthouses","url":"https://a.example/","title":"Lights"}
{"path":"Recreation/Collecting/Lighthouses/Lamps","url":"https://b.example/","title":"Lamps","description":"Old\n lamps"}
{"path":"Recreation/Collecting/Stamps","url":"https://c.example/"}
{"path":"Recreation/Collecting/Coins","url":"https://d.example/"}
{"path":"Recreation/Collecting/Coins","url":"https://a.example/"}
{"path":"Recreation/Boats","url":"https://e.example/"}
{"path":"Top/Arts/Music","url":"https://f.example/"}
`

func TestEntries(t *testing.T) {
	d := of(JSONL, small)
	for _, c := range []struct {
		category Category
		want     []dowse.URL
	}{
		{Category{Path: "Recreation/Collecting/Lighthouses"}, []dowse.URL{"https://a.example/", "https://b.example/"}},
		{Category{Path: "/Top/Recreation/Collecting/Lighthouses/"}, []dowse.URL{"https://a.example/", "https://b.example/"}},
		{Category{Path: "Recreation/Collecting/Lighthouses", Include: Node}, []dowse.URL{"https://a.example/"}},
		{Category{Path: "Recreation/Collecting", Include: Node}, nil},
		{Category{Path: "Recreation/Collecting"}, []dowse.URL{"https://a.example/", "https://b.example/", "https://c.example/", "https://d.example/"}},
		{Category{Path: "Arts"}, []dowse.URL{"https://f.example/"}},
	} {
		equal(t, fmt.Sprint(c.category), urls(collect(t, d.Entries(c.category))), c.want)
	}
	got := collect(t, d.Entries(Category{Path: "Recreation/Collecting/Lighthouses/Lamps"}))
	equal(t, "entry", got, []Entry{{"Top/Recreation/Collecting/Lighthouses/Lamps", "https://b.example/", "Lamps", "Old lamps"}})
	equal(t, "all", len(collect(t, d.All())), 7)
	for range d.All() {
		break // leaving early is no error
	}
}

func TestNotFound(t *testing.T) {
	d := of(JSONL, small)
	for path, near := range map[string][]string{
		"Recreation/Collecting/Lighthouse":  {"Top/Recreation/Collecting/Lighthouses"},
		"recreation/collecting/light-house": {"Top/Recreation/Collecting/Lighthouses"},
		"Recreation/Colecting/Lighthuoses":  {"Top/Recreation/Collecting/Lighthouses"},
		"Lighthouses":                       {"Top/Recreation/Collecting/Lighthouses"},
		"Hobbies/Coins":                     {"Top/Recreation/Collecting/Coins"},
		"Xyzzy":                             {"Top/Recreation", "Top/Arts"},
	} {
		var err error
		for _, err = range d.Entries(Category{Path: path}) {
		}
		var missing *NotFoundError
		if !errors.As(err, &missing) {
			t.Errorf("%q: %v", path, err)
			continue
		}
		equal(t, path, missing.Near, near)
		if want := "did you mean " + near[0]; !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q in it", path, err, want)
		}
		if _, e := d.Contrast(Category{Path: path}, Siblings, 1, rng()); !errors.As(e, &missing) {
			t.Errorf("contrast to %q: %v", path, e)
		}
	}
	if _, err := of(JSONL, "\n").Sample(Category{Path: "A"}, 1, rng()); err == nil || strings.Contains(err.Error(), "did you mean") {
		t.Errorf("of an empty directory: %v", err)
	}
}

func rng() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

func TestContrast(t *testing.T) {
	d := of(JSONL, small)
	for _, c := range []struct {
		path  string
		kind  Contrast
		limit int
		want  []dowse.URL // in any order
	}{
		{"Recreation/Collecting/Lighthouses", Siblings, 9, []dowse.URL{"https://c.example/", "https://d.example/"}},
		{"Recreation/Collecting/Lighthouses", "", 9, []dowse.URL{"https://c.example/", "https://d.example/"}},
		{"Recreation/Collecting/Lighthouses", Random, 9, []dowse.URL{"https://c.example/", "https://d.example/", "https://e.example/", "https://f.example/"}},
		{"Recreation/Collecting/Lighthouses", None, 9, nil},
		{"Recreation/Collecting/Lighthouses", Random, 0, nil},
		{"Recreation/Boats", Siblings, 9, []dowse.URL{"https://a.example/", "https://b.example/", "https://c.example/", "https://d.example/"}},
		// None has the same parent: the category above that has others counts.
		{"Recreation/Collecting/Lighthouses/Lamps", Siblings, 9, []dowse.URL{"https://a.example/"}},
		{"Arts/Music", Siblings, 9, []dowse.URL{"https://a.example/", "https://b.example/", "https://c.example/", "https://d.example/", "https://e.example/"}},
	} {
		got, err := d.Contrast(Category{Path: c.path}, c.kind, c.limit, rng())
		if err != nil {
			t.Fatal(err)
		}
		list := urls(got)
		slices.Sort(list)
		equal(t, fmt.Sprint(c.path, " ", c.kind), list, c.want)
	}
	if _, err := d.Contrast(Category{Path: "Arts"}, "sibling", 1, rng()); err == nil {
		t.Error("a contrast that there is not passes")
	}
}

// Each entry of a stream has the same chance.
func TestSampleIsFair(t *testing.T) {
	var b strings.Builder
	for i := range 20 {
		fmt.Fprintf(&b, "{\"path\":\"A/B\",\"url\":\"http://u%d.example/\"}\n", i)
	}
	d := of(JSONL, b.String())
	r, drawn := rng(), map[dowse.URL]int{}
	const rounds, limit = 2000, 5
	for range rounds {
		list, err := d.Sample(Category{Path: "A"}, limit, r)
		if err != nil || len(list) != limit {
			t.Fatal(len(list), err)
		}
		for _, e := range list {
			drawn[e.URL]++
		}
	}
	for u, n := range drawn { // 500 expected, with a deviation of 19
		if n < 400 || n > 600 {
			t.Errorf("%s was drawn %d times of %d", u, n, rounds)
		}
	}
	equal(t, "drawn", len(drawn), 20)
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var gz, zst bytes.Buffer
	g := gzip.NewWriter(&gz)
	g.Write([]byte(small))
	g.Close()
	z, _ := zstd.NewWriter(&zst)
	z.Write([]byte(small))
	z.Close()
	const content, structure = `<RDF><ExternalPage about="http://a.example/"><topic>Top/A/B</topic></ExternalPage></RDF>`, `<RDF><Topic r:id="Top/A"><narrow r:resource="Top/A/C"/></Topic></RDF>`
	write("structure.rdf.u8", structure)
	for _, c := range []struct {
		path    string
		kind    Kind
		entries int
		err     string
	}{
		{path: write("a.jsonl", "\ufeff\n"+small), kind: JSONL, entries: 7},
		{path: write("a.jsonl.gz", gz.String()), kind: JSONL, entries: 7},
		{path: write("odd", zst.String()), kind: JSONL, entries: 7},
		{path: write("l.tsv", "url\ttopic\nhttp://a.example/\tTop/A\n"), kind: Labels, entries: 1},
		{path: write("m.tsv", "# mine\nhttp://a.example/\tTop/A\r\n"), kind: Labels, entries: 1},
		{path: write("content.rdf.u8", content), kind: RDF, entries: 1},
		{path: filepath.Join(dir, "structure.rdf.u8"), kind: RDF, entries: 1},
		{path: write("lone-structure.rdf", structure), err: "give the content file"},
		{path: write("x.json", "[{}]"), err: "JSON Lines"},
		{path: write("x.txt", "some words"), err: "want RDF"},
		{path: write("x.html", "<html>"), err: "want RDF"},
		{path: write("empty", " "), err: "file is empty"},
		{path: write("cut.gz", gz.String()[:12]), err: "EOF"},
		{path: dir, err: "is a folder"},
		{path: filepath.Join(dir, "nowhere"), err: "nowhere"},
	} {
		d, err := Open(c.path, Options{})
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v, want %q", c.path, err, c.err)
			}
			continue
		}
		if err != nil {
			t.Error(err)
			continue
		}
		equal(t, c.path, d.Kind(), c.kind)
		equal(t, c.path, len(collect(t, d.All())), c.entries)
		equal(t, c.path+" dirt", d.Dirt().Any(), false)
		if tree, err := d.Categories(); err != nil || c.kind == RDF && !tree.Has("A/C") {
			t.Errorf("%s: the structure file next to it was not read (%v)", c.path, err)
		}
	}
	if _, err := Open(filepath.Join(dir, "content.rdf.u8"), Options{Structure: filepath.Join(dir, "l.tsv")}); err == nil {
		t.Error("a label file passes for a structure file")
	}
}

func TestDirt(t *testing.T) {
	page := func(url, topic string) string {
		return `<ExternalPage about="` + url + `"><d:Title>T</d:Title><topic>` + topic + "</topic></ExternalPage>\n"
	}
	good := page("http://good.example/?a=1&amp;b=2", "Top/A_&amp;_B/C")
	want := []Entry{{Path: "Top/A_&_B/C", URL: "http://good.example/?a=1&b=2", Title: "T"}}
	for name, c := range map[string]struct {
		kind Kind
		text string
		dirt Dirt
	}{
		"clean":                    {RDF, good, Dirt{Entries: 1}},
		"comment":                  {RDF, "<!-- <ExternalPage about='x'> -- > -->" + good, Dirt{Entries: 1}},
		"broken tag":               {RDF, "<ExternalPage about=\"http://x.example/\n<d:Title>lost</d:Title></ExternalPage>" + good, Dirt{Entries: 1, Broken: 1}},
		"no end of a page":         {RDF, `<ExternalPage about="http://x.example/"><topic>Top/A</topic>` + good, Dirt{Entries: 1, Broken: 1}},
		"no end of the file":       {RDF, good + `<ExternalPage about="http://x.example/"><topic>Top/A</topic>`, Dirt{Entries: 1, Broken: 1}},
		"ends in a tag":            {RDF, good + `<ExternalPage about="htt`, Dirt{Entries: 1, Broken: 1}},
		"no about":                 {RDF, "<ExternalPage><topic>Top/A</topic></ExternalPage>" + good, Dirt{Entries: 1, Broken: 1}},
		"no topic":                 {RDF, `<ExternalPage about="http://x.example/"></ExternalPage>` + good, Dirt{Entries: 1, Paths: 1}},
		"no URL of the web":        {RDF, page("ftp://x.example/", "Top/A") + good, Dirt{Entries: 2, URLs: 1}},
		"bad UTF-8 in a URL":       {RDF, page("http://x.example/\xff", "Top/A") + good, Dirt{Entries: 2, URLs: 1}},
		"tag too long":             {RDF, "<" + strings.Repeat("x", maxTag+5) + ">" + good, Dirt{Entries: 1, Long: 1}},
		"path too long":            {RDF, page("http://x.example/", strings.Repeat("A/", maxPath)) + good, Dirt{Entries: 1, Paths: 1}},
		"path too deep":            {RDF, page("http://x.example/", strings.Repeat("A/", maxDepth+1)) + good, Dirt{Entries: 1, Paths: 1}},
		"JSON: broken":             {JSONL, "{\"path\":\n" + jsonGood, Dirt{Entries: 1, Broken: 1}},
		"JSON: other kind":         {JSONL, "{\"path\":1}\n" + jsonGood, Dirt{Entries: 1, Broken: 1}},
		"JSON: no path":            {JSONL, "{\"url\":\"http://x.example/\"}\n" + jsonGood, Dirt{Entries: 1, Paths: 1}},
		"JSON: long line":          {JSONL, `{"path":"` + strings.Repeat("x", maxLine) + "\"}\n" + jsonGood, Dirt{Entries: 1, Long: 1}},
		"JSON: long line, no more": {JSONL, jsonGood + strings.Repeat("x", maxLine+1), Dirt{Entries: 1, Long: 1}},
		"labels: one column":       {Labels, "topic\turl\nhttp://x.example/\nTop/A_&_B/C\thttp://good.example/?a=1&b=2", Dirt{Entries: 1, Broken: 1}},
	} {
		d := of(c.kind, c.text)
		got := collect(t, d.All())
		for i := range got {
			got[i].Title = "T"
		}
		equal(t, name, got, want)
		equal(t, name, d.Dirt(), c.dirt)
	}
	d := of(RDF, strings.Replace(good, ">T<", ">\xff \x1b[1mT<", 1))
	equal(t, "bad UTF-8", collect(t, d.All())[0].Title, "\ufffd [1mT")
	equal(t, "bad UTF-8", d.Dirt().String(), "nothing passed over; 1 texts with bad UTF-8 mended")
	equal(t, "words", Dirt{Broken: 2, URLs: 1}.String(), "passed over: 2 broken, 1 without a URL of the web")
}

const jsonGood = `{"path":"A_&_B/C","url":"http://good.example/?a=1&b=2","title":"T"}` + "\n"

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"": "Top", "Top": "Top", "/": "Top", "Top/": "Top", "A": "Top/A", "Top/A/B": "Top/A/B", "/Top//A / B/": "Top/A/B",
		"A/Top": "Top/A/Top", "Top/Top": "Top/Top", "Top/Top/A": "Top/Top/A", "Topology/A": "Top/Topology/A", "Top/A\u2003": "Top/A",
	} {
		equal(t, in, Clean(in), want)
		equal(t, "again "+in, Clean(Clean(in)), want)
	}
}

func TestSamples(t *testing.T) {
	d, err := Open(shareddata.Path(t, "data/odp-content-sample.rdf.u8"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	list := collect(t, d.All())
	equal(t, "entries", len(list), 6)
	equal(t, "last", list[5].Title, "Շունչ Յոգայի Ստուդիա")
	equal(t, "reference", list[4].Path, "Top/Arts/Animation/Cartoons/Titles/P/PB_&_J_Otter")
	equal(t, "dirt", d.Dirt(), Dirt{Entries: 6})
	tree, err := d.Categories()
	if err != nil {
		t.Fatal(err)
	}
	if !tree.Has("Arts/Weblogs") || tree.Has("Business/Arts_and_Entertainment") {
		t.Error("of the structure file, children are categories and related topics are not")
	}
	own, all := tree.Count("Arts/Animation")
	equal(t, "count", [2]int{own, all}, [2]int{4, 5})
}
