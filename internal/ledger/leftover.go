package ledger

import (
	"cmp"
	"fmt"
	"slices"

	"dowse"
	"dowse/internal/durable"
	"dowse/internal/frontier"
)

// Leftovers reports what could be read of a journal that may be damaged.
type Leftovers struct {
	Entries    int      // number of entries that could be read
	Gaps       int      // number of places where something could not be read
	Where      []string // the first maxWhere of these, with the reason
	Unreadable uint64   // bytes that could not be read, as far as that is known

	names []dowse.URL // strings of URLs by number, up to the first gap
}

// maxWhere bounds the places that are listed.
const maxWhere = 100

// ReadLeftovers reads all segments of the journal in dir and calls show with
// every entry that is sound. It needs neither the beginning nor an unbroken
// sequence, as Open does, and changes nothing. URLs are known up to the first
// gap. The URLs of later entries are empty, since the number of a URL is known
// only by counting all before it.
func ReadLeftovers(dir string, parse RobotsParser, show func(e *Entry)) (*Leftovers, error) {
	l := &Leftovers{}
	j := &Journal{dir: durable.Inner(dir), parse: parse, readOnly: true, cur: make([]byte, recordHeader)}
	names, err := j.dir.Names("journal-*.log")
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	defer j.Close()
	for _, name := range names {
		if err := j.openSegment(name); err != nil {
			l.gap(name, 0, err)
		}
	}
	slices.SortFunc(j.segments, func(a, b segment) int { return cmp.Compare(a.base, b.base) })
	end := uint64(0)
	for _, s := range j.segments {
		if s.base != end {
			l.gap("state/journal", end, fmt.Errorf("nothing is there up to offset %d", s.base))
		}
		st, err := s.f.Stat()
		if err != nil {
			return l, fmt.Errorf("journal: %w", err)
		}
		end = s.base + uint64(max(0, st.Size()-int64(len(journalMagic))))
		l.segment(j, s.base, end, show)
	}
	return l, nil
}

// gap counts a part that can't be read.
func (l *Leftovers) gap(file string, at uint64, err error) {
	l.Gaps++
	if len(l.Where) < maxWhere {
		l.Where = append(l.Where, fmt.Sprintf("%s, offset %d: %v", file, at, err))
	}
}

// segment reads the records of one segment. After one that is not sound it
// searches for the next one that is.
func (l *Leftovers) segment(j *Journal, at, end uint64, show func(e *Entry)) {
	j.end = end // nothing is read beyond it
	for at < end {
		r, err := j.recordAt(at)
		if err == nil {
			err = l.entry(j, r, show)
			at = r.next()
			if err == nil {
				continue
			}
			l.gap("state/journal", r.place, err)
			continue
		}
		l.gap("state/journal", at, err)
		next, ok := j.soundWithin(at+1, end)
		if !ok {
			next = end
		}
		l.Unreadable += next - at
		at = next
	}
}

// entry decodes a record, and adds its strings while their numbers are known.
func (l *Leftovers) entry(j *Journal, r record, show func(e *Entry)) error {
	if l.Gaps == 0 {
		n := &expectedNames{}
		if err := n.addFrom(r); err != nil {
			return err
		}
		for _, name := range n.queue {
			l.names = append(l.names, name.url)
		}
	}
	e, err := readEntry(r.payload[r.body:], l.URL, j.parse)
	if err != nil {
		return err
	}
	e.place = r.place
	l.Entries++
	show(e)
	return nil
}

// URL returns the string of a numbered URL, "" if it is not known.
func (l *Leftovers) URL(id frontier.ID) dowse.URL {
	if int(id) < len(l.names) {
		return l.names[id]
	}
	return ""
}
