package crawler

import (
	"context"
	"errors"
	"slices"
	"strings"

	"dowse"
	"dowse/collection"
	"dowse/crawl"
	"dowse/topic"
	"dowse/weburl"
)

// grows reports whether the judge of the crawl grows from the words of its topic.
func (c *Crawler) grows() bool {
	return c.Topic != nil && c.Topic.Grows() && !c.judging.own && !ForSites(c.Collection.Settings.Strategy)
}

// drawnOf returns of how many pages a model that is trained now may draw; 0 for none.
func (c *Crawler) drawnOf() int {
	if n := c.contrastOf(); n == 0 || !c.grows() {
		return n
	}
	return topic.GrowthOf(c.Collection.Crawl.Books().Fetched)
}

// maxGrown is how many bytes of a page's text a judge grows from, so that a few hundred
// long pages do not fill the memory. It is less if memory is small: see grownText.
const maxGrown = 64 << 10

// seenPages returns the first pages that were fetched, at most n, without near
// copies of others and pages that are no longer in the archive. Labels make no difference:
// they correct what grows from these pages. If the judge in use has grown before, the pages
// carry its verdicts.
func (r *rejudge) seenPages(ctx context.Context, of int, again bool) ([]topic.Seen, error) {
	first, err := r.firstPages(ctx, of)
	if err != nil {
		return nil, err
	}
	seeds := map[dowse.URL]bool{}
	for _, s := range r.col.Settings.Seeds {
		if u, err := weburl.Parse(s); err == nil {
			seeds[u] = true
		}
	}
	var list []topic.Seen
	most := grownText(of)
	for _, s := range first {
		if s.page.Near != "" {
			continue
		}
		s.page.URL = r.url(s.id)
		if ok, err := r.lost.readToLearn(r.col, s.page); err != nil {
			return nil, errors.Join(err, ctx.Err())
		} else if ok {
			x := topic.Seen{Page: shortened(s.page, most), Seed: seeds[s.page.URL]}
			if again && r.labels[s.id] == crawl.Unlabelled {
				x.Before = s.page.Verdict.Relevance
			}
			list = append(list, x)
			s.page.Document = dowse.Document{} // the links of some hundred pages can take more memory than the crawl
		}
	}
	return list, nil
}

// shortened returns what a judge reads of a page: without links, and without what comes
// after a number of bytes of text. It shares no memory with what it leaves out.
func shortened(p *dowse.Page, most int) *dowse.Page {
	d := p.Document
	n := len(d.Words)
	for n > 0 && int(d.Words[n-1].End) > most {
		n--
	}
	if n < len(d.Words) {
		d.Text = strings.Clone(d.Text[:d.Words[n].Start])
		d.Words = slices.Clone(d.Words[:n])
	}
	return &dowse.Page{URL: p.URL, Document: dowse.Document{
		Title: d.Title, Description: d.Description, Keywords: d.Keywords, Language: d.Language, Text: d.Text, Words: d.Words,
	}}
}

// grow lets a model grow from the topic's words and the pages seen, and leaves it in m. It
// reports false where there is too little to grow from.
func (g *judging) grow(ctx context.Context, r *retraining, m *topic.Material, again *rejudge) (bool, error) {
	seen, err := again.seenPages(ctx, r.made.Seen, r.regrows)
	if err != nil {
		return false, err
	}
	if g.wordnet != "" {
		m.Meanings, _, err = Meanings(g.wordnet, g.topic)
		r.made.WordNet = err == nil // without it the words stay what the user typed
	}
	before := *m
	growth, ok, err := g.topic.Grow(m, seen)
	if err != nil || !ok {
		return false, err
	}
	why := growth.Fault(len(seen))
	if why != "" && r.sound {
		*m = before
		return false, nil
	}
	r.made.Grown, r.made.Contrast = growth.On, growth.Off
	for _, c := range growth.Meanings {
		r.made.Meant = append(r.made.Meant, collection.Meant{Word: c.Of, Gloss: c.Gloss, Found: len(c.Found), Dropped: len(c.Dropped), Names: c.Found[:min(len(c.Found), shownNames)]})
	}
	if why != "" && r.seen {
		return true, &refusal{why}
	}
	return true, nil
}

// shownNames is how many names of a meaning the log of models keeps.
const shownNames = 12

// wantsGrowth reports whether the crawl should let its judge grow without being asked for
// it. It should not where a person labels and the judge in use has grown: then labels
// decide when it is trained.
func (c *Crawler) wantsGrowth(models []collection.Model, labels *collection.Labels) bool {
	made, _ := collection.MadeModel(models, c.labels.model)
	return made.Grown == 0 || len(labels.Standing()) == 0
}
