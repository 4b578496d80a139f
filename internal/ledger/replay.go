package ledger

import (
	"encoding/binary"
	"fmt"
	"iter"

	"dowse"
	"dowse/internal/frontier"
)

// A Replay reads a journal for a crawl that repeats what the entries have
// recorded. Meanwhile the crawl sees every URL again, in the same order, and
// [Journal.Add] returns the places of strings that are in the journal already,
// instead of storing them a second time. A crawl that sees another URL than the
// journal has does not fit it, which Err reports.
type Replay struct {
	j     *Journal
	names expectedNames
	urlOf func(frontier.ID) dowse.URL
}

// Replay begins a replay for a crawl that knows the first known URLs already;
// urlOf returns their strings. If it is open, URLs beyond those of the journal
// are new ones, and their strings are stored. The caller must close it.
func (j *Journal) Replay(known int, open bool, urlOf func(frontier.ID) dowse.URL) *Replay {
	r := &Replay{j: j, names: expectedNames{first: frontier.ID(known), open: open}, urlOf: urlOf}
	j.replaying = &r.names
	return r
}

// Close ends the replay: URLs that are seen from now on are new ones.
func (r *Replay) Close() { r.j.replaying = nil }

// IsOpen reports whether URLs beyond those of the journal are new ones.
func (r *Replay) IsOpen() bool { return r.names.open }

// SetOpen sets what IsOpen reports.
func (r *Replay) SetOpen(open bool) { r.names.open = open }

// Err returns an error if the crawl saw another URL than the journal has at that
// point.
func (r *Replay) Err() error { return r.names.err }

// Entries yields the entries from a place on, up to the end of the journal or to
// the first record that is not sound. An entry that can't be decoded is yielded
// as an error. end is set to where each entry ends, before it is yielded.
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

// Again yields the entries up to a place, as Entries does. The caller must have
// seen their strings before (see Names).
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

// Names yields the strings of the entries before a place. The caller must see
// each one, by Journal.Add, before it takes the next. Those of the last entry,
// which put rulings into effect or closed takedowns, are left out unless the
// replay is open: they were first seen while everything was decided again, and
// are seen when that is repeated.
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

// entry decodes the entry of a record.
func (r *Replay) entry(rec record) (*Entry, error) {
	e, err := readEntry(rec.payload[rec.body:], r.url, r.j.parse)
	if err == nil {
		e.place = rec.place
	}
	return e, err
}

// failed adds the place of a record to an error; nil stays nil.
func (r *Replay) failed(rec record, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("entry at %d: %w", rec.place, err)
}

// url returns the string of a URL: one that the crawl knows, or one of the entry
// that is being replayed, which it has yet to see.
func (r *Replay) url(id frontier.ID) dowse.URL {
	if u, ok := r.names.url(id); ok {
		return u
	}
	return r.urlOf(id)
}

// expectedNames are the strings of the replayed entries that the crawl has yet to
// see. It returns their places in order, and checks that the crawl sees the same
// ones.
type expectedNames struct {
	first frontier.ID // number of the next string
	queue []placedName
	open  bool // strings beyond those are new ones
	err   error
}

type placedName struct {
	place uint64
	url   dowse.URL
}

// next returns the place of the next string, which must be u. After a mistake it
// returns 0 for all that follow.
func (n *expectedNames) next(u dowse.URL) uint64 {
	if n.err != nil || len(n.queue) == 0 || n.queue[0].url != u {
		if n.err == nil {
			n.err = fmt.Errorf("the journal does not fit: it does not have %q here", string(u))
		}
		return 0
	}
	p := n.queue[0].place
	n.queue = n.queue[1:]
	n.first++
	return p
}

// url returns the string of a URL that the crawl has yet to see.
func (n *expectedNames) url(id frontier.ID) (dowse.URL, bool) {
	if i := int(id) - int(n.first); i >= 0 && i < len(n.queue) {
		return n.queue[i].url, true
	}
	return "", false
}

// addFrom adds the strings of a record.
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
