package ledger

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"

	"dowse/internal/frontier"
	"dowse/internal/wire"
)

// A Redaction says what is to go from a journal, for a takedown.
type Redaction struct {
	// Edit takes words out of an entry, which has no strings of URLs, and reports whether
	// it did. It may see an entry twice and must report false if there is nothing left to do.
	Edit func(e *Entry) bool
	// Gone reports whether the string of a URL is to go.
	Gone func(id frontier.ID) bool
}

// Redact takes words out of entries that stand in the journal. An entry can only lose
// words: it keeps its place and its length, so no other place changes. It returns how
// many entries were changed.
//
// A segment is replaced as a whole, so a crash leaves the old or the new one. The
// journal of a crawl that goes on must not be redacted.
func (j *Journal) Redact(x Redaction) (n int, err error) {
	if j.readOnly {
		return 0, errors.New("journal: redact: opened only to read")
	}
	if err := j.Sync(); err != nil {
		return 0, err
	}
	first := frontier.ID(0)
	for i := range j.segments {
		m, err := j.redactSegment(i, &redactor{Redaction: x, next: first}, &first)
		n += m
		if err != nil {
			return n, fmt.Errorf("journal: redact: %w", err)
		}
	}
	return n, nil
}

func (j *Journal) redactSegment(i int, x *redactor, next *frontier.ID) (int, error) {
	end := j.End()
	if i+1 < len(j.segments) {
		end = j.segments[i+1].base
	}
	again := *x
	touched, err := j.needsRedaction(j.segments[i].base, end, x)
	*next = x.next
	if err != nil || !touched {
		return 0, err
	}
	n := 0
	err = j.replaceSegment(i, func(w io.Writer) error {
		n, err = j.writeRedacted(w, j.segments[i].base, end, &again)
		return err
	})
	return n, err
}

// needsRedaction reports whether there is anything to do between two places, and that all
// records there are sound: what can't be read must not be written anew.
func (j *Journal) needsRedaction(from, end uint64, x *redactor) (touched bool, err error) {
	for at := from; at < end; {
		r, err := j.recordAt(at)
		if err != nil {
			return false, err
		}
		at = r.next()
		changed, err := x.redact(&r)
		if err != nil {
			return false, err
		}
		touched = touched || changed
	}
	return touched, nil
}

func (j *Journal) writeRedacted(w io.Writer, from, end uint64, x *redactor) (n int, err error) {
	_, err = io.WriteString(w, journalMagic)
	for at := from; at < end && err == nil; {
		var r record
		if r, err = j.recordAt(at); err != nil {
			break
		}
		at = r.next()
		var changed bool
		if changed, err = x.redact(&r); changed {
			n++
		}
		for _, b := range [][]byte{r.header(), r.payload} {
			if err == nil {
				_, err = w.Write(b)
			}
		}
	}
	return n, err
}

// A redactor goes through records in order.
type redactor struct {
	Redaction
	next frontier.ID // number of the next string
}

// redact puts in place of the record what is left of it.
func (x *redactor) redact(r *record) (bool, error) {
	names, err := x.names(r)
	if err != nil {
		return false, fmt.Errorf("record at %d: %w", r.place, err)
	}
	entry, err := x.entry(r)
	if err != nil {
		return false, fmt.Errorf("record at %d: %w", r.place, err)
	}
	return names || entry, nil
}

// names blanks the strings of URLs that are to go.
func (x *redactor) names(r *record) (changed bool, err error) {
	err = r.eachName(func(from, to int) {
		name := r.payload[from:to]
		if x.Gone != nil && x.Gone(x.next) && slices.ContainsFunc(name, func(b byte) bool { return b != 0 }) {
			clear(name)
			changed = true
		}
		x.next++
	})
	return changed, err
}

// entry puts in place of the record's entry what Edit leaves of it, filled up with
// zeros. What is left is never longer than what was there: lists have lost items, strings
// and numbers have become shorter, and no other strings are remembered than before, so
// that none is written out more often (see enc.name).
func (x *redactor) entry(r *record) (bool, error) {
	d := newDec(r.payload[r.body:])
	e, err := d.entry(noURL, nil)
	if err != nil {
		return false, err
	}
	e.place = r.place
	if !x.Edit(e) {
		return false, nil
	}
	b := appendEntryWith(&enc{Writer: wire.Writer{B: slices.Clone(r.payload[:r.body])}, only: append([]string{}, d.names...)}, e)
	if len(b) > len(r.payload) {
		return false, fmt.Errorf("the entry has become longer, from %d to %d bytes", len(r.payload), len(b))
	}
	r.payload = append(b, make([]byte, len(r.payload)-len(b))...)
	return true, nil
}

func (r *record) header() []byte {
	b := make([]byte, 0, recordHeader)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(r.payload)))
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(r.payload, castagnoli))
	return binary.LittleEndian.AppendUint32(b, uint32(r.body))
}

// replaceSegment puts what write writes in the place of a segment.
func (j *Journal) replaceSegment(i int, write func(w io.Writer) error) error {
	s := &j.segments[i]
	err := j.dir.Replace(s.name, func(w io.Writer) error {
		if err := write(w); err != nil {
			return err
		}
		return s.f.Close() // before the renaming, which Windows refuses for open files
	})
	f, openErr := j.dir.Edit(s.name)
	if openErr != nil {
		return errors.Join(err, openErr)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	s.f.Close() // still open if nothing was replaced
	s.f = f
	return err
}
