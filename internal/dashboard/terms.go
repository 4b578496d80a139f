package dashboard

import (
	"cmp"
	"context"
	"html/template"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"dowse/internal/facts"
	"dowse/internal/operations"
)

// A termRow is a term that had a part in verdicts.
type termRow struct {
	Name, Href string
	Boost, Ban string // the addresses that add it to the pending edit
	Pages      int
	Weight     float64 // on average over the pages that have it
	Bar        template.HTML
	sum        float64
}

// Bounds of the terms that are shown.
const (
	termPages = 200 // the newest pages, whose reasons are added up
	termRows  = 12  // for the topic, and against it
)

// terms returns what the judge went by on the newest pages: the terms that added most for the topic and against it. They
// come from the reasons of verdicts, so they are what matters on real pages, whichever judge it is.
func (d *Dashboard) terms(ctx context.Context, c *head, q url.Values) (on, off []termRow, of int, err error) {
	list, err := d.ops.Pages(ctx, c.ID, operations.PageQuery{Limit: termPages})
	if err != nil {
		return nil, nil, 0, err
	}
	for _, t := range addedUp(list.Pages) {
		term, isTerm := strings.CutPrefix(t.Name, `"`)
		if isTerm {
			term = strings.TrimSuffix(term, `"`)
			t.Boost, t.Ban = edited(q, "boost", term), edited(q, "ban", term)
		}
		if !strings.Contains(t.Name, someNumber) {
			t.Href = c.Home + "pages?reason=" + url.QueryEscape(t.Name)
		}
		t.Name = tidy(strings.ReplaceAll(t.Name, `"`, ""), 50)
		if t.sum > 0 {
			on = append(on, t)
		} else {
			off = append(off, t)
		}
	}
	on, off = strongest(on), strongest(off)
	most := 0.0 // both lists have one scale
	for _, t := range slices.Concat(on, off) {
		most = math.Max(most, math.Abs(t.Weight))
	}
	for _, l := range [][]termRow{on, off} {
		for i := range l {
			l[i].Bar = weightBar(l[i].Weight, most)
		}
	}
	return on, off, len(list.Pages), nil
}

// someNumber replaces the numbers in the name of a signal.
const someNumber = "…"

var numbers = regexp.MustCompile(`[0-9][0-9.,]*`)

// addedUp returns the terms of verdicts with the sums of their weights. Sums of many small terms and the bias are no terms.
func addedUp(rows []*facts.Row) (list []termRow) {
	at := map[string]int{}
	for _, r := range rows {
		for _, b := range r.Page.Verdict.Because {
			if isSum(b.What) || b.Weight == 0 || b.What == "bias" {
				continue
			}
			name := b.What
			if !strings.HasPrefix(name, `"`) { // a signal such as "the words fill 34 % of the text" is one for all its numbers
				name = numbers.ReplaceAllString(name, someNumber)
			}
			i, ok := at[name]
			if !ok {
				i = len(list)
				at[name] = i
				list = append(list, termRow{Name: name})
			}
			list[i].Pages++
			list[i].sum += b.Weight
		}
	}
	for i := range list {
		list[i].Weight = list[i].sum / float64(list[i].Pages)
	}
	return list
}

// strongest returns the terms with the largest sums.
func strongest(list []termRow) []termRow {
	slices.SortFunc(list, func(a, b termRow) int {
		return cmp.Or(cmp.Compare(math.Abs(b.sum), math.Abs(a.sum)), strings.Compare(a.Name, b.Name))
	})
	return list[:min(len(list), termRows)]
}
