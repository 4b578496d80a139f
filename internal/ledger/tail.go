package ledger

import (
	"encoding/binary"

	"dowse"
	"dowse/internal/frontier"
)

// A Tail reads what is appended to a journal while another process writes it. It starts at
// the end of what its caller has read, and every call of Next continues where the one before
// ended. It is for readers that show what happens and must not fold a crawl for it.
type Tail struct {
	dir    string
	at     uint64      // where the next entry begins
	known  frontier.ID // numbers below it are resolved by the caller
	places []uint64    // of the strings of the URLs from known on, by their numbers
	j      *Journal    // opened by the last Next
}

// NewTail returns a reader of the journal in dir from a place on. known is how many URLs are
// named before that place.
func NewTail(dir string, at uint64, known int) *Tail {
	return &Tail{dir: dir, at: at, known: frontier.ID(known)}
}

// At returns where the next entry begins.
func (t *Tail) At() uint64 { return t.at }

// Next returns at most n entries that were appended and are complete; none if there is nothing
// new. urlOf returns the strings of URLs below the number that NewTail was given. An entry that
// can't be decoded is left out.
func (t *Tail) Next(n int, urlOf func(frontier.ID) dowse.URL) ([]*Entry, error) {
	j, err := Open(t.dir, nil, true)
	if err != nil {
		return nil, err
	}
	if t.j != nil {
		t.j.Close()
	}
	t.j = j
	names := func(id frontier.ID) dowse.URL { return t.url(id, urlOf) }
	var list []*Entry
	for len(list) < n {
		r, err := j.recordAt(t.at)
		if err != nil {
			break // the end, or a record that is still being written
		}
		t.name(r)
		e, err := readEntry(r.payload[r.body:], names, nil)
		if err == nil {
			e.place, e.after = r.place, r.next()
			list = append(list, e)
		}
		t.at = r.next()
	}
	return list, j.Err()
}

// name notes the strings of the URLs that a record names.
func (t *Tail) name(r record) {
	for at := 0; at < r.body; {
		start := at
		_, k := binary.Uvarint(r.payload[at:r.body])
		if k <= 0 {
			return
		}
		at += k
		size, k := binary.Uvarint(r.payload[at:r.body])
		if k <= 0 || size > uint64(r.body-at-k) {
			return
		}
		at += k + int(size)
		t.places = append(t.places, r.place+recordHeader+uint64(start))
	}
}

// url returns the string of a URL, "" for one that the journal does not name.
func (t *Tail) url(id frontier.ID, urlOf func(frontier.ID) dowse.URL) dowse.URL {
	if id < t.known {
		return urlOf(id)
	}
	if i := int(id - t.known); i < len(t.places) && t.j != nil {
		return t.j.At(t.places[i])
	}
	return ""
}

// Forget lets the caller resolve the numbers below known from now on, so that the Tail need
// not remember them.
func (t *Tail) Forget(known int) {
	if n := frontier.ID(known); n > t.known {
		t.places = append([]uint64(nil), t.places[min(len(t.places), int(n-t.known)):]...)
		t.known = n
	}
}

// Close closes the files.
func (t *Tail) Close() error {
	if t.j == nil {
		return nil
	}
	return t.j.Close()
}
