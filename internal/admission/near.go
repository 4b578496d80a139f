package admission

import (
	"math/bits"
	"slices"

	"dowse"
	"dowse/internal/frontier"
)

// near finds the pages that have nearly the same text as an earlier one. It compares the
// sketches of texts and nothing else, so that the journal, which keeps the sketches, leads
// to the same answers again.
//
// Boilerplate does not count. A value that many pages of a host have in the same bin
// comes from a menu, a footer or another part of the host's template. These values are
// learnt per host (see boilerplate), and two sketches are compared only in the bins that
// belong to the pages themselves. So pages of one template are not near-duplicates for
// their template, and a print version without menus is recognised.
//
// A page costs about 240 bytes here, a host with two pages or more about 600.
type near struct {
	pages  []nearPage
	newest []uint32 // by hash of a key: the newest posting with it, counted from 1
	hosts  map[frontier.HostID]*boilerplate
	places []int // scratch of find
}

// A nearPage is a page that others are compared with. It is found by some of its
// bins, and by its whole text.
type nearPage struct {
	sketch dowse.Sketch
	id     frontier.ID
	host   frontier.HostID
	posted [postedBins]uint8      // the bins it is found by; unposted for none
	older  [postedBins + 1]uint32 // by posting: the next older one with the same hash
}

const (
	postedBins  = 8              // bins that a page is found by
	askedBins   = 2 * postedBins // bins that are looked up for a page
	unposted    = 0xff
	maxChain    = 64      // postings that are looked at for one key
	maxNearPage = 1 << 20 // pages to compare with; later ones are compared with these
	maxNearHost = 1 << 17 // hosts whose boilerplate is known

	// Two pages are compared in at least minShared bins. Of n bins (n-minShared)/3 may
	// differ: of all 64, 18, and of few bins none, since few are easily equal by
	// chance. Where the boilerplate of a host is not known yet, because it has hardly
	// a page, no more than n/32 may.
	minShared = 10

	// thinBins is the number of bins of its own below which a page has so few
	// words that its text hardly shows whether it is worth a visit.
	thinBins = 4
)

func newNear() near { return near{hosts: map[frontier.HostID]*boilerplate{}} }

// Near looks for an earlier page with nearly the same text and remembers the page. It
// returns the number of bins of the sketch that are the page's own, without boilerplate.
//
// A page has at least a single bin of its own unless an earlier page had exactly the same
// words: a catalogue in which only a number differs from page to page may show it in no bin
// at all. A page whose text is too short to be compared is never a near-duplicate.
func (g *Gate) Near(id frontier.ID, host frontier.HostID, s *dowse.Sketch) (twin frontier.ID, found bool, own int) {
	return g.near.see(id, host, s)
}

// see is [Gate.Near].
func (n *near) see(id frontier.ID, host frontier.HostID, s *dowse.Sketch) (twin frontier.ID, found bool, own int) {
	if s.IsZero() {
		return 0, false, n.seeShort(id, host, s.Text)
	}
	mask := n.own(host, s)
	twin, found, same := n.find(host, s, mask)
	found = found && twin != id
	if !found {
		n.add(id, host, s, mask)
	}
	own = bits.OnesCount64(mask)
	if !same {
		n.learn(host, s)
		own = max(own, 1)
	}
	return twin, found, own
}

// seeShort remembers a page with a short text, and returns the number of bins of its own that
// it counts for. It is remembered under a hash of the text and the host, since only pages of
// one host are compared.
func (n *near) seeShort(id frontier.ID, host frontier.HostID, text uint64) (own int) {
	if text == 0 {
		return 0
	}
	s := dowse.Sketch{Text: max(text^(uint64(host)+1)*0x9e3779b97f4a7c15, 1)}
	if _, seen, _ := n.find(host, &s, 0); seen {
		return 0
	}
	n.add(id, host, &s, 0)
	return 1
}

// own returns the bins of a page that are filled and not boilerplate, as a set of bits.
func (n *near) own(host frontier.HostID, s *dowse.Sketch) (mask uint64) {
	b := n.hosts[host]
	for i, v := range s.Bins {
		if v != 0 && !b.has(i, v) {
			mask |= 1 << i
		}
	}
	return mask
}

// find returns the page whose text is most like that of a sketch, the earliest of
// equals, if it is near enough. same reports whether every word is the same.
func (n *near) find(host frontier.HostID, s *dowse.Sketch, own uint64) (twin frontier.ID, found, same bool) {
	if len(n.newest) == 0 {
		return 0, false, false
	}
	places := n.places[:0]
	for key := range keys(s, own, askedBins) {
		places = n.chain(places, key)
	}
	n.places = places
	slices.Sort(places)
	best := 0.0
	for _, at := range slices.Compact(places) {
		p := &n.pages[at]
		if p.sketch.Text == s.Text {
			return p.id, true, true
		}
		known := n.hosts[host].isKnown() && n.hosts[p.host].isKnown()
		if share := likeness(s, &p.sketch, own, n.own(p.host, &p.sketch), known); share > best {
			best, twin, found = share, p.id, true
		}
	}
	return twin, found, false
}

// likeness estimates which share of their own shingles two texts have in common. It
// returns 0 where they are not near-duplicates: too few bins to compare, or too many
// that differ. ownA and ownB are the bins that are not boilerplate, as far as that is
// known.
func likeness(a, b *dowse.Sketch, ownA, ownB uint64, known bool) float64 {
	shared, equal := 0, 0
	for i := range a.Bins {
		x, y := a.Bins[i], b.Bins[i]
		if x != 0 && ownA>>i&1 == 0 || y != 0 && ownB>>i&1 == 0 || x == 0 && y == 0 {
			continue
		}
		shared++
		if x == y {
			equal++
		}
	}
	differ := (shared - minShared) / 3
	if !known {
		differ = shared / 32
	}
	if shared < minShared || shared-equal > differ {
		return 0
	}
	return float64(equal) / float64(shared)
}

// keys yields the keys that a page is found by: one for its text, and one for each of
// the first most bins of its own.
func keys(s *dowse.Sketch, own uint64, most int) func(yield func(uint32) bool) {
	return func(yield func(uint32) bool) {
		if !yield(textKey(s)) {
			return
		}
		for ; own != 0 && most > 0; most-- {
			i := bits.TrailingZeros64(own)
			own &= own - 1
			if !yield(binKey(s, i)) {
				return
			}
		}
	}
}

func textKey(s *dowse.Sketch) uint32       { return uint32(s.Text>>32) | 1<<31 }
func binKey(s *dowse.Sketch, i int) uint32 { return uint32(i)<<16 | uint32(s.Bins[i]) }
func slot(key uint32, table []uint32) uint32 {
	return key * 0x9e3779b1 >> (33 - bits.Len(uint(len(table))))
}

// key returns the key of one of the page's postings, of which the first is for the
// text; ok is false for a posting that is not used.
func (p *nearPage) key(posting int) (key uint32, ok bool) {
	switch {
	case posting == 0:
		return textKey(&p.sketch), true
	case p.posted[posting-1] == unposted:
		return 0, false
	}
	return binKey(&p.sketch, int(p.posted[posting-1])), true
}

// chain appends the places of the pages that were posted under a key, the newest
// first.
func (n *near) chain(places []int, key uint32) []int {
	at := n.newest[slot(key, n.newest)]
	for steps := 0; at != 0 && steps < maxChain; steps++ {
		page, posting := split(at)
		p := &n.pages[page]
		if k, _ := p.key(posting); k == key {
			places = append(places, page)
		}
		at = p.older[posting]
	}
	return places
}

// split returns the page of a posting, and which of its postings it is.
func split(at uint32) (page, posting int) {
	return int(at-1) / (postedBins + 1), int(at-1) % (postedBins + 1)
}

// add remembers a page, to be found by the first bins of its own.
func (n *near) add(id frontier.ID, host frontier.HostID, s *dowse.Sketch, own uint64) {
	p := nearPage{sketch: *s, id: id, host: host}
	for i := range p.posted {
		p.posted[i] = unposted
		if own != 0 {
			p.posted[i] = uint8(bits.TrailingZeros64(own))
			own &= own - 1
		}
	}
	n.put(p)
}

func (n *near) put(p nearPage) {
	if len(n.pages) >= maxNearPage {
		return
	}
	n.pages = append(n.pages, p)
	if len(n.pages)*(postedBins+1) > len(n.newest) {
		n.grow()
		return
	}
	n.post(len(n.pages) - 1)
}

// grow makes a larger table and posts all pages again, the earliest first.
func (n *near) grow() {
	n.newest = make([]uint32, max(1<<10, 2*len(n.newest)))
	for i := range n.pages {
		n.post(i)
	}
}

func (n *near) post(page int) {
	p := &n.pages[page]
	for i := range p.older {
		if key, ok := p.key(i); ok {
			at := &n.newest[slot(key, n.newest)]
			p.older[i], *at = *at, uint32(page*(postedBins+1)+i+1)
		}
	}
}

// learn counts the values of a page for the boilerplate of its host. The first page of
// a host only makes the host known: most hosts have no second one.
func (n *near) learn(host frontier.HostID, s *dowse.Sketch) {
	b, known := n.hosts[host]
	switch {
	case !known && len(n.hosts) < maxNearHost:
		n.hosts[host] = nil
		return
	case !known:
		return
	case b == nil:
		b = &boilerplate{}
		n.hosts[host] = b
	}
	b.pages = min(b.pages+1, isFrequent)
	for i, v := range s.Bins {
		if v != 0 {
			b.bins[i].count(v)
		}
	}
}

// boilerplate knows for each bin the values that many pages of a host have there.
type boilerplate struct {
	pages uint8 // pages that it was learnt from, up to isFrequent
	bins  [dowse.SketchBins]frequent
}

// isKnown reports whether there were enough pages for what all of them have to show.
func (b *boilerplate) isKnown() bool { return b != nil && b.pages >= isFrequent }

// has reports whether a value is boilerplate.
func (b *boilerplate) has(bin int, v uint16) bool {
	if b == nil {
		return false
	}
	for _, c := range b.bins[bin] {
		if c.value == v && c.n >= isFrequent {
			return true
		}
	}
	return false
}

// frequent finds the values that make up more than a quarter of a stream, in the space
// of three counters (Misra and Gries 1982).
type frequent [3]struct {
	value uint16
	n     uint8
}

const (
	isFrequent  = 4  // the count from which a value is boilerplate
	maxFrequent = 32 // counts end here, so that a template that is gone is forgotten
)

func (f *frequent) count(v uint16) {
	free := -1
	for i := range f {
		switch c := &f[i]; {
		case c.n > 0 && c.value == v:
			c.n = min(c.n+1, maxFrequent)
			return
		case c.n == 0:
			free = i
		}
	}
	if free >= 0 {
		f[free].value, f[free].n = v, 1
		return
	}
	for i := range f {
		f[i].n--
	}
}
