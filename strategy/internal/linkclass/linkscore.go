package linkclass

import (
	"cmp"
	"fmt"
	"math"

	"dowse"
	"dowse/strategy/internal/lead"
)

// LinkScoring are the parameters of rating a URL by its words and by the pages that
// link to it (Taylan et al. 2011, eq. 4; Pal et al. 2009), and of how far irrelevant
// pages are crossed.
type LinkScoring struct {
	Page       float64 `param:"page" default:"0.8" max:"1" help:"a page of a higher relevance is relevant; Taylan et al. 2011"`
	MaxLevel   int     `param:"max-level" default:"2" min:"-1" help:"irrelevant pages in a row whose links are followed; -1 for none; the paper leaves it to the user"`
	ParentTerm string  `param:"parent-term" default:"raw" help:"what linking pages add: raw, their number and relevance as in the paper; log1p or capped, so that links on every page do not win"`
	ParentCap  float64 `param:"parent-cap" default:"3" help:"the most that either adds, if capped; ours"`
	Sitemaps   bool    `param:"sitemaps" default:"false" help:"follow the links of sitemaps too, at level 1; ours"`
	LinkWords
}

// How linking pages add up: as in eq. 4, or damped. In eq. 4 the number of linking pages is
// unbounded, so that a link in the footer of every page, such as "terms", overtakes all
// others after two relevant pages (SPEC C.5).
const (
	parentRaw    = "raw"
	parentLog1p  = "log1p"
	parentCapped = "capped"
)

// Check returns an error for parameters that are invalid.
func (s *LinkScoring) Check() error {
	switch s.ParentTerm {
	case "", parentRaw, parentLog1p, parentCapped:
	default:
		return fmt.Errorf("parent-term=%s: want %s, %s or %s", s.ParentTerm, parentRaw, parentLog1p, parentCapped)
	}
	return s.LinkWords.check()
}

// Traits asks for ratings of anchors by the judge if there is no table of topic words.
func (s *LinkScoring) Traits() dowse.Traits {
	return dowse.Traits{Anchors: len(s.Table) == 0}
}

// The bands of the queue. A link whose probability is known comes before one that only has
// a score, because a probability and a sum of counts have no common scale (SPEC C.6). Links
// to train with come before both.
const (
	seedBand int8 = iota
	lessonBand
	probableBand
	scoredBand
)

// A scorer rates links by eq. 4 and decides which links of irrelevant pages are followed.
// What it knows of a URL is in the notes of leads; it has no memory of its own. A page
// costs the terms of the anchors and URLs of its links, of which a bounded number is read.
type scorer struct {
	page     float64
	levels   int
	parents  func(x float64) float64
	sitemaps bool
	words    *linkReader
	topic    *topicReader // nil for none
}

// newScorer returns a scorer with the defaults filled in.
func newScorer(s *LinkScoring) *scorer {
	f := &scorer{page: cmp.Or(s.Page, 0.8), levels: max(cmp.Or(s.MaxLevel, 2), 0), sitemaps: s.Sitemaps}
	f.words, f.topic = newLinkReader(&s.LinkWords), newTopicReader(&s.LinkWords)
	most := cmp.Or(s.ParentCap, 3)
	switch s.ParentTerm {
	case parentLog1p:
		f.parents = math.Log1p
	case parentCapped:
		f.parents = func(x float64) float64 { return min(x, most) }
	default:
		f.parents = func(x float64) float64 { return x }
	}
	return f
}

// start queues the seeds before everything else, as links of a relevant page.
func (f *scorer) start(seeds []dowse.URL) []dowse.Lead {
	leads := lead.Seeds(seeds)
	note := (&standing{flags: isSeed}).note()
	for i := range leads {
		leads[i].Band, leads[i].Note = seedBand, note
	}
	return leads
}

// A merit is a link score in its four summands (eq. 4): similarity of the URL and of the
// best anchor, number of relevant linking pages, sum of the relevance of all linking pages.
type merit struct{ url, anchor, count, sum float64 }

func (m merit) score() float64 { return m.url + m.anchor + m.count + m.sum }

// meritReasons is the number of reasons that because appends at most.
const meritReasons = 4

// because appends the summands as reasons, without those that are 0.
func (m merit) because(dst []dowse.Because, s *standing) []dowse.Because {
	dst = append(dst, dowse.Because{What: "relevance of linking pages", Weight: m.sum})
	if m.count != 0 {
		dst = append(dst, dowse.Because{What: "relevant linking pages", Weight: m.count, Count: int(s.relevant)})
	}
	if m.anchor != 0 {
		dst = append(dst, dowse.Because{What: "anchor", Weight: m.anchor})
	}
	if m.url != 0 {
		dst = append(dst, dowse.Because{What: "words of the URL", Weight: m.url})
	}
	return dst
}

// rate returns the link score of a URL. It never falls as further links are found, since
// all four summands only grow; that is why leads can be merged by their maximum.
func (f *scorer) rate(u dowse.URL, s *standing) merit {
	m := merit{anchor: s.anchor, count: f.parents(float64(s.relevant)), sum: f.parents(s.sum)}
	if f.topic != nil {
		m.url = f.topic.url(u)
	}
	return m
}

// anchorText returns the similarity of a link's best anchor with the topic: the cosine with
// the table, or without a table the rating by the judge.
func (f *scorer) anchorText(l *dowse.Link) float64 {
	best := f.mention(&l.Mention)
	for i := range l.More {
		best = max(best, f.mention(&l.More[i]))
	}
	return best
}

// mention returns the similarity of one anchor, which is never negative.
func (f *scorer) mention(m *dowse.Mention) float64 {
	if f.topic == nil {
		return max(m.AnchorScore, 0)
	}
	return f.topic.anchor(m.Anchor)
}

// A candidate is a link about to become a lead.
type candidate struct {
	link     *dowse.Link
	known    standing
	merit    merit
	admitted bool
	rated    bool // by its words; then:
	chance   float64
	why      string
}

// A gate decides which links of relevant pages are followed. It sets admitted, and chance
// and why if it has a model.
type gate func(c *candidate)

// A parent is a page whose links are rated.
type parent struct {
	relevance float64
	relevant  bool
	listed    bool // a sitemap: no evidence
	level     int  // of its links
}

// parentOf returns what the links of a page inherit from it, and whether they are followed
// at all. A relevant page starts again at level 0; an irrelevant one adds a level to its
// own. A page that was visited without being admitted, in order to train or because another
// part of the crawl asked for it, counts as a link of a relevant page.
func (f *scorer) parentOf(p *dowse.Page) (from parent, ok bool) {
	switch {
	case p.Again:
		return from, false
	case p.Outcome == dowse.Listed:
		return parent{listed: true, level: 1}, f.sitemaps
	case p.Outcome != dowse.Fetched:
		return from, false
	}
	from.relevance = p.Verdict.Relevance
	if from.relevant = f.relevant(p); from.relevant {
		return from, true
	}
	from.level = 1 + max(standingOf(p.Lead.Note).level, 0)
	return from, true
}

// relevant reports whether a page is relevant: strictly above the threshold (Taylan et al.
// 2011).
func (f *scorer) relevant(p *dowse.Page) bool { return p.Verdict.Relevance > f.page }

// follow returns leads for the links of a page. Links of a relevant page pass the gate,
// those of an irrelevant one have to be within the levels. A link that is not admitted is
// held with its evidence: it may be admitted when another page links to it.
func (f *scorer) follow(p *dowse.Page, admit gate) []dowse.Lead {
	if lead.Redirects(p) {
		return f.redirected(p)
	}
	from, ok := f.parentOf(p)
	if !ok {
		return nil
	}
	lead.TouchNotes(p.Links)
	leads := make([]dowse.Lead, 0, len(p.Links))
	because := make([]dowse.Because, 0, len(p.Links)*meritReasons)
	for i := range p.Links {
		l := &p.Links[i]
		if lead.Settled(l) {
			continue
		}
		c := f.candidate(l, from)
		if from.relevant {
			admit(&c)
		} else {
			c.admitted = from.level <= f.levels
		}
		n := len(because)
		because = c.because(because)
		lead := c.lead(from.level)
		lead.Because = because[n:len(because):len(because)]
		leads = append(leads, lead)
	}
	return leads
}

// candidate returns a link with its evidence, to which this page is added. A sitemap is no
// evidence.
func (f *scorer) candidate(l *dowse.Link, from parent) candidate {
	c := candidate{link: l, known: standingOf(l.Target.Note)}
	if !from.listed {
		c.known.linked(from.relevance, from.relevant)
		c.known.anchor = max(c.known.anchor, f.anchorText(l))
	}
	c.merit = f.rate(l.URL, &c.known)
	return c
}

// lead returns the lead of a candidate at a level. One that is not admitted is held, unless
// it waits already because of another page.
func (c *candidate) lead(level int) dowse.Lead {
	l := dowse.Lead{URL: c.link.URL, Band: scoredBand, Priority: c.merit.score(), Merge: dowse.Max}
	switch {
	case c.admitted:
		c.known.reach(level)
		if c.rated {
			l.Band, l.Priority = probableBand, c.chance
		}
	case c.link.Target.State != dowse.Waiting:
		l.Kind = dowse.Hold
	}
	l.Note = c.known.note()
	return l
}

// because appends the reasons of a lead: the probability for an admitted link that has one,
// and the summands of the score for others.
func (c *candidate) because(dst []dowse.Because) []dowse.Because {
	if c.rated {
		dst = append(dst, dowse.Because{What: c.why, Weight: c.chance})
	}
	if c.rated && c.admitted {
		return dst
	}
	return c.merit.because(dst, &c.known)
}

// redirected passes the evidence for a URL, its band and its priority on to the target of
// its redirect.
func (f *scorer) redirected(p *dowse.Page) []dowse.Lead {
	to := &p.Links[0]
	if p.Again || lead.Settled(to) {
		return nil
	}
	known := standingOf(to.Target.Note)
	known.merge(standingOf(p.Lead.Note))
	m := f.rate(to.URL, &known)
	l := dowse.Lead{URL: to.URL, Band: scoredBand, Priority: m.score(), Merge: dowse.Max, Note: known.note()}
	if p.Lead.Band < scoredBand {
		l.Band, l.Priority = p.Lead.Band, p.Lead.Priority
	}
	if p.Lead.Kind == dowse.Hold && to.Target.State != dowse.Waiting {
		l.Kind = dowse.Hold
	}
	l.Because = m.because([]dowse.Because{{What: "redirected from " + string(p.URL)}}, &known)
	return []dowse.Lead{l}
}
