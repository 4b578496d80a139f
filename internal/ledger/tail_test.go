package ledger

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"dowse"
	"dowse/internal/frontier"
)

// TestTailFollows reads a journal with a Tail as it grows. Every entry comes once, URLs have their strings
// whether the Tail has seen them or the caller knows them, and an entry that is not complete yet is left for
// later.
func TestTailFollows(t *testing.T) {
	withoutSyncs(t)
	dir := t.TempDir()
	j, err := Open(dir, nil, false)
	check(t, err)
	defer j.Close()
	url := func(i int) dowse.URL { return dowse.URL(fmt.Sprintf("http://a.example/%d", i)) }
	recorded := 0
	record := func() {
		j.Add(url(recorded))
		j.Record(&Entry{Kind: EntryRetry, At: time.Unix(int64(recorded), 0), ID: frontier.ID(recorded), Page: &dowse.Page{}})
		check(t, j.Sync())
		recorded++
	}
	record()
	record()
	tail := NewTail(dir, j.End(), recorded)
	defer tail.Close()
	known := recorded
	urlOf := func(id frontier.ID) dowse.URL {
		if int(id) >= known {
			t.Errorf("the caller is asked for %d, and knows %d", id, known)
		}
		return url(int(id))
	}
	read := recorded
	next := func(want int) {
		t.Helper()
		list, err := tail.Next(100, urlOf)
		check(t, err)
		if len(list) != want {
			t.Fatalf("got %d entries, want %d", len(list), want)
		}
		for _, e := range list {
			if int(e.ID) != read || e.Page.URL != url(read) || e.After() <= e.Place() {
				t.Errorf("entry %d of %q at %d to %d, want %d", e.ID, e.Page.URL, e.Place(), e.After(), read)
			}
			read++
		}
		if len(list) > 0 && tail.At() != list[len(list)-1].After() {
			t.Errorf("it goes on at %d, not behind the last entry", tail.At())
		}
	}
	next(0)
	record()
	record()
	next(2)
	// A URL that the Tail has named itself, in an entry that comes later.
	j.Record(&Entry{Kind: EntryRetry, ID: 2, Page: &dowse.Page{}})
	check(t, j.Sync())
	if list, err := tail.Next(100, urlOf); err != nil || len(list) != 1 || list[0].Page.URL != url(2) {
		t.Errorf("%v, %v", list, err)
	}
	// The caller knows more from now on, and the Tail forgets it.
	known = 3
	tail.Forget(known)
	if len(tail.places) != 1 {
		t.Errorf("it remembers %d names, want 1", len(tail.places))
	}
	record()
	next(1)
	// Half an entry, as another process may be writing it.
	name := filepath.Join(dir, "journal-0000000000000000.log")
	record()
	whole, err := os.ReadFile(name)
	check(t, err)
	check(t, os.WriteFile(name, whole[:len(whole)-5], 0o644))
	next(0)
	check(t, os.WriteFile(name, whole, 0o644))
	next(1)
}
