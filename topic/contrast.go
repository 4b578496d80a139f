package topic

import (
	"context"
	"fmt"

	"dowse/judge"
)

// What the pages are that stand in for examples that are not on topic, in the order in
// which they are preferred. The words are for people.
const (
	OfDirectory = "other entries of the directory"
	OfCrawl     = "pages seen in this crawl, taken at random,"
)

// ofCollection says the same of pages of another collection.
func ofCollection(s Source) string {
	return fmt.Sprintf("pages of collection %s, taken at random,", s.Collection)
}

// Lacks returns how many pages that are not on topic are wanted beside the examples,
// and nobody gave: everyday texts stand in for them. It is 0 without an example on
// topic, since then nothing is learnt.
func (m *Material) Lacks() int {
	on, off := m.Counts()
	if on == 0 || len(m.Contrast) > 0 {
		return 0
	}
	return contrastNeeded(on, off)
}

// Wants returns how many pages that were seen are to stand in where examples lack: as
// there are plenty of them, more than of everyday texts.
func (m *Material) Wants() int { return perText * m.Lacks() }

// seen reports whether pages that were seen in a crawl stand in.
func (m *Material) seen() bool {
	return len(m.Contrast) > 0 && m.contrastOf() != OfDirectory
}

// Against returns how many everyday texts the topic's judge is trained against.
func (t *Topic) Against(m *Material) int {
	texts, _ := everyday(t.Language())
	return min(m.Lacks(), len(texts))
}

// Contrasted lets pages stand in for examples that are not on topic. of says what they
// are, as OfCrawl does. What was trained before does not count any more.
func (m *Material) Contrasted(pages []judge.Example, of string) {
	m.Contrast, m.ContrastOf = pages, of
	m.Trained, m.Zero = nil, nil
}

// others lets pages of the collections that the topic names stand in, where no
// directory gave any: what was seen there is nearer to what a crawl meets than
// everyday texts.
func (t *Topic) others(ctx context.Context, l Loader, m *Material) error {
	for _, s := range t.Like {
		need := m.Wants()
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
			m.Contrasted(list, ofCollection(s))
		}
	}
	return nil
}

// FewestSeen is how many pages that were seen are enough to stand in. Fewer would teach
// a judge what these pages say, and not what others do.
const FewestSeen = 20

// contrast says what a judge of these examples would be trained against.
func (t *Topic) contrast(m *Material) {
	on, off := m.Counts()
	if on == 0 || contrastNeeded(on, off) == 0 {
		return
	}
	n := len(t.StandIns(m))
	_, of := everyday(t.Language())
	switch {
	case len(m.Contrast) > 0:
		m.note("%s: %d %s stand in%s", offTopic(off), n, m.contrastOf(), forMore(off))
	case of != baseOf(t.Language()):
		m.note("%s: %d everyday texts stand in%s, in English; unlike: pages in %q make the judge surer", offTopic(off), n, forMore(off), t.Language())
	case of == "en":
		m.note("%s: %d everyday texts stand in%s; unlike: pages that look alike make the judge surer", offTopic(off), n, forMore(off))
	default:
		m.note("%s: %d everyday texts in %q stand in%s; unlike: pages that look alike make the judge surer", offTopic(off), n, of, forMore(off))
	}
}

func (m *Material) contrastOf() string {
	if m.ContrastOf == "" {
		return OfDirectory
	}
	return m.ContrastOf
}

// offTopic tells how many examples are off topic.
func offTopic(n int) string {
	switch n {
	case 0:
		return "no example is off topic"
	case 1:
		return "1 example is off topic"
	}
	return fmt.Sprintf("%d examples are off topic", n)
}

// forMore tells what others stand in for, where there are some.
func forMore(off int) string {
	if off == 0 {
		return ""
	}
	return " for more"
}
