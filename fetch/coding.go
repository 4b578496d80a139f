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

// maxCodings is how many content codings may be nested. Honest servers use one;
// two happen by mistake; more are decompression bombs.
const maxCodings = 2

// maxWindow bounds the memory of a zstd decoder; RFC 9659 lets servers use no
// more.
const maxWindow = 8 << 20

// codings returns the content codings of an answer in the order in which they
// were applied. An unknown coding, or more than maxCodings, is an error.
// "identity" is ignored.
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

// A codec undoes content codings. It pools decoders and buffers, because a
// decoder costs tens of kilobytes to create. It is safe for concurrent use.
type codec struct {
	gzips, flates, brotlis, zstds, pieces sync.Pool
	bodies                                sync.Pool // of *[]byte, see Response.Recycle
}

// A decoder reads decoded bytes; done returns it to its pool.
type decoder struct {
	io.Reader
	done func()
}

// open returns a decoder that undoes coding, which must be one that codings
// returns.
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

// lenient ends a gzip stream without an error where something that is not gzip
// follows it, as browsers do.
type lenient struct{ *gzip.Reader }

func (l lenient) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	if errors.Is(err, gzip.ErrHeader) {
		err = io.EOF
	}
	return n, err
}

// deflate reads zlib streams (RFC 9110 8.4.1.2), and the raw deflate streams
// that some servers send by mistake. The two header bytes of zlib keep them
// apart: the method is 8 and the bytes are a multiple of 31 (RFC 1950 2.2). The
// checksum is not verified, since a wrong one is no reason to lose a page.
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

// zstd limits the window, and with it the memory that a frame header can
// demand.
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

// decode undoes codings, the last one first, and stops after max bytes; cut
// reports whether there were more. What was decoded before an error is returned
// with it. room is called before memory is taken for more bytes, toRead once
// all bytes are there; an error of either ends decoding.
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

// anyRoom and anyPile grant everything, for callers without a budget.
func anyRoom(int64) error { return nil }
func anyPile(*pile) error { return nil }

// Decoded undoes the content codings that h names, for bodies that were stored
// as sent. It returns at most max bytes, and of a damaged body what could be
// decoded. A body with an unknown coding is returned as it is.
func Decoded(h http.Header, raw []byte, max int64) []byte {
	list, err := codings(h)
	if err != nil || len(list) == 0 {
		return raw[:min(int64(len(raw)), max)]
	}
	body, _, _ := new(codec).decode(list, raw, max, anyRoom, anyPile)
	return body
}
