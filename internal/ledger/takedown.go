package ledger

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"dowse"
	"dowse/internal/facts"
	"dowse/internal/frontier"
)

// A takedown leaves an [EntryForget] for each URL that is to be gone, its tombstone.
// The tombstones are at the end of the journal; the entries that they concern, and the
// strings of the URLs, are blanked afterwards (see [Journal.Redact]). From then on the
// journal is folded as if the URLs had never been: links to them are no links, visits to
// them brought nothing, and all that was decided is decided again, as it is for rulings. So whatever strategies learnt from the pages is gone, and the
// result does not depend on how much has been blanked already.
//
// Writing tombstones needs neither strategy nor judge. Whoever opens the journal next
// with its strategy, to write, closes them with an [EntryAgain]: it holds the strings of
// the URLs that came up in deciding again.

// Marks are the entries of a journal by which what comes before them is decided again.
type Marks struct {
	End   uint64   // where the last one ends; 0 for none
	Model string   // the last one that closed rulings; "" for none
	Parts []uint64 // places of the entries that hold rulings
	Open  bool     // there are tombstones that no EntryAgain has closed
	At    time.Time

	Gone  map[frontier.ID]*Entry // the tombstones of the whole journal
	Later bool                   // some of them come after the place up to which was asked
}

// Marks returns the marks before a place.
func (j *Journal) Marks(before uint64) (m Marks, err error) {
	m.Gone = map[frontier.ID]*Entry{}
	var held []uint64 // rulings that are not closed
	for place := range j.modelRecords(0) {
		r, err := j.recordAt(place)
		if err != nil {
			break // the end: what follows is torn
		}
		e, err := readEntry(r.payload[r.body:], noURL, nil)
		if err != nil {
			return m, fmt.Errorf("journal: entry at %d: %w", place, err)
		}
		if e.Kind == EntryForget {
			e.place = place
			m.Gone[e.ID] = e
			m.Later = m.Later || place >= before
		}
		if place >= before {
			continue
		}
		if e.Kind == EntryModel && e.Parts == 0 {
			held = append(held, place)
			continue
		}
		if e.Kind == EntryModel {
			if e.Parts > len(held) {
				return m, fmt.Errorf("journal: entry at %d: its rulings are missing", place)
			}
			m.Parts = append(m.Parts, held[len(held)-e.Parts:]...)
			held, m.Model = nil, e.Model
		}
		m.End, m.Open, m.At = r.next(), e.Kind == EntryForget, e.At
	}
	return m, nil
}

// isMark reports whether entries of a kind can be marks.
func isMark(k EntryKind) bool { return k == EntryModel || k == EntryForget || k == EntryAgain }

// IsMark reports whether what comes before the entry is decided again because of it.
func (e *Entry) IsMark() bool {
	return e.Kind == EntryForget || e.Kind == EntryAgain || e.Kind == EntryModel && e.Parts > 0
}

// Tombstones returns the entries of the URLs that were taken down, by their numbers.
func (j *Journal) Tombstones() (map[frontier.ID]*Entry, error) {
	m, err := j.Marks(j.End())
	return m.Gone, err
}

// RecordTombstone appends the tombstone of a URL. The caller must sync it. An
// entry without a number is for a URL that the journal does not know, which
// gets the number known, so that it is not visited later.
func (j *Journal) RecordTombstone(e *Entry, known frontier.ID) {
	if e.Kind = EntryForget; e.ID == frontier.None {
		e.ID = known
		j.Add("\x00")
	}
	j.Record(e)
}

// isBlank reports whether the string of a URL was blanked out.
func isBlank(u dowse.URL) bool { return len(u) > 0 && u[0] == 0 }

// Blank removes from the entry of a visit everything that the visit brought, and reports whether there was
// anything. What stays is what the table of facts keeps for the books: when it was, what it cost, and where
// the archive has its blank record.
func (e *Entry) Blank() bool {
	if e.Kind != EntryPage && e.Kind != EntryRetry || e.IsBlank() {
		return false
	}
	e.Page = facts.Clear(e.Page)
	e.Page.Outcome, e.Page.Reason = dowse.Skipped, dowse.SkipForgotten
	e.Found, e.Links, e.Queue, e.Rested = nil, nil, 0, 0
	return true
}

// IsBlank reports whether [Entry.Blank] has nothing left to remove from the entry of a visit.
func (e *Entry) IsBlank() bool {
	return e.Page.Reason == dowse.SkipForgotten && len(e.Found) == 0 && facts.IsClear(e.Page)
}

// BlankReasons removes from an entry what strategies said: reasons, and the facts of a page that the table
// marks as said. They may hold words of pages that the strategy had seen before. All of it is decided
// again when the journal is folded behind a tombstone.
func (e *Entry) BlankReasons() (changed bool) {
	if len(e.Because) > 0 {
		e.Because, changed = nil, true
	}
	if e.Page != nil && facts.ClearSaid(e.Page) {
		changed = true
	}
	for i := range e.Links {
		if len(e.Links[i].Because) > 0 {
			e.Links[i].Because, changed = nil, true
		}
	}
	return changed
}

// Trim cuts off what stands after the last whole entry, and the pages of a round of which
// more were to come, as folding it does. It returns how many bytes were cut.
func (j *Journal) Trim() (cut uint64, err error) {
	var end, torn uint64
	var left map[frontier.ID]bool // of a round: its members that have not come back
	for r := range j.records(0, &end) {
		e, err := readVisit(r.payload[r.body:], nil)
		if err != nil {
			return 0, fmt.Errorf("journal: record at %d: %w", r.place, err)
		}
		switch {
		case e.Kind == EntryRound:
			left, torn = map[frontier.ID]bool{}, 0
			for _, id := range e.Round {
				left[id] = true
			}
		case e.Kind == EntryPage && left[e.ID]:
			if torn == 0 {
				torn = r.place
			}
			delete(left, e.ID)
		}
		if len(left) == 0 {
			torn = 0
		}
	}
	if err := j.Err(); err != nil {
		return 0, err
	}
	if at, ok := j.soundAfter(end); ok {
		return 0, fmt.Errorf("journal: %w at offset %d, and sound again from %d on: nothing was changed; bring the file back from a copy", ErrDamaged, end, at)
	}
	if torn > 0 {
		end = torn
	}
	if cut, err = j.CutTail(end); err != nil {
		return 0, err
	}
	return cut, j.dropTail()
}

var errNames = errors.New("the strings of URLs are damaged")

// eachName shows where the strings of the URLs of a record stand in its payload.
func (r *record) eachName(show func(from, to int)) error {
	for at := 0; at < r.body; {
		_, k := binary.Uvarint(r.payload[at:r.body])
		if k <= 0 {
			return errNames
		}
		at += k
		size, k := binary.Uvarint(r.payload[at:r.body])
		if k <= 0 || size > uint64(r.body-at-k) {
			return errNames
		}
		at += k
		show(at, at+int(size))
		at += int(size)
	}
	return nil
}

// EachName shows the strings of all URLs with their numbers, in order; "" for those that
// were taken down.
func (j *Journal) EachName(show func(id frontier.ID, u dowse.URL)) error {
	var end uint64
	next := frontier.ID(0)
	for r := range j.records(0, &end) {
		err := r.eachName(func(from, to int) {
			u := dowse.URL(r.payload[from:to])
			if isBlank(u) {
				u = ""
			}
			show(next, u)
			next++
		})
		if err != nil {
			return fmt.Errorf("journal: record at %d: %w", r.place, err)
		}
	}
	return nil
}
