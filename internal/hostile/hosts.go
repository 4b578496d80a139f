package hostile

import (
	"fmt"
	"strings"
	"time"
)

// wildcards are the hosts of a domain on which every name exists. They answer
// alike, and their requests are in one log.
type wildcards struct {
	domain string
	book   book
	act    act
}

// wild gives the site a domain of its own on which every name exists. The domain is not
// below hostile.test, so that it is another registrable domain to a crawler.
func (s *Site) wild(domain string, a act) *wildcards {
	s.wilds = &wildcards{domain: domain, act: a}
	s.server.names.point("*."+domain, s.Addr)
	return s.wilds
}

// serves reports whether a host is one of these.
func (w *wildcards) serves(host string) bool {
	return w != nil && strings.HasSuffix(host, "."+w.domain)
}

// hostRows are about many hosts at a time: what a bound per host does not bound.
func hostRows() []Row {
	return []Row{
		{
			// Wildcard domains have as many hosts as a crawler is willing to visit. Each is
			// polite to, new, and worthless.
			ID: "W01", Does: "a domain on which every name exists: each page links to 50 new hosts, with a menu, an imprint and new prose", Wants: "at most 1500 requests to at most 500 hosts",
			checks: []check{wildBounded(20, 1500, 500), mannersByHost},
			open: func(s *Site) {
				w := s.wild("w01-wildcard.test", made(portal))
				s.link(origin("http", "www."+w.domain, s.port) + "/")
			},
		},
		{
			// Connections are scarce. Hosts that keep them until a timeout take all of
			// them, if nothing holds some back.
			ID: "W02", Does: "60 hosts that accept connections and never answer", Wants: "tried again, at most ten times each; ordinary pages are not kept waiting for it",
			checks: []check{triedAgain(10), notKeptWaiting},
			open: func(s *Site) {
				for i := range 60 {
					o := s.other(fmt.Sprintf("silent%d", i))
					o.front = hang
					s.link(o.URL("/"))
				}
			},
		},
	}
}

// portal is a page of a domain on which every name exists. It looks like one of a network
// of sites: a menu, a text of its own, a list of 50 partners that no page named before, an
// imprint.
func portal(x *exchange) string {
	host, _, _ := strings.Cut(strings.ToLower(x.Host), ":")
	path := x.entry.Path()
	_, domain, _ := strings.Cut(host, ".")
	if path == "/robots.txt" {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<!doctype html><html lang=en><title>%s %s</title>\n<nav>", host, path)
	for _, item := range []string{"", "about", "imprint"} {
		fmt.Fprintf(&b, `<a href="/%s">%s</a> | `, item, item)
	}
	fmt.Fprintf(&b, "</nav>\n<h1>%s</h1>\n<article><p>%s\n<p>%s</article>\n<aside><h2>Partners</h2><ul>", prose(host, 3), prose(host+path, 150), prose(path+host, 60))
	for i := range 50 {
		partner := letters(draw(host+path, i))
		fmt.Fprintf(&b, `<li><a href="%s/">%s</a>`, origin("http", partner+"."+domain, x.site.port), prose(partner, 2))
	}
	b.WriteString("</ul></aside>\n<footer>All rights reserved. Terms and conditions apply.</footer>")
	return b.String()
}

// wildBounded bounds the requests to a domain on which every name exists, and the number of
// its hosts that the crawl knows: memory for hosts is bounded as well as visits.
func wildBounded(least, requests, hosts int) check {
	return func(o *outcome) {
		w := o.site.wilds
		if n := len(w.book.requests()); n < least || n > requests {
			o.problem("%d requests to hosts of %s, from %d to %d are reasonable", n, w.domain, least, requests)
		}
		known := map[string]bool{}
		for u := range o.findings {
			if rest, ok := strings.CutPrefix(u, "http://"); ok {
				host, _, _ := strings.Cut(rest, ":")
				known[host] = known[host] || w.serves(host)
			}
		}
		n := 0
		for _, wild := range known {
			if wild {
				n++
			}
		}
		if n > hosts {
			o.problem("%d hosts of %s are known, at most %d are reasonable", n, w.domain, hosts)
		}
	}
}

// mannersByHost checks the manners for each of the hosts separately.
func mannersByHost(o *outcome) {
	byHost := map[string][]Request{}
	for _, r := range o.site.wilds.book.requests() {
		byHost[r.Host] = append(byHost[r.Host], r)
	}
	for host, log := range byHost {
		one := &outcome{site: o.site, log: log, findings: o.findings}
		one.manners()
		for _, p := range one.problems {
			o.problem("%s: %s", host, p)
		}
	}
}

// triedAgain bounds how often each of the site's other names was requested: at least once,
// since a host that is not tried cannot recover.
func triedAgain(most int) check {
	return func(o *outcome) {
		for _, other := range o.site.others {
			if n := len(other.book.requests()); n < 1 || n > most {
				o.problem("%s was asked %d times, from 1 to %d are reasonable", other.Host, n, most)
			}
		}
	}
}

// notKeptWaiting checks that the last ordinary page was requested before the site's other
// names had been given up. It compares the order of requests, not times, so that a slow
// machine changes nothing.
func notKeptWaiting(o *outcome) {
	var silent time.Time
	for _, other := range o.site.others {
		for _, r := range other.book.requests() {
			if r.Begin.After(silent) {
				silent = r.Begin
			}
		}
	}
	for i := range ordinaryPages {
		for _, r := range o.requests(ordinaryPath(i)) {
			if r.Begin.After(silent) {
				o.problem("%s was asked for after all that do not answer were", r.Target)
			}
		}
	}
}
