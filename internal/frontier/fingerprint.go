package frontier

import (
	"encoding/binary"

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

// SeeAs is [Frontier.See] for a URL of which only the fingerprint is known.
// name is stored in place of its string.
func (f *Frontier) SeeAs(p Fingerprint, name dowse.URL, host string) (id ID, fresh bool) {
	fp := xxh3.Uint128{Lo: binary.LittleEndian.Uint64(p[:8]), Hi: binary.LittleEndian.Uint64(p[8:])}
	return f.see(fp, name, host)
}
