package admission

import (
	"fmt"
	"strings"

	"dowse"
	"dowse/weburl"
)

// Traps bounds how much of a crawl goes into URLs that a server generates without end. URLs
// of one shape (see [weburl.Shape]) share a budget of visits. It grows with every page of
// that shape that has a new text, and more with every one that is on topic. Errors have a
// budget of their own, and a small sample of the URLs is visited beyond both. Shapes that
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

// errorBudget returns the number of errors of a shape before any page of it was new.
func (t *Traps) errorBudget() int { return t.Budget * 5 / 2 }

// A shape counts what came of the URLs of one shape.
type shape struct {
	visited uint32
	errors  uint32 // visits answered with an error, see isError
	novel   uint32 // with a text that was not seen before
	onTopic uint32
	sets    uint32 // of a path: the shapes with parameters that were visited
}

// beyond returns by how many visits the shape has used up its budgets; 0 or less if URLs of
// it may be visited. Errors have a budget of their own, so that links to removed pages do not
// keep out the pages that are left. It grows with the pages that have a new text: a shape of
// which one page in errorsPerPage is left is visited whole, and one that has nothing but
// errors only as far as its first budget and the sample go.
func (s *shape) beyond(t *Traps) int {
	useless := int(s.visited-s.errors) - t.Budget - int(s.novel) - int(s.onTopic)*t.Gain
	dead := int(s.errors) - t.errorBudget() - int(s.novel)*errorsPerPage
	return max(useless, dead) + 1
}

// errorsPerPage is the number of errors that a page with a new text pays for.
const errorsPerPage = 32

// shapes counts visits by the shape of URLs, under the hash of the shape.
type shapes map[uint64]*shape

// spent reports whether the budget for URLs like u is used up, and u is not in the sample
// that is visited beyond it. secret is that of [New].
func (s shapes) spent(t *Traps, secret uint64, u dowse.URL) bool {
	if x := s[weburl.ShapeHash(u)]; x != nil {
		over := x.beyond(t)
		return over > 0 && !isSample(u, secret, over-1)
	}
	return s.tooManySets(t, u)
}

// reopened reports whether the visits to URLs like u could have used up a budget without pages
// that pay, and u may be visited.
func (s shapes) reopened(t *Traps, u dowse.URL) bool {
	x := s[weburl.ShapeHash(u)]
	return x != nil && x.beyond(t) <= 0 && (int(x.visited-x.errors) >= t.Budget || int(x.errors) >= t.errorBudget())
}

// isSample reports whether a URL is in the sample that is visited although the budget of its
// shape is used up. The sample shows whether pages of another kind came after those that used
// up the budget: one that is new adds to the budget. over is the number of visits beyond the
// budget. The sample has one URL in sampleShare first, and half as many after every sampleStep
// visits, so a shape with n more URLs costs about sampleStep × log2(n/100) visits. No page can
// choose URLs for the sample, because it does not know the secret.
func isSample(u dowse.URL, secret uint64, over int) bool {
	step := over / sampleStep
	k := keyedHash(string(u), secret)
	k = (k ^ k>>33) * 0xff51afd7ed558ccd // without it the low bits depend on those of the text
	k = (k ^ k>>33) * 0xc4ceb9fe1a85ec53
	k ^= k >> 33
	return step < 32 && k%(sampleShare<<step) == 0
}

const (
	sampleShare = 8
	sampleStep  = 8
)

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
	text := fmt.Sprintf("pattern %s visited %d times, %d with a new text on topic", weburl.Shape(u), x.visited, x.onTopic)
	if x.errors > 0 {
		text += fmt.Sprintf(", %d answered with an error", x.errors)
	}
	return text
}

// tally counts a visit to a URL of a shape; own and links are as for [Gate.Tally]. When too
// many shapes are known, new ones are not counted: a trap of endless shapes is caught by its
// texts.
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
	if isError(p) {
		x.errors++
	}
	if p.Outcome == dowse.Fetched && !repeatsHost(p) && x.isNovel(own) && !(isThin(p, own) && breeds(p.URL, links)) {
		x.novel++
		if p.OnTopic {
			x.onTopic++
		}
	}
}

// isError reports whether a server answered with an error, such as 404 or 403. An error leads
// nowhere, so errors cannot feed a trap: pages must link to each of them.
func isError(p *dowse.Page) bool { return p.Outcome == dowse.Failed && p.Fetch.Status >= 400 }

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
