package crawl_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/weburl"
)

// A lopsided web has hosts that answer by one scheme only: connections by the other one are
// refused, or never open.
type lopsided struct {
	toy
	shut   string // the scheme that does not answer
	silent bool
	asked  []dowse.URL
}

func (w *lopsided) Visit(v crawl.Visit) (*dowse.Page, time.Duration) {
	w.asked = append(w.asked, v.URL)
	p, took := w.toy.Visit(v)
	if weburl.Scheme(v.URL) != w.shut {
		return p, min(took, 50*time.Millisecond)
	}
	*p = dowse.Page{URL: p.URL, Outcome: dowse.Temporary, Reason: dowse.FailConnect, Host: &dowse.HostReport{BackOff: true, Down: true}}
	if w.silent {
		p.Reason = dowse.FailTimeout
		p.Fetch.Took = tarpitTimeout
		return p, tarpitTimeout
	}
	return p, time.Millisecond
}

// chained makes a host whose pages link each to the next one, and before that to a URL of the
// other scheme, which ranks first.
func chained(shut, works string, n int, silent bool) (web *lopsided, first dowse.URL, s dowse.Strategy) {
	pages := toy{}
	at := func(i int) dowse.URL { return dowse.URL(fmt.Sprintf("%s://a.test/%d", works, i)) }
	for i := range n {
		bad := dowse.URL(fmt.Sprintf("%s://a.test/%d/bad", shut, i))
		pages[bad] = page{}
		pages[at(i)] = page{Links: to(bad)}
		if i+1 < n {
			pages[at(i)] = page{Links: to(bad, at(i+1))}
		}
	}
	s = follow(func(p *dowse.Page) (list leads) {
		for _, l := range queueAll(p) {
			if weburl.Scheme(l.URL) == shut {
				l.Priority = 0.9
			}
			list = append(list, l)
		}
		return list
	})
	return &lopsided{toy: pages, shut: shut, silent: silent}, at(0), s
}

// TestAClosedPortIsNotADeadHost has a host that answers by http, and links to itself by https,
// where nothing answers, or the other way round: the pages that can be had are fetched without
// pauses of the host, and only the others fail.
func TestAClosedPortIsNotADeadHost(t *testing.T) {
	const pages = 30
	for _, tc := range []struct {
		name        string
		shut, works string
		silent      bool
		robots      bool
		seedShut    bool // the first seed is a URL of the scheme that does not answer
	}{
		{"https refused", "https", "http", false, true, false},
		{"https refused, without robots.txt", "https", "http", false, false, false},
		{"https refused, and first", "https", "http", false, true, true},
		{"http refused", "http", "https", false, true, false},
		{"http refused, and first", "http", "https", false, true, true},
		{"http silent", "http", "https", true, true, false},
		{"http silent, and first", "http", "https", true, true, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			web, first, s := chained(tc.shut, tc.works, pages, tc.silent)
			seeds := []dowse.URL{first}
			if tc.seedShut {
				seeds = []dowse.URL{dowse.URL(tc.shut + "://a.test/0/bad"), first}
			}
			c := begin(t, crawl.Config{Strategy: s, Robots: tc.robots, Traps: crawl.Traps{Budget: -1}}, seeds...)
			d := &driver{c: c, now: epoch}
			d.run(web, 8)
			if got := c.Status().Fetched; got != pages {
				t.Errorf("%d pages fetched, want %d; stopped: %s; asked %s", got, pages, c.Stopped(), web.asked)
			}
			if b := c.Books(); b.Failed != pages || c.Stopped() != dowse.StopExhausted {
				t.Errorf("stopped: %s, books %+v; want %d failed", c.Stopped(), b, pages)
			}
			if n := len(web.asked); n > 3*pages {
				t.Errorf("%d requests for %d URLs, want %d at most", n, 2*pages, 3*pages)
			}
			last := slices.IndexFunc(web.asked, func(u dowse.URL) bool { return u == dowse.URL(fmt.Sprintf("%s://a.test/%d", tc.works, pages-1)) })
			if bad := count(web.asked[:max(last, 0)], tc.shut); bad > 3 {
				t.Errorf("%d requests of the closed port before the last page, want 3 at most", bad)
			}
			balanced(t, c)
		})
	}
}

// count returns how many of the URLs have a scheme.
func count(list []dowse.URL, scheme string) (n int) {
	for _, u := range list {
		if weburl.Scheme(u) == scheme {
			n++
		}
	}
	return n
}
