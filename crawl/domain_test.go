package crawl_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/strategy/strategytest"
	"dowse/weburl"
)

// A hostWeb is a web of many hosts. Every page has a text of its own; site makes the
// links of a page and its relevance.
type hostWeb struct {
	site     func(u dowse.URL) (links []dowse.URL, relevance float64)
	requests map[string]int // by owner
}

func (w *hostWeb) Visit(v crawl.Visit) (*dowse.Page, time.Duration) {
	if w.requests == nil {
		w.requests = map[string]int{}
	}
	w.requests[weburl.Site(v.URL)]++
	p := v.Page()
	if v.Kind == crawl.VisitRobots {
		p.Outcome, p.Host = dowse.Listed, &dowse.HostReport{Robots: &dowse.Robots{Status: 404}}
		return p, time.Millisecond
	}
	p.Sketch = sketchOf(distinct(v.URL))
	links, relevance := w.site(v.URL)
	p.Links, p.Verdict.Relevance = linked("more", links...), relevance
	return p, 20 * time.Millisecond
}

// menu returns what the template of a site links to on every page.
func menu(u dowse.URL) (list []dowse.URL) {
	home := weburl.Homepage(u)
	for _, path := range []string{"", "about", "contact", "archive", "imprint"} {
		list = append(list, home+dowse.URL(path))
	}
	return list
}

// wildcard is a page of a domain on which every name exists: fifty links to new hosts, and
// a menu of its own host if it pretends to be a site.
func wildcard(domain string, menus bool) func(u dowse.URL) []dowse.URL {
	return func(u dowse.URL) (list []dowse.URL) {
		if menus {
			list = menu(u)
		}
		for i := range 50 {
			list = append(list, dowse.URL(fmt.Sprintf("http://w%x.%s/", distinct(dowse.URL(fmt.Sprint(u, i))), domain)))
		}
		return list
	}
}

// crawlHosts crawls from seeds with 64 workers, at the default politeness.
func crawlHosts(t *testing.T, w *hostWeb, seeds ...dowse.URL) (*crawl.Crawl, *driver) {
	t.Helper()
	c := begin(t, crawl.Config{Strategy: follow(queueAll), Robots: true}, seeds...)
	d := &driver{c: c, now: epoch}
	d.run(w, 64)
	if c.Stopped() != dowse.StopExhausted {
		t.Errorf("stopped: %q", c.Stopped())
	}
	balanced(t, c)
	return c, d
}

// TestWildcardDomain crawls a trap of host names next to a site of 200 pages: few requests
// go into the trap, few of its hosts are remembered, and the site is crawled whole.
func TestWildcardDomain(t *testing.T) {
	site := []dowse.URL{"http://good.test/"}
	for i := range 199 {
		site = append(site, dowse.URL(fmt.Sprintf("http://good.test/article/%s", strings.Repeat("x", i+1))))
	}
	for _, tc := range []struct {
		name            string
		menus           bool
		relevance       float64
		requests, hosts int
	}{
		{"off topic", false, 0, 700, 500},
		{"on topic", false, 1, 700, 500},
		{"with menus", true, 0, 1200, 500}, // five known links to fifty new hosts are no site
	} {
		t.Run(tc.name, func(t *testing.T) {
			trap := wildcard("evil.test", tc.menus)
			w := &hostWeb{site: func(u dowse.URL) ([]dowse.URL, float64) {
				if weburl.Host(u) == "good.test" {
					return site, 0.6
				}
				return trap(u), tc.relevance
			}}
			c, d := crawlHosts(t, w, "http://www.evil.test/", "http://good.test/")
			for _, u := range site {
				if stateOf(c, u) != dowse.Visited {
					t.Fatalf("%s is %s", u, stateOf(c, u))
				}
			}
			if n := w.requests["evil.test"]; n < 50 || n > tc.requests {
				t.Errorf("%d requests into the trap, at most %d are reasonable", n, tc.requests)
			}
			if n := c.Status().Hosts; n > tc.hosts {
				t.Errorf("%d hosts are known, at most %d are reasonable", n, tc.hosts)
			}
			if c.Status().Dropped == 0 {
				t.Error("no link was counted as dropped")
			}
			if d.now.After(epoch.Add(10 * time.Minute)) {
				t.Errorf("it took %v", d.now.Sub(epoch))
			}
		})
	}
}

// TestWildcardOfOtherKinds makes up hosts where names cost nothing either: ports of a
// name, and addresses of networks of several sizes.
func TestWildcardOfOtherKinds(t *testing.T) {
	for name, host := range map[string]func(n uint64) string{
		"ports":          func(n uint64) string { return fmt.Sprintf("evil.test:%d", 1024+n%60000) },
		"IPv6 addresses": func(n uint64) string { return fmt.Sprintf("[2001:db8:1:2::%x:%x]", n>>16&0xffff|1, n&0xffff|1) },
		"IPv6 networks":  func(n uint64) string { return fmt.Sprintf("[2001:db8:%x:%x::1]", n>>16&0xffff|1, n&0xffff|1) },
		"a /24":          func(n uint64) string { return fmt.Sprintf("203.0.113.%d:%d", n%256, 8000+n>>8%40) },
		"a /16":          func(n uint64) string { return fmt.Sprintf("198.18.%d.%d", n>>8%256, n%256) },
		"loopback":       func(n uint64) string { return fmt.Sprintf("127.%d.%d.%d:8080", n>>16%256, n>>8%256, n%256) },
	} {
		t.Run(name, func(t *testing.T) {
			requests := 0
			w := &hostWeb{site: func(u dowse.URL) (list []dowse.URL, _ float64) {
				for i := range 50 {
					list = append(list, dowse.URL("http://"+host(distinct(dowse.URL(fmt.Sprint(u, i))))+"/"))
				}
				requests++
				return list, 0
			}}
			c, _ := crawlHosts(t, w, dowse.URL("http://"+host(1)+"/"))
			if n := c.Status().Hosts; n < 100 || n > 1500 || requests > 1500 {
				t.Errorf("%d hosts are known, %d pages were visited", n, requests)
			}
		})
	}
}

// TestManyHostsOfOneOwner crawls domains with many hosts that are no traps: all of each
// must be visited.
func TestManyHostsOfOneOwner(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it starts no goroutines")
	}
	const departments = 600
	department := func(i int) dowse.URL { return dowse.URL(fmt.Sprintf("http://dept%d.university.test/", i)) }
	const languages = 320
	language := func(i int, article string) dowse.URL {
		return dowse.URL(fmt.Sprintf("http://l%d.encyclopedia.test/%s", i, article))
	}
	const blogs, machines = 3000, 1500
	blog := func(i uint64) dowse.URL { return dowse.URL(fmt.Sprintf("http://blog%d.journal.test/", i%blogs)) }
	own := func(u dowse.URL, n int) (list []dowse.URL) {
		for i := range n {
			list = append(list, weburl.Homepage(u)+dowse.URL(fmt.Sprintf("post/%s", strings.Repeat("y", i+1))))
		}
		return list
	}
	for _, tc := range []struct {
		name  string
		seed  dowse.URL
		site  func(u dowse.URL) ([]dowse.URL, float64)
		hosts int
	}{
		{"a university with a list of all departments", "http://www.university.test/", func(u dowse.URL) (list []dowse.URL, _ float64) {
			if u == "http://www.university.test/" {
				for i := range departments {
					list = append(list, department(i))
				}
				return list, 0
			}
			return append(menu(u), "http://www.university.test/"), 0
		}, departments + 1},
		{"a university whose departments lead to each other", "http://dept0.university.test/", func(u dowse.URL) ([]dowse.URL, float64) {
			var i int
			fmt.Sscanf(weburl.Host(u), "dept%d.", &i)
			return append(menu(u), department((2*i+1)%departments), department((2*i+2)%departments)), 0
		}, departments},
		{"an encyclopedia in many languages", "http://l0.encyclopedia.test/a", func(u dowse.URL) (list []dowse.URL, _ float64) {
			for i := range languages {
				list = append(list, language(i, strings.TrimPrefix(weburl.Path(u), "/")))
			}
			return append(list, weburl.Homepage(u)+"b", weburl.Homepage(u)+"c"), 0
		}, languages},
		{"blogs on topic that link to their friends", "http://blog0.journal.test/", func(u dowse.URL) (list []dowse.URL, _ float64) {
			list = append(menu(u), own(u, 6)...)
			var i uint64
			fmt.Sscanf(weburl.Host(u), "blog%d.", &i)
			for k := range uint64(3) {
				list = append(list, blog(3*i+k+1))
			}
			return list, 1
		}, blogs},
		{"machines without names in one network", "http://10.1.0.0/", func(u dowse.URL) (list []dowse.URL, _ float64) {
			var a, b int
			fmt.Sscanf(weburl.Host(u), "10.1.%d.%d", &a, &b)
			list = append(menu(u), own(u, 4)...)
			for k := range 2 {
				next := (2*(a*250+b) + k + 1) % machines
				list = append(list, dowse.URL(fmt.Sprintf("http://10.1.%d.%d/", next/250, next%250)))
			}
			return list, 0
		}, machines},
		{"blogs under a public suffix", "http://blog0.github.io/", func(u dowse.URL) (list []dowse.URL, _ float64) {
			var i int
			fmt.Sscanf(weburl.Host(u), "blog%d.", &i)
			for k := range 3 {
				list = append(list, dowse.URL(fmt.Sprintf("http://blog%d.github.io/", (3*i+k+1)%1500)))
			}
			return list, 0
		}, 1500},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, _ := crawlHosts(t, &hostWeb{site: tc.site}, tc.seed)
			if got := c.Status(); got.Hosts != tc.hosts || got.Books.Skipped > 0 || got.Books.Queued > 0 {
				t.Errorf("%d hosts of %d, %d links dropped, books %+v", got.Hosts, tc.hosts, got.Dropped, got.Books)
			}
		})
	}
}

// TestRedirectsToEverNewHosts follows a domain that redirects to a further host each time:
// the redirects end with the budget.
func TestRedirectsToEverNewHosts(t *testing.T) {
	cfg := hurried(follow(queueAll))
	cfg.Traps = crawl.Traps{Hosts: 10}
	c := begin(t, cfg, "http://w0.evil.test/")
	n := 0
	run(c, endlessRedirects(func() dowse.URL { n++; return dowse.URL(fmt.Sprintf("http://w%d.evil.test/", n)) }))
	if got := c.Status(); got.Hosts > 12 || got.Dropped != 1 || c.Reason("http://w10.evil.test/") != dowse.SkipTrapFarm {
		t.Errorf("%d hosts, %d dropped, the last redirect: %q", got.Hosts, got.Dropped, c.Reason("http://w10.evil.test/"))
	}
	balanced(t, c)
}

type endlessRedirects func() dowse.URL

func (next endlessRedirects) Visit(v crawl.Visit) (*dowse.Page, time.Duration) {
	p := v.Page()
	p.Outcome, p.Links = dowse.Redirected, linked("", next())
	return p, time.Millisecond
}

// TestDomainsFold rebuilds a crawl in a trap of host names from its journal and from a
// snapshot.
func TestDomainsFold(t *testing.T) {
	dir := t.TempDir()
	config := func() crawl.Config {
		return crawl.Config{Strategy: follow(queueAll), Traps: crawl.Traps{Hosts: 40, Strays: 30}}
	}
	cfg, j := journalled(t, dir, config())
	c := fresh(t, cfg)
	_, seeds := strategytest.Random(10, 5)
	c.Start(epoch, append(seeds, "http://www.evil.test/"))
	trap := wildcard("evil.test", false)
	d := &driver{c: c, now: epoch}
	w := &hostWeb{site: func(u dowse.URL) ([]dowse.URL, float64) {
		if weburl.Site(u) != "evil.test" {
			return menu(u), 1
		}
		return trap(u), 1
	}}
	d.launchAndLand(w, 6, 40)
	snapshot := snap(t, c, j)
	d.run(w, 6)
	if c.Status().Dropped == 0 {
		t.Error("no link was dropped")
	}
	if err := j.Sync(); err != nil {
		t.Fatal(err)
	}
	sameFold(t, "from the journal", c, dir, config(), nil)
	sameFold(t, "from a snapshot", c, dir, config(), snapshot)
	var a, b bytes.Buffer
	if err := saveTo(c, &a, 0); err != nil {
		t.Fatal(err)
	}
	cfg, j = journalled(t, dir, config())
	twin := fresh(t, cfg)
	if _, _, err := twin.Fold(j, 0, nil); err != nil {
		t.Fatal(err)
	}
	if err := saveTo(twin, &b, 0); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("the snapshot of the rebuilt crawl differs")
	}
}
