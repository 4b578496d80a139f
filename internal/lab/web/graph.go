package web

import (
	"slices"

	"dowse"
	"dowse/weburl"
)

// A Graph holds which page leads to which, as a crawl can move: to pages that
// robots.txt permits, along links that may be followed, over redirects, and to
// what the sitemaps of a host list once the host was visited. Answers have
// their numbers in the web. It implements lab.Graph.
//
// The oracle and the measures use it, strategies never do: it shows what a
// crawl could have known, not what it knows. It takes 4 bytes per link.
type Graph struct {
	Links     int // links of all pages, one per target and page
	Resolving int // of these, those that lead to a page of the web

	fetched []bool    // the answer is a page that may be fetched
	out     [][]int32 // by page: the pages that it leads to
	host    []int32
	hosts   int
	listed  [][]int32 // by host: the pages that its sitemaps list, sorted
	// By redirect: the answer at which it ends; -1 for others and if it ends
	// outside.
	alias []int32
}

// Graph returns the link structure of the web. The first call reads all pages,
// twice; the result is kept.
func (w *Web) Graph() (*Graph, error) {
	w.graphOnce.Do(func() { w.graph, w.graphErr = w.buildGraph() })
	return w.graph, w.graphErr
}

// buildGraph reads all pages twice: redirects must be known before links can be
// resolved, and holding all links in memory in between would cost more than
// decoding the pages again.
func (w *Web) buildGraph() (*Graph, error) {
	n := w.Len()
	g := &Graph{fetched: make([]bool, n), out: make([][]int32, n), host: make([]int32, n)}
	moved := make([]dowse.URL, n)
	hosts := map[string]int32{}
	for i := range n {
		p, err := w.Page(i)
		if err != nil {
			return nil, err
		}
		g.fetched[i] = p.Outcome == dowse.Fetched && w.allowed(p.URL)
		if p.Outcome == dowse.Redirected && len(p.Links) > 0 {
			moved[i] = p.Links[0].URL
		}
		host := weburl.Host(p.URL)
		if _, ok := hosts[host]; !ok {
			hosts[host] = int32(len(hosts))
		}
		g.host[i] = hosts[host]
	}
	g.hosts = len(hosts)
	g.listed = make([][]int32, g.hosts)
	g.alias = make([]int32, n)
	for i := range g.alias {
		g.alias[i] = -1
		if moved[i] != "" {
			g.alias[i] = int32(w.final(moved[i], moved))
		}
	}
	for i := range n {
		p, err := w.Page(i)
		if err != nil {
			return nil, err
		}
		g.add(w, i, p, moved)
	}
	for i := range g.listed {
		slices.Sort(g.listed[i])
		g.listed[i] = slices.Compact(g.listed[i])
	}
	return g, nil
}

// add adds the links of an answer. Links that may not be followed count as
// links, but lead nowhere; those of a redirect were resolved before.
func (g *Graph) add(w *Web, i int, p *dowse.Page, moved []dowse.URL) {
	if p.Outcome == dowse.Redirected {
		return
	}
	var list []int32
	for k := range p.Links {
		l := &p.Links[k]
		g.Links++
		to := w.final(l.URL, moved)
		if to < 0 || to == i || !g.fetched[to] {
			continue
		}
		g.Resolving++
		if !l.NoFollow && !p.NoFollow {
			list = append(list, int32(to))
		}
	}
	switch {
	case p.Outcome == dowse.Listed:
		g.listed[g.host[i]] = append(g.listed[g.host[i]], list...)
	case g.fetched[i]:
		g.out[i] = list
	}
}

// final returns the number of the answer at which a URL ends after redirects,
// -1 for none. Chains of more than 20 redirects, and so loops, end nowhere.
func (w *Web) final(u dowse.URL, moved []dowse.URL) int {
	for range 20 {
		i, ok := w.Find(u)
		if !ok {
			return -1
		}
		if moved[i] == "" {
			return i
		}
		u = moved[i]
	}
	return -1
}

// Len returns the number of answers.
func (g *Graph) Len() int { return len(g.out) }

// Alias returns the answer at which a redirect ends, and false for anything
// else.
func (g *Graph) Alias(i int) (int, bool) { return int(g.alias[i]), g.alias[i] >= 0 }

// IsPage reports whether an answer is a page that a crawl may fetch.
func (g *Graph) IsPage(i int) bool { return g.fetched[i] }

// Pages returns the number of pages that a crawl may fetch.
func (g *Graph) Pages() (n int) {
	for _, ok := range g.fetched {
		n += asNumber(ok)
	}
	return n
}

// Out returns the pages to which the links of a page lead, without those that
// sitemaps add; see Listed.
func (g *Graph) Out(i int) []int32 { return g.out[i] }

// Host returns the number of a page's host, from 0.
func (g *Graph) Host(i int) int { return int(g.host[i]) }

// Hosts returns the number of hosts that have a page.
func (g *Graph) Hosts() int {
	hosts := map[int]bool{}
	for i := range g.out {
		if g.IsPage(i) {
			hosts[g.Host(i)] = true
		}
	}
	return len(hosts)
}

// Listed returns the pages that the sitemaps of a host list.
func (g *Graph) Listed(host int) []int32 { return g.listed[host] }

// Reach reports, for every answer, whether a crawl from the seeds can reach it,
// by breadth-first search. Seeds that are pages count as reached. Targets
// outside it are no failure of a strategy, which is why the measure
// recall_reachable leaves them out.
func (g *Graph) Reach(seeds []int) []bool {
	seen, mapped := make([]bool, len(g.out)), make([]bool, g.hosts)
	var queue []int32
	see := func(list []int32) {
		for _, i := range list {
			if !seen[i] {
				seen[i] = true
				queue = append(queue, i)
			}
		}
	}
	for _, s := range seeds {
		if g.fetched[s] {
			see([]int32{int32(s)})
		}
	}
	for at := 0; at < len(queue); at++ {
		i := queue[at]
		see(g.out[i])
		if h := g.host[i]; !mapped[h] {
			mapped[h] = true
			see(g.listed[h])
		}
	}
	return seen
}

// Linking returns, for every page, the pages that link to it, by number. It is
// computed anew at every call, in time linear in the links.
func (g *Graph) Linking() [][]int32 {
	in := make([][]int32, len(g.out))
	for i, list := range g.out {
		for _, to := range list {
			in[to] = append(in[to], int32(i))
		}
	}
	return in
}
