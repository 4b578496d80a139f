package crawl

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
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
	tmp := j.segments[i].f.Name() + ".tmp"
	n, err := j.writeRedacted(tmp, j.segments[i].base, end, edit)
	if err != nil {
		os.Remove(tmp)
		return 0, err
	}
	return n, j.replaceSegment(i, tmp)
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

func (j *Journal) writeRedacted(path string, from, end uint64, edit func(e *Entry) bool) (n int, err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return 0, err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	w.WriteString(journalMagic)
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
		w.Write(r.header())
		w.Write(r.payload)
	}
	return n, errors.Join(err, w.Flush(), f.Sync(), f.Close())
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

// replaceSegment puts the file at tmp in the place of a segment.
func (j *Journal) replaceSegment(i int, tmp string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	s := &j.segments[i]
	name := s.f.Name()
	err := s.f.Close() // before the renaming, which Windows refuses for open files
	err = errors.Join(err, os.Rename(tmp, name))
	f, openErr := os.OpenFile(name, os.O_RDWR, 0)
	if openErr != nil {
		return errors.Join(err, openErr)
	}
	s.f = f
	return errors.Join(err, syncDir(j.dir))
}
