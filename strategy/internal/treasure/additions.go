package treasure

import (
	"errors"
	"strconv"
	"strings"

	"dowse"
	"dowse/internal/tgraph"
)

// A T-Graph that grows while the crawl runs ("pre-constructed but updating", Seyfi and
// Patel 2015, who do not describe how). A visited page on topic becomes a target. A page
// with links to pages of a known level is one level above the lowest of them, and its links
// to that level become nodes. So the rules are those by which a T-Graph is built, applied
// to what the crawl meets. What is added is bounded per level, and is saved.

// additions knows the levels of the pages of a T-Graph and of those that were added.
type additions struct {
	level map[dowse.URL]int
	depth int
	added []int // nodes by level
}

// maxOnPage bounds the nodes that one page may add, as building does.
const maxOnPage = 20

// begin starts with the pages of a T-Graph.
func (g *additions) begin(t *tgraph.Graph) {
	g.level, g.depth = map[dowse.URL]int{}, max(t.Depth, 1)
	g.added = make([]int, g.depth+1)
	for _, p := range t.Pages {
		g.level[p.URL] = p.Level
	}
}

// room returns how many nodes of a level may still be added.
func (g *additions) room(level, most int) int { return most - g.added[level] }

// grow adds what a visited page shows to the T-Graph, if Update allows it. It is called
// after the links of the page were rated, so that a page never rates its own links.
func (s *treasure) grow(p *dowse.Page) {
	if s.Update == 0 || p.Outcome != dowse.Fetched || p.Again {
		return
	}
	g := &s.growing
	if _, known := g.level[p.URL]; known {
		return
	}
	if p.OnTopic {
		if g.room(0, s.Update) > 0 {
			s.learn(tgraph.Node{URL: p.URL, LinkText: tgraph.TextOfTarget(&p.Document)})
		}
		return
	}
	level := g.above(p)
	if level > g.depth {
		return
	}
	for i, n := 0, 0; i < len(p.Links) && n < maxOnPage && g.room(level, s.Update) > 0; i++ {
		if l := &p.Links[i]; g.of(l) == level-1 {
			s.learn(tgraph.Node{URL: p.URL, Level: level, LinksTo: l.URL, LinkText: tgraph.TextAt(&p.Document, &l.Mention)})
			n++
		}
	}
}

// of returns the level of a link's target, or a number above all levels if it has none.
func (g *additions) of(l *dowse.Link) int {
	if l.Target.State == dowse.Visited && l.Target.OnTopic {
		return 0
	}
	if level, ok := g.level[l.URL]; ok {
		return level
	}
	return g.depth + 1
}

// above returns the level of a page off topic: one above the lowest of its links.
func (g *additions) above(p *dowse.Page) int {
	lowest := g.depth + 1
	for i := range p.Links {
		lowest = min(lowest, g.of(&p.Links[i]))
	}
	return lowest + 1
}

// learn adds a node under a name of its own. Its text is copied, since it would keep the
// page in memory.
func (s *treasure) learn(n tgraph.Node) {
	n.ID = "c" + strconv.Itoa(len(s.state.Added))
	for _, text := range []*string{&n.Main, &n.Sub, &n.Under, &n.Anchor, &n.Around} {
		*text = strings.Clone(*text)
	}
	n.URL, n.LinksTo = dowse.URL(strings.Clone(string(n.URL))), dowse.URL(strings.Clone(string(n.LinksTo)))
	s.put(n)
}

// put adds a node to the index, to the levels of pages and to what is saved.
func (s *treasure) put(n tgraph.Node) {
	s.growing.level[n.URL] = n.Level
	s.growing.added[n.Level]++
	s.state.Added = append(s.state.Added, n)
	s.osm.add(n)
	s.reason = append(s.reason, reasonOf(&n))
}

// errAdded is returned for saved nodes that cannot have been added.
var errAdded = errors.New("strategy: load: a node that was added to the T-Graph has a level that it cannot have")

// restore adds the nodes that a saved crawl had added, in their order, so that ties between
// nodes are decided as before.
func (s *treasure) restore(added []tgraph.Node) error {
	for _, n := range added {
		if n.Level < 0 || n.Level > s.growing.depth {
			return errAdded
		}
	}
	for _, n := range added {
		s.put(n)
	}
	return nil
}
