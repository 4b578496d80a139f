package lab

import "dowse"

// Ways tell which pages lead to which. Pages are numbered from 0.
type Ways interface {
	Len() int
	// Out returns the pages that a page links to.
	Out(page int) []int32
	// Host returns the host of a page, and Listed what a host tells to whom visits it,
	// as a sitemap does.
	Host(page int) int
	Listed(host int) []int32
}

// Oracle returns the order in which a crawl with open eyes would visit pages: it knows
// which are wanted and how all are linked, but can go only to what the seeds, visited
// pages and visited hosts name. It visits a wanted page whenever one is at hand, else
// it goes the shortest way to one, and when none is left it takes what comes. It is
// greedy: in theory a way that is longer at first could be better in the end.
func Oracle(w Ways, wanted []bool, seeds []int, budget int) []int {
	o := &oracle{ways: w, wanted: wanted, budget: budget, state: make([]uint8, w.Len()), mapped: map[int]bool{}, parent: make([]int32, w.Len())}
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

const (
	oracleKnown = iota + 1
	oracleVisited
)

type oracle struct {
	ways   Ways
	wanted []bool
	budget int
	state  []uint8
	mapped map[int]bool // hosts that were visited
	hits   []int32      // known wanted pages
	others []int32      // known other pages
	order  []int
	parent []int32 // of a search: the page before, plus 1; 0 for not seen
	spent  bool    // no wanted page can be reached any more
}

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

func (o *oracle) visit(i int32) {
	if o.state[i] == oracleVisited || len(o.order) >= o.budget {
		return
	}
	o.state[i] = oracleVisited
	o.order = append(o.order, int(i))
	for _, to := range o.ways.Out(int(i)) {
		o.discover(to)
	}
	if h := o.ways.Host(int(i)); !o.mapped[h] {
		o.mapped[h] = true
		for _, to := range o.ways.Listed(h) {
			o.discover(to)
		}
	}
}

// takeWanted visits the wanted page that has been known for longest.
func (o *oracle) takeWanted() bool { return o.take(&o.hits) }

// takeAny visits the other page that has been known for longest.
func (o *oracle) takeAny() bool { return o.take(&o.others) }

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

// detour visits the pages on the shortest way to a wanted one, which is then known.
func (o *oracle) detour() bool {
	if o.spent {
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
			o.walk(queue[at])
			return true
		}
	}
	o.spent = true
	return false
}

// search looks at what a visit to a page would name, and tells whether that is wanted.
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
	if look(o.ways.Out(int(from))) {
		return true
	}
	h := o.ways.Host(int(from))
	return !o.mapped[h] && look(o.ways.Listed(h))
}

// walk visits the way that ends at a page, from its beginning.
func (o *oracle) walk(i int32) {
	if before := o.parent[i] - 1; before != i {
		o.walk(before)
	}
	o.visit(i)
}

// Planned visits pages in a given order, as far as links lead there: what makes an
// order of the [Oracle] a crawl like any other. It is the lab's own and has no place
// in a live crawl.
type Planned struct {
	Rank map[dowse.URL]int // place in the order, from 0; others come after all of them
}

// Start queues the seeds.
func (s *Planned) Start(seeds []dowse.URL) []dowse.Lead {
	leads := make([]dowse.Lead, len(seeds))
	for i, u := range seeds {
		leads[i] = dowse.Lead{URL: u, Priority: s.priority(u)}
	}
	return leads
}

// Follow queues links by their place in the order.
func (s *Planned) Follow(p *dowse.Page) (leads []dowse.Lead) {
	for i := range p.Links {
		if l := &p.Links[i]; l.Target.State != dowse.Visited {
			leads = append(leads, dowse.Lead{URL: l.URL, Priority: s.priority(l.URL)})
		}
	}
	return leads
}

func (s *Planned) priority(u dowse.URL) float64 {
	if at, ok := s.Rank[u]; ok {
		return 1 / float64(at+2)
	}
	return 0
}
