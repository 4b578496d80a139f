package ledger_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dowse"
	"dowse/internal/frontier"
	"dowse/internal/ledger"
)

var redactedAt = time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)

func visited(id frontier.ID, title string) *ledger.Entry {
	p := &dowse.Page{Document: dowse.Document{Title: title, Sketch: dowse.Sketch{Text: 7}}, Verdict: dowse.Verdict{
		Relevance: 0.75, Because: []dowse.Because{{What: "secret of " + title, Weight: 1}, {What: "bias", Weight: -1}},
	}}
	p.Fetch = dowse.Fetch{At: redactedAt, Status: 200, Archive: dowse.Place{File: "a.warc.gz", Offset: 12, Length: 34}}
	return &ledger.Entry{Kind: ledger.EntryPage, At: redactedAt, ID: id, Page: p, Queue: 3,
		Found: []dowse.Link{{Mention: dowse.Mention{Anchor: "anchor of " + title, Context: 0.5}}},
		Links: []ledger.Decision{{ID: 9, Target: 9, Priority: 0.25, Offered: 0.25}},
	}
}

// Words go, numbers and places stay, and other entries are as they were.
func TestRedact(t *testing.T) {
	dir := t.TempDir()
	j, err := ledger.Open(dir, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	var places []uint64
	for i, title := range []string{"first page", "hidden page", "third page"} {
		j.Add(dowse.URL("http://a.test/" + string(rune('0'+i))))
		places = append(places, j.Record(visited(frontier.ID(i), title)))
	}
	end := j.End()
	edit := func(e *ledger.Entry) bool {
		if e.ID != 1 || e.Page.Title == "" {
			return false
		}
		e.Page.Title, e.Page.Verdict.Because, e.Found[0].Anchor = "", nil, ""
		return true
	}
	for _, want := range []int{1, 0} {
		if n, err := j.Redact(ledger.Redaction{Edit: edit}); err != nil || n != want {
			t.Fatalf("%d entries changed, want %d: %v", n, want, err)
		}
	}
	checkRedacted(t, j, places, end)
	j.Record(visited(5, "fourth page"))
	if err := j.Sync(); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	names, _ := filepath.Glob(filepath.Join(dir, "*"))
	data, err := os.ReadFile(names[0])
	if err != nil || len(names) != 1 || strings.Contains(string(data), "hidden") || !strings.Contains(string(data), "fourth page") {
		t.Errorf("%v %v %q", err, names, data)
	}
	if j, err = ledger.Open(dir, nil, true); err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if _, err := j.Redact(ledger.Redaction{Edit: edit}); err == nil {
		t.Error("a journal that is only read was changed")
	}
	n := 0
	for e, err := range j.Scan(places[1], nil) {
		if err != nil || e.Place() < places[1] {
			t.Errorf("%v %v", e, err)
		}
		n++
	}
	if n != 3 {
		t.Errorf("%d entries from the second on", n)
	}
}

func checkRedacted(t *testing.T, j *ledger.Journal, places []uint64, end uint64) {
	t.Helper()
	if j.End() != end {
		t.Errorf("the journal ends at %d, not at %d", j.End(), end)
	}
	for i, place := range places {
		e, err := j.Entry(place, func(frontier.ID) dowse.URL { return "" })
		if err != nil {
			t.Fatal(err)
		}
		hidden := i == 1
		if (e.Page.Title == "") != hidden || (e.Found[0].Anchor == "") != hidden || (len(e.Page.Verdict.Because) == 0) != hidden {
			t.Errorf("entry %d: %+v", i, e.Page)
		}
		if e.ID != frontier.ID(i) || e.Page.Verdict.Relevance != 0.75 || e.Page.Sketch.Text != 7 || e.Page.Fetch.Archive.Length != 34 || e.Found[0].Context != 0.5 || e.Links[0].Priority != 0.25 || e.Queue != 3 {
			t.Errorf("entry %d lost more than words: %+v", i, e)
		}
	}
}

// What can't be read is not written anew.
func TestRedactRefusesDamage(t *testing.T) {
	dir := t.TempDir()
	j, err := ledger.Open(dir, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	j.Record(visited(0, "first page"))
	second := j.Record(visited(1, "hidden page"))
	if err := j.Sync(); err != nil {
		t.Fatal(err)
	}
	names, _ := filepath.Glob(filepath.Join(dir, "*"))
	data, _ := os.ReadFile(names[0])
	data[int(second)+8+30] ^= 1
	if err := os.WriteFile(names[0], data, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Redact(ledger.Redaction{Edit: func(e *ledger.Entry) bool { e.Page.Title = ""; return true }}); err == nil {
		t.Error("damage went unnoticed")
	}
	if after, _ := os.ReadFile(names[0]); string(after) != string(data) {
		t.Error("a damaged journal was written anew")
	}
}
