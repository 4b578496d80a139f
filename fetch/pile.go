package fetch

import (
	"bytes"
	"io"
)

// A pile holds a body of unknown size while it is read, in pieces of one size
// that are pooled. Reading a body leaves no garbage but the one copy that the
// caller keeps; a slice that grows by appending would leave several times its
// size.
type pile struct {
	codec  *codec
	pieces []*piece
	size   int64
}

// pieceSize is also the unit in which memory is taken from the budget.
const pieceSize = 64 << 10

type piece [pieceSize]byte

func (c *codec) pile() *pile { return &pile{codec: c} }

// fill reads from src until the pile holds n bytes, or returns the error with
// which src ends, io.EOF included. room is called with a number of bytes before
// memory for them is taken; its error ends the reading, too.
func (p *pile) fill(src io.Reader, n int64, room func(bytes int64) error) error {
	for p.size < n {
		at := int(p.size % pieceSize)
		if at == 0 && int(p.size/pieceSize) == len(p.pieces) {
			if err := room(pieceSize); err != nil {
				return err
			}
			p.pieces = append(p.pieces, p.codec.piece())
		}
		last := p.pieces[len(p.pieces)-1]
		got, err := src.Read(last[at:min(pieceSize, int64(at)+n-p.size)])
		p.size += int64(got)
		if err != nil {
			return err
		}
	}
	return nil
}

// head returns the beginning of the pile, at most one piece. It is valid until
// release.
func (p *pile) head() []byte {
	if len(p.pieces) == 0 {
		return nil
	}
	return p.pieces[0][:min(p.size, pieceSize)]
}

// bytes returns a copy of the first n bytes, or of all if there are fewer. Its memory may be that of an earlier copy.
func (p *pile) bytes(n int64) []byte {
	n = min(n, p.size)
	out := p.codec.body(int(n))
	for _, piece := range p.pieces {
		out = append(out, piece[:min(pieceSize, int(n)-len(out))]...)
	}
	return out
}

// links returns about how many links a page has: how often the name of their attribute is before
// an equals sign. Where white space is between them, every name counts. There are few such signs, and finding
// them takes a small part of the time of searching for the name.
func (p *pile) links() (n int64) {
	left := p.size
	for _, piece := range p.pieces {
		part := piece[:min(pieceSize, left)]
		left -= int64(len(part))
		for i := bytes.IndexByte(part, '='); i >= 0; i = bytes.IndexByte(part, '=') {
			if i == 0 || part[i-1] <= ' ' || isHref(part[:i]) {
				n++
			}
			part = part[i+1:]
		}
	}
	return n
}

// isHref reports whether b ends in the name of the attribute.
func isHref(b []byte) bool {
	const name = "href"
	if len(b) < len(name) {
		return false
	}
	b = b[len(b)-len(name):]
	return b[3]|0x20 == 'f' && b[2]|0x20 == 'e' && b[1]|0x20 == 'r' && b[0]|0x20 == 'h'
}

// release returns the pieces to the pool. The pile is empty afterwards.
func (p *pile) release() {
	for _, piece := range p.pieces {
		p.codec.pieces.Put(piece)
	}
	p.pieces, p.size = nil, 0
}

// body returns an empty slice with room for n bytes.
func (c *codec) body(n int) []byte {
	if n <= mostRecycled {
		if b, ok := c.bodies.Get().(*[]byte); ok && cap(*b) >= n {
			return *b
		}
	}
	return make([]byte, 0, n)
}

func (c *codec) piece() *piece {
	if p, ok := c.pieces.Get().(*piece); ok {
		return p
	}
	return new(piece)
}
