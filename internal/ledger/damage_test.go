package ledger

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dowse"
	"dowse/internal/frontier"
	"dowse/internal/wire"
)

// writeSegment replaces the only segment of a journal.
func writeSegment(t *testing.T, dir string, data []byte) {
	t.Helper()
	check(t, os.WriteFile(segmentPath(dir), data, 0o644))
}

// TestTornTail ends a journal after every byte of its last two records, as a crash does.
// The entries before are read, the files stay as they are until the next sync, and then the
// journal goes on behind the last sound record.
func TestTornTail(t *testing.T) {
	dir, places := tenRecords(t)
	whole, err := os.ReadFile(segmentPath(dir))
	check(t, err)
	withoutSyncs(t)
	for size := places[8]; size < places[10]; size++ {
		torn := whole[:len(journalMagic)+int(size)]
		writeSegment(t, dir, torn)
		sound := 8
		if size >= places[9] {
			sound = 9
		}
		j := openTo(t, dir, false)
		var end uint64
		for range j.records(0, &end) {
		}
		if end != places[sound] {
			t.Fatalf("cut at %d, the journal is sound up to %d, want %d", size, end, places[sound])
		}
		if err := errors.Join(j.CheckTail(end), j.Check(end)); err != nil {
			t.Errorf("cut at %d, a torn end counts as damage: %v", size, err)
		}
		if cut, err := j.CutTail(end); err != nil || cut != size-end {
			t.Errorf("cut at %d, %d bytes are torn, want %d: %v", size, cut, size-end, err)
		}
		if now, _ := os.ReadFile(segmentPath(dir)); !bytes.Equal(now, torn) {
			t.Errorf("cut at %d, the file was changed before a sync", size)
		}
		j.Record(&Entry{Kind: EntryRescore, ID: 77})
		check(t, errors.Join(j.Sync(), j.Close()))
		want := append(slices.Clone(tenIDs[:sound]), 77)
		if ids, gaps := idsIn(t, openTo(t, dir, true)); !slices.Equal(ids, want) || len(gaps) > 0 {
			t.Errorf("cut at %d, after another entry: %v and %v, want %v", size, ids, gaps, want)
		}
	}
}

// TestZeroTail appends zeros to a journal, or overwrites its end with them, as a file system
// can after a power loss. That is a torn end, and no damage.
func TestZeroTail(t *testing.T) {
	dir, places := tenRecords(t)
	whole, err := os.ReadFile(segmentPath(dir))
	check(t, err)
	withoutSyncs(t)
	for _, zeros := range []int{1, recordHeader - 1, recordHeader, recordHeader + 1, 5 * recordHeader, 4096} {
		for _, lost := range []int{0, 1, 5, int(places[10]-places[9]) - 1} {
			data := append(slices.Clone(whole[:len(whole)-lost]), make([]byte, zeros+lost)...)
			writeSegment(t, dir, data)
			sound := 10
			if lost > 0 && !bytes.Equal(data[:len(whole)], whole) { // its last byte may be zero anyway
				sound = 9
			}
			j := openTo(t, dir, false)
			var end uint64
			for range j.records(0, &end) {
			}
			if end != places[sound] {
				t.Fatalf("%d zeros, %d bytes lost: the journal is sound up to %d, want %d", zeros, lost, end, places[sound])
			}
			if err := errors.Join(j.CheckTail(end), j.Check(end)); err != nil {
				t.Errorf("%d zeros, %d bytes lost: %v", zeros, lost, err)
			}
			if _, err := j.CutTail(end); err != nil {
				t.Errorf("%d zeros, %d bytes lost: %v", zeros, lost, err)
			}
			j.Record(&Entry{Kind: EntryRescore, ID: 77})
			check(t, errors.Join(j.Sync(), j.Close()))
			want := append(slices.Clone(tenIDs[:sound]), 77)
			if ids, gaps := idsIn(t, openTo(t, dir, true)); !slices.Equal(ids, want) || len(gaps) > 0 {
				t.Errorf("%d zeros, %d bytes lost, after another entry: %v and %v, want %v", zeros, lost, ids, gaps, want)
			}
		}
	}
}

// TestTornSegment cuts a tail off that spans segments: those behind it are removed.
func TestTornSegment(t *testing.T) {
	dir, places := tenRecords(t)
	splitAt(t, dir, places[4], places[8])
	last := filepath.Join(dir, "journal-0000000000000000.log")
	data, err := os.ReadFile(last)
	check(t, err)
	data[len(data)-1] ^= 1 // the record before the second segment
	check(t, os.WriteFile(last, data, 0o644))
	j := openTo(t, dir, false)
	if cut, err := j.CutTail(places[3]); err != nil || cut != places[10]-places[3] {
		t.Fatalf("%d bytes to cut, want %d: %v", cut, places[10]-places[3], err)
	}
	check(t, j.Sync())
	if names, _ := filepath.Glob(filepath.Join(dir, "*")); len(names) != 1 {
		t.Errorf("left are %v", names)
	}
	if ids, gaps := idsIn(t, openTo(t, dir, true)); !slices.Equal(ids, tenIDs[:3]) || len(gaps) > 0 {
		t.Errorf("left are %v and %v", ids, gaps)
	}
}

// TestTailThatWasSynced refuses to cut off what a snapshot has seen, since no crash tears
// that; and a reader cuts nothing.
func TestTailThatWasSynced(t *testing.T) {
	dir, places := tenRecords(t)
	j := openTo(t, dir, false)
	j.KeepBefore(places[9])
	j.KeepBefore(places[2]) // a lower bound does not lower it
	if _, err := j.CutTail(places[8]); !errors.Is(err, ErrDamaged) {
		t.Errorf("cut before what was kept: %v", err)
	}
	if cut, err := j.CutTail(places[9]); err != nil || cut != places[10]-places[9] {
		t.Errorf("%d bytes to cut: %v", cut, err)
	}
	r := openTo(t, dir, true)
	if cut, err := r.CutTail(places[5]); err != nil || cut != 0 || r.End() != places[5] {
		t.Errorf("a reader cuts %d bytes and ends at %d: %v", cut, r.End(), err)
	}
}

// TestEveryByteIsChecked changes each byte of a journal in turn. The entries that the
// byte does not belong to are read, one gap covers the one that it does, and checks find the
// damage. The checksum does not cover where the entry begins in its record, so Check, which
// decodes nothing, does not find damage there; a scan does.
func TestEveryByteIsChecked(t *testing.T) {
	dir, places := tenRecords(t)
	whole, err := os.ReadFile(segmentPath(dir))
	check(t, err)
	end := places[10]
	for at := range end {
		bad := bytes.Clone(whole)
		bad[len(journalMagic)+int(at)] ^= 0x41
		writeSegment(t, dir, bad)
		hit, found := slices.BinarySearch(places, at)
		if !found {
			hit--
		}
		want := slices.Delete(slices.Clone(tenIDs), hit, hit+1)
		j := openTo(t, dir, false)
		ids, gaps := idsIn(t, j)
		if !slices.Equal(ids, want) || len(gaps) != 1 {
			t.Fatalf("byte %d: read %v, %d gaps; want %v", at, ids, len(gaps), want)
		}
		if g := gaps[0]; g.At != places[hit] || g.Next != places[hit+1] || !errors.Is(g, ErrDamaged) {
			t.Fatalf("byte %d: the gap is %v, want from %d to %d", at, g, places[hit], places[hit+1])
		}
		checked := at-places[hit] < 8 || at-places[hit] >= recordHeader
		if err := j.Check(end); checked && !errors.Is(err, ErrDamaged) {
			t.Fatalf("byte %d: a check finds %v", at, err)
		}
		if err := j.Check(places[hit]); err != nil {
			t.Fatalf("byte %d: a check of what is before finds %v", at, err)
		}
		if err := j.CheckTail(places[hit]); (err != nil) != (hit < 9) {
			t.Fatalf("byte %d of record %d: a check of the tail finds %v", at, hit, err)
		}
		j.Close()
	}
}

// TestEntriesOfDamage lists a damaged journal: Entries ends with an error, and leftovers
// have the rest.
func TestEntriesOfDamage(t *testing.T) {
	dir, places := tenRecords(t)
	data, err := os.ReadFile(segmentPath(dir))
	check(t, err)
	data[len(journalMagic)+int(places[6])+recordHeader] ^= 1
	writeSegment(t, dir, data)
	j := openTo(t, dir, true)
	n, last := 0, error(nil)
	for e, err := range j.Entries(numberedURL) {
		if last = err; e != nil {
			n++
		}
	}
	if n != 6 || !errors.Is(last, ErrDamaged) {
		t.Errorf("%d entries, then %v", n, last)
	}
	var ids []frontier.ID
	var urls []dowse.URL
	left, err := ReadLeftovers(dir, parseRules, func(e *Entry) { ids, urls = append(ids, e.ID), append(urls, e.Page.URL) })
	check(t, err)
	if !slices.Equal(ids, []frontier.ID{0, 1, 2, 3, 4, 5, 7, 8, 9}) || left.Entries != 9 || left.Gaps != 1 || left.Unreadable != places[7]-places[6] {
		t.Errorf("left over are %v: %+v", ids, left)
	}
	if urls[5] != numberedURL(5) || urls[6] != "" {
		t.Errorf("URLs before and after the gap: %q, %q", urls[5], urls[6])
	}
	if len(left.Where) != 1 || !strings.Contains(left.Where[0], "checksum") {
		t.Errorf("where: %q", left.Where)
	}
}

// part returns a sealed part of a snapshot with a text.
func part(t *testing.T, text string) []byte {
	t.Helper()
	w := NewPart()
	w.Text(text)
	var b bytes.Buffer
	check(t, Seal(&b, w))
	return b.Bytes()
}

// TestSeal reads what was sealed, part by part, and nothing that is cut or changed.
func TestSeal(t *testing.T) {
	const text = "all that the crawl knows"
	file := append(part(t, text), part(t, "")...)
	in := bytes.NewReader(file)
	for _, want := range []string{text, ""} {
		r, err := ReadPart(in)
		check(t, err)
		if got := r.Text(); got != want || r.Err != nil || len(r.Rest) > 0 {
			t.Errorf("read %q with %d bytes left (%v), want %q", got, len(r.Rest), r.Err, want)
		}
	}
	if _, err := ReadPart(in); err != io.EOF {
		t.Errorf("behind the last part: %v", err)
	}
	first := part(t, text)
	for n := range first {
		if _, err := ReadPart(bytes.NewReader(first[:n])); err == nil {
			t.Errorf("%d of %d bytes were read as a part", n, len(first))
		}
		bad := bytes.Clone(first)
		bad[n] ^= 0x10
		if _, err := ReadPart(bytes.NewReader(bad)); err == nil {
			t.Errorf("a part with another byte %d was read", n)
		}
	}
	other := &wire.Writer{B: []byte("dowses1\n")}
	var b bytes.Buffer
	check(t, Seal(&b, other))
	if _, err := ReadPart(&b); !errors.Is(err, ErrVersion) {
		t.Errorf("a part of another version: %v", err)
	}
	if err := Seal(fullDisk{}, NewPart()); err == nil {
		t.Error("a part was written to a full disk")
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// TestMemory keeps strings, and no entries.
func TestMemory(t *testing.T) {
	m := NewMemory()
	place := m.Add("http://a.test/")
	if m.At(place) != "http://a.test/" || m.Record(&Entry{}) != 0 || m.RobotsAt(place) != nil {
		t.Errorf("%q at %d", m.At(place), place)
	}
}
