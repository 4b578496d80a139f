package topic

import (
	"context"
	"fmt"

	"dowse/judge"
)

// Descriptions of the pages that are used as negative examples when there are
// too few, in order of preference. OfCrawl is stored in collections.
const (
	ofDirectory = "other entries of the directory"
	OfCrawl     = "pages seen in this crawl, taken at random,"
)

// ofCollection describes pages of another collection in the same way.
func ofCollection(s Source) string {
	return fmt.Sprintf("pages of collection %s, taken at random,", s.Collection)
}

// MissingNegatives returns how many negative examples are missing, for which
// everyday texts are then used. It is 0 without a positive example, since
// nothing is learnt then, and if contrast was set.
func (m *Material) MissingNegatives() int {
	on, off := m.Counts()
	if on == 0 || len(m.Contrast) > 0 {
		return 0
	}
	return contrastNeeded(on, off)
}

// WantedNegatives returns how many pages of a crawl should replace the missing
// negative examples: more than everyday texts, since there are plenty of them.
func (m *Material) WantedNegatives() int { return perText * m.MissingNegatives() }

// seen reports whether the contrast are pages that were seen in a crawl.
func (m *Material) seen() bool {
	return len(m.Contrast) > 0 && m.contrastOf() != ofDirectory
}

// Against returns how many everyday texts the topic's judge is trained against.
func (t *Topic) Against(m *Material) int {
	texts, _ := everyday(t.Language())
	return min(m.MissingNegatives(), len(texts))
}

// SetContrast sets the pages that are used as negative examples if there are
// too few. of describes them, as OfCrawl does. A model that was trained before
// is discarded.
func (m *Material) SetContrast(pages []judge.Example, of string) {
	m.Contrast, m.ContrastOf = pages, of
	m.discard()
}

// discard removes what was trained before, after the training data has changed.
func (m *Material) discard() { m.Trained, m.Zero, m.Temperature = nil, nil, 0 }

// gatherContrast takes pages of the collections that the topic names as
// contrast, if no directory supplied any: they are closer to what a crawl meets
// than everyday texts.
func (t *Topic) gatherContrast(ctx context.Context, l Loader, m *Material) error {
	for _, s := range t.Like {
		need := m.WantedNegatives()
		if s.Collection == "" || s.Label == labelOf(false) || need == 0 {
			continue
		}
		pages, err := l.Others(ctx, s, need)
		if err != nil {
			return t.missing(inLike, s.String(), s.fix(err), err)
		}
		var list []judge.Example
		for _, p := range pages {
			list = append(list, judge.Example{Page: p})
		}
		if len(list) >= FewestSeen {
			m.SetContrast(list, ofCollection(s))
		}
	}
	return nil
}

// FewestSeen is the least number of seen pages that are used as negative
// examples. Fewer would teach a judge what these particular pages say.
const FewestSeen = 20

// contrast adds a note that describes the substitutes for missing negative
// examples.
func (t *Topic) contrast(m *Material) {
	on, off := m.Counts()
	if on == 0 || contrastNeeded(on, off) == 0 {
		return
	}
	n := len(t.Substitutes(m))
	_, of := everyday(t.Language())
	switch {
	case len(m.Contrast) > 0:
		m.note("%s: %d %s serve as negative examples%s", offTopic(off), n, m.contrastOf(), forMore(off))
	case of != baseOf(t.Language()):
		m.note("%s: %d everyday texts serve as negative examples%s, in English; unlike: pages in %q improve the judge", offTopic(off), n, forMore(off), t.Language())
	case of == "en":
		m.note("%s: %d everyday texts serve as negative examples%s; unlike: pages that look alike improve the judge", offTopic(off), n, forMore(off))
	default:
		m.note("%s: %d everyday texts in %q serve as negative examples%s; unlike: pages that look alike improve the judge", offTopic(off), n, of, forMore(off))
	}
}

// contrastOf returns what the contrast consists of, for notes.
func (m *Material) contrastOf() string {
	if m.ContrastOf == "" {
		return ofDirectory
	}
	return m.ContrastOf
}

// offTopic describes how many examples are off topic.
func offTopic(n int) string {
	switch n {
	case 0:
		return "no example is off topic"
	case 1:
		return "1 example is off topic"
	}
	return fmt.Sprintf("%d examples are off topic", n)
}

// forMore returns the end of the note if there are some negative examples
// already.
func forMore(off int) string {
	if off == 0 {
		return ""
	}
	return " in addition"
}
