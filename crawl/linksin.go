package crawl

import (
	"errors"
	"math"
	"slices"

	"dowse"
	"dowse/internal/frontier"
	"dowse/internal/wire"
)

// inlinks counts for every URL, by its number, the pages that link to it: those that
// were fetched, each once. It takes two bytes per URL, and counts end at 65,535.
//
// A page counts with the links that its first fetch found. A link to a URL that redirects
// counts for where it leads, once that is known; of what was counted before, the larger
// of the two counts is kept, so that no page counts twice.
type inlinks []uint16

// of returns how many pages link to a URL.
func (n inlinks) of(id frontier.ID) int {
	if int(id) >= len(n) {
		return 0
	}
	return int(n[id])
}

// atLeast raises the count of a URL.
func (n *inlinks) atLeast(id frontier.ID, count int) {
	if count <= n.of(id) {
		return
	}
	if short := int(id) + 1 - len(*n); short > 0 {
		*n = append(*n, make([]uint16, short)...)
	}
	(*n)[id] = uint16(min(count, math.MaxUint16))
}

// countLinks counts the links of a page that was fetched for the first time. Several to
// one target are one, and those to the page itself are none.
func (f *urls) countLinks(t *turn) {
	if t.p.Outcome != dowse.Fetched || t.p.Again {
		return
	}
	targets := make([]frontier.ID, 0, len(t.entry.Links))
	for i := range t.entry.Links {
		if id := f.end(t.entry.Links[i].Target); id != t.fl.id {
			targets = append(targets, id)
		}
	}
	slices.Sort(targets)
	for _, id := range slices.Compact(targets) {
		f.inlinks.atLeast(id, f.inlinks.of(id)+1)
	}
}

// linksIn returns how many pages link to a URL now.
func (f *urls) linksIn(id frontier.ID) *int {
	n := f.inlinks.of(id)
	return &n
}

// errNoLinksIn is returned for a snapshot of a crawl that did not count links, by one
// that does: it must count from the beginning.
var errNoLinksIn = errors.New("crawl: snapshot: links were not counted in it, and are asked for: the journal has them")

// write appends the counts, if links are counted.
func (n inlinks) write(w *wire.Writer, counted bool) {
	w.Bool(counted)
	if !counted {
		return
	}
	w.Uint(uint64(len(n)))
	for _, x := range n {
		w.Uint(uint64(x))
	}
}

// read reads the counts and reports whether they are there; snapshots of earlier versions
// have none.
func (n *inlinks) read(r *partReader) bool {
	if len(r.Rest) == 0 || !r.Bool() {
		return false
	}
	*n = make(inlinks, 0, r.Count(1))
	for range cap(*n) {
		*n = append(*n, uint16(min(r.Uint(), math.MaxUint16)))
	}
	return true
}
