package crawl

import (
	"fmt"
	"strings"

	"dowse"
	"dowse/weburl"
)

// Traps bounds how much of a crawl goes into URLs that a server makes up without
// end. URLs of one shape (see weburl.Shape) share a budget of visits; it grows
// with every page of that shape that says something new, and more with every one
// that is on topic. Shapes that differ only in the names of their parameters share
// a budget of shapes, hosts whose pages hang together as those of no site do
// are left (see farm), and so are the hosts of a domain (see domain). Zero fields mean the defaults; a negative Budget turns all
// of this off.
type Traps struct {
	Budget int // visits to URLs of one shape before any was useful; 60
	Gain   int // more for each page on topic; 10
	Sets   int // different sets of parameters to one path; 20
	Strays int // pages of a host, or of a domain, that hang together as in a farm; 100
	Hosts  int // hosts of one registrable domain before any page of it was useful; 1000
	Shapes int // shapes remembered; 1,000,000
}

func (t Traps) withDefaults() Traps {
	if t.Budget == 0 {
		t.Budget = 60
	}
	if t.Gain == 0 {
		t.Gain = 10
	}
	if t.Sets == 0 {
		t.Sets = 20
	}
	if t.Strays == 0 {
		t.Strays = 100
	}
	if t.Hosts == 0 {
		t.Hosts = 1000
	}
	if t.Shapes == 0 {
		t.Shapes = 1_000_000
	}
	return t
}

// shape counts what came of the URLs of one shape.
type shape struct {
	visited uint32
	novel   uint32 // with a text that was not seen before
	onTopic uint32
	sets    uint32 // of a path: the shapes with parameters that were visited
}

type trapBook map[uint64]*shape

func (s *shape) budget(t Traps) uint32 {
	return uint32(t.Budget) + s.novel + s.onTopic*uint32(t.Gain)
}

// trapped tells why a URL looks like one of endlessly many, or "".
func (c *Crawl) trapped(u dowse.URL) dowse.Reason {
	if c.cfg.Traps.Budget < 0 {
		return ""
	}
	if weburl.Trap(u) != "" {
		return dowse.SkipTrapPattern
	}
	s := c.traps[weburl.ShapeHash(u)]
	switch {
	case s != nil && s.visited >= s.budget(c.cfg.Traps), s == nil && c.tooManySets(u):
		return dowse.SkipTrapPattern
	case c.onFarm(u), c.onHostFarm(u):
		return dowse.SkipTrapFarm
	}
	return ""
}

// tooManySets reports whether the path of a URL was visited with too many different
// sets of parameters: filters that can be combined make thousands.
func (c *Crawl) tooManySets(u dowse.URL) bool {
	q := strings.IndexByte(string(u), '?')
	if q < 0 {
		return false
	}
	path := c.traps[weburl.ShapeHash(u[:q])]
	return path != nil && int(path.sets) >= c.cfg.Traps.Sets
}

// trapDetail says in words what a trap looked like.
func (c *Crawl) trapDetail(u dowse.URL) string {
	if why := weburl.Trap(u); why != "" {
		return why
	}
	if c.onHostFarm(u) {
		return "every page of the domain leads to ever new hosts, and hardly to one that is known"
	}
	if c.onFarm(u) {
		return "every page there leads to ever new ones, and hardly to one that is known"
	}
	s := c.traps[weburl.ShapeHash(u)]
	if s == nil {
		return fmt.Sprintf("visited with %d different sets of parameters", c.cfg.Traps.Sets)
	}
	return fmt.Sprintf("pattern %s visited %d times, %d on topic", weburl.Shape(u), s.visited, s.onTopic)
}

// tally books a visit to a URL of a shape; own is how much of the page's text is not
// boilerplate, see nearBook. When too many shapes are known the new
// ones are not counted: a trap of endless shapes is caught by its texts.
func (c *Crawl) tally(p *dowse.Page, own int) {
	s, fresh := c.shape(p.URL)
	if s == nil {
		return
	}
	if q := strings.IndexByte(string(p.URL), '?'); q >= 0 && fresh {
		if path, _ := c.shape(p.URL[:q]); path != nil {
			path.sets++
		}
	}
	s.visited++
	if p.Outcome == dowse.Fetched && !repeatsHost(p) && s.isNovel(own) {
		s.novel++
		if p.OnTopic {
			s.onTopic++
		}
	}
}

// repeatsHost reports whether a page is a near-duplicate of another of its own host. A copy
// on another host, which may be a thief's, takes nothing from the original.
func repeatsHost(p *dowse.Page) bool {
	return p.Near != "" && weburl.Host(p.Near) == weburl.Host(p.URL)
}

// isNovel reports whether a page that does not repeat another of its host says something new. Of
// pages that hardly have a word of their own beside the template of their host, one in
// thinShare does not count: shops have thousands of them and calendars without events
// any number, so the budget lasts for Budget × thinShare of them.
func (s *shape) isNovel(own int) bool {
	return own >= thinBins || own > 0 && s.visited%thinShare != 0
}

const thinShare = 32

// shape returns the count for the shape of a URL, and whether it is a new one; nil
// when there is no more room.
func (c *Crawl) shape(u dowse.URL) (s *shape, fresh bool) {
	k := weburl.ShapeHash(u)
	if s = c.traps[k]; s != nil {
		return s, false
	}
	if len(c.traps) >= c.cfg.Traps.Shapes {
		return nil, false
	}
	s = &shape{}
	c.traps[k] = s
	return s, true
}
