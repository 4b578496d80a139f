package crawl

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
)

// Redact takes words out of entries that stand in the journal, for a takedown. It
// shows every entry to edit, without the strings of URLs, and keeps what edit left
// of those for which it returns true. An entry can only lose words: it keeps its
// place and its length, so no other place changes. It returns how many entries
// were changed.
//
// A segment is replaced as a whole, so a crash leaves the old or the new one. edit
// may see an entry twice and must return false if there is nothing left to do. The
// journal of a crawl that goes on must not be redacted.
func (j *Journal) Redact(edit func(e *Entry) bool) (n int, err error) {
	if j.readOnly {
		return 0, errors.New("journal: redact: opened only to read")
	}
	if err := j.Sync(); err != nil {
		return 0, err
	}
	for i := range j.segments {
		m, err := j.redactSegment(i, edit)
		n += m
		if err != nil {
			return n, fmt.Errorf("journal: redact: %w", err)
		}
	}
	return n, nil
}

func (j *Journal) redactSegment(i int, edit func(e *Entry) bool) (int, error) {
	end := j.End()
	if i+1 < len(j.segments) {
		end = j.segments[i+1].base
	}
	touched, err := j.touched(j.segments[i].base, end, edit)
	if err != nil || !touched {
		return 0, err
	}
	n := 0
	err = j.replaceSegment(i, func(w io.Writer) error {
		n, err = j.writeRedacted(w, j.segments[i].base, end, edit)
		return err
	})
	return n, err
}

// touched reports whether edit has anything to do between two places, and that all
// records there are sound: what can't be read must not be written anew.
func (j *Journal) touched(from, end uint64, edit func(e *Entry) bool) (bool, error) {
	touched := false
	for at := from; at < end; {
		r, err := j.recordAt(at)
		if err != nil {
			return false, err
		}
		at = r.next()
		if touched {
			continue
		}
		e, err := readEntry(r.payload[r.body:], noURL, nil)
		if err != nil {
			return false, fmt.Errorf("record at %d: %w", r.place, err)
		}
		touched = edit(e)
	}
	return touched, nil
}

func (j *Journal) writeRedacted(w io.Writer, from, end uint64, edit func(e *Entry) bool) (n int, err error) {
	_, err = io.WriteString(w, journalMagic)
	for at := from; at < end && err == nil; {
		var r record
		if r, err = j.recordAt(at); err != nil {
			break
		}
		at = r.next()
		var changed bool
		if changed, err = r.redact(edit); changed {
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

// redact puts in place of the record's entry what edit leaves of it.
func (r *record) redact(edit func(e *Entry) bool) (bool, error) {
	e, err := readEntry(r.payload[r.body:], noURL, nil)
	if err != nil || !edit(e) {
		return false, err
	}
	b := appendEntry(slices.Clone(r.payload[:r.body]), e)
	if len(b) > len(r.payload) {
		return false, fmt.Errorf("record at %d: the entry has become longer", r.place)
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
