package dashboard

import (
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"dowse/internal/operations"
	"dowse/internal/plain"
)

// graphTabs returns the views of the graph of a collection.
func (d *Dashboard) graphTabs(c *head, here string) []tab {
	list := []tab{{Name: "Hosts", Href: c.Home + "graph"}, {Name: "Sites", Href: c.Home + "sites"}}
	if d.ops.HasTGraph(c.ID) {
		list = append(list, tab{Name: "T-Graph", Href: c.Home + "tgraph"})
	}
	for i := range list {
		list[i].Here = list[i].Name == here
	}
	return list
}

// A tgraphBody is the page of a T-Graph.
type tgraphBody struct {
	*operations.TGraph
	Tabs   []tab
	SVG    template.HTML
	Levels []tgraphLevel
	Steps  []tgraphStep
}

// A tgraphLevel is a level as the list shows it.
type tgraphLevel struct {
	Name         string
	Pages, Links int
	Words        []string
}

// A tgraphStep is a step as the list shows it.
type tgraphStep struct {
	From, To tab
	Name     string
	Links    int
}

// How many steps are drawn and listed.
const (
	tgraphSteps  = 60
	tgraphListed = 20
)

// ofOthers reports whether a step begins or ends in a group that collects what has no group of its own. It
// is no route.
func ofOthers(t *operations.TGraph, s operations.TStep) bool {
	return t.Levels[s.Level].Groups[s.From].Name == "" || t.Levels[s.Level-1].Groups[s.To].Name == ""
}

// tgraph shows the routes to the topic that a crawl was given.
func (d *Dashboard) tgraph(r *http.Request, c *head) (*pageFrame, error) {
	t, err := d.ops.TGraph(r.Context(), c.ID)
	if err != nil {
		return nil, err
	}
	b := &tgraphBody{TGraph: t, Tabs: d.graphTabs(c, "T-Graph"), SVG: tgraphSVG(c, t)}
	for i, l := range t.Levels {
		x := tgraphLevel{Name: distance(i), Pages: l.Pages, Links: l.Links}
		for _, w := range l.Words {
			x.Words = append(x.Words, tidy(w, 60))
		}
		b.Levels = append(b.Levels, x)
	}
	for _, s := range t.Steps {
		if len(b.Steps) == tgraphListed || ofOthers(t, s) {
			continue
		}
		b.Steps = append(b.Steps, tgraphStep{groupTab(c, t.Levels[s.Level].Groups[s.From]), groupTab(c, t.Levels[s.Level-1].Groups[s.To]), distance(s.Level), s.Links})
	}
	return &pageFrame{Title: "T-Graph", Command: t.Command, Body: b}, nil
}

// distance returns how far a level is from the targets, in words.
func distance(level int) string {
	switch level {
	case 0:
		return "target pages"
	case 1:
		return "1 click away"
	}
	return fmt.Sprintf("%d clicks away", level)
}

// groupTab returns a group of pages with a link to the pages of its host.
func groupTab(c *head, g operations.TGroup) tab {
	if g.Name == "" {
		return tab{Name: "others"}
	}
	return tab{Name: tidy(g.Name, 60), Href: c.Home + "pages?host=" + url.QueryEscape(g.Host)}
}

// Measures of the picture of a T-Graph, in units of the drawing.
const (
	tgraphWidth = 1200
	groupWidth  = 200.0
	groupHeight = 34.0
	groupSpace  = 10.0
	levelTop    = 34.0
)

// tgraphSVG draws one column per level, the targets at the right, and a line per step whose width is how many links
// take it.
func tgraphSVG(c *head, t *operations.TGraph) template.HTML {
	most, rows := 1, 1
	for _, l := range t.Levels {
		rows = max(rows, len(l.Groups))
	}
	for _, s := range t.Steps {
		if !ofOthers(t, s) {
			most = max(most, s.Links)
		}
	}
	height := levelTop + float64(rows)*(groupHeight+groupSpace)
	at := func(level, i int) (x, y float64) {
		last := max(len(t.Levels)-1, 1)
		x = float64(last-level) * (tgraphWidth - groupWidth) / float64(last)
		return x, levelTop + (height-levelTop-float64(len(t.Levels[level].Groups))*(groupHeight+groupSpace))/2 + float64(i)*(groupHeight+groupSpace)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="graph tgraph" viewBox="0 0 %d %.0f" role="group" aria-label="Routes to the target pages, by clicks">`, tgraphWidth, height)
	for _, s := range t.Steps[:min(len(t.Steps), tgraphSteps)] {
		x1, y1 := at(s.Level, s.From)
		x2, y2 := at(s.Level-1, s.To)
		x1, y1, y2 = x1+groupWidth, y1+groupHeight/2, y2+groupHeight/2
		fmt.Fprintf(&b, `<path class="step" d="M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f" stroke-width="%.1f"><title>%s</title></path>`, x1, y1, (x1+x2)/2, y1, (x1+x2)/2, y2, x2, y2, 0.8+7*min(1, float64(s.Links)/float64(most)), plain.Some(s.Links, "link"))
	}
	for level, l := range t.Levels {
		x, _ := at(level, 0)
		fmt.Fprintf(&b, `<text class="level" x="%.1f" y="14">%s</text>`, x, esc(distance(level)))
		for i, g := range l.Groups {
			x, y := at(level, i)
			drawGroup(&b, c, g, x, y)
		}
	}
	b.WriteString(`</svg>`)
	return template.HTML(b.String()) //nolint:gosec // every text in it is escaped above
}

// drawGroup draws a group of pages. Its class is how much of its host is on topic.
func drawGroup(b *strings.Builder, c *head, g operations.TGroup, x, y float64) {
	class := "off"
	switch share := float64(g.OnTopic) / float64(max(g.Fetched, 1)); {
	case g.Fetched == 0:
		class = "none"
	case share >= 0.6:
		class = "on"
	case share >= 0.3:
		class = "mid"
	}
	name := groupTab(c, g)
	says := plain.Some(g.Pages, "page")
	if g.Links > 0 {
		says += ", " + plain.Some(g.Links, "link")
	}
	shown := tidy(name.Name, 30)
	title := shown + " " + says // begins with what is written in the box
	if g.Fetched > 0 {
		title += fmt.Sprintf("; %s of %s pages of the host are on topic", count(g.OnTopic), count(g.Fetched))
	}
	body := fmt.Sprintf(`<title>%s</title><rect x="%.1f" y="%.1f" width="%.0f" height="%.0f" rx="4"/><rect class="side" x="%[2]f" y="%[3]f" width="4" height="%[5]f"/><text x="%.1f" y="%.1f">%s </text><text class="quiet" x="%.1f" y="%.1f">%s</text>`,
		esc(title), x, y, groupWidth, groupHeight, x+11, y+14, esc(shown), x+11, y+27, esc(says))
	if name.Href != "" {
		body = `<a href="` + esc(name.Href) + `" aria-label="` + esc(title) + `">` + body + `</a>`
	}
	fmt.Fprintf(b, `<g class="group %s">%s</g>`, class, body)
}
