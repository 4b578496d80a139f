package admission

import (
	"maps"
	"slices"

	"dowse"
	"dowse/internal/frontier"
	"dowse/internal/wire"
)

// write appends what is known. Which bins a page is found by is written too: it depends on
// what was known of its host when the page came.
func (n *near) write(w *wire.Writer) {
	w.Uint(uint64(len(n.pages)))
	for i := range n.pages {
		p := &n.pages[i]
		writeSketch(w, &p.sketch)
		w.Uint(uint64(p.id))
		w.Uint(uint64(p.host))
		w.B = append(w.B, p.posted[:]...)
	}
	w.Uint(uint64(len(n.hosts)))
	for _, h := range slices.Sorted(maps.Keys(n.hosts)) {
		w.Uint(uint64(h))
		b := n.hosts[h]
		if w.Bool(b != nil); b != nil {
			b.write(w)
		}
	}
}

// writeSketch appends a sketch; a page without one takes 8 bytes.
func writeSketch(w *wire.Writer, s *dowse.Sketch) {
	if w.Uint64(s.Text); s.Text == 0 {
		return
	}
	for _, v := range s.Bins {
		w.Uint16(v)
	}
}

func readSketch(r *stateReader, s *dowse.Sketch) {
	if s.Text = r.Uint64(); s.Text == 0 {
		return
	}
	for i := range s.Bins {
		s.Bins[i] = r.Uint16()
	}
}

func (b *boilerplate) write(w *wire.Writer) {
	w.Byte(b.pages)
	for i := range b.bins {
		for _, c := range b.bins[i] {
			w.Uint16(c.value)
			w.Byte(c.n)
		}
	}
}

func (n *near) read(r *stateReader) {
	for range r.Items(nearPageSize) {
		var p nearPage
		readSketch(r, &p.sketch)
		p.id, p.host = frontier.ID(r.Uint()), frontier.HostID(r.Uint())
		for i := range p.posted {
			if p.posted[i] = r.Byte(); p.posted[i] >= dowse.SketchBins && p.posted[i] != unposted {
				r.Fail()
				return
			}
		}
		n.put(p)
	}
	for range r.Items(2) {
		h := frontier.HostID(r.Uint())
		n.hosts[h] = nil
		if r.Bool() {
			n.hosts[h] = readBoilerplate(r)
		}
	}
}

func readBoilerplate(r *stateReader) *boilerplate {
	b := &boilerplate{pages: r.Byte()}
	for i := range b.bins {
		for k := range b.bins[i] {
			c := &b.bins[i][k]
			c.value, c.n = r.Uint16(), r.Byte()
		}
	}
	return b
}

// nearPageSize is the number of bytes that a page takes at least.
const nearPageSize = 8 + 1 + 1 + postedBins

// fits reports whether all pages and hosts are among the first ids and hosts.
func (n *near) fits(ids frontier.ID, hosts frontier.HostID) bool {
	for i := range n.pages {
		if n.pages[i].id >= ids || n.pages[i].host >= hosts {
			return false
		}
	}
	for h := range n.hosts {
		if h >= hosts {
			return false
		}
	}
	return true
}
