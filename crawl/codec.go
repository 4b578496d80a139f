package crawl

import (
	"encoding/binary"
	"errors"
	"iter"
	"math"
	"slices"
	"time"
)

// enc appends values to a buffer, in the compact form in which entries and
// snapshots are stored: varints, length-prefixed strings, floats as they are.
type enc struct {
	b     []byte
	names []string // strings that recur within one entry
	only  []string // if not nil, no others are remembered: see record.redact
}

func (e *enc) u(v uint64)     { e.b = binary.AppendUvarint(e.b, v) }
func (e *enc) i(v int64)      { e.b = binary.AppendVarint(e.b, v) }
func (e *enc) f(v float64)    { e.b = binary.LittleEndian.AppendUint64(e.b, math.Float64bits(v)) }
func (e *enc) u64(v uint64)   { e.b = binary.LittleEndian.AppendUint64(e.b, v) }
func (e *enc) byte(v byte)    { e.b = append(e.b, v) }
func (e *enc) s(v string)     { e.u(uint64(len(v))); e.b = append(e.b, v...) }
func (e *enc) t(v time.Time)  { e.i(nanos(v)) }
func (e *enc) bytes(v []byte) { e.u(uint64(len(v))); e.b = append(e.b, v...) }

func (e *enc) bool(v bool) {
	if v {
		e.byte(1)
		return
	}
	e.byte(0)
}

const maxNames = 64 // recurring strings remembered to an entry

// How a string that recurs is written: as itself, to be remembered or not, or as its
// number among those that are remembered.
const (
	nameKept = iota
	nameOnce
	nameKnown // and its number
)

// name writes a string that recurs.
func (e *enc) name(v string) {
	for i, n := range e.names {
		if n == v {
			e.u(uint64(i + nameKnown))
			return
		}
	}
	if len(e.names) >= maxNames || e.only != nil && !slices.Contains(e.only, v) {
		e.u(nameOnce)
		e.s(v)
		return
	}
	e.u(nameKept)
	e.s(v)
	e.names = append(e.names, v)
}

func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func fromNanos(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}

var errShort = errors.New("cut short or damaged")

// dec reads what enc wrote. After the first fault all reads give zero values and
// err says so.
type dec struct {
	b     []byte
	names []string
	err   error

	linkless bool // links of pages are not wanted
}

func (d *dec) fail() {
	d.err = errShort
	d.b = nil
}

func (d *dec) u() uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.fail()
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *dec) i() int64 {
	v, n := binary.Varint(d.b)
	if n <= 0 {
		d.fail()
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *dec) u64() uint64 {
	if len(d.b) < 8 {
		d.fail()
		return 0
	}
	v := binary.LittleEndian.Uint64(d.b)
	d.b = d.b[8:]
	return v
}

func (d *dec) f() float64 { return math.Float64frombits(d.u64()) }

func (d *dec) byte() byte {
	if len(d.b) == 0 {
		d.fail()
		return 0
	}
	v := d.b[0]
	d.b = d.b[1:]
	return v
}

func (d *dec) bool() bool   { return d.byte() != 0 }
func (d *dec) t() time.Time { return fromNanos(d.i()) }
func (d *dec) s() string    { return string(d.raw()) }

func (d *dec) bytes() []byte { return append([]byte(nil), d.raw()...) }

func (d *dec) raw() []byte {
	n := d.u()
	if n > uint64(len(d.b)) {
		d.fail()
		return nil
	}
	v := d.b[:n]
	d.b = d.b[n:]
	return v
}

// count reads the length of a list whose items take at least size bytes each, so
// that a damaged number can't ask for more memory than there is to read.
func (d *dec) count(size int) int {
	n := d.u()
	if n > uint64(len(d.b)/size) {
		d.fail()
		return 0
	}
	return int(n)
}

// items reads the length of such a list and counts its items until a fault.
func (d *dec) items(size int) iter.Seq[int] {
	n := d.count(size)
	return func(yield func(int) bool) {
		for i := 0; i < n && d.err == nil && yield(i); i++ {
		}
	}
}

func (d *dec) name() string {
	how := d.u()
	if how >= nameKnown {
		i := how - nameKnown
		if i >= uint64(len(d.names)) {
			d.fail()
			return ""
		}
		return d.names[i]
	}
	v := d.s()
	if how == nameKept && len(d.names) < maxNames {
		d.names = append(d.names, v)
	}
	return v
}
