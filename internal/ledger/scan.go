package ledger

import (
	"fmt"
	"iter"

	"dowse"
	"dowse/internal/frontier"
)

// Scan yields the entries from a place on, pages with the latest ruling on them.
// The place is that of an entry, or the end. A part that can't be read is yielded
// as a [*Gap], and the entries after it follow. urlOf returns the strings of
// URLs; nil leaves them empty, which is much cheaper, because each string is read
// from the journal by itself.
func (j *Journal) Scan(from uint64, urlOf func(frontier.ID) dowse.URL) iter.Seq2[*Entry, error] {
	if urlOf == nil {
		urlOf = noURL
	}
	return j.scan(from, true, func(b []byte) (*Entry, error) { return readEntry(b, urlOf, j.parse) })
}

// AsWritten is Scan without URLs and later rulings: every page has the verdict
// of its visit.
func (j *Journal) AsWritten(from uint64) iter.Seq2[*Entry, error] {
	return j.scan(from, false, func(b []byte) (*Entry, error) { return readEntry(b, noURL, j.parse) })
}

// Visits is Scan without URLs and links, which are most of an entry.
func (j *Journal) Visits(from uint64) iter.Seq2[*Entry, error] {
	return j.scan(from, true, func(b []byte) (*Entry, error) { return readVisit(b, j.parse) })
}

// LinkIDs is Scan without URLs and reasons, and without what is known of links but the numbers of their URLs.
func (j *Journal) LinkIDs(from uint64) iter.Seq2[*Entry, error] {
	return j.scan(from, false, func(b []byte) (*Entry, error) { return readLinkIDs(b, j.parse) })
}

// scan yields what read makes of each record. When the sound records end before
// the journal does, there are three cases: the disk failed, which ends the scan;
// another process is just writing, which is not an error; or there is damage,
// which becomes a Gap, and the scan continues after it.
func (j *Journal) scan(from uint64, ruled bool, read func(entry []byte) (*Entry, error)) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		for end, more := from, true; more; {
			for r := range j.records(end, &end) {
				e, err := read(r.payload[r.body:])
				if err == nil {
					e.place, e.after = r.place, r.next()
				}
				if err == nil && ruled {
					err = j.applyRuling(e)
				}
				if err != nil {
					e, err = nil, &Gap{r.place, r.next(), err}
				}
				if !yield(e, err) {
					return
				}
			}
			if j.End() <= end {
				return
			}
			if err := j.Err(); err != nil { // of the disk: what follows can't be trusted
				yield(nil, err)
				return
			}
			if next, settled := j.awaitSound(end); settled {
				if next > j.End() {
					return // it was being written when the journal was opened
				}
				continue
			}
			var gap *Gap
			gap, more = j.gapAt(end)
			if end = gap.Next; !yield(nil, gap) {
				return
			}
		}
	}
}

// A Gap is a part of the journal that can't be read. A scan that yields one
// continues with what follows it.
type Gap struct {
	At, Next uint64 // where it begins, and where the next sound record is
	Err      error  // why it can't be read
}

func (g *Gap) Error() string {
	return fmt.Sprintf("journal: offset %d to %d can't be read: %v", g.At, g.Next, g.Err)
}

// Unwrap returns the cause.
func (g *Gap) Unwrap() []error { return []error{g.Err, ErrDamaged} }

// gapAt returns the gap that begins at a place, and whether a sound record
// follows it.
func (j *Journal) gapAt(at uint64) (*Gap, bool) {
	_, err := j.recordAt(at)
	next, ok := j.soundWithin(at+1, j.End())
	if !ok {
		next = j.End()
	}
	return &Gap{at, next, err}, ok
}

// noURL is for readers that need no strings of URLs.
func noURL(frontier.ID) dowse.URL { return "" }

// NamedBy returns the place of the entry that first saw the URL whose string is
// at place.
func (j *Journal) NamedBy(place uint64) (uint64, error) {
	_, record, err := j.name(place)
	return record, err
}

// Reader opens the journal again, only to read what is on the disk. Nothing that
// is done with it can change or cut the files.
func (j *Journal) Reader() (*Journal, error) { return Open(j.dir.Path("."), j.parse, true) }

// Names returns the places of the strings of all URLs, by their numbers. At
// returns the string of a place. It reads the whole journal.
func (j *Journal) Names() ([]uint64, error) {
	var places []uint64
	var end uint64
	n := &expectedNames{}
	for r := range j.records(0, &end) {
		if err := n.addFrom(r); err != nil {
			return nil, fmt.Errorf("journal: record at %d: %w", r.place, err)
		}
		for _, name := range n.queue {
			places = append(places, name.place)
		}
		n.queue = n.queue[:0]
	}
	return places, j.Err()
}
