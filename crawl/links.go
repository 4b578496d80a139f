package crawl

import (
	"slices"

	"dowse"
	"dowse/internal/admission"
	"dowse/internal/frontier"
	"dowse/internal/repeats"
)

// A sieve lets through the links of one page that can be queued.
type sieve struct {
	in          *intake
	from        frontier.ID
	p           *dowse.Page
	depth, hops int  // of the targets, along this page
	spent       bool // the page is one step too many, see admission.SendsOn

	kept  []dowse.Link
	ids   []frontier.ID       // of kept
	place map[frontier.ID]int // in kept; nil while it is faster to look through ids
}

// fewLinks is up to where looking through a list beats a map.
const fewLinks = 64

// filterLinks numbers the targets of the page's links, leaves in p.Links those
// that can be queued, and returns a decision for each link as it was found.
func (in *intake) filterLinks(from frontier.ID, p *dowse.Page) []Decision {
	found := p.Links
	if len(found) == 0 {
		return nil
	}
	s := sieve{in: in, from: from, p: p, kept: make([]dowse.Link, 0, len(found)), ids: in.ids[:0]}
	s.depth, s.hops = below(p)
	s.spent = !in.gate.MaySendOn(from)
	if len(found) > fewLinks {
		s.place = make(map[frontier.ID]int, len(found))
	}
	decisions := make([]Decision, len(found))
	in.prints = in.f.Prints(in.prints[:0], len(found), func(i int) dowse.URL { return found[i].URL })
	in.f.NotesAhead(in.prints)
	for i := range found {
		s.sift(&found[i], in.prints[i], &decisions[i])
	}
	if in.ids = s.ids; s.place != nil {
		in.ids = nil
	}
	p.Links = s.kept
	return decisions
}

// below returns how far from a seed, and how far from a page on topic, the targets of
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

// sift decides about one link. Several links to one target become one link with several
// mentions: a strategy must not rate a target twice for one page.
func (s *sieve) sift(l *dowse.Link, print frontier.Print, d *Decision) {
	d.ID, d.Fresh = s.in.sightOf(l.URL, print)
	d.Target = s.in.f.end(d.ID)
	if d.Reason = s.refuses(l, d.Target); d.Reason != "" {
		return
	}
	if at, twice := s.find(d.Target); twice {
		k := &s.kept[at]
		from := len(k.More)
		k.More = append(append(k.More[:len(k.More):len(k.More)], l.Mention), l.More...)
		bareAll(k.More[from:])
		d.Reason = dowse.SkipDupURL
		return
	}
	s.keep(l, d)
}

// keep adds a link to those that the strategy is given, with the URL that its target
// redirects to and with what is known of that target.
func (s *sieve) keep(l *dowse.Link, d *Decision) {
	if s.place != nil {
		s.place[d.Target] = len(s.kept)
	}
	s.ids = append(s.ids, d.Target)
	s.kept = append(s.kept, *l)
	k := &s.kept[len(s.kept)-1]
	repeats.Bare(&k.Mention)
	if slices.ContainsFunc(k.More, isRepeated) { // the list belongs to the link as it is recorded
		k.More = slices.Clone(k.More)
		bareAll(k.More)
	}
	if d.Target != d.ID {
		k.URL = s.in.f.URL(d.Target)
	}
	k.Target = s.in.f.target(d.Target)
}

// isRepeated reports whether a mention is in a part of the page that others of its host have too.
func isRepeated(m dowse.Mention) bool { return m.Repeated }

// bareAll makes the marked ones of some mentions ones without words.
func bareAll(list []dowse.Mention) {
	for i := range list {
		repeats.Bare(&list[i])
	}
}

// find returns the place among the kept links of one to a target.
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

// refuses returns why a link is not shown to the strategy, or "". A strategy that spreads
// cash over links would lose what it gives to a URL that can't be queued. A target that
// was seen before is not checked again, unless it was left out for the way that led to
// it: its state holds the answer.
func (s *sieve) refuses(l *dowse.Link, target frontier.ID) dowse.Reason {
	f := s.in.f
	if target == s.from {
		return dowse.SkipDupURL
	}
	switch f.State(target) {
	case dowse.Unseen:
		f.SetDepth(target, clamp8(s.depth), clamp8(s.hops))
		why := s.bars(l, target)
		if why == "" && s.spent && admission.SendsOn(s.p, l) {
			why = dowse.SkipTrapPattern
		}
		if why != "" {
			f.exclude(target, why)
		}
		return why
	case dowse.Excluded:
		if !s.reopens(l, target) {
			return f.reason(target)
		}
		return ""
	case dowse.Dead:
		return f.reason(target)
	case dowse.Aliased: // to nowhere
		return dowse.FailRedirect
	}
	why := s.unfollowed(l)
	if why == "" {
		f.shorten(target, s.depth, s.hops)
	}
	return why
}

// unfollowed returns why the page asks not to follow a link, or "".
func (s *sieve) unfollowed(l *dowse.Link) dowse.Reason {
	if (s.p.NoFollow || l.NoFollow) && !s.in.cfg.NoFollow && (s.p.Outcome == dowse.Fetched || s.p.Outcome == dowse.Listed) {
		return dowse.SkipRobotsMeta
	}
	return ""
}

// bars returns why a link must not be followed, or "".
func (s *sieve) bars(l *dowse.Link, id frontier.ID) dowse.Reason {
	if why := s.unfollowed(l); why != "" {
		return why
	}
	return s.in.refuses(l.URL, id, s.depth, s.hops)
}

// reopens lets a URL back in that was left out for the way it was reached, if this link
// reaches it in a better way.
func (s *sieve) reopens(l *dowse.Link, id frontier.ID) bool {
	f := s.in.f
	switch f.reason(id) {
	case dowse.SkipScopeDepth, dowse.SkipScopeTunnel, dowse.SkipRobotsMeta,
		dowse.SkipBudgetHost, dowse.SkipTrapPattern:
	default:
		return false
	}
	if _, visited := f.visited(id); visited || s.bars(l, id) != "" {
		return false
	}
	f.SetDepth(id, clamp8(s.depth), clamp8(s.hops))
	f.readmit(id)
	return true
}
