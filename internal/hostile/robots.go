package hostile

import (
	"fmt"
	"strings"
	"time"

	"dowse"
)

// forbidden adds pages that the site's robots.txt should protect, with links to them: that
// they are not fetched shows that a rule was obeyed, not that they were unknown.
func (s *Site) forbidden(paths ...string) {
	for _, p := range paths {
		s.at(p, article(""))
	}
}

// protect is a robots.txt that forbids what is below /no/.
const protect = "User-agent: *\nDisallow: /no/\n"

// robotsRows are about the robots exclusion protocol (RFC 9309): what rules a crawler
// finds, and what it does if it finds none.
func robotsRows() []Row {
	// No rule forbids the pages: they wait, and are not settled as forbidden.
	onlyRobots := []check{never("/"), is("/", dowse.Waiting)}
	return []Row{
		{
			// No rules: the usual case (RFC 9309, section 2.3.1.3).
			ID: "R01", Does: "robots.txt answers 404", Wants: "all pages may be fetched",
			open: func(s *Site) { s.robots(status(404)) },
		},
		{
			// Forbidden is an answer about the file, not about the site: crawlers that take
			// it as a refusal lose many sites behind login pages.
			ID: "R02", Does: "robots.txt answers 403", Wants: "unavailable (RFC 9309 2.3.1.3): pages may be fetched",
			open: func(s *Site) { s.robots(status(403)) },
		},
		{
			// 429 is a client error by its number, and a plea for fewer requests by its
			// meaning.
			ID: "R03", Does: "robots.txt always answers 429", Wants: "counts as a server error: no page is fetched", Should: true,
			pages: closed, checks: onlyRobots,
			open: func(s *Site) { s.robots(status(429)) },
		},
		{
			// A server in trouble must not lose its rules: no page is fetched until they
			// can be read again.
			ID: "R04", Does: "robots.txt always answers 503", Wants: "complete disallow (RFC 9309 2.3.1.4)",
			pages: closed, checks: onlyRobots,
			open: func(s *Site) { s.robots(status(503)) },
		},
		{
			// Unreachable is not absent. What cannot be read may forbid everything.
			ID: "R05", Does: "robots.txt accepts and never answers", Wants: "complete disallow, connection given up",
			pages: closed, checks: append([]check{gaveUp("/robots.txt")}, onlyRobots...),
			open: func(s *Site) { s.robots(hang) },
		},
		{
			// The same without any answer.
			ID: "R06", Does: "the connection for robots.txt is reset", Wants: "complete disallow",
			pages: closed, checks: onlyRobots,
			open: func(s *Site) { s.robots(reset) },
		},
		{
			// At least five redirects have to be followed (RFC 9309, section 2.3.1.2).
			ID: "R07", Does: "robots.txt behind five redirects", Wants: "followed; the rules found are obeyed",
			checks: []check{never("/no/")},
			open: func(s *Site) {
				s.robots(redirect("/hop/1"))
				for i := range 4 {
					s.hidden(fmt.Sprintf("/hop/%d", i+1), redirect(fmt.Sprintf("/hop/%d", i+2)))
				}
				s.hidden("/hop/5", text(protect))
				s.forbidden("/no/1")
			},
		},
		{
			// A loop, within the one visit that a crawler makes without asking.
			ID: "R08", Does: "robots.txt redirects to itself", Wants: "given up after a bounded number of hops",
			checks: []check{atMost(25, "/robots.txt")},
			open:   func(s *Site) { s.robots(redirect("/robots.txt")) },
		},
		{
			// The rules of the other host apply to the host that was asked, not only to the
			// one that answered.
			ID: "R09", Does: "robots.txt redirects to another host's", Wants: "the rules are obeyed for the first host",
			checks: []check{never("/no/")},
			open: func(s *Site) {
				o := s.other("rules")
				o.robots(text(protect))
				s.robots(redirect(o.URL("/robots.txt")))
				s.forbidden("/no/1")
			},
		},
		{
			// A bound on the size has to leave room for real files; the RFC asks for at
			// least 500 KiB (section 2.5).
			ID: "R10", Does: "rules, then robots.txt without end", Wants: "the first 2 MiB parsed (at least 500 KiB are required), the rest cut; the rules obeyed",
			checks: []check{never("/no/", "/far/"), gaveUp("/robots.txt"), cutWithin(64<<20, "/robots.txt")},
			open: func(s *Site) {
				const comment = "# and so on, and so on, and so on, and so on, and so on, and so\n"
				far := strings.Repeat(comment, (2<<20-200)/len(comment))
				s.robots(flood("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"+protect+far+"Disallow: /far/\n", comment))
				s.forbidden("/no/1", "/far/1")
			},
		},
		{
			// Many servers answer any path with a page and 200. Lines that are no rules are
			// ignored.
			ID: "R11", Does: "robots.txt is a page of HTML", Wants: "no rule in it; pages are fetched",
			open: func(s *Site) {
				s.robots(page("<!doctype html><html><head><title>Welcome</title><style>a { color: red }</style></head>\n<body>\n<h1>Robots: all welcome</h1>\n</body></html>\n"))
			},
		},
		{
			// Files written by hand, on any system, in any editor.
			ID: "R12", Does: "byte order mark, CR line ends, odd case, no final line end", Wants: "rules obeyed",
			checks: []check{never("/no/", "/nein/")},
			open: func(s *Site) {
				s.robots(text("\uFEFFuSeR-aGeNt: *\rdIsAlLoW: /no/\rDISALLOW:/nein/"))
				s.forbidden("/no/1", "/nein/1")
			},
		},
		{
			// Groups for one agent are one group, wherever they are in the file.
			ID: "R13", Does: "two groups for the same agent", Wants: "rules of both obeyed (RFC 9309 2.2.1)",
			checks: []check{never("/no/", "/nein/")},
			open: func(s *Site) {
				s.rules("User-agent: "+Agent, "Disallow: /no/", "", "User-agent: other", "Disallow: /ok/", "", "User-agent: "+Agent, "Disallow: /nein/")
				s.forbidden("/no/1", "/nein/1")
			},
		},
		{
			// The most specific rule wins, measured in octets; an allow wins a tie (RFC
			// 9309, section 2.2.2).
			ID: "R14", Does: "allow and disallow of several lengths, * and $", Wants: "the longest match wins",
			checks: []check{never("/a/1", "/a/b/c/1", "/x/1.pdf", "/end"), asked("/a/b/1", "/x/1.pdf.txt", "/end/1", "/a/q.html")},
			open: func(s *Site) {
				s.rules("User-agent: *", "Disallow: /a/", "Allow: /a/b/", "Disallow: /a/b/c", "Disallow: /x/*.pdf$", "Disallow: /end$", "Allow: /a/*.html$")
				s.forbidden("/a/1", "/a/b/c/1", "/x/1.pdf", "/end")
				s.forbidden("/a/b/1", "/x/1.pdf.txt", "/end/1", "/a/q.html") // these are not
			},
		},
		{
			// A group for the crawler replaces the one for everybody; the two are not added
			// up.
			ID: "R15", Does: "a group for the crawler's own token and one for *", Wants: "the own group alone is obeyed",
			checks: []check{never("/no/")},
			open: func(s *Site) {
				s.rules("User-agent: *", "Disallow: /", "", "User-agent: "+strings.ToUpper(Agent), "Disallow: /no/")
				s.forbidden("/no/1")
			},
		},
		{
			// Not part of the RFC, and widely used.
			ID: "R16", Does: "Crawl-delay: 2", Wants: "two seconds between requests", Should: true,
			checks: []check{apart(2 * time.Second)},
			open:   func(s *Site) { s.rules("User-agent: *", "Crawl-delay: 2", "Disallow: /no/") },
		},
		{
			// Servers that compress whatever is asked for. A crawler that parses the bytes
			// finds no rule, and fetches everything.
			ID: "R17", Does: "robots.txt in gzip whatever was asked", Wants: "rules obeyed",
			checks: []check{never("/no/")},
			open: func(s *Site) {
				s.robots(with("Content-Encoding", "gzip", text(pack(gzipped, protect))))
				s.forbidden("/no/1")
			},
		},
		{
			// A page decides about its own links; its text may still be read.
			ID: "R18", Does: "a page with meta robots nofollow", Wants: "its links are not followed",
			checks: []check{asked("/page"), never("/no/")},
			open: func(s *Site) {
				s.at("/page", article(`<meta name="ROBOTS" content="noindex, NoFollow"><a href="/no/1">no</a>`))
			},
		},
		{
			// The same in a header, for all agents or for one.
			ID: "R19", Does: "X-Robots-Tag: nofollow, plain and for the crawler's token", Wants: "links not followed",
			checks: []check{asked("/plain", "/token", "/other", "/yes/1"), never("/no/")},
			open: func(s *Site) {
				s.at("/plain", with("X-Robots-Tag", "nofollow", article(`<a href="/no/1">no</a>`)))
				s.at("/token", with("X-Robots-Tag", Agent+": nofollow", article(`<a href="/no/2">no</a>`)))
				s.at("/other", with("X-Robots-Tag", "otherbot: nofollow", article(`<a href="/yes/1">yes</a>`)))
				s.hidden("/yes/1", article(""))
			},
		},
		{
			// A hint rather than a rule; crawlers differ. The default is the careful one.
			ID: "R20", Does: "links with rel=nofollow", Wants: "not followed by default", Should: true,
			checks: []check{never("/no/")},
			open: func(s *Site) {
				s.write(`<a rel="nofollow" href="/no/1">no</a> <a rel="ugc NoFollow" href="/no/2">no</a>`)
			},
		},
		{
			// One file per host and run is enough; the RFC allows a day (section 2.4).
			ID: "R21", Does: "robots.txt without caching headers", Wants: "fetched at most twice in a run",
			checks: []check{atMost(2, "/robots.txt")},
		},
		{
			// Robots.txt is read before every other protection is set up, often without a
			// timeout of its own.
			ID: "R22", Does: "robots.txt at a byte a second without end", Wants: "given up in bounded time",
			pages: whatever, checks: []check{gaveUp("/robots.txt"), atMost(10, "/robots.txt")},
			open: func(s *Site) { s.robots(drip("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n" + protect)) },
		},
		{
			// A pattern with stars, matched by backtracking, takes exponential time.
			ID: "R23", Does: "rules with 200 stars against a long URL", Wants: "matched without a blow-up; ordinary pages fetched",
			open: func(s *Site) {
				s.rules("User-agent: *", "Disallow: /"+strings.Repeat("a*", 200)+"b", "Disallow: /"+strings.Repeat("*a", 200)+"b$")
				s.forbidden("/" + strings.Repeat("a", 900))
			},
		},
		{
			// Rules apply to every URL that is fetched, also to those that a redirect
			// names.
			ID: "R24", Does: "an allowed URL redirects to a disallowed one", Wants: "the target is not fetched",
			checks: []check{asked("/go"), never("/no/"), refusedFor("/no/1", dowse.SkipRobotsTxt)},
			open: func(s *Site) {
				s.rules("User-agent: *", "Disallow: /no/")
				s.at("/go", redirect("/no/1"))
				s.hidden("/no/1", article(""))
			},
		},
		{
			// A rule and a URL may spell the same octets in different ways.
			ID: "R25", Does: "Disallow: /n%6F/ and /ü/ against /no/1 and /%C3%BC/1", Wants: "compared after normalising (RFC 9309 2.2.2)", Should: true,
			checks: []check{never("/no/", "/%C3%BC/")},
			open: func(s *Site) {
				s.rules("User-agent: *", "Disallow: /n%6F/", "Disallow: /ü/")
				s.forbidden("/no/1", "/%C3%BC/1")
			},
		},
		{
			// Lengths are compared after encoding, or the shorter rule looks longer.
			ID: "R26", Does: "Disallow: /a%20b/ and /c d/ against the shorter Allow: /a*b/1 and /c*d/1", Wants: "a space counts three octets: the longest match is the one with it",
			checks: []check{never("/a%20b/", "/c%20d/"), asked("/a-b/1")},
			open: func(s *Site) {
				s.rules("User-agent: *", "Disallow: /a%20b/", "Disallow: /c d/", "Allow: /a*b/1", "Allow: /c*d/1")
				s.forbidden("/a%20b/1", "/c%20d/1")
				s.at("/a-b/1", article(""))
			},
		},
	}
}
