package search

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"dowse/collection"
	"dowse/internal/frontier"
)

// Bounds of a comparison: how many terms of the page are weighed, and how many are looked for.
const (
	likeCandidates = 200
	likeTerms      = 25
)

// A likeness is the page to which others are compared, by its numbers in all collections that know it.
type likeness map[*part]frontier.ID

// is reports whether a page of a collection is that page.
func (l likeness) is(p *part, id frontier.ID) bool {
	own, ok := l[p]
	return ok && own == id
}

// liken adds the terms that describe the page of Request.Similar best: those that are frequent on it and
// rare elsewhere. If it is in several collections, the first that has its text is taken.
func (x *answer) liken() error {
	missing := collection.ErrUnknown
	like := likeness{}
	for _, p := range x.s.parts {
		if id, ok := p.col.Crawl.Frontier().Find(x.r.Similar); ok {
			like[p] = id
		}
	}
	for _, p := range x.s.parts {
		if _, ok := like[p]; !ok {
			continue
		}
		row, err := p.col.Row(x.r.Similar)
		if err != nil {
			return err
		}
		doc, err := readPage(p.col, row.Page)
		if errors.Is(err, collection.ErrNotKept) {
			missing = err
			continue
		}
		if err != nil {
			return fmt.Errorf("search: %w", err)
		}
		x.like = like
		language := languageOf(row.Language)
		counts := map[string]int{}
		for _, t := range x.s.lex.tokens(language, doc.own+"\n"+doc.frame) {
			counts[t.term]++
		}
		for _, t := range x.s.lex.tokens(language, doc.title) {
			counts[t.term] += titleWeight
		}
		return x.choose(counts)
	}
	if errors.Is(missing, collection.ErrNotKept) {
		return fmt.Errorf("search: %w", missing)
	}
	return fmt.Errorf("search: %s: %w", x.r.Similar, missing)
}

// choose adds the groups with the highest weight: frequency on the page times rarity elsewhere. A term that
// occurs on one page only finds nothing.
func (x *answer) choose(counts map[string]int) error {
	for _, c := range most(counts, likeCandidates) {
		x.groups = append(x.groups, wordGroup{terms: []string{c.Value}, weight: float64(c.Pages)})
	}
	if err := x.frequencies(); err != nil {
		return err
	}
	stats := &x.s.stats
	for i := range x.groups {
		x.groups[i].weight /= x.groups[i].weight + saturation
	}
	x.groups = slices.DeleteFunc(x.groups, func(g wordGroup) bool { return stats.df[g.key()] < 2 })
	slices.SortFunc(x.groups, func(a, b wordGroup) int {
		return cmp.Or(cmp.Compare(b.weight*stats.rarity(b), a.weight*stats.rarity(a)), strings.Compare(a.terms[0], b.terms[0]))
	})
	x.groups = x.groups[:min(likeTerms, len(x.groups))]
	return nil
}
