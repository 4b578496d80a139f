package hostile

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// bombSize is the size of an unpacked bomb, in bytes.
const bombSize = 1 << 30

// A packer opens a writer in a content coding.
type packer func(w io.Writer) io.WriteCloser

// gzipped and the next three pack in the content codings that crawlers accept, at their
// fastest level: a bomb has to be made before a test can begin.
func gzipped(w io.Writer) io.WriteCloser {
	z, _ := gzip.NewWriterLevel(w, gzip.BestSpeed)
	return z
}

func deflated(w io.Writer) io.WriteCloser {
	z, _ := zlib.NewWriterLevel(w, zlib.BestSpeed)
	return z
}

func brotlied(w io.Writer) io.WriteCloser { return brotli.NewWriterLevel(w, brotli.BestSpeed) }

func zstandard(w io.Writer) io.WriteCloser {
	z, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err) // the options are constants
	}
	return z
}

// pack returns a text in a content coding, in one piece.
func pack(p packer, text string) string {
	var b strings.Builder
	w := p(&b)
	io.WriteString(w, text)
	w.Close()
	return b.String()
}

// A bomb is a short body that unpacks to a long one. It is generated on first
// use.
type bomb func() string

// newBomb packs a beginning followed by a line again and again: a valid page of a gibibyte,
// a thousand times smaller on the wire.
func newBomb(p packer, beginning, line string) bomb {
	return sync.OnceValue(func() string {
		var b strings.Builder
		w := p(&b)
		io.WriteString(w, beginning)
		block := []byte(strings.Repeat(line, 1<<20/len(line)))
		for n := 0; n < bombSize; n += len(block) {
			w.Write(block)
		}
		w.Close()
		return b.String()
	})
}

// again packs a bomb once more, so that it must be unpacked twice.
func (b bomb) again(p packer) bomb {
	return sync.OnceValue(func() string { return pack(p, b()) })
}

// throw answers with a bomb, which is generated before the server begins: that
// takes seconds, which must not count against the crawler's timeouts.
func (s *Site) throw(contentType, coding string, b bomb) act {
	s.server.bombs = append(s.server.bombs, b)
	return func(x *exchange) {
		if coding != "" {
			x.w.Header().Set("Content-Encoding", coding)
		}
		x.w.Header().Set("Content-Length", fmt.Sprint(len(b())))
		x.say(200, contentType, b())
	}
}
