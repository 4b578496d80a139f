package hostile

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"dowse/internal/hostile/template"
)

// templateRows are sites like real ones: their pages share templates, but are
// not copies.
func templateRows() []Row {
	return []Row{
		{
			// Pages of a shop share most of their words. A crawler that drops
			// near-duplicates by the whole text drops the shop.
			ID: "N01", Does: "a shop: listings with Add to cart beside every article", Wants: "every listing and all 72 articles are fetched",
			checks: []check{askedForAll(func(host string) []template.Page { return template.Shop(host, 6, 12) })},
			open:   func(s *Site) { s.entrance(template.Shop(s.Host, 6, 12)) },
		},
		{
			// The same with very short texts of their own between the buttons.
			ID: "N02", Does: "a forum: lists of threads, Reply Quote Report under every post", Wants: "every list and all 72 threads are fetched",
			checks: []check{askedForAll(func(host string) []template.Page { return template.Forum(host, 6, 12) })},
			open:   func(s *Site) { s.entrance(template.Forum(s.Host, 6, 12)) },
		},
		{
			// One text with a name exchanged: near-duplicates by any measure, and different
			// pages to those who live there.
			ID: "N03", Does: "5 sites with one text, each about another town", Wants: "all 50 pages are fetched",
			checks: []check{everyTown},
			open: func(s *Site) {
				for _, p := range template.Franchise("towns."+s.Host, 5) {
					town := s.town(p.Host)
					town.hidden(p.Path, page(p.HTML))
				}
			},
		},
		{
			// Which of two equal pages is the original cannot be seen from the order in
			// which they arrive.
			ID: "N04", Does: "another host copies a page and answers sooner", Wants: "the original and all its 12 links are fetched",
			checks: []check{askedAt("original", 12)},
			open:   copiedPage,
		},
		{
			// A soft 404: everything exists, and nothing is there. Links to known pages
			// make each page look like part of the site.
			ID: "N05", Does: "any path answers 200 with the same text and ten new links, among menus that lead to known pages", Wants: "at most 150 requests into the trap",
			checks: []check{between(3, 150, "/any/")},
			open:   trap("/any/", "/any/", func(x *exchange) string { return anything(x, "") }),
		},
		{
			// The same, with a number that defeats comparing whole texts.
			ID: "N06", Does: "the same, with a number in the text that is never the same", Wants: "at most 150 requests into the trap",
			checks: []check{between(3, 150, "/any/")},
			open:   trap("/any/", "/any/", func(x *exchange) string { return anything(x, letters(draw(x.entry.Target, -1))) }),
		},
	}
}

// anything is a page of a site on which every URL exists: a menu, a text with a
// word in it, and links with the same words to URLs that no page had before.
func anything(x *exchange, word string) string {
	var b strings.Builder
	b.WriteString("<title>Welcome</title>")
	for i := range 8 {
		writeLink(&b, "/any/"+letters(draw("menu", i)))
	}
	b.WriteString("<p>" + prose("any", 60) + " " + word + " " + prose("thing", 60))
	for i := range 10 {
		b.WriteString(`<p><a href="/any/` + letters(draw(x.entry.Target, i)) + `">read more</a>`)
	}
	return b.String()
}

// entrance serves generated pages in place of the site's own, except for the
// ordinary pages, to which the homepage links as well.
func (s *Site) entrance(pages []template.Page) {
	for _, p := range pages {
		if p.Path == "/" {
			for i := range ordinaryPages {
				p.HTML += `<p><a href="` + ordinaryPath(i) + `">` + prose(ordinaryPath(i), 3) + "</a>"
			}
		}
		s.made(p)
	}
}

// made answers requests for the path and query of a page.
func (s *Site) made(p template.Page) {
	path, query, _ := strings.Cut(p.Path, "?")
	before := s.paths[path]
	s.hidden(path, func(x *exchange) {
		switch {
		case x.URL.RawQuery == query:
			x.say(http.StatusOK, htmlType, p.HTML)
		case before != nil:
			before(x)
		default:
			x.say(http.StatusNotFound, textType, "no such page\n")
		}
	})
}

// town returns the site's further name for a host, to whose homepage the site's
// own homepage links.
func (s *Site) town(host string) *Site {
	label := strings.TrimSuffix(host, "."+s.Host)
	if o := s.others[host]; o != nil {
		return o
	}
	o := s.other(label)
	s.link(o.URL("/"))
	return o
}

// askedForAll checks that all pages to which a site's links lead were
// requested.
func askedForAll(pages func(host string) []template.Page) check {
	return func(o *outcome) {
		for _, p := range pages(o.site.Host) {
			asked := slices.ContainsFunc(o.log, func(r Request) bool { return r.Target == p.Path })
			if p.Same == "" && !asked {
				o.problem("%s was never asked for", p.Path)
			}
		}
	}
}

// everyTown checks that all pages of a franchise were requested.
func everyTown(o *outcome) {
	for _, p := range template.Franchise("towns."+o.site.Host, 5) {
		town := outcome{site: o.site.others[p.Host], log: o.site.others[p.Host].book.requests()}
		if len(town.requests(p.Path)) == 0 {
			o.problem("%s%s was never asked for", p.Host, p.Path)
		}
	}
}

// copiedPage opens a copy of a page, which answers immediately, and the original, which
// answers after a second. The links of the copy lead to the copy's own host, where nothing
// is: a crawler that drops the original loses its parts.
func copiedPage(s *Site) {
	front := "<title>The original</title><h1>The original</h1><p>" + prose(s.Host, 150)
	for i := range 12 {
		front += `<p><a href="/part/` + letters(draw("part", i)) + `">` + prose(letters(uint64(i+1)), 2) + "</a>"
	}
	for name, wait := range map[string]time.Duration{"original": time.Second, "copy": 0} {
		o := s.other(name)
		o.hidden("/", after(wait, page(front)))
		if name == "original" {
			o.under("/part/", article(""))
		}
	}
	s.link(s.others["copy."+s.Host].URL("/"))
	s.link(s.others["original."+s.Host].URL("/"))
}

// askedAt checks that n pages below /part/ of one of the site's names
// were requested.
func askedAt(label string, n int) check {
	return func(o *outcome) {
		other := o.site.others[label+"."+o.site.Host]
		at := outcome{site: other, log: other.book.requests()}
		if got := len(at.requests("/part/")); got != n {
			o.problem("%d of %d pages of %s were asked for", got, n, other.Host)
		}
	}
}
