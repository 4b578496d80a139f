package crawl_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/internal/frontier"
	"dowse/weburl"
)

// templated makes the sketch of a page whose host has a template: two bins of three are
// the same on all pages of the host. Every third page has one of eight texts that are
// found again and again, with a word or two changed.
func templated(u dowse.URL) dowse.Sketch {
	s := sketchOf(distinct(dowse.URL(weburl.Host(u))))
	n := distinct(u)
	dice := rand.New(rand.NewPCG(n, 2))
	own := sketchOf(n)
	if n%3 == 0 {
		own = sketchOf(1 + n/3%8)
	}
	for i := range s.Bins {
		if i%3 == 0 {
			s.Bins[i] = own.Bins[i]
		}
	}
	if s.Text = n; n%3 == 0 {
		s.Bins[dice.IntN(len(s.Bins))]++
	}
	return s
}

// TestLinksOfNearDuplicates visits two pages with one text: the links of the second are
// followed as those of the first are, at half the priority, and the reasons show it.
func TestLinksOfNearDuplicates(t *testing.T) {
	for _, tc := range []struct {
		name  string
		copy  dowse.URL // of http://a.test/a
		seeds []dowse.URL
		merge dowse.Merge
		want  float64 // priority of what only the copy links to
	}{
		{"on the same host", "http://a.test/b", []dowse.URL{"http://a.test/"}, dowse.Max, 0.25},
		{"on another host", "http://b.test/b", []dowse.URL{"http://a.test/"}, dowse.Max, 0.25},
		{"a seed", "http://a.test/b", []dowse.URL{"http://a.test/", "http://a.test/a", "http://a.test/b"}, dowse.Max, 0.5},
		{"shares that add up", "http://a.test/b", []dowse.URL{"http://a.test/"}, dowse.Add, 0.5},
	} {
		t.Run(tc.name, func(t *testing.T) {
			web := hashed{toy{
				"http://a.test/":     {Links: to("http://a.test/a", tc.copy)},
				"http://a.test/a":    {Links: to("http://c.test/both")},
				tc.copy:              {Links: to("http://c.test/both", "http://c.test/new")},
				"http://c.test/both": {}, "http://c.test/new": {},
			}, func(u dowse.URL) uint64 {
				if u == "http://a.test/a" || u == tc.copy {
					return 77
				}
				return distinct(u)
			}}
			c := begin(t, hurried(follow(func(p *dowse.Page) (list leads) {
				for i := range p.Links {
					list = append(list, dowse.Lead{URL: p.Links[i].URL, Priority: 0.5, Merge: tc.merge, Because: []dowse.Because{{What: "linked", Weight: 0.5}}})
				}
				return list
			})), tc.seeds...)
			at := map[dowse.URL]float64{}
			for _, p := range run(c, web) {
				at[p.URL] = p.Lead.Priority
				if want := map[dowse.URL]dowse.URL{tc.copy: "http://a.test/a"}[p.URL]; p.Near != want {
					t.Errorf("%s is near %q, want %q", p.URL, p.Near, want)
				}
			}
			if got := at["http://c.test/new"]; got != tc.want {
				t.Errorf("what only the copy links to was visited at %v, want %v", got, tc.want)
			}
			if got := at["http://c.test/both"]; got < 0.5 {
				t.Errorf("what both link to was visited at %v, want 0.5 or more", got)
			}
			balanced(t, c)
		})
	}
}

// TestCanonicalIsNoEvidence visits pages that all declare the homepage as their canonical
// form, as many sites do by mistake: none is a near-duplicate, and all links are followed.
func TestCanonicalIsNoEvidence(t *testing.T) {
	web := canonical{hashed{toy{
		"http://a.test/":  {Links: to("http://a.test/a")},
		"http://a.test/a": {Links: to("http://a.test/b")},
		"http://a.test/b": {},
	}, distinct}}
	c := begin(t, hurried(follow(queueAll)), "http://a.test/")
	pages := run(c, web)
	for _, p := range pages {
		if p.Near != "" {
			t.Errorf("%s is called a near-duplicate of %s", p.URL, p.Near)
		}
	}
	if len(pages) != 3 {
		t.Errorf("%d pages were visited, want 3", len(pages))
	}
}

type canonical struct{ hashed }

func (w canonical) Visit(v crawl.Visit) (*dowse.Page, time.Duration) {
	p, took := w.hashed.Visit(v)
	p.Canonical = "http://a.test/"
	return p, took
}

// TestEchoesAreAFarm: a host that answers every address with one text, within menus that
// lead to known pages, is left after a while; a site whose print versions lead nowhere
// new is not.
func TestEchoesAreAFarm(t *testing.T) {
	menu := []dowse.URL{"http://a.test/about", "http://a.test/help", "http://a.test/terms", "http://a.test/contact"}
	everything := hashedEndless{func(u dowse.URL) []dowse.URL {
		if strings.Contains(string(u), "/any/") || u == "http://a.test/" {
			return append(slices.Clone(menu), fork("http://a.test/any/", u, 3)...)
		}
		return menu
	}, func(u dowse.URL) uint64 {
		if strings.Contains(string(u), "/any/") {
			return 77
		}
		return distinct(u)
	}}
	cfg := hurried(follow(queueAll))
	cfg.Traps = crawl.Traps{}
	c := begin(t, cfg, "http://a.test/")
	if n := len(run(c, everything)); n < 100 || n > 6000 || c.Status().Fetched > 130 {
		t.Errorf("%d outcomes, %d pages fetched, want about 105", n, c.Status().Fetched)
	}
	balanced(t, c)

	site := hashedEndless{func(u dowse.URL) (list []dowse.URL) {
		if u == "http://a.test/" {
			for i := range 200 {
				list = append(list, dowse.URL(fmt.Sprintf("http://a.test/story-%s", letters(i))))
			}
			return list
		}
		if strings.HasSuffix(string(u), "?print") {
			return menu
		}
		return append(slices.Clone(menu), u+"?print")
	}, func(u dowse.URL) uint64 { return distinct(dowse.URL(strings.TrimSuffix(string(u), "?print"))) }}
	c = begin(t, cfg, "http://a.test/")
	run(c, site)
	if got := c.Status().Fetched; got < 401 {
		t.Errorf("%d pages of a site with print versions, want all 400 and more", got)
	}
}

// letters writes a number without digits.
func letters(n int) string {
	return strings.Map(func(r rune) rune { return r - '0' + 'a' }, fmt.Sprint(n))
}

// hashedEndless is an endless web with texts of a test's choice.
type hashedEndless struct {
	endless
	of func(u dowse.URL) uint64
}

func (w hashedEndless) Visit(v crawl.Visit) (*dowse.Page, time.Duration) {
	p, took := w.endless.Visit(v)
	p.Sketch = sketchOf(w.of(v.URL))
	return p, took
}

// TestNearAfterRestore takes a snapshot in the middle of a crawl of templates: what is
// restored calls the same pages near-duplicates as the crawl that went on.
func TestNearAfterRestore(t *testing.T) {
	cfg := hurried(follow(queueAll))
	cfg.Log = arena{frontier.NewArena()}
	var seeds []dowse.URL
	for i := range 300 {
		seeds = append(seeds, dowse.URL(fmt.Sprintf("http://h%d.test/%d", i%4, i)))
	}
	visit := func(c *crawl.Crawl, n int) (near []dowse.URL) {
		for range n {
			v, _, ok := c.Next(epoch)
			if !ok {
				t.Fatal("nothing to visit")
			}
			p := v.Page()
			p.Outcome, p.Sketch = dowse.Fetched, templated(v.URL)
			c.Absorb(epoch, p)
			near = append(near, p.Near)
		}
		return near
	}
	c := begin(t, cfg, seeds...)
	visit(c, 150)
	var b bytes.Buffer
	if err := saveTo(c, &b, 0); err != nil {
		t.Fatal(err)
	}
	twin, _, err := crawl.Restore(cfg, bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	twin.Resume(crawl.Limits{})
	want, got := visit(c, 150), visit(twin, 150)
	if !slices.Equal(got, want) {
		t.Error("what was restored finds other near-duplicates")
	}
	if n := len(slices.DeleteFunc(want, func(u dowse.URL) bool { return u == "" })); n < 20 || n > 80 {
		t.Errorf("%d of 150 pages are near-duplicates, want about 50", n)
	}
}

// TestCopiedHostIsCrawledWhole copies all pages of a host to another that is visited
// first: the budgets of the original grow all the same.
func TestCopiedHostIsCrawledWhole(t *testing.T) {
	web := hashedEndless{func(u dowse.URL) (list []dowse.URL) {
		if strings.HasSuffix(string(u), ".test/") {
			for i := range 300 {
				list = append(list, u+dowse.URL(fmt.Sprintf("page/%d", i)))
			}
		}
		return list
	}, func(u dowse.URL) uint64 { return distinct(dowse.URL(weburl.Path(u))) }}
	cfg := hurried(follow(queueAll))
	cfg.Traps = crawl.Traps{}
	c := begin(t, cfg, "http://thief.test/", "http://victim.test/")
	near := 0
	for _, p := range run(c, web) {
		if p.Near != "" {
			near++
		}
	}
	if got := c.Status().Fetched; got != 602 || near < 300 {
		t.Errorf("%d pages of both hosts, %d of them near-duplicates; want 602 and 301", got, near)
	}
}
