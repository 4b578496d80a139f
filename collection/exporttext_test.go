package collection_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/archive"
	"dowse/internal/durable"
	"dowse/settings"
	"dowse/topic"
)

// A wishfulWeb answers with pages that ask for something: in their heads, or in a header.
type wishfulWeb struct{}

// wishes are the paths of pages, what is in their heads, and a header.
var wishes = []struct{ path, head, header string }{
	{"/", "", ""},
	{"/noarchive", `<meta name=robots content=noarchive>`, ""},
	{"/noindex", `<meta name=robots content=noindex>`, ""},
	{"/tdm", `<meta name=tdm-reservation content=1>`, ""},
	{"/tdmheader", "", "TDM-Reservation: 1"},
	{"/ai", `<meta name=robots content="noai">`, ""},
	{"/aiheader", "", "X-Robots-Tag: noai, nofollow"},
	{"/german", "", ""},
	{"/formula", "", ""},
	{"/twin1", "", ""},
	{"/twin2", "", ""},
}

func (wishfulWeb) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := &http.Response{StatusCode: 404, Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}, Request: r, ProtoMajor: 1, ProtoMinor: 1}
	body := ""
	for i, p := range wishes {
		if r.URL.Path != p.path || r.URL.Host != "reef.test" {
			continue
		}
		answer.StatusCode = 200
		if name, value, ok := strings.Cut(p.header, ": "); ok {
			answer.Header.Set(name, value)
		}
		title, lang := "Coral reef "+p.path, "en"
		text := strings.Repeat(fmt.Sprintf("The coral reef number %d of %s has its own corals, and divers count them with care. ", i, strings.Repeat("x", i+1)), 4)
		switch p.path {
		case "/german":
			lang = "de"
		case "/formula":
			title = "=HYPERLINK(\"http://evil.test\",\"coral\")/../../CON"
		case "/twin1", "/twin2":
			text = strings.Repeat("The twin page about the coral reef repeats what the other one has already written down. ", 6)
		}
		var menu strings.Builder
		for _, q := range wishes {
			fmt.Fprintf(&menu, `<li><a href="%s">Menu entry %s</a>`, q.path, strings.TrimPrefix(q.path, "/"))
		}
		body = fmt.Sprintf(`<!doctype html><html lang=%s><head>%s<title>%s</title></head><body><ul>%s</ul><div><p>%s</p></div><div><p>This footer of the reef site has many words, and it stays the same on each of the pages.</p></div>`, lang, p.head, title, menu.String(), text)
	}
	answer.Body = io.NopCloser(strings.NewReader(body))
	return answer, nil
}

// wishful returns a collection of the pages of the wishfulWeb.
func wishful(t *testing.T) *collection.Collection { return gathered(t, wishfulWeb{}) }

// gathered returns a collection of the pages of a web, from the first page of reef.test.
func gathered(t *testing.T, web http.RoundTripper) *collection.Collection {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "reef.dowse")
	c, err := crawler.Open(dir, crawler.Config{
		Topic: &topic.Topic{Name: "reef", Words: []string{"coral reef"}}, Seeds: []string{"http://reef.test/"},
		Settings: settings.Settings{
			Order: settings.Order{Strategy: "breadth-first"}, Identity: settings.Identity{Agent: "reefbot", Contact: "https://example.org/bot"},
			Politeness: settings.Politeness{Delay: -1, InFlight: 1},
		}, Transport: web,
	})
	if err != nil {
		t.Fatal(err)
	}
	for range c.Crawl(context.Background()) {
	}
	if err := errors.Join(c.Err(), c.Close()); err != nil {
		t.Fatal(err)
	}
	return open(t, dir, true)
}

// paths returns the paths of the pages of a list, in order.
func paths(t *testing.T, b []byte) string {
	t.Helper()
	var list []string
	for _, l := range jsonLines(t, b) {
		list = append(list, strings.TrimPrefix(l["url"].(string), "http://reef.test/"))
	}
	return strings.Join(list, " ")
}

// What is selected, by each of the options, and what the data card has of it.
func TestExportSelection(t *testing.T) {
	c := wishful(t)
	all := collection.ExportOptions{All: true, Fields: []string{"url"}}
	with := func(change func(*collection.ExportOptions)) collection.ExportOptions {
		opt := all
		change(&opt)
		return opt
	}
	const everything = " noarchive noindex tdm tdmheader ai aiheader german formula twin1 twin2"
	for name, want := range map[string]struct {
		opt         collection.ExportOptions
		paths, left string
	}{
		"all":        {all, everything, ""},
		"respect":    {with(func(o *collection.ExportOptions) { o.Respect = []string{"all"} }), " german formula twin1 twin2", "noarchive:1 noindex:1 tdm:2 ai:2"},
		"tdm":        {with(func(o *collection.ExportOptions) { o.Respect = []string{"tdm"} }), " noarchive noindex ai aiheader german formula twin1 twin2", "tdm:2"},
		"text":       {with(func(o *collection.ExportOptions) { o.Text = "main" }), " noindex tdm tdmheader ai aiheader german formula twin1", "noarchive:1 exact duplicate:1"},
		"named text": {with(func(o *collection.ExportOptions) { o.Fields = []string{"url", "text"} }), " noindex tdm tdmheader ai aiheader german formula twin1", "noarchive:1 exact duplicate:1"},
		"text, none": {with(func(o *collection.ExportOptions) { o.Text, o.Respect, o.Distinct = "main", []string{"none"}, "none" }), everything, ""},
		"exact":      {with(func(o *collection.ExportOptions) { o.Distinct = "exact" }), " noarchive noindex tdm tdmheader ai aiheader german formula twin1", "exact duplicate:1"},
		"limit":      {with(func(o *collection.ExportOptions) { o.Limit = 3 }), " noarchive noindex", ""},
		"lang":       {with(func(o *collection.ExportOptions) { o.Where = "lang(de)" }), "german", "where:10"},
		"phrase":     {with(func(o *collection.ExportOptions) { o.Where = `phrase("twin page") and not url_suffix(2)` }), "twin1", "where:10"},
		"cel":        {with(func(o *collection.ExportOptions) { o.Where = `page.url.endsWith("/tdm") || page.lang == "de"` }), "tdm german", "where:9"},
		"tree": {with(func(o *collection.ExportOptions) {
			o.Where = `{all: [{lang: en}, {words: "100.."}, {robots_flags: noindex}]}`
		}), "noindex", "where:10"},
		"min-score": {with(func(o *collection.ExportOptions) { o.MinScore = 1 }), "", "min-score:11"},
	} {
		path, _ := export(t, c, "a.jsonl", want.opt)
		if got := paths(t, readAll(t, path)); got != want.paths {
			t.Errorf("%s: %q, want %q", name, got, want.paths)
		}
		var card struct {
			Pages   int
			LeftOut []struct {
				Reason string
				Pages  int
			} `json:"left_out"`
		}
		if err := json.Unmarshal(readAll(t, path+".card.json"), &card); err != nil {
			t.Fatal(err)
		}
		var left []string
		for _, l := range card.LeftOut {
			left = append(left, fmt.Sprintf("%s:%d", l.Reason, l.Pages))
		}
		if got := strings.Join(left, " "); got != want.left || card.Pages != len(jsonLines(t, readAll(t, path))) {
			t.Errorf("%s: the card has %d pages, left out %q, want %q", name, card.Pages, got, want.left)
		}
	}
}

// The flags for robots that the header of an answer sets are in every export, whether it reads the
// documents of pages or not, and conditions find them.
func TestExportHeaderFlags(t *testing.T) {
	c := wishful(t)
	for name, opt := range map[string]collection.ExportOptions{
		"without text": {},
		"main text":    {Text: "main"},
		"all text":     {Text: "all"},
		"words":        {Fields: []string{"url", "robots_flags", "words"}},
		"condition":    {Text: "main", Where: "{robots_flags: nofollow}"},
	} {
		opt.All, opt.Respect, opt.Distinct = true, []string{"none"}, "none"
		path, _ := export(t, c, "a.jsonl", opt)
		flags := map[string]string{}
		for _, l := range jsonLines(t, readAll(t, path)) {
			if l["robots_flags"] != nil {
				flags[strings.TrimPrefix(l["url"].(string), "http://reef.test")] = fmt.Sprint(l["robots_flags"])
			}
		}
		want := map[string]string{"/noarchive": "[noarchive]", "/noindex": "[noindex]", "/aiheader": "[nofollow]"}
		if opt.Where != "" {
			want = map[string]string{"/aiheader": "[nofollow]"}
		}
		if diff := cmp.Diff(want, flags); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// A sample is the same at every export, and a larger one contains the smaller ones.
func TestExportSample(t *testing.T) {
	c := wishful(t)
	var smaller []string
	for _, n := range []int{1, 4, 7, 20} {
		path, _ := export(t, c, "a.jsonl", collection.ExportOptions{All: true, Fields: []string{"url"}, Sample: n})
		lines := jsonLines(t, readAll(t, path))
		var urls []string
		for _, l := range lines {
			urls = append(urls, l["url"].(string))
		}
		if len(urls) != min(n, len(wishes)) {
			t.Errorf("%d pages in a sample of %d", len(urls), n)
		}
		for _, u := range smaller {
			if !slices.Contains(urls, u) {
				t.Errorf("%s is in a smaller sample and not in that of %d", u, n)
			}
		}
		smaller = urls
	}
}

// Mistakes in options name the place and the cause, and leave no file.
// A pageWithout is a web whose second page has no text of its own, and whose third has a listing.
type pageWithout struct{}

func (pageWithout) RoundTrip(r *http.Request) (*http.Response, error) {
	body := map[string]string{
		"/":      `<title>Coral reef</title><article><h1>Coral reef</h1><p>The coral reef is counted by divers, who write down how many corals, crabs and fish there are each year.</p></article><a href=/links>Links</a> <a href=/code>Code</a>`,
		"/links": `<title>Coral reef links</title><nav><a href=/>Coral reef</a></nav><ul><li><a href=/code>Coral reef code</a></li></ul>`,
		"/code":  "<title>Coral reef code</title><article><h1>Coral code</h1><p>The corals of a coral reef are counted by this program, which divers start after they have come home.</p><pre>for reef in reefs:\n    count(reef)</pre></article>",
	}[r.URL.Path]
	answer := &http.Response{StatusCode: 404, Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}, Request: r, ProtoMajor: 1, ProtoMinor: 1}
	if body != "" && r.URL.Host == "reef.test" {
		answer.StatusCode = 200
	}
	answer.Body = io.NopCloser(strings.NewReader(body))
	return answer, nil
}

// TestExportPagesWithoutText shows that an export of texts has only pages that have one, and counts the others, and
// that listings keep their lines.
func TestExportPagesWithoutText(t *testing.T) {
	c := gathered(t, pageWithout{})
	for text, want := range map[string]string{"main": " code", "all": " links code", "none": " links code"} {
		var b bytes.Buffer
		if _, err := c.Export(t.Context(), "-", collection.ExportOptions{All: true, Text: text, Distinct: "none", Stdout: &b}); err != nil {
			t.Fatal(err)
		}
		if got := paths(t, b.Bytes()); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
		if listing := `for reef in reefs:\n    count(reef)`; text != "none" && !strings.Contains(b.String(), listing) {
			t.Errorf("%s has no lines of the listing:\n%s", text, b.String())
		}
	}
	out := filepath.Join(t.TempDir(), "a.parquet")
	if n, err := c.Export(t.Context(), out, collection.ExportOptions{All: true}); err != nil || n != 2 {
		t.Fatalf("%d pages, %v", n, err)
	}
	card, err := os.ReadFile(out + ".card.md")
	if err != nil || !strings.Contains(string(card), "| no text | the page has no text of its own, or none at all if all text is exported | 1 |") {
		t.Errorf("the card does not count the page:\n%s%v", card, err)
	}
}

func TestExportMistakes(t *testing.T) {
	c := wishful(t)
	dir := t.TempDir()
	for want, opt := range map[string]collection.ExportOptions{
		`column 14: `:                    {Where: "lang(de) and keywrd(reef)"},
		`where: .*no_such`:               {Where: `page.no_such > 3`},
		`where: .*wrods`:                 {Where: `{wrods: 3}`},
		`where: category "foo" can't be`: {Where: "category(foo) or lang(de)"},
		`respect: "tmd" is unknown`:      {Respect: []string{"tmd"}},
		`distinct: "nearly" is unknown`:  {Distinct: "nearly"},
		`text: "some" is unknown`:        {Text: "some"},
		`must not be negative`:           {Limit: -1},
		`min-score: got 2, want 0 to 1`:  {MinScore: 2},
		`no field is called "colour"`:    {Fields: []string{"colour"}},
		`fields: url is named twice`:     {Fields: []string{"url", "title", "url"}},
		`text: none, but the fields`:     {Fields: []string{"url", "text"}, Text: "none"},
		`holds no list of pages`:         {Format: "decisions.jsonl", Limit: 3},
		`are for lists of pages`:         {Format: "wacz", Sample: 3},
		`graph: "towns" is unknown`:      {Format: "gexf", Graph: "towns"},
		`looks for pages, not for sites`: {Format: "gexf", Graph: "sites"},
		`graph: jsonl is no graph`:       {Graph: "hosts"},
		`fields: wacz has none`:          {Format: "wacz", Fields: []string{"url"}},
		`text: gexf holds no texts`:      {Format: "gexf", Text: "main"},
	} {
		_, err := c.Export(t.Context(), filepath.Join(dir, "a.jsonl"), opt)
		if err == nil || !regexp.MustCompile(want).MatchString(err.Error()) {
			t.Errorf("%+v: %v, want %s", opt, err, want)
		}
		if err != nil && !errors.Is(err, collection.ErrSuffix) && !errors.Is(err, collection.ErrNoSites) {
			t.Errorf("%v: is not one that the user can correct", err)
		}
	}
	if names, _ := os.ReadDir(dir); len(names) != 0 {
		t.Errorf("left behind: %v", names)
	}
}

// An export without pages states why.
func TestExportOfNothing(t *testing.T) {
	c := wishful(t)
	later := time.Date(2999, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		opt  collection.ExportOptions
		want string
	}{
		"where.jsonl":     {collection.ExportOptions{All: true, Where: "lang(fr)"}, "the export has no pages: 11 pages: the condition does not hold"},
		"score.csv":       {collection.ExportOptions{All: true, MinScore: 1}, "the export has no pages: 11 pages: the relevance is below the least one asked for"},
		"where.warc.gz":   {collection.ExportOptions{Where: "lang(fr)", Respect: []string{"none"}}, "the export has no pages: 11 pages: the condition does not hold"},
		"since.jsonl":     {collection.ExportOptions{Since: later}, "the export has no pages: no such page was fetched since 2999-01-01T00:00:00Z"},
		"changed.parquet": {collection.ExportOptions{Changed: later}, "the export has no pages: no such page has changed since 2999-01-01T00:00:00Z"},
	} {
		before := len(c.Notices)
		if _, n := export(t, c, name, test.opt); n != 0 || !slices.Contains(c.Notices[before:], test.want) {
			t.Errorf("%s: %d pages, notes %q; want %q", name, n, c.Notices[before:], test.want)
		}
	}
	before := len(c.Notices)
	if export(t, c, "all.jsonl", collection.ExportOptions{All: true}); len(c.Notices) != before {
		t.Errorf("an export with pages has the notes %q", c.Notices[before:])
	}
}

// A page that declares no language has the one that its words look like: for a condition, also in an export
// without texts, and in the data card, which counts the languages of the list.
func TestExportUndeclaredLanguage(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "reef.dowse")
	(&waveringWeb{}).crawl(t, dir) // its pages declare no language
	c := open(t, dir, true)
	if _, n := export(t, c, "a.jsonl", collection.ExportOptions{All: true, Where: "lang(en)", Fields: []string{"url"}}); n != len(waverings) {
		t.Errorf("the condition holds for %d pages, want %d", n, len(waverings))
	}
	path, n := export(t, c, "b.jsonl", collection.ExportOptions{All: true, Text: "main", Distinct: "none", Respect: []string{"none"}})
	var card struct{ Languages map[string]int }
	if err := json.Unmarshal(readAll(t, path+".card.json"), &card); err != nil {
		t.Fatal(err)
	}
	listed := map[string]int{}
	for _, l := range jsonLines(t, readAll(t, path)) {
		listed[fmt.Sprint(l["lang"])]++
	}
	if diff := cmp.Diff(listed, card.Languages); diff != "" || listed["en"] != n {
		t.Errorf("languages of %d pages, list and card: %v, %s", n, listed, diff)
	}
}

// The own text is without the menu and the footer, which all pages of the host repeat, and
// the bytes are the same however many processors there are.
func TestExportMainText(t *testing.T) {
	c := wishful(t)
	opt := collection.ExportOptions{All: true, Text: "main", Distinct: "none"}
	path, _ := export(t, c, "a.jsonl", opt)
	for _, l := range jsonLines(t, readAll(t, path)) {
		text := l["text"].(string)
		if strings.Contains(text, "Menu entry") || strings.Contains(text, "footer") || !strings.Contains(text, "reef") {
			t.Errorf("%s: %q", l["url"], text)
		}
		if n, _ := l["token_count"].(float64); n < 50 || l["lang_score"] == nil {
			t.Errorf("%s: %v tokens, certainty %v", l["url"], l["token_count"], l["lang_score"])
		}
	}
	for _, name := range []string{"a.jsonl", "a.csv.zst", "a.parquet"} {
		first, _ := export(t, c, name, opt)
		before := runtime.GOMAXPROCS(1)
		second, _ := export(t, c, name, opt)
		runtime.GOMAXPROCS(before)
		for _, suffix := range []string{"", ".card.md", ".card.json"} {
			if !bytes.Equal(readAll(t, first+suffix), readAll(t, second+suffix)) {
				t.Errorf("%s%s: other bytes at the second export", name, suffix)
			}
		}
	}
	whole, _ := export(t, c, "b.jsonl", collection.ExportOptions{All: true, Text: "all"})
	if !bytes.Contains(readAll(t, whole), []byte("Menu entry")) {
		t.Error("the whole text is without the menu")
	}
}

// No cell of a table begins a formula, and a reader can undo what prevents it.
func TestExportFormulas(t *testing.T) {
	c := wishful(t)
	path, _ := export(t, c, "a.csv", collection.ExportOptions{All: true, Fields: []string{"url", "title"}})
	rows, err := csv.NewReader(bytes.NewReader(readAll(t, path))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, row := range rows {
		if strings.ContainsRune("=+-@", rune(row[1][0])) {
			t.Errorf("a formula: %q", row[1])
		}
		found = found || strings.HasPrefix(row[1], "'=HYPERLINK")
	}
	if !found {
		t.Error("the title is lost")
	}
}

// Pages that ask not to be archived are in no archive unless that is asked for.
func TestArchivesWithoutNoarchive(t *testing.T) {
	c := wishful(t)
	const body = "The coral reef number 1 of xx "
	for _, name := range []string{"a.warc.gz", "a.wacz"} {
		for respect, want := range map[string]bool{"": false, "none": true} {
			opt := collection.ExportOptions{All: true}
			if respect != "" {
				opt.Respect = []string{respect}
			}
			path, n := export(t, c, name, opt)
			if has := archiveHas(t, path, body); has != want {
				t.Errorf("%s, respect %q: the page is in it: %v", name, respect, has)
			}
			if wantPages := len(wishes) - map[bool]int{false: 1}[want]; n != wantPages {
				t.Errorf("%s, respect %q: %d pages, want %d", name, respect, n, wantPages)
			}
		}
	}
	path, n := export(t, c, "de.wacz", collection.ExportOptions{All: true, Where: "lang(de)"})
	if n != 1 || archiveHas(t, path, body) {
		t.Errorf("a WACZ of one page has %d", n)
	}
}

// archiveHas reports whether a WARC file, or those of a WACZ, have a response with a text.
func archiveHas(t *testing.T, path, text string) bool {
	t.Helper()
	web, err := archive.OpenWeb(path)
	if err != nil {
		t.Fatal(err)
	}
	defer web.Close()
	for u := range web.URLs() {
		r, _ := http.NewRequest("GET", string(u), nil)
		answer, err := web.RoundTrip(r)
		if err != nil {
			continue
		}
		b, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if strings.Contains(string(b), text) {
			return true
		}
	}
	return false
}

// A list is divided between pages, and the files together are the list.
func TestExportShards(t *testing.T) {
	c := wishful(t)
	whole, n := export(t, c, "a.jsonl", collection.ExportOptions{All: true, Text: "all", Distinct: "none"})
	for _, name := range []string{"a.jsonl", "a.jsonl.gz", "a.parquet"} {
		dir := t.TempDir()
		m, err := c.Export(t.Context(), filepath.Join(dir, name), collection.ExportOptions{All: true, Text: "all", Distinct: "none", Shard: 3000})
		if err != nil || m != n {
			t.Fatalf("%s: %d pages of %d, %v", name, m, n, err)
		}
		stem, suffix, _ := strings.Cut(name, ".")
		files, _ := filepath.Glob(filepath.Join(dir, stem+"-0*."+suffix))
		if len(files) < 3 || filepath.Base(files[0]) != "a-00000."+suffix {
			t.Fatalf("%s: %v", name, files)
		}
		var together []byte
		rows := 0
		for _, f := range files {
			if suffix == "parquet" {
				rows += len(parquetRows(t, f))
			} else {
				together = append(together, unpacked(t, f)...)
			}
		}
		if suffix == "parquet" && rows != n || suffix != "parquet" && !bytes.Equal(together, readAll(t, whole)) {
			t.Errorf("%s: the files together are not the list", name)
		}
		if _, err := os.Stat(filepath.Join(dir, name+".card.json")); err != nil {
			t.Error(err)
		}
		if _, err := c.Export(t.Context(), filepath.Join(dir, name), collection.ExportOptions{All: true, Shard: 3000}); !errors.Is(err, collection.ErrExists) {
			t.Errorf("%s: files were replaced: %v", name, err)
		}
		if _, err := c.Export(t.Context(), filepath.Join(dir, name), collection.ExportOptions{All: true, Shard: 1 << 20, Force: true}); err != nil {
			t.Fatal(err)
		}
		if files, _ = filepath.Glob(filepath.Join(dir, stem+"-0*."+suffix)); len(files) != 1 {
			t.Errorf("%s: files of the export that was replaced are left: %v", name, files)
		}
	}
}

// parquetRows reads a file value by value, by the generic reader of the library.
func parquetRows(t *testing.T, path string) (rows []map[string]any) {
	t.Helper()
	b := readAll(t, path)
	f, err := parquet.OpenFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	columns := f.Schema().Columns()
	for _, group := range f.RowGroups() {
		r := group.Rows()
		for {
			var buf [1]parquet.Row
			n, err := r.ReadRows(buf[:])
			if n == 1 {
				m := map[string]any{}
				for _, v := range buf[0] {
					name := columns[v.Column()][0]
					switch {
					case v.IsNull():
					case len(columns[v.Column()]) > 1:
						list, _ := m[name].([]string)
						m[name] = append(list, v.String())
					default:
						m[name] = v.String()
					}
				}
				rows = append(rows, m)
			}
			if err != nil {
				break
			}
		}
		r.Close()
	}
	return rows
}

// The columns of FineWeb come first, and the values are those of the list in JSON.
func TestExportParquet(t *testing.T) {
	c := wishful(t)
	opt := collection.ExportOptions{All: true, Text: "main", Distinct: "none", Respect: []string{"none"}}
	path, n := export(t, c, "a.parquet", opt)
	b := readAll(t, path)
	f, err := parquet.OpenFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, field := range f.Schema().Fields() {
		names = append(names, field.Name())
	}
	if got := strings.Join(names[:10], " "); got != "text id dump url date file_path language language_score token_count score" {
		t.Errorf("columns %s", got)
	}
	for _, column := range f.Metadata().RowGroups[0].Columns {
		if codec := column.MetaData.Codec.String(); codec != "ZSTD" {
			t.Errorf("%v is compressed by %s", column.MetaData.PathInSchema, codec)
		}
	}
	rows := parquetRows(t, path)
	list, _ := export(t, c, "a.jsonl", opt)
	lines := jsonLines(t, readAll(t, list))
	if len(rows) != n || len(lines) != n {
		t.Fatalf("%d rows, %d lines, %d pages", len(rows), len(lines), n)
	}
	ids := map[any]bool{}
	for i, row := range rows {
		ids[row["id"]] = true
		for column, fact := range map[string]string{"text": "text", "url": "url", "language": "lang", "title": "title", "file_path": "warc", "verdict": "verdict"} {
			want, _ := lines[i][fact].(string)
			if got, _ := row[column].(string); got != want {
				t.Errorf("row %d, %s: %q, want %q", i, column, got, want)
			}
		}
		if want, ok := lines[i]["use_flags"]; ok && fmt.Sprint(row["use_flags"]) != fmt.Sprint(want) {
			t.Errorf("row %d: %v, want %v", i, row["use_flags"], want)
		}
	}
	if len(ids) != n {
		t.Errorf("%d different ids of %d", len(ids), n)
	}
	path, _ = export(t, c, "b.parquet", collection.ExportOptions{All: true, Text: "none", Fields: []string{"url", "relevance", "because", "licence"}})
	if rows := parquetRows(t, path); len(rows) != len(wishes) || rows[0]["because"] == nil || rows[0]["text"] != nil {
		t.Errorf("%v", rows[0])
	}
}

// A folder has one file per page, below it and with names that every file system takes.
func TestExportMarkdown(t *testing.T) {
	c := wishful(t)
	out := filepath.Join(t.TempDir(), "a.md")
	opt := collection.ExportOptions{All: true, Distinct: "none", Respect: []string{"none"}}
	n, err := c.Export(t.Context(), out, opt)
	if err != nil || n != len(wishes) {
		t.Fatalf("%d pages, %v", n, err)
	}
	var files []string
	safe := regexp.MustCompile(`^(README\.md|card\.json|pages/[a-z0-9.-]+/[a-z0-9-]+\.md)$`)
	err = fs.WalkDir(os.DirFS(out), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			if !safe.MatchString(path) {
				t.Errorf("the name %q", path)
			}
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) != n+2 {
		t.Fatalf("%d files of %d pages, %v", len(files), n, err)
	}
	found, _ := filepath.Glob(filepath.Join(out, "pages", "reef.test", "formula-*.md"))
	if len(found) != 1 {
		t.Fatalf("%v", files)
	}
	text := string(readAll(t, found[0]))
	if !strings.HasPrefix(text, "---\nurl: \"http://reef.test/formula\"\ntitle: \"=HYPERLINK(\\\"http://evil.test") || strings.Contains(text, "Menu entry") || !strings.Contains(text, "\n---\n\nThe coral reef") {
		t.Errorf("%s", text)
	}
	if _, err := c.Export(t.Context(), out, opt); !errors.Is(err, collection.ErrExists) {
		t.Errorf("a folder was replaced: %v", err)
	}
	opt.Force = true
	if _, err := c.Export(t.Context(), out, opt); err != nil {
		t.Errorf("a folder of an export was not replaced: %v", err)
	}
	mine := filepath.Join(t.TempDir(), "mine.md")
	if err := os.Mkdir(mine, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Export(t.Context(), mine, opt); err == nil || !strings.Contains(err.Error(), "no export has written") {
		t.Errorf("a folder of a person was replaced: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(out), "*")); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(out), ".dowse*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestExportContinues interrupts an export of several files after every file, and continues it. The files
// and the data card are those of an export that was not interrupted, and files that were complete are not touched.
// TestExportWithoutCard shows that an export whose data card can't be written leaves nothing, so that it can be repeated.
func TestExportWithoutCard(t *testing.T) {
	c := wishful(t)
	dir := t.TempDir()
	out := filepath.Join(dir, "a.jsonl")
	end := durable.Inject(func(op durable.Op, path string) error {
		if _, err := os.Stat(out); op == durable.OpOpen && strings.HasPrefix(path, dir) && err == nil {
			return syscall.ENOSPC
		}
		return nil
	})
	_, err := c.Export(t.Context(), out, collection.ExportOptions{})
	end()
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("%v, want that the disk is full", err)
	}
	if names, _ := os.ReadDir(dir); len(names) != 0 {
		t.Errorf("left behind: %v", names)
	}
	if _, err := c.Export(t.Context(), out, collection.ExportOptions{}); err != nil {
		t.Errorf("repeated: %v", err)
	}
}

func TestExportContinues(t *testing.T) {
	c := wishful(t)
	opt := collection.ExportOptions{All: true, Text: "all", Shard: 1500, Distinct: "near", Software: "test"}
	whole := t.TempDir()
	if _, err := c.Export(t.Context(), filepath.Join(whole, "a.jsonl.gz"), opt); err != nil {
		t.Fatal(err)
	}
	want := folderContents(t, whole)
	if len(want) < 5 {
		t.Fatalf("%d files are too few for the test", len(want))
	}
	dir := t.TempDir()
	out := filepath.Join(dir, "a.jsonl.gz")
	before := map[string]string{}
	for n := 0; ; n++ {
		// After each file that is complete the disk is full.
		files := len(before)
		end := durable.Inject(func(op durable.Op, path string) error {
			if shards, _ := filepath.Glob(filepath.Join(dir, "a-*.gz")); op == durable.OpOpen && strings.HasPrefix(path, dir) && len(shards) > files {
				return syscall.ENOSPC
			}
			return nil
		})
		_, err := c.Export(t.Context(), out, opt)
		end()
		got := folderContents(t, dir)
		for name, data := range before {
			if got[name] != data {
				t.Fatalf("%s was changed", name)
			}
		}
		if err == nil {
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			if n < 2 {
				t.Errorf("the export was interrupted %d times", n)
			}
			break
		}
		if !strings.Contains(err.Error(), "the same export continues") || n > 50 {
			t.Fatalf("%d: %v", n, err)
		}
		before = map[string]string{}
		for name, data := range got {
			if strings.HasPrefix(name, "a-") {
				before[name] = data
			}
		}
	}
	// Another export in its place is refused.
	if err := os.WriteFile(out+".progress", []byte("{}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	os.Remove(out + ".card.json")
	os.Remove(out + ".card.md")
	if _, err := c.Export(t.Context(), out, opt); !errors.Is(err, collection.ErrExists) {
		t.Errorf("an unfinished export of something else: %v", err)
	}
}

// folderContents returns the files of a folder by their names.
func folderContents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(data)
	}
	return files
}
