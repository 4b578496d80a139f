package crawl

import "math/bits"

// nearDistance is how many of 64 simhash bits two texts may differ in and still
// count as one (Manku et al. 2007).
const nearDistance = 3

// nearIndex finds pages whose simhash differs in at most nearDistance bits from a
// given one: of four 16-bit blocks at least one is then the same.
type nearIndex struct {
	hashes []uint64
	pages  []uint32
	blocks [4]map[uint16][]uint32 // positions in hashes
}

// maxBucket bounds what is compared for one block, newest first: a block that so
// many pages share tells nothing.
const maxBucket = 512

func newNearIndex() nearIndex {
	var n nearIndex
	for i := range n.blocks {
		n.blocks[i] = map[uint16][]uint32{}
	}
	return n
}

func (n *nearIndex) add(h uint64, page uint32) {
	at := uint32(len(n.hashes))
	n.hashes = append(n.hashes, h)
	n.pages = append(n.pages, page)
	for i := range n.blocks {
		k := block(h, i)
		n.blocks[i][k] = append(n.blocks[i][k], at)
	}
}

// find returns the page of the nearest hash within reach, the earliest of equals.
func (n *nearIndex) find(h uint64) (page uint32, ok bool) {
	best, where := nearDistance+1, uint32(0)
	for i := range n.blocks {
		bucket := n.blocks[i][block(h, i)]
		for _, at := range bucket[max(0, len(bucket)-maxBucket):] {
			d := bits.OnesCount64(n.hashes[at] ^ h)
			if d < best || d == best && at < where {
				best, where = d, at
			}
		}
	}
	if best > nearDistance {
		return 0, false
	}
	return n.pages[where], true
}

func block(h uint64, i int) uint16 { return uint16(h >> (16 * i)) }
