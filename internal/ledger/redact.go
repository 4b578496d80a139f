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

// A Redaction is what a takedown removes from a journal.
type Redaction struct {
	// Edit removes texts from an entry, in which the strings of URLs are empty,
	// and reports whether it did. It is called twice for each entry of a segment
	// that changes, with a fresh copy, and must return false if there is nothing
	// left to remove.
	Edit func(e *Entry) bool
	// Gone reports whether the string of a URL is removed.
	Gone func(id frontier.ID) bool
}

// Redact removes texts from recorded entries. An entry can only lose texts: it
// keeps its place and its length, so no other place changes. It returns how many
// entries were changed.
//
// A segment is replaced as a whole, so a crash leaves the old or the new one, and
// a redaction that is repeated changes only what is left. The journal must not be
// appended to meanwhile.
func (j *Journal) Redact(x Redaction) (n int, err error) {
	j.checks.Wait() // they read what is replaced
	if j.readOnly {
		return 0, errors.New("journal: redact: it was opened only to read")
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

// redactSegment redacts one segment and sets next to the number of the first
// string of the segment after it. It reads the segment twice: most segments have
// nothing to remove, and are then not written.
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

// needsRedaction reports whether there is anything to remove between two places.
// A record that is not sound is an error, because what can't be read must not be
// written again.
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

// writeRedacted writes the records between two places as a segment, and returns
// how many of them changed.
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

// A redactor applies a redaction to records in order, because the number of a
// string is its position among all strings.
type redactor struct {
	Redaction
	next frontier.ID // number of the next string
}

// redact replaces the record with what is left of it, and reports whether it
// changed.
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

// names overwrites the strings of URLs that are removed with zeros.
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

// entry replaces the entry of a record with what Edit leaves of it, followed by
// zeros. What is left is never longer than what was there: lists have lost items,
// strings and numbers have become shorter, and no strings are remembered that
// were not before, so that none is written out more often (see enc.name). If it
// were longer all the same, that is an error, and nothing is written.
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

// replaceSegment replaces the file of a segment with what write writes, durably
// and as a whole, and opens it again. If that fails, the old file is still there
// and is opened again.
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
