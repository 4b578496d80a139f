// Package wire writes values as bytes and reads them back, for the files and notes that only
// dowse itself reads: journals, snapshots, feature files, traces, the notes of strategies.
//
// Whole numbers are varints (as in encoding/binary) or of a fixed size, fixed sizes are
// little-endian, texts follow their length. Nothing in the bytes describes their layout, so
// writer and reader must agree on it. Bytes may come from a damaged disk or a stranger:
// readers never panic, never allocate more than the bytes at hand can call for, and after the
// first fault return zero values, so that a caller may check for faults once, at the end.
package wire

import (
	"encoding/binary"
	"math"
	"time"
)

// A Writer appends values to B. Its zero value is ready to use.
type Writer struct{ B []byte }

// Uint appends a number as a varint: one byte below 128, at most ten.
func (w *Writer) Uint(v uint64) { w.B = binary.AppendUvarint(w.B, v) }

// Int appends a number as a zigzag varint, which is short for small negative numbers too.
func (w *Writer) Int(v int64) { w.B = binary.AppendVarint(w.B, v) }

// Uint16 appends two bytes.
func (w *Writer) Uint16(v uint16) { w.B = binary.LittleEndian.AppendUint16(w.B, v) }

// Uint32 appends four bytes.
func (w *Writer) Uint32(v uint32) { w.B = binary.LittleEndian.AppendUint32(w.B, v) }

// Uint64 appends eight bytes.
func (w *Writer) Uint64(v uint64) { w.B = binary.LittleEndian.AppendUint64(w.B, v) }

// Float appends the eight bytes of a number, exactly.
func (w *Writer) Float(v float64) { w.Uint64(math.Float64bits(v)) }

// Byte appends one byte.
func (w *Writer) Byte(v byte) { w.B = append(w.B, v) }

// Bool appends one byte, 1 or 0.
func (w *Writer) Bool(v bool) {
	if v {
		w.Byte(1)
		return
	}
	w.Byte(0)
}

// Text appends the length of a text as a varint, and the text.
func (w *Writer) Text(s string) {
	w.Uint(uint64(len(s)))
	w.B = append(w.B, s...)
}

// Bytes appends the length of b as a varint, and b.
func (w *Writer) Bytes(b []byte) {
	w.Uint(uint64(len(b)))
	w.B = append(w.B, b...)
}

// Time appends a time as nanoseconds since 1970, with 0 for the zero time. Times outside the
// years 1678 to 2262 cannot be written this way.
func (w *Writer) Time(t time.Time) {
	if t.IsZero() {
		w.Int(0)
		return
	}
	w.Int(t.UnixNano())
}
