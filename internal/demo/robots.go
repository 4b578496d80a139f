package demo

import (
	"fmt"
	"strings"

	"dowse"
)

// Allowed reports whether robots.txt permits a crawler to fetch u.
func (w *Web) Allowed(u dowse.URL) bool {
	at, ok := parse(u)
	if !ok {
		return false
	}
	i, ok := w.hosts[at.host]
	return ok && w.allowed(&w.sites[i], at.path)
}

// allowed reports whether a site's robots.txt permits a path. It is the ground
// truth that tests compare a crawler's reading of robots.txt with.
func (w *Web) allowed(s *site, path string) bool {
	if path == "/robots.txt" {
		return true
	}
	if s.kind == Closed || strings.HasPrefix(path, "/search") {
		return false
	}
	m := s.shape.members
	return m < 0 || !strings.HasPrefix(path, "/"+s.shape.sections[m]+"/")
}

// robots returns the robots.txt of a site. It must agree with allowed.
func (s *site) robots() string {
	if s.kind == Closed {
		return "User-agent: *\nDisallow: /\n"
	}
	var b strings.Builder
	b.WriteString("# Welcome.\nUser-agent: *\nDisallow: /search\n")
	if m := s.shape.members; m >= 0 {
		fmt.Fprintf(&b, "Disallow: /%s/\n", s.shape.sections[m])
	}
	if s.kind == Slow {
		b.WriteString("Crawl-delay: 0.2\n")
	}
	if s.listed {
		fmt.Fprintf(&b, "\nSitemap: http://%s/sitemap.xml\n", s.host)
	}
	return b.String()
}

// mostListed bounds a sitemap, in pages.
const mostListed = 1000

// Sitemap returns the pages that a host's sitemap lists; nil if it has none.
func (w *Web) Sitemap(host string) []dowse.URL {
	i, ok := w.hosts[host]
	if !ok || !w.sites[i].listed {
		return nil
	}
	var urls []dowse.URL
	for id := range w.listed(&w.sites[i]) {
		urls = append(urls, w.urlOf(id))
	}
	return urls
}

// listed iterates over the pages in the sitemap of a site: those that may be
// fetched.
func (w *Web) listed(s *site) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for local := range min(s.open(), mostListed) {
			id := s.first + local
			if w.mayFetch(w.page(id)) && !yield(id) {
				return
			}
		}
	}
}

// mayFetch reports whether robots.txt permits a page. Most sites forbid no
// page, so that the path is seldom computed.
func (w *Web) mayFetch(p pageRef) bool {
	if p.site.kind != Closed && p.site.shape.members < 0 {
		return true
	}
	var room [96]byte
	return w.allowed(p.site, string(w.appendPath(room[:0], p.site, p.local)))
}

// sitemap returns the sitemap of a site as XML, with dates.
func (w *Web) sitemap(s *site) []byte {
	b := []byte(`<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
	for id := range w.listed(s) {
		b = append(b, "<url><loc>"...)
		b = append(b, w.urlOf(id)...)
		b = append(b, "</loc><lastmod>"...)
		b = append(b, w.published(id).Format("2006-01-02")...)
		b = append(b, "</lastmod></url>\n"...)
	}
	return append(b, "</urlset>\n"...)
}
