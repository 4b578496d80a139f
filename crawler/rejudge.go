package crawler

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"dowse"
	"dowse/collection"
	"dowse/crawl"
	"dowse/internal/frontier"
	"dowse/internal/linkrating"
	"dowse/internal/repeats"
	"dowse/judge"
)

// A rejudge reads visited pages from the archive again. It may run
// concurrently with the crawl: it has its own files open, and sees what was
// committed when it was opened.
type rejudge struct {
	// col is open to read only, without a crawl.
	col *collection.Collection
	// names are the journal offsets of the strings of URLs, by number.
	names  []uint64
	by     *Visitor // rates pages as its visits do
	labels map[frontier.ID]crawl.Label
	lost   lostTexts
	// via are the links by which URLs were first seen; nil if the judge does
	// not use them.
	via map[frontier.ID]*dowse.Via
}

// openRejudge opens the collection in dir. parts are the rulings that are in
// effect. The caller must close col.
func openRejudge(dir string, parts []uint64, by *Visitor, labels map[frontier.ID]crawl.Label) (*rejudge, error) {
	col, err := collection.Open(dir, nil, true)
	if err != nil {
		return nil, err
	}
	col.Journal.SetRulings(parts)
	names, err := col.Journal.Names()
	if err != nil {
		return nil, errors.Join(err, col.Close())
	}
	return &rejudge{col: col, names: names, by: by, labels: labels, lost: lostTexts{}}, nil
}

// url returns the string of a numbered URL, "" for an unknown number.
func (r *rejudge) url(id frontier.ID) dowse.URL {
	if int(id) >= len(r.names) {
		return ""
	}
	return r.col.Journal.At(r.names[id])
}

// examples returns the labelled pages that the archive holds, each at its
// last visit, sorted by number so that a training is reproducible. It reads the
// journal first and the archive afterwards, for the few pages that have labels.
func (r *rejudge) examples(ctx context.Context) ([]judge.Example, error) {
	pages := map[frontier.ID]*dowse.Page{}
	for e, err := range r.col.Journal.Visits(0) {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return nil, err
		}
		if r.labels[e.ID] != crawl.Unlabelled && isVisit(e) {
			pages[e.ID] = e.Page
		}
	}
	var list []judge.Example
	for _, id := range slices.Sorted(maps.Keys(pages)) {
		p := pages[id]
		p.URL = r.url(id)
		if ok, err := r.lost.readToLearn(r.col, p); err != nil {
			return nil, err
		} else if ok {
			list = append(list, judge.Example{Page: p, Relevant: r.labels[id] == crawl.LabelledOn})
		}
	}
	return list, nil
}

// isVisit reports whether an entry is a visit that fetched a page.
func isVisit(e *crawl.Entry) bool {
	return e.Kind == crawl.EntryPage && e.Page.Outcome == dowse.Fetched
}

// rulings judges every visit up to the end of the journal. It returns the
// verdicts that differ from those in effect, and the offset of that end.
// Pages are read one by one, so that memory grows with the rulings only; the
// time is that of reading the archive once.
func (r *rejudge) rulings(ctx context.Context, j dowse.Judge) (list []crawl.Ruling, end uint64, err error) {
	end = r.col.Journal.End()
	for e, err := range r.col.Journal.AsWritten(0) {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return nil, 0, err
		}
		if !isVisit(e) {
			continue
		}
		e.Page.URL = r.url(e.ID)
		e.Page.Via = r.via[e.ID]
		ruling, err := r.lost.judgeAgain(r.col, e, j, r.by, r.labels[e.ID])
		if err != nil {
			return nil, 0, err
		}
		if ruling != nil {
			list = append(list, *ruling)
			e.Page.Verdict = ruling.Verdict
		}
		r.recordLinks(e)
	}
	return list, end, nil
}

// recordLinks records the first link to each URL.
func (r *rejudge) recordLinks(e *crawl.Entry) {
	if r.via == nil {
		return
	}
	for i, l := range e.Links {
		if _, seen := r.via[l.ID]; !seen && i < len(e.Found) {
			r.via[l.ID] = collection.ViaOf(e, i, e.Page.URL)
		}
	}
}

// lostTexts are the records of the archive that can't be decoded. Nothing is learnt from their pages, and
// these keep their verdicts.
type lostTexts map[dowse.Place]bool

// judgeAgain judges one visit again. It returns nil if the verdict is unchanged,
// or if the archive does not hold the page.
func (lost lostTexts) judgeAgain(col *collection.Collection, e *crawl.Entry, j dowse.Judge, by *Visitor, label crawl.Label) (*crawl.Ruling, error) {
	current, err := col.Journal.RulingOn(e.Place())
	if err != nil {
		return nil, err
	}
	r := &crawl.Ruling{Place: e.Place(), ID: e.ID, Label: label, Verdict: e.Page.Verdict}
	if current != nil {
		r.Verdict, r.Context, r.Anchor = current.Verdict, current.Context, current.Anchor
	}
	p := *e.Page
	ok, err := lost.readAgain(col, &p)
	if err != nil {
		return nil, err
	}
	if ok {
		by.judge(j, &p)
		r.Verdict = p.Verdict
		rate(r, &p, e.Found)
	}
	if same(r, current, e) {
		return nil, nil
	}
	return r, nil
}

// rate copies the ratings of the links of a page into a ruling, provided
// that these are the links that the visit found. A newer extractor may find
// others, whose ratings would not match.
func rate(r *crawl.Ruling, p *dowse.Page, found []dowse.Link) {
	was, is := linkrating.Mentions(found), linkrating.Mentions(p.Links)
	if !slices.EqualFunc(was, is, func(a, b *dowse.Mention) bool { return a.Anchor == b.Anchor }) {
		return
	}
	r.Context, r.Anchor = make([]float64, len(is)), nil
	for i, m := range is {
		r.Context[i] = m.Context
		if m.AnchorScore != 0 && r.Anchor == nil {
			r.Anchor = make([]float64, len(is))
		}
	}
	for i := range r.Anchor {
		r.Anchor[i] = is[i].AnchorScore
	}
}

// same reports whether a ruling equals the one in effect before.
func same(r, current *crawl.Ruling, e *crawl.Entry) bool {
	was := crawl.Ruling{Verdict: e.Page.Verdict}
	if current != nil {
		was = *current
	}
	if len(was.Context) == 0 {
		rate(&was, &dowse.Page{Document: dowse.Document{Links: e.Found}}, e.Found)
	}
	same := func(a, b float64) bool { return a == b || a != a && b != b }
	return r.Label == was.Label && r.Verdict.Relevance == was.Verdict.Relevance && r.Verdict.Judge == was.Verdict.Judge &&
		slices.EqualFunc(r.Context, was.Context, same) && slices.EqualFunc(r.Anchor, was.Anchor, same)
}

// readAgain restores the text of a page from the archive. It reports false
// if the archive does not hold the page, or if its record can't be decoded, which is recorded.
func (lost lostTexts) readAgain(col *collection.Collection, p *dowse.Page) (bool, error) {
	doc, err := col.Document(p)
	if errors.Is(err, collection.ErrErased) || errors.Is(err, collection.ErrNotKept) {
		return false, nil
	}
	if errors.Is(err, collection.ErrDamaged) {
		lost[p.Fetch.Archive] = true
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("crawler: the text of %s: %w", p.URL, err)
	}
	replaceDocument(p, doc)
	return true, nil
}

// readToLearn is readAgain for a page that a judge is trained on: it has the text that the judge
// of the crawl reads, without what other pages of the host repeat if that is left out.
func (lost lostTexts) readToLearn(col *collection.Collection, p *dowse.Page) (bool, error) {
	ok, err := lost.readAgain(col, p)
	if ok && repeats.UseOf(col.Settings.Templates).Judge {
		*p = *repeats.Without(p)
	}
	return ok, err
}
