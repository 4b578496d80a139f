package demo

import "dowse"

// Oracle crawls with knowledge of which pages are on topic and how all pages
// are linked. Like any crawler it can visit only what robots.txt allows and
// what a seed, a visited page or a visited site's sitemap names. It visits a
// page on topic whenever one is known, otherwise it takes the shortest path to
// one, and when none is left it visits the other pages until budget pages are
// visited. Redirects cost it nothing. So it is an upper bound for crawlers, up
// to being greedy: a path that is longer at first could be better in the end.
//
// It returns the share of visited pages that are on topic, and the pages in
// order. lab.Oracle is the same for recorded webs; this one generates links as
// it needs them and so works on a million pages.
func (w *Web) Oracle(topic string, seeds []dowse.URL, budget int) (harvest float64, order []dowse.URL) {
	wanted, ok := w.wanted(topic)
	if !ok || budget <= 0 {
		return 0, nil
	}
	o := &oracle{web: w, wanted: wanted, budget: budget, state: make([]pageState, w.config.Pages), sitemapRead: make([]bool, len(w.sites))}
	for _, u := range seeds {
		if id, isPage := w.numberOf(u); isPage {
			o.discover(id)
		}
	}
	o.crawl()
	for _, id := range o.order {
		order = append(order, w.urlOf(int(id)))
	}
	return float64(o.found) / float64(max(len(order), 1)), order
}

// A pageState is what the oracle knows of a page.
type pageState uint8

// The states of a page.
const (
	unknown pageState = iota
	known
	visited
)

// An oracle is the state of one crawl with knowledge. Each page has one byte,
// so that a million pages take a megabyte; links are generated again whenever
// they are needed.
type oracle struct {
	web         *Web
	wanted      []bool
	budget      int
	state       []pageState
	sitemapRead []bool  // by site
	hits        []int32 // queue of known pages on topic
	others      []int32 // queue of known pages off topic
	order       []int32
	found       int
	exhausted   bool // no further page on topic can be reached
}

// crawl visits pages until the budget is used or nothing is left.
func (o *oracle) crawl() {
	for len(o.order) < o.budget {
		switch {
		case len(o.hits) > 0:
			id := o.hits[0]
			o.hits = o.hits[1:]
			o.visit(int(id))
			o.found++
		case !o.detour() && !o.takeAny():
			return
		}
	}
}

// discover makes a page known, if it may be fetched.
func (o *oracle) discover(id int) {
	if o.state[id] != unknown {
		return
	}
	p := o.web.page(id)
	if !o.web.mayFetch(p) {
		return
	}
	o.state[id] = known
	if o.wanted[p.lex] {
		o.hits = append(o.hits, int32(id))
	} else {
		o.others = append(o.others, int32(id))
	}
}

// visit visits a page, if it was not visited and the budget allows it, and
// discovers its neighbours.
func (o *oracle) visit(id int) {
	if o.state[id] == visited || len(o.order) == o.budget {
		return
	}
	o.state[id] = visited
	o.order = append(o.order, int32(id))
	o.neighbours(id, o.sitemapRead, o.discover)
}

// neighbours calls f for all pages that a visit to id makes known. A site's
// sitemap is read at most once, as mapped records.
func (o *oracle) neighbours(id int, mapped []bool, f func(int)) {
	p := o.web.page(id)
	for _, t := range o.web.planOf(p).links {
		switch t.kind {
		case toPage, toRedirect, toMoved:
			f(t.page)
		}
	}
	if p.site.listed && !mapped[p.site.index] {
		mapped[p.site.index] = true
		for id := range o.web.listed(p.site) {
			f(id)
		}
	}
}

// detour visits the off-topic pages on the shortest path to a page on topic,
// which is then known. It returns false if there is no path, and then never
// searches again. The search is breadth-first from all known pages, and costs
// as much as generating the links of what it meets.
func (o *oracle) detour() bool {
	if o.exhausted {
		return false
	}
	parent := map[int32]int32{}
	var queue []int32
	for _, id := range o.others {
		if o.state[id] == known {
			parent[id] = -1
			queue = append(queue, id)
		}
	}
	mapped := append([]bool(nil), o.sitemapRead...)
	goal := int32(-1)
	for i := 0; i < len(queue) && goal < 0; i++ {
		at := queue[i]
		o.neighbours(int(at), mapped, func(next int) {
			p := o.web.page(next)
			if _, seen := parent[int32(next)]; seen || o.state[next] != unknown || !o.web.mayFetch(p) {
				return
			}
			parent[int32(next)] = at
			if goal < 0 && o.wanted[p.lex] {
				goal = int32(next)
			}
			queue = append(queue, int32(next))
		})
	}
	if goal < 0 {
		o.exhausted = true
		return false
	}
	o.visitPath(parent, parent[goal])
	return true
}

// visitPath visits the path that ends at id, from its beginning.
func (o *oracle) visitPath(parent map[int32]int32, id int32) {
	if id < 0 {
		return
	}
	o.visitPath(parent, parent[id])
	o.visit(int(id))
}

// takeAny visits the off-topic page that has been known for longest.
func (o *oracle) takeAny() bool {
	for len(o.others) > 0 {
		id := o.others[0]
		o.others = o.others[1:]
		if o.state[id] == known {
			o.visit(int(id))
			return true
		}
	}
	return false
}
