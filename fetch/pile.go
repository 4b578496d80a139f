package fetch

import "io"

// A pile is a body as it comes, in pieces of one size that are used again for other
// bodies. Reading a body of any size so leaves no garbage but the one copy that the
// caller keeps; a slice that grows by appending leaves several times its size.
type pile struct {
	codec  *codec
	pieces []*piece
	size   int64
}

const pieceSize = 64 << 10

type piece [pieceSize]byte

func (c *codec) pile() *pile { return &pile{codec: c} }

// fill reads from src until the pile holds n bytes, or src ends, with io.EOF then.
// room is called before memory for more bytes is taken, with how many.
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

// head returns the beginning of the pile, as far as its first piece goes. It is
// valid until release.
func (p *pile) head() []byte {
	if len(p.pieces) == 0 {
		return nil
	}
	return p.pieces[0][:min(p.size, pieceSize)]
}

// bytes returns a copy of the first n bytes, or of all if there are fewer.
func (p *pile) bytes(n int64) []byte {
	out := make([]byte, 0, min(n, p.size))
	for _, piece := range p.pieces {
		out = append(out, piece[:min(pieceSize, cap(out)-len(out))]...)
	}
	return out
}

// release lets the pieces be used for other bodies.
func (p *pile) release() {
	for _, piece := range p.pieces {
		p.codec.pieces.Put(piece)
	}
	p.pieces, p.size = nil, 0
}

func (c *codec) piece() *piece {
	if p, ok := c.pieces.Get().(*piece); ok {
		return p
	}
	return new(piece)
}
