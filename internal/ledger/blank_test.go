package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"dowse"
	"dowse/internal/durable"
	"dowse/internal/frontier"
)

// secretPage returns the entry of a page in which every text names the page.
func secretPage(t *rapid.T, id frontier.ID) *Entry {
	secret := func(what string) string { return fmt.Sprintf("secret %s of %d.", what, id) }
	e := &Entry{Kind: EntryPage, ID: id}
	drawPageEntry(t, e)
	e.ID = id
	p := e.Page
	p.Title, p.Detail, p.Lead.Note, p.Lead.Group = secret("title"), secret("detail"), secret("note"), secret("group")
	p.Types, p.Canonical, p.Near = []string{secret("type")}, dowse.URL(secret("canonical")), dowse.URL(secret("near"))
	p.Verdict.Because = []dowse.Because{{What: secret("reason")}, {What: "shared"}, {What: secret("reason")}}
	l, d := drawLink(t)
	l.Anchor, l.More = secret("anchor"), []dowse.Mention{{Anchor: secret("other anchor")}}
	d.Because = []dowse.Because{{What: "shared", Weight: 1}, {What: secret("lead")}}
	e.Found, e.Links = append(e.Found, l), append(e.Links, d)
	return e
}

// TestRedactionLeavesNothing takes pages down in a journal of any entries. No text of these
// pages is left in the file, nor are their URLs; every other entry, and every place, is what
// it was; and there is nothing left to do.
func TestRedactionLeavesNothing(t *testing.T) {
	withoutSyncs(t)
	base, n := t.TempDir(), 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		dir := filepath.Join(base, fmt.Sprint(n))
		check(t, os.Mkdir(dir, 0o755))
		j, err := Open(dir, nil, false)
		check(t, err)
		defer j.Close()
		gone := map[frontier.ID]bool{}
		var before []*Entry
		pages := rapid.IntRange(1, 6).Draw(rt, "pages")
		for id := range frontier.ID(pages) {
			j.Add(dowse.URL(fmt.Sprintf("http://secret-url-of-%d.test/", id)))
			j.Record(secretPage(rt, id))
			j.Record(drawEntry(rt, rapid.SampledFrom([]EntryKind{EntryStart, EntryRound, EntryIdle}).Draw(rt, "kind")))
			gone[id] = rapid.Bool().Draw(rt, "is taken down")
		}
		for e, err := range j.Scan(0, nil) {
			check(t, err)
			before = append(before, e)
		}
		end := j.End()
		x := Redaction{
			Edit: func(e *Entry) bool { return e.Kind == EntryPage && gone[e.ID] && e.Blank() },
			Gone: func(id frontier.ID) bool { return gone[id] },
		}
		want := 0
		for id := range gone {
			if gone[id] {
				want++
			}
		}
		for range 2 {
			if changed, err := j.Redact(x); err != nil || changed != want {
				rt.Fatalf("%d entries changed, want %d: %v", changed, want, err)
			}
			want = 0
		}
		compareRedacted(rt, j, before, gone, end)
	})
}

func compareRedacted(t *rapid.T, j *Journal, before []*Entry, gone map[frontier.ID]bool, end uint64) {
	if j.End() != end {
		t.Fatalf("the journal ends at %d, want %d", j.End(), end)
	}
	data, err := os.ReadFile(segmentPath(j.dir.Path(".")))
	if err != nil {
		t.Fatal(err)
	}
	for id := range gone {
		left := bytes.Contains(data, fmt.Appendf(nil, " of %d.", id)) || bytes.Contains(data, fmt.Appendf(nil, "url-of-%d.", id))
		if left == gone[id] {
			t.Fatalf("texts of page %d are left: %v", id, left)
		}
	}
	i := 0
	for e, err := range j.Scan(0, nil) {
		if err != nil || e.Place() != before[i].Place() {
			t.Fatalf("entry %d at %d: %v", i, e.Place(), err)
		}
		if e.Kind == EntryPage && gone[e.ID] {
			if !e.IsBlank() || e.Page.Reason != dowse.SkipForgotten || e.Page.Fetch.Archive != before[i].Page.Fetch.Archive || e.Page.Fetch.Wire != before[i].Page.Fetch.Wire {
				t.Fatalf("entry %d, taken down: %+v", i, e.Page)
			}
		} else if diff := cmp.Diff(before[i], e, sameEntry); diff != "" {
			t.Fatalf("entry %d:\n%s", i, diff)
		}
		i++
	}
	if i != len(before) {
		t.Fatalf("%d entries, want %d", i, len(before))
	}
}

// TestRedactionThatFails lets the replacing of the segment fail, as on a full disk: the
// journal is what it was, and can be read and redacted later.
func TestRedactionThatFails(t *testing.T) {
	dir, _ := tenRecords(t)
	whole, err := os.ReadFile(segmentPath(dir))
	check(t, err)
	x := Redaction{Edit: func(e *Entry) bool { return e.ID == 4 && e.Blank() }, Gone: func(id frontier.ID) bool { return id == 4 }}
	for _, op := range []durable.Op{durable.OpWrite, durable.OpRename} {
		j := openTo(t, dir, false)
		end := durable.Inject(func(o durable.Op, _ string) error {
			if o == op {
				return errors.New("no space left")
			}
			return nil
		})
		_, err := j.Redact(x)
		end()
		if data, _ := os.ReadFile(segmentPath(dir)); err == nil || !bytes.Equal(data, whole) {
			t.Errorf("%s failed: %v; the file was changed: %v", op, err, !bytes.Equal(data, whole))
		}
		if ids, gaps := idsIn(t, j); len(ids) != 10 || len(gaps) > 0 {
			t.Errorf("%s failed: %v and %v can be read", op, ids, gaps)
		}
		j.Close()
	}
	j := openTo(t, dir, false)
	if n, err := j.Redact(x); n != 1 || err != nil {
		t.Errorf("%d entries changed later: %v", n, err)
	}
	names, err := j.Names()
	check(t, err)
	if j.At(names[4]) != "" || j.At(names[5]) != numberedURL(5) {
		t.Errorf("URLs are %q and %q", j.At(names[4]), j.At(names[5]))
	}
}

// TestRedactionOfSegments takes pages down in several segments. The numbers of URLs go on
// from one to the next.
func TestRedactionOfSegments(t *testing.T) {
	dir, places := tenRecords(t)
	splitAt(t, dir, places[2], places[6])
	j := openTo(t, dir, false)
	odd := func(id frontier.ID) bool { return id%2 == 1 }
	if n, err := j.Redact(Redaction{Edit: func(e *Entry) bool { return odd(e.ID) && e.Blank() }, Gone: odd}); n != 5 || err != nil {
		t.Fatalf("%d entries changed, want 5: %v", n, err)
	}
	check(t, openTo(t, dir, true).EachName(func(id frontier.ID, u dowse.URL) {
		if (u == "") != odd(id) {
			t.Errorf("URL %d is %q", id, u)
		}
	}))
	if ids, gaps := idsIn(t, openTo(t, dir, true)); len(ids) != 10 || len(gaps) != 0 {
		t.Errorf("%v and %v can be read", ids, gaps)
	}
}

// TestLongerEntries refuses an edit that makes an entry longer: its place would not hold it.
func TestLongerEntries(t *testing.T) {
	dir, _ := tenRecords(t)
	j := openTo(t, dir, false)
	_, err := j.Redact(Redaction{Edit: func(e *Entry) bool {
		e.Page.Title = "a title that is much longer than it was"
		return true
	}})
	if err == nil {
		t.Error("an entry became longer")
	}
	if ids, gaps := idsIn(t, j); len(ids) != 10 || len(gaps) > 0 {
		t.Errorf("%v and %v can be read", ids, gaps)
	}
}

// TestBlank removes what a visit brought from its entry, and only from entries of visits.
func TestBlank(t *testing.T) {
	at := time.Unix(1e9, 0).UTC()
	for kind, e := range map[EntryKind]*Entry{
		EntryPage: {Kind: EntryPage, ID: 3, Queue: 7, Rested: time.Second, Found: make([]dowse.Link, 2), Links: make([]Decision, 2), Page: &dowse.Page{
			URL: "http://a.test/", Document: dowse.Document{Title: "secret"}, Fetch: dowse.Fetch{At: at, Wire: 5, Bytes: 9}}},
		EntryRetry: {Kind: EntryRetry, ID: 3, Page: &dowse.Page{URL: "http://a.test/", Outcome: dowse.Temporary, Detail: "secret", Fetch: dowse.Fetch{At: at, Wire: 5}}},
	} {
		if e.IsBlank() || !e.Blank() || !e.IsBlank() || e.Blank() {
			t.Errorf("kind %d: not blank after it was blanked, or blanked twice", kind)
		}
		want := &dowse.Page{URL: "http://a.test/", Outcome: dowse.Skipped, Reason: dowse.SkipForgotten, Fetch: dowse.Fetch{At: at, Wire: 5}}
		if diff := cmp.Diff(want, e.Page, sameEntry); diff != "" || len(e.Found)+len(e.Links)+e.Queue+int(e.Rested) != 0 {
			t.Errorf("kind %d: left are %+v and\n%s", kind, e, diff)
		}
	}
	for _, kind := range []EntryKind{EntryStart, EntryRobots, EntryForget} {
		if e := (&Entry{Kind: kind, Page: &dowse.Page{}}); e.Blank() {
			t.Errorf("kind %d was blanked", kind)
		}
	}
}

// TestBlankReasons removes what strategies said, which may hold words of other pages.
func TestBlankReasons(t *testing.T) {
	because := []dowse.Because{{What: "secret"}}
	page := &Entry{Kind: EntryPage, Page: &dowse.Page{Lead: dowse.Lead{Note: "secret"}, Verdict: dowse.Verdict{Because: because}}, Links: []Decision{{Because: because}, {}}}
	reasons := &Entry{Kind: EntryReasons, Because: because}
	for _, e := range []*Entry{page, reasons} {
		if !e.BlankReasons() || e.BlankReasons() {
			t.Errorf("kind %d: not changed once", e.Kind)
		}
	}
	if page.Page.Lead.Note != "" || page.Links[0].Because != nil || reasons.Because != nil {
		t.Errorf("left are %+v and %+v", page, reasons)
	}
	if len(page.Page.Verdict.Because) != 1 {
		t.Error("the reasons of the judge are gone")
	}
}

// TestIsMark names the entries because of which everything before them is decided again.
func TestIsMark(t *testing.T) {
	for _, kind := range kinds {
		want := kind == EntryForget || kind == EntryAgain
		if e := (&Entry{Kind: kind}); e.IsMark() != want {
			t.Errorf("kind %d: %v, want %v", kind, e.IsMark(), want)
		}
	}
	if !(&Entry{Kind: EntryModel, Parts: 1}).IsMark() {
		t.Error("the entry that closes rulings is no mark")
	}
}
