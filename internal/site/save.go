package site

import (
	"bytes"
	"cmp"
	"encoding/gob"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"dowse"
)

// saved is the state that Save encodes with gob, which matches fields by name:
// fields may be added, but not renamed.
type saved struct {
	Sites                      []savedSite
	Open                       []savedInner
	Chosen, Examined, Relevant int
	Scans                      []savedScan
}

// savedSite is a site. Ready reports that it was in the heap, which is built
// again when it is loaded.
type savedSite struct {
	Name, Home, Entry string
	Sum               float64
	Links             int
	State             uint8
	Start, Ready      bool
	Result            *result
	Linkers           []linker
	Hub               *hub
}

// savedInner is an inner crawl. gob saves the exported fields of inner; those
// that are not exported are next to it, as far as they can't be derived.
type savedInner struct {
	Site, Order int
	Home        string
	Dormant     bool
	Queue       []savedWaiting
	Last        []int // of the edges
	Inner       inner
}

type savedWaiting struct {
	URL   string
	Sum   float64
	Links int
	Back  bool
}

// Save encodes all sites and the inner crawls. Equal states give equal bytes.
func (c *Crawler) Save() ([]byte, error) {
	s := saved{Chosen: c.outer.chosen, Examined: c.outer.examined, Relevant: c.outer.relevant, Scans: c.saveScans()}
	for _, k := range c.outer.sites {
		s.Sites = append(s.Sites, savedSite{
			Name: k.name, Home: string(k.home), Entry: string(k.entry), Sum: k.sum, Links: k.links,
			State: uint8(k.state), Start: k.start, Ready: k.at > 0, Result: k.result,
			Linkers: k.linkers, Hub: k.hub,
		})
	}
	for _, w := range c.inOrder() {
		s.Open = append(s.Open, w.save())
	}
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(&s); err != nil {
		return nil, fmt.Errorf("site: save: %w", err)
	}
	return b.Bytes(), nil
}

// save returns what is saved of an inner crawl. Pages are sorted by URL, so that
// equal states give equal bytes.
func (w *inner) save() savedInner {
	s := savedInner{Site: int(w.site), Order: w.order, Home: string(w.home), Dormant: w.dormant, Inner: *w}
	for _, u := range slices.Sorted(maps.Keys(w.queue)) {
		q := w.queue[u]
		s.Queue = append(s.Queue, savedWaiting{string(u), q.Sum, q.Links, q.back})
	}
	for i := range w.Edges {
		s.Last = append(s.Last, w.Edges[i].last)
	}
	return s
}

// errSaved is returned for a state that decodes but is inconsistent.
var errSaved = errors.New("site: load: inconsistent state")

// Load restores what Save encoded, and replaces what the crawler knew. The
// bytes may be damaged: numbers are checked before they are used as indices.
func (c *Crawler) Load(data []byte) error {
	var s saved
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&s); err != nil {
		return fmt.Errorf("site: load: %w", err)
	}
	c.open, c.outer = nil, outer{chosen: s.Chosen, examined: s.Examined, relevant: s.Relevant}
	c.begin()
	for i := range s.Sites {
		if !c.outer.load(&s.Sites[i]) {
			return errSaved
		}
	}
	if !c.outer.soundHubs() {
		return errSaved
	}
	for i := range s.Sites { // ranks by hubs need all sites
		c.outer.weighByHubs(c.outer.sites[i])
		if s.Sites[i].Ready {
			c.outer.offer(c.outer.sites[i])
		}
	}
	c.outer.reopen()
	for _, x := range s.Scans {
		if _, ok := c.outer.index[x.Name]; !ok || x.Left <= 0 {
			return errSaved
		}
		c.scans[x.Name] = &scan{x.Left}
	}
	for i := range s.Open {
		if !c.loadInner(&s.Open[i]) {
			return errSaved
		}
	}
	return nil
}

// load restores one site, and reports whether it is consistent.
func (o *outer) load(s *savedSite) bool {
	if _, twice := o.index[s.Name]; twice || s.State > uint8(done) {
		return false
	}
	k := o.site(s.Name, dowse.URL(s.Home), dowse.URL(cmp.Or(s.Entry, s.Home)))
	if k == nil {
		return false
	}
	k.sum, k.links, k.state, k.start, k.result = s.Sum, s.Links, siteState(s.State), s.Start, s.Result
	k.linkers, k.hub = s.Linkers, s.Hub
	return (k.state == done) == (k.result != nil)
}

// soundHubs reports whether all links between sites that were loaded are between sites that
// exist, and from sites that are hubs.
func (o *outer) soundHubs() bool {
	exists := func(i int32) bool { return i >= 0 && int(i) < len(o.sites) }
	for _, s := range o.sites {
		for _, l := range s.linkers {
			if !exists(l.From) || o.sites[l.From].hub == nil {
				return false
			}
		}
		if s.hub != nil && slices.ContainsFunc(s.hub.To, func(i int32) bool { return !exists(i) }) {
			return false
		}
	}
	return true
}

// loadInner restores one inner crawl, and reports whether it is consistent.
func (c *Crawler) loadInner(s *savedInner) bool {
	if s.Site < 0 || s.Site >= len(c.outer.sites) || len(s.Last) != len(s.Inner.Edges) {
		return false
	}
	k := c.outer.sites[s.Site]
	w := &s.Inner
	w.name, w.site, w.order, w.home, w.dormant = k.name, k.seq, s.Order, dowse.URL(s.Home), s.Dormant
	w.queue, w.edgeTo = map[dowse.URL]*waiting{}, map[string]int{}
	for _, q := range s.Queue {
		w.queue[dowse.URL(strings.Clone(q.URL))] = &waiting{q.Sum, q.Links, q.Back}
		if q.Back {
			w.returned++
		}
	}
	for i := range w.Edges {
		e := &w.Edges[i]
		if e.To < 0 || int(e.To) >= len(c.outer.sites) {
			return false
		}
		e.last = s.Last[i]
		w.edgeTo[c.outer.sites[e.To].name] = i
	}
	c.open[k.name] = w
	return k.state == opened
}
