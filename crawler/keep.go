package crawler

import (
	"sync"

	"dowse"
	"dowse/internal/archive"
)

// A keeper writes answers to the archive. Bodies that were kept before are kept as
// a reference to the first.
type keeper struct {
	writer *archive.Writer
	seen   map[archive.Digest]archive.Original
	pool   sync.Pool // of *[]byte
}

const (
	rememberedBodies = 50_000 // of which copies are recognised; some 15 MB
	smallBody        = 512    // a copy of less is not worth a reference
)

func newKeeper(w *archive.Writer) *keeper {
	return &keeper{writer: w, seen: map[archive.Digest]archive.Original{}}
}

// A parcel is an answer, encoded and ready to be appended. The payload of ex is gone:
// the encoded form is all of it that waits in memory.
type parcel struct {
	ex  *archive.Exchange
	enc archive.Encoded
}

// sparePool is the largest buffer that is kept for other answers.
const sparePool = 1 << 20

// pack encodes an exchange; it is called by visits, many at once.
func (k *keeper) pack(ex *archive.Exchange) parcel {
	var buf []byte
	if spare, ok := k.pool.Get().(*[]byte); ok {
		buf = (*spare)[:0]
	}
	enc := archive.Encode(buf, ex)
	ex.Size, ex.Payload = len(ex.Payload), nil
	return parcel{ex, enc}
}

// size is what the parcel takes of memory.
func (c parcel) size() int64 {
	return int64(cap(c.enc.Bytes) + len(c.ex.RequestHead) + len(c.ex.ResponseHead))
}

// keep appends the parcels of a visit; it is called in turn. The page is told
// where the last answer is.
func (k *keeper) keep(p *dowse.Page, parcels []parcel) error {
	for _, c := range parcels {
		enc := c.enc
		original, copied := k.seen[enc.Digest]
		if copied && c.ex.Size >= smallBody {
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
