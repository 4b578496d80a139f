package dashboard

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"dowse/internal/operations"
	"dowse/internal/plain"
	"dowse/internal/search"
)

// A searchBody is the page of search results.
type searchBody struct {
	Q           url.Values
	Query       string
	Similar     string
	Found       *operations.Found
	Hits        []searchHit
	Facets      []facetView
	Took        time.Duration
	Next, First string
	Problem     string
	All         bool
	Narrows     bool // there is a facet with a value
}

// A searchHit is a page that was found.
type searchHit struct {
	row
	Pieces, Excerpt []piece
	Similar         string
	Same            int
}

// A facetView counts hits by a property; its links narrow the query.
type facetView struct {
	Name   string
	Counts []tab
}

// hitsPerPage is how many hits a page of results has.
const hitsPerPage = 20

// search finds pages by their words.
func (d *Dashboard) search(r *http.Request, c *head) (*pageFrame, error) {
	q := r.URL.Query()
	b := &searchBody{Q: q, Query: strings.TrimSpace(q.Get("q")), Similar: q.Get("similar"), All: q.Get("all") != ""}
	f := &pageFrame{Title: "Search", Body: b}
	args := []string{"search", c.Dir}
	if b.All {
		args = append(args, "--all")
	}
	if b.Similar != "" {
		args = append(args, "--similar="+b.Similar)
	}
	if b.Query != "" {
		args = append(args, "--", b.Query)
	}
	if b.Query == "" && b.Similar == "" {
		f.Command = command("search", "--help") // what can be asked for
		return f, nil
	}
	f.Command = command(args...)
	offset, _ := strconv.Atoi(q.Get("offset"))
	began := time.Now()
	found, err := d.ops.Search(r.Context(), []string{c.ID}, operations.SearchQuery{Query: b.Query, Similar: b.Similar, All: b.All, Limit: hitsPerPage, Offset: max(offset, 0), Facets: true})
	if operations.KindOf(err) == operations.Invalid { // a query that can't be understood stays in its box
		b.Problem = tidy(plain.Error(err), 300)
		f.status = http.StatusBadRequest
		return f, nil
	}
	if err != nil {
		return nil, err
	}
	b.Found, b.Took, f.Command = found, time.Since(began), found.Command
	for _, h := range found.Hits {
		b.Hits = append(b.Hits, hitOf(c, h))
	}
	for _, x := range found.Facets {
		b.Facets = append(b.Facets, facetOf(q, b.Query, x))
		b.Narrows = b.Narrows || len(x.Counts) > 0
	}
	if offset+len(found.Hits) < found.Total && len(found.Hits) == hitsPerPage {
		b.Next = with(q, "offset", strconv.Itoa(offset+hitsPerPage))
	}
	if offset > 0 {
		b.First = with(q, "offset", "")
	}
	return f, nil
}

// hitOf returns a hit as the page shows it.
func hitOf(c *head, h search.Hit) searchHit {
	x := searchHit{row: rowOf(c, h.Page, ""), Same: len(h.Same)}
	x.Similar = c.Home + "search?similar=" + url.QueryEscape(x.URL)
	x.Pieces, x.Excerpt = pieces(h.Title, 160), pieces(h.Snippet, 600)
	return x
}

// pieces makes the parts of a text harmless.
func pieces(list []search.Piece, most int) (out []piece) {
	for _, p := range list {
		text := strings.ReplaceAll(tidyText(p.Text, most), "\n", " ")
		most -= len(text)
		out = append(out, piece{text, p.Mark})
		if most <= 0 {
			break
		}
	}
	return out
}

// facetOf returns a facet whose values add a condition to the query, or remove it.
func facetOf(q url.Values, query string, f search.Facet) facetView {
	x := facetView{Name: f.Name}
	field := f.Name
	if field == "year" {
		field = "date"
	}
	words := strings.Fields(query)
	for i, n := range f.Counts {
		if i == 8 {
			break
		}
		condition := field + ":" + n.Value
		narrowed := append(slices.Clone(words), condition)
		here := slices.Contains(words, condition)
		if here {
			narrowed = slices.DeleteFunc(slices.Clone(words), func(word string) bool { return word == condition })
		}
		x.Counts = append(x.Counts, tab{Name: tidy(n.Value, 40) + " " + count(n.Pages), Href: with(q, "q", strings.Join(narrowed, " "), "offset", ""), Here: here})
	}
	return x
}
