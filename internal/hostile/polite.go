package hostile

import (
	"net/http"
	"strings"
	"time"

	"dowse"
)

// politeRows are about a server's wish for fewer requests, and about failures that pass.
func politeRows() []Row {
	return []Row{
		{
			// A host, not a page, is too busy: the wait applies to all its pages.
			ID: "P01", Does: "a page answers 429 with Retry-After: 3, twice", Wants: "no request to the host inside the wait; the page is fetched in the end",
			checks: []check{quietAfter(429, 3*time.Second), is("/busy", dowse.Visited)},
			open: func(s *Site) {
				s.at("/busy", first(2, retryAfter(429, seconds(3)), article("")))
			},
		},
		{
			// Retry-After has two forms; the date is the one that is forgotten (RFC 9110,
			// section 10.2.3).
			ID: "P02", Does: "a page answers 503 with Retry-After as a date 4 s ahead, once", Wants: "retried, not before the date",
			checks: []check{quietAfter(503, 4*time.Second), is("/busy", dowse.Visited)},
			open: func(s *Site) {
				s.at("/busy", first(1, retryAfter(503, dateAhead(4*time.Second)), article("")))
			},
		},
		{
			// A wait that outlasts any crawl. A crawl that honours it literally never ends.
			ID: "P03", Does: "every page answers 429 with a Retry-After of 30 years", Wants: "host parked, few requests, the crawl still ends",
			pages: parked, checks: []check{func(o *outcome) {
				if n := len(o.log); n > 5 {
					o.problem("%d requests, few are enough", n)
				}
			}},
			open: func(s *Site) {
				busy := retryAfter(429, seconds(999_999_999))
				s.under("/", busy)
			},
		},
		{
			// Retries are bounded, and do not hold up what works.
			ID: "P04", Does: "one page always answers 500", Wants: "bounded retries, others fetched",
			checks: []check{atMost(10, "/broken"), refusedFor("/broken", dowse.FailHTTP)},
			open:   func(s *Site) { s.at("/broken", status(500)) },
		},
		{
			// A slow host gets slower with each concurrent request. Its delay counts from
			// the answer, not from the request.
			ID: "P05", Does: "every page takes 700 ms", Wants: "never two requests at once to a host", // see manners
			open: func(s *Site) {
				s.front = func(x *exchange) { after(700*time.Millisecond, s.usual(x.entry.Path()))(x) }
			},
		},
		{
			// The fast host is where politeness has to come from the crawler.
			ID: "P06", Does: "a fast host", Wants: "at least 200 ms between requests by default", Should: true,
			checks: []check{apart(Polite)},
		},
		{
			// Load balancers drop connections now and then. Without a retry a part of every
			// site is lost.
			ID: "P07", Does: "each page resets the first connection", Wants: "retried; nothing lost",
			open: func(s *Site) {
				s.front = func(x *exchange) {
					usual := s.usual(x.entry.Path())
					if x.entry.Path() == "/robots.txt" {
						usual(x)
						return
					}
					first(1, reset, usual)(x)
				}
			},
		},
		{
			// A restart of a server: errors for seconds, with everything fine before and
			// after.
			ID: "P08", Does: "the host answers 503 without Retry-After to everything for 5 s, then works", Wants: "backed off and fetched later",
			checks: []check{func(o *outcome) {
				n := 0
				for _, r := range o.log {
					if r.Begin.Sub(o.log[0].Begin) < outage {
						n++
					}
				}
				if n > 12 {
					o.problem("%d requests while it was down, at most 12 are patient", n)
				}
			}},
			open: func(s *Site) {
				s.front = func(x *exchange) {
					if x.entry.Begin.Sub(s.book.requests()[0].Begin) < outage {
						status(503)(x)
						return
					}
					s.usual(x.entry.Path())(x)
				}
			},
		},
		{
			// The same, as seen by a crawler that has already read some pages, and long
			// enough for several rounds of retries.
			ID: "P09", Does: "the host resets every connection for 20 s after its robots.txt and a page, then works", Wants: "few tries meanwhile; every page is fetched later",
			checks: []check{func(o *outcome) {
				if n := failures(o.log, lull); n > 8 {
					o.problem("%d requests while it was down, at most 8 are patient", n)
				}
			}},
			open: func(s *Site) {
				s.front = func(x *exchange) {
					list := s.book.requests()
					if len(list) > 2 && x.entry.Begin.Sub(list[2].Begin) < lull {
						reset(x)
						return
					}
					s.usual(x.entry.Path())(x)
				}
			},
		},
	}
}

// lull is how long the host of P09 is down.
const lull = 20 * time.Second

// failures counts the requests that arrived while the host of P09 was down.
func failures(log []Request, lasts time.Duration) (n int) {
	for i := 2; i < len(log); i++ {
		if log[i].Begin.Sub(log[2].Begin) < lasts {
			n++
		}
	}
	return n
}

// outage is how long the host of P08 is down.
const outage = 5 * time.Second

// dateAhead returns a date that is at least d ahead. Dates have whole seconds, so that it
// is up to a second further.
func dateAhead(d time.Duration) func() string {
	return func() string {
		at := time.Now().Add(d + time.Second - time.Nanosecond).Truncate(time.Second)
		return strings.Replace(at.UTC().Format(http.TimeFormat), "UTC", "GMT", 1)
	}
}
