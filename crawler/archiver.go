package crawler

import (
	"net/http"
	"sync"

	"dowse"
	"dowse/internal/archive"
)

// An archiver writes answers to the archive. A body that was written before
// is stored as a reference to the first copy. Visits call pack concurrently;
// only the loop of the crawl calls store.
type archiver struct {
	writer *archive.Writer
	dir    string // of the files
	seen   map[archive.Digest]archive.Original
	pool   sync.Pool // of *[]byte
}

const (
	// rememberedBodies is of how many bodies copies are recognised, which
	// takes about 15 MB.
	rememberedBodies = 50_000
	// smallBody is in bytes; a reference would not be smaller than such a
	// body.
	smallBody = 512
)

// newArchiver returns an archiver that has seen no bodies. Copies of bodies of
// earlier runs are stored again, since finding them would need an index of all
// digests.
func newArchiver(w *archive.Writer, dir string) *archiver {
	return &archiver{writer: w, dir: dir, seen: map[archive.Digest]archive.Original{}}
}

// An encodedAnswer is an encoded answer, ready to be appended. The payload of ex is
// dropped, so that only the encoded form is held in memory.
type encodedAnswer struct {
	ex  *archive.Exchange
	enc archive.Encoded
	of  *archive.Original // the earlier version of a page that is asked again; nil if there is none
}

// repeats reports whether the answer has the body of an earlier version: the same bytes, or none because
// the server answered that it is not modified.
func (c encodedAnswer) repeats() bool {
	return c.of != nil && (c.enc.Status == http.StatusNotModified || c.ex.Size > 0 && c.enc.Digest == c.of.Digest)
}

// sparePool is the capacity, in bytes, of the largest buffer that is reused.
const sparePool = 1 << 20

// pack encodes an exchange, which includes compressing it: the expensive part
// runs in the goroutines of visits, and the loop only appends. The buffers of
// answers that were stored are reused.
func (k *archiver) pack(ex *archive.Exchange) encodedAnswer {
	var buf []byte
	if spare, ok := k.pool.Get().(*[]byte); ok {
		buf = (*spare)[:0]
	}
	enc := archive.Encode(buf, ex)
	ex.Size, ex.Payload = len(ex.Payload), nil
	return encodedAnswer{ex: ex, enc: enc}
}

// size returns how many bytes of memory the answer takes.
func (c encodedAnswer) size() int64 {
	return int64(cap(c.enc.Bytes) + len(c.ex.RequestHead) + len(c.ex.ResponseHead))
}

// store appends the answers of a visit and sets the place of the last one in
// the page. Only the loop of the crawl calls it, so records are in the order
// of the journal.
func (k *archiver) store(p *dowse.Page, encoded []encodedAnswer) error {
	for _, c := range encoded {
		enc := c.enc
		original, copied := k.seen[enc.Digest]
		switch {
		case c.repeats():
			enc = archive.EncodeRevisit(nil, c.ex, *c.of)
			copied = true
		case copied && c.ex.Size >= smallBody:
			enc = archive.EncodeRevisit(nil, c.ex, original)
		}
		place, err := k.writer.Append(enc)
		if err != nil {
			return err
		}
		p.Fetch.Archive = place
		if !copied && c.ex.Size >= smallBody && len(k.seen) < rememberedBodies {
			o := c.enc.Original
			o.Place = place
			k.seen[o.Digest] = o
		}
		if spare := c.enc.Bytes; cap(spare) <= sparePool {
			k.pool.Put(&spare)
		}
	}
	return nil
}
