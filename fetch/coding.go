package fetch

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// maxCodings is how many content codings may lie on each other. Honest servers
// use one; two happen by mistake; more are bombs.
const maxCodings = 2

// maxWindow bounds the memory of a zstd decoder; RFC 9659 lets servers use no more.
const maxWindow = 8 << 20

// codings returns the content codings of an answer in the order of applying. An
// unknown one, or too many, are an error.
func codings(h http.Header) ([]string, error) {
	var list []string
	for _, field := range h["Content-Encoding"] {
		for name := range strings.SplitSeq(field, ",") {
			name = strings.ToLower(strings.TrimSpace(name))
			switch name {
			case "", "identity":
				continue
			case "gzip", "x-gzip", "deflate", "br", "zstd":
			default:
				return nil, fmt.Errorf("unknown content coding %q", clean(name))
			}
			if list = append(list, name); len(list) > maxCodings {
				return nil, fmt.Errorf("more than %d content codings", maxCodings)
			}
		}
	}
	return list, nil
}

// A codec undoes content codings. It keeps decoders and buffers for reuse and may
// be used from many goroutines.
type codec struct {
	gzips, flates, brotlis, zstds, pieces sync.Pool
}

// A decoder is one undone coding; done gives it back.
type decoder struct {
	io.Reader
	done func()
}

// open returns a reader of what src holds below the coding.
func (c *codec) open(coding string, src io.Reader) (decoder, error) {
	switch coding {
	case "gzip", "x-gzip":
		return c.gzip(src)
	case "deflate":
		return c.deflate(src)
	case "br":
		return c.brotli(src)
	}
	return c.zstd(src)
}

func (c *codec) gzip(src io.Reader) (decoder, error) {
	z, ok := c.gzips.Get().(*gzip.Reader)
	if !ok {
		z = new(gzip.Reader)
	}
	done := func() { c.gzips.Put(z) }
	return decoder{lenient{z}, done}, z.Reset(src)
}

// lenient ends where a gzip stream is followed by something else, as browsers do.
type lenient struct{ *gzip.Reader }

func (l lenient) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	if errors.Is(err, gzip.ErrHeader) {
		err = io.EOF
	}
	return n, err
}

// deflate reads zlib streams, and the bare ones that some servers send in spite
// of RFC 9110 8.4.1.2. The checksum is not worth a lost page.
func (c *codec) deflate(src io.Reader) (decoder, error) {
	in := bufio.NewReader(src)
	head, _ := in.Peek(2)
	if len(head) == 2 && head[0]&0x0f == 8 && (int(head[0])<<8|int(head[1]))%31 == 0 {
		in.Discard(2)
	}
	z, ok := c.flates.Get().(io.ReadCloser)
	if !ok {
		z = flate.NewReader(in)
	}
	return decoder{z, func() { c.flates.Put(z) }}, z.(flate.Resetter).Reset(in, nil)
}

func (c *codec) brotli(src io.Reader) (decoder, error) {
	z, ok := c.brotlis.Get().(*brotli.Reader)
	if !ok {
		z = brotli.NewReader(src)
	}
	return decoder{z, func() { c.brotlis.Put(z) }}, z.Reset(src)
}

func (c *codec) zstd(src io.Reader) (decoder, error) {
	z, ok := c.zstds.Get().(*zstd.Decoder)
	if !ok {
		var err error
		z, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderMaxMemory(maxWindow))
		if err != nil {
			return decoder{}, err
		}
	}
	return decoder{z, func() { c.zstds.Put(z) }}, z.Reset(src)
}

// decode undoes codings, the last one first, as far as max bytes. What could be
// decoded before an error is returned with it. room is asked for memory as bytes
// come, toRead when all are there.
func (c *codec) decode(codings []string, raw []byte, max int64, room func(int64) error, toRead func(*pile) error) (body []byte, cut bool, err error) {
	in := bytes.NewReader(raw)
	defer in.Reset(nil) // decoders are kept, what they read is not
	var src io.Reader = in
	for i := len(codings) - 1; i >= 0; i-- {
		d, err := c.open(codings[i], src)
		if err != nil {
			return nil, false, fmt.Errorf("%s: %w", codings[i], err)
		}
		defer d.done()
		src = d.Reader
	}
	p := c.pile()
	defer p.release()
	err = p.fill(src, max+1, room)
	if err == io.EOF {
		err = nil
	}
	if err := toRead(p); err != nil {
		return nil, false, err
	}
	return p.bytes(max), p.size > max, err
}

// anyRoom and anyPile are for those who have no budget.
func anyRoom(int64) error { return nil }
func anyPile(*pile) error { return nil }

// Decoded returns a body with the content codings that h names undone, as far as
// that goes and up to max bytes: for bodies that were kept as they came.
func Decoded(h http.Header, raw []byte, max int64) []byte {
	list, err := codings(h)
	if err != nil || len(list) == 0 {
		return raw[:min(int64(len(raw)), max)]
	}
	body, _, _ := new(codec).decode(list, raw, max, anyRoom, anyPile)
	return body
}
