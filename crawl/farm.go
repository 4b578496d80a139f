package crawl

import (
	"strings"

	"dowse"
	"dowse/weburl"
)

// A farm makes up pages as fast as they are asked for, each with a text and an
// address of its own, so that neither tells. What tells is how the pages hang
// together: those of a site lead to each other, and ever more often to what is
// known already; those of a farm are strays, which lead to new ones only.
type farm struct {
	visited uint32
	strays  uint32
}

// isFarm reports whether there are enough strays and little else. On ordinary sites
// about one page in a hundred is one, among the first.
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

// survey books how a page hangs together with the others of its host and folder.
func (c *Crawl) survey(t *turn) {
	if c.cfg.Traps.Budget < 0 || t.p.Outcome != dowse.Fetched || t.p.Again {
		return
	}
	c.surveyHosts(t)
	host, folder := lands(t.p.URL)
	c.book(host, isStray(t.entry, host, t.isEcho()))
	c.book(folder, isStray(t.entry, folder, t.isEcho()))
}

// isStray reports whether a page's links lead to new pages of a land and hardly to
// known ones: at most to one, the way back, or to one in five. An echo is one if it
// leads to any new page: however many menus it has, where every address answers with the
// same text the new ones have no end.
func isStray(e *Entry, land dowse.URL, echo bool) bool {
	fresh, known := 0, 0
	for i := range e.Links {
		switch d := &e.Links[i]; {
		case d.ID == e.ID || !strings.HasPrefix(string(e.Found[i].URL), string(land)):
		case d.Fresh:
			fresh++
		default:
			known++
		}
	}
	return fresh > 0 && (echo || known <= max(1, (fresh+known)/5))
}

// isEcho reports whether a page says what its host has said before: it is nearly the same
// as another of the host, or has hardly a word beside the host's template.
func (t *turn) isEcho() bool {
	return repeatsHost(t.p) || !t.p.Sketch.IsZero() && t.fl.own < thinBins
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
