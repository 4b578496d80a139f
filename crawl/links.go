package crawl

import (
	"dowse"
	"dowse/internal/frontier"
)

// A sieve lets through the links of one page that can be queued.
type sieve struct {
	c           *Crawl
	from        frontier.ID
	p           *dowse.Page
	depth, hops int  // of the targets, along this page
	spent       bool // the page is one step too many, see sendsOn

	kept  []dowse.Link
	ids   []frontier.ID       // of kept
	place map[frontier.ID]int // in kept; nil while it is faster to look through ids
}

// fewLinks is up to where looking through a list beats a map.
const fewLinks = 64

// filterLinks numbers the targets of the page's links, leaves in p.Links those
// that can be queued, and returns a decision for each link as it was found.
func (c *Crawl) filterLinks(from frontier.ID, p *dowse.Page) []Decision {
	found := p.Links
	if len(found) == 0 {
		return nil
	}
	s := sieve{c: c, from: from, p: p, kept: make([]dowse.Link, 0, len(found)), ids: c.ids[:0]}
	s.depth, s.hops = below(p)
	s.spent = c.chains[from] >= maxRedirects && c.cfg.Traps.Budget >= 0
	if len(found) > fewLinks {
		s.place = make(map[frontier.ID]int, len(found))
	}
	decisions := make([]Decision, len(found))
	for i := range found {
		s.sift(&found[i], &decisions[i])
	}
	if c.ids = s.ids; s.place != nil {
		c.ids = nil
	}
	p.Links = s.kept
	return decisions
}

// below tells how far from a seed, and how far from a page on topic, the targets of
// a page's links are. Redirects and lists of URLs are no step on the way.
func below(p *dowse.Page) (depth, hops int) {
	switch {
	case p.Outcome != dowse.Fetched:
		return p.Depth, p.Hops
	case p.OnTopic:
		return p.Depth + 1, 0
	}
	return p.Depth + 1, p.Hops + 1
}

func (s *sieve) sift(l *dowse.Link, d *Decision) {
	c := s.c
	d.ID, d.Fresh = c.sight(l.URL)
	d.Target = d.ID
	if t, ok := c.f.Alias(d.ID); ok {
		d.Target = t
	}
	if d.Reason = s.refuses(l, d.Target); d.Reason != "" {
		return
	}
	if at, twice := s.find(d.Target); twice {
		k := &s.kept[at]
		k.More = append(append(k.More[:len(k.More):len(k.More)], l.Mention), l.More...)
		d.Reason = dowse.SkipDupURL
		return
	}
	s.keep(l, d)
}

func (s *sieve) keep(l *dowse.Link, d *Decision) {
	if s.place != nil {
		s.place[d.Target] = len(s.kept)
	}
	s.ids = append(s.ids, d.Target)
	s.kept = append(s.kept, *l)
	k := &s.kept[len(s.kept)-1]
	if d.Target != d.ID {
		k.URL = s.c.f.URL(d.Target)
	}
	k.Target = s.c.target(d.Target)
}

func (s *sieve) find(id frontier.ID) (int, bool) {
	if s.place != nil {
		at, ok := s.place[id]
		return at, ok
	}
	for i, k := range s.ids {
		if k == id {
			return i, true
		}
	}
	return 0, false
}

// refuses tells why a link is not shown to the strategy, or "": what it is given
// must not be lost on a URL that can't be queued.
func (s *sieve) refuses(l *dowse.Link, target frontier.ID) dowse.Reason {
	c := s.c
	if target == s.from {
		return dowse.SkipDupURL
	}
	switch c.f.State(target) {
	case dowse.Unseen:
		c.f.SetDepth(target, clamp8(s.depth), clamp8(s.hops))
		why := c.linkRefused(s.p, l, target, s.depth, s.hops)
		if why == "" && s.spent && sendsOn(s.p, l) {
			why = dowse.SkipTrapPattern
		}
		if why != "" {
			c.exclude(target, why)
		}
		return why
	case dowse.Excluded:
		if !c.reopen(s.p, l, target, s.depth, s.hops) {
			return reasonOf(c.f.Reason(target))
		}
		return ""
	case dowse.Dead:
		return reasonOf(c.f.Reason(target))
	case dowse.Aliased: // to nowhere
		return dowse.FailRedirect
	}
	why := unfollowed(s.p, l, c.cfg.NoFollow)
	if why == "" {
		c.shorten(target, s.depth, s.hops)
	}
	return why
}

// unfollowed returns why the page's word keeps a link from being followed, or "".
func unfollowed(p *dowse.Page, l *dowse.Link, all bool) dowse.Reason {
	if (p.NoFollow || l.NoFollow) && !all && p.Outcome == dowse.Fetched {
		return dowse.SkipRobotsMeta
	}
	return ""
}

// linkRefused tells why a link must not be followed, or "".
func (c *Crawl) linkRefused(p *dowse.Page, l *dowse.Link, id frontier.ID, depth, hops int) dowse.Reason {
	if why := unfollowed(p, l, c.cfg.NoFollow); why != "" {
		return why
	}
	return c.refuses(l.URL, id, depth, hops)
}
