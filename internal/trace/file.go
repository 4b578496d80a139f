package trace

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
)

// logMagic begins a log that was written down.
const logMagic = "dowse-trace/1\n"

// ErrLog says that something is no log, or a damaged one.
var ErrLog = errors.New("trace: not a trace that was written down, or a damaged one")

const (
	maxWrittenURL = 1 << 16
	maxWritten    = math.MaxInt32
)

// Write writes the log down in a compact form of its own, for [ReadLog]: URLs, keys of
// people, and who went where in which order. No name is in it, and no time.
func (l *Log) Write(w io.Writer) error {
	out := &logWriter{w: bufio.NewWriter(w)}
	out.bytes([]byte(logMagic))
	out.number(uint64(l.Pages()))
	for _, u := range l.pages.list {
		out.number(uint64(len(u)))
		out.bytes([]byte(u))
	}
	out.number(uint64(l.Users()))
	for i, key := range l.keys {
		out.bytes(binary.LittleEndian.AppendUint64(nil, key))
		out.number(uint64(l.starts[i+1] - l.starts[i]))
	}
	for i, page := range l.path {
		begins := uint64(0)
		if l.begins.has(uint32(i)) {
			begins = 1
		}
		out.number(uint64(page)<<1 | begins)
	}
	out.bytes(binary.LittleEndian.AppendUint32(nil, out.sum))
	if err := errors.Join(out.err, out.w.Flush()); err != nil {
		return fmt.Errorf("trace: write: %w", err)
	}
	return nil
}

// A logWriter writes numbers, and sums up what it wrote.
type logWriter struct {
	w   *bufio.Writer
	buf []byte
	sum uint32
	err error
}

func (o *logWriter) number(n uint64) {
	o.buf = binary.AppendUvarint(o.buf[:0], n)
	o.bytes(o.buf)
}

func (o *logWriter) bytes(b []byte) {
	o.sum = crc32.Update(o.sum, crc32.IEEETable, b)
	if _, err := o.w.Write(b); o.err == nil {
		o.err = err
	}
}

// ReadLog reads what [Log.Write] wrote. What is damaged is refused, without taking
// much more memory than there is to read.
func ReadLog(r io.Reader) (*Log, error) {
	in := &logReader{r: bufio.NewReader(r)}
	if string(in.bytes(len(logMagic))) != logMagic {
		return nil, ErrLog
	}
	l := &Log{pages: newNames()}
	for i := range in.number(maxWritten) {
		if in.err != nil || l.pages.add(string(in.bytes(int(in.number(maxWrittenURL))))) != uint32(i) {
			return nil, ErrLog // cut short, or a URL twice
		}
	}
	l.pages.chunk = nil
	l.starts = []uint32{0}
	total := uint64(0)
	for range in.number(maxWritten) {
		key := in.bytes(8)
		total += in.number(maxWritten)
		if in.err != nil || total > maxWritten {
			return nil, ErrLog
		}
		l.keys, l.starts = append(l.keys, binary.LittleEndian.Uint64(key)), append(l.starts, uint32(total))
	}
	if !in.paths(l, total) || !in.whole() {
		return nil, ErrLog
	}
	l.accesses, l.visitors = l.index(false), l.index(true)
	return l, nil
}

// A logReader reads numbers, and sums up what it read. After the first fault it reads
// zeros.
type logReader struct {
	r   *bufio.Reader
	buf []byte
	sum uint32
	err error
}

func (in *logReader) bytes(n int) []byte {
	in.buf = in.buf[:0]
	for range n {
		in.buf = append(in.buf, in.byte())
	}
	return in.buf
}

func (in *logReader) byte() byte {
	if in.err != nil {
		return 0
	}
	b, err := in.r.ReadByte()
	if err != nil {
		in.err = err
		return 0
	}
	in.sum = crc32.Update(in.sum, crc32.IEEETable, []byte{b})
	return b
}

func (in *logReader) number(most uint64) (n uint64) {
	for shift := 0; shift < 64; shift += 7 {
		b := in.byte()
		if n |= uint64(b&0x7f) << shift; b < 0x80 {
			if n > most {
				in.err = ErrLog
				return 0
			}
			return n
		}
	}
	in.err = ErrLog
	return 0
}

// paths reads where people went.
func (in *logReader) paths(l *Log, total uint64) bool {
	var begins []bool
	for range total {
		x := in.number(maxWritten<<1 | 1)
		if in.err != nil || x>>1 >= uint64(l.Pages()) {
			return false
		}
		l.path, begins = append(l.path, uint32(x>>1)), append(begins, x&1 == 1)
	}
	l.begins = newBits(len(l.path))
	for i, begin := range begins {
		if begin {
			l.begins.set(uint32(i))
		}
	}
	for _, start := range l.starts { // a path begins with a session
		if int(start) < len(l.path) && !l.begins.has(start) {
			return false
		}
	}
	return true
}

// whole reports whether the sum is the one that was written, and nothing follows it.
func (in *logReader) whole() bool {
	sum := in.sum
	b := in.bytes(4)
	if in.err != nil || binary.LittleEndian.Uint32(b) != sum {
		return false
	}
	_, err := in.r.ReadByte()
	return err == io.EOF
}
