package crawl_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"dowse/crawl"
	"dowse/strategy"
)

// TestPastDamage breaks records of a journal: a scan tells the gap and goes on behind it,
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
