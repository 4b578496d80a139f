package wire

import (
	"bufio"
	"encoding/binary"
	"errors"
	"hash"
	"io"
	"math"
	"slices"
	"strings"
)

const (
	outputBytes = 256 << 10 // that an Output gathers for one write
	inputBytes  = 64 << 10  // that an Input reads at a time
	maxTaken    = 64        // bytes of one Take
)

// An Output is a Writer for a file that need not fit in memory, with a checksum of all that
// was written. It keeps the first error; nothing is written after it.
type Output struct {
	Writer
	w   io.Writer
	sum hash.Hash
	err error
}

// NewOutput returns an Output that writes to w and adds every byte to sum.
func NewOutput(w io.Writer, sum hash.Hash) *Output { return &Output{w: w, sum: sum} }

// Spill writes what has gathered in memory if that is much. Call it after each item of a list.
func (o *Output) Spill() {
	if len(o.B) >= outputBytes {
		o.Flush()
	}
}

// Block appends what write appends, with its length before it, so that a reader gets it in one
// piece. write must not call Spill or Flush.
func (o *Output) Block(write func()) {
	o.Uint32(0)
	from := len(o.B)
	write()
	binary.LittleEndian.PutUint32(o.B[from-4:], uint32(len(o.B)-from))
}

// Flush writes all that has gathered, so that the checksum is that of everything appended so
// far, and returns the first error of all writes.
func (o *Output) Flush() error {
	o.sum.Write(o.B)
	if o.err == nil {
		_, o.err = o.w.Write(o.B)
	}
	o.B = o.B[:0]
	return o.err
}

// An Input reads what an Output wrote, with the checksum of all that was read. After the
// first fault every value is zero. Err is that fault: [ErrDamaged] if the bytes end early,
// or the error of the file.
type Input struct {
	Err error

	r   *bufio.Reader
	sum hash.Hash
	buf [maxTaken]byte

	block []byte // see Block
}

// NewInput returns an Input that reads from r and adds every byte to sum. It may read past
// the last byte that is asked for, unless r is a bufio.Reader of at least 64 KB.
func NewInput(r io.Reader, sum hash.Hash) *Input {
	return &Input{r: bufio.NewReaderSize(r, inputBytes), sum: sum}
}

// Fail records a fault, if it is the first.
func (in *Input) Fail(err error) {
	if in.Err == nil {
		in.Err = err
	}
}

// Take reads n bytes, at most 64, which are valid until the next read; zeros after a fault.
func (in *Input) Take(n int) []byte {
	b := in.buf[:n]
	if in.Err == nil {
		in.fill(b)
	}
	if in.Err != nil {
		clear(b)
	}
	return b
}

func (in *Input) fill(b []byte) {
	_, err := io.ReadFull(in.r, b)
	switch {
	case err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF):
		in.Fail(ErrDamaged)
	case err != nil:
		in.Fail(err)
	}
	in.sum.Write(b)
}

// Byte reads one byte.
func (in *Input) Byte() byte { return in.Take(1)[0] }

// Uint32 reads four bytes.
func (in *Input) Uint32() uint32 { return binary.LittleEndian.Uint32(in.Take(4)) }

// Uint64 reads eight bytes.
func (in *Input) Uint64() uint64 { return binary.LittleEndian.Uint64(in.Take(8)) }

// Float reads what [Writer.Float] wrote; it may be infinite or not a number.
func (in *Input) Float() float64 { return math.Float64frombits(in.Uint64()) }

// Uint reads what [Writer.Uint] wrote. A number above most is a fault.
func (in *Input) Uint(most uint64) (v uint64) {
	for shift := 0; shift < 64; shift += 7 {
		b := in.Byte()
		if shift == 63 && b > 1 {
			break // more than 64 bits
		}
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			if v > most {
				break
			}
			return v
		}
	}
	in.Fail(ErrDamaged)
	return 0
}

// Text reads n bytes. It allocates no more than twice the bytes that are there.
func (in *Input) Text(n int) string {
	var b strings.Builder
	for n > 0 && in.Err == nil {
		part := in.Take(min(n, maxTaken))
		n -= len(part)
		b.Write(part)
	}
	if in.Err != nil {
		return ""
	}
	return b.String()
}

// Block reads what [Output.Block] wrote. The bytes are valid until the next call; there are none
// after a fault. It allocates no more than twice the bytes that are there, and 64 KB.
func (in *Input) Block() []byte {
	in.block = in.block[:0]
	for n := int(in.Uint32()); n > 0 && in.Err == nil; {
		from, part := len(in.block), min(n, inputBytes)
		in.block = slices.Grow(in.block, part)[:from+part]
		in.fill(in.block[from:])
		n -= part
	}
	if in.Err != nil {
		return nil
	}
	return in.block
}

// AtEnd reports whether there was no fault and no byte is left.
func (in *Input) AtEnd() bool {
	_, err := in.r.Peek(1)
	return in.Err == nil && err == io.EOF
}
