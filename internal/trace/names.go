package trace

import (
	"hash/maphash"
	mathbits "math/bits"
	"strings"
)

// names numbers strings in the order in which they first occur. A string costs
// its bytes and about 24 more.
//
// A Go map would cost about twice as much, and a log may have millions of pages.
type names struct {
	list  []string
	table []uint32 // open addressing: 1 + number of a string; 0 is free
	seed  maphash.Seed
	chunk *strings.Builder // the memory that strings share, to save allocations
}

const chunkSize = 1 << 16

func newNames() *names {
	return &names{seed: maphash.MakeSeed(), table: make([]uint32, 1024), chunk: &strings.Builder{}}
}

// slot returns the slot of s in the table, or the free one where it belongs.
func (n *names) slot(s string) int {
	mask := uint64(len(n.table) - 1)
	for h := maphash.String(n.seed, s); ; h++ {
		if i := n.table[h&mask]; i == 0 || n.list[i-1] == s {
			return int(h & mask)
		}
	}
}

func (n *names) find(s string) (uint32, bool) {
	i := n.table[n.slot(s)]
	return i - 1, i != 0
}

func (n *names) add(s string) uint32 {
	if i, ok := n.find(s); ok {
		return i
	}
	// At most three quarters of the slots are used, so that searches stay short.
	if len(n.list) >= len(n.table)/4*3 {
		n.grow()
	}
	n.list = append(n.list, n.keep(s))
	n.table[n.slot(s)] = uint32(len(n.list))
	return uint32(len(n.list) - 1)
}

func (n *names) grow() {
	n.table = make([]uint32, 2*len(n.table))
	for i, s := range n.list {
		n.table[n.slot(s)] = uint32(i + 1)
	}
}

// keep copies a string into the current chunk.
//
// A chunk that is full is left to the strings in it and never moves.
func (n *names) keep(s string) string {
	if n.chunk.Len()+len(s) > n.chunk.Cap() {
		n.chunk = &strings.Builder{}
		n.chunk.Grow(max(chunkSize, len(s)))
	}
	from := n.chunk.Len()
	n.chunk.WriteString(s)
	return n.chunk.String()[from:]
}

// bits is a set of small numbers.
type bits []uint64

func newBits(n int) bits { return make(bits, (n+63)/64) }

func (b bits) has(i uint32) bool { return b[i>>6]>>(i&63)&1 != 0 }
func (b bits) set(i uint32)      { b[i>>6] |= 1 << (i & 63) }

func (b bits) count() (n int) {
	for _, w := range b {
		n += mathbits.OnesCount64(w)
	}
	return n
}
