package search

import (
	"testing"
	"time"
)

// HasTerm reports whether a word is in the dictionary of the index of a collection.
func HasTerm(t *testing.T, dir string, key []byte, word string) bool {
	t.Helper()
	r, err := Options{Key: key}.store(dir).openSnapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	for _, f := range []string{fieldTitle, fieldText} {
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
