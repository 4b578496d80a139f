package dashboard

import (
	"cmp"
	"context"
	"html/template"
	"math"
	"net/url"
	"slices"
	"strings"

	"dowse/internal/operations"
)

// A termRow is a term that had a part in verdicts.
type termRow struct {
	operations.UsedTerm
	Href       string
	Boost, Ban string // the addresses that add it to the pending edit
	Bar        template.HTML
}

// terms returns what the judge went by on the newest pages, and of how many pages that was read.
func (d *Dashboard) terms(ctx context.Context, c *head, q url.Values) (on, off []termRow, of int, err error) {
	used, err := d.ops.Terms(ctx, c.ID)
	if err != nil {
		return nil, nil, 0, err
	}
	most := 0.0 // both lists have one scale
	for _, t := range slices.Concat(used.For, used.Against) {
		most = math.Max(most, math.Abs(t.Weight))
	}
	return termRowsOf(c, q, used.For, most), termRowsOf(c, q, used.Against, most), used.Pages, nil
}

// termRowsOf returns terms as the page shows them.
func termRowsOf(c *head, q url.Values, list []operations.UsedTerm, most float64) (rows []termRow) {
	for _, t := range list {
		r := termRow{UsedTerm: t, Bar: weightBar(t.Weight, most)}
		if term := termOf(t); term != "" {
			r.Boost, r.Ban = edited(q, "boost", term), edited(q, "ban", term)
		}
		if !strings.Contains(t.Name, operations.SomeNumber) {
			r.Href = c.Home + "pages?reason=" + url.QueryEscape(t.Name)
		}
		r.Name = tidy(strings.ReplaceAll(t.Shown(), `"`, ""), 50)
		rows = append(rows, r)
	}
	return rows
}

// termOf returns a term as a topic file can have it, as a word if one is known; "" for a signal, and for several terms that share a
// weight: which of them a person means is not known.
func termOf(t operations.UsedTerm) string {
	term, isTerm := strings.CutPrefix(t.Name, `"`)
	term, closed := strings.CutSuffix(term, `"`)
	if !isTerm || !closed || strings.Contains(term, `"`) {
		return ""
	}
	return cmp.Or(t.Word, term)
}
