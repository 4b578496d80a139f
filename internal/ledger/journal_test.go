package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"dowse"
	"dowse/internal/durable"
	"dowse/internal/frontier"
)

// A journalModel is a journal and the lists that it must agree with.
type journalModel struct {
	dir     string
	j       *Journal
	entries []modelled
	names   []modelledName
	synced  int // entries that are on disk
}

// A modelled is an entry that was recorded.
type modelled struct {
	place, end uint64
	entry      *Entry
	names      int // that are known after it
}

type modelledName struct {
	place, record uint64
	url           dowse.URL
}

// TestJournalAgreesWithModel records, syncs, closes and reopens in any order. Whatever was
// recorded is read back, by each of the ways to read; what was not synced is gone after a
// close, and nothing else.
func TestJournalAgreesWithModel(t *testing.T) {
	withoutSyncs(t)
	base := t.TempDir()
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		m := &journalModel{dir: filepath.Join(base, fmt.Sprint(n))}
		check(t, os.Mkdir(m.dir, 0o755))
		m.open(rt)
		defer func() { m.j.Close() }()
		rt.Repeat(map[string]func(*rapid.T){
			"compare":     m.compare,
			"record":      m.record,
			"record more": m.record,
			"drop names":  m.dropNames,
			"sync":        m.sync,
			"reopen":      m.reopen,
			"read":        m.read,
		})
		m.compare(rt)
	})
}

func (m *journalModel) open(t *rapid.T) {
	j, err := Open(m.dir, parseRules, false)
	if err != nil {
		t.Fatal(err)
	}
	m.j = j
}

func (m *journalModel) record(t *rapid.T) {
	begin := m.j.End()
	for range rapid.IntRange(0, 3).Draw(t, "new URLs") {
		u := dowse.URL(fmt.Sprintf("http://h.test/%d", len(m.names)))
		m.names = append(m.names, modelledName{m.j.Add(u), begin, u})
	}
	e := drawEntry(t, rapid.SampledFrom([]EntryKind{EntryStart, EntryPage, EntryRetry, EntryRobots, EntryIdle, EntryRescore}).Draw(t, "kind"))
	place := m.j.Record(e)
	if place != begin {
		t.Fatalf("recorded at %d, want %d", place, begin)
	}
	m.entries = append(m.entries, modelled{place, m.j.End(), e, len(m.names)})
}

// dropNames adds URLs for an entry that is then not recorded.
func (m *journalModel) dropNames(t *rapid.T) {
	m.j.Add("http://never.test/")
	m.j.DropNames()
}

func (m *journalModel) sync(t *rapid.T) {
	if err := m.j.Sync(); err != nil {
		t.Fatal(err)
	}
	m.synced = len(m.entries)
}

func (m *journalModel) reopen(t *rapid.T) {
	if err := m.j.Close(); err != nil {
		t.Fatal(err)
	}
	m.entries = m.entries[:m.synced]
	m.names = m.names[:m.known()]
	m.open(t)
}

func (m *journalModel) known() int {
	if len(m.entries) == 0 {
		return 0
	}
	return m.entries[len(m.entries)-1].names
}

func (m *journalModel) compare(t *rapid.T) { m.compareWith(t, m.j, m.entries) }

// read opens the journal a second time, only to read: it holds what was synced.
func (m *journalModel) read(t *rapid.T) {
	j, err := m.j.Reader()
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if !j.IsReadOnly() || m.j.IsReadOnly() {
		t.Fatal("the reader can write, or the writer can't")
	}
	m.compareWith(t, j, m.entries[:m.synced])
}

func (m *journalModel) compareWith(t *rapid.T, j *Journal, entries []modelled) {
	known, end := 0, uint64(0)
	if n := len(entries); n > 0 {
		known, end = entries[n-1].names, entries[n-1].end
	}
	if j.End() != end {
		t.Fatalf("the journal ends at %d, want %d", j.End(), end)
	}
	from := rapid.IntRange(0, len(entries)).Draw(t, "from")
	place := end
	if from < len(entries) {
		place = entries[from].place
	}
	var got []*Entry
	for e, err := range j.Scan(place, numberedURL) {
		if err != nil {
			t.Fatal(err)
		}
		if want := entries[from+len(got)]; e.Place() != want.place {
			t.Fatalf("an entry is at %d, want %d", e.Place(), want.place)
		}
		got = append(got, e)
	}
	var want []*Entry
	for _, x := range entries[from:] {
		want = append(want, x.entry)
	}
	if diff := cmp.Diff(want, got, sameEntry); diff != "" {
		t.Fatalf("scanned from entry %d:\n%s", from, diff)
	}
	m.compareNames(t, j, known)
	if from < len(entries) {
		compareOne(t, j, entries[from])
	}
	for _, list := range []func(func(*Entry, error) bool){j.AsWritten(0), j.Visits(0), j.Entries(numberedURL)} {
		n := 0
		list(func(e *Entry, err error) bool {
			if err != nil || e.Place() != entries[n].place || e.Kind != entries[n].entry.Kind {
				t.Fatalf("entry %d: %v, %+v", n, err, e)
			}
			n++
			return true
		})
		if n != len(entries) {
			t.Fatalf("%d entries, want %d", n, len(entries))
		}
	}
}

// compareOne compares what is read of a single entry.
func compareOne(t *rapid.T, j *Journal, want modelled) {
	e, err := j.Entry(want.place, numberedURL)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.entry, e, sameEntry); diff != "" {
		t.Fatalf("the entry at %d:\n%s", want.place, diff)
	}
	if diff := cmp.Diff(want.entry.Robots, j.RobotsAt(want.place), sameEntry); diff != "" {
		t.Fatalf("the robots.txt at %d:\n%s", want.place, diff)
	}
}

// compareNames compares the strings of URLs, which several functions read.
func (m *journalModel) compareNames(t *rapid.T, j *Journal, known int) {
	places, err := j.Names()
	if err != nil || len(places) != known {
		t.Fatalf("%d names, want %d: %v", len(places), known, err)
	}
	for i, want := range m.names[:known] {
		by, err := j.NamedBy(want.place)
		if places[i] != want.place || j.At(want.place) != want.url || by != want.record || err != nil {
			t.Fatalf("name %d is %q at %d, first seen by the entry at %d (%v); want %+v", i, j.At(want.place), places[i], by, err, want)
		}
	}
	next := 0
	err = j.EachName(func(id frontier.ID, u dowse.URL) {
		if int(id) != next || next >= known || m.names[id].url != u {
			t.Fatalf("URL %d is %q", id, u)
		}
		next++
	})
	if err != nil || next != known {
		t.Fatalf("%d names, want %d: %v", next, known, err)
	}
}

// TestAppendWhileSyncing appends in one goroutine and syncs in another, while a third one
// reads strings. Nothing is lost or written twice.
func TestAppendWhileSyncing(t *testing.T) {
	const n = 2000
	dir := t.TempDir()
	withoutSyncs(t)
	j := openTo(t, dir, false)
	var work sync.WaitGroup
	appended := make(chan struct{})
	places := make(chan uint64, n)
	work.Go(func() {
		defer close(appended)
		defer close(places)
		for i := range n {
			places <- j.Add(numberedURL(frontier.ID(i)))
			j.Record(&Entry{Kind: EntryRescore, ID: frontier.ID(i)})
		}
	})
	work.Go(func() {
		for done := false; !done; {
			select {
			case <-appended:
				done = true
			default:
			}
			if err := j.Sync(); err != nil {
				t.Error(err)
			}
		}
	})
	work.Go(func() {
		id := frontier.ID(0)
		for place := range places {
			if got := j.At(place); got != numberedURL(id) {
				t.Errorf("URL %d is %q", id, got)
			}
			id++
		}
	})
	work.Wait()
	next := frontier.ID(0)
	for e, err := range openTo(t, dir, true).Scan(0, nil) {
		if err != nil || e.ID != next {
			t.Fatalf("entry %d: %v, %+v", next, err, e)
		}
		next++
	}
	if next != n {
		t.Errorf("%d entries on disk, want %d", next, n)
	}
}

// TestDiskFails lets a call to the disk fail. The error is reported by everything that is
// done with the journal from then on, and nothing more is written: what was read since may
// be wrong, and a failed sync can't be repeated.
func TestDiskFails(t *testing.T) {
	broken := errors.New("the disk is broken")
	for _, op := range []durable.Op{durable.OpWrite, durable.OpSync, durable.OpRead} {
		t.Run(string(op), func(t *testing.T) {
			dir := t.TempDir()
			j := openTo(t, dir, false)
			j.Record(&Entry{Kind: EntryIdle, At: time.Unix(1, 0)})
			check(t, j.Sync())
			place := j.Record(&Entry{Kind: EntryIdle, At: time.Unix(2, 0)})
			end := durable.Inject(func(o durable.Op, _ string) error {
				if o == op {
					return broken
				}
				return nil
			})
			defer end()
			if op == durable.OpRead {
				var errs []error
				for _, err := range j.Scan(0, nil) {
					errs = append(errs, err)
				}
				if len(errs) != 1 || !errors.Is(errs[0], broken) {
					t.Errorf("a scan yields %v", errs)
				}
			}
			if err := j.Sync(); !errors.Is(err, broken) {
				t.Errorf("sync: %v", err)
			}
			end()
			if err := j.Sync(); !errors.Is(err, broken) || !errors.Is(j.Err(), broken) {
				t.Errorf("the error was forgotten: %v, %v", err, j.Err())
			}
			if _, err := j.CutTail(place); !errors.Is(err, broken) {
				t.Errorf("a tail was cut off after an error: %v", err)
			}
			n := 0
			for _, err := range openTo(t, dir, true).Scan(0, nil) {
				check(t, err)
				n++
			}
			if want := 1; n != want && op != durable.OpSync { // what was written without a sync may be there
				t.Errorf("%d entries on disk, want %d", n, want)
			}
		})
	}
}

// TestVersions opens segments that begin otherwise than those of this version.
func TestVersions(t *testing.T) {
	for magic, want := range map[string]error{
		"dowsej2\n":                        nil,
		"dowsej1\n":                        ErrVersion,
		"dowsej3\n":                        ErrVersion,
		"dowsej2\r":                        ErrDamaged,
		"dowses2\n":                        ErrDamaged,
		"\x00\x00\x00\x00\x00\x00\x00\x00": ErrDamaged,
		"dowse":                            nil, // a crash came before all of it was written
		"":                                 nil,
	} {
		dir := t.TempDir()
		check(t, os.WriteFile(segmentPath(dir), []byte(magic), 0o644))
		j, err := Open(dir, nil, false)
		if !errors.Is(err, want) || want == nil && err != nil {
			t.Errorf("%q: %v, want %v", magic, err, want)
		}
		if err != nil {
			continue
		}
		j.Record(&Entry{Kind: EntryIdle})
		check(t, errors.Join(j.Sync(), j.Close()))
		n := 0
		for _, err := range openTo(t, dir, true).Scan(0, nil) {
			check(t, err)
			n++
		}
		if data, _ := os.ReadFile(segmentPath(dir)); n != 1 || !bytes.HasPrefix(data, []byte(journalMagic)) {
			t.Errorf("%q: after a sync %d entries in %q", magic, n, data)
		}
	}
	dir := t.TempDir()
	check(t, os.WriteFile(filepath.Join(dir, "journal-later.log"), []byte(journalMagic), 0o644))
	if j, err := Open(dir, nil, true); err == nil {
		j.Close()
		t.Error("a file that is no segment was opened")
	}
}

// TestEmptyJournal reads a folder without a journal.
func TestEmptyJournal(t *testing.T) {
	dir := t.TempDir()
	j := openTo(t, dir, true)
	for e, err := range j.Scan(0, nil) {
		t.Errorf("an entry of nothing: %v, %v", e, err)
	}
	if names, err := j.Names(); j.End() != 0 || len(names) != 0 || err != nil {
		t.Errorf("it ends at %d with %d names: %v", j.End(), len(names), err)
	}
	if files, _ := os.ReadDir(dir); len(files) != 0 {
		t.Errorf("a reader has made %v", files)
	}
	left, err := ReadLeftovers(dir, nil, func(*Entry) { t.Error("an entry") })
	if err != nil || left.Entries+left.Gaps != 0 {
		t.Errorf("%+v, %v", left, err)
	}
}

// splitAt divides the journal in dir into segments that begin at these places, as a
// journal of more than segmentSize bytes is.
func splitAt(t *testing.T, dir string, places ...uint64) {
	t.Helper()
	data, err := os.ReadFile(segmentPath(dir))
	check(t, err)
	records := data[len(journalMagic):]
	places = append(append([]uint64{0}, places...), uint64(len(records)))
	for i, at := range places[:len(places)-1] {
		segment := append([]byte(journalMagic), records[at:places[i+1]]...)
		check(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("journal-%016x.log", at)), segment, 0o644))
	}
}

// tenRecords writes a journal of ten records and returns its folder and their places, and
// after them the end.
func tenRecords(t *testing.T) (dir string, places []uint64) {
	t.Helper()
	dir = t.TempDir()
	j := openTo(t, dir, false)
	for i := range 10 {
		j.Add(numberedURL(frontier.ID(i)))
		p := &dowse.Page{URL: numberedURL(frontier.ID(i)), Document: dowse.Document{Title: fmt.Sprint("page ", i)}}
		places = append(places, j.Record(&Entry{Kind: EntryPage, ID: frontier.ID(i), Page: p}))
	}
	check(t, errors.Join(j.Sync(), j.Close()))
	return dir, append(places, j.End())
}

// idsIn returns the URLs of the entries that can be read, and the gaps between them.
func idsIn(t *testing.T, j *Journal) (ids []frontier.ID, gaps []*Gap) {
	t.Helper()
	for e, err := range j.Scan(0, nil) {
		var gap *Gap
		switch {
		case errors.As(err, &gap):
			gaps = append(gaps, gap)
		case err != nil:
			t.Fatal(err)
		default:
			ids = append(ids, e.ID)
		}
	}
	return ids, gaps
}

var tenIDs = []frontier.ID{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}

// TestSegments reads and continues a journal in several segments, and refuses one of
// which a segment is missing.
func TestSegments(t *testing.T) {
	dir, places := tenRecords(t)
	splitAt(t, dir, places[3], places[7])
	j := openTo(t, dir, false)
	if ids, gaps := idsIn(t, j); !slices.Equal(ids, tenIDs) || len(gaps) > 0 {
		t.Errorf("read %v with gaps %v", ids, gaps)
	}
	for i, place := range places[:10] {
		if e, err := j.Entry(place, numberedURL); err != nil || e.ID != frontier.ID(i) {
			t.Errorf("entry %d: %+v, %v", i, e, err)
		}
	}
	j.Record(&Entry{Kind: EntryRescore, ID: 10})
	check(t, j.Sync())
	if ids, _ := idsIn(t, openTo(t, dir, true)); len(ids) != 11 || ids[10] != 10 {
		t.Errorf("after another entry: %v", ids)
	}
	check(t, os.Remove(filepath.Join(dir, fmt.Sprintf("journal-%016x.log", places[3]))))
	if _, err := Open(dir, nil, true); !errors.Is(err, ErrDamaged) {
		t.Errorf("opened without its middle: %v", err)
	}
	n := 0
	left, err := ReadLeftovers(dir, nil, func(*Entry) { n++ })
	if err != nil || n != 7 || left.Entries != 7 || left.Gaps != 1 {
		t.Errorf("left over: %d entries, %+v, %v", n, left, err)
	}
	if left.URL(2) != numberedURL(2) || left.URL(7) != "" {
		t.Errorf("URLs are %q before the gap and %q after it", left.URL(2), left.URL(7))
	}
}

// TestNoUse reads places that are none.
func TestNoUse(t *testing.T) {
	dir, places := tenRecords(t)
	j := openTo(t, dir, true)
	for _, place := range []uint64{places[1] + 1, places[10], 1 << 40} {
		if e, err := j.Entry(place, numberedURL); err == nil {
			t.Errorf("an entry at %d: %+v", place, e)
		}
		if r := j.RobotsAt(place); r != nil {
			t.Errorf("a robots.txt at %d", place)
		}
	}
	if u := j.At(1 << 40); u != "" {
		t.Errorf("a URL behind the end: %q", u)
	}
	if j.Err() != nil {
		t.Errorf("a place that is none counts as an error of the disk: %v", j.Err())
	}
}
