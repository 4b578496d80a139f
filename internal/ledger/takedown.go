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

// A takedown appends an [EntryForget] for each URL that is taken down, its
// tombstone. The order is: tombstones, sync, blanking. Only when the tombstones
// are on disk are the entries that they concern, and the strings of the URLs,
// blanked (see [Journal.Redact]). A crash in between leaves tombstones, and the
// next opening continues from them.
//
// From then on the journal is folded as if the URLs had never existed: links to
// them are ignored, visits to them brought nothing, and everything is decided
// again, as it is for rulings. So whatever strategies learnt from the pages is
// gone, and the result does not depend on how much has been blanked already.
//
// Writing tombstones needs neither strategy nor judge. The next program that
// opens the journal to write, with its strategy, closes them with an
// [EntryAgain], which holds the strings of the URLs that were first seen while
// deciding again.

// Marks are the entries of a journal that require everything before them to be
// decided again: new models, labels and takedowns.
type Marks struct {
	End   uint64    // where the last one ends; 0 for none
	Model string    // the model whose rulings took effect last; "" for none
	Parts []uint64  // places of the entries that hold rulings
	Open  bool      // there are tombstones that no EntryAgain has closed
	At    time.Time // of the last one

	Gone  map[frontier.ID]*Entry // the tombstones of the whole journal
	Later bool                   // some of them come after the place that was asked for
}

// Marks returns the marks before a place. Rulings count only if the entry that
// puts them into effect is there, too: a crash while they were being written
// leaves some without effect.
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

// isMark reports whether an entry of this kind can be a mark, so that it has to
// be read.
func isMark(k EntryKind) bool { return k == EntryModel || k == EntryForget || k == EntryAgain }

// IsMark reports whether everything before the entry is decided again because of
// it.
func (e *Entry) IsMark() bool {
	return e.Kind == EntryForget || e.Kind == EntryAgain || e.Kind == EntryModel && e.Parts > 0
}

// Tombstones returns the tombstones of the URLs that were taken down, by their
// numbers.
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

// isBlank reports whether the string of a URL was blanked. No URL begins with a
// zero byte.
func isBlank(u dowse.URL) bool { return len(u) > 0 && u[0] == 0 }

// Blank removes from the entry of a visit everything that the visit brought, and
// reports whether there was anything. What stays is what the table of facts keeps
// for the counts: when the visit was, what it cost, and where the archive has its
// blank record.
func (e *Entry) Blank() bool {
	if e.Kind != EntryPage && e.Kind != EntryRetry || e.IsBlank() {
		return false
	}
	e.Page = facts.Clear(e.Page)
	e.Page.Outcome, e.Page.Reason = dowse.Skipped, dowse.SkipForgotten
	e.Found, e.Links, e.Queue, e.Rested = nil, nil, 0, 0
	return true
}

// IsBlank reports whether [Entry.Blank] has nothing left to remove from the entry
// of a visit.
func (e *Entry) IsBlank() bool {
	return e.Page.Reason == dowse.SkipForgotten && len(e.Found) == 0 && facts.IsClear(e.Page)
}

// BlankReasons removes from an entry what the strategy contributed: reasons, and
// the facts that the table marks as said by a strategy. They may contain words of
// any page that the strategy had seen before, also of one that was taken down.
// All of it is computed again when the journal is folded.
func (e *Entry) BlankReasons() (changed bool) {
	if len(e.Because) > 0 {
		e.Because, changed = nil, true
	}
	if e.Page != nil && facts.ClearByStrategy(e.Page) {
		changed = true
	}
	for i := range e.Links {
		if len(e.Links[i].Because) > 0 {
			e.Links[i].Because, changed = nil, true
		}
	}
	return changed
}

// Trim cuts off what follows the last whole entry, and the pages of a round that
// is not complete, as a fold does. It returns how many bytes were cut. It is for
// a takedown, which has to append to a journal that it can't fold without the
// strategy.
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

// eachName calls show with the positions of the strings of URLs in the payload of
// a record.
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

// EachName calls show with the strings of all URLs and their numbers, in order;
// the string is "" if the URL was taken down.
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
