package plain

import (
	"bufio"
	"io"
)

// Mark is the byte order mark with which some editors, mostly of Windows, begin a file in UTF-8.
const Mark = "\ufeff"

// Unmarked returns what a file of a person has after its byte order mark, or all of it if it has none. A mark would
// be taken for a part of the first line.
func Unmarked(in io.Reader) io.Reader {
	b := bufio.NewReader(in)
	if mark, _ := b.Peek(len(Mark)); string(mark) == Mark {
		b.Discard(len(Mark))
	}
	return b
}
