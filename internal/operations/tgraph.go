package operations

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dowse"
	"dowse/collection"
	"dowse/internal/tgraph"
	"dowse/weburl"
)

// A TGraph is the T-Graph of a crawl in groups of pages: the routes by which links lead to target pages. The
// strategies treasure and context-graph follow it.
type TGraph struct {
	// Levels are by the number of clicks to a target, the targets first.
	Levels []TLevel `json:"levels" doc:"by the number of clicks to a target, the targets first"`
	Steps  []TStep  `json:"steps" doc:"links from the groups of a level to those of the level below, the most frequent first"`
	// Command prints the whole T-Graph.
	Command string `json:"command" doc:"the command that prints all of it"`
}

// A TLevel is the pages at one distance.
type TLevel struct {
	Pages  int      `json:"pages" doc:"pages of the level"`
	Links  int      `json:"links" doc:"their links towards the level below"`
	Groups []TGroup `json:"groups" doc:"groups of its pages, the one with the most links first; the last may be all others"`
	Words  []string `json:"words" doc:"the most frequent texts of these links"`
}

// A TGroup is the pages of a level in one part of a host.
type TGroup struct {
	Name  string `json:"name" doc:"host and first part of the path; empty for all others together"`
	Host  string `json:"host,omitempty"`
	Pages int    `json:"pages"`
	Links int    `json:"links"`
	// Fetched and OnTopic are what the crawl found on the host.
	Fetched int `json:"fetched" doc:"pages of the host that the crawl fetched"`
	OnTopic int `json:"on_topic" doc:"those on topic"`
}

// A TStep is the links from one group to another.
type TStep struct {
	Level int `json:"level" doc:"of the group that links"`
	From  int `json:"from" doc:"index of the group that links, in its level"`
	To    int `json:"to" doc:"index of the group in the level below"`
	Links int `json:"links"`
}

// Bounds of a T-Graph in an answer.
const (
	maxGroups = 10 // per level, with the one of all others
	maxWords  = 8
)

// HasTGraph reports whether the crawl of a collection was given a T-Graph.
func (o *Operations) HasTGraph(id string) bool {
	s, err := o.shelf(id)
	if err != nil {
		return false
	}
	kept, err := collection.ReadSettings(s.dir)
	return err == nil && kept.Needs.TGraph != ""
}

// TGraph returns the T-Graph that a crawl was given, in groups. A crawl without one is an error of kind NotFound.
func (o *Operations) TGraph(ctx context.Context, id string) (*TGraph, error) {
	s, err := o.shelf(id)
	if err != nil {
		return nil, err
	}
	var found *TGraph
	err = s.use(ctx, func(v *openView) error {
		file := v.col.Settings.Needs.TGraph
		if file == "" {
			return failf(NotFound, "", "%s has no T-Graph: only crawls that were given one follow it", s.id)
		}
		if !filepath.IsLocal(file) {
			return failf(Damaged, "", "%s: its T-Graph is named outside of the collection", s.id)
		}
		hosts := v.allHosts()
		v.once.Lock()
		defer v.once.Unlock()
		if v.tgraph == nil {
			path := filepath.Join(s.dir, file)
			g, err := readTGraph(path)
			if err != nil {
				return err
			}
			v.tgraph = grouped(g, hosts)
			v.tgraph.Command = command("tgraph", "show", path)
		}
		found = v.tgraph
		return nil
	})
	return found, err
}

// readTGraph reads a T-Graph.
func readTGraph(path string) (*tgraph.Graph, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, failf(Damaged, "", "the T-Graph of the collection is missing")
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	g, err := tgraph.Read(f)
	if err != nil {
		return nil, &Error{Kind: Damaged, Err: err}
	}
	return g, nil
}

// partOf returns the group of a page: its host and, of a deeper path, the first part.
func partOf(u dowse.URL) string {
	path := strings.TrimPrefix(weburl.Path(u), "/")
	if first, rest, deep := strings.Cut(path, "/"); deep && rest != "" && first != "" {
		return weburl.Host(u) + "/" + first
	}
	return weburl.Host(u)
}

// grouped counts the pages and links of a T-Graph by groups.
func grouped(g *tgraph.Graph, hosts []collection.HostRow) *TGraph {
	pages, links := g.Levels()
	t := &TGraph{Levels: make([]TLevel, len(pages)), Steps: []TStep{}}
	byHost := map[string]*collection.HostRow{}
	for i := range hosts {
		byHost[hosts[i].Host] = &hosts[i]
	}
	level := map[dowse.URL]int{}
	for _, p := range g.Pages {
		level[p.URL] = p.Level
	}
	places := make([]map[string]int, len(pages)) // of the groups, by level
	for l := range t.Levels {
		x := &t.Levels[l]
		x.Pages = pages[l]
		if l > 0 { // the nodes of targets are no links
			x.Links = links[l]
		}
		x.Groups, places[l] = groupsOf(g, l, byHost)
		x.Words = wordsOf(g, l)
	}
	count := map[TStep]int{}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		to, ok := level[n.LinksTo]
		if n.LinksTo == "" || !ok || to != n.Level-1 || n.Level >= len(places) {
			continue
		}
		count[TStep{Level: n.Level, From: placeIn(places[n.Level], partOf(n.URL)), To: placeIn(places[to], partOf(n.LinksTo))}]++
	}
	for s, n := range count {
		s.Links = n
		t.Steps = append(t.Steps, s)
	}
	slices.SortFunc(t.Steps, func(a, b TStep) int {
		return cmp.Or(cmp.Compare(b.Links, a.Links), cmp.Compare(a.Level, b.Level), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	return t
}

// placeIn returns the place of a group, that of all others for one that is not shown.
func placeIn(places map[string]int, name string) int {
	if i, ok := places[name]; ok {
		return i
	}
	return places[""]
}

// groupsOf returns the groups of a level and their places.
func groupsOf(g *tgraph.Graph, level int, hosts map[string]*collection.HostRow) ([]TGroup, map[string]int) {
	all := map[string]*TGroup{}
	group := func(u dowse.URL) *TGroup {
		name := partOf(u)
		if all[name] == nil {
			all[name] = &TGroup{Name: name, Host: weburl.Host(u)}
			if h := hosts[all[name].Host]; h != nil {
				all[name].Fetched, all[name].OnTopic = h.Pages, h.OnTopic
			}
		}
		return all[name]
	}
	for _, p := range g.Pages {
		if p.Level == level {
			group(p.URL).Pages++
		}
	}
	for i := range g.Nodes {
		if n := &g.Nodes[i]; n.Level == level && n.LinksTo != "" {
			group(n.URL).Links++
		}
	}
	list := slices.SortedFunc(maps.Values(all), func(a, b *TGroup) int {
		return cmp.Or(cmp.Compare(b.Links, a.Links), cmp.Compare(b.Pages, a.Pages), strings.Compare(a.Name, b.Name))
	})
	groups, places := []TGroup{}, map[string]int{}
	for i, x := range list {
		if i < maxGroups-1 || len(list) == maxGroups {
			places[x.Name] = len(groups)
			groups = append(groups, *x)
			continue
		}
		if i == maxGroups-1 {
			places[""] = len(groups)
			groups = append(groups, TGroup{})
		}
		rest := &groups[len(groups)-1]
		rest.Pages, rest.Links = rest.Pages+x.Pages, rest.Links+x.Links
	}
	return groups, places
}

// wordsOf returns the most frequent texts of the links of a level, or of the titles of the targets.
func wordsOf(g *tgraph.Graph, level int) []string {
	count := map[string]int{}
	for i := range g.Nodes {
		if n := &g.Nodes[i]; n.Level == level {
			if text := strings.Join(strings.Fields(cmp.Or(n.Anchor, n.Main)), " "); text != "" && len(text) < 100 {
				count[text]++
			}
		}
	}
	words := slices.SortedFunc(maps.Keys(count), func(a, b string) int { return cmp.Or(cmp.Compare(count[b], count[a]), strings.Compare(a, b)) })
	return words[:min(len(words), maxWords)]
}
