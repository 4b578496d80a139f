package frontier

import (
	"encoding/binary"
	"slices"

	"dowse"

	"github.com/zeebo/xxh3"
)

// A Fingerprint identifies a URL whose string must not be stored: with the same
// key, the same URL has the same one. The zero value means none.
type Fingerprint [16]byte

// FingerprintOf returns the fingerprint of a URL under a key, see [Config].
func FingerprintOf(u dowse.URL, key uint64) (p Fingerprint) {
	h := xxh3.HashString128Seed(string(u), key)
	binary.LittleEndian.PutUint64(p[:8], h.Lo)
	binary.LittleEndian.PutUint64(p[8:], h.Hi)
	return p
}

// A print is what an entry has of a fingerprint: its highest 96 bits, which are enough to
// tell URLs apart. Among 100 million URLs two have the same with a probability of 10^-13.
type print [3]uint32

func printOf(h xxh3.Uint128) print {
	return print{uint32(h.Hi >> 32), uint32(h.Hi), uint32(h.Lo >> 32)}
}

// before orders prints as the fingerprints are.
func (p print) before(o print) bool { return slices.Compare(p[:], o[:]) < 0 }

// SeeAs is [Frontier.See] for a URL of which only the fingerprint is known.
// name is stored in place of its string.
func (f *Frontier) SeeAs(p Fingerprint, name dowse.URL, host string) (id ID, fresh bool) {
	fp := xxh3.Uint128{Lo: binary.LittleEndian.Uint64(p[:8]), Hi: binary.LittleEndian.Uint64(p[8:])}
	return f.see(printOf(fp), name, host)
}
