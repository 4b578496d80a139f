package dashboard

import (
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"

	"dowse/internal/operations"
	"dowse/internal/plain"
)

// A compareBody is the page that puts collections next to each other.
type compareBody struct {
	All     []choice
	X       *operations.Comparison
	Harvest figure
	Pairs   []pairView
	Columns []comparedView
	Problem string
}

// A choice is a collection that may be compared.
type choice struct {
	*head
	Here bool
}

// A comparedView is one collection with its letter.
type comparedView struct {
	operations.Compared
	Letter, Home, Class, Folder string
	Interval                    string // of the harvest, with 95 % confidence
	Hosts                       []hostShare
}

// A hostShare is a host with its part of the pages of a crawl.
type hostShare struct {
	Name, Href string
	Share      float64
	Pages      int
}

// A pairView is what two collections have in common.
type pairView struct {
	operations.Overlap
	NameA, NameB string
	InA, InB     []tab
	Bar          template.HTML
	Keys         []stackPart
	Difference   string // of the harvest, in words
}

// label returns a name of a collection that differs from the names of the others.
func (h *head) label() string {
	if h.Folder == "" {
		return tidy(h.Name, 40)
	}
	return tidy(h.Name, 40) + " (" + tidy(h.Folder, 40) + ")"
}

// compared returns the collections that a query names, each once. The form sends them as c; id is what a person
// would write.
func compared(q url.Values) (ids []string) {
	for _, id := range append(slices.Clone(q["c"]), q["id"]...) {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// compare puts two to four collections next to each other.
func (d *Dashboard) compare(r *http.Request, _ *head) (*pageFrame, error) {
	list, err := d.ops.Collections(r.Context(), 0)
	if err != nil {
		return nil, err
	}
	ids := compared(r.URL.Query())
	b := &compareBody{}
	heads := map[string]*head{}
	for _, c := range list {
		b.All = append(b.All, choice{headOf(c), slices.Contains(ids, c.ID)})
		heads[c.ID] = headOf(c)
	}
	f := &pageFrame{Title: "Compare", Command: operations.ListCommand(list), Body: b}
	if len(ids) == 0 {
		return f, nil
	}
	for _, id := range ids {
		if heads[id] == nil {
			b.Problem = fmt.Sprintf("There is no collection %q here.", tidy(id, 80))
			return f, nil
		}
	}
	b.X, err = d.ops.Compare(r.Context(), ids)
	if operations.KindOf(err) == operations.Invalid {
		b.Problem, b.X = tidy(plain.Error(err), 300), nil
		return f, nil
	}
	if err != nil {
		return nil, err
	}
	args := []string{"compare"}
	ch := chart{Title: "Harvest rate over pages of each collection", X: "pages", Y: "harvest", Top: 1, Width: 1240, Height: 300}
	letters := map[string]string{}
	for i, c := range b.X.Collections {
		class := string("abcd"[i])
		letter := string("ABCD"[i])
		letters[c.ID] = letter + " " + heads[c.ID].label()
		l := line{Name: letters[c.ID], Class: class}
		for _, p := range c.Points {
			l.Points = append(l.Points, chartPoint{float64(p.Pages), p.Harvest})
		}
		ch.Lines = append(ch.Lines, l)
		b.Columns = append(b.Columns, columnOf(c, letter, class, heads[c.ID]))
		args = append(args, heads[c.ID].Dir)
	}
	b.Harvest = figure{ID: "compare", Chart: ch, Explain: "Each collection is judged by its own judge. Compare crawls of one topic."}
	for _, p := range b.X.Pairs {
		v := pairView{Overlap: p, NameA: letters[p.A], NameB: letters[p.B]}
		v.Keys = []stackPart{{"only " + v.NameA, p.OnlyA, "on", ""}, {"both", p.Both, "queued", ""}, {"only " + v.NameB, p.OnlyB, "off", ""}}
		v.Bar = stack("Pages on topic that only the first has, that both have, and that only the second has", v.Keys)
		v.Difference = differenceWords(&p)
		for _, u := range p.InA {
			v.InA = append(v.InA, tab{Name: bare(u), Href: pageHref(heads[p.A], u)})
		}
		for _, u := range p.InB {
			v.InB = append(v.InB, tab{Name: bare(u), Href: pageHref(heads[p.B], u)})
		}
		b.Pairs = append(b.Pairs, v)
	}
	f.Command = command(args...)
	f.Title = fmt.Sprintf("Compare %d crawls", len(ids))
	return f, nil
}

// columnOf returns a collection as a row of the table.
func columnOf(c operations.Compared, letter, class string, h *head) comparedView {
	v := comparedView{Compared: c, Letter: letter, Home: h.Home, Class: class, Folder: h.Folder, Interval: "–"}
	if c.Fetched > 0 {
		v.Interval = fmt.Sprintf("%.3f to %.3f", c.Low, c.High)
	}
	for i, n := range c.Top {
		if i == 6 || c.Fetched == 0 {
			break
		}
		v.Hosts = append(v.Hosts, hostShare{tidy(n.Host, 40), h.Home + "pages?host=" + url.QueryEscape(n.Host), float64(n.Pages) / float64(c.Fetched), n.Pages})
	}
	return v
}

// differenceWords returns the difference of two harvests with its interval; "" if one of them has no page.
func differenceWords(o *operations.Overlap) string {
	if o.Difference == nil {
		return ""
	}
	d := o.Difference
	return fmt.Sprintf("%+.3f [%+.3f, %+.3f]: %s", d.Harvest, d.Low, d.High, d.Words())
}
