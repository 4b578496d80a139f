package hostile

import (
	"compress/flate"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// TestBombs checks that each bomb goes off, for decoders that others wrote. A part
// of it is enough to see.
func TestBombs(t *testing.T) {
	for coding, unpack := range map[string]struct {
		packer
		open func(io.Reader) (io.Reader, error)
	}{
		"gzip":    {gzipped, func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }},
		"deflate": {deflated, func(r io.Reader) (io.Reader, error) { io.CopyN(io.Discard, r, 2); return flate.NewReader(r), nil }},
		"br":      {brotlied, func(r io.Reader) (io.Reader, error) { return brotli.NewReader(r), nil }},
		"zstd":    {zstandard, func(r io.Reader) (io.Reader, error) { return zstd.NewReader(r) }},
	} {
		packed := newBomb(unpack.packer, "<p>", "boom and boom again\n")()
		r, err := unpack.open(strings.NewReader(packed))
		if err != nil {
			t.Fatal(err)
		}
		const part = bombSize / 8
		n, err := io.CopyN(io.Discard, r, part)
		if err != nil || len(packed) > 10<<20 {
			t.Errorf("%s: %d bytes unpack to %d: %v", coding, len(packed), n, err)
		}
	}
}
