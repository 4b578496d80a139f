package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"dowse"
	"dowse/internal/frontier"
)

// TestReaderWaitsForRecord opens a journal of which a record in the middle is not yet
// written, though what follows is: the reader waits until it is there.
func TestReaderWaitsForRecord(t *testing.T) {
	const name = "journal-0000000000000000.log"
	dir := t.TempDir()
	j, err := Open(dir, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	var places []uint64
	for i := range 10 {
		e := &Entry{Kind: EntryRescore, At: time.Unix(int64(i), 0), ID: frontier.ID(i), Score: 0.5}
		j.Add(dowse.URL("http://a.test/" + string(rune('0'+i))))
		places = append(places, j.Record(e))
	}
	if err := j.Sync(); err != nil {
		t.Fatal(err)
	}
	j.Close()
	whole, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	for what, read := range map[string]func(j *Journal) error{
		"a check of the tail": func(j *Journal) error { return j.CheckTail(places[5]) },
		"a scan": func(j *Journal) error {
			n := 0
			for _, err := range j.Scan(0, nil) {
				if err != nil {
					return err
				}
				n++
			}
			if n != len(places) {
				t.Errorf("%d entries were read, want %d", n, len(places))
			}
			return nil
		},
	} {
		half := bytes.Clone(whole)
		half[len(journalMagic)+int(places[5])+recordHeader] ^= 1
		if err := os.WriteFile(filepath.Join(dir, name), half, 0o644); err != nil {
			t.Fatal(err)
		}
		r, err := Open(dir, nil, true)
		if err != nil {
			t.Fatal(err)
		}
		waited := false
		r.pause = func() {
			waited = true
			if err := os.WriteFile(filepath.Join(dir, name), whole, 0o644); err != nil {
				t.Error(err)
			}
		}
		if err := read(r); err != nil || !waited {
			t.Errorf("%s: %v, waited: %v", what, err, waited)
		}
		r.Close()
	}
}

// TestOldSegmentsAreCheckedLater damages a record in an old segment and one in the last segments. The second is
// found before the journal is written to; the first is found while it is, and ends that.
func TestOldSegmentsAreCheckedLater(t *testing.T) {
	for hit, later := range map[int]bool{1: true, 4: false, 8: false} {
		dir, places := tenRecords(t)
		splitAt(t, dir, places[3], places[7])
		flipAt(t, dir, places, hit)
		j := openTo(t, dir, false)
		j.checkFirst = places[10] - places[3]
		err := j.Check(places[10])
		if later != (err == nil) || !later && !errors.Is(err, ErrDamaged) {
			t.Fatalf("record %d: %v", hit, err)
		}
		if later {
			j.checks.Wait()
			j.Record(&Entry{Kind: EntryIdle})
			if err := j.Sync(); !errors.Is(err, ErrDamaged) {
				t.Errorf("after record %d was found damaged: %v", hit, err)
			}
		}
		j.Close()
	}
}

// flipAt flips a bit of a record in a journal whose segments begin at places 0, 3 and 7.
func flipAt(t *testing.T, dir string, places []uint64, hit int) {
	t.Helper()
	base := uint64(0)
	for _, i := range []int{3, 7} {
		if i <= hit {
			base = places[i]
		}
	}
	name := filepath.Join(dir, fmt.Sprintf("journal-%016x.log", base))
	data, err := os.ReadFile(name)
	check(t, err)
	data[uint64(len(journalMagic)+recordHeader+3)+places[hit]-base] ^= 1
	check(t, os.WriteFile(name, data, 0o644))
}
