package search

import (
	"errors"
	"testing"
	"time"

	index "github.com/blevesearch/bleve_index_api"

	"dowse/internal/frontier"
)

// HasTerm reports whether a word is in the dictionary of the index of a collection.
func HasTerm(t *testing.T, dir string, key []byte, word string) bool {
	t.Helper()
	r, err := Options{Key: key}.store(dir).openSnapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	for _, f := range []string{fieldTitle, fieldText, fieldFrame} {
		d, err := r.FieldDict(f)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		for e, err := d.Next(); e != nil || err != nil; e, err = d.Next() {
			if err != nil {
				t.Fatal(err)
			}
			if e.Term == word {
				return true
			}
		}
	}
	return false
}

// UpdateSlowly is Update in rounds of a few pages, as Follow makes them, without the rests.
func UpdateSlowly(dir string, key []byte) error {
	o := Options{Key: key, Workers: 1}
	u := &updater{dir: dir, o: o, s: o.store(dir), lex: newStems(), most: 7}
	defer u.close()
	for more := true; more; {
		var err error
		if more, err = u.sure(); err != nil {
			return err
		}
	}
	return nil
}

// Follow1 is Follow with a rest before the first round and what rests.
var Follow1 = follow

// Pause is what rests.
var Pause = pause

// TestFollowRests: a round is at most a tenth of the time.
func TestFollowRests(t *testing.T) {
	for _, took := range []time.Duration{time.Millisecond, time.Second, time.Minute} {
		for _, more := range []bool{false, true} {
			if share := float64(took) / float64(took+restAfter(took, more)); share > 0.1 {
				t.Errorf("after a round of %v, more %v: %.2f of the time is work, want at most 0.1", took, more, share)
			}
		}
	}
	if rest := restAfter(time.Millisecond, false); rest < time.Second {
		t.Errorf("a round without pages is followed by the next after %v", rest)
	}
}

// OpenIndex opens the index of a collection as a searcher does, and closes it. It makes nothing again.
func OpenIndex(dir string, key []byte) error {
	s := Options{Key: key}.store(dir)
	if !s.trusted() {
		return errDamaged
	}
	r, err := s.openSnapshot()
	if err != nil {
		return err
	}
	return r.close()
}

// IsDamaged reports whether an index that causes the error is made again.
func IsDamaged(err error) bool { return errors.Is(err, errDamaged) }

// DropPage removes a page from an index, without its state knowing it.
func DropPage(t *testing.T, dir string, key []byte, id frontier.ID) {
	t.Helper()
	s := Options{Key: key}.store(dir)
	w, err := s.openWriter()
	if err != nil {
		t.Fatal(err)
	}
	b := index.NewBatch()
	b.Delete(docID(id))
	if err := errors.Join(w.Batch(b), w.close(s.files.Path(storeName)), s.seal()); err != nil {
		t.Fatal(err)
	}
}

// ReadForPhrases sets how many pages of an index are read for a phrase.
func ReadForPhrases(s *Searcher, n int) { s.phrased = n }

// Stripped returns a term as the index has it.
func Stripped(term string) string { return strip(term) }
