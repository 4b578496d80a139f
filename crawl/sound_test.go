package crawl_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"dowse/crawl"
	"dowse/strategy"
)

// TestPastDamage breaks records of a journal: a scan reports the gap and goes on behind it,
// and what is left of the journal can be read without opening it.
func TestPastDamage(t *testing.T) {
	_, whole := wholeJournal(t, 60, 9)
	all := entriesIn(t, whole)
	for _, share := range []float64{0.1, 0.5, 0.9} {
		bad := bytes.Clone(whole)
		bad[int(share*float64(len(bad)))] ^= 1
		dir := journalOf(t, bad)
		_, j := open(t, dir, &strategy.LinkContext{})
		entries, gaps := 0, 0
		for _, err := range j.Scan(0, nil) {
			var gap *crawl.Gap
			switch {
			case err == nil:
				entries++
			case errors.As(err, &gap) && gap.Next > gap.At:
				gaps++
			default:
				t.Fatal(err)
			}
		}
		if gaps != 1 || entries != all-1 {
			t.Errorf("at %v: %d entries of %d, %d gaps", share, entries, all, gaps)
		}
		shown := 0
		left, err := crawl.ReadLeftovers(dir, nil, func(*crawl.Entry) { shown++ })
		if err != nil || shown != all-1 || left.Gaps != 1 || left.Unreadable == 0 {
			t.Errorf("at %v: %d entries of %d: %+v, %v", share, shown, all, left, err)
		}
		if err := j.Check(j.End()); !errors.Is(err, crawl.ErrDamaged) {
			t.Errorf("at %v: %v", share, err)
		}
	}
}

// TestMissingSegment opens a journal whose first segment is not there.
func TestMissingSegment(t *testing.T) {
	_, whole := wholeJournal(t, 20, 9)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "journal-0000000000001000.log"), whole, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := crawl.OpenJournal(dir, nil, false); !errors.Is(err, crawl.ErrDamaged) {
		t.Errorf("%v", err)
	}
	if names, _ := os.ReadDir(dir); len(names) != 1 {
		t.Errorf("%v", names)
	}
}

func journalOf(t *testing.T, data []byte) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, firstSegment), data, 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func entriesIn(t *testing.T, data []byte) (n int) {
	t.Helper()
	left, err := crawl.ReadLeftovers(journalOf(t, data), nil, func(*crawl.Entry) {})
	if err != nil || left.Gaps > 0 {
		t.Fatalf("%+v, %v", left, err)
	}
	return left.Entries
}

// TestReaderOfGrowingJournal opens a journal to read while another process is in the middle
// of an append, which then goes on: the reader sees what was there when it opened the
// journal, and nothing counts as damaged.
func TestReaderOfGrowingJournal(t *testing.T) {
	_, whole := wholeJournal(t, 60, 9)
	for cut := len(whole) / 2; cut < len(whole); cut += 37 {
		dir := journalOf(t, whole[:cut])
		c, j := openReader(t, dir)
		_, scanned := openReader(t, dir)
		if err := os.WriteFile(filepath.Join(dir, firstSegment), whole, 0o644); err != nil {
			t.Fatal(err)
		}
		want := entriesBefore(whole, cut)
		if n, _, err := c.Fold(j, 0, nil); err != nil || n != want {
			t.Fatalf("opened at %d of %d: %d entries, want %d: %v", cut, len(whole), n, want, err)
		}
		n := 0
		for _, err := range scanned.Scan(0, nil) {
			if err != nil {
				t.Fatalf("opened at %d of %d: %v", cut, len(whole), err)
			}
			n++
		}
		if n != want {
			t.Errorf("opened at %d of %d: a scan of %d entries, want %d", cut, len(whole), n, want)
		}
	}
}

// TestReaderFindsDamage opens a journal to read in which a record is broken for good.
func TestReaderFindsDamage(t *testing.T) {
	_, whole := wholeJournal(t, 60, 9)
	whole[len(whole)/2] ^= 1
	c, j := openReader(t, journalOf(t, whole))
	if _, _, err := c.Fold(j, 0, nil); !errors.Is(err, crawl.ErrDamaged) {
		t.Errorf("%v", err)
	}
}

// openReader opens a journal to read, with a crawl to fold it into.
func openReader(t *testing.T, dir string) (*crawl.Crawl, *crawl.Journal) {
	t.Helper()
	j, err := crawl.OpenJournal(dir, parse, true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	c, err := crawl.New(crawl.Config{
		Strategy: &strategy.LinkContext{}, Robots: true, Log: j, Key: 42,
		Polite: crawl.Politeness{Delay: 20 * time.Millisecond, InFlight: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c, j
}

// entriesBefore returns how many whole records the first bytes of a segment have.
func entriesBefore(segment []byte, cut int) (n int) {
	const magic, header = 8, 12
	for at := magic; at+header <= cut; n++ {
		at += header + int(binary.LittleEndian.Uint32(segment[at:]))
		if at > cut {
			break
		}
	}
	return n
}
