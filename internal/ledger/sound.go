package ledger

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// This file distinguishes damage from what a crash leaves behind. A crash tears the end of
// the last segment and nothing else: everything before it was synced.

// wrongMagic returns what is wrong with a segment that does not begin as one of this
// version does.
func wrongMagic(magic []byte) error {
	if string(magic[:6]) == journalMagic[:6] && magic[7] == '\n' {
		return ErrVersion
	}
	return fmt.Errorf("%w: it does not begin as a journal does", ErrDamaged)
}

// contiguous checks that no segment is missing at the beginning or in the middle, and
// that none but the last is shorter than it was.
func (j *Journal) contiguous() error {
	end := uint64(0)
	for _, s := range j.segments {
		if s.base != end {
			return fmt.Errorf("journal: %w: the part from offset %d to %d is missing", ErrDamaged, end, s.base)
		}
		st, err := s.f.Stat()
		if err != nil {
			return fmt.Errorf("journal: %w", err)
		}
		end = s.base + uint64(max(0, st.Size()-int64(len(journalMagic))))
	}
	return nil
}

// KeepBefore records that everything before a place was synced once. A tail that begins before it
// is never cut off.
func (j *Journal) KeepBefore(floor uint64) { j.floor = max(j.floor, floor) }

// Check reads all records before a place and returns ErrDamaged if one of them is not
// sound.
func (j *Journal) Check(until uint64) error {
	var end uint64
	for range j.records(0, &end) {
		if end >= until {
			return nil
		}
	}
	if err := j.Err(); err != nil { // the disk failed: nothing is known of the journal
		return fmt.Errorf("journal: %w", err)
	}
	if end < until {
		_, err := j.recordAt(end)
		return fmt.Errorf("%w at offset %d: %v", ErrDamaged, end, err)
	}
	return nil
}

// The number of bytes that soundAfter reads in one step, and the longest record that it finds.
const (
	damageReach = 8 << 20
	usualRecord = 1 << 20
)

// soundAfter looks for a sound record behind one that is not. It looks no further than the
// end of the journal: a reader does not see what another process has appended since.
// A record that another process was just writing is no damage, so nothing is found behind it.
func (j *Journal) soundAfter(end uint64) (place uint64, ok bool) {
	if place, ok = j.soundWithin(end+1, j.End()); !ok {
		return 0, false
	}
	if _, settled := j.awaitSound(end); settled {
		return 0, false
	}
	return place, true
}

// soundWithin looks for a sound record between two places.
func (j *Journal) soundWithin(at, size uint64) (place uint64, ok bool) {
	for at+recordHeader < size {
		b := j.window(at, size)
		if i, ok := findRecord(b); ok {
			return at + uint64(i), true
		}
		step := len(b)
		if step == damageReach {
			step -= usualRecord + recordHeader // a record may begin before the end and go beyond it
		}
		if step == 0 {
			break // the disk gives no more
		}
		at += uint64(step)
	}
	return 0, false
}

// window reads what stands at a place, at most damageReach bytes and no further than
// the end of its segment.
func (j *Journal) window(at, size uint64) []byte {
	b, err := j.read(at, make([]byte, min(size-at, damageReach)))
	if err != nil {
		return nil
	}
	return b
}

// findRecord returns where in b the first sound record begins.
func findRecord(b []byte) (int, bool) {
	for i := 0; i+recordHeader < len(b); i++ {
		n := binary.LittleEndian.Uint32(b[i:])
		if n == 0 || n > usualRecord || i+recordHeader+int(n) > len(b) || binary.LittleEndian.Uint32(b[i+8:]) > n {
			continue
		}
		if crc32.Checksum(b[i+recordHeader:i+recordHeader+int(n)], castagnoli) == binary.LittleEndian.Uint32(b[i+4:]) {
			return i, true
		}
	}
	return 0, false
}

// CheckTail returns ErrDamaged if a sound record follows a place at which no sound one
// begins: a crash tears the end of a journal only.
func (j *Journal) CheckTail(end uint64) error {
	if at, ok := j.soundAfter(end); ok {
		return fmt.Errorf("%w at offset %d, and sound again from %d on", ErrDamaged, end, at)
	}
	return nil
}
