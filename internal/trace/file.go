package trace

import (
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"math"

	"dowse/internal/wire"
)

// logMagic begins a log that was written down.
const logMagic = "dowse-trace/1\n"

// ErrLog is returned for what is no log, or a damaged one.
var ErrLog = errors.New("trace: not a trace that was written down, or a damaged one")

const (
	maxWrittenURL = 1 << 16
	maxWritten    = math.MaxInt32
)

// Write writes the log down in a compact form of its own, for [ReadLog]: URLs, keys of
// people, and who went where in which order. No name is in it, and no time.
func (l *Log) Write(w io.Writer) error {
	sum := crc32.NewIEEE()
	out := wire.NewOutput(w, sum)
	out.B = append(out.B, logMagic...)
	out.Uint(uint64(l.Pages()))
	for _, u := range l.pages.list {
		out.Text(u)
		out.Spill()
	}
	out.Uint(uint64(l.Users()))
	for i, key := range l.keys {
		out.Uint64(key)
		out.Uint(uint64(l.starts[i+1] - l.starts[i]))
		out.Spill()
	}
	for i, page := range l.path {
		begins := uint64(0)
		if l.begins.has(uint32(i)) {
			begins = 1
		}
		out.Uint(uint64(page)<<1 | begins)
		out.Spill()
	}
	out.Flush()
	out.Uint32(sum.Sum32())
	if err := out.Flush(); err != nil {
		return fmt.Errorf("trace: write: %w", err)
	}
	return nil
}

// ReadLog reads what [Log.Write] wrote. What is damaged is refused, without taking
// much more memory than there is to read.
func ReadLog(r io.Reader) (*Log, error) {
	sum := crc32.NewIEEE()
	in := &logReader{wire.NewInput(r, sum), sum}
	if in.Text(len(logMagic)) != logMagic {
		return nil, ErrLog
	}
	l := &Log{pages: newNames()}
	for i := range in.Uint(maxWritten) {
		if in.Err != nil || l.pages.add(in.Text(int(in.Uint(maxWrittenURL)))) != uint32(i) {
			return nil, ErrLog // cut short, or a URL twice
		}
	}
	l.pages.chunk = nil
	l.starts = []uint32{0}
	total := uint64(0)
	for range in.Uint(maxWritten) {
		key := in.Uint64()
		total += in.Uint(maxWritten)
		if in.Err != nil || total > maxWritten {
			return nil, ErrLog
		}
		l.keys, l.starts = append(l.keys, key), append(l.starts, uint32(total))
	}
	if !in.paths(l, total) || !in.whole() {
		return nil, ErrLog
	}
	l.accesses, l.visitors = l.index(false), l.index(true)
	return l, nil
}

// A logReader reads a log, with a checksum of all that it read. After the first fault it
// reads zeros.
type logReader struct {
	*wire.Input
	sum hash.Hash32
}

// paths reads where people went.
func (in *logReader) paths(l *Log, total uint64) bool {
	var begins []bool
	for range total {
		x := in.Uint(maxWritten<<1 | 1)
		if in.Err != nil || x>>1 >= uint64(l.Pages()) {
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
	sum := in.sum.Sum32()
	return in.Uint32() == sum && in.AtEnd()
}
