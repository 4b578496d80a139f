package admission

import (
	"fmt"
	"strings"

	"dowse"
	"dowse/weburl"
)

// Traps bounds how much of a crawl goes into URLs that a server generates without end. URLs
// of one shape (see [weburl.Shape]) share a budget of visits. It grows with every page of
// that shape that has a new text, and more with every one that is on topic. Shapes that
// differ only in the names of their parameters share a budget of shapes. Hosts whose pages
// are not linked as those of a site are (see farm) get no further visits, and neither do
// such hosts of one domain (see domain). Zero fields mean the defaults; a negative Budget
// turns all of this off.
type Traps struct {
	Budget int // visits to URLs of one shape before any was useful; 60
	Gain   int // more for each page on topic; 10
	Sets   int // different sets of parameters to one path; 20
	Strays int // pages of a host, or of a domain, that hang together as in a farm; 100
	Hosts  int // hosts of one registrable domain before any page of it was useful; 1000
	Shapes int // shapes remembered; 1,000,000
}

// WithDefaults returns the settings with defaults in the place of zero fields.
func (t Traps) WithDefaults() Traps {
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

func (t *Traps) off() bool { return t.Budget < 0 }

// A shape counts what came of the URLs of one shape.
type shape struct {
	visited uint32
	novel   uint32 // with a text that was not seen before
	onTopic uint32
	sets    uint32 // of a path: the shapes with parameters that were visited
}

func (s *shape) budget(t *Traps) uint32 {
	return uint32(t.Budget) + s.novel + s.onTopic*uint32(t.Gain)
}

// shapes counts visits by the shape of URLs, under the hash of the shape.
type shapes map[uint64]*shape

// spent reports whether the budget for URLs like u is used up.
func (s shapes) spent(t *Traps, u dowse.URL) bool {
	if x := s[weburl.ShapeHash(u)]; x != nil {
		return x.visited >= x.budget(t)
	}
	return s.tooManySets(t, u)
}

// tooManySets reports whether the path of a URL was visited with too many different
// sets of parameters: filters that can be combined make thousands.
func (s shapes) tooManySets(t *Traps, u dowse.URL) bool {
	q := strings.IndexByte(string(u), '?')
	if q < 0 {
		return false
	}
	path := s[weburl.ShapeHash(u[:q])]
	return path != nil && int(path.sets) >= t.Sets
}

// detail describes in words the visits that used up the budget of u.
func (s shapes) detail(t *Traps, u dowse.URL) string {
	x := s[weburl.ShapeHash(u)]
	if x == nil {
		return fmt.Sprintf("visited with %d different sets of parameters", t.Sets)
	}
	return fmt.Sprintf("pattern %s visited %d times, %d on topic", weburl.Shape(u), x.visited, x.onTopic)
}

// tally counts a visit to a URL of a shape; own and links are as for [Gate.Tally]. When too many shapes are known, new ones are not counted: a trap
// of endless shapes is caught by its texts.
func (s shapes) tally(t *Traps, p *dowse.Page, own int, links Links) {
	x, fresh := s.of(t, p.URL)
	if x == nil {
		return
	}
	if q := strings.IndexByte(string(p.URL), '?'); q >= 0 && fresh {
		if path, _ := s.of(t, p.URL[:q]); path != nil {
			path.sets++
		}
	}
	x.visited++
	if p.Outcome == dowse.Fetched && !repeatsHost(p) && x.isNovel(own) && !(isThin(p, own) && breeds(p.URL, links)) {
		x.novel++
		if p.OnTopic {
			x.onTopic++
		}
	}
}

// repeatsHost reports whether a page is a near-duplicate of another of its own host. A copy
// on another host, which may be a thief's, takes nothing from the original.
func repeatsHost(p *dowse.Page) bool {
	return p.Near != "" && weburl.Host(p.Near) == weburl.Host(p.URL)
}

// isNovel reports whether a page that does not repeat another of its host has something new.
// Of pages that hardly have a word of their own besides the template of their host, or have a
// short text, one in thinShare does not count: shops and collections of quotes have thousands
// of them and calendars without events any number, so the budget lasts for Budget × thinShare
// of them, if they do not breed.
func (s *shape) isNovel(own int) bool {
	return own >= thinBins || own > 0 && s.visited%thinShare != 0
}

const thinShare = 32

// isThin reports whether a page has a text of some length and hardly a word of its own.
func isThin(p *dowse.Page, own int) bool { return !p.Sketch.IsZero() && own < thinBins }

// breeds reports whether a page leads to new URLs of its own shape. Pages that hardly have a
// word of their own and do so are the months of a calendar rather than the parts of a
// catalogue, which are known from lists before they are visited.
func breeds(u dowse.URL, links Links) bool {
	shape := weburl.ShapeHash(u)
	for i := range links.Len() {
		if target, self, fresh := links.At(i); fresh && !self && weburl.ShapeHash(target) == shape {
			return true
		}
	}
	return false
}

// of returns the count for the shape of a URL, and whether it is a new one; nil when there
// is no more room.
func (s shapes) of(t *Traps, u dowse.URL) (x *shape, fresh bool) {
	k := weburl.ShapeHash(u)
	if x = s[k]; x != nil {
		return x, false
	}
	if len(s) >= t.Shapes {
		return nil, false
	}
	x = &shape{}
	s[k] = x
	return x, true
}
