package ledger

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// This file distinguishes damage from what a crash leaves. A crash tears the end
// of the last segment and nothing else, because everything before it was synced.
// So a record that is not sound is torn if nothing sound follows it, and damaged
// otherwise. A torn end is cut off without asking; damage is never cut off, since
// that would lose what follows, and the collection is refused instead.

// ErrTextLost is the error for a page whose record in the archive can't be decoded. It matches ErrDamaged.
var ErrTextLost error = textLost{}

// ErrInputLost is the error for a collection that can be read whole, while a file is lost that its strategy needs.
var ErrInputLost = errors.New("it can be read, but not crawled further until this is mended (bring the file back from a copy)")

type textLost struct{}

func (textLost) Error() string { return "its record in the archive can't be read" }

// Is reports that a lost text is damage.
func (textLost) Is(target error) bool { return target == ErrDamaged }

// wrongMagic returns the error for a segment whose first bytes are not those of
// this version: ErrVersion if they are those of another, else ErrDamaged.
func wrongMagic(magic []byte) error {
	if string(magic[:6]) == journalMagic[:6] && magic[7] == '\n' {
		return ErrVersion
	}
	return fmt.Errorf("%w: it does not begin as a journal does", ErrDamaged)
}

// contiguous checks that each segment begins where the one before ends. So none
// is missing at the beginning or in the middle, and none but the last is shorter
// than it was.
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

// KeepBefore records that everything before a place was synced once, since a
// snapshot was saved there. A tail that begins before it is damage and is never
// cut off.
func (j *Journal) KeepBefore(floor uint64) { j.floor = max(j.floor, floor) }

// checkedFirst is how many bytes before a place Check reads, at least, before it returns: two
// segments, which take some seconds.
const checkedFirst = 2 * segmentSize

// Check returns ErrDamaged if a record before a place is not sound. In a journal of more than two
// segments it reads the last ones only, and the others are read while the caller goes on, because a
// crawl of a hundred million URLs would wait for minutes. Damage that is found then is an error of the
// journal (see Err), after which nothing more is written.
func (j *Journal) Check(until uint64) error {
	from := j.firstChecked(until)
	if err := j.CheckFrom(from, until); err != nil || from == 0 {
		return err
	}
	j.checks.Go(func() {
		if err := j.CheckFrom(0, from); err != nil {
			j.fail(err)
		}
	})
	return nil
}

// firstChecked returns where the segments begin that Check reads before it returns.
func (j *Journal) firstChecked(until uint64) (from uint64) {
	for _, s := range j.segments {
		if s.base+j.checkFirst <= until {
			from = s.base
		}
	}
	return from
}

// CheckFrom returns ErrDamaged if a record between two places is not sound. It ends early, without an
// error, if the journal is closed.
func (j *Journal) CheckFrom(from, until uint64) error {
	end := from
	for range j.records(from, &end) {
		if end >= until || j.closing.Load() {
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

// The number of bytes that soundWithin reads in one step, and the length of the
// longest record that it finds. Longer records are rare, and each byte of a step
// may be the start of one.
const (
	damageReach = 8 << 20
	usualRecord = 1 << 20
)

// soundAfter looks for a sound record after a place at which there is none. It
// looks no further than the end of the journal: a reader does not see what
// another process has appended since. A record that another process was just
// writing is no damage, so nothing is found then.
func (j *Journal) soundAfter(end uint64) (place uint64, ok bool) {
	if place, ok = j.soundWithin(end+1, j.End()); !ok {
		return 0, false
	}
	if _, settled := j.awaitSound(end); settled {
		return 0, false
	}
	return place, true
}

// soundWithin looks for a sound record between two places. It tries every byte,
// since a damaged length does not show where the next record begins.
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

// window reads from a place on, at most damageReach bytes and no further than
// the end of its segment. It returns nil if the disk fails.
func (j *Journal) window(at, size uint64) []byte {
	b, err := j.read(at, make([]byte, min(size-at, damageReach)))
	if err != nil {
		return nil
	}
	return b
}

// findRecord returns where in b the first sound record begins. The checksum is
// computed only where the lengths make sense, which is rare by chance.
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

// CheckTail returns ErrDamaged if a sound record follows a place at which none
// begins. A crash tears only the end of a journal.
func (j *Journal) CheckTail(end uint64) error {
	if at, ok := j.soundAfter(end); ok {
		return fmt.Errorf("%w at offset %d, and sound again from %d on", ErrDamaged, end, at)
	}
	return nil
}
