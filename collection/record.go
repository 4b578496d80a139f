package collection

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"dowse"
	"dowse/crawl"
	"dowse/internal/frontier"
)

// VisitRows returns the rows of the visits that entries record, with the verdicts in effect. A
// row is nil if its URL was visited again since, was taken down, or can't be read. The row of a
// page that has moved has its URL and the outcome, as long as it redirects. The entries
// may come from another reader of the journal; they are changed. While a crawl runs, only its
// loop may call it.
func (c *Collection) VisitRows(visits []*crawl.Entry) []*Row {
	rows := make([]*Row, len(visits))
	l := &lister{c: c, r: reader{c: c}}
	for _, i := range c.byOrigin(visits) {
		if row, err := l.visitRow(visits[i]); err == nil {
			rows[i] = row
		}
	}
	return rows
}

// byOrigin returns the indexes of visits in the order of the entries that first named their URLs. In
// this order a [reader] decodes each of these entries once.
func (c *Collection) byOrigin(visits []*crawl.Entry) []int {
	order, records := make([]int, len(visits)), make([]uint64, len(visits))
	for i, e := range visits {
		order[i] = i
		if fr := c.Crawl.Frontier(); e.ID < frontier.ID(fr.Len()) {
			records[i], _ = c.Journal.NamedBy(fr.Place(e.ID)) // an error shows again when its row is made
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(records[a], records[b]) })
	return order
}

// visitRow returns the row of a visit, nil if it is not the last one to its URL.
func (l *lister) visitRow(e *crawl.Entry) (*Row, error) {
	c := l.c
	if c.hasMoved(e) && !c.misnamed(e.ID) {
		c.nameEntry(e)
		return &Row{Page: e.Page}, nil
	}
	if !c.isPage(e) || c.misnamed(e.ID) {
		return nil, nil
	}
	switch r, err := c.Journal.RulingOn(e.Place()); {
	case err != nil:
		return nil, err
	case r != nil:
		r.Apply(e.Page, e.Found)
	}
	c.nameEntry(e)
	row, err := l.row(ref{e.ID, e.Place(), true}, e)
	if row != nil {
		row.Reserved = c.reservedByHost(row.URL)
	}
	return row, err
}

// Record returns the JSON object of a page as an export of that page alone would hold it, with
// the text that opt.Text asks for, but without the facts that are costly to compute from it
// (lang_score, token_count); and the row with that text. left is why an export would leave
// the page out because of a wish of its owner, "" if it would not. The own text of a page is
// found without the template of its site, so it does not depend on which other pages there are.
//
// A page that can't be read has no text. It is an error, [ErrErased], only for a page that was
// taken down. The collection need not be loaded.
func (c *Collection) Record(row *Row, opt ExportOptions) (line []byte, full *Row, left string, err error) {
	x, err := newExporter(context.Background(), c, "-", exportFormat{suffix: "jsonl", list: newJSONLSink}, opt)
	if err != nil {
		return nil, nil, "", err
	}
	x.noWords = true // no member of the object counts them
	p := &exportedPage{row: row, left: x.sel.refuses(row, 0)}
	if p.left == "" {
		x.readContent(p)
	}
	if p.left != "" {
		return nil, nil, p.left, nil
	}
	if errors.Is(p.err, ErrErased) {
		return nil, nil, "", p.err
	}
	if x.opt.Text == none {
		line, err = p.row.MarshalJSON()
	} else {
		line, err = p.row.With("use_flags", "text")
	}
	return line, p.row, "", err
}

// hasMoved reports whether an entry found that a page redirects, which it still does.
func (c *Collection) hasMoved(e *crawl.Entry) bool {
	return e.Kind == crawl.EntryPage && e.Page.Outcome == dowse.Redirected && e.Page.Again && !c.forgotten(e.ID) &&
		c.Crawl.Frontier().State(e.ID) == dowse.Aliased
}
