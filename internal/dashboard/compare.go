package dashboard

import (
	"fmt"
	"net/http"
	"slices"

	"dowse/internal/operations"
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
	ID, Name string
	Here     bool
}

// A comparedView is one collection with its letter.
type comparedView struct {
	operations.Compared
	Letter, Home, Class string
}

// A pairView is what two collections have in common.
type pairView struct {
	operations.Overlap
	NameA, NameB string
	InA, InB     []tab
}

// compare puts two to four collections next to each other.
func (d *Dashboard) compare(r *http.Request, _ *head) (*pageFrame, error) {
	list, err := d.ops.Collections(r.Context())
	if err != nil {
		return nil, err
	}
	ids := r.URL.Query()["c"]
	b := &compareBody{}
	heads := map[string]*head{}
	for _, c := range list {
		b.All = append(b.All, choice{c.ID, c.Name, slices.Contains(ids, c.ID)})
		heads[c.ID] = headOf(c)
	}
	f := &pageFrame{Title: "Compare", Body: b}
	if len(ids) == 0 {
		return f, nil
	}
	b.X, err = d.ops.Compare(r.Context(), ids)
	if operations.KindOf(err) == operations.Invalid {
		b.Problem, b.X = tidy(err.Error(), 300), nil
		return f, nil
	}
	if err != nil {
		return nil, err
	}
	args := []string{"status"}
	ch := chart{Title: "Harvest rate over pages of each collection", X: "pages", Y: "harvest", Top: 1, Width: 1240, Height: 300}
	letters := map[string]string{}
	for i, c := range b.X.Collections {
		class := string("abcd"[i])
		letter := string("ABCD"[i])
		letters[c.ID] = letter + " " + tidy(c.Name, 40)
		l := line{Name: letters[c.ID], Class: class}
		for _, p := range c.Points {
			l.Points = append(l.Points, chartPoint{float64(p.Pages), p.Harvest})
		}
		ch.Lines = append(ch.Lines, l)
		b.Columns = append(b.Columns, comparedView{c, letter, heads[c.ID].Home, class})
		args = append(args, heads[c.ID].Dir)
	}
	b.Harvest = figure{ID: "compare", Chart: ch, Explain: "Each collection is judged by its own judge. Compare crawls of one topic."}
	for _, p := range b.X.Pairs {
		v := pairView{Overlap: p, NameA: letters[p.A], NameB: letters[p.B]}
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
