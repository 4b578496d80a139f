package sink

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"
)

// An attempt is what is kept of a batch while it is being sent. After a kill, or a failure, the batch is made again,
// and what its records are made of may have changed meanwhile: verdicts, the threshold, the wishes of owners. A record
// that is the same again keeps its id and its version. Another one gets an id of its own and a version above all
// those that may have been received, because two records with one id must be the same.
type attempt struct {
	Above int64  `json:"above,omitempty"` // the least version of the records that had changed before this attempt; 0 for none
	Top   int64  `json:"top"`             // the largest version
	Sums  []byte `json:"sums"`            // checksums of the records, 8 bytes each
}

// has reports whether a record was part of the attempt.
func (a *attempt) has(r *outgoing) bool {
	sum := sumOf(r)
	for s := range slices.Chunk(a.Sums, len(sum)) {
		if string(s) == string(sum[:]) {
			return true
		}
	}
	return false
}

// castagnoli is the second polynomial of a sumOf.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sumOf returns the checksum of a record.
func sumOf(r *outgoing) (sum [8]byte) {
	binary.BigEndian.PutUint32(sum[:], crc32.ChecksumIEEE(r.line))
	binary.BigEndian.PutUint32(sum[4:], crc32.Checksum(r.line, castagnoli))
	return sum
}

// A numbering gives the records of a batch their versions. The version of a record is the time of the change that
// caused it or, if records with a larger one were sent, one more than these. So the versions of a page grow, also
// after the clock was set back, and when the journal is looked at again after another threshold.
type numbering struct {
	floor int64    // the largest version of all batches before
	last  *attempt // at this batch, which may have been received; nil for none
	this  attempt
	pages map[string]int64 // the largest version of each page in this batch, by its key
}

// newNumbering returns the numbering of the next batch of a cursor.
func newNumbering(c *cursor) *numbering {
	n := &numbering{floor: c.Floor, last: c.Attempt, pages: map[string]int64{}}
	if n.last != nil {
		n.this.Above = n.last.Above
	}
	return n
}

// number returns a record with its version.
func (n *numbering) number(h envelope, build func(envelope) (outgoing, error)) (outgoing, error) {
	h.Version = max(h.Version, n.floor+1, n.pages[h.Key]+1)
	r, err := build(h)
	if err != nil {
		return r, err
	}
	if n.last != nil && !n.last.has(&r) {
		if r, err = n.renumber(h, build); err != nil {
			return r, err
		}
	}
	n.pages[h.Key] = r.Version
	n.this.Top = max(n.this.Top, r.Version)
	sum := sumOf(&r)
	n.this.Sums = append(n.this.Sums, sum[:]...)
	return r, nil
}

// renumber returns a record that was not part of the last attempt under its own id: as one that had changed before that
// attempt, or as one that has changed since.
func (n *numbering) renumber(h envelope, build func(envelope) (outgoing, error)) (r outgoing, err error) {
	for _, least := range []int64{n.last.Above, n.last.Top + 1} {
		if least == 0 {
			continue
		}
		x := h
		x.Version = max(x.Version, least)
		x.Event = fmt.Sprintf("%s-v%x", h.Event, x.Version)
		if r, err = build(x); err != nil || n.last.has(&r) {
			return r, err
		}
	}
	n.this.Above = n.last.Top + 1
	return r, nil
}
