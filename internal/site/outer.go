package site

import (
	"cmp"
	"container/heap"
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
	if len(o.ready) == 0 {
		return nil
	}
	return heap.Pop(&o.ready).(*knownSite)
}

// ranking is a heap of sites: start sites first, then by rank, then by when
// they became known. Each site knows its place in the heap, so that a site whose
// rank changes is moved in logarithmic time. It implements heap.Interface.
type ranking []*knownSite

func (r ranking) Len() int { return len(r) }
func (r ranking) Less(i, j int) bool {
	a, b := r[i], r[j]
	if a.start != b.start {
		return a.start
	}
	if x, y := a.rank(), b.rank(); x != y {
		return x > y
	}
	return a.seq < b.seq
}
func (r ranking) Swap(i, j int) {
	r[i], r[j] = r[j], r[i]
	r[i].at, r[j].at = int32(i+1), int32(j+1)
}
func (r *ranking) Push(x any) {
	s := x.(*knownSite)
	*r = append(*r, s)
	s.at = int32(len(*r))
}
func (r *ranking) Pop() any {
	last := len(*r) - 1
	s := (*r)[last]
	(*r)[last] = nil
	*r = (*r)[:last]
	s.at = 0
	return s
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
