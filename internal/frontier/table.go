package frontier

import (
	"math/bits"

	"github.com/zeebo/xxh3"
)

// A table finds the number of a URL by its fingerprint. It is cut into shards that
// grow one by one and by little: no growth takes long, and none needs the table's
// size twice.
type table struct {
	shards [256]shard
}

type shard struct {
	buckets []bucket
	n       int
}

// A bucket is one line of a processor's cache. A byte of the fingerprint beside
// each number spares nearly all looks at entries that are not the one. What finds
// its bucket full is in the next one.
type bucket struct {
	n    uint32
	ids  [bucketSize]uint32
	tags [bucketSize]uint8
}

const bucketSize = 12

func (t *table) shard(fp xxh3.Uint128) *shard { return &t.shards[fp.Hi>>56] }

func (t *table) find(entries *chunks[entry], fp xxh3.Uint128) (ID, bool) {
	s := t.shard(fp)
	if s.n == 0 {
		return None, false
	}
	tag := uint8(fp.Hi)
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

// add adds a fingerprint that is not in the table.
func (t *table) add(entries *chunks[entry], fp xxh3.Uint128, id ID) {
	s := t.shard(fp)
	if s.n*8 >= len(s.buckets)*bucketSize*7 {
		s.grow(entries)
	}
	s.put(fp, uint32(id))
}

func (s *shard) put(fp xxh3.Uint128, id uint32) {
	i := s.home(fp)
	for s.buckets[i].n == bucketSize {
		i = s.after(i)
	}
	b := &s.buckets[i]
	b.ids[b.n], b.tags[b.n] = id, uint8(fp.Hi)
	b.n++
	s.n++
}

func (s *shard) grow(entries *chunks[entry]) {
	old := s.buckets
	s.resize(len(old) + max(1, len(old)/5))
	for i := range old {
		for _, id := range old[i].ids[:old[i].n] {
			s.put(entries.at(id).fp, id)
		}
	}
}

func (s *shard) resize(buckets int) { *s = shard{buckets: make([]bucket, buckets)} }

func (s *shard) home(fp xxh3.Uint128) int {
	at, _ := bits.Mul64(fp.Lo, uint64(len(s.buckets)))
	return int(at)
}

func (s *shard) after(i int) int {
	if i++; i < len(s.buckets) {
		return i
	}
	return 0
}

// reserve makes an empty table ready for n fingerprints.
func (t *table) reserve(n int) {
	for i := range t.shards {
		t.shards[i].resize(n/len(t.shards)/bucketSize*5/4 + 1)
	}
}
