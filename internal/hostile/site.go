package hostile

import (
	"fmt"
	"html"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"
)

// ordinaryPages is the number of ordinary pages of a site in addition to its
// homepage.
const ordinaryPages = 4

// A Site is what a row opens: a host with a homepage, ordinary pages, and
// hostile ones.
type Site struct {
	Row  Row
	Host string
	Addr netip.Addr

	server *Server
	book   book
	port   int
	paths  map[string]act
	trees  []tree           // by their prefixes; the first that matches answers
	linked []string         // paths and URLs that the homepage links to
	extra  []string         // further HTML of the homepage
	front  act              // answers in place of all others, if there is one
	others map[string]*Site // further names of the site
	wilds  *wildcards       // a domain of the site on which every name exists; nil for none
}

// A tree answers all paths with a prefix.
type tree struct {
	prefix string
	act    act
}

// newSite opens a row: a host with a robots.txt that forbids nothing the site links to, and
// whatever the row adds.
func newSite(row Row, server *Server, addr netip.Addr, port int) *Site {
	s := &Site{
		Row: row, Host: strings.ToLower(row.ID) + ".hostile.test", Addr: addr,
		server: server, port: port, paths: map[string]act{}, others: map[string]*Site{},
	}
	s.robots(text("User-agent: *\nDisallow: /never-mentioned/\n"))
	if row.open != nil {
		row.open(s)
	}
	return s
}

// URL returns the URL of a path on the site.
func (s *Site) URL(path string) string { return origin("http", s.Host, s.port) + path }

// origin returns scheme, host and port of a URL.
func origin(scheme, host string, port int) string {
	return fmt.Sprintf("%s://%s:%d", scheme, host, port)
}

// at answers requests for a path, and links the homepage to it.
func (s *Site) at(path string, a act) {
	s.hidden(path, a)
	s.link(path)
}

// hidden answers requests for a path to which no link leads.
func (s *Site) hidden(path string, a act) { s.paths[path] = a }

// under answers requests for all paths that begin with prefix.
func (s *Site) under(prefix string, a act) { s.trees = append(s.trees, tree{prefix, a}) }

// link links the homepage to a path or URL.
func (s *Site) link(href string) { s.linked = append(s.linked, href) }

// write adds HTML to the homepage.
func (s *Site) write(html string) { s.extra = append(s.extra, html) }

// robots sets the answer for robots.txt.
func (s *Site) robots(a act) { s.hidden("/robots.txt", a) }

// rules sets the site's robots.txt.
func (s *Site) rules(lines ...string) { s.robots(text(strings.Join(lines, "\n") + "\n")) }

// sitemaps sets a robots.txt that names sitemaps.
func (s *Site) sitemaps(paths ...string) {
	lines := []string{"User-agent: *", "Disallow: /never-mentioned/"}
	for _, p := range paths {
		lines = append(lines, "Sitemap: "+s.URL(p))
	}
	s.rules(lines...)
}

// other gives the site a further host name with pages of its own on the same address.
// Requests to it are in a log of their own, so that its manners are checked separately.
func (s *Site) other(label string) *Site {
	o := newSite(Row{ID: s.Row.ID}, s.server, s.Addr, s.port)
	o.Host = label + "." + s.Host
	s.others[o.Host] = o
	s.server.names.point(o.Host, s.Addr)
	return o
}

// listen serves connections on a further port of the site's address.
func (s *Site) listen(serve func(net.Conn)) (port int) { return s.server.listen(s.Addr, serve) }

// ServeHTTP answers for the host in the request, and records it: when it began, what was
// answered, when it ended.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	host, _, _ := strings.Cut(strings.ToLower(r.Host), ":")
	if o := s.others[host]; o != nil {
		s = o
	}
	book := &s.book
	wild := s.wilds.serves(host)
	if wild {
		book = &s.wilds.book
	}
	q := book.begin(r)
	x := &exchange{w: w, Request: r, site: s, entry: q}
	defer book.note(func() { q.End = time.Now() })
	if wild {
		s.wilds.act(x)
		return
	}
	s.act(q.Path())(x)
}

// act returns how the site answers a path.
func (s *Site) act(path string) act {
	if s.front != nil {
		return s.front
	}
	return s.usual(path)
}

// usual returns how the site answers a path if no override applies.
func (s *Site) usual(path string) act {
	if a, ok := s.paths[path]; ok {
		return a
	}
	for _, t := range s.trees {
		if strings.HasPrefix(path, t.prefix) {
			return t.act
		}
	}
	switch {
	case path == "/":
		return page(s.homepage())
	case strings.HasPrefix(path, "/ok/"):
		return page(s.ordinary(path))
	}
	return status(http.StatusNotFound)
}

// homepage links to half of the ordinary pages, then to the hostile ones, then
// to the other ordinary ones: a crawler that gives up in the middle misses
// some.
func (s *Site) homepage() string {
	var b strings.Builder
	b.WriteString(s.head("/"))
	half := ordinaryPages / 2
	for i := range half {
		writeLink(&b, ordinaryPath(i))
	}
	for _, href := range s.linked {
		writeLink(&b, href)
	}
	for _, h := range s.extra {
		b.WriteString(h)
	}
	for i := half; i < ordinaryPages; i++ {
		writeLink(&b, ordinaryPath(i))
	}
	return b.String()
}

// writeLink writes a paragraph with a link whose words depend on its target.
func writeLink(b *strings.Builder, href string) {
	fmt.Fprintf(b, "<p><a href=\"%s\">%s</a>\n", html.EscapeString(href), prose(href, 3))
}

// ordinaryPath returns the path of the i-th ordinary page.
func ordinaryPath(i int) string { return fmt.Sprintf("/ok/%d", i+1) }

// ordinary returns an ordinary page, with a link home.
func (s *Site) ordinary(path string) string { return s.head(path) + `<p><a href="/">home</a>` }

// head begins a page with a title that names it and a text of 120 words that no other page
// has, so that pages are never near-duplicates by accident.
func (s *Site) head(path string) string {
	return fmt.Sprintf("<!doctype html><html lang=en><title>%s</title>\n<h1>Page</h1>\n<p>%s\n", s.title(path), prose(s.Host+path, 120))
}

// title returns the title of a page, which no other page of any row has.
func (s *Site) title(path string) string { return s.Host + " " + path }
