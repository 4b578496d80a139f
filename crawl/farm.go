package crawl

import (
	"strings"

	"dowse"
	"dowse/frontier"
	"dowse/weburl"
)

// A farm makes up pages as fast as they are asked for, each with a text and an
// address of its own, so that neither tells. What tells is how the pages hang
// together. The pages of a site are led to from several sides, and sooner or later
// lead to nothing new; of a farm, each page is a stray: one page alone led to it
// when its turn came, and it leads to new ones.
type farm struct {
	visited uint32
	strays  uint32
}

// isFarm reports whether there are enough strays and little else. Of the pages of
// ordinary sites about one in ten is one.
func (f *farm) isFarm(t Traps) bool {
	return int(f.strays) >= t.Strays && 4*f.strays >= 3*f.visited
}

// lands returns the host of a URL and, if it lies deeper, the first folder in it: a
// farm may have a host to itself, or a corner of one. Opaque URLs have neither.
func lands(u dowse.URL) (host, folder dowse.URL) {
	path := weburl.Path(u)
	if path == "" {
		return "", ""
	}
	root := len(u) - len(path) + 1
	path, _, _ = strings.Cut(path, "?")
	if i := strings.IndexByte(path[1:], '/'); i >= 0 {
		folder = u[:root+i+1]
	}
	return u[:root], folder
}

// onFarm reports whether a URL lies where a farm was found.
func (c *Crawl) onFarm(u dowse.URL) bool {
	if c.farmed == 0 {
		return false
	}
	host, folder := lands(u)
	return c.isFarm(host) || c.isFarm(folder)
}

func (c *Crawl) isFarm(land dowse.URL) bool {
	f := c.farms[weburl.ShapeHash(land)]
	return land != "" && f != nil && f.isFarm(c.cfg.Traps)
}

// survey books how a page hangs together with others: whether it is a stray, and
// which URLs are led to from more than one side.
func (c *Crawl) survey(t *turn) {
	if c.cfg.Traps.Budget < 0 {
		return
	}
	if t.p.Outcome == dowse.Fetched && !t.p.Again {
		host, folder := lands(t.p.URL)
		lonely := t.p.Depth > 0 && !c.met.has(t.fl.id)
		c.book(host, lonely && leadsOn(t.entry, host))
		c.book(folder, lonely && leadsOn(t.entry, folder))
	}
	for i := range t.entry.Links {
		d := &t.entry.Links[i]
		if (!d.Fresh || t.p.Outcome == dowse.Listed || c.f.Host(d.ID) != t.fl.host) && d.ID != t.fl.id {
			c.met.add(d.ID)
		}
	}
}

// leadsOn reports whether a page brought up URLs of a land.
func leadsOn(e *Entry, land dowse.URL) bool {
	for i := range e.Links {
		if e.Links[i].Fresh && strings.HasPrefix(string(e.Found[i].URL), string(land)) {
			return true
		}
	}
	return false
}

func (c *Crawl) book(land dowse.URL, stray bool) {
	if land == "" {
		return
	}
	k := weburl.ShapeHash(land)
	f := c.farms[k]
	if f == nil {
		if len(c.farms) >= c.cfg.Traps.Shapes {
			return
		}
		f = &farm{}
		c.farms[k] = f
	}
	before := f.isFarm(c.cfg.Traps)
	f.visited++
	if stray {
		f.strays++
	}
	if !before && f.isFarm(c.cfg.Traps) {
		c.farmed++
	}
}

// idSet is a set of URLs.
type idSet []uint64

func (b idSet) has(id frontier.ID) bool { return int(id/64) < len(b) && b[id/64]>>(id%64)&1 == 1 }

func (b *idSet) add(id frontier.ID) {
	for int(id/64) >= len(*b) {
		*b = append(*b, 0)
	}
	(*b)[id/64] |= 1 << (id % 64)
}
