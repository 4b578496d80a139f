package ledger

import (
	"bytes"
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
