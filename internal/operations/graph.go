package operations

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/crawl"
	"dowse/internal/frontier"
	"dowse/internal/site"
	"dowse/weburl"
)

// A SiteQuery selects sites.
type SiteQuery struct {
	Homepage bool   // judge the hosts of a crawl for pages by their homepages, not by all pages
	All      bool   // also sites that were not read yet
	On       bool   // only sites on topic
	Sort     string // see SiteSorts; default order
	Limit    int    // default 50, at most maxRows
	Offset   int
}

// A SiteList is a part of a list of sites.
type SiteList struct {
	Sites []site.Site `json:"sites"`
	Total int         `json:"total" doc:"sites of the whole list"`
	// Grouped reports that the crawl looks for pages: its hosts are the sites, and links between them are not counted.
	Grouped bool      `json:"grouped,omitempty" doc:"whether the sites are the hosts of a crawl for pages, whose links are not counted"`
	Seen    time.Time `json:"seen" doc:"the moment that the list shows"`

	Command string `json:"command" doc:"the command that lists the same"`
}

// SiteSorts lists the orders of sites, as the command line has them.
func SiteSorts() []string {
	return []string{"order", "confidence", "pages", "links", "rank", "name"}
}

// PickSites selects and sorts sites. Sites that were not read have order 0 and are sorted last:
// as unsigned numbers their order minus one is the largest.
func PickSites(list []site.Site, all, on bool, by string) []site.Site {
	list = slices.DeleteFunc(list, func(s site.Site) bool {
		return !all && s.Order == 0 || on && s.Verdict != site.Relevant
	})
	compare := map[string]func(a, b site.Site) int{
		"order":      func(a, b site.Site) int { return cmp.Compare(uint(a.Order-1), uint(b.Order-1)) },
		"confidence": func(a, b site.Site) int { return cmp.Compare(b.Confidence, a.Confidence) },
		"pages":      func(a, b site.Site) int { return cmp.Compare(b.Pages, a.Pages) },
		"links":      func(a, b site.Site) int { return cmp.Compare(b.Links, a.Links) },
		"rank":       func(a, b site.Site) int { return cmp.Compare(b.Rank, a.Rank) },
		"name":       func(a, b site.Site) int { return strings.Compare(a.Name, b.Name) },
	}
	slices.SortStableFunc(list, compare[by])
	return list
}

// pageError is the share of pages that a judge of pages gets wrong if that is not known: the
// default of the site crawler's p_err.
const pageError = 0.15

// centred moves the threshold of a crawl to 0.5, from which a page speaks for its site.
func centred(relevance, threshold float64) float64 {
	a, b := relevance*(1-threshold), (1-relevance)*threshold
	if a+b == 0 {
		return 0.5
	}
	return a / (a + b)
}

// SitesOf returns the sites of a crawl for sites, or groups the pages of a crawl for pages:
// the post-processing with which Ester, Kriegel and Schubert 2004 compare. byHomepage is for
// a crawl for pages only.
func SitesOf(col *collection.Collection, byHomepage bool) ([]site.Site, error) {
	list, err := col.Sites()
	if err == nil && byHomepage {
		return nil, failf(Conflict, "by", "only for a crawl for pages; this one has judged its sites")
	}
	if err == nil || !errors.Is(err, collection.ErrNoSites) {
		return list, err
	}
	catch := site.Catch{Error: pageError}
	for row, err := range col.Pages(collection.Filter{}) {
		if err != nil {
			return nil, err
		}
		if row.Judged {
			catch.Add(site.Rated{URL: row.URL, Confidence: centred(row.Page.Verdict.Relevance, row.Threshold)})
		}
	}
	return catch.Sites(byHomepage), nil
}

// sites is SitesOf from the columns, so that no page is read for it. The list is made once for a view, and must not be changed.
func (v *openView) sites(byHomepage bool) (list []site.Site, err error) {
	if list, ok := v.siteRows[byHomepage]; ok {
		return list, nil
	}
	if _, err := v.col.Sites(); errors.Is(err, collection.ErrNoSites) {
		list = v.grouped(byHomepage)
	} else if list, err = SitesOf(v.col, byHomepage); err != nil {
		return nil, err
	}
	if v.siteRows == nil {
		v.siteRows = map[bool][]site.Site{}
	}
	v.siteRows[byHomepage] = list
	return list, nil
}

// A siteOfHost is the site of a host, and its homepages by http and https.
type siteOfHost struct {
	number int // plus 1; 0 if it is not known yet
	homes  [2]frontier.ID
}

// grouped groups the pages into sites. All pages of a host are of one site, so the URL of one page per host is read,
// not that of every page.
func (v *openView) grouped(byHomepage bool) []site.Site {
	f, threshold := v.col.Crawl.Frontier(), v.col.Threshold()
	catch := site.Catch{Error: pageError}
	hosts := make([]siteOfHost, f.Hosts())
	for i, id := range v.pages.ids {
		h := &hosts[v.pages.hosts[i]]
		if h.number == 0 {
			u := v.col.URL(id)
			if u == "" {
				continue
			}
			n, home := catch.SiteOf(u)
			x := siteOfHost{n + 1, v.homesOf(home)}
			if weburl.Homepage(u) != "" { // an opaque URL is a site of its own
				*h = x
			}
			h = &x
		}
		catch.AddTo(h.number-1, centred(v.pages.relevance[i], threshold), slices.Contains(h.homes[:], id))
	}
	return catch.Sites(byHomepage)
}

// homesOf returns the numbers of a homepage by http and by https, frontier.None where it is not known.
func (v *openView) homesOf(home dowse.URL) [2]frontier.ID {
	ids := [2]frontier.ID{frontier.None, frontier.None}
	_, rest, ok := strings.Cut(string(home), "://")
	for i, u := range []string{"http://" + rest, "https://" + rest} {
		if !ok {
			u = string(home)
		}
		if id, found := v.col.Crawl.Frontier().Find(dowse.URL(u)); found {
			ids[i] = id
		}
	}
	return ids
}

// Sites lists the sites of a crawl for sites, or the hosts of a crawl for pages as sites.
func (o *Operations) Sites(ctx context.Context, id string, q SiteQuery) (*SiteList, error) {
	q.Sort = cmp.Or(q.Sort, "order")
	if !slices.Contains(SiteSorts(), q.Sort) {
		return nil, failf(Invalid, "sort", "sort: got %q, want one of %s", clip(q.Sort), strings.Join(SiteSorts(), ", "))
	}
	if err := limit(&q.Limit, defaultRows, maxRows); err != nil {
		return nil, err
	}
	if q.Offset < 0 {
		return nil, failf(Invalid, "offset", "offset: got %d, want 0 or more", q.Offset)
	}
	s, err := o.shelf(id)
	if err != nil {
		return nil, err
	}
	x := &SiteList{Sites: []site.Site{}, Command: sitesCommand(s.dir, &q)}
	err = s.locked(ctx, func(v *openView) error {
		_, err := v.col.Sites()
		x.Grouped = errors.Is(err, collection.ErrNoSites)
		list, err := v.sites(q.Homepage)
		if err != nil {
			return err
		}
		list = PickSites(slices.Clone(list), q.All, q.On, q.Sort)
		x.Total, x.Seen = len(list), v.at.UTC()
		first := min(q.Offset, len(list))
		x.Sites = append(x.Sites, list[first:min(len(list), first+q.Limit)]...)
		return nil
	})
	return x, err
}

// SiteWhy explains a site of a crawl for sites.
func (o *Operations) SiteWhy(ctx context.Context, id, name string) (*collection.SiteStory, error) {
	s, err := o.shelf(id)
	if err != nil {
		return nil, err
	}
	var story *collection.SiteStory
	err = s.locked(ctx, func(v *openView) error {
		known, ok := v.col.SiteName(name)
		if !ok {
			if _, err := v.col.Sites(); err != nil {
				return err
			}
			return failf(NotFound, "site", "%s: this crawl does not know the site", clip(name))
		}
		story, err = v.col.SiteWhy(known)
		return err
	})
	return story, err
}

// A Graph is the hosts of a crawl and the links between them.
type Graph struct {
	Nodes []Node `json:"nodes" doc:"the hosts with the most pages, then the others as one"`
	Edges []Edge `json:"edges" doc:"links between them"`
	// Pages is how many pages the edges were read from: of a large crawl a sample.
	Pages   int       `json:"pages" doc:"pages whose links were counted"`
	Of      int       `json:"of" doc:"pages in all"`
	Seen    time.Time `json:"seen" doc:"the moment that the graph shows"`
	Command string    `json:"command" doc:"the command that writes the whole graph"`
}

// A Node is a host.
type Node struct {
	Host    string  `json:"host" doc:"its name; empty for all other hosts together"`
	Pages   int     `json:"pages"`
	OnTopic int     `json:"on_topic"`
	Share   float64 `json:"share" doc:"on topic / pages"`
}

// An Edge is the links from one host to another.
type Edge struct {
	From  int `json:"from" doc:"index of the host that links"`
	To    int `json:"to" doc:"index of the host that is linked to"`
	Pages int `json:"pages" doc:"pages that have such a link"`
}

// Bounds of a graph.
const (
	defaultNodes  = 100
	maxNodes      = 1000
	maxGraphPages = 5000 // whose links are read
	maxEdges      = 20_000
)

// Graph returns the hosts with the most pages and the links between them. The links of a large
// crawl are those of an even sample of its pages.
func (o *Operations) Graph(ctx context.Context, id string, nodes int) (*Graph, error) {
	nodes = cmp.Or(nodes, defaultNodes)
	if nodes < 1 || nodes > maxNodes {
		return nil, failf(Invalid, "nodes", "nodes: got %d, want 1 to %d", nodes, maxNodes)
	}
	s, err := o.shelf(id)
	if err != nil {
		return nil, err
	}
	var g *Graph
	err = s.use(ctx, func(v *openView) error {
		rows := v.allHosts()
		v.mu.Lock()
		defer v.mu.Unlock()
		g = v.hostGraph(ctx, rows, nodes)
		g.Command = graphCommand(s.dir)
		return ctx.Err()
	})
	return g, err
}

// hostGraph reads the links of pages and counts those between hosts.
func (v *openView) hostGraph(ctx context.Context, rows []collection.HostRow, nodes int) *Graph {
	if v.graph != nil && v.graphOf == nodes {
		copied := *v.graph
		return &copied
	}
	f := v.col.Crawl.Frontier()
	g := &Graph{Nodes: []Node{}, Edges: []Edge{}, Of: len(v.pages.ids), Seen: v.at.UTC()}
	index := map[frontier.HostID]int{}
	rest := Node{}
	for i, r := range rows {
		if i < nodes && r.Pages > 0 {
			if h, ok := f.HostOf(r.Host); ok {
				index[h] = len(g.Nodes)
			}
			g.Nodes = append(g.Nodes, Node{r.Host, r.Pages, r.OnTopic, r.Share})
			continue
		}
		rest.Pages += r.Pages
		rest.OnTopic += r.OnTopic
	}
	others := len(g.Nodes)
	if rest.Pages > 0 {
		rest.Share = float64(rest.OnTopic) / float64(rest.Pages)
		g.Nodes = append(g.Nodes, rest)
	}
	nodeOf := func(h frontier.HostID) (int, bool) {
		if i, ok := index[h]; ok {
			return i, true
		}
		return others, others < len(g.Nodes)
	}
	between := map[[2]int]int{}
	n := len(v.pages.ids)
	step := max(1, (n+maxGraphPages-1)/maxGraphPages)
	for i := 0; i < n && ctx.Err() == nil; i += step {
		e, err := v.col.Journal.Entry(v.pages.places[i], noURL)
		if err != nil || e.Kind != crawl.EntryPage {
			continue
		}
		g.Pages++
		from, ok := nodeOf(v.pages.hosts[i])
		if !ok {
			continue
		}
		seen := map[int]bool{from: true}
		for _, l := range e.Links {
			if int(l.Target) >= f.Len() || f.State(l.Target) != dowse.Visited {
				continue
			}
			if to, ok := nodeOf(f.Host(l.Target)); ok && !seen[to] {
				seen[to] = true
				between[[2]int{from, to}]++
			}
		}
	}
	for k, pages := range between {
		g.Edges = append(g.Edges, Edge{k[0], k[1], pages})
	}
	slices.SortFunc(g.Edges, func(a, b Edge) int {
		return cmp.Or(cmp.Compare(b.Pages, a.Pages), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	g.Edges = g.Edges[:min(len(g.Edges), maxEdges)]
	if ctx.Err() == nil {
		v.graph, v.graphOf = g, nodes
	}
	copied := *g
	return &copied
}
