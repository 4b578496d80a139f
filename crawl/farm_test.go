package crawl_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"dowse"
	"dowse/crawl"
)

// endless is a web in which every page has a text of its own and the links that a
// test makes for it.
type endless func(u dowse.URL) []dowse.URL

func (links endless) Visit(v crawl.Visit) (*dowse.Page, time.Duration) {
	p := v.Page()
	p.Sketch = sketchOf(distinct(v.URL))
	p.Links = linked("on", links(v.URL)...)
	return p, time.Millisecond
}

// linked makes links with the same words on them.
func linked(anchor string, urls ...dowse.URL) (list []dowse.Link) {
	for _, u := range urls {
		list = append(list, dowse.Link{URL: u, Mention: dowse.Mention{Anchor: anchor}})
	}
	return list
}

// fork gives a URL n children below a folder, named by letters alone.
func fork(folder string, u dowse.URL, n int) (list []dowse.URL) {
	for i := range n {
		name := strings.NewReplacer("0", "g", "1", "h", "2", "i", "3", "j", "4", "k", "5", "l", "6", "m", "7", "n", "8", "o", "9", "p").
			Replace(fmt.Sprintf("%x", distinct(dowse.URL(fmt.Sprint(u, i)))))
		list = append(list, dowse.URL(folder+name))
	}
	return list
}

func TestFarm(t *testing.T) {
	const ordinary = "http://a.test/about/us"
	var followed []string
	s := follow(func(p *dowse.Page) leads {
		if p.Outcome == dowse.Skipped {
			followed = append(followed, fmt.Sprint(p.Reason, ": ", p.Detail))
		}
		return queueAll(p)
	})
	maze := endless(func(u dowse.URL) []dowse.URL {
		switch {
		case u == "http://a.test/":
			return []dowse.URL{"http://a.test/maze/", ordinary}
		case u == ordinary:
			return []dowse.URL{"http://a.test/"}
		}
		return append(fork("http://a.test/maze/", u, 8), "http://a.test/")
	})
	cfg := hurried(s)
	cfg.Traps = crawl.Traps{Strays: 40}
	c := begin(t, cfg, "http://a.test/")
	pages := run(c, maze)
	if n := c.Status().Fetched; n < 40 || n > 50 {
		t.Errorf("%d pages of a farm were fetched, want little more than 40", n)
	}
	if stateOf(c, ordinary) != dowse.Visited {
		t.Errorf("the ordinary page is %s", stateOf(c, ordinary))
	}
	want := "trap.farm: every page there leads to ever new ones, and hardly to one that is known"
	if len(followed) == 0 || followed[0] != want {
		t.Errorf("%d pages, followed %q, want %q", len(pages), followed, want)
	}
	balanced(t, c)
}

// A large site is no farm: its pages lead to each other.
func TestSiteIsNoFarm(t *testing.T) {
	const size = 600
	at := func(n uint64) dowse.URL {
		n %= size
		return dowse.URL("http://a.test/wiki/" + string(rune('a'+n/26)) + string(rune('a'+n%26)))
	}
	site := endless(func(u dowse.URL) (list []dowse.URL) {
		for i := range uint64(12) {
			list = append(list, at(distinct(u)>>(i*4)))
		}
		return list
	})
	cfg := hurried(follow(queueAll))
	cfg.Traps = crawl.Traps{}
	c := begin(t, cfg, at(1))
	run(c, site)
	if b := c.Books(); b.Skipped > 0 || b.Fetched < size/2 {
		t.Errorf("books of a site: %+v, want all of it fetched", b)
	}
}

// Filters that can be combined make ever new sets of parameters.
func TestParameterSets(t *testing.T) {
	shop := endless(func(u dowse.URL) (list []dowse.URL) {
		for f := 'a'; f <= 'l'; f++ {
			if !strings.Contains(string(u), string(f)+"=1") {
				list = append(list, dowse.URL(fmt.Sprintf("%s&%c=1", u, f)))
			}
		}
		return list
	})
	cfg := hurried(follow(queueAll))
	cfg.Traps = crawl.Traps{Sets: 20, Strays: 1 << 20}
	c := begin(t, cfg, "http://z.test/shop?o=1")
	run(c, shop)
	if n := c.Status().Fetched; n < 20 || n > 60 {
		t.Errorf("%d pages of filters were fetched, want few more than 20", n)
	}
	balanced(t, c)
}

// A page without text that sends on to the next, and so on, is no more than a chain
// of redirects.
func TestRefreshChain(t *testing.T) {
	web := refreshing{}
	cfg := hurried(follow(queueAll))
	cfg.Traps = crawl.Traps{}
	c := begin(t, cfg, "http://a.test/go")
	run(c, web)
	if n := c.Status().Fetched; n < 15 || n > 25 {
		t.Errorf("%d pages were fetched, want about 20", n)
	}
}

// refreshing sends every URL on to a longer one.
type refreshing struct{}

func (refreshing) Visit(v crawl.Visit) (*dowse.Page, time.Duration) {
	p := v.Page()
	p.Links = linked("", v.URL+"x")
	return p, time.Millisecond
}

// A host that may not be dialled, or has no address, is the reason why its pages are
// not fetched; its silence on robots.txt is not. A host that does not answer for the
// moment is no reason at all: its pages wait.
func TestOutOfReach(t *testing.T) {
	for _, why := range []dowse.Reason{dowse.SkipPrivateIP, dowse.FailDNS, dowse.FailTLS, dowse.FailTimeout} {
		asked := 0
		web := visitFunc(func(v crawl.Visit) *dowse.Page {
			p := v.Page()
			if v.Kind == crawl.VisitRobots {
				asked++
				p.Outcome, p.Reason = dowse.Listed, why
				p.Host = &dowse.HostReport{Robots: &dowse.Robots{}, BackOff: why == dowse.FailTimeout}
			}
			return p
		})
		c := begin(t, robotic(follow(queueAll)), "http://a.test/")
		run(c, web)
		want, tries := why, 3
		switch why {
		case dowse.SkipPrivateIP:
			tries = 1
		case dowse.FailTimeout:
			want, tries = "", 5
		}
		if got := c.Reason("http://a.test/"); got != want || asked != tries {
			t.Errorf("%s: the page is %s after %d requests for robots.txt, want %s after %d", why, got, asked, want, tries)
		}
	}
}

type visitFunc func(v crawl.Visit) *dowse.Page

func (f visitFunc) Visit(v crawl.Visit) (*dowse.Page, time.Duration) { return f(v), time.Millisecond }

// A folder whose pages have texts of their own, menus, and one link to the next page is a chain,
// not a farm: posts with "older", products with one that is similar. Without menus it may be one.
func TestChainIsNoFarm(t *testing.T) {
	const size = 300
	menu := []dowse.URL{"http://a.test/", "http://a.test/about", "http://a.test/contact"}
	for _, c := range []struct {
		name     string
		menu     []dowse.URL
		way      int // back: 1 links to the page before
		from, to int // pages that may be fetched
	}{
		{"next, menus", menu, 0, size, size + 3},
		{"previous and next, menus", menu, 1, size, size + 3},
		{"next alone", nil, 0, 40, 60},
	} {
		post := func(n int) dowse.URL { return dowse.URL("http://a.test/posts/" + fmt.Sprint(n) + "-x") }
		site := endless(func(u dowse.URL) []dowse.URL {
			var n int
			if _, err := fmt.Sscanf(string(u), "http://a.test/posts/%d-x", &n); err != nil {
				return append([]dowse.URL{post(0)}, c.menu...)
			}
			list := slices.Clone(c.menu)
			if n > 0 && c.way > 0 {
				list = append(list, post(n-1))
			}
			if n+1 < size {
				list = append(list, post(n+1))
			}
			return list
		})
		cfg := hurried(follow(queueAll))
		cfg.Traps = crawl.Traps{Strays: 40}
		b := begin(t, cfg, "http://a.test/")
		run(b, site)
		if n := b.Status().Fetched; n < c.from || n > c.to {
			t.Errorf("%s: %d pages were fetched, want %d to %d", c.name, n, c.from, c.to)
		}
		balanced(t, b)
	}
}

// A large site is no farm either, although most of its pages lead to new ones until much of it is
// known: some lead to pages that others have named.
func TestLargeSiteIsNoFarm(t *testing.T) {
	for _, c := range []struct{ size, related uint64 }{{2000, 5}, {5000, 5}, {20_000, 12}, {100_000, 60}} {
		at := func(n uint64) dowse.URL {
			n %= c.size
			return dowse.URL("http://a.test/articles/" + string([]rune{'a' + rune(n/17576), 'a' + rune(n/676%26), 'a' + rune(n/26%26), 'a' + rune(n%26)}))
		}
		site := endless(func(u dowse.URL) []dowse.URL {
			list := []dowse.URL{"http://a.test/", "http://a.test/about", "http://a.test/contact"}
			for i := range c.related {
				list = append(list, at(distinct(dowse.URL(fmt.Sprint(u, i)))))
			}
			return list
		})
		cfg := hurried(follow(queueAll))
		cfg.Traps, cfg.Limits.Pages = crawl.Traps{}, 1000
		b := begin(t, cfg, "http://a.test/")
		run(b, site)
		if n := b.Status().Fetched; n < 950 {
			t.Errorf("%d of %d pages with %d links each were fetched, want nearly 1000", n, c.size, c.related)
		}
		balanced(t, b)
	}
}
