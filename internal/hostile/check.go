package hostile

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"dowse"
)

// Polite is the delay between two requests to a host that a checked crawl must
// keep.
const Polite = 200 * time.Millisecond

// maxHeader bounds the header of a request, in bytes.
const maxHeader = 16 << 10

// A check examines the outcome of a row and reports problems.
type check func(c *outcome)

// An outcome is what came of a row: the requests that the site saw, and what
// the crawl reports about its URLs.
type outcome struct {
	site     *Site
	log      []Request
	findings map[string]Finding // by URL
	problems []string
}

// problem records a problem. A row may have several; all are reported.
func (o *outcome) problem(format string, args ...any) {
	o.problems = append(o.problems, fmt.Sprintf(format, args...))
}

// Check returns the problems of a crawl as far as the row is concerned; none if all is
// well. findings are those of the whole crawl, which must have used the politeness delay
// and the agent of this package. Manners, ordinary pages and outcomes are checked for every
// row, then what the row itself demands.
func (s *Server) Check(site *Site, findings map[string]Finding) []string {
	o := &outcome{site: site, log: site.book.requests(), findings: findings}
	o.manners()
	o.ordinaryPages()
	o.settled()
	for _, check := range site.Row.checks {
		check(o)
	}
	problems := o.problems
	for _, other := range site.others {
		o := &outcome{site: other, log: other.book.requests(), findings: findings}
		o.manners()
		problems = append(problems, o.problems...)
	}
	return problems
}

// Requests returns the requests to the site, in order.
func (s *Site) Requests() []Request { return s.book.requests() }

// Floods returns the requests to further names of the site that were answered
// without end.
func (s *Site) Floods() (list []Request) {
	for _, other := range s.others {
		for _, r := range other.book.requests() {
			if r.Sent > 0 {
				list = append(list, r)
			}
		}
	}
	return list
}

// manners checks what applies to every host: the delay, the agent, modest
// headers, robots.txt first.
func (o *outcome) manners() {
	if len(o.log) > 0 && o.log[0].Path() != "/robots.txt" {
		o.problem("the first request is %s, not robots.txt", o.log[0].Target)
	}
	for i := range o.log {
		o.modest(&o.log[i])
		if i > 0 {
			o.patient(&o.log[i-1], &o.log[i])
		}
	}
}

// modest checks one request: a harmless method, a User-Agent with a name and a contact, no
// credentials, and a header of bounded size, whatever cookies the site set.
func (o *outcome) modest(r *Request) {
	agent := r.Header.Get("User-Agent")
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		o.problem("%s %s: only GET and HEAD are harmless", r.Method, r.Target)
	case !strings.Contains(agent, Agent) || !strings.Contains(agent, "+http") && !strings.Contains(agent, "mailto:"):
		o.problem("%s: User-Agent %q has no name and contact", r.Target, agent)
	case r.Header.Get("Authorization") != "":
		o.problem("%s: an Authorization header was sent", r.Target)
	case r.HeaderBytes() >= maxHeader:
		o.problem("%.60s: a request header of %d bytes", r.Target, r.HeaderBytes())
	}
}

// patient checks that a request waited for the delay after the one before it.
// The redirects of a robots.txt count as one visit.
func (o *outcome) patient(before, r *Request) {
	if !before.Loose && r.Begin.Before(before.End) {
		o.problem("%s was asked for while %s was being answered", r.Target, before.Target)
	}
	if redirected := before.Status >= 300 && before.Status < 400; redirected && strings.HasPrefix(o.site.Row.ID, "R0") {
		return
	}
	if gap := r.Begin.Sub(before.Begin); gap < Polite {
		o.problem("%s came %v after %s", r.Target, gap.Round(time.Millisecond), before.Target)
	}
}

// ordinaryPages checks that the ordinary pages of the site were fetched all the
// same.
func (o *outcome) ordinaryPages() {
	for i := range ordinaryPages {
		path := ordinaryPath(i)
		n := len(o.requests(path))
		switch o.site.Row.pages {
		case fetched:
			o.fetchedWhole(path)
		case closed, parked:
			if n > 0 {
				o.problem("%s was asked for", path)
			}
		}
	}
}

// fetchedWhole checks that an ordinary page was fetched and has its own title: a crawler
// that mixes up answers on a connection has another one's.
func (o *outcome) fetchedWhole(path string) {
	f, ok := o.find(path)
	switch {
	case len(o.requests(path)) == 0:
		o.problem("%s was never asked for (%s)", path, f.describe(ok))
	case f.State != dowse.Visited:
		o.problem("%s was asked for, and is %s", path, f.describe(ok))
	case f.Title != o.site.title(path):
		o.problem("%s has another page's title: %.80q", path, f.Title)
	}
}

// settled checks that each page to which the homepage leads has an outcome with a reason.
// Sites that are left alone are exempt: their pages wait.
func (o *outcome) settled() {
	if o.site.Row.pages == closed || o.site.Row.pages == parked {
		return
	}
	for _, path := range o.site.linked {
		if _, own := o.site.paths[path]; own {
			o.explained(path)
		}
	}
}

// explained checks that the crawl knows what became of a page: it was visited or leads
// elsewhere, or there is a reason. A page without an outcome is one that the crawler lost.
func (o *outcome) explained(path string) {
	f, ok := o.find(path)
	if !ok {
		o.problem("%.80s is not known to the crawl", path)
		return
	}
	switch f.State {
	case dowse.Visited, dowse.Aliased:
	case dowse.Dead, dowse.Excluded:
		if f.Reason == "" {
			o.problem("%s is %s for no reason", path, f.State)
		}
	default:
		o.problem("%s is still %s", path, f.State)
	}
}

// describe returns the finding in words, for problems.
func (f Finding) describe(known bool) string {
	if !known {
		return "the crawl does not know it"
	}
	s := f.State.String()
	if f.Reason != "" {
		s += ", " + string(f.Reason)
	}
	if f.Detail != "" {
		s += ": " + f.Detail
	}
	return s
}

// find returns what the crawl reports about a path of the site.
func (o *outcome) find(path string) (Finding, bool) {
	f, ok := o.findings[o.site.URL(path)]
	return f, ok
}

// requests returns those for a path and below it.
func (o *outcome) requests(prefix string) (list []Request) {
	for _, r := range o.log {
		if matches(&r, prefix) {
			list = append(list, r)
		}
	}
	return list
}

// matches reports whether a request is for a path, or below a prefix that ends
// in a slash or a question mark.
func matches(r *Request, prefix string) bool {
	if strings.HasSuffix(prefix, "/") || strings.HasSuffix(prefix, "?") {
		return strings.HasPrefix(r.Target, prefix)
	}
	return r.Path() == prefix
}

// never checks that nothing below these prefixes was requested, except
// robots.txt.
func never(prefixes ...string) check {
	return func(o *outcome) {
		for _, p := range prefixes {
			for _, r := range o.requests(p) {
				if r.Path() != "/robots.txt" {
					o.problem("%s was asked for", r.Target)
				}
			}
		}
	}
}

// asked checks that each of these was requested.
func asked(prefixes ...string) check {
	return func(o *outcome) {
		for _, p := range prefixes {
			if len(o.requests(p)) == 0 {
				f, ok := o.find(p)
				o.problem("%s was never asked for (%s)", p, f.describe(ok))
			}
		}
	}
}

// atMost bounds the requests for a path, or below a prefix.
func atMost(n int, prefix string) check { return between(0, n, prefix) }

// between bounds the requests for a path, or below a prefix, from both sides: a
// crawler that never enters a trap has not been tested.
func between(least, most int, prefix string) check {
	return func(o *outcome) {
		if got := len(o.requests(prefix)); got < least || got > most {
			o.problem("%d requests for %s, from %d to %d are reasonable", got, prefix, least, most)
		}
	}
}

// gaveUp checks that no answer below a prefix was waited for longer than any reasonable
// timeout. The bound is 30 seconds of the server's clock; crawls under test have timeouts
// of a few seconds, so that a busy machine does not decide.
func gaveUp(prefix string) check {
	const patience = 30 * time.Second
	return func(o *outcome) {
		for _, r := range o.requests(prefix) {
			if r.End.IsZero() {
				o.problem("%s is still being read", r.Target)
			} else if took := r.End.Sub(r.Begin); took > patience {
				o.problem("%s was read for %v", r.Target, took.Round(time.Second))
			}
		}
	}
}

// cutWithin bounds how much of an endless answer was read, as the server saw it. What it
// sent includes the buffers of both sockets.
func cutWithin(bytes int64, prefix string) check {
	return func(o *outcome) {
		for _, r := range o.requests(prefix) {
			if r.Sent > bytes {
				o.problem("%s could send %d MiB", r.Target, r.Sent>>20)
			}
		}
	}
}

// is checks the state that the crawl reports for a page.
func is(path string, states ...dowse.State) check {
	return func(o *outcome) {
		f, known := o.find(path)
		for _, s := range states {
			if known && f.State == s {
				return
			}
		}
		o.problem("%s is %s, want %v", path, f.describe(known), states)
	}
}

// refusedFor checks the reason that the crawl reports for a page that it did
// not fetch.
func refusedFor(path string, why dowse.Reason) check {
	return func(o *outcome) {
		if f, known := o.find(path); f.Reason != why {
			o.problem("%s is %s, want %s", path, f.describe(known), why)
		}
	}
}

// apart checks the time between requests.
func apart(d time.Duration) check {
	return func(o *outcome) {
		for i := 1; i < len(o.log); i++ {
			if gap := o.log[i].Begin.Sub(o.log[i-1].Begin); gap < d {
				o.problem("%s came %v after %s, want %v", o.log[i].Target, gap.Round(time.Millisecond), o.log[i-1].Target, d)
			}
		}
	}
}

// quietAfter checks that the host was left alone for some time after each
// request that was answered with a status.
func quietAfter(code int, d time.Duration) check {
	return func(o *outcome) {
		for i := 1; i < len(o.log); i++ {
			before := &o.log[i-1]
			if gap := o.log[i].Begin.Sub(before.Begin); before.Status == code && gap < d {
				o.problem("%s came %v after %s was answered with %d, want %v", o.log[i].Target, gap.Round(time.Millisecond), before.Target, code, d)
			}
		}
	}
}

// settledOn checks that every URL of the site's names with a path below prefix,
// on any port, was settled, or is waiting for a host that does not answer.
func settledOn(prefix string) check {
	return func(o *outcome) {
		n := 0
		for u, f := range o.findings {
			if !strings.Contains(u, o.site.Host+":") || !strings.Contains(u, prefix) {
				continue
			}
			n++
			if f.State != dowse.Dead && f.State != dowse.Excluded && f.State != dowse.Visited && f.State != dowse.Waiting {
				o.problem("%s is still %s", u, f.State)
			}
		}
		if n == 0 {
			o.problem("the crawl knows of no URL with %s", prefix)
		}
	}
}

// untouched checks that nothing was requested from the site's other names: they exist only
// to be avoided.
func untouched(o *outcome) {
	for _, other := range o.site.others {
		for _, r := range other.book.requests() {
			o.problem("%s was asked for %s", other.Host, r.Target)
		}
	}
}
