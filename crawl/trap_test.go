package crawl_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"dowse"
	"dowse/crawl"
)

// hashed gives pages the text of a test's choice.
type hashed struct {
	toy
	of func(u dowse.URL) uint64 // the number of the page's text; 0 for hardly a word
}

func (h hashed) Visit(v crawl.Visit) (*dowse.Page, time.Duration) {
	p, took := h.toy.Visit(v)
	if p.Outcome == dowse.Fetched {
		p.Sketch = sketchOf(h.of(v.URL))
	}
	return p, took
}

// calendar is a chain of months without end, among ordinary pages.
func calendar(relevance float64) toy {
	menu := []dowse.URL{"http://a.test/about", "http://a.test/contact", "http://a.test/help", "http://a.test/terms"}
	web := toy{"http://a.test/": {Links: to(append(menu, "http://a.test/cal?month=0")...)}, "http://a.test/about": {}}
	for i := range 1000 {
		web[dowse.URL(fmt.Sprintf("http://a.test/cal?month=%d", i))] = page{
			Relevance: relevance, Links: to(append(menu, dowse.URL(fmt.Sprintf("http://a.test/cal?month=%d", i+1)))...),
		}
	}
	return web
}

// distinct makes a number unlike that of any other URL.
func distinct(u dowse.URL) uint64 {
	h := uint64(14695981039346656037)
	for _, b := range []byte(u) {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return h | 1
}

// sketchOf makes the sketch of a text by its number. Texts with different numbers have
// nothing in common.
func sketchOf(text uint64) (s dowse.Sketch) {
	if text == 0 {
		return s
	}
	dice := rand.New(rand.NewPCG(text, 1))
	s.Text = text
	for i := range s.Bins {
		s.Bins[i] = uint16(1 + dice.IntN(1<<16-1))
	}
	return s
}

func TestTrapBudgets(t *testing.T) {
	for _, tc := range []struct {
		name      string
		relevance float64
		hash      func(dowse.URL) uint64
		traps     crawl.Traps
		min, max  int
	}{
		{"empty months", 0, func(dowse.URL) uint64 { return 0 }, crawl.Traps{}, 61, 63},
		{"all with one text", 0, func(dowse.URL) uint64 { return 77 }, crawl.Traps{}, 61, 63},
		{"new texts", 0, distinct, crawl.Traps{Budget: 10}, 1002, 1002},
		{"no budgets", 0, func(dowse.URL) uint64 { return 0 }, crawl.Traps{Budget: -1}, 1002, 1002},
		{"every second month new", 0, func(u dowse.URL) uint64 {
			if n := len(u); u[n-1]%2 == 0 {
				return distinct(u)
			}
			return 0
		}, crawl.Traps{Budget: 20}, 38, 46},
		{"and on topic", 1, func(u dowse.URL) uint64 {
			if n := len(u); u[n-1]%2 == 0 {
				return distinct(u)
			}
			return 0
		}, crawl.Traps{Budget: 20}, 1002, 1002},
	} {
		cfg := hurried(follow(queueAll))
		cfg.Traps = tc.traps
		cfg.Traps.Strays = 1 << 20 // the budget alone
		c := begin(t, cfg, "http://a.test/")
		run(c, hashed{calendar(tc.relevance), tc.hash})
		if got := c.Status().Fetched; got < tc.min || got > tc.max {
			t.Errorf("%s: %d pages, want %d to %d", tc.name, got, tc.min, tc.max)
		}
		if stateOf(c, "http://a.test/about") != dowse.Visited {
			t.Errorf("%s: the ordinary page is %s", tc.name, stateOf(c, "http://a.test/about"))
		}
		balanced(t, c)
	}
}

// short gives pages texts that are too short to be compared.
type short struct{ hashed }

func (s short) Visit(v crawl.Visit) (*dowse.Page, time.Duration) {
	p, took := s.hashed.Visit(v)
	p.Sketch.Bins = dowse.Sketch{}.Bins
	return p, took
}

// TestShortPages crawls URLs of one pattern with short texts, such as quotes: those with
// texts that their host had not before are no trap, up to a number far beyond the budget.
func TestShortPages(t *testing.T) {
	for _, tc := range []struct {
		name     string
		hash     func(dowse.URL) uint64
		budget   int
		min, max int
	}{
		{"new texts", distinct, 60, 1002, 1002},
		{"new texts without end", distinct, 10, 320, 340},
		{"all with one text", func(dowse.URL) uint64 { return 77 }, 60, 61, 64},
		{"twelve texts again and again", func(u dowse.URL) uint64 { return 1 + distinct(u)/2%12 }, 60, 61, 76},
		{"without words", func(dowse.URL) uint64 { return 0 }, 60, 61, 63},
	} {
		cfg := hurried(follow(queueAll))
		cfg.Traps = crawl.Traps{Budget: tc.budget, Strays: 1 << 20}
		c := begin(t, cfg, "http://a.test/")
		pages := run(c, short{hashed{calendar(0), tc.hash}})
		if got := c.Status().Fetched; got < tc.min || got > tc.max {
			t.Errorf("%s: %d pages, want %d to %d", tc.name, got, tc.min, tc.max)
		}
		for _, p := range pages {
			if p.Near != "" {
				t.Fatalf("%s: %s counts as a near-duplicate of %s", tc.name, p.URL, p.Near)
			}
		}
		balanced(t, c)
	}
}

func TestTrapReasons(t *testing.T) {
	var followed []string
	s := follow(func(p *dowse.Page) leads {
		if p.Outcome == dowse.Skipped {
			followed = append(followed, fmt.Sprint(p.Reason, ": ", p.Detail))
		}
		return queueAll(p)
	})
	cfg := hurried(s)
	cfg.Traps = crawl.Traps{Budget: 3}
	web := toy{}
	var seeds []dowse.URL
	for i := range 5 {
		u := dowse.URL(fmt.Sprintf("http://a.test/item/%d", 40+i))
		web[u] = page{}
		seeds = append(seeds, u)
	}
	c := begin(t, cfg, seeds...)
	run(c, web)
	if want := "trap.pattern: pattern a.test/item/N visited 3 times, 0 with a new text on topic"; len(followed) != 2 || followed[0] != want {
		t.Errorf("followed %q, want twice %q", followed, want)
	}
}

// marking sets nofollow on a page or on its links.
type marking struct {
	toy
	pages, links []dowse.URL
}

func (m marking) Visit(v crawl.Visit) (*dowse.Page, time.Duration) {
	p, took := m.toy.Visit(v)
	p.NoFollow = slices.Contains(m.pages, v.URL)
	for i := range p.Links {
		p.Links[i].NoFollow = slices.Contains(m.links, p.Links[i].URL)
	}
	return p, took
}

func TestNoFollow(t *testing.T) {
	web := marking{toy{"s": {Links: to("a", "b")}, "a": {Links: to("x", "y")}, "b": {}, "x": {}, "y": {}}, []dowse.URL{"a"}, []dowse.URL{"b"}}
	for all, want := range map[bool]string{false: "s a", true: "s a b x y"} {
		cfg := hurried(follow(queueAll))
		cfg.NoFollow = all
		c := begin(t, cfg, "s")
		if got := order(c, web); got != want {
			t.Errorf("nofollow links followed: %v: visited %s, want %s", all, got, want)
		}
		if !all && (c.Reason("x") != dowse.SkipRobotsMeta || c.Reason("b") != dowse.SkipRobotsMeta) {
			t.Errorf("x: %s, b: %s", c.Reason("x"), c.Reason("b"))
		}
	}
}

func TestScope(t *testing.T) {
	all := []dowse.URL{
		"http://www.a.co.uk/dir/page", "http://www.a.co.uk/dir/sub/x?y=/z", "http://www.a.co.uk/other", "http://b.a.co.uk/",
		"http://b.co.uk/", "http://c.test/dir/",
	}
	web := toy{"http://www.a.co.uk/dir/index": {Links: to(all...)}}
	for _, u := range all {
		web[u] = page{}
	}
	for _, tc := range []struct {
		name  string
		scope crawl.Scope
		want  []int // of all
		why   dowse.Reason
	}{
		{"web", crawl.Scope{}, []int{0, 1, 2, 3, 4, 5}, ""},
		{"domain", crawl.Scope{Reach: crawl.ReachDomain}, []int{0, 1, 2, 3}, dowse.SkipScopeHost},
		{"host", crawl.Scope{Reach: crawl.ReachHost}, []int{0, 1, 2}, dowse.SkipScopeHost},
		{"prefix", crawl.Scope{Reach: crawl.ReachPrefix}, []int{0, 1}, dowse.SkipScopeHost},
		{"include", crawl.Scope{Include: []*regexp.Regexp{regexp.MustCompile(`/dir/`)}}, []int{0, 1, 5}, dowse.SkipScopeExclude},
		{"exclude", crawl.Scope{Exclude: []*regexp.Regexp{regexp.MustCompile(`/dir/`)}}, nil, dowse.SkipScopeExclude},
		{"block", crawl.Scope{Block: map[string]bool{"www.a.co.uk": true}}, nil, dowse.SkipHostBlocked},
		{"block another", crawl.Scope{Block: map[string]bool{"c.test": true}}, []int{0, 1, 2, 3, 4}, dowse.SkipHostBlocked},
	} {
		cfg := hurried(follow(queueAll))
		cfg.Scope = tc.scope
		c := begin(t, cfg, "http://www.a.co.uk/dir/index")
		run(c, web)
		if len(tc.want) == 0 { // the seed itself is outside
			if c.Status().Requests != 0 || c.Reason("http://www.a.co.uk/dir/index") != tc.why {
				t.Errorf("%s: %d requests; %s", tc.name, c.Status().Requests, c.Reason("http://www.a.co.uk/dir/index"))
			}
			continue
		}
		for i, u := range all {
			in := slices.Contains(tc.want, i)
			if got := stateOf(c, u) == dowse.Visited; got != in || !in && c.Reason(u) != tc.why {
				t.Errorf("%s: %s is %s: %s", tc.name, u, stateOf(c, u), c.Reason(u))
			}
		}
		balanced(t, c)
	}
}

// Repeating paths are refused by themselves.
func TestTrapByForm(t *testing.T) {
	deep := dowse.URL("http://a.test/" + strings.Repeat("dir/", 9))
	cfg := hurried(follow(queueAll))
	cfg.Traps = crawl.Traps{}
	c := begin(t, cfg, "http://a.test/")
	run(c, toy{"http://a.test/": {Links: to(deep)}, deep: {}})
	if c.Reason(deep) != dowse.SkipTrapPattern {
		t.Errorf("%s: %s", deep, c.Reason(deep))
	}
}

// What a person puts back with the reason of a trap is visited: each URL once, also when the
// crawl is rebuilt from its journal or from a snapshot before it has visited all of them.
func TestRequeueOfATrap(t *testing.T) {
	config := func() crawl.Config {
		cfg := hurried(follow(queueAll))
		cfg.Traps = crawl.Traps{Budget: 3}
		return cfg
	}
	web := toy{}
	var seeds []dowse.URL
	for i := range 9 {
		u := dowse.URL(fmt.Sprintf("http://a.test/item/%d", i))
		web[u] = page{}
		seeds = append(seeds, u)
	}
	dir := t.TempDir()
	cfg, j := journalled(t, dir, config())
	c := begin(t, cfg, seeds...)
	d := &driver{c: c, now: epoch}
	d.run(web, 1)
	if got := c.Status().Fetched; got != 3 {
		t.Fatalf("%d pages before, want 3", got)
	}
	if n, err := c.Requeue(d.now, "trap.pattern"); n != 6 || err != nil {
		t.Fatalf("%d URLs were put back, want 6 (%v)", n, err)
	}
	for _, pages := range []int{5, 0} {
		c.Resume(crawl.Limits{Pages: pages})
		snapshot := snap(t, c, j)
		d.run(web, 1)
		if err := j.Sync(); err != nil {
			t.Fatal(err)
		}
		sameFold(t, "from the journal", c, dir, config(), nil)
		sameFold(t, "from a snapshot", c, dir, config(), snapshot)
	}
	if got := c.Status().Fetched; got != 9 {
		t.Errorf("%d pages, want all 9", got)
	}
	if n, _ := c.Requeue(d.now, "trap.pattern"); n != 0 {
		t.Errorf("%d URLs are still left out", n)
	}
	balanced(t, c)
}

// dying answers URLs with an error while gone reports that.
type dying struct {
	hashed
	gone func(u dowse.URL) bool
}

func (d dying) Visit(v crawl.Visit) (*dowse.Page, time.Duration) {
	p, took := d.hashed.Visit(v)
	if v.Kind == crawl.VisitPage && d.gone(v.URL) {
		p = &dowse.Page{URL: v.URL, Outcome: dowse.Failed, Reason: dowse.FailHTTP}
		p.Fetch.Status = 404
	}
	return p, took
}

// stories is a site whose home page links to n URLs of one pattern.
func stories(n int) (web toy, list []dowse.URL) {
	web = toy{}
	for i := range n {
		u := dowse.URL(fmt.Sprintf("http://a.test/story/%d", i))
		web[u] = page{}
		list = append(list, u)
	}
	web["http://a.test/"] = page{Links: to(list...)}
	return web, list
}

// Removed pages do not take the visits of the others that have URLs of their pattern, whether
// the removed ones come first or are spread by chance.
func TestDeadLinksDoNotStarveLivePages(t *testing.T) {
	share := func(percent uint64) func(int) bool {
		return func(i int) bool { return distinct(dowse.URL(fmt.Sprint(i)))>>20%100 < percent }
	}
	for name, gone := range map[string]func(int) bool{
		"the first 100": func(i int) bool { return i < 100 },
		"50 %":          share(50), "70 %": share(70), "90 %": share(90),
	} {
		web, list := stories(1000)
		is, live := map[dowse.URL]bool{}, 0
		for i, u := range list {
			if is[u] = gone(i); !is[u] {
				live++
			}
		}
		cfg := hurried(follow(queueAll))
		cfg.Traps = crawl.Traps{}
		c := begin(t, cfg, "http://a.test/")
		run(c, dying{hashed{web, distinct}, func(u dowse.URL) bool { return is[u] }})
		if got := c.Status().Fetched - 1; got != live {
			t.Errorf("%s removed: %d of %d live pages were fetched", name, got, live)
		}
		balanced(t, c)
	}
}

// Of removed pages that are answered with one text and no error, the first 100 of a pattern use
// up its budget. The sample beyond it finds the pages that are there, if they are on topic, and
// those that were left out meanwhile are visited at the end, also in a crawl that is rebuilt.
func TestSoftErrorsDoNotStarveLivePages(t *testing.T) {
	web, list := stories(300)
	text := map[dowse.URL]uint64{"http://a.test/": 5}
	for i, u := range list {
		if text[u] = 77; i >= 100 {
			text[u], web[u] = distinct(u), page{Relevance: 1}
		}
	}
	config := func() crawl.Config {
		cfg := hurried(follow(queueAll))
		cfg.Traps = crawl.Traps{}
		cfg.Polite.InFlight = 4
		return cfg
	}
	dir := t.TempDir()
	cfg, j := journalled(t, dir, config())
	c := begin(t, cfg, "http://a.test/")
	d := &driver{c: c, now: epoch}
	d.run(hashed{web, func(u dowse.URL) uint64 { return text[u] }}, 4)
	if got := c.Status().OnTopic; got != 200 {
		t.Errorf("%d of 200 live pages were fetched, want all", got)
	}
	if got := c.Status().Stopped; got != dowse.StopExhausted {
		t.Errorf("the crawl stopped for %q", got)
	}
	balanced(t, c)
	if err := j.Sync(); err != nil {
		t.Fatal(err)
	}
	sameFold(t, "from the journal", c, dir, config(), nil)
}

// What failed and is put back by a person is visited, although the budget of its pattern is
// used up; also when the crawl is rebuilt before. The pages that it gives open the pattern for
// the URLs that were left out.
func TestRequeueOfFailedIsVisited(t *testing.T) {
	config := func() crawl.Config {
		cfg := hurried(follow(queueAll))
		cfg.Traps = crawl.Traps{Budget: 10}
		return cfg
	}
	web, _ := stories(100)
	down := true
	site := dying{hashed{web, distinct}, func(u dowse.URL) bool { return down && u != "http://a.test/" }}
	dir := t.TempDir()
	cfg, j := journalled(t, dir, config())
	c := begin(t, cfg, "http://a.test/")
	d := &driver{c: c, now: epoch}
	d.run(site, 1)
	failed := c.Status().Books.Failed
	if skipped := c.Status().Books.Skipped; failed < 20 || skipped < 20 {
		t.Fatalf("%d failed and %d skipped, want 20 of both at least", failed, skipped)
	}
	down = false
	if n, err := c.Requeue(d.now, crawl.RequeueFailed); n != failed || err != nil {
		t.Fatalf("%d URLs were put back, want %d (%v)", n, failed, err)
	}
	c.Resume(crawl.Limits{})
	snapshot := snap(t, c, j)
	d.run(site, 1)
	if err := j.Sync(); err != nil {
		t.Fatal(err)
	}
	sameFold(t, "from the journal", c, dir, config(), nil)
	sameFold(t, "from a snapshot", c, dir, config(), snapshot)
	if got := c.Status().Fetched - 1; got != 100 {
		t.Errorf("%d pages were fetched, want the %d that had failed, and then all that their pattern had kept out", got, failed)
	}
	balanced(t, c)
}
