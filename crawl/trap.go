package crawl

import (
	"fmt"

	"dowse"
	"dowse/weburl"
)

// Traps bounds how much of a crawl goes into URLs that a server makes up without
// end. URLs of one shape (see weburl.Shape) share a budget of visits; it grows
// with every page of that shape that says something new, and more with every one
// that is on topic. Zero fields mean the defaults; a negative Budget turns the
// budgets off.
type Traps struct {
	Budget int // visits to URLs of one shape before any was useful; 60
	Gain   int // more for each page on topic; 10
	Shapes int // shapes remembered; 1,000,000
}

func (t Traps) withDefaults() Traps {
	if t.Budget == 0 {
		t.Budget = 60
	}
	if t.Gain == 0 {
		t.Gain = 10
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
	if s := c.traps[weburl.ShapeHash(u)]; s != nil && s.visited >= s.budget(c.cfg.Traps) {
		return dowse.SkipTrapPattern
	}
	return ""
}

// trapDetail says in words what a trap looked like.
func (c *Crawl) trapDetail(u dowse.URL) string {
	if why := weburl.Trap(u); why != "" {
		return why
	}
	s := c.traps[weburl.ShapeHash(u)]
	if s == nil {
		return ""
	}
	return fmt.Sprintf("pattern %s visited %d times, %d on topic", weburl.Shape(u), s.visited, s.onTopic)
}

// tally books a visit to a URL of a shape. When too many shapes are known the new
// ones are not counted: a trap of endless shapes is caught by its texts.
func (c *Crawl) tally(p *dowse.Page) {
	k := weburl.ShapeHash(p.URL)
	s := c.traps[k]
	if s == nil {
		if len(c.traps) >= c.cfg.Traps.Shapes {
			return
		}
		s = &shape{}
		c.traps[k] = s
	}
	s.visited++
	if p.Outcome == dowse.Fetched && p.Near == "" && p.Simhash != 0 {
		s.novel++
		if p.OnTopic {
			s.onTopic++
		}
	}
}
