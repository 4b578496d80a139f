package wire

import (
	"errors"
	"iter"
	"math"
	"time"
)

// ErrDamaged is the error of a reader whose bytes end early or cannot be what a writer wrote.
var ErrDamaged = errors.New("cut short or damaged")

// A Reader takes values from the front of Rest. It reads strings as well as byte slices, so
// that notes and texts, which are strings, are read without a copy. After the first fault
// Rest is empty, Err is set and every value is zero.
type Reader[T ~string | ~[]byte] struct {
	Rest T
	Err  error
}

// Fail records a fault, also one that the caller found in a value that was read.
func (r *Reader[T]) Fail() {
	r.Err = ErrDamaged
	r.Rest = r.Rest[:0]
}

// Uint reads what [Writer.Uint] wrote.
func (r *Reader[T]) Uint() (v uint64) {
	if len(r.Rest) > 0 && r.Rest[0] < 0x80 { // most numbers
		v = uint64(r.Rest[0])
		r.Rest = r.Rest[1:]
		return v
	}
	for i, shift := 0, 0; i < len(r.Rest) && shift < 64; i, shift = i+1, shift+7 {
		b := r.Rest[i]
		if shift == 63 && b > 1 {
			break // more than 64 bits
		}
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			r.Rest = r.Rest[i+1:]
			return v
		}
	}
	r.Fail()
	return 0
}

// Int reads what [Writer.Int] wrote.
func (r *Reader[T]) Int() int64 {
	v := r.Uint()
	return int64(v>>1) ^ -int64(v&1)
}

// Uint16 reads two bytes.
func (r *Reader[T]) Uint16() uint16 { return uint16(r.fixed(2)) }

// Uint32 reads four bytes.
func (r *Reader[T]) Uint32() uint32 { return uint32(r.fixed(4)) }

// Uint64 reads eight bytes.
func (r *Reader[T]) Uint64() uint64 { return r.fixed(8) }

func (r *Reader[T]) fixed(n int) (v uint64) {
	b := r.Take(n)
	if len(b) == 8 {
		return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
			uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
	}
	for i := range len(b) {
		v |= uint64(b[i]) << (8 * i)
	}
	return v
}

// Float reads what [Writer.Float] wrote; it may be infinite or not a number.
func (r *Reader[T]) Float() float64 { return math.Float64frombits(r.fixed(8)) }

// Byte reads one byte.
func (r *Reader[T]) Byte() byte {
	if len(r.Rest) == 0 {
		r.Fail()
		return 0
	}
	b := r.Rest[0]
	r.Rest = r.Rest[1:]
	return b
}

// Bool reads one byte, which is true unless it is 0.
func (r *Reader[T]) Bool() bool { return r.Byte() != 0 }

// Time reads what [Writer.Time] wrote. The time is in UTC.
func (r *Reader[T]) Time() time.Time {
	n := r.Int()
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}

// Text reads what [Writer.Text] or [Writer.Bytes] wrote. It is a part of Rest if Rest is a
// string, else a copy.
func (r *Reader[T]) Text() string { return string(r.Raw()) }

// Raw reads what [Writer.Text] or [Writer.Bytes] wrote, as a part of Rest.
func (r *Reader[T]) Raw() T { return r.Take(r.Count(1)) }

// Take reads n bytes, as a part of Rest; none after a fault.
func (r *Reader[T]) Take(n int) T {
	if n < 0 || n > len(r.Rest) {
		r.Fail()
		return r.Rest
	}
	b := r.Rest[:n]
	r.Rest = r.Rest[n:]
	return b
}

// Count reads the length of a list whose items take at least size bytes each. A length that
// cannot be right is a fault, so that a damaged one does not allocate more memory than there
// are bytes to read.
func (r *Reader[T]) Count(size int) int {
	n := r.Uint()
	if n > uint64(len(r.Rest)/size) {
		r.Fail()
		return 0
	}
	return int(n)
}

// Items reads the length of such a list and yields the indexes of its items until a fault.
func (r *Reader[T]) Items(size int) iter.Seq[int] {
	n := r.Count(size)
	return func(yield func(int) bool) {
		for i := 0; i < n && r.Err == nil && yield(i); i++ {
		}
	}
}
