package ledger

import (
	"encoding/binary"
	"fmt"
	"iter"

	"dowse"
	"dowse/internal/frontier"
)

// A Replay reads a journal for a crawl that makes again what the entries say has happened.
// While it is under way the crawl sees every URL again, in the same order, and gets the places
// of the strings that are in the journal already.
type Replay struct {
	j     *Journal
	names expectedNames
	urlOf func(frontier.ID) dowse.URL
}

// Replay begins a replay for a crawl that knows so many URLs; urlOf returns their strings. If
// it is open, strings that come up beyond those of the journal are new ones. It must be
// closed.
func (j *Journal) Replay(known int, open bool, urlOf func(frontier.ID) dowse.URL) *Replay {
	r := &Replay{j: j, names: expectedNames{first: frontier.ID(known), open: open}, urlOf: urlOf}
	j.replaying = &r.names
	return r
}

// Close ends the replay: strings that come up from now on are new ones.
func (r *Replay) Close() { r.j.replaying = nil }

// IsOpen reports whether strings beyond those of the journal are new ones.
func (r *Replay) IsOpen() bool { return r.names.open }

// SetOpen sets that.
func (r *Replay) SetOpen(open bool) { r.names.open = open }

// Err returns the first mistake of the crawl in bringing up strings: it does not fit the
// journal.
func (r *Replay) Err() error { return r.names.err }

// Entries yields the entries from a place on with what could not be read, up to the end of
// the journal or to the first record that is not sound. end is set to where each ends, before
// it is yielded.
func (r *Replay) Entries(from uint64, end *uint64) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		for rec := range r.j.records(from, end) {
			err := r.names.addFrom(rec)
			var e *Entry
			if err == nil {
				e, err = r.entry(rec)
			}
			if !yield(e, r.failed(rec, err)) || r.names.err != nil {
				return
			}
		}
	}
}

// Again yields the entries up to a place, as Entries does. Their strings were brought up
// before, see Names.
func (r *Replay) Again(until uint64) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		var end uint64
		for rec := range r.j.records(0, &end) {
			e, err := r.entry(rec)
			if !yield(e, r.failed(rec, err)) || end >= until {
				return
			}
		}
	}
}

// Names yields the strings that came up before a place, which the caller must bring up one by
// one. Those of the last entry, which closed rulings, are left unless the replay is open: it
// was a fold that brought them up.
func (r *Replay) Names(until uint64) iter.Seq2[dowse.URL, error] {
	return func(yield func(dowse.URL, error) bool) {
		var end uint64
		for rec := range r.j.records(0, &end) {
			closing := end >= until && !r.names.open
			if err := r.names.addFrom(rec); err != nil {
				yield("", r.failed(rec, err))
				return
			}
			for !closing && len(r.names.queue) > 0 {
				n := len(r.names.queue)
				if !yield(r.names.queue[0].url, nil) {
					return
				}
				if len(r.names.queue) == n {
					yield("", fmt.Errorf("entry at %d: a URL that came up before", rec.place))
					return
				}
			}
			if end >= until {
				return
			}
		}
	}
}

func (r *Replay) entry(rec record) (*Entry, error) {
	e, err := readEntry(rec.payload[rec.body:], r.url, r.j.parse)
	if err == nil {
		e.place = rec.place
	}
	return e, err
}

func (r *Replay) failed(rec record, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("entry at %d: %w", rec.place, err)
}

// url returns the string of a URL that the crawl knows, or that waits to be brought up.
func (r *Replay) url(id frontier.ID) dowse.URL {
	if u, ok := r.names.url(id); ok {
		return u
	}
	return r.urlOf(id)
}

// expectedNames hands out, in order, the places of the strings that replayed entries
// brought up, and checks that the replay brings up the same ones.
type expectedNames struct {
	first frontier.ID // number of the next string
	queue []placedName
	open  bool // strings beyond those are new ones, see Rerank
	err   error
}

type placedName struct {
	place uint64
	url   dowse.URL
}

func (n *expectedNames) next(u dowse.URL) uint64 {
	if n.err != nil || len(n.queue) == 0 || n.queue[0].url != u {
		if n.err == nil {
			n.err = fmt.Errorf("the journal does not fit: it knows nothing of %q here", string(u))
		}
		return 0
	}
	p := n.queue[0].place
	n.queue = n.queue[1:]
	n.first++
	return p
}

// url returns the string of a URL that waits to be brought up.
func (n *expectedNames) url(id frontier.ID) (dowse.URL, bool) {
	if i := int(id) - int(n.first); i >= 0 && i < len(n.queue) {
		return n.queue[i].url, true
	}
	return "", false
}

// addFrom reads the strings of a record.
func (n *expectedNames) addFrom(r record) error {
	for at := 0; at < r.body; {
		start := at
		_, k := binary.Uvarint(r.payload[at:r.body])
		if k <= 0 {
			return errShort
		}
		at += k
		size, k := binary.Uvarint(r.payload[at:r.body])
		if k <= 0 || size > uint64(r.body-at-k) {
			return errShort
		}
		at += k
		u := dowse.URL(r.payload[at : at+int(size)])
		n.queue = append(n.queue, placedName{r.place + recordHeader + uint64(start), u})
		at += int(size)
	}
	return nil
}
