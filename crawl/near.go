package crawl

import "math/bits"

// nearDistance is how many of 64 simhash bits two texts may differ in and still
// count as one (Manku et al. 2007).
const nearDistance = 3

// nearIndex finds pages whose simhash differs in at most nearDistance bits from a
// given one: of four 16-bit blocks at least one is then the same. Pages that share
// a block are chained, the newest first, at 28 bytes to a page.
type nearIndex struct {
	hashes []uint64
	pages  []uint32
	chains [4]chain
}

// A chain links the places of hashes that share a block; places are counted from 1,
// and 0 is the end.
type chain struct {
	newest []uint32 // by block
	older  []uint32 // by place
}

// maxChain bounds what is compared for one block: a block that so many pages share
// tells nothing.
const maxChain = 512

func newNearIndex() nearIndex { return nearIndex{} }

func (n *nearIndex) add(h uint64, page uint32) {
	n.hashes = append(n.hashes, h)
	n.pages = append(n.pages, page)
	for i := range n.chains {
		c := &n.chains[i]
		if c.newest == nil {
			c.newest = make([]uint32, 1<<16)
		}
		k := block(h, i)
		c.older = append(c.older, c.newest[k])
		c.newest[k] = uint32(len(n.hashes))
	}
}

// find returns the page of the nearest hash within reach, the earliest of equals.
func (n *nearIndex) find(h uint64) (page uint32, ok bool) {
	if len(n.hashes) == 0 {
		return 0, false
	}
	best, where := nearDistance+1, uint32(0)
	for i := range n.chains {
		c := &n.chains[i]
		at := c.newest[block(h, i)]
		for steps := 0; at != 0 && steps < maxChain; steps++ {
			d := bits.OnesCount64(n.hashes[at-1] ^ h)
			if d < best || d == best && at < where {
				best, where = d, at
			}
			at = c.older[at-1]
		}
	}
	if best > nearDistance {
		return 0, false
	}
	return n.pages[where-1], true
}

func block(h uint64, i int) uint16 { return uint16(h >> (16 * i)) }
