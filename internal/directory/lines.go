package directory

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxLine is the length that a line may have, in bytes.
const maxLine = 1 << 20

// lines reads lines one by one and skips and counts those that are too long.
//
// [bufio.Scanner] would end at the first line that is too long; one broken line
// must not end the reading of a directory.
type lines struct {
	in  *bufio.Reader
	buf []byte
}

func newLines(r io.Reader) *lines { return &lines{in: bufio.NewReaderSize(r, 1<<16)} }

// next returns the next line without its end, valid until the next call, or
// io.EOF.
func (l *lines) next(dirt *Dirt) ([]byte, error) {
	for {
		line, long, err := l.line()
		if long {
			dirt.Long++
		} else if len(line) > 0 || err == nil {
			return bytes.TrimRight(line, "\r\n"), nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// line reads one line. Of a line that is too long only the beginning is kept,
// so that its length costs no memory.
func (l *lines) line() (line []byte, long bool, err error) {
	line, err = l.in.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line, false, err
	}
	l.buf = append(l.buf[:0], line...)
	for errors.Is(err, bufio.ErrBufferFull) {
		line, err = l.in.ReadSlice('\n')
		if long = long || len(l.buf)+len(line) > maxLine; !long {
			l.buf = append(l.buf, line...)
		}
	}
	return l.buf, long, err
}
