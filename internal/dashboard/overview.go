package dashboard

import (
	"cmp"
	"context"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/internal/operations"
)

// countWait is how long the list waits for counts that have to be made: those of small collections are there with the first
// page, the others follow.
const countWait = 50 * time.Millisecond

// collections lists all collections. While a crawl runs, or pages are counted, the list is fetched again.
func (d *Dashboard) collections(r *http.Request, _ *head) (*pageFrame, error) {
	list, err := d.ops.Collections(r.Context(), countWait)
	if err != nil {
		return nil, err
	}
	type line struct {
		*head
		Fetched, OnTopic int
		Share            float64
		Begun            time.Time
		Problem          string
		Counting         bool   // its pages are being counted
		Base, In         string // its folder, and the one that this is in
	}
	f := &pageFrame{Title: "Collections", Command: operations.ListCommand(list)}
	var lines []line
	for _, c := range list {
		x := line{head: headOf(c), Fetched: c.Fetched, OnTopic: c.OnTopic, Begun: c.Begun, Problem: c.Error, Counting: c.Counting, Base: filepath.Base(c.Dir), In: filepath.Dir(c.Dir)}
		if c.Fetched > 0 {
			x.Share = float64(c.OnTopic) / float64(c.Fetched)
		}
		f.Poll = f.Poll || c.Running || c.Counting
		lines = append(lines, x)
	}
	f.Body = lines
	return f, nil
}

// A figure is a chart with its explanation.
type figure struct {
	ID, Explain string
	Chart       chart
}

// An overviewBody is the first page of a collection.
type overviewBody struct {
	*operations.Report
	ID        string
	Harvest   figure
	Speed     figure
	HasSpeed  bool
	Histogram template.HTML
	Books     template.HTML
	BookKeys  []stackPart
	Latest    []row
	Events    []eventRow
	Drift     *driftView
	Skipped   []collection.ReasonCount
	Judged    string // how far the judge can be trusted
	Limits    string // what keeps it from going faster
	State     string
	Age       time.Duration
	Frontier  *operations.Frontier
	Raise     *raise
	Mean      float64 // pages per second of all runs
}

// A driftView is a fall of the harvest with the host to blame.
type driftView struct {
	*operations.Drift
	Pages, Back string // the pages of the host; where the form returns to
	Share       string
}

// drift returns a fall of the harvest, nil if there is none or the crawl does not run: then nothing can be done about
// it.
func (d *Dashboard) drift(ctx context.Context, c *head) *driftView {
	if !c.Running {
		return nil
	}
	x, err := d.ops.Drift(ctx, c.ID)
	if err != nil || x == nil {
		return nil
	}
	return &driftView{x, c.Home + "pages?verdict=off&host=" + url.QueryEscape(x.Host), c.Home, percent(x.OffRate)}
}

// A raise is a limit that has ended a crawl, to be raised before it can be continued.
type raise struct {
	Name  string // of the setting
	Now   string // its value
	Value string // a higher one; "" if a person has to choose
	Unit  string
}

// limitOf has the setting of each limit that ends a crawl, and what it counts.
var limitOf = map[dowse.StopReason][2]string{
	dowse.StopPages: {"pages", "pages"}, dowse.StopOnTopic: {"on-topic", "pages on topic"}, dowse.StopBytes: {"bytes", "received"}, dowse.StopTime: {"time", "running time"},
}

// raised returns the limit at which a crawl has stopped, nil if it may simply be continued.
func (d *Dashboard) raised(ctx context.Context, c *head, report *operations.Report) *raise {
	limit, ok := limitOf[report.Stopped]
	if !ok || report.Running {
		return nil
	}
	s, err := d.ops.Settings(ctx, c.ID)
	if err != nil {
		return nil
	}
	x := &raise{Name: limit[0], Unit: limit[1]}
	reached := map[dowse.StopReason]int{dowse.StopPages: report.Fetched, dowse.StopOnTopic: report.OnTopic}[report.Stopped]
	for _, v := range s.Settings {
		if v.Name != x.Name {
			continue
		}
		x.Now = v.Value
		n, err := strconv.Atoi(strings.ReplaceAll(v.Value, ",", ""))
		switch {
		case err == nil && n > reached && reached > 0:
			return nil // it was raised since
		case err == nil && reached > 0:
			x.Value = strconv.Itoa(2 * n)
		}
	}
	if x.Now == "" {
		return nil
	}
	return x
}

// latest is how many decisions the overview shows.
const latest = 12

// overview shows how a crawl goes.
func (d *Dashboard) overview(r *http.Request, c *head) (*pageFrame, error) {
	ctx := r.Context()
	report, err := d.ops.Status(ctx, c.ID)
	if err != nil {
		return nil, err
	}
	series, err := d.ops.Series(ctx, c.ID, operations.SeriesQuery{})
	if err != nil {
		return nil, err
	}
	front, err := d.ops.Frontier(ctx, c.ID, operations.FrontierQuery{Limit: 1})
	if err != nil {
		return nil, err
	}
	pages, err := d.ops.Pages(ctx, c.ID, operations.PageQuery{Limit: latest})
	if err != nil {
		return nil, err
	}
	events, err := d.events(ctx, c)
	if err != nil {
		return nil, err
	}
	b := &overviewBody{Report: report, ID: c.ID, Frontier: front, Age: time.Duration(report.Elapsed), Events: events, Drift: d.drift(ctx, c)}
	b.Harvest = harvestFigure(series)
	b.Speed, b.HasSpeed = speedFigure(series)
	b.Histogram = leadHistogram(front.Histogram)
	b.books(c)
	for _, p := range pages.Pages {
		b.Latest = append(b.Latest, rowOf(c, p, c.Home))
	}
	b.Skipped = slices.Clone(report.Reasons)
	slices.SortStableFunc(b.Skipped, func(a, b collection.ReasonCount) int { return cmp.Compare(b.Skipped+b.Failed, a.Skipped+a.Failed) })
	b.Skipped = b.Skipped[:min(len(b.Skipped), 6)]
	b.trust()
	b.words(d.cfg)
	b.Raise = d.raised(ctx, c, report)
	if b.Age > 0 {
		b.Mean = float64(report.Fetched) / b.Age.Seconds()
	}
	return &pageFrame{Title: "Overview", Command: report.Command, Live: liveOf(c), Body: b}, nil
}

// harvestFigure draws the harvest rate over the pages: as judged, over the last pages, and as audited.
func harvestFigure(s *operations.Series) figure {
	all, moving := line{Name: "all pages so far", Class: "a"}, line{Name: fmt.Sprintf("last %d", s.Window), Class: "quiet"}
	for _, p := range s.Points {
		all.Points = append(all.Points, chartPoint{float64(p.Pages), p.Harvest})
		moving.Points = append(moving.Points, chartPoint{float64(p.Pages), p.Moving})
	}
	f := figure{ID: "harvest", Explain: "The share of the fetched pages that are on topic, by the present judge. A crawl that runs dry falls.", Chart: chart{
		Title: "Harvest rate over pages fetched", X: "pages", Y: "harvest", Top: 1, Width: 720, Height: 300, Lines: []line{all, moving},
	}}
	for i, m := range s.Marks {
		if i >= len(s.Marks)-8 {
			f.Chart.Marks = append(f.Chart.Marks, chartMark{float64(m.Pages), tidy(m.Label, 12)})
		}
	}
	if a := s.Audited; a != nil && a.N > 0 {
		end := float64(max(a.Of, 1))
		f.Chart.Low, f.Chart.High = []chartPoint{{0, a.Low}, {end, a.Low}}, []chartPoint{{0, a.High}, {end, a.High}}
		f.Chart.Lines = append(f.Chart.Lines, line{Name: "audited", Class: "b", Points: []chartPoint{{0, a.Rate}, {end, a.Rate}}})
		f.Explain += fmt.Sprintf(" The band is the 95 %% interval of your audit of %s.", count(a.N))
	}
	return f
}

// speedFigure draws pages per second, if there is anything to draw.
func speedFigure(s *operations.Series) (figure, bool) {
	l := line{Name: "pages per second", Class: "a"}
	// Rates between near points jump; a mean over a few of them is readable.
	const over = 8
	for i := over; i < len(s.Points); i++ {
		took := time.Duration(s.Points[i].Elapsed - s.Points[i-over].Elapsed).Seconds()
		if took > 0 {
			l.Points = append(l.Points, chartPoint{float64(s.Points[i].Pages), float64(s.Points[i].Pages-s.Points[i-over].Pages) / took})
		}
	}
	return figure{ID: "speed", Explain: "Over the pages fetched, without pauses of the crawl.", Chart: chart{
		Title: "Pages per second over pages fetched", X: "pages", Y: "pages/s", Width: 560, Height: 150, Lines: []line{l},
	}}, len(l.Points) > 2
}

// books adds the books as a bar.
func (b *overviewBody) books(c *head) {
	k := b.Report.Books
	b.BookKeys = []stackPart{
		{"on topic", b.OnTopic, "on", c.Home + "pages?verdict=on"},
		{"off topic", k.Fetched - b.OnTopic, "off", c.Home + "pages?verdict=off"},
		{"queued", k.Queued + k.InFlight, "queued", c.Home + "frontier"},
		{"skipped", k.Skipped, "skipped", c.Home + "pages?verdict=skipped"},
		{"failed", k.Failed, "failed", c.Home + "pages?verdict=failed"},
		{"redirected, held, sitemaps", k.Redirected + k.Held + k.Sitemaps, "other", ""},
	}
	b.BookKeys = slices.DeleteFunc(b.BookKeys, func(p stackPart) bool { return p.Count == 0 })
	b.Books = stack("All known URLs by what became of them", b.BookKeys)
}

// trust adds whether the judge's rate agrees with the audit.
func (b *overviewBody) trust() {
	a := b.Audited
	switch {
	case a == nil || a.N == 0:
		b.Judged = ""
	case a.Outside:
		b.Judged = fmt.Sprintf("The judge counts %s on topic, and your audit found %s (%s to %s): do not trust the judge. Label more pages.", percent(a.Judged), percent(a.Rate), percent(a.Low), percent(a.High))
	}
}

// words adds the state and the limit in words.
func (b *overviewBody) words(cfg Config) {
	b.Limits = cmp.Or(b.LimitedBy, "nothing: it does not run")
	switch {
	case b.Running:
		b.State = "running for " + span(time.Duration(b.Elapsed).Round(time.Second))
	case b.Stopped == dowse.StopSignal && cfg.SignalMeans[b.Report.By] != "":
		b.State = cfg.SignalMeans[b.Report.By]
	case b.Stopped != "":
		b.State = "stopped: " + cmp.Or(cfg.StopMeans[b.Stopped], string(b.Stopped))
	case b.Report.State == operations.StateNew:
		b.State = "not crawled yet"
	default:
		b.State = b.Report.State
	}
}

// How many hosts a graph shows, and on a narrow screen.
const (
	maxNodes  = 120
	maxNarrow = 40
)

// graph draws the hosts and the links between them.
func (d *Dashboard) graph(r *http.Request, c *head) (*pageFrame, error) {
	g, err := d.ops.Graph(r.Context(), c.ID, maxNodes)
	if err != nil {
		return nil, err
	}
	most := 1
	for _, n := range g.Nodes {
		if n.Host != "" {
			most = max(most, n.Pages)
		}
	}
	var nodes []drawnNode
	place := make([]int, len(g.Nodes)) // of each node in the drawing, -1 for none
	for i, n := range g.Nodes {
		place[i] = -1
		if n.Host == "" {
			continue
		}
		place[i] = len(nodes)
		class := "off"
		switch {
		case n.Share >= 0.6:
			class = "on"
		case n.Share >= 0.3:
			class = "mid"
		}
		nodes = append(nodes, drawnNode{
			Name: tidy(n.Host, 28), Title: fmt.Sprintf("%s: %s of %s on topic", tidy(n.Host, 80), count(n.OnTopic), count(n.Pages)),
			Href: c.Home + "pages?host=" + url.QueryEscape(n.Host), Size: float64(n.Pages) / float64(most), Class: class,
		})
	}
	widest := 1
	for _, e := range g.Edges {
		widest = max(widest, e.Pages)
	}
	var edges []drawnEdge
	type step struct {
		From, To tab
		Pages    int
	}
	var top []step
	for _, e := range g.Edges {
		a, b := place[e.From], place[e.To]
		if a < 0 || b < 0 || len(edges) >= 6*maxNodes {
			continue
		}
		edges = append(edges, drawnEdge{a, b, float64(e.Pages) / float64(widest)})
		if len(top) < 25 {
			top = append(top, step{tab{Name: nodes[a].Name, Href: nodes[a].Href}, tab{Name: nodes[b].Name, Href: nodes[b].Href}, e.Pages})
		}
	}
	narrow := slices.Clone(nodes[:min(len(nodes), maxNarrow)])
	between := slices.DeleteFunc(slices.Clone(edges), func(e drawnEdge) bool { return e.A >= len(narrow) || e.B >= len(narrow) })
	layout(nodes, edges, 1200, 720)
	layout(narrow, between, 400, 560)
	const title = "Hosts and the links between them"
	body := map[string]any{
		"Graph": g, "SVG": graphSVG(title, nodes, edges, 1200, 720), "Narrow": graphSVG(title, narrow, between, 400, 560), "Steps": top, "Hosts": len(nodes), "C": c,
		"Sample": g.Pages < g.Of, "Tabs": d.graphTabs(c, "Hosts"),
	}
	return &pageFrame{Title: "Graph", Command: g.Command, Body: body}, nil
}

// sites lists the sites of a crawl for sites.
func (d *Dashboard) sites(r *http.Request, c *head) (*pageFrame, error) {
	list, err := d.ops.Sites(r.Context(), c.ID, operations.SiteQuery{Sort: r.URL.Query().Get("sort"), All: true, Limit: 200})
	if err != nil {
		return nil, err
	}
	return &pageFrame{Title: "Sites", Command: list.Command, Body: map[string]any{"L": list, "C": c, "Tabs": d.graphTabs(c, "Sites")}}, nil
}
