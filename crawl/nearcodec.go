package crawl

import (
	"maps"
	"slices"

	"dowse"
	"dowse/internal/frontier"
)

// sketch writes a sketch; a page without one takes 8 bytes.
func (e *enc) sketch(s *dowse.Sketch) {
	if e.u64(s.Text); s.IsZero() {
		return
	}
	for _, v := range s.Bins {
		e.Uint16(v)
	}
}

func (d *dec) sketch(s *dowse.Sketch) {
	if s.Text = d.u64(); s.IsZero() {
		return
	}
	for i := range s.Bins {
		s.Bins[i] = d.u16()
	}
}

func (d *dec) u16() uint16 { return uint16(d.byte()) | uint16(d.byte())<<8 }

// near writes what a nearBook knows. Which bins a page is found by is written too: it
// depends on what was known of its host when the page came.
func (e *enc) near(n *nearBook) {
	e.u(uint64(len(n.pages)))
	for i := range n.pages {
		p := &n.pages[i]
		e.sketch(&p.sketch)
		e.u(uint64(p.id))
		e.u(uint64(p.host))
		e.B = append(e.B, p.posted[:]...)
	}
	e.u(uint64(len(n.hosts)))
	for _, h := range slices.Sorted(maps.Keys(n.hosts)) {
		e.u(uint64(h))
		b := n.hosts[h]
		if e.bool(b != nil); b != nil {
			e.boilerplate(b)
		}
	}
}

func (e *enc) boilerplate(b *boilerplate) {
	e.byte(b.pages)
	for i := range b.bins {
		for _, c := range b.bins[i] {
			e.Uint16(c.value)
			e.byte(c.n)
		}
	}
}

func (d *dec) near(n *nearBook) {
	for range d.items(nearPageSize) {
		var p nearPage
		d.sketch(&p.sketch)
		p.id, p.host = frontier.ID(d.u()), frontier.HostID(d.u())
		for i := range p.posted {
			if p.posted[i] = d.byte(); p.posted[i] >= dowse.SketchBins && p.posted[i] != unposted {
				d.fail()
				return
			}
		}
		n.put(p)
	}
	for range d.items(2) {
		h := frontier.HostID(d.u())
		n.hosts[h] = nil
		if d.bool() {
			n.hosts[h] = d.boilerplate()
		}
	}
}

func (d *dec) boilerplate() *boilerplate {
	b := &boilerplate{pages: d.byte()}
	for i := range b.bins {
		for k := range b.bins[i] {
			c := &b.bins[i][k]
			c.value, c.n = d.u16(), d.byte()
		}
	}
	return b
}

// nearPageSize is the number of bytes that a page of a nearBook takes at least.
const nearPageSize = 8 + 1 + 1 + postedBins

// fits reports whether all pages and hosts are among the first ids and hosts.
func (n *nearBook) fits(ids frontier.ID, hosts frontier.HostID) bool {
	for i := range n.pages {
		if n.pages[i].id >= ids || n.pages[i].host >= hosts {
			return false
		}
	}
	return all(maps.Keys(n.hosts), func(h frontier.HostID) bool { return h < hosts })
}
