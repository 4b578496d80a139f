package crawl

import (
	"errors"
	"math"
	"slices"

	"dowse"
	"dowse/internal/frontier"
)

// inlinks counts for every URL, by its number, the pages that link to it: those that
// were fetched, each once. It takes two bytes to a URL; what is linked to by more pages
// than they can tell stays at the most they can.
//
// A page counts with the links that its first fetch found. A link to a URL that redirects
// counts for where it leads, once that is known; of what was counted before, the larger
// of the two counts stands, so that no page counts twice.
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
func (c *Crawl) countLinks(t *turn) {
	if !c.cfg.LinksIn || t.p.Outcome != dowse.Fetched || t.p.Again {
		return
	}
	targets := make([]frontier.ID, 0, len(t.entry.Links))
	for i := range t.entry.Links {
		id := t.entry.Links[i].Target
		if end, redirects := c.f.Alias(id); redirects {
			id = end
		}
		if id != t.fl.id {
			targets = append(targets, id)
		}
	}
	slices.Sort(targets)
	for _, id := range slices.Compact(targets) {
		c.inlinks.atLeast(id, c.inlinks.of(id)+1)
	}
}

// linksIn returns how many pages link to a URL now; nil where nobody asks.
func (c *Crawl) linksIn(id frontier.ID) *int {
	if !c.cfg.LinksIn {
		return nil
	}
	n := c.inlinks.of(id)
	return &n
}

// errNoLinksIn is returned for a snapshot of a crawl that did not count links, by one
// that does: it must count from the beginning.
var errNoLinksIn = errors.New("crawl: snapshot: links were not counted in it, and are asked for: the journal has them")

// inlinks writes the counts, if there are any to be kept.
func (e *enc) inlinks(c *Crawl) {
	e.bool(c.cfg.LinksIn)
	if !c.cfg.LinksIn {
		return
	}
	e.u(uint64(len(c.inlinks)))
	for _, n := range c.inlinks {
		e.u(uint64(n))
	}
}

// inlinks reads them, keeps them if the crawl asks for them, and reports whether they are
// there; snapshots of earlier versions have none.
func (d *dec) inlinks(c *Crawl) bool {
	if len(d.Rest) == 0 || !d.bool() {
		return false
	}
	counts := make(inlinks, 0, d.count(1))
	for range cap(counts) {
		counts = append(counts, uint16(min(d.u(), math.MaxUint16)))
	}
	if c.cfg.LinksIn {
		c.inlinks = counts
	}
	return true
}
