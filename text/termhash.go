package text

import "github.com/zeebo/xxh3"

// Hash returns a hash of a term that is the same in every run and on every machine,
// for tables of fixed size that are written down.
func Hash(term string) uint64 { return xxh3.HashString(term) }
