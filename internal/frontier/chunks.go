package frontier

import "unsafe"

// A chunk has 2,048 elements.
const (
	chunkBits = 11
	chunkSize = 1 << chunkBits
	chunkMask = chunkSize - 1
)

// chunks is a list that grows by one chunk at a time: growing copies nothing,
// pointers to elements stay valid, and the memory that is allocated ahead is
// bounded. An append would copy a table of gigabytes and need twice its size
// while it does.
type chunks[T any] struct {
	parts []*[chunkSize]T
	spare slab[T]
	n     int
}

func (c *chunks[T]) at(i uint32) *T { return &c.parts[i>>chunkBits][i&chunkMask] }

// add appends a zero element and returns it.
func (c *chunks[T]) add() *T {
	if c.n&chunkMask == 0 {
		c.parts = append(c.parts, c.spare.take(len(c.parts)))
	}
	c.n++
	return c.at(uint32(c.n - 1))
}

// A slab is the chunks of a list that are allocated and not used yet.
type slab[T any] [][chunkSize]T

// Chunks are allocated together: one for slabShare that are there, of at most slabMost bytes.
const (
	slabShare = 64
	slabMost  = 8 << 20
)

// take returns a new chunk for a list that has some already. The chunks of a
// large list are neighbours in memory, which lets the system use large pages
// for them: elements are read at random, and with pages of 4 KB the processor
// takes as long to find the memory of one as to read it.
func (s *slab[T]) take(have int) *[chunkSize]T {
	bytes := unsafe.Sizeof([chunkSize]T{})
	if len(*s) == 0 {
		*s = make([][chunkSize]T, max(1, min(have/slabShare, int(slabMost/bytes))))
		largePages(unsafe.Pointer(unsafe.SliceData(*s)), uintptr(len(*s))*bytes)
	}
	first := &(*s)[0]
	*s = (*s)[1:]
	return first
}

// A column stores one number for some of the URLs, by ID. A number that was
// never set is 0, and a chunk is allocated only when one of its numbers is set.
type column struct {
	parts []*[chunkSize]uint32
	spare slab[uint32]
	used  int // parts that are not nil
}

func (c *column) at(i uint32) uint32 {
	part := i >> chunkBits
	if int(part) >= len(c.parts) || c.parts[part] == nil {
		return 0
	}
	return c.parts[part][i&chunkMask]
}

func (c *column) set(i, v uint32) {
	part := int(i >> chunkBits)
	if v == 0 && (part >= len(c.parts) || c.parts[part] == nil) {
		return
	}
	for part >= len(c.parts) {
		c.parts = append(c.parts, nil)
	}
	if c.parts[part] == nil {
		c.parts[part] = c.spare.take(c.used)
		c.used++
	}
	c.parts[part][i&chunkMask] = v
}

// each calls show for every number that is not 0, in order of IDs.
func (c *column) each(show func(i, v uint32)) {
	for part, values := range c.parts {
		if values == nil {
			continue
		}
		for i, v := range values {
			if v != 0 {
				show(uint32(part<<chunkBits|i), v)
			}
		}
	}
}
