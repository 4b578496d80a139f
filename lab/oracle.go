package lab

import "dowse"

// A Graph is the link structure of a web, for [Oracle]. Pages and hosts are
// numbered from 0, and the slices that it returns are not modified.
type Graph interface {
	Len() int
	// Out returns the pages that a page links to.
	Out(page int) []int32
	// Host returns the host of a page. Listed returns the pages that become known
	// with the first visit to a host, as those in its sitemap do.
	Host(page int) int
	Listed(host int) []int32
}

// Oracle returns the order in which a crawl that knows the relevant pages
// (wanted) and all links would visit pages, at most budget of them. It can still
// visit only what the seeds, the visited pages and the listings of visited hosts
// name, so it is an upper bound that a crawler could reach, not the set of all
// relevant pages.
//
// It visits a wanted page whenever one is known; otherwise it takes the shortest
// path to one; when none can be reached any more, it visits the other known pages
// in the order in which they became known. It is greedy: a path that is longer at
// first could be better in the end, and finding the best order is a much harder
// problem.
//
// A detour costs a breadth-first search over the pages that are not yet known,
// O(pages + links), and there is at most one detour per wanted page.
func Oracle(w Graph, wanted []bool, seeds []int, budget int) []int {
	o := &oracle{graph: w, wanted: wanted, budget: budget, state: make([]uint8, w.Len()), hostSeen: map[int]bool{}, parent: make([]int32, w.Len())}
	for _, s := range seeds {
		o.discover(int32(s))
	}
	for _, s := range seeds { // a crawl begins there, whatever they are
		o.visit(int32(s))
	}
	for len(o.order) < budget && (o.takeWanted() || o.detour() || o.takeAny()) {
	}
	return o.order
}

// The states of a page; 0 means that it is not yet known.
const (
	oracleKnown = iota + 1
	oracleVisited
)

// An oracle is the state of one search for an order.
type oracle struct {
	graph     Graph
	wanted    []bool
	budget    int
	state     []uint8      // by page
	hostSeen  map[int]bool // hosts that were visited
	hits      []int32      // queue of known wanted pages, oldest first
	others    []int32      // queue of known other pages, oldest first
	order     []int
	parent    []int32 // of one search: the page before, plus 1; 0 for not seen; a start is its own parent
	exhausted bool    // no wanted page can be reached any more
}

// discover adds a page to the queue it belongs to when it becomes known for the
// first time.
func (o *oracle) discover(i int32) {
	if o.state[i] != 0 {
		return
	}
	o.state[i] = oracleKnown
	if o.wanted[i] {
		o.hits = append(o.hits, i)
	} else {
		o.others = append(o.others, i)
	}
}

// visit visits a page unless it was visited or the budget is spent, and discovers
// what the page and, on the first visit, its host name.
func (o *oracle) visit(i int32) {
	if o.state[i] == oracleVisited || len(o.order) >= o.budget {
		return
	}
	o.state[i] = oracleVisited
	o.order = append(o.order, int(i))
	for _, to := range o.graph.Out(int(i)) {
		o.discover(to)
	}
	if h := o.graph.Host(int(i)); !o.hostSeen[h] {
		o.hostSeen[h] = true
		for _, to := range o.graph.Listed(h) {
			o.discover(to)
		}
	}
}

// takeWanted visits the wanted page that has been known for longest.
func (o *oracle) takeWanted() bool { return o.take(&o.hits) }

// takeAny visits the other page that has been known for longest.
func (o *oracle) takeAny() bool { return o.take(&o.others) }

// take visits the first page of a queue that is not yet visited, and reports
// whether there was one. Detours visit pages out of turn, so a queue may hold
// visited pages.
func (o *oracle) take(list *[]int32) bool {
	for len(*list) > 0 {
		i := (*list)[0]
		*list = (*list)[1:]
		if o.state[i] == oracleKnown {
			o.visit(i)
			return true
		}
	}
	return false
}

// detour visits the pages on the shortest path from any known page to a wanted
// one, which is then known and visited next. It reports whether there was such a
// path. Once there is none, there never will be one, since only visits make pages
// known and other visits follow the same links.
func (o *oracle) detour() bool {
	if o.exhausted {
		return false
	}
	clear(o.parent)
	var queue []int32
	for _, i := range o.others {
		if o.state[i] == oracleKnown {
			o.parent[i] = i + 1
			queue = append(queue, i)
		}
	}
	for at := 0; at < len(queue); at++ {
		if o.search(queue[at], &queue) {
			o.visitPath(queue[at])
			return true
		}
	}
	o.exhausted = true
	return false
}

// search looks at the pages that a visit to from would make known, adds them to
// the queue of the breadth-first search, and reports whether one of them is
// wanted.
func (o *oracle) search(from int32, queue *[]int32) bool {
	look := func(list []int32) bool {
		for _, to := range list {
			if o.parent[to] != 0 || o.state[to] != 0 {
				continue
			}
			o.parent[to] = from + 1
			if o.wanted[to] {
				return true
			}
			*queue = append(*queue, to)
		}
		return false
	}
	if look(o.graph.Out(int(from))) {
		return true
	}
	h := o.graph.Host(int(from))
	return !o.hostSeen[h] && look(o.graph.Listed(h))
}

// visitPath visits the pages of the path that ends at i, from its beginning.
func (o *oracle) visitPath(i int32) {
	if before := o.parent[i] - 1; before != i {
		o.visitPath(before)
	}
	o.visit(i)
}

// Planned is a strategy that visits pages in a given order, as far as links lead
// to them. It turns an order of the [Oracle] into a crawl like any other, so that
// both are measured in the same way. It needs knowledge that a live crawl does
// not have.
type Planned struct {
	Rank map[dowse.URL]int // place in the order, from 0; pages without one come last
}

// Start queues the seeds.
func (s *Planned) Start(seeds []dowse.URL) []dowse.Lead {
	leads := make([]dowse.Lead, len(seeds))
	for i, u := range seeds {
		leads[i] = dowse.Lead{URL: u, Priority: s.priority(u)}
	}
	return leads
}

// Follow queues the links that are not yet visited, by their place in the order.
func (s *Planned) Follow(p *dowse.Page) (leads []dowse.Lead) {
	for i := range p.Links {
		if l := &p.Links[i]; l.Target.State != dowse.Visited {
			leads = append(leads, dowse.Lead{URL: l.URL, Priority: s.priority(l.URL)})
		}
	}
	return leads
}

// priority falls with the place in the order: 1/2 for the first, 0 for pages
// without a place.
func (s *Planned) priority(u dowse.URL) float64 {
	if at, ok := s.Rank[u]; ok {
		return 1 / float64(at+2)
	}
	return 0
}
