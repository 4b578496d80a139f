package frontier

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
	n     int
}

func (c *chunks[T]) at(i uint32) *T { return &c.parts[i>>chunkBits][i&chunkMask] }

// add appends a zero element and returns it.
func (c *chunks[T]) add() *T {
	if c.n&chunkMask == 0 {
		c.parts = append(c.parts, new([chunkSize]T))
	}
	c.n++
	return c.at(uint32(c.n - 1))
}

// A column stores one number for some of the URLs, by ID. A number that was
// never set is 0, and a chunk is allocated only when one of its numbers is set.
type column struct {
	parts []*[chunkSize]uint32
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
		c.parts[part] = new([chunkSize]uint32)
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
