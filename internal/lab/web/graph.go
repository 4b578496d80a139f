package web

import (
	"slices"

	"dowse"
	"dowse/weburl"
)

// A Graph is which page leads to which, as a crawl can go: to what robots.txt allows,
// along links that may be followed, over redirects, and to what a host's sitemaps
// list once the host was visited. Answers have the numbers of the web.
type Graph struct {
	Links     int // of all pages, each target of a page once
	Resolving int // of them, those that lead to a page

	fetched []bool    // the answer is a page that may be fetched
	out     [][]int32 // pages to which a page leads
	host    []int32
	hosts   int
	listed  [][]int32 // by host: what its sitemaps list
	alias   []int32   // of a redirect: the page where it ends; -1 for others
}

// Graph returns how the pages of the web are linked. The first call reads all of them.
func (w *Web) Graph() (*Graph, error) {
	w.graphOnce.Do(func() { w.graph, w.graphErr = w.linked() })
	return w.graph, w.graphErr
}

func (w *Web) linked() (*Graph, error) {
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

// add takes in the links of an answer.
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

// final returns the number of the answer to which a URL leads in the end, -1 for none.
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

// Alias returns the answer where a redirect ends, false for what is none.
func (g *Graph) Alias(i int) (int, bool) { return int(g.alias[i]), g.alias[i] >= 0 }

// IsPage tells whether an answer is a page that a crawl may fetch.
func (g *Graph) IsPage(i int) bool { return g.fetched[i] }

// Pages counts the pages.
func (g *Graph) Pages() (n int) {
	for _, ok := range g.fetched {
		n += asNumber(ok)
	}
	return n
}

// Out returns the pages to which the links of a page lead; see [Graph.Host] for what
// a sitemap adds.
func (g *Graph) Out(i int) []int32 { return g.out[i] }

// Host returns the number of a page's host.
func (g *Graph) Host(i int) int { return int(g.host[i]) }

// Hosts counts the hosts with a page.
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

// Reach tells for every page whether a way leads there from the seeds. The seeds
// themselves are there.
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

// Linking returns for every page the pages that link to it.
func (g *Graph) Linking() [][]int32 {
	in := make([][]int32, len(g.out))
	for i, list := range g.out {
		for _, to := range list {
			in[to] = append(in[to], int32(i))
		}
	}
	return in
}
