package repeats

import (
	"cmp"
	"maps"
	"slices"

	"dowse/internal/wire"
)

// The bounds of what is remembered.
const (
	maxCounted = 4096    // different blocks of a sample that are counted
	maxSet     = 512     // blocks of a host that are known to repeat
	maxHeld    = 1 << 20 // hashes of all hosts together; 5 bytes each, and the hosts
	hostWeight = 32      // hashes that a host counts for in addition to its own
)

// Hosts is what a crawl has learnt of the blocks that the pages of its hosts repeat. It
// depends on the pages alone and on their order, so that a crawl that is folded from its
// journal knows the same. The zero value is ready.
//
// A host is learnt from samples of 24 pages: its first pages, and later ones after as
// many pages as it has had by then, since sites change and have parts that differ.
// What the samples found adds up. The memory is bounded: if there is too much, the half
// of the hosts is forgotten whose pages came longest ago.
type Hosts struct {
	of   map[uint32]*sampledHost
	held int    // hashes, with hostWeight for each host
	now  uint64 // pages that came, as a clock

	most int // bound of held; 0 for maxHeld
}

// A sampledHost is what is known of one host.
type sampledHost struct {
	known *Set // what the pages repeat, the sample in progress included
	older *Set // what complete samples found

	hashes []uint32 // of the blocks of the sample in progress, sorted
	times  []uint8  // by hash: on how many of its pages
	pages  uint8    // of the sample

	seen uint64 // pages that came
	next uint64 // number of pages after which the next sample begins
	last uint64 // Hosts.now when a page came last
}

// Known returns what a visit to a host is given.
func (x *Hosts) Known(id uint32) *Known {
	h := x.of[id]
	if h == nil {
		return &Known{Learns: true}
	}
	return &Known{Blocks: h.known, Learns: h.seen >= h.next}
}

// Note takes a page of a host into account. blocks are those that [Known.Apply] found;
// without them, the page counts only if something is known of the host, so that a crawl
// that does not learn keeps nothing.
func (x *Hosts) Note(id uint32, blocks []uint32) {
	h := x.of[id]
	if h == nil {
		if len(blocks) == 0 {
			return
		}
		if x.of == nil {
			x.of = map[uint32]*sampledHost{}
		}
		h = &sampledHost{}
		x.of[id] = h
		x.held += hostWeight
	}
	x.now++
	h.last = x.now
	x.held -= h.size()
	if h.seen >= h.next {
		h.add(blocks)
	}
	h.seen++
	if h.pages == SamplePages {
		h.older, h.hashes, h.times, h.pages = h.known, nil, nil, 0
		h.next = 2 * h.seen
	}
	x.held += h.size()
	if x.held > cmp.Or(x.most, maxHeld) {
		x.forget()
	}
}

// size returns how many hashes a host holds. Sets that are the same count once.
func (h *sampledHost) size() int {
	n := len(h.hashes) + h.known.Len()
	if h.older != h.known {
		n += h.older.Len()
	}
	return n
}

// add counts the blocks of a page in the sample, and finds out again what repeats.
func (h *sampledHost) add(blocks []uint32) {
	if len(blocks) == 0 {
		return
	}
	h.pages++
	var fresh []uint32
	at := 0
	for _, b := range blocks {
		for at < len(h.hashes) && h.hashes[at] < b {
			at++
		}
		if at < len(h.hashes) && h.hashes[at] == b {
			h.times[at]++
		} else if len(h.hashes)+len(fresh) < maxCounted {
			fresh = append(fresh, b)
		}
	}
	h.insert(fresh)
	h.known = h.repeated()
}

// insert adds blocks that were met for the first time. Both lists are sorted.
func (h *sampledHost) insert(fresh []uint32) {
	if len(fresh) == 0 {
		return
	}
	hashes := make([]uint32, 0, len(h.hashes)+len(fresh))
	times := make([]uint8, 0, cap(hashes))
	for i, k := 0, 0; i < len(h.hashes) || k < len(fresh); {
		if k == len(fresh) || i < len(h.hashes) && h.hashes[i] < fresh[k] {
			hashes, times = append(hashes, h.hashes[i]), append(times, h.times[i])
			i++
			continue
		}
		hashes, times = append(hashes, fresh[k]), append(times, 1)
		k++
	}
	h.hashes, h.times = hashes, times
}

// repeated returns the blocks that repeat in the sample, and those that did in earlier
// ones as long as there is room.
func (h *sampledHost) repeated() *Set {
	least := Least(int(h.pages))
	if least == 0 {
		return h.older
	}
	var list []uint32
	for i, n := range h.times {
		if int(n) >= least && len(list) < maxSet {
			list = append(list, h.hashes[i])
		}
	}
	if h.older != nil {
		for _, b := range h.older.hashes {
			if len(list) == maxSet {
				break
			}
			if i, found := slices.BinarySearch(list, b); !found {
				list = slices.Insert(list, i, b)
			}
		}
	}
	if len(list) == 0 {
		return nil
	}
	return &Set{slices.Clip(list)}
}

// forget drops the half of the hosts whose pages came longest ago.
func (x *Hosts) forget() {
	ids := slices.SortedFunc(maps.Keys(x.of), func(a, b uint32) int { return cmp.Compare(x.of[a].last, x.of[b].last) })
	for _, id := range ids[:len(ids)/2] {
		x.held -= hostWeight + x.of[id].size()
		delete(x.of, id)
	}
}

// Write appends what is known to a snapshot.
func (x *Hosts) Write(w *wire.Writer) {
	w.Uint(uint64(len(x.of)))
	if len(x.of) == 0 {
		return
	}
	w.Uint(x.now)
	for _, id := range slices.Sorted(maps.Keys(x.of)) {
		h := x.of[id]
		w.Uint(uint64(id))
		w.Uint(h.seen)
		w.Uint(h.next)
		w.Uint(h.last)
		w.Byte(h.pages)
		writeHashes(w, h.hashes)
		for _, n := range h.times {
			w.Byte(n)
		}
		h.older.write(w)
		w.Bool(h.known == h.older)
		if h.known != h.older {
			h.known.write(w)
		}
	}
}

// Read reads what Write wrote.
func (x *Hosts) Read(r *wire.Reader[[]byte]) {
	*x = Hosts{most: x.most}
	n := r.Count(8)
	if n == 0 {
		return
	}
	x.now = r.Uint()
	x.of = make(map[uint32]*sampledHost, n)
	for range n {
		id := uint32(r.Uint())
		h := &sampledHost{seen: r.Uint(), next: r.Uint(), last: r.Uint(), pages: r.Byte()}
		h.hashes = readHashes(r)
		for range h.hashes {
			h.times = append(h.times, r.Byte())
		}
		h.older = readSet(r)
		h.known = h.older
		if !r.Bool() {
			h.known = readSet(r)
		}
		x.of[id] = h
		x.held += hostWeight + h.size()
	}
}

// Fits reports whether all hosts are among the first n, and what was read is something
// that Write can have written.
func (x *Hosts) Fits(n uint32) bool {
	for id, h := range x.of {
		sorted := slices.IsSorted(h.hashes) && (h.known == nil || slices.IsSorted(h.known.hashes)) && (h.older == nil || slices.IsSorted(h.older.hashes))
		if id >= n || h.pages >= SamplePages || h.last > x.now || !sorted {
			return false
		}
	}
	return true
}

// Write appends what a visit is given, for a visit that another machine makes.
func (k *Known) Write(w *wire.Writer) {
	w.Bool(k.Learns)
	k.Blocks.write(w)
}

// ReadKnown reads what Known.Write wrote.
func ReadKnown(r *wire.Reader[[]byte]) *Known {
	k := &Known{Learns: r.Bool()}
	k.Blocks = readSet(r)
	if k.Blocks != nil && !slices.IsSorted(k.Blocks.hashes) {
		r.Fail()
	}
	return k
}

// write appends the blocks of a set.
func (s *Set) write(w *wire.Writer) {
	if s == nil {
		w.Uint(0)
		return
	}
	writeHashes(w, s.hashes)
}

// readSet reads what Set.write wrote.
func readSet(r *wire.Reader[[]byte]) *Set {
	list := readHashes(r)
	if len(list) == 0 {
		return nil
	}
	return &Set{list}
}

func writeHashes(w *wire.Writer, list []uint32) {
	w.Uint(uint64(len(list)))
	for _, h := range list {
		w.Uint32(h)
	}
}

func readHashes(r *wire.Reader[[]byte]) []uint32 {
	n := r.Count(4)
	if n == 0 {
		return nil
	}
	list := make([]uint32, n)
	for i := range list {
		list[i] = r.Uint32()
	}
	return list
}
