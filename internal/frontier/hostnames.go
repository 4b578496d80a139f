package frontier

import (
	"dowse"

	"github.com/zeebo/xxh3"
)

// hostNames finds hosts by name. The names are in an arena, the IDs of the
// hosts in a hash table of 4 bytes per slot with linear probing: a host costs a
// few bytes more than its name, which matters because a server can make up
// names without end.
type hostNames struct {
	key   uint64
	texts *Arena
	slots []uint32 // 1 + ID of a host, at its hash or in the next free slot; 0 is free
	n     int      // used slots
}

func newHostNames(key uint64) hostNames { return hostNames{key: key, texts: NewArena()} }

// text returns the name at a place.
func (t *hostNames) text(place uint64) string { return string(t.texts.At(place)) }

// keep stores a name and returns its place.
func (t *hostNames) keep(name string) uint64 { return t.texts.Add(dowse.URL(name)) }

// find returns the host with that name.
func (t *hostNames) find(hosts *chunks[host], name string) (HostID, bool) {
	if t.n == 0 {
		return 0, false
	}
	for i := t.home(name); ; i = (i + 1) & (len(t.slots) - 1) {
		switch s := t.slots[i]; {
		case s == 0:
			return 0, false
		case t.text(hosts.at(s-1).name) == name:
			return HostID(s - 1), true
		}
	}
}

// add adds a host whose name is stored and not in the table. The table is at
// most three quarters full.
func (t *hostNames) add(hosts *chunks[host], h HostID) {
	if 4*(t.n+1) > 3*len(t.slots) {
		t.grow(hosts)
	}
	t.put(t.text(hosts.at(uint32(h)).name), uint32(h)+1)
	t.n++
}

func (t *hostNames) put(name string, slot uint32) {
	i := t.home(name)
	for t.slots[i] != 0 {
		i = (i + 1) & (len(t.slots) - 1)
	}
	t.slots[i] = slot
}

func (t *hostNames) grow(hosts *chunks[host]) {
	old := t.slots
	t.slots = make([]uint32, max(16, 2*len(old)))
	for _, s := range old {
		if s != 0 {
			t.put(t.text(hosts.at(s-1).name), s)
		}
	}
}

// home returns the slot at which the search for a name begins. The key makes it
// unpredictable.
func (t *hostNames) home(name string) int {
	return int(xxh3.HashStringSeed(name, t.key) & uint64(len(t.slots)-1))
}
