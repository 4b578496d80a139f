package site

import (
	"cmp"
	"container/heap"
	"hash/fnv"
	"slices"
	"strings"

	"dowse"
)

// outer is the crawl over sites: all that are known, and the order in which
// they are examined.
type outer struct {
	sites []*knownSite // in the order in which they became known
	index map[string]int32
	ready ranking // sites that may be chosen

	chosen, examined, relevant int // numbers of sites; start sites count among chosen only
	closed                     []siteCost
	window                     windowCost // of the sites closed last
}

// maxSites bounds the memory of known sites to about half a gigabyte. Further
// sites are ignored.
const maxSites = 2_000_000

// A siteState is the progress of a site. The values are saved.
type siteState uint8

const (
	known  siteState = iota // linked to, or given, and not begun
	opened                  // it is being read
	done                    // it has a result
)

// A knownSite is a site to which a page linked, or that was given as a start.
type knownSite struct {
	name   string
	home   dowse.URL
	entry  dowse.URL // the first page to which a link led; "" for the homepage
	result *result   // of a site that is done
	sum    float64   // of the weights of the links from examined sites
	links  int       // number of these links
	seq    int32     // number in outer.sites
	at     int32     // place in ready, from 1; 0 if it is not there
	state  siteState
	start  bool

	// With the order hubs: the examined sites that link to it, and what is known of the site
	// itself as a hub. Both are nil otherwise.
	linkers []linker
	hub     *hub
	byHubs  float64 // rank by hubs, see weighByHubs
}

// rank is the mean weight of the links to the site; 1 for start sites and sites
// without links.
func (s *knownSite) rank() float64 {
	if s.start || s.links == 0 {
		return 1
	}
	return s.sum / float64(s.links)
}

// because returns the reason for the rank of the site.
func (s *knownSite) because() []dowse.Because {
	if s.start {
		return because("a start site", 1, 0)
	}
	return because("mean weight of the links from other sites", s.rank(), s.links)
}

// site returns a site, and adds it when it is new; nil if there are too many.
// Strings are copied, because they are parts of a page that would otherwise stay
// in memory as long as the site.
func (o *outer) site(name string, home, at dowse.URL) *knownSite {
	if i, ok := o.index[name]; ok {
		return o.sites[i]
	}
	if len(o.sites) >= maxSites {
		return nil
	}
	s := &knownSite{name: strings.Clone(name), home: dowse.URL(strings.Clone(string(home))), seq: int32(len(o.sites))}
	if at != home {
		s.entry = dowse.URL(strings.Clone(string(at)))
	}
	o.index[s.name] = s.seq
	o.sites = append(o.sites, s)
	return s
}

// offer makes a site available, or updates its place if its rank has changed.
func (o *outer) offer(s *knownSite) {
	if s.at > 0 {
		heap.Fix(&o.ready, int(s.at-1))
		return
	}
	heap.Push(&o.ready, s)
}

// best removes and returns the site to examine next; nil if there is none.
func (o *outer) best() *knownSite {
	if o.ready.Len() == 0 {
		return nil
	}
	return heap.Pop(&o.ready).(*knownSite)
}

// ranking is a heap of sites: start sites first, then by before. Each site knows
// its place in the heap, so that a site whose rank changes is moved in
// logarithmic time. It implements heap.Interface.
type ranking struct {
	list   []*knownSite
	before func(a, b *knownSite) bool
}

func (r *ranking) Len() int { return len(r.list) }

func (r *ranking) Less(i, j int) bool {
	a, b := r.list[i], r.list[j]
	if a.start != b.start {
		return a.start
	}
	return r.before(a, b)
}

func (r *ranking) Swap(i, j int) {
	r.list[i], r.list[j] = r.list[j], r.list[i]
	r.list[i].at, r.list[j].at = int32(i+1), int32(j+1)
}

func (r *ranking) Push(x any) {
	s := x.(*knownSite)
	r.list = append(r.list, s)
	s.at = int32(len(r.list))
}

func (r *ranking) Pop() any {
	last := len(r.list) - 1
	s := r.list[last]
	r.list[last] = nil
	r.list = r.list[:last]
	s.at = 0
	return s
}

// before returns the order in which sites are read. Of sites that are equal the one
// that became known first comes first.
func (c *Crawler) before() func(a, b *knownSite) bool {
	first := func(a, b *knownSite) bool { return a.seq < b.seq }
	byKey := func(key func(*knownSite) float64) func(a, b *knownSite) bool {
		return func(a, b *knownSite) bool {
			if x, y := key(a), key(b); x != y {
				return x > y
			}
			return first(a, b)
		}
	}
	switch {
	case c.Truth != nil:
		return byKey(func(s *knownSite) float64 {
			if c.Truth(s.name) {
				return 1
			}
			return 0
		})
	case c.Order == orderBreadth:
		return first
	case c.Order == orderRandom:
		return byKey(func(s *knownSite) float64 { return float64(scramble(s.name)) })
	}
	switch c.Order {
	case orderSum:
		return byKey(func(s *knownSite) float64 { return s.sum })
	case orderHubs:
		return byKey(func(s *knownSite) float64 { return s.byHubs })
	}
	return byKey((*knownSite).rank)
}

// scramble returns a number that is evenly spread over names and always the same for
// one name, so that a random order can be replayed.
func scramble(name string) uint32 {
	h := fnv.New64a()
	h.Write([]byte(name))
	x := h.Sum64()
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	return uint32(x)
}

// A siteCost is what an examined site cost, and whether it was on topic.
type siteCost struct {
	pages    int
	relevant bool
}

// A windowCost is the cost of the last sites: whole sites, back until they have a number
// of pages.
type windowCost struct {
	of, closed      int // window in pages, and sites that were closed when it was computed
	pages, relevant int
}

// close records what a site has cost. Start sites and sites without a verdict are no part
// of measures.
func (o *outer) close(s *knownSite) {
	if s.start || s.result.Verdict == None {
		return
	}
	s.result.Ended = len(o.closed) + 1
	o.closed = append(o.closed, siteCost{s.result.Pages, s.result.Verdict == Relevant})
}

// reopen restores the costs of sites after Load, in the order in which they ended.
func (o *outer) reopen() {
	var ended []*knownSite
	for _, s := range o.sites {
		if s.state == done && !s.start && s.result.Verdict != None {
			ended = append(ended, s)
		}
	}
	slices.SortStableFunc(ended, func(a, b *knownSite) int {
		return cmp.Or(cmp.Compare(a.result.Ended, b.result.Ended), cmp.Compare(a.result.Order, b.result.Order))
	})
	o.closed = nil
	for _, s := range ended {
		o.close(s)
	}
}

// PagesPerSite returns the pages that were read per site on topic (pprs), over whole sites
// back until they have a number of pages, 0 for all sites, and whether there were that
// many. It is 0 if none of these sites is on topic. Start sites do not count.
func (c *Crawler) PagesPerSite(window int) (pprs float64, full bool) {
	o := &c.outer
	w := &o.window
	if w.of != window || w.closed != len(o.closed) {
		*w = windowCost{of: window, closed: len(o.closed)}
		for i := len(o.closed) - 1; i >= 0 && (window == 0 || w.pages < window); i-- {
			w.pages += o.closed[i].pages
			if o.closed[i].relevant {
				w.relevant++
			}
		}
	}
	if w.relevant == 0 {
		return 0, w.pages >= window
	}
	return float64(w.pages) / float64(w.relevant), w.pages >= window
}

// inOrder returns the inner crawls in the order in which they were begun. The
// order of the map would differ between a crawl and its replay.
func (c *Crawler) inOrder() []*inner {
	list := make([]*inner, 0, len(c.open))
	for _, w := range c.open {
		list = append(list, w)
	}
	slices.SortFunc(list, func(a, b *inner) int { return cmp.Compare(a.order, b.order) })
	return list
}
