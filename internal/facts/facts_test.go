package facts_test

import (
	"encoding/json"
	"math"
	"net/netip"
	"strings"
	"testing"
	"time"

	"dowse"
	"dowse/internal/facts"
)

// Every row of the table can be used: names and codes are unique, a printed fact has a type, and what has no
// getter has a field whose value is known to JSON.
func TestTable(t *testing.T) {
	names, places, features := map[string]bool{}, map[int]string{}, map[int]string{}
	for _, f := range facts.All() {
		if f.Name == "" || f.Doc == "" || strings.HasSuffix(f.Doc, ".") || names[f.Name] {
			t.Errorf("%q: %q: a fact has a name of its own and a sentence without a full stop", f.Name, f.Doc)
		}
		names[f.Name] = true
		if f.Field == nil && (f.Get == nil || f.Journal > 0 || f.Features > 0) {
			t.Errorf("%s: what is stored, or has no Get, needs a Field", f.Name)
		}
		if f.Type == facts.Internal && (f.Printed || f.Asked) {
			t.Errorf("%s: an internal fact is not shown", f.Name)
		}
		if f.Journal >= facts.JournalTagged && places[f.Journal] != "" || f.Features > 0 && features[f.Features] != "" {
			t.Errorf("%s and %s have the same code", f.Name, places[f.Journal]+features[f.Features])
		}
		places[f.Journal], features[f.Features] = f.Name, f.Name
	}
	if v := facts.FeaturesVersion(); v < 3 {
		t.Errorf("features of version %d", v)
	}
}

func row() *facts.Row {
	links := 2
	return &facts.Row{
		Page: &dowse.Page{
			URL: "http://a.test:8080/x?y", LinksIn: &links, Depth: 1,
			Fetch:    dowse.Fetch{At: time.Unix(100, 0).UTC(), Took: 1500 * time.Millisecond, Status: 200, Bytes: 10, Address: netip.MustParseAddr("::1")},
			Document: dowse.Document{Title: "A <b> & c", Licences: []dowse.URL{"http://l.test/"}, NoIndex: true, Text: "mail me@a.test now", Meta: []dowse.Meta{{Name: "og:type", Content: "x"}, {Name: "og:type", Content: "y"}}},
			Verdict:  dowse.Verdict{Relevance: 0.6, Because: []dowse.Because{{What: "sea", Weight: math.Inf(1), Count: 2}}},
		},
		State: dowse.Visited, Judged: true, Threshold: 0.5, Anchors: []string{"first", "second"}, Spell: func(string) string { return "seas" },
	}
}

// The JSON object of a page holds what is known, in the order of the table.
func TestRowJSON(t *testing.T) {
	got, err := row().MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"schema":"page/v1","url":"http://a.test:8080/x?y","title":"A <b> & c","host":"a.test","state":"fetched","relevance":0.6,"on_topic":true,"verdict":"unsure",` +
		`"fetched":"1970-01-01T00:01:40Z","took":1.5,"status":200,"size":10,"address":"::1","links_in":2,"licence":["http://l.test/"],"robots_flags":["noindex"],` +
		`"priority":0,"depth":1,"hops":0,"anchor":"first","because":[{"what":"sea","word":"seas","weight":1.7976931348623157e+308,"count":2}]}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	picked, err := row().Select([]string{"emails", "og", "published", "url"})
	if want := `{"emails":["me@a.test"],"og":{"type":"x"},"published":null,"url":"http://a.test:8080/x?y"}`; err != nil || string(picked) != want {
		t.Errorf("%v: got %s, want %s", err, picked, want)
	}
}

// A page that is no part of a crawl has no place in one, and a page that was not judged no verdict.
func TestWhatIsNotKnown(t *testing.T) {
	r := row()
	r.Apart, r.Judged = true, false
	b, err := r.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"state", "priority", "depth", "hops", "relevance", "on_topic", "verdict"} {
		if v, ok := got[name]; ok {
			t.Errorf("%s is %v, want nothing", name, v)
		}
	}
	r = row()
	r.Left = dowse.SkipLang
	if v := r.Verdict(); v != facts.Off {
		t.Errorf("a page in a language that is not wanted is %q", v)
	}
}

// A takedown leaves only what is marked as kept.
func TestClear(t *testing.T) {
	r := row()
	r.Fetch.Archive = dowse.Place{File: "a.warc.gz", Offset: 5}
	r.Lead.Note = "words"
	if facts.IsClear(r.Page) {
		t.Error("a page with words is clear")
	}
	p := facts.Clear(r.Page)
	if !facts.IsClear(p) || p.Fetch.Archive.File != "a.warc.gz" || !p.Fetch.At.Equal(r.Fetch.At) || p.URL != r.URL {
		t.Errorf("left: %+v", p)
	}
	for _, f := range facts.All() {
		if f.Field == nil || f.Kept {
			continue
		}
		if v := f.Value(&facts.Row{Page: p, Apart: true}); v != nil && v != "" && v != 0 {
			if list, ok := v.([]string); ok && len(list) == 0 {
				continue
			}
			if list, ok := v.([]facts.Cause); ok && len(list) == 0 {
				continue
			}
			if list, ok := v.([]dowse.Meta); ok && len(list) == 0 {
				continue
			}
			t.Errorf("%s is still %v", f.Name, v)
		}
	}
	if !facts.ClearByStrategy(r.Page) || r.Lead.Note != "" || r.Title == "" || facts.ClearByStrategy(r.Page) {
		t.Errorf("what strategies wrote: %q", r.Lead.Note)
	}
}
