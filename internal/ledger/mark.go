package ledger

import "encoding/binary"

// RuledAfter reports whether a mark is at a place or after it. A snapshot that
// was taken there does not contain its effect and can't be used: everything
// before the mark has to be decided again.
func (j *Journal) RuledAfter(place uint64) bool {
	for at := range j.modelRecords(place) {
		if r, err := j.recordAt(at); err != nil {
			return false // torn
		} else if e, err := readEntry(r.payload[r.body:], noURL, nil); err == nil && e.IsMark() {
			return true
		}
	}
	return false
}

// modelRecords yields the places of the entries of models and takedowns. Of
// the others it reads only the header and the kind, 13 bytes each, so it is
// cheap even for a journal of gigabytes.
func (j *Journal) modelRecords(from uint64) func(yield func(uint64) bool) {
	return func(yield func(uint64) bool) {
		var head [recordHeader]byte
		var kind [1]byte
		for place := from; place < j.End(); {
			b, err := j.readFull(place, head[:])
			if err != nil {
				return
			}
			size, body := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[8:])
			if size > maxRecord || body >= size {
				return
			}
			if k, err := j.readFull(place+recordHeader+uint64(body), kind[:]); err != nil {
				return
			} else if isMark(EntryKind(k[0]&^beginsRun)) && !yield(place) {
				return
			}
			place += recordHeader + uint64(size)
		}
	}
}
