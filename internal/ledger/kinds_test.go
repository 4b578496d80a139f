package ledger

import (
	"bytes"
	"encoding/hex"
	"flag"
	"fmt"
	"net/netip"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"dowse"
	"dowse/internal/frontier"
	"dowse/settings"
)

var update = flag.Bool("update", false, "write the golden bytes of this package again")

// TestEveryKindIsReadAsWritten draws entries of each kind: what is read of their bytes is
// equal in every field, is written as the same bytes again, and is not read from fewer.
func TestEveryKindIsReadAsWritten(t *testing.T) {
	for _, kind := range kinds {
		t.Run(fmt.Sprint("kind ", kind), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				want := drawEntry(t, kind)
				b := appendEntry(nil, want)
				got, err := readEntry(b, numberedURL, parseRules)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, got, sameEntry); diff != "" {
					t.Fatalf("written, then read:\n%s", diff)
				}
				if again := appendEntry(nil, got); !bytes.Equal(again, b) {
					t.Fatalf("written again:\n%x\nwant\n%x", again, b)
				}
				cut := rapid.IntRange(0, len(b)-1).Draw(t, "cut")
				if _, err := readEntry(b[:cut], numberedURL, nil); err == nil {
					t.Fatalf("%d of %d bytes were read as an entry", cut, len(b))
				}
			})
		})
	}
}

// TestVisitsAreReadWithoutLinks reads entries without URLs and links, which must be all
// that is left out.
func TestVisitsAreReadWithoutLinks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawEntry(t, rapid.SampledFrom(kinds).Draw(t, "kind"))
		got, err := readVisit(appendEntry(nil, want), parseRules)
		if err != nil {
			t.Fatal(err)
		}
		want.Found, want.Links = nil, nil
		if want.Kind == EntryPage || want.Kind == EntryRetry {
			want.Page.URL, want.Page.Lead.URL = "", ""
		}
		if diff := cmp.Diff(want, got, sameEntry); diff != "" {
			t.Fatalf("read without links:\n%s", diff)
		}
	})
}

// TestLinksAreReadAsNumbers reads entries with the numbers of their links' URLs alone, and without reasons.
func TestLinksAreReadAsNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawEntry(t, rapid.SampledFrom(kinds).Draw(t, "kind"))
		got, err := readLinkIDs(appendEntry(nil, want), parseRules)
		if err != nil {
			t.Fatal(err)
		}
		want.Found = nil
		for i := range want.Links {
			want.Links[i] = Decision{ID: want.Links[i].ID}
		}
		want.Because = nil
		if want.Page != nil {
			want.Page.Verdict.Because, want.Page.Lead.Because = nil, nil
		}
		for i := range want.Rulings {
			want.Rulings[i].Verdict.Because = nil
		}
		if want.Kind == EntryPage || want.Kind == EntryRetry {
			want.Page.URL, want.Page.Lead.URL = "", ""
		}
		if diff := cmp.Diff(want, got, sameEntry); diff != "" {
			t.Fatalf("read with numbers:\n%s", diff)
		}
	})
}

// TestUnknownKind reads entries of kinds that no program has written.
func TestUnknownKind(t *testing.T) {
	for kind := range EntryKind(beginsRun) {
		e := &Entry{Kind: kind, Page: &dowse.Page{}, Robots: &dowse.Robots{}}
		_, err := readEntry(appendEntry(nil, e), numberedURL, nil)
		if known := slices.Contains(kinds, kind); (err == nil) != known {
			t.Errorf("kind %d: error %v, known: %v", kind, err, known)
		}
		if err != nil && !strings.Contains(err.Error(), fmt.Sprint("unknown kind ", kind)) {
			t.Errorf("kind %d: the error does not name it: %v", kind, err)
		}
	}
}

// goldenEntries returns one entry of each kind with every field set, and one of a run.
func goldenEntries() map[string]*Entry {
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	because := []dowse.Because{{What: "tide", Weight: 0.5, Count: 2}, {What: "pool", Weight: -0.25}, {What: "tide", Weight: 1, Count: 1}}
	verdict := dowse.Verdict{Relevance: 0.75, Scale: "share", Judge: "words/1", Because: because}
	page := &dowse.Page{
		URL: "http://a.test/", Outcome: dowse.Failed, Reason: dowse.FailDNS, Detail: "no such host", Verdict: verdict,
		Fetch: dowse.Fetch{
			At: at, Took: time.Second, Status: 404, Type: "text/html", Bytes: 10, Wire: 300, Truncated: true, Charset: "utf-8",
			Address: netip.MustParseAddr("2001:db8::1"), Archive: dowse.Place{File: "a.warc.gz", Offset: 1000, Length: 70},
		},
		Host: &dowse.HostReport{RetryAfter: time.Minute, BackOff: true, Down: true, Local: true},
	}
	entry := func(kind EntryKind, e Entry) *Entry {
		e.Kind, e.At, e.Elapsed = kind, at, time.Hour
		return &e
	}
	list := map[string]*Entry{
		"start":   entry(EntryStart, Entry{Seeds: []dowse.URL{"http://a.test/", "http://b.test/"}, Homes: []dowse.URL{"http://c.test/"}}),
		"retry":   entry(EntryRetry, Entry{ID: 300, Regret: 0.125, Page: page}),
		"round":   entry(EntryRound, Entry{Round: []frontier.ID{1, 200, 70000}}),
		"idle":    entry(EntryIdle, Entry{}),
		"before":  entry(EntryBefore, Entry{}),
		"rescore": entry(EntryRescore, Entry{ID: 7, Score: 0.0625}),
		"reasons": entry(EntryReasons, Entry{ID: 7, Score: 0.0625, Because: because}),
		"clock":   entry(EntryClock, Entry{Back: 90 * time.Minute}),
		"again":   entry(EntryAgain, Entry{}),
		"check":   entry(EntryCheck, Entry{ID: 70000, Since: at.Add(-24 * time.Hour), Score: 0.375}),
		"left":    entry(EntryLeft, Entry{ID: 300, Queue: 1700}),
		"line":    entry(EntryThreshold, Entry{Score: 0.625}),
		"forgive": entry(EntryForgive, Entry{Since: at.Add(-time.Hour)}),
		"requeue": entry(EntryRequeue, Entry{Text: "failed", Round: []frontier.ID{5, 6}}),
		"forget":  entry(EntryForget, Entry{ID: 9, Text: "by request", Host: "a.test", Print: frontier.Fingerprint{1, 2, 3, 15: 16}}),
		"robots": entry(EntryRobots, Entry{Host: "a.test", Page: page, Robots: &dowse.Robots{
			At: at, Status: 200, Body: []byte("User-agent: *\n"), Delay: 2 * time.Second, Sitemaps: []dowse.URL{"http://a.test/map.xml"}}}),
		"model part": entry(EntryModel, Entry{Model: "m0001", Rulings: []Ruling{
			{Place: 4096, ID: 3, Verdict: verdict, Label: LabelledOff, Context: []float64{0.5, 0.25}, Anchor: []float64{1}}}}),
		"model": entry(EntryModel, Entry{Model: "m0001", Parts: 2}),
		"page": entry(EntryPage, Entry{ID: 300, Queue: 12, Regret: 0.5, Rested: time.Second, Dropped: 3, Idle: true, Page: page,
			Found: []dowse.Link{{NoFollow: true, Mention: dowse.Mention{Anchor: "pools", Context: 0.5, AnchorScore: 0.25}, More: []dowse.Mention{{Anchor: "tides"}}}},
			Links: []Decision{{ID: 4, Target: 5, Fresh: true, State: dowse.Excluded, Reason: dowse.SkipScopeHost, Priority: 0.5, Offered: 0.75, Because: because}}}),
		"run": entry(EntryIdle, Entry{Moves: []Move{MoveOf(3, false), MoveOf(300, true)}, Run: &Run{Requeued: true, Began: at, Limits: settings.Limits{
			Pages: 1, OnTopic: 2, Bytes: 3, Time: 4, PerHost: 5, Depth: 6, Tunnel: -1, Dry: settings.Dry{Over: 8, Harvest: 0.5}}}}),
	}
	return list
}

// TestKindBytes compares the bytes of an entry of each kind with those that the first
// program of this format wrote. A journal outlives the program: if this test fails, the
// codec must be mended, or the version of the format raised.
func TestKindBytes(t *testing.T) {
	const file = "testdata/kindbytes.txt"
	seen := map[EntryKind]bool{}
	var lines []string
	for name, e := range goldenEntries() {
		seen[e.Kind] = true
		b := appendEntry(nil, e)
		lines = append(lines, fmt.Sprintf("%s: %s", name, hex.EncodeToString(b)))
		got, err := readEntry(b, numberedURL, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if again := appendEntry(nil, got); !bytes.Equal(again, b) {
			t.Errorf("%s is written again as\n%x\nwant\n%x", name, again, b)
		}
	}
	slices.Sort(lines)
	text := strings.Join(lines, "\n") + "\n"
	if *update {
		check(t, os.WriteFile(file, []byte(text), 0o644))
	}
	want, err := os.ReadFile(file)
	check(t, err)
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(text, "\n")); diff != "" {
		t.Errorf("the bytes of entries have changed:\n%s", diff)
	}
	for _, kind := range kinds {
		if !seen[kind] {
			t.Errorf("kind %d has no golden bytes", kind)
		}
	}
}

// TestRecurringStrings writes more strings that recur than are remembered. All are read
// back, and a string that is remembered takes one byte when it recurs.
func TestRecurringStrings(t *testing.T) {
	var list []string
	for i := range maxNames + 10 {
		list = append(list, fmt.Sprint("reason ", i))
	}
	list = append(list, list...)
	w := &enc{}
	var sizes []int
	for _, s := range list {
		before := len(w.B)
		w.name(s)
		sizes = append(sizes, len(w.B)-before)
	}
	r := newDec(w.B)
	for i, want := range list {
		if got := r.name(); got != want {
			t.Errorf("string %d is %q, want %q", i, got, want)
		}
		recurs := i >= len(list)/2
		if remembered := recurs && i-len(list)/2 < maxNames; (sizes[i] == 1) != remembered {
			t.Errorf("string %d takes %d bytes; remembered: %v", i, sizes[i], remembered)
		}
	}
	if r.Err != nil || len(r.Rest) > 0 {
		t.Errorf("%v, %d bytes left", r.Err, len(r.Rest))
	}
	if r = newDec([]byte{nameKnown + 3}); r.name() != "" || r.Err == nil {
		t.Error("a number of no string was read")
	}
}

// TestWordsAreCounted writes the number of words of a page, whose text is in the archive.
func TestWordsAreCounted(t *testing.T) {
	with, without := &Entry{Kind: EntryPage, Page: &dowse.Page{}}, &Entry{Kind: EntryPage, Page: &dowse.Page{}}
	with.Page.Words = make([]dowse.Span, 5)
	a, b := appendEntry(nil, with), appendEntry(nil, without)
	if len(a) != len(b) || bytes.Equal(a, b) {
		t.Errorf("%d bytes with words and %d without; want one byte that differs", len(a), len(b))
	}
	if e, err := readEntry(a, numberedURL, nil); err != nil || e.Page.Words != nil {
		t.Errorf("%v: read %d words", err, len(e.Page.Words))
	}
}

// TestMove packs a URL and a direction into one number.
func TestMove(t *testing.T) {
	for _, id := range []frontier.ID{0, 1, 1 << 31, frontier.None} {
		for _, back := range []bool{false, true} {
			if m := MoveOf(id, back); m.ID() != id || m.Back() != back {
				t.Errorf("%d, %v: read as %d, %v", id, back, m.ID(), m.Back())
			}
		}
	}
}

// TestNote gives leads to the decisions on links, in the order of links and in others.
func TestNote(t *testing.T) {
	const n = 100
	e := &Entry{Kind: EntryPage}
	for i := range n {
		e.Found = append(e.Found, dowse.Link{URL: numberedURL(frontier.ID(i))})
		e.Links = append(e.Links, Decision{ID: frontier.ID(i), Target: frontier.ID(i)})
	}
	e.Links[3].Target = 4 // a redirect to the link after it
	e.Links[5].Reason = dowse.SkipScopeHost
	order := []int{0, 1, 2, 4, 6, 50, 7, 99, 8}
	for _, i := range order {
		lead := &dowse.Lead{Priority: float64(i) + 0.5, Because: []dowse.Because{{What: fmt.Sprint(i)}}}
		if at, ok := e.LinkTo(numberedURL(frontier.ID(i))); ok {
			if at != i {
				t.Errorf("the link to %d is %d", i, at)
			}
			e.NoteAt(at, lead)
			continue
		}
		e.Note(frontier.ID(i), lead)
	}
	noted := map[int]float64{}
	for i, d := range e.Links {
		if d.Offered != 0 {
			noted[i] = d.Offered
		}
	}
	want := map[int]float64{0: 0.5, 1: 1.5, 2: 2.5, 4: 4.5, 6: 6.5, 50: 50.5, 7: 7.5, 99: 99.5, 8: 8.5}
	if diff := cmp.Diff(want, noted); diff != "" {
		t.Errorf("noted leads:\n%s", diff)
	}
	if _, ok := e.LinkTo("http://elsewhere.test/"); ok {
		t.Error("a URL that is not linked was found")
	}
	before := slices.Clone(e.Links)
	e.Note(frontier.None, &dowse.Lead{Priority: 9})
	e.Note(n+1, &dowse.Lead{Priority: 9})
	(&Entry{}).Note(1, &dowse.Lead{Priority: 9})
	if diff := cmp.Diff(before, e.Links); diff != "" {
		t.Errorf("a lead to no link was noted:\n%s", diff)
	}
}

// TestEveryLimitIsRecorded sets each field of the limits alone and reads it from the bytes of
// a run. A replay applies what it reads: a limit that bounds what is queued and is not written
// holds while the crawl runs, and not when the crawl is rebuilt. Those that only end a crawl
// are listed here instead: a replay ends where the journal does.
func TestEveryLimitIsRecorded(t *testing.T) {
	onlyEnd := []string{"Gain", "GainOver", "Recall", "PPRS", "PPRSOver"}
	typ := reflect.TypeFor[settings.Limits]()
	for _, path := range limitFields(typ, nil) {
		if slices.Contains(onlyEnd, typ.FieldByIndex(path).Name) {
			continue
		}
		var l settings.Limits
		switch v := reflect.ValueOf(&l).Elem().FieldByIndex(path); v.Kind() {
		case reflect.Int, reflect.Int64:
			v.SetInt(7)
		case reflect.Float64:
			v.SetFloat(0.5)
		default:
			t.Fatalf("a limit of type %s: write and read it in entrycodec.go, and set it here", v.Type())
		}
		got, err := readEntry(appendEntry(nil, &Entry{Kind: EntryIdle, Run: &Run{Limits: l}}), numberedURL, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got.Run.Limits != l {
			t.Errorf("recorded as %+v, want %+v", got.Run.Limits, l)
		}
	}
}

// limitFields returns the index paths of the fields of a struct, with those of its structs.
func limitFields(typ reflect.Type, above []int) (paths [][]int) {
	for i := range typ.NumField() {
		path := append(slices.Clone(above), i)
		if f := typ.Field(i).Type; f.Kind() == reflect.Struct {
			paths = append(paths, limitFields(f, path)...)
		} else {
			paths = append(paths, path)
		}
	}
	return paths
}
