package frontier

import (
	"strings"

	"dowse"
)

// Names stores the strings of URLs outside of the table: in memory ([Arena]) or
// in a file. A frontier keeps only a fingerprint and the place of a URL, so
// that its memory does not depend on how long URLs are.
type Names interface {
	// Add stores u and returns its place. It is called once per URL, in the
	// order of IDs.
	Add(u dowse.URL) (place uint64)
	// At returns the URL at a place that Add returned.
	At(place uint64) dowse.URL
}

const (
	arenaFirst = 4 << 10 // bytes of the first chunk; each further one doubles
	arenaChunk = 1 << 20 // up to this
	arenaBits  = 24      // of a place: the offset in a chunk, which is longer only if it holds one such string
)

// An Arena is Names in memory: bytes in large chunks that are never copied or
// freed. A place is the number of a chunk and an offset in it; a URL there is
// its length as a varint, then its bytes. The garbage collector sees one
// pointer per chunk.
type Arena struct {
	chunks []*strings.Builder
}

// NewArena returns an empty arena.
func NewArena() *Arena { return &Arena{} }

// Add stores u. It takes the URL's bytes and two or three more.
func (a *Arena) Add(u dowse.URL) (place uint64) {
	var head [10]byte
	n := 0
	for v := uint64(len(u)); ; v >>= 7 {
		head[n] = byte(v) | 0x80
		n++
		if v < 0x80 {
			head[n-1] &^= 0x80
			break
		}
	}
	b := a.room(n + len(u))
	place = uint64(len(a.chunks)-1)<<arenaBits | uint64(b.Len())
	b.Write(head[:n])
	b.WriteString(string(u))
	return place
}

// room returns the chunk to append n bytes to, a new one if the last is too
// full.
func (a *Arena) room(n int) *strings.Builder {
	if last := len(a.chunks) - 1; last >= 0 {
		if b := a.chunks[last]; b.Cap()-b.Len() >= n && b.Len() < 1<<arenaBits {
			return b
		}
	}
	b := new(strings.Builder)
	b.Grow(max(n, min(arenaChunk, arenaFirst<<min(len(a.chunks), 16))))
	a.chunks = append(a.chunks, b)
	return b
}

// At returns the URL at place without copying it, "" for a place that Add never
// returned.
func (a *Arena) At(place uint64) dowse.URL {
	chunk, at := place>>arenaBits, place&(1<<arenaBits-1)
	if chunk >= uint64(len(a.chunks)) || at >= uint64(a.chunks[chunk].Len()) {
		return ""
	}
	s := a.chunks[chunk].String()[at:]
	var size uint64
	for i := 0; i < min(len(s), 10); i++ {
		size |= uint64(s[i]&0x7f) << (7 * i)
		if s[i] < 0x80 {
			s = s[i+1:]
			return dowse.URL(s[:min(size, uint64(len(s)))])
		}
	}
	return ""
}
