package frontier

// A table maps fingerprints to IDs. It is divided into shards that grow one by
// one and by an eighth: no growth takes long, and none needs the table's size
// twice.
type table struct {
	shards [256]shard
}

// A shard is a hash table with buckets, addressed by the lowest bits of the
// print.
type shard struct {
	buckets []bucket
	n       int
}

// A bucket is one cache line. With each ID it has one byte of the fingerprint,
// which avoids nearly all reads of entries that do not match. If a bucket is
// full, the next one is used.
type bucket struct {
	n    uint32
	ids  [bucketSize]uint32
	tags [bucketSize]uint8
}

const bucketSize = 12

func (t *table) shard(fp print) *shard { return &t.shards[t.number(fp)] }

// number returns the number of the shard of a fingerprint.
func (t *table) number(fp print) uint32 { return fp[0] >> 24 }

// find returns the ID of a fingerprint.
func (t *table) find(entries *chunks[entry], fp print) (ID, bool) {
	s := t.shard(fp)
	if s.n == 0 {
		return None, false
	}
	tag := uint8(fp[1])
	for i := s.home(fp); ; i = s.after(i) {
		b := &s.buckets[i]
		n := min(b.n, bucketSize)
		for j, other := range b.tags[:n] {
			if other == tag && entries.at(b.ids[j]).fp == fp {
				return ID(b.ids[j]), true
			}
		}
		if n < bucketSize {
			return None, false
		}
	}
}

// add adds a fingerprint that is not in the table. A shard is at most seven
// eighths full.
func (t *table) add(entries *chunks[entry], fp print, id ID) {
	s := t.shard(fp)
	if s.n*8 >= len(s.buckets)*bucketSize*7 {
		s.grow(entries)
	}
	s.put(fp, uint32(id))
}

func (s *shard) put(fp print, id uint32) {
	i := s.home(fp)
	for s.buckets[i].n == bucketSize {
		i = s.after(i)
	}
	b := &s.buckets[i]
	b.ids[b.n], b.tags[b.n] = id, uint8(fp[1])
	b.n++
	s.n++
}

// grow makes the shard an eighth larger and enters its IDs again. Their
// fingerprints are read from the entries, since the shard has only one byte of
// each. In a large frontier none of these entries is in a cache of the
// processor, so those of several buckets are read before any is used: the
// processor then waits for all of them together instead of for one after the
// other.
func (s *shard) grow(entries *chunks[entry]) {
	const together = 4 // buckets
	old := s.buckets
	s.resize(len(old) + max(1, len(old)/8))
	var prints [together * bucketSize]print
	var ids [together * bucketSize]uint32
	for len(old) > 0 {
		n := 0
		for i := range old[:min(together, len(old))] {
			n += copy(ids[n:], old[i].ids[:old[i].n])
		}
		for i, id := range ids[:n] {
			prints[i] = entries.at(id).fp
		}
		for i, id := range ids[:n] {
			s.put(prints[i], id)
		}
		old = old[min(together, len(old)):]
	}
}

func (s *shard) resize(buckets int) { *s = shard{buckets: make([]bucket, buckets)} }

// home returns the bucket at which the search for a fingerprint begins.
// Multiplying, instead of taking a remainder, works for any number of buckets
// and needs no division.
func (s *shard) home(fp print) int {
	return int(uint64(fp[2]) * uint64(len(s.buckets)) >> 32)
}

func (s *shard) after(i int) int {
	if i++; i < len(s.buckets) {
		return i
	}
	return 0
}

// reserve prepares an empty table for n fingerprints.
func (t *table) reserve(n int) {
	for i := range t.shards {
		t.shards[i].resize(n/len(t.shards)/bucketSize*7/6 + 1)
	}
}
