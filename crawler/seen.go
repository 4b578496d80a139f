package crawler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/crawl"
	"dowse/internal/frontier"
	"dowse/judge"
	"dowse/topic"
	"dowse/weburl"
)

// The sources of negative examples for a topic that has too few.
const (
	contrastSeen     = "seen"     // pages seen in the crawl, as soon as there are enough
	contrastEveryday = "everyday" // the texts that are built in, for the whole crawl
)

// The numbers of fetched pages from which negative examples are drawn: 100, 200, 400, and
// then each time four times as many. A crawl trains its judge again by itself up to
// lastSeen pages, after the same numbers of pages as one that grows from words
// ([topic.GrowthOf]). The first time comes early, so that little was visited under the
// first judge, and judging it again takes a moment; the later ones draw from pages
// farther from the seeds. After that, more pages add no information, and only labels lead
// to another model.
const (
	firstSeen = 100
	lastSeen  = 400
	moreSeen  = 4
)

// seenOf returns from how many of the fetched pages negative examples are
// drawn; 0 while there are too few. It grows in steps, so that a model that
// has to be trained again is trained on the same pages.
func seenOf(fetched int) (n int) {
	n = topic.GrowthOf(fetched)
	for next := lastSeen * moreSeen; next <= fetched; next *= moreSeen {
		n = next
	}
	return n
}

// A fetchedPage is a candidate for a negative example: a page that the crawl
// fetched, with its position in the order in which pages are drawn.
type fetchedPage struct {
	page *dowse.Page
	id   frontier.ID
	// place is the offset of the visit in the journal.
	place uint64
	// turn is how many pages of the same host come before it, and lot its
	// position in the random order.
	turn int
	lot  uint64
}

// drawSeen draws at most n pages that are probably not on topic from the first of pages
// that were fetched; a negative of means all. Pages of a focused crawl
// are partly on topic, so it draws at random from the third that the judge rated
// lowest, without those that it rated on topic. Labelled pages and near copies of others are
// left out. Hosts take turns, so that a large one does not dominate the sample.
// The random order depends only on the key of the collection and the URLs, so that a
// training can be repeated; it is not the order of audits.
func (r *rejudge) drawSeen(ctx context.Context, of, n int, not map[dowse.URL]bool) ([]*dowse.Page, error) {
	list, err := r.firstPages(ctx, of)
	if err != nil {
		return nil, err
	}
	list = r.unlikely(list)
	for i := range list {
		list[i].page.URL = r.url(list[i].id)
		list[i].lot = r.col.Lot("contrast", list[i].page.URL)
	}
	takeTurns(list)
	var pages []*dowse.Page
	for _, s := range list {
		if len(pages) == n {
			break
		}
		if not[s.page.URL] {
			continue
		}
		if ok, err := r.lost.readToLearn(r.col, s.page); err != nil {
			return nil, errors.Join(err, ctx.Err())
		} else if ok {
			pages = append(pages, s.page)
		}
	}
	return pages, nil
}

// firstPages returns the first pages that were fetched, each once.
func (r *rejudge) firstPages(ctx context.Context, of int) (list []fetchedPage, err error) {
	for e, err := range r.col.Journal.Visits(0) {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return nil, err
		}
		if !isVisit(e) || e.Page.Again || e.Idle {
			continue
		}
		if of >= 0 && len(list) == of {
			break
		}
		list = append(list, fetchedPage{page: e.Page, id: e.ID, place: e.Place()})
	}
	return list, nil
}

// unlikely keeps the least relevant third of the pages, as far as they are off topic. A
// judge that was trained against everyday texts orders pages better than it separates
// them at the threshold, so the lowest third is off topic even if up to two thirds of the
// pages are on topic.
func (r *rejudge) unlikely(list []fetchedPage) []fetchedPage {
	slices.SortStableFunc(list, func(a, b fetchedPage) int {
		return cmp.Compare(a.page.Verdict.Relevance, b.page.Verdict.Relevance)
	})
	return slices.DeleteFunc(list[:(len(list)+2)/3], func(s fetchedPage) bool {
		return s.page.Verdict.Relevance >= r.col.Settings.Threshold || r.labels[s.id] != crawl.Unlabelled || s.page.Near != ""
	})
}

// takeTurns puts pages into a random order in which hosts alternate.
func takeTurns(list []fetchedPage) {
	byLot := func(a, b fetchedPage) int { return cmp.Or(cmp.Compare(a.lot, b.lot), cmp.Compare(a.id, b.id)) }
	slices.SortFunc(list, byLot)
	turns := map[string]int{}
	for i := range list {
		host := weburl.Host(list[i].page.URL)
		list[i].turn = turns[host]
		turns[host]++
	}
	slices.SortFunc(list, func(a, b fetchedPage) int { return cmp.Or(cmp.Compare(a.turn, b.turn), byLot(a, b)) })
}

// contrast adds pages of the crawl to m as negative examples if it has too
// few, and returns how many.
func (r *rejudge) contrast(ctx context.Context, m *topic.Material, of int) (int, error) {
	need := m.WantedNegatives()
	if need == 0 || of == 0 {
		return 0, nil
	}
	not := map[dowse.URL]bool{}
	for _, e := range m.Examples {
		if e.Page != nil {
			not[e.Page.URL] = true
		}
	}
	pages, err := r.drawSeen(ctx, of, need, not)
	if err != nil || len(pages) < topic.FewestSeen {
		return 0, err
	}
	var list []judge.Example
	for _, p := range pages {
		list = append(list, judge.Example{Page: p})
	}
	m.SetContrast(list, topic.OfCrawl)
	return len(list), nil
}

// checkSeen is called by the loop after pages were committed. When enough
// pages were fetched, it trains the judge against some of them, if its only
// negative examples are everyday texts. The loop waits for the result, so
// that the order of visits does not depend on how long that takes; the pages
// are few. It is skipped if they are many, as in a collection of an older
// version.
func (c *Crawler) checkSeen(abort context.Context, now time.Time) {
	w := &c.labels
	if w.seen >= lastSeen {
		return
	}
	fetched := c.Collection.Crawl.Books().Fetched
	stage := topic.GrowthOf(fetched)
	if stage <= w.seen || w.work != nil || c.Collection.Crawl.MidRound() || abort.Err() != nil {
		return
	}
	w.seen = stage
	labels, err := collection.ReadLabels(c.Collection.Dir)
	if err != nil || fetched >= lastSeen*moreSeen || !c.wantsContrast(labels) {
		return // callers that need the labels report that they can't be read
	}
	if err := c.commit(); err != nil {
		c.err = errors.Join(c.err, err)
		return
	}
	c.contrastNow(abort, labels, now)
}

// contrastNow trains the judge against pages of the crawl, and waits for it.
func (c *Crawler) contrastNow(abort context.Context, labels *collection.Labels, now time.Time) {
	w := &c.labels
	read := w.read
	c.retrain(labels, true)
	r := w.work
	select {
	case <-r.done:
	case <-abort.Done():
		r.cancel()
		<-r.done
	}
	if errors.Is(r.err, errNoContrast) || abort.Err() != nil {
		r.cancel()
		w.work, w.read = nil, read
		return
	}
	if isRefusal(r.err) {
		w.read, r.made.Read = read, read // labels wait for the next model
	}
	c.putIntoUse(now)
}

// errNoContrast ends a retraining that was started only to use pages of the crawl as
// negative examples, if too few of them can be read.
var errNoContrast = errors.New("too few pages to train against")

// seenBy returns from how many pages negative examples were drawn for the
// models that were put into use or rejected. A model that only the journal
// names counts too: the process was killed before it was logged.
func seenBy(models []collection.Model, inUse string) (n int) {
	for _, m := range models {
		if m.Refused || m.Error == "" && (m.Done || m.Model == inUse) {
			n = max(n, m.Seen)
		}
	}
	return n
}

// contrastOf returns from how many pages negative examples may be drawn now;
// 0 for none.
func (c *Crawler) contrastOf() int {
	if c.judging.own || c.Collection.Settings.Contrast == contrastEveryday {
		return 0
	}
	return seenOf(c.Collection.Crawl.Books().Fetched)
}

// wantsContrast reports whether the crawl should train its judge against pages that it
// fetched, without being asked for it. It should not if the topic has negative examples,
// if a model was refused and there are hardly more pages by now, if a person returned to
// an earlier model, if a person labels pages and the judge in use
// was trained that way already, or if an outside judge trains the judge, since a new model
// would lose what that one learnt.
func (c *Crawler) wantsContrast(labels *collection.Labels) bool {
	undone := slices.ContainsFunc(labels.Lines, func(l collection.Label) bool { return l.Do == collection.DoUndo })
	if c.contrastOf() == 0 || undone || c.cfg.Strategy != nil || c.Topic.Outside != nil {
		return false
	}
	models, err1 := collection.Models(c.Collection.Dir)
	m, err2 := MaterialOf(c.Collection)
	if err1 != nil || err2 != nil {
		return false
	}
	if c.grows() {
		return c.wantsGrowth(models, labels)
	}
	if !positivesOnly(m) || c.Collection.Crawl.Books().Fetched < lastSeen && slices.ContainsFunc(models, isRefusedContrast) {
		return false
	}
	current := labels.Standing()
	if made, _ := collection.MadeModel(models, c.labels.model); made.Contrast > 0 && len(current) > 0 {
		return false // the labels decide when it is trained again
	}
	for _, l := range current {
		m.Examples = append(m.Examples, judge.Example{Relevant: l.Label == collection.LabelOn})
	}
	return m.MissingNegatives() > 0
}

// isRefusedContrast reports whether a model that the crawl trained by itself was refused.
func isRefusedContrast(m collection.Model) bool { return m.Refused && m.Labels == 0 }

// positivesOnly reports whether all examples of a topic are on topic. Only
// then does a crawl train against its own pages without being asked: if a
// person has named what is off topic, that is more reliable than the guess
// of a judge that knows little.
func positivesOnly(m *topic.Material) bool {
	on, off := m.Counts()
	return on > 0 && off == 0
}

// openSeen opens a collection to draw pages from it.
func openSeen(dir string) (c *Crawler, again *rejudge, err error) {
	if c, err = View(dir); err != nil {
		return nil, nil, err
	}
	labels, err := collection.ReadLabels(dir)
	if err == nil {
		ids := labelIDs(c.Collection.Crawl.Frontier(), labels.Standing())
		again, err = openRejudge(dir, c.Collection.Crawl.Rulings(), &Visitor{}, ids)
	}
	if err != nil {
		return nil, nil, errors.Join(err, c.Close())
	}
	return c, again, nil
}

// Contrast adds pages of the crawl of a collection to m as negative
// examples, if m has too few and the crawl itself does so.
func Contrast(ctx context.Context, dir string, m *topic.Material) error {
	if m.MissingNegatives() == 0 {
		return nil
	}
	c, again, err := openSeen(dir)
	if err != nil {
		return err
	}
	defer c.Close()
	defer again.col.Close()
	c.judging = &judging{}
	n, err := again.contrast(ctx, m, c.contrastOf())
	if n > 0 {
		m.Notes = append(m.Notes, fmt.Sprintf("%d %s serve as negative examples", n, topic.OfCrawl))
	}
	return err
}

// Others returns at most n pages of a collection that are probably off its
// topic.
func (l *loader) Others(ctx context.Context, s topic.Source, n int) ([]*dowse.Page, error) {
	c, again, err := openSeen(l.path(s.Collection))
	if err != nil {
		return nil, err
	}
	defer c.Close()
	defer again.col.Close()
	return again.drawSeen(ctx, -1, n, nil)
}
