package facts_test

import (
	"encoding/json"
	"fmt"
	"math"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"dowse"
	"dowse/internal/facts"
)

// wholeRow is a page of which everything is known, and what every fact of it is in JSON.
func wholeRow() (*facts.Row, map[string]string) {
	links, score, parent := 2, 0.25, 0.75
	const text = "Write to reef@example.org today"
	r := &facts.Row{
		Page: &dowse.Page{
			URL: "http://www.example.org:8080/a/b?c=d", Depth: 3, Hops: 1, Again: true, LinksIn: &links, Near: "http://near.test/",
			Reason: dowse.FailTimeout, Detail: "after 20 s", Lead: dowse.Lead{Priority: 0.5},
			Fetch: dowse.Fetch{
				At: time.Unix(100, 0).UTC(), Took: 570 * time.Millisecond, Status: 200, Type: "text/html", Charset: "utf-8", Bytes: 10, Wire: 12,
				Truncated: true, Address: netip.MustParseAddr("192.0.2.7"), Archive: dowse.Place{File: "a.warc.gz", Offset: 5, Length: 7},
			},
			Document: dowse.Document{
				Title: "Reefs <&>", Language: "en", Description: "about reefs", Keywords: "reef, sea", Text: text, Words: dowse.Words(text),
				Headings: []dowse.Heading{{Level: 1, Text: "One"}, {Level: 2, Text: "Two"}}, Links: make([]dowse.Link, 4),
				Published: time.Unix(200, 0).UTC(), Modified: time.Unix(300, 0).UTC(), Types: []string{"Article"}, Licences: []dowse.URL{"http://l.test/"},
				Canonical: "http://canonical.test/", NoFollow: true, NoArchive: true, Cut: "links", Images: []string{"/i.png"},
				Meta: []dowse.Meta{{Name: "author", Content: "A"}, {Name: "og:type", Content: "x"}, {Name: "author", Content: "B"}},
			},
			Verdict: dowse.Verdict{Relevance: 0.9, Judge: "words/2", Scale: "share", Because: []dowse.Because{{What: "reef", Weight: 1.5, Count: 2}, {What: "bias", Weight: math.NaN()}}},
		},
		State: dowse.Dead, Judged: true, Threshold: 0.5, Seen: time.Unix(50, 0).UTC(), Parent: "http://parent.test/p", Redirect: "http://end.test/",
		Anchors: []string{"first", "second"}, ParentScore: &parent, ParentHost: "parent.test", Score: &score,
		Reserved: []string{"tdm", "ai"},
		Spell:    func(what string) string { return map[string]string{"reef": "reefs"}[what] },
	}
	return r, map[string]string{
		"url": `"http://www.example.org:8080/a/b?c=d"`, "title": `"Reefs <&>"`, "host": `"www.example.org"`, "tld": `"org"`, "path": `"/a/b"`,
		"state": `"failed"`, "reason": `"net.timeout"`, "detail": `"after 20 s"`, "relevance": `0.9`, "on_topic": `true`, "verdict": `"on"`,
		"lang": `"en"`, "seen": `"1970-01-01T00:00:50Z"`, "fetched": `"1970-01-01T00:01:40Z"`, "took": `0.57`, "status": `200`, "mime": `"text/html"`,
		"charset": `"utf-8"`, "size": `10`, "wire": `12`, "truncated": `true`, "address": `"192.0.2.7"`, "again": `true`, "words": `6`, "links_out": `4`,
		"links_in": `2`, "published": `"1970-01-01T00:03:20Z"`, "modified": `"1970-01-01T00:05:00Z"`, "schema_org": `["Article"]`, "licence": `["http://l.test/"]`,
		"robots_flags": `["nofollow","noarchive"]`, "canonical": `"http://canonical.test/"`, "priority": `0.5`, "depth": `3`, "hops": `1`,
		"parent": `"http://parent.test/p"`, "parent.score": `0.75`, "parent.host": `"parent.test"`, "anchor": `"first"`, "near": `"http://near.test/"`,
		"redirect": `"http://end.test/"`, "cut": `"links"`, "warc": `"a.warc.gz"`, "offset": `5`, "length": `7`, "judge": `"words/2"`, "scale": `"share"`,
		"because": `[{"what":"reef","word":"reefs","weight":1.5,"count":2},{"what":"bias","weight":0}]`, "description": `"about reefs"`,
		"keywords": `"reef, sea"`, "text": `"Write to reef@example.org today"`, "headings": `["One","Two"]`, "meta": `{"author":"A","og:type":"x"}`,
		"og": `{"type":"x"}`, "images": `["/i.png"]`, "emails": `["reef@example.org"]`,
		"lang_score": `0.08712587125871259`, "token_count": `8`, "use_flags": `["ai","tdm"]`,
	}
}

// Every fact that can be printed has the same value in each output: by itself, in the object
// of a page, in a selection, and added to the object by its name.
func TestEveryFactInEveryOutput(t *testing.T) {
	r, want := wholeRow()
	object := decode(t, must(r.MarshalJSON()))
	if string(object["schema"]) != `"page/v1"` {
		t.Errorf("schema %s, want page/v1", object["schema"])
	}
	delete(object, "schema")
	for _, f := range facts.All() {
		if f.Type == facts.Internal || f.Judging {
			if slices.Contains(facts.Names(true), f.Name) || object[f.Name] != nil {
				t.Errorf("%s can be printed; it is internal", f.Name)
			}
			continue
		}
		value, ok := want[f.Name]
		if !ok {
			t.Errorf("%s: this test does not know the fact; add its value", f.Name)
			continue
		}
		outputs := map[string]string{
			"alone":     string(must(f.JSON(r))),
			"selected":  string(decode(t, must(r.Select([]string{f.Name})))[f.Name]),
			"asked for": string(decode(t, must(r.With(f.Name)))[f.Name]),
		}
		if f.Printed {
			outputs["object"] = string(object[f.Name])
			delete(object, f.Name)
		} else if object[f.Name] != nil {
			t.Errorf("%s is part of the object of a page; it is printed only by name", f.Name)
		}
		for where, got := range outputs {
			if got != value {
				t.Errorf("%s, %s: %s, want %s", f.Name, where, got, value)
			}
		}
	}
	if len(object) > 0 {
		t.Errorf("members that are no facts: %v", object)
	}
}

// A page of which nothing is known has no member but those that every page of a crawl has, and
// a selection of any fact is null.
func TestNothingKnown(t *testing.T) {
	r := &facts.Row{Page: &dowse.Page{}, Apart: true}
	if got := string(must(r.MarshalJSON())); got != `{"schema":"page/v1"}` {
		t.Errorf("%s, want the schema alone", got)
	}
	for _, name := range facts.Names(true) {
		got := string(decode(t, must(r.Select([]string{name})))[name])
		if want := "null"; got != want && !(got == "0" && (name == "words" || name == "links_out")) {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

// Nothing of the content of a page is known if it can't be read, though its visit is.
func TestUnreadPage(t *testing.T) {
	r, want := wholeRow()
	r.Unread = true
	for _, f := range facts.All() {
		if f.Type == facts.Internal || f.Judging {
			continue
		}
		got, value := string(must(f.JSON(r))), want[f.Name]
		if f.Document {
			value = ""
		}
		if got != value {
			t.Errorf("%s is %q, want %q", f.Name, got, value)
		}
	}
}

// Names that are not those of facts, or of facts that are never printed, are refused where a
// selection asks for them and left out where they are added.
func TestUnknownNames(t *testing.T) {
	r, _ := wholeRow()
	for _, name := range []string{"colour", "", "Title", "note", "score", "sketch", "schema"} {
		if got, err := r.Select([]string{"url", name}); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("unknown fact %q", name)) {
			t.Errorf("%q was selected: %s, %v", name, got, err)
		}
		if got := must(r.With(name)); string(got) != string(must(r.MarshalJSON())) {
			t.Errorf("%q added something: %s", name, got)
		}
	}
	if facts.Named("colour") != nil {
		t.Error("there is a fact called colour")
	}
	for _, name := range facts.Names(false) {
		if facts.Named(name).Document {
			t.Errorf("%s is listed without a document", name)
		}
	}
}

// The schema has every fact that can be printed, and its value has the type that the schema
// names.
func TestSchemaOfEveryFact(t *testing.T) {
	r, _ := wholeRow()
	var doc struct {
		Schema     string   `json:"$schema"`
		Title      string   `json:"title"`
		Required   []string `json:"required"`
		Properties map[string]struct {
			Type, Format, Description, Const string
			Items                            struct{ Type string }
		}
	}
	if err := json.Unmarshal(facts.PageObject().Document("What is known of a page."), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Title != "page/v1" || !strings.Contains(doc.Schema, "2020-12") || !slices.Equal(doc.Required, []string{"schema", "url"}) {
		t.Errorf("%q %q %v", doc.Title, doc.Schema, doc.Required)
	}
	if doc.Properties["schema"].Const != "page/v1" {
		t.Errorf("schema: %+v", doc.Properties["schema"])
	}
	delete(doc.Properties, "schema")
	for _, name := range facts.Names(true) {
		f, p := facts.Named(name), doc.Properties[name]
		delete(doc.Properties, name)
		if !strings.HasPrefix(p.Description, f.Doc) || f.Unit != "" && !strings.Contains(p.Description, "("+f.Unit+")") {
			t.Errorf("%s: %q, want %q", name, p.Description, f.Doc)
		}
		if byName := strings.HasSuffix(p.Description, "; only if asked for by name"); byName == f.Printed {
			t.Errorf("%s: %q, and printed: %v", name, p.Description, f.Printed)
		}
		var v any
		if err := json.Unmarshal(must(f.JSON(r)), &v); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := jsonType(v); got != p.Type && !(got == "integer" && p.Type == "number") {
			t.Errorf("%s is of type %s, and the schema has %s", name, got, p.Type)
		}
		if (p.Format == "date-time") != (f.Type == facts.Date) {
			t.Errorf("%s: format %q of a %s", name, p.Format, f.Type)
		}
		if list, ok := v.([]any); ok && jsonType(list[0]) != p.Items.Type {
			t.Errorf("%s: items of type %s, and the schema has %s", name, jsonType(list[0]), p.Items.Type)
		}
	}
	for name := range doc.Properties {
		t.Errorf("%s is in the schema and can't be printed", name)
	}
}

// jsonType returns the name that JSON Schema has for the type of a decoded value.
func jsonType(v any) string {
	switch v := v.(type) {
	case string:
		return "string"
	case bool:
		return "boolean"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	case float64:
		if v == math.Trunc(v) {
			return "integer"
		}
		return "number"
	}
	return "null"
}

// The schema of a struct follows its json and doc tags, with embedded structs, and knows what is
// left out when it is empty.
func TestSchemaOfStruct(t *testing.T) {
	type inner struct {
		N int `json:"n"`
	}
	type outer struct {
		Schema string            `json:"schema"`
		Name   string            `json:"name" doc:"what it is called"`
		At     time.Time         `json:"at,omitzero"`
		Took   facts.Seconds     `json:"took,omitempty"`
		List   []inner           `json:"list"`
		Map    map[string]bool   `json:"map"`
		Ptr    *float64          `json:"ptr,omitempty"`
		Row    *facts.Row        `json:"row,omitempty"`
		Hidden string            `json:"-"`
		Table  map[string]string `json:"table,omitempty"`
		*inner
	}
	raw, err := json.Marshal(facts.SchemaOf(outer{}, "outer/v1"))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Title, Type string
		Required    []string
		Properties  map[string]map[string]any
	}
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	if got.Title != "outer/v1" || got.Type != "object" || !slices.Equal(got.Required, []string{"schema", "name", "list", "map", "n"}) {
		t.Errorf("%s %s, required %v", got.Title, got.Type, got.Required)
	}
	for name, want := range map[string]string{
		"schema": "map[const:outer/v1]", "name": "map[description:what it is called type:string]", "at": "map[format:date-time type:string]",
		"took": "map[type:number]", "list": "map[items:map[properties:map[n:map[type:integer]] required:[n] type:object] type:array]",
		"map": "map[additionalProperties:map[type:boolean] type:object]", "ptr": "map[type:number]", "n": "map[type:integer]",
		"table": "map[additionalProperties:map[type:string] type:object]",
	} {
		if s := fmt.Sprint(got.Properties[name]); s != want {
			t.Errorf("%s: %s, want %s", name, s, want)
		}
	}
	if got.Properties["row"]["title"] != "page/v1" || got.Properties["Hidden"] != nil || got.Properties["-"] != nil {
		t.Errorf("row %v, hidden %v", got.Properties["row"]["title"], got.Properties["Hidden"])
	}
	for name, v := range map[string]any{"a duration": struct {
		D time.Duration `json:"d"`
	}{}, "a channel": struct {
		C chan int `json:"c"`
	}{}} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("there is a schema for it; JSON can't hold it as it should be")
				}
			}()
			facts.SchemaOf(v, "x/v1")
		})
	}
}

// A takedown clears every fact that has a field, but for those that the books need. The page is
// filled by reflection, so that a new fact is part of the test.
func TestClearEveryFact(t *testing.T) {
	p := &dowse.Page{URL: "http://a.test/"}
	fill(t, reflect.ValueOf(p).Elem())
	for _, f := range facts.All() {
		if f.Field != nil && reflect.ValueOf(f.Field(p)).Elem().IsZero() {
			t.Fatalf("%s was not filled", f.Name)
		}
	}
	if facts.IsClear(p) {
		t.Error("a full page counts as clear")
	}
	left := facts.Clear(p)
	if !facts.IsClear(left) || left.URL != p.URL {
		t.Errorf("left: %+v", left)
	}
	for _, f := range facts.All() {
		if f.Field == nil {
			continue
		}
		was, is := reflect.ValueOf(f.Field(p)).Elem(), reflect.ValueOf(f.Field(left)).Elem()
		if f.Kept && !reflect.DeepEqual(was.Interface(), is.Interface()) {
			t.Errorf("%s is kept: %v, want %v", f.Name, is, was)
		}
		if !f.Kept && !is.IsZero() {
			t.Errorf("%s is still %v", f.Name, is)
		}
		if f.Kept || f.Name == "outcome" || f.Name == "reason" {
			continue
		}
		one := facts.Clear(p)
		reflect.ValueOf(f.Field(one)).Elem().Set(was)
		if facts.IsClear(one) {
			t.Errorf("a page with %s counts as clear", f.Name)
		}
	}
	if !facts.ClearByStrategy(p) {
		t.Error("nothing of a full page was written by a strategy")
	}
	for _, f := range facts.All() {
		if f.Field != nil && reflect.ValueOf(f.Field(p)).Elem().IsZero() != f.ByStrategy {
			t.Errorf("%s after ClearByStrategy: %v, and it is made by strategies: %v", f.Name, reflect.ValueOf(f.Field(p)).Elem(), f.ByStrategy)
		}
	}
	if facts.ClearByStrategy(p) {
		t.Error("something of a cleared page was written by a strategy")
	}
}

// fill sets every field of a value to something that is not zero.
func fill(t *testing.T, v reflect.Value) {
	t.Helper()
	switch x := v.Addr().Interface().(type) {
	case *time.Time:
		*x = time.Unix(100, 0).UTC()
		return
	case *netip.Addr:
		*x = netip.MustParseAddr("192.0.2.7")
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(1)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(1)
	case reflect.Float32, reflect.Float64:
		v.SetFloat(1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(t, v.Index(0))
	case reflect.Array:
		for i := range v.Len() {
			fill(t, v.Index(i))
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(t, v.Field(i))
			}
		}
	}
}

// What formats store follows the codes of the table: every stored fact once, in order.
func TestStoredFacts(t *testing.T) {
	seen := map[string]int{}
	for _, groups := range [][]facts.Group{facts.JournalVisit(), facts.JournalPage()} {
		for _, g := range groups {
			for _, f := range g {
				seen[f.Name]++
				if f.Journal != g[0].Journal {
					t.Errorf("%s has code %d in a group of code %d", f.Name, f.Journal, g[0].Journal)
				}
			}
		}
	}
	for _, f := range facts.JournalTaggedFacts() {
		seen[f.Name]++
	}
	for _, f := range facts.All() {
		if want := min(f.Journal, 1); seen[f.Name] != want {
			t.Errorf("%s is stored %d times in the journal, want %d", f.Name, seen[f.Name], want)
		}
	}
	last := 0
	for _, f := range facts.Features() {
		if f.Features <= last {
			t.Errorf("%s has place %d after %d", f.Name, f.Features, last)
		}
		last = f.Features
	}
}

// A fact that is added is found everywhere, and gone when it is taken out again.
func TestAdd(t *testing.T) {
	before := facts.FeaturesVersion()
	remove := facts.Add(&facts.Fact{
		Name: "dummy", Type: facts.Text, Doc: "a test", Printed: true, Journal: facts.JournalTagged, Features: 99,
		Field: func(p *dowse.Page) any { return &p.Detail },
	})
	r := &facts.Row{Page: &dowse.Page{Detail: "seen"}, Apart: true}
	if got := string(decode(t, must(r.MarshalJSON()))["dummy"]); got != `"seen"` {
		t.Errorf("dummy is %s in the object of a page", got)
	}
	if facts.Named("dummy") == nil || facts.FeaturesVersion() != before+1 || len(facts.JournalTaggedFacts()) == 0 || !strings.Contains(string(facts.PageObject().Document("")), `"dummy"`) {
		t.Error("the added fact is missing somewhere")
	}
	remove()
	if facts.Named("dummy") != nil || facts.FeaturesVersion() != before {
		t.Error("the fact is still there")
	}
}

// What is derived from others: hosts that are addresses, paths, verdicts near the threshold,
// anchors, dates of the server, and languages that are not declared.
func TestDerivedFacts(t *testing.T) {
	for _, c := range []struct {
		name, fact, want string
		row              facts.Row
	}{
		{"an address has no top-level domain", "tld", "", facts.Row{Page: &dowse.Page{URL: "http://192.0.2.7/"}}},
		{"nor has one of IPv6", "tld", "", facts.Row{Page: &dowse.Page{URL: "http://[2001:db8::1]/"}}},
		{"the last label", "tld", `"uk"`, facts.Row{Page: &dowse.Page{URL: "http://a.co.uk/x"}}},
		{"the path without the query", "path", `"/a/b"`, facts.Row{Page: &dowse.Page{URL: "http://a.test/a/b?x=/c"}}},
		{"the server's date", "modified", `"1970-01-01T00:00:09Z"`, facts.Row{Page: &dowse.Page{}, ServerModified: time.Unix(9, 0).UTC()}},
		{"no anchor", "anchor", "", facts.Row{Page: &dowse.Page{}}},
		{"a reason to leave a page out", "reason", `"lang"`, facts.Row{Page: &dowse.Page{Reason: "x"}, Left: "lang"}},
		{"it is off topic, whatever its relevance", "on_topic", "false", facts.Row{Page: &dowse.Page{Verdict: dowse.Verdict{Relevance: 1}}, Judged: true, Left: "lang"}},
		{"relevance without limits", "relevance", "1.7976931348623157e+308", facts.Row{Page: &dowse.Page{Verdict: dowse.Verdict{Relevance: math.Inf(1)}}, Judged: true}},
		{"no place in a file", "offset", "", facts.Row{Page: &dowse.Page{Fetch: dowse.Fetch{Archive: dowse.Place{Offset: 5}}}}},
		{"the language of the words", "lang", `"de"`, facts.Row{Page: &dowse.Page{Document: dowse.Document{Text: "Der alte Hafen war am Morgen ruhig, und nur wenige Boote kamen zurück, bevor der Regen begann."}}}},
		{"no flags", "robots_flags", "", facts.Row{Page: &dowse.Page{}}},
	} {
		if got := string(must(facts.Named(c.fact).JSON(&c.row))); got != c.want {
			t.Errorf("%s: %s is %s, want %s", c.name, c.fact, got, c.want)
		}
	}
	for _, c := range []struct {
		relevance, threshold float64
		want                 string
	}{{0.5, 0.5, facts.Unsure}, {0.649, 0.5, facts.Unsure}, {0.66, 0.5, facts.On}, {0.34, 0.5, facts.Off}, {0.351, 0.5, facts.Unsure}, {1, 0, facts.On}, {0, 1, facts.Off}} {
		if got := facts.VerdictOf(c.relevance, c.threshold); got != c.want {
			t.Errorf("%g at a threshold of %g: %s, want %s", c.relevance, c.threshold, got, c.want)
		}
	}
	r, _ := wholeRow()
	if r.Relevance() != 0.9 || r.Anchor() != "first" {
		t.Errorf("relevance %g, anchor %q", r.Relevance(), r.Anchor())
	}
	if r.Judged = false; r.Relevance() != 0 {
		t.Errorf("relevance %g of a page that was not judged", r.Relevance())
	}
}

// Mail addresses are found once each, in lower case, and only what can be one.
func TestEmailAddresses(t *testing.T) {
	many := strings.Repeat("x", 300) + "@example.org "
	for i := range 150 {
		many += fmt.Sprintf("a%d@example.org ", i)
	}
	for text, want := range map[string]int{
		"": 0, "a@b.de": 1, "A@B.de and a@b.DE": 1, "@b.de": 0, "a@": 0, "a@b": 0, "a@b.c": 0, "a@b.c1": 0, "a@.de": 0, "..a@b.de": 1,
		"a@b.de.": 1, "a@b-.de-": 1, "a@@b.de": 0, "x a.b+c%d-e@sub.example.org;": 1, many: 100,
	} {
		r := facts.Row{Page: &dowse.Page{Document: dowse.Document{Text: text}}}
		list, _ := facts.Named("emails").Value(&r).([]string)
		if len(list) != want {
			t.Errorf("%.40q: %d addresses, want %d: %.80v", text, len(list), want, list)
		}
	}
}

// A duration in JSON is a number of seconds, and is read as it was written.
func TestSeconds(t *testing.T) {
	for want, d := range map[string]time.Duration{"0": 0, "1.5": 1500 * time.Millisecond, "0.57": 570 * time.Millisecond, "0.000000001": 1, "-2": -2 * time.Second, "90": 90 * time.Second} {
		raw, err := json.Marshal(facts.Seconds(d))
		if err != nil || string(raw) != want {
			t.Errorf("%v: %s, %v, want %s", d, raw, err, want)
		}
		var again facts.Seconds
		if err := json.Unmarshal(raw, &again); err != nil || time.Duration(again) != d {
			t.Errorf("%s was read as %v, %v", raw, time.Duration(again), err)
		}
	}
	var s facts.Seconds
	if err := json.Unmarshal([]byte(`"2s"`), &s); err == nil {
		t.Errorf("a text was read as %v", s)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func decode(t *testing.T, raw []byte) (m map[string]json.RawMessage) {
	t.Helper()
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return m
}
