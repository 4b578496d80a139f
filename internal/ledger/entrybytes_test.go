package ledger_test

import (
	"bytes"
	"encoding/hex"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"dowse"
	"dowse/internal/facts"
	"dowse/internal/ledger"
)

// fullPage returns a page on which every field is set that the journal holds.
func fullPage() *dowse.Page {
	links := 300
	return &dowse.Page{
		URL: "http://a.test/x", Outcome: dowse.Fetched, Reason: dowse.SkipLang, Detail: "in words", Again: true, Depth: 3, Hops: 2, LinksIn: &links,
		Lead: dowse.Lead{Priority: 0.75, Band: -2, Group: "a.test", Note: "a note"},
		Fetch: dowse.Fetch{
			At: epoch.Add(time.Minute), Took: 1500 * time.Millisecond, Status: 200, Type: "text/html", Bytes: 12345, Wire: 4567, Truncated: true,
			Address: netip.MustParseAddr("192.0.2.7"), Charset: "utf-8", Archive: dowse.Place{File: "A-1-2-h.warc.gz", Offset: 99, Length: 1000},
		},
		Document: dowse.Document{
			Title: "A title", Language: "en-gb", Canonical: "http://a.test/", Words: make([]dowse.Span, 200), Types: []string{"Recipe", "Article"},
			Published: epoch.Add(-time.Hour), Licences: []dowse.URL{"http://l.test/by"}, NoFollow: true, NoArchive: true,
			Sketch: dowse.Sketch{Text: 77, Bins: [64]uint16{1, 2, 3, 63: 9}}, Cut: "links",
		},
		Verdict: dowse.Verdict{Relevance: 0.7, Scale: "share", Judge: "words/1", Because: []dowse.Because{{What: "tide", Weight: 0.7, Count: 3}, {What: "tide", Weight: -0.1}}},
		Near:    "http://a.test/near", Maps: []dowse.URL{"http://a.test/map"},
		Host: &dowse.HostReport{RetryAfter: time.Second, BackOff: true, Local: true},
	}
}

// The bytes of an entry are those that the first program of this format wrote: the table of facts may
// grow, but what it says of these fields must not change.
func TestEntryBytes(t *testing.T) {
	p := fullPage()
	entries := []*ledger.Entry{
		{Kind: ledger.EntryPage, At: epoch, ID: 5, Page: p, Queue: 4, Regret: 0.5, Rested: time.Second, Dropped: 1,
			Found: []dowse.Link{{Mention: dowse.Mention{Anchor: "x"}}}, Links: []ledger.Decision{{ID: 1, Target: 2, State: dowse.Waiting, Priority: 0.5, Offered: 0.4, Because: p.Verdict.Because}}},
		{Kind: ledger.EntryRetry, At: epoch, ID: 5, Page: p, Regret: 0.5},
		{Kind: ledger.EntryPage, At: epoch, ID: 5, Page: &dowse.Page{}},
	}
	var got []string
	for _, e := range entries {
		b := ledger.EncodeEntry(e)
		got = append(got, hex.EncodeToString(b))
		if again, err := ledger.EntryRoundTrip(b); err != nil || len(again) == 0 {
			t.Errorf("kind %d can't be read: %v", e.Kind, err)
		}
	}
	const file = "testdata/entrybytes.txt"
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(got, "\n") + "\n"; !bytes.Equal(want, []byte(text)) {
		t.Errorf("the journal's bytes have changed: got\n%swant\n%s", text, want)
	}
}

// A fact that is added to the table is kept behind the links of a page. A program that does not know it reads the
// entry without it, and so does one that finds the zeros that a takedown leaves there.
func TestTaggedFacts(t *testing.T) {
	p := fullPage()
	p.Description = "in a few words"
	e := &ledger.Entry{Kind: ledger.EntryPage, At: epoch, ID: 5, Page: p, Found: []dowse.Link{{Mention: dowse.Mention{Anchor: "x"}}}, Links: []ledger.Decision{{ID: 1, Target: 2}}}
	without := ledger.EncodeEntry(e)
	remove := facts.Add(&facts.Fact{Name: "summary", Type: facts.Text, Doc: "x", Journal: facts.JournalTagged + 6, Field: func(p *dowse.Page) any { return &p.Description }})
	defer func() { remove() }()
	with := ledger.EncodeEntry(e)
	if !bytes.HasPrefix(with, without) || len(with) != len(without)+1+1+1+1+len(p.Description) {
		t.Fatalf("%d bytes became %d", len(without), len(with))
	}
	full, err := ledger.DecodeEntry(with)
	if err != nil || full.Page.Description != p.Description || len(full.Found) != 1 {
		t.Errorf("read %+v: %v", full, err)
	}
	visit, err := ledger.DecodeVisit(with)
	if err != nil || visit.Page.Description != p.Description || len(visit.Found)+len(visit.Links) != 0 {
		t.Errorf("read without links %+v: %v", visit, err)
	}
	blank, err := ledger.DecodeEntry(append(bytes.Clone(without), make([]byte, len(with)-len(without))...))
	if err != nil || blank.Page.Description != "" {
		t.Errorf("zeros behind the links: %v: %+v", err, blank.Page)
	}
	for n := len(without) + 1; n < len(with); n++ {
		if _, err := ledger.DecodeEntry(with[:n]); err == nil {
			t.Errorf("cut at %d of %d it was read", n, len(with))
		}
	}
	remove()
	remove = func() {}
	former, err := ledger.DecodeEntry(with)
	if err != nil || former.Page.Description != "" || former.Page.Title != p.Title || len(former.Found) != 1 {
		t.Errorf("a program that does not know the fact read %+v: %v", former, err)
	}
}

// BenchmarkEntry writes and reads the entry of a page with 40 links.
func BenchmarkEntry(b *testing.B) {
	e := &ledger.Entry{Kind: ledger.EntryPage, At: epoch, Page: fullPage(), Found: make([]dowse.Link, 40), Links: make([]ledger.Decision, 40)}
	for b.Loop() {
		if _, err := ledger.EntryRoundTrip(ledger.EncodeEntry(e)); err != nil {
			b.Fatal(err)
		}
	}
}

// The date of a page is kept in whole seconds. A page without one has the bytes that it had before dates were kept, see
// TestEntryBytes.
func TestDateOfPage(t *testing.T) {
	p := fullPage()
	p.Modified = epoch.Add(-90*time.Minute + 300*time.Millisecond)
	for name, decode := range map[string]func([]byte) (*ledger.Entry, error){"whole": ledger.DecodeEntry, "without links": ledger.DecodeVisit} {
		e, err := decode(ledger.EncodeEntry(&ledger.Entry{Kind: ledger.EntryPage, At: epoch, ID: 5, Page: p}))
		if err != nil || !e.Page.Modified.Equal(epoch.Add(-90*time.Minute)) || e.Page.Title != p.Title {
			t.Errorf("%s: %v: read %+v", name, err, e.Page)
		}
	}
}
