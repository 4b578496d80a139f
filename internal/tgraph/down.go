package tgraph

import (
	"cmp"
	"errors"

	"dowse"
)

// A Walk is how a T-Graph is built top-down (Seyfi and Patel 2015 mention it and build
// theirs bottom-up): links are followed from start pages, and what leads to targets is
// kept. It needs no back-links, so it can be made where no search engine or archive answers
// who links to a page. What no link from the start pages leads to is not found.
type Walk struct {
	Roots []dowse.URL // pages to start from, as portals
	Pages int         // to read at most; 0 means 1,200, as many as the levels of a T-Graph have by default
	// Target reports whether a page that the walk meets is a target; d is nil if its content
	// is not known.
	Target func(u dowse.URL, d *dowse.Document) bool
	// Document returns the content of a page, nil if it is not known.
	Document func(u dowse.URL) (*dowse.Document, error)
}

// walkPages is the default of [Walk].Pages.
const walkPages = 1200

// ErrWalk is returned by BuildDown if no target was met.
var ErrWalk = errors.New("the links of the start pages led to no target page: start elsewhere, or read more pages")

// BuildDown walks from the start pages, breadth first, and returns the T-Graph of the links
// that were seen on the way and lead to targets. Its bounds are those of Build. Target pages
// are read as well, so that targets beyond targets are found.
func (b Builder) BuildDown(w Walk) (*Graph, error) {
	seen := &walked{document: w.Document, linking: map[dowse.URL][]dowse.URL{}}
	queue, known := []dowse.URL{}, map[dowse.URL]bool{}
	reach := func(u dowse.URL) {
		if !known[u] {
			known[u] = true
			queue = append(queue, u)
		}
	}
	for _, u := range w.Roots {
		reach(u)
	}
	var targets []dowse.URL
	for read := 0; len(queue) > 0 && read < cmp.Or(w.Pages, walkPages); queue = queue[1:] {
		u := queue[0]
		d, err := w.Document(u)
		if err != nil {
			return nil, err
		}
		if w.Target(u, d) {
			targets = append(targets, u)
		}
		if d == nil {
			continue
		}
		read++
		for i := range d.Links {
			to := d.Links[i].URL
			if from := seen.linking[to]; len(from) == 0 || from[len(from)-1] != u {
				seen.linking[to] = append(from, u)
			}
			reach(to)
		}
	}
	if len(targets) == 0 {
		return nil, ErrWalk
	}
	return b.Build(targets, seen)
}

// walked are the links that a walk has seen, backwards.
type walked struct {
	document func(u dowse.URL) (*dowse.Document, error)
	linking  map[dowse.URL][]dowse.URL
}

// Linking returns the pages that the walk read and that link to a page, in the order of the
// walk.
func (w *walked) Linking(to dowse.URL) ([]dowse.URL, error) { return w.linking[to], nil }

// Document returns the content of a page.
func (w *walked) Document(u dowse.URL) (*dowse.Document, error) { return w.document(u) }
