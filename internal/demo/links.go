package demo

import "dowse"

// A target is where a link leads: to a page, or to something else whose URL is
// derived from a page.
type target struct {
	kind  targetKind
	page  int // number of the page, or of the home page of the site
	month int // for toMonth: months since the year 0
}

// A targetKind is what a link leads to.
type targetKind uint8

// The kinds of targets.
const (
	toPage targetKind = iota
	toRedirect
	toMoved // a redirect on the host that has moved
	toDead
	toFile
	toMonth
	toRepeat // a relative link that makes its own URL longer
	toLoop
)

// A plan holds all links of a page in order: navigation, text, the list next to
// the text, footer.
type plan struct {
	links     []target
	nav, text int // number of links in the navigation and in the text
	foot      int // number of links in the footer
	promo     int // number of links that all pages of the site share in addition
}

// add appends a link.
func (p *plan) add(t target) { p.links = append(p.links, t) }

// navLinks and the next four return the links of one part of the page.
func (p *plan) navLinks() []target  { return p.links[:p.nav] }
func (p *plan) textLinks() []target { return p.links[p.nav : p.nav+p.text] }
func (p *plan) listLinks() []target { return p.links[p.nav+p.text : len(p.links)-p.foot-p.promo] }
func (p *plan) footLinks() []target {
	return p.links[len(p.links)-p.foot-p.promo : len(p.links)-p.promo]
}
func (p *plan) promoLinks() []target { return p.links[len(p.links)-p.promo:] }

// Parameters of a site's own links.
const (
	branching  = 3  // articles to which an article leads on: a tree by which all can be reached
	listLength = 12 // articles on a section's page
	hubFactor  = 2  // links of a link page, relative to others
	topicTries = 4  // draws for a page on topic among the sites of a topic
)

// planOf decides the links of a page. A copy has the links of its original.
func (w *Web) planOf(p pageRef) plan {
	original := p
	if p.source != p.id {
		original = w.page(p.source)
	}
	pl := w.planOriginal(original)
	if p.source != p.id {
		w.carryOver(pl.links, original.site, p.site)
	}
	return pl
}

// carryOver redirects the links of a copied page to the copies of their
// targets, if there are any.
func (w *Web) carryOver(links []target, from, to *site) {
	for i, t := range links {
		if local := t.page - from.first; local >= 0 && local < to.count {
			links[i].page = to.first + local
		}
	}
}

// planOriginal draws the links of a page that is not a copy. The number of
// links is log-normal; the fixed ones are part of it. Link pages and
// directories have twice as many, which makes them hubs.
func (w *Web) planOriginal(p pageRef) plan {
	d := rngFor(w.config.Seed, forLinks, p.id)
	size := int(d.logNormal(float64(w.config.Topology.Links), w.config.Topology.LinkSpread))
	size = min(max(size, 12), 250)
	if p.local == linksPage || w.isDirectory(p) {
		size *= hubFactor
	}
	pl := plan{links: make([]target, 0, size+16), foot: len(p.site.foot)}
	w.frame(&pl, p)
	pl.nav = len(pl.links)
	fixed := w.fixed(p)
	body := max(size-pl.nav-len(fixed)-pl.foot, 4)
	pl.text = body / 2
	outward := w.outward(p, body, size)
	w.body(&pl, p, pl.text, outward, &d)
	pl.links = append(pl.links, fixed...)
	w.body(&pl, p, body-pl.text, outward, &d)
	for _, local := range p.site.foot {
		pl.add(target{page: p.site.first + int(local)})
	}
	promoted := w.promoted(p.site)
	pl.links, pl.promo = append(pl.links, promoted...), len(promoted)
	return pl
}

// fixed returns the links that a page must have.
func (w *Web) fixed(p pageRef) []target {
	pl := plan{links: make([]target, 0, listLength+4)}
	w.structure(&pl, p)
	w.oddities(&pl, p)
	return pl.links
}

// isDirectory reports whether a page is a portal's page for a topic.
func (w *Web) isDirectory(p pageRef) bool {
	article := p.local - p.site.firstArticle()
	return p.site.kind == Portal && article >= 0 && article < w.words.topics()
}

// frame adds the navigation: home, links, sections.
func (w *Web) frame(pl *plan, p pageRef) {
	for local := range p.site.firstArticle() {
		pl.add(target{page: p.site.first + local})
	}
}

// structure adds the links by which every page of the web can be reached from
// any home page: articles form a tree with three branches, of depth logarithmic
// in the size of the site, and are linked to their neighbours.
func (w *Web) structure(pl *plan, p pageRef) {
	s := p.site
	first, n := s.firstArticle(), s.articles()
	article := func(k int) {
		if k >= 0 && k < n {
			pl.add(target{page: s.first + first + k})
		}
	}
	switch {
	case p.local == homePage:
		for k := range 8 {
			article(k)
		}
	case p.local == linksPage:
		w.linkSites(pl, s)
	case p.local < first:
		w.section(pl, p)
	default:
		k := p.local - first
		article(k - 1)
		article(k + 1)
		for c := range branching {
			article(branching*k + 1 + c)
		}
	}
}

// linkSites adds the links of a link page to other sites: the first portal, and
// the children of this site in a tree over all sites. Every site can thus be
// reached from the portal in a number of steps that is logarithmic in the
// number of sites.
func (w *Web) linkSites(pl *plan, s *site) {
	pl.add(target{page: w.sites[w.ring[0]].first})
	for c := range branching {
		if k := branching*s.ring + 1 + c; s.ring >= 0 && k < len(w.ring) {
			pl.add(target{page: w.sites[w.ring[k]].first})
		}
	}
}

// section adds the first articles of a section.
func (w *Web) section(pl *plan, p pageRef) {
	s := p.site
	name, found := s.shape.sections[p.local-2], 0
	for local := s.firstArticle(); local < s.open() && local < 200 && found < listLength; local++ {
		if w.sectionOf(s, local, w.lexiconOf(s, local)) == name {
			pl.add(target{page: s.first + local})
			found++
		}
	}
}

// oddities adds the entrances of traps and of the tunnel: each is linked from
// one kind of page, so that a crawl meets it in passing.
func (w *Web) oddities(pl *plan, p pageRef) {
	s := p.site
	switch {
	case s.kind == Calendar && p.local != linksPage:
		pl.add(target{toMonth, s.first, firstMonth})
	case s.kind == News && p.local == homePage:
		pl.add(target{kind: toRepeat, page: s.first})
	case s.kind == Flaky && p.local == linksPage:
		pl.add(target{kind: toLoop, page: s.first})
	case s.kind == Passage && p.local == homePage:
		pl.add(target{page: s.first + s.count - 2})
	case s.kind == Passage && p.local == s.count-2:
		pl.add(target{page: s.first + s.count - 1})
	case s.kind == Passage && p.local == s.count-1:
		pl.add(target{page: w.sites[s.partner].first})
	case s.kind == OldPages && p.local == linksPage:
		pl.add(target{page: w.passageNear(s)})
	}
}

// passageNear returns the home page of the passage in a site's neighbourhood.
// Every neighbourhood with old pages has one, later in the table.
func (w *Web) passageNear(s *site) int {
	i := s.index
	for w.sites[i].kind != Passage {
		i++
	}
	return w.sites[i].first
}

// outward returns the share of external links among the freely chosen ones,
// such that the share Internal results for all links of the page.
func (w *Web) outward(p pageRef, body, size int) float64 {
	if p.local == linksPage || w.isDirectory(p) {
		return 0.85
	}
	return min((1-w.config.Topology.Internal)*float64(size)/float64(body), 0.9)
}

// body adds n freely chosen links.
func (w *Web) body(pl *plan, p pageRef, n int, outward float64, d *rng) {
	for range n {
		t := target{}
		switch {
		case p.site.kind == Farm:
			t.page = w.farmTarget(p, d)
		case d.chance(outward) || p.site.articles() == 0:
			t.page = w.external(p, d)
		default:
			t.page = w.internal(p, d)
		}
		pl.add(w.age(t, d))
	}
}

// age turns some links into dead ones, redirects and files, as on an old page.
// It draws once per link, whatever becomes of it.
func (w *Web) age(t target, d *rng) target {
	top := &w.config.Topology
	switch u := d.share(); {
	case u < top.Dead:
		t.kind = toDead
	case u < top.Dead+top.Moved:
		t.kind = toRedirect
		if w.movedHost(t.page) != nil {
			t.kind = toMoved
		}
	case u < top.Dead+top.Moved+top.Files:
		t.kind = toFile
	}
	return t
}

// movedHost returns the host that redirects to the site of a page; nil if there
// is none.
func (w *Web) movedHost(page int) *site {
	s := w.page(page).site
	for i := s.index; i >= 0 && i > s.index-neighbours; i-- {
		if m := &w.sites[i]; m.kind == Moved && &w.sites[m.partner] == s {
			return m
		}
	}
	return nil
}

// internal draws an article of the same site, preferably on the page's topic:
// one more draw if the first is not. Within a site popularity is flatter than
// between sites.
func (w *Web) internal(p pageRef, d *rng) int {
	s := p.site
	local := 0
	for range 2 {
		local = s.firstArticle() + d.rank(s.articles(), w.rankBy/2)
		if w.lexiconOf(s, local) == p.lex {
			break
		}
	}
	return s.first + local
}

// external draws a page anywhere: on the page's topic, on a related one, or
// any. That links lead to their page's topic more often than chance would
// (Davison 2000; Chakrabarti et al. 2002) is what focused crawling rests on;
// SameTopic and Related are that strength.
func (w *Web) external(p pageRef, d *rng) int {
	top := &w.config.Topology
	if len(w.farms) > 0 && d.chance(top.Spam) {
		return w.pageOf(&w.sites[w.farms[d.under(len(w.farms))]], d)
	}
	switch u := d.share(); {
	case u < top.SameTopic:
		return w.on(p.lex, d)
	case u < top.SameTopic+top.Related:
		return w.on(w.related[p.lex][d.under(len(w.related[p.lex]))], d)
	}
	return w.pageOf(w.popular(w.all, d), d)
}

// on draws a page on a topic; after a few draws, any page of a site of the
// topic. Sites are drawn by popularity, so that links concentrate as they do on
// the web.
func (w *Web) on(topic int, d *rng) int {
	sites := w.onTopic[topic]
	if len(sites) == 0 {
		sites = w.all
	}
	page := 0
	for range topicTries {
		s := w.popular(sites, d)
		page = w.pageOf(s, d)
		if w.lexiconOf(s, page-s.first) == topic {
			break
		}
	}
	return page
}

// popular draws a site; earlier ones in the list are more likely.
func (w *Web) popular(sites []int32, d *rng) *site {
	return &w.sites[sites[d.rank(len(sites), w.rankBy)]]
}

// pageOf draws a page of a site; earlier ones are more likely.
func (w *Web) pageOf(s *site, d *rng) int { return s.first + d.rank(s.open(), w.rankBy) }

// farmTarget draws the target of a farm's link: mostly the farm itself and its
// twin.
func (w *Web) farmTarget(p pageRef, d *rng) int {
	if d.chance(0.1) {
		return w.pageOf(w.popular(w.all, d), d)
	}
	s := p.site
	if twin := w.twin(s); twin != nil && d.chance(0.5) {
		s = twin
	}
	return s.first + d.under(s.count)
}

// twin returns the other host of a farm; the two are adjacent in the table.
func (w *Web) twin(s *site) *site {
	for i := s.index - 1; i <= s.index+1; i += 2 {
		if t := &w.sites[i]; t.kind == Farm {
			return t
		}
	}
	return nil
}

// Links returns the URLs to which a page links, in the order of the page and as
// often as it does. What is not a page has no links.
func (w *Web) Links(u dowse.URL) []dowse.URL {
	at, ok := parse(u)
	if !ok {
		return nil
	}
	if i, known := w.hosts[at.host]; known {
		return w.linksAt(&w.sites[i], at)
	}
	return nil
}

// linksAt returns the absolute URLs of a page's links, with session ids on a
// forum.
func (w *Web) linksAt(s *site, at place) []dowse.URL {
	links, _ := w.targetsAt(s, at)
	ids := newSession(s, at)
	urls := make([]dowse.URL, len(links))
	for i, t := range links {
		urls[i] = dowse.URL(w.appendURL(make([]byte, 0, 64), t, nil, at.path, ids.next()))
	}
	return urls
}

// targetsAt returns the links of the page at a path, also of one that a trap
// generates.
func (w *Web) targetsAt(s *site, at place) ([]target, bool) {
	if month, ok := monthAt(s, at.path); ok {
		return monthLinks(s, month), true
	}
	if isRepeat(s, at.path) {
		return []target{{page: s.first}, {kind: toRepeat, page: s.first}}, true
	}
	local, ok := w.find(s, at.path)
	if !ok {
		return nil, false
	}
	return w.planOf(w.page(s.first + local)).links, true
}

// appendURL appends the URL of a target, relative if it is on the site from, as
// authors write links within a site. here is the path of the page with the
// link.
func (w *Web) appendURL(b []byte, t target, from *site, here, session string) []byte {
	s := w.page(t.page).site
	local := t.page - s.first
	if t.kind == toMoved {
		s = w.movedHost(t.page)
	}
	if s != from {
		b = append(append(b, "http://"...), s.host...)
	}
	switch t.kind {
	case toRedirect:
		return appendInt(append(b, "/go/"...), local)
	case toMoved:
		return appendInt(append(b, "/page/"...), local)
	case toDead:
		return appendInt(append(b, "/old/"...), local)
	case toFile:
		return append(appendInt(append(b, "/files/sheet-"...), local), ".pdf"...)
	case toMonth:
		return appendMonth(b, t.month)
	case toRepeat:
		return append(append(b, here...), "archive/"...)
	case toLoop:
		return append(b, "/loop/a"...)
	}
	b = w.appendPath(b, s, local)
	if session != "" && s.kind == Forum {
		b = append(append(b, "?PHPSESSID="...), session...)
	}
	return b
}
