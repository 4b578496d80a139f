package interest

import (
	"math/rand/v2"
	"strconv"
	"testing"
)

// TestIndex compares an index with a map while names come and go. With hashes of a few
// bits all searches run into others.
func TestIndex(t *testing.T) {
	for _, mask := range []uint64{^uint64(0), 0xff0000000000001f, 0} {
		rng := rand.New(rand.NewPCG(1, mask))
		x, names, at := newIndex(), make([]string, 3000), map[string]uint32{}
		hash := func(name string) uint64 { return x.hash(name) & mask }
		for i := range names {
			names[i] = "name" + strconv.Itoa(i)
		}
		for range 6000 {
			place := uint32(rng.IntN(len(names)))
			name := names[place]
			got, ok := x.find(hash(name), func(i uint32) bool { return names[i] == name })
			if _, want := at[name]; ok != want || ok && got != place {
				t.Fatalf("mask %x: %s is at %d (%v), want %d (%v)", mask, name, got, ok, place, want)
			}
			if guess := x.guess(hash(name)); ok && guess == noPlace {
				t.Fatalf("mask %x: %s is there and no guess finds it", mask, name)
			}
			if ok {
				x.remove(hash(name), place)
				delete(at, name)
			} else {
				x.add(hash(name), place)
				at[name] = place
			}
		}
		taken := 0
		for i := range x.parts {
			taken += x.parts[i].taken
		}
		if taken != len(at) {
			t.Errorf("mask %x: %d records, want %d", mask, taken, len(at))
		}
	}
}
