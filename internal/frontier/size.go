package frontier

import "unsafe"

// Size returns how many bytes of memory the frontier takes: the tables of URLs, and the notes that
// are in memory at the moment. What Names takes is not part of it.
func (f *Frontier) Size() (tables, notes int64) {
	tables = sizeOf(&f.entries) + sizeOf(&f.visits) + sizeOf(&f.hosts) + f.risingAt.size() + f.notes.of.size() + f.groups.of.size()
	for i := range f.table.shards {
		tables += int64(cap(f.table.shards[i].buckets)) * int64(unsafe.Sizeof(bucket{}))
	}
	heaps := cap(f.visited) + cap(f.waitingOffset.rising) + cap(f.visitedOffset.rising)
	for h := range uint32(f.hosts.n) {
		heaps += cap(f.hosts.at(h).leads)
	}
	tables += 4 * int64(heaps)
	notes = pageSize*int64(len(f.notes.long.ring)) + 9*int64(cap(f.notes.long.list))
	return tables, notes
}

// sizeOf returns the bytes of the chunks of a list.
func sizeOf[T any](c *chunks[T]) int64 {
	return int64(len(c.parts)+len(c.spare)) * int64(unsafe.Sizeof([chunkSize]T{}))
}

func (c *column) size() int64 {
	return int64(c.used+len(c.spare)) * int64(unsafe.Sizeof([chunkSize]uint32{}))
}
