package demo

import (
	"fmt"
	"strings"
	"time"

	"dowse"
)

// urlOf returns the URL of a page of a site, under the name that the site
// prefers.
func (t *Town) urlOf(site, page int) dowse.URL {
	b := append([]byte("http://"), t.sites[site].host...)
	return dowse.URL(t.appendPath(b, site, page))
}

// appendPath names a page by its subject and its number.
func (t *Town) appendPath(b []byte, site, page int) []byte {
	b = append(b, '/')
	if page == 0 {
		return b
	}
	lex := &t.words.lexicons[t.lexiconOf(site, page)]
	b = append(b, lex.slugs[(page*7+site)%len(lex.slugs)]...)
	return appendInt(append(b, '-'), page)
}

// Page returns what the host of u answers; false means that there is no such
// host.
func (t *Town) Page(u dowse.URL) (Page, bool) {
	at, ok := parse(u)
	if !ok {
		return Page{}, false
	}
	i, ok := t.find(at.host)
	if !ok || t.sites[i].home == DeadHome {
		return Page{}, false
	}
	p := t.respond(i, at)
	p.Latency = time.Duration(2+len(at.path)%9) * time.Millisecond
	return p, true
}

// Knows reports whether a host exists.
func (t *Town) Knows(host string) bool {
	i, ok := t.find(host)
	return ok && t.sites[i].home != DeadHome
}

// respond answers a request to a host that exists, by the kind of its homepage.
func (t *Town) respond(i int, at place) Page {
	s := &t.sites[i]
	switch {
	case at.path == "/robots.txt":
		return Page{Status: 200, Type: plainType, Body: t.robots(i)}
	case s.home == GoneHome:
		return gone(404)
	case at.host != s.host:
		return Page{Status: 301, Type: htmlType, Location: dowse.URL("http://" + s.host + at.path)}
	case s.home == RedirectHome:
		return Page{Status: 301, Type: htmlType, Location: t.urlOf(s.to, 0)}
	case at.path == "/sitemap.xml" && s.home == ScriptHome:
		return Page{Status: 200, Type: "application/xml", Body: t.sitemap(i)}
	}
	page, ok := t.pageAt(i, at.path)
	if !ok || page > 0 && !s.isSite() {
		return gone(404)
	}
	return Page{URL: t.urlOf(i, page), Status: 200, Type: htmlType, Body: t.render(i, page)}
}

// gone is the answer for what does not exist.
func gone(status int) Page {
	return Page{Status: status, Type: htmlType, Body: []byte("<title>Not found</title><p>There is no such page here.")}
}

// robots returns the robots.txt of a site, which permits everything. Only a
// site that is a script names a sitemap: its pages can be found in no other
// way.
func (t *Town) robots(i int) []byte {
	if t.sites[i].home == ScriptHome {
		return []byte("User-agent: *\nAllow: /\nSitemap: http://" + t.sites[i].host + "/sitemap.xml\n")
	}
	return []byte("User-agent: *\nAllow: /\n")
}

// sitemap returns the sitemap of a site that is a script.
func (t *Town) sitemap(i int) []byte {
	b := []byte(`<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
	for page := 1; page < t.sites[i].pages; page++ {
		b = fmt.Appendf(b, "<url><loc>%s</loc></url>", t.urlOf(i, page))
	}
	return append(b, "</urlset>"...)
}

// pageAt returns the page of a site at a path. As on a Web, a page has exactly
// one path.
func (t *Town) pageAt(i int, path string) (int, bool) {
	if path == "/" {
		return 0, true
	}
	_, page := cutNumber(path)
	if page <= 0 || page >= t.sites[i].pages {
		return 0, false
	}
	return page, string(t.appendPath(nil, i, page)) == path
}

// lexiconOf returns what a page is about. It draws from the number of the page,
// which fits into the lower ten bits because no site has more than 1,000 pages.
func (t *Town) lexiconOf(site, page int) int {
	s := &t.sites[site]
	d := rngFor(t.config.Seed, forTownPage, site<<10|page)
	switch {
	case page == 0 && s.home == MisleadingHome:
		return t.mislead(s, &d)
	case page == 0 || d.chance(townPurity):
		return s.topic
	case d.chance(0.25):
		kin := t.relatedTo(s.topic)
		return kin[d.under(len(kin))]
	case d.chance(0.15):
		return d.under(t.words.topics())
	}
	return t.words.everyday()
}

// relatedTo returns the related topics of a lexicon; for one without a topic,
// the town's topic and itself.
func (t *Town) relatedTo(lex int) []int {
	if lex < t.words.topics() {
		return t.words.related(lex)
	}
	return []int{t.focus, lex}
}

// mislead draws what a misleading homepage seems to be about: that of a site on
// topic something else, that of another site often the topic. It is what
// judging by homepages fails on.
func (t *Town) mislead(s *townSite, d *rng) int {
	kin := t.words.related(t.focus)
	switch {
	case s.topic == t.focus && d.chance(0.5):
		return t.words.everyday()
	case s.topic == t.focus:
		return kin[d.under(len(kin))]
	case d.chance(0.6):
		return t.focus
	}
	return t.words.everyday()
}

// inside returns the pages of the same site to which a page links: a few that
// every page names, as a menu does, and some of its own. Frames, a thin
// homepage and a script lead on as their kind does.
func (t *Town) inside(site, page int) (list []int) {
	s := &t.sites[site]
	if page == 0 && s.home == ScriptHome {
		return nil
	}
	if page == 0 && s.home == ThinHome {
		return []int{1}
	}
	if page == 0 && s.home == FrameHome {
		return []int{1, 2}
	}
	d := rngFor(t.config.Seed, forTownLinks, site<<10|page)
	add := func(to int) {
		if to != page && to < s.pages {
			list = append(list, to)
		}
	}
	add(0)
	for k := 1; k <= 4; k++ {
		add(k)
	}
	for range 5 + d.under(12) {
		add(d.under(s.pages))
	}
	if page+1 < s.pages {
		add(page + 1)
	}
	return list
}

// outside returns the pages of other sites to which a page links.
func (t *Town) outside(site, page int) (list []dowse.URL) {
	s := &t.sites[site]
	d := rngFor(t.config.Seed, forTownLinks, -1-(site<<10|page))
	if page == 0 && s.home != PlainHome && s.home != MisleadingHome {
		return nil
	}
	n := 0
	if d.chance(0.6) {
		n = 1 + d.under(3)
	}
	if page == 3 { // the page of links
		n = 8 + d.under(6)
	}
	if s.hub {
		n = 6 + d.under(10)
	}
	for range n {
		if to, ok := t.neighbour(site, page, &d); ok {
			list = append(list, t.entry(to, &d))
		}
	}
	return list
}

// neighbour draws a site to link to: within the ring of its topic, on a related
// topic, a directory, or any. Competitors do not link to sites of their own
// topic, so that only directories lead from one to the next.
func (t *Town) neighbour(site, page int, d *rng) (int, bool) {
	if t.config.Local {
		return t.localNeighbour(site, page, d)
	}
	s := &t.sites[site]
	ring := t.rings[s.topic]
	switch u := d.share(); {
	case s.hub:
		// A directory has one page per topic; every second one is on the town's
		// topic.
		topic := page * 5 % t.words.topics()
		if page%2 == 0 {
			topic = t.focus
		}
		return t.anyOf(t.rings[topic], site, d)
	case u < 0.55 && !s.competitor && s.topic != t.words.everyday():
		// The ring: the sites that follow it among those of its topic.
		to := int(ring[(s.ring+1+d.under(ringSize))%len(ring)])
		return to, to != site
	case u < 0.68 && s.topic != t.words.everyday():
		kin := t.relatedTo(s.topic)
		return t.anyOf(t.rings[kin[d.under(len(kin))]], site, d)
	case u < 0.80 && len(t.hubs) > 0:
		return t.anyOf(t.hubs, site, d)
	}
	to := d.under(len(t.sites))
	return to, to != site && !(s.competitor && t.sites[to].topic == s.topic)
}

// localNeighbour is neighbour in a local town: links stay on the topic of a site, wherever
// on it.
func (t *Town) localNeighbour(site, page int, d *rng) (int, bool) {
	s := &t.sites[site]
	everyday := s.topic == t.words.everyday()
	switch u := d.share(); {
	case s.hub:
		return t.anyOf(t.rings[page%t.words.topics()], site, d)
	case u < localStay && !s.competitor && !everyday:
		return t.anyOf(t.rings[s.topic], site, d)
	case u < localStay+localRelated && !everyday:
		kin := t.relatedTo(s.topic)
		return t.anyOf(t.rings[kin[d.under(len(kin))]], site, d)
	case u < localStay+localRelated+localHubs && len(t.hubs) > 0:
		return t.anyOf(t.hubs, site, d)
	}
	to := d.under(len(t.sites))
	return to, to != site && !(s.competitor && t.sites[to].topic == s.topic)
}

// anyOf draws a site of a list; false if the link is not allowed: to itself, or
// between competitors.
func (t *Town) anyOf(list []int32, but int, d *rng) (int, bool) {
	if len(list) == 0 {
		return 0, false
	}
	to := int(list[d.under(len(list))])
	return to, to != but && !(t.sites[but].competitor && t.sites[to].topic == t.sites[but].topic)
}

// entry draws the page of a site to which a link leads: mostly the homepage,
// and not always under the name that the site prefers.
func (t *Town) entry(site int, d *rng) dowse.URL {
	if !d.chance(toHomepage) && t.sites[site].isSite() {
		return t.urlOf(site, d.under(t.sites[site].pages))
	}
	if bare, ok := strings.CutPrefix(t.sites[site].host, "www."); ok && d.chance(0.3) {
		return dowse.URL("http://" + bare + "/")
	}
	return t.urlOf(site, 0)
}

// render returns the HTML of a page.
func (t *Town) render(site, page int) []byte {
	s := &t.sites[site]
	if page == 0 {
		switch s.home {
		case FrameHome:
			return fmt.Appendf(nil, `<html><head><title>%s</title></head><frameset cols="20%%,80%%"><frame src="%s"><frame src="%s"></frameset></html>`,
				siteName(s.host), t.appendPath(nil, site, 1), t.appendPath(nil, site, 2))
		case ThinHome:
			return fmt.Appendf(nil, `<html><head><title>%s</title></head><body><a href="%s"><img src="/logo.png" alt="enter"></a></body></html>`,
				siteName(s.host), t.appendPath(nil, site, 1))
		case ScriptHome:
			return []byte(`<html><head><title></title><script>document.write(build(menu))</script></head><body><div id="app"></div></body></html>`)
		case RefreshHome:
			return fmt.Appendf(nil, `<html><head><meta http-equiv="refresh" content="0; url=%s"></head><body></body></html>`, t.urlOf(s.to, 0))
		case ParkedHome:
			return fmt.Appendf(nil, `<html><head><title>%s</title></head><body><h1>%s</h1><p>This domain is for sale. Related searches: <a href="/ads">offers</a></p></body></html>`, s.host, s.host)
		}
	}
	return t.article(site, page)
}

// article returns a page with links into the site, a text with a drawn share of
// sentences on its topic, and links to other sites.
func (t *Town) article(site, page int) []byte {
	lex := t.lexiconOf(site, page)
	l := &t.words.lexicons[lex]
	p := &textWriter{rng: rngFor(t.config.Seed, forTownText, site<<10|page), words: t.words, lex: l, subject: l.subjects[(page*7+site)%len(l.subjects)]}
	kin := t.relatedTo(lex)
	p.aside = &t.words.lexicons[kin[p.rng.under(len(kin))]]
	p.topical = 0.05 + 0.25*p.rng.share()
	if p.rng.chance(0.3) {
		p.topical /= 5
	}
	p.borrowed = 0.20 * p.rng.share()
	p.buf = fmt.Appendf(make([]byte, 0, 4096), "<html><head><title>%s – %s</title></head><body><h1>%s</h1><ul>", p.subject, siteName(t.sites[site].host), p.subject)
	for _, to := range t.inside(site, page) {
		p.str(`<li><a href="`)
		p.buf = t.appendPath(p.buf, site, to)
		p.str(`">`)
		p.str(t.anchor(site, to))
		p.str("</a></li>\n")
	}
	p.str("</ul>\n")
	n := 5 + p.rng.under(13)
	for k := range n {
		if k%5 == 0 {
			p.str("<p>")
		}
		p.sentence()
		p.str(" ")
	}
	for _, u := range t.outside(site, page) {
		p.str(`<p>See <a href="`)
		p.str(string(u))
		p.str(`">`)
		at, _ := parse(u)
		p.str(siteName(strings.TrimPrefix(at.host, "www.")))
		p.str("</a>.\n")
	}
	p.str("</body></html>")
	return p.buf
}

// anchor returns the text of a link within a site: three of four times one that
// does not describe the target.
func (t *Town) anchor(site, page int) string {
	if page == 0 {
		return "home"
	}
	if names := phrases["en"].anchors; (page+site)%4 != 0 {
		return names[(page*5+site)%len(names)]
	}
	lex := &t.words.lexicons[t.lexiconOf(site, page)]
	return lex.subjects[(page*7+site)%len(lex.subjects)]
}
