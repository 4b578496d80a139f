package crawl_test

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"testing"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/internal/frontier"
	"dowse/internal/refresh"
	"dowse/strategy/strategytest"
)

const aDay = 24 * time.Hour

// aging is a web whose pages are asked again: by URL and day they are unchanged, changed (with a link
// that is new), missing, moved, or do not answer.
type aging struct {
	withRobots
	d      *driver
	checks int
}

func (w *aging) Visit(v crawl.Visit) (*dowse.Page, time.Duration) {
	p, took := w.withRobots.Visit(v)
	if !v.Check {
		return p, took
	}
	w.checks++
	h := fnv.New32a()
	fmt.Fprint(h, v.URL, w.d.now.Sub(epoch)/aDay)
	switch h.Sum32() % 8 {
	case 0, 1, 2:
		unchanged(p)
	case 3, 4:
		p.Links = append(p.Links, dowse.Link{URL: dowse.URL(fmt.Sprintf("%s-new%d", v.URL, w.d.now.Sub(epoch)/aDay))})
		p.Verdict.Relevance = float64(h.Sum32()/8%10) / 10
	case 5:
		missing(p)
	case 6:
		*p = *v.Page()
		p.Outcome, p.Reason, p.Host = dowse.Temporary, dowse.FailTimeout, &dowse.HostReport{BackOff: true}
	case 7:
		if h.Sum32()/8%4 == 0 {
			*p = *v.Page()
			p.Outcome, p.Links = dowse.Redirected, []dowse.Link{{URL: v.URL + "-moved"}}
		} else {
			unchanged(p)
		}
	}
	return p, took
}

func unchanged(p *dowse.Page) {
	*p = dowse.Page{URL: p.URL, Outcome: dowse.Skipped, Reason: dowse.SkipUnchanged, Fetch: dowse.Fetch{Status: 304}}
}

func missing(p *dowse.Page) {
	*p = dowse.Page{URL: p.URL, Outcome: dowse.Failed, Reason: dowse.FailHTTP, Fetch: dowse.Fetch{Status: 404}}
}

// A crawl that asks for its pages again is the same to the last digit when its journal is folded, at
// every stop and from snapshots, whatever the strategy does.
func TestRefreshFolds(t *testing.T) {
	for name, config := range foldable {
		for _, plan := range []refresh.Plan{{Every: aDay, Share: 0.3}, {Auto: true, Share: 0.3}} {
			t.Run(fmt.Sprint(name, plan.Auto), func(t *testing.T) {
				with := func() crawl.Config { cfg := config(); cfg.Refresh = plan; return cfg }
				dir := t.TempDir()
				cfg, j := journalled(t, dir, with())
				c := fresh(t, cfg)
				toy, seeds := strategytest.Random(200, 5)
				c.Start(epoch, seeds)
				d := &driver{c: c, now: epoch}
				web := &aging{withRobots: withRobots{toy}, d: d}
				var snapshot []byte
				d.pick = func(v crawl.Visit) {
					if v.Check && snapshot == nil && cfg.Round == 0 && web.checks > 5 {
						snapshot = snap(t, c, j)
					}
				}
				for run, pages := range []int{30, 40, 40, 60, 60} {
					c.Resume(crawl.Limits{Pages: pages})
					d.run(web, 6)
					balanced(t, c)
					if err := j.Sync(); err != nil {
						t.Fatal(err)
					}
					c.Stop(dowse.StopSignal)
					sameFold(t, fmt.Sprintf("after run %d", run), c, dir, with(), nil)
					d.now = d.now.Add(9 * aDay)
				}
				if web.checks < 20 && name != "idle" {
					t.Errorf("only %d pages were asked again", web.checks)
				}
				if snapshot != nil {
					sameFold(t, "from a snapshot", c, dir, with(), snapshot)
				} else if cfg.Round == 0 && name != "idle" {
					t.Error("no snapshot was taken")
				}
			})
		}
	}
}

// A crash at any entry of the journal loses what was not written, and nothing else: pages that were
// being asked are visited ones again.
func TestRefreshAfterCrashes(t *testing.T) {
	config := func() crawl.Config {
		cfg := foldable["link context"]()
		cfg.Refresh = refresh.Plan{Every: aDay, Share: 0.5}
		return cfg
	}
	dir := t.TempDir()
	cfg, j := journalled(t, dir, config())
	c := fresh(t, cfg)
	toy, seeds := strategytest.Random(60, 5)
	c.Start(epoch, seeds)
	d := &driver{c: c, now: epoch}
	web := &aging{withRobots: withRobots{toy}, d: d}
	for range 3 {
		c.Resume(crawl.Limits{Pages: 15})
		d.run(web, 6)
		d.now = d.now.Add(3 * aDay)
	}
	if err := j.Sync(); err != nil {
		t.Fatal(err)
	}
	var ends []uint64
	for e, err := range j.Scan(0, nil) {
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, e.Place())
	}
	for _, end := range ends[len(ends)/3:] {
		torn := tornAt(t, dir, end)
		cfg, j := journalled(t, torn, config())
		c := fresh(t, cfg)
		if _, _, err := c.Fold(j, 0, nil); err != nil {
			t.Fatalf("cut at %d: %v", end, err)
		}
		if b := c.Books(); !b.Balanced() || b.InFlight != 0 || strings.Contains(crawl.Checks(c), "true") {
			t.Fatalf("cut at %d: books %+v, checks %s", end, b, crawl.Checks(c))
		}
		toy, _ := strategytest.Random(60, 5)
		c.Resume(crawl.Limits{Pages: 20})
		d := &driver{c: c, now: epoch.Add(30 * aDay)}
		d.run(&aging{withRobots: withRobots{toy}, d: d}, 6)
		if err := j.Sync(); err != nil {
			t.Fatal(err)
		}
		balanced(t, c)
		sameFold(t, fmt.Sprintf("cut at %d", end), c, torn, config(), nil)
		j.Close()
	}
}

// scripted answers checks of a page with one outcome after the other.
type scripted struct {
	strategytest.Toy
	answers []func(*dowse.Page)
	asked   []dowse.URL
}

func (w *scripted) Visit(v crawl.Visit) (*dowse.Page, time.Duration) {
	p, took := w.Toy.Visit(v)
	if v.Check {
		w.asked = append(w.asked, v.URL)
		if len(w.answers) > 0 {
			w.answers[0](p)
			w.answers = w.answers[1:]
		}
	}
	return p, took
}

// onePage crawls one page and asks for it again once a day. It returns the state of the
// page after each check, and what the strategy was called with.
func onePage(t *testing.T, answers ...func(*dowse.Page)) (c *crawl.Crawl, states []string, followed []*dowse.Page) {
	t.Helper()
	web := &scripted{Toy: strategytest.Toy{"http://a.test/": {Relevance: 1}, "http://a.test/new": {Relevance: 0}, "http://a.test/moved": {Relevance: 1}}, answers: answers}
	c = begin(t, crawl.Config{
		Refresh: refresh.Plan{Every: aDay, Share: 0.2},
		Strategy: follow(func(p *dowse.Page) leads {
			followed = append(followed, p)
			return queueAll(p)
		}),
		Polite: crawl.Politeness{Delay: crawl.None},
	}, "http://a.test/")
	now := epoch
	for range len(answers) + 1 {
		c.Resume(crawl.Limits{})
		for step(c, web, &now) != nil {
		}
		id, _ := c.Frontier().Find("http://a.test/")
		states = append(states, fmt.Sprint(c.Frontier().State(id), " ", c.Reason("http://a.test/")))
		now = now.Add(aDay + time.Minute)
	}
	if len(web.answers) > 0 {
		t.Errorf("%d checks were not made", len(web.answers))
	}
	return c, states[1:], followed
}

// What comes of a check decides about the page: it is as it was, has another version, is gone when it was
// missing three times in a row, or has moved.
func TestWhatAChecksFinds(t *testing.T) {
	silent := func(p *dowse.Page) {
		*p = dowse.Page{URL: p.URL, Outcome: dowse.Temporary, Reason: dowse.FailTimeout, Host: &dowse.HostReport{BackOff: true}}
	}
	changed := func(p *dowse.Page) { p.Links = []dowse.Link{{URL: "http://a.test/new"}} }
	moved := func(p *dowse.Page) {
		p.Outcome, p.Links, p.Verdict = dowse.Redirected, []dowse.Link{{URL: "http://a.test/moved"}}, dowse.Verdict{}
	}
	off := func(p *dowse.Page) { p.Verdict.Relevance = 0 }
	for _, test := range []struct {
		name    string
		answers []func(*dowse.Page)
		states  []string
		follows int // of the page itself
		fetched int
	}{
		{"unchanged", []func(*dowse.Page){unchanged, unchanged}, []string{"fetched ", "fetched "}, 1, 1},
		{"changed", []func(*dowse.Page){unchanged, changed}, []string{"fetched ", "fetched "}, 2, 2},
		{"missing", []func(*dowse.Page){missing, missing, missing}, []string{"fetched ", "fetched ", "failed gone"}, 1, 1},
		{"back again", []func(*dowse.Page){missing, missing, unchanged, missing}, []string{"fetched ", "fetched ", "fetched ", "fetched "}, 1, 1},
		{"silent", []func(*dowse.Page){silent, unchanged}, []string{"fetched ", "fetched "}, 1, 1},
		{"moved", []func(*dowse.Page){moved}, []string{"redirected "}, 2, 1},
		{"off topic", []func(*dowse.Page){off}, []string{"fetched "}, 2, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, states, followed := onePage(t, test.answers...)
			if !slices.Equal(states, test.states) {
				t.Errorf("states %q, want %q", states, test.states)
			}
			n := 0
			for _, p := range followed {
				if p.Again {
					t.Errorf("the strategy sees a revisit of %s that it did not ask for", p.URL)
				}
				n += boolInt(p.URL == "http://a.test/")
			}
			if s := c.Status(); n != test.follows || s.Fetched != test.fetched {
				t.Errorf("the strategy saw the page %d times, and %d pages were fetched; want %d and %d", n, s.Fetched, test.follows, test.fetched)
			}
			if s := c.Status(); test.name == "off topic" && s.OnTopic != 0 {
				t.Errorf("%d pages on topic, want none: the newest version counts", s.OnTopic)
			}
			balanced(t, c)
		})
	}
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// A limit on pages ends the visits to new pages, not the checks; without new pages checks have no
// share to keep to, and with them they keep to it.
func TestSharesAndLimits(t *testing.T) {
	toy, seeds := strategytest.Random(400, 3)
	for u, p := range toy {
		p.Relevance = 1
		toy[u] = p
	}
	c := begin(t, crawl.Config{Strategy: follow(queueAll), Refresh: refresh.Plan{Every: time.Hour, Share: 0.25}, Polite: crawl.Politeness{Delay: crawl.None}}, seeds...)
	now := epoch
	web := &scripted{Toy: toy}
	run := func(pages int) (checks, visits int) {
		c.Resume(crawl.Limits{Pages: pages})
		before := c.Status()
		web.asked = nil
		for step(c, web, &now) != nil {
		}
		if s := c.Status(); s.Fetched > pages {
			t.Fatalf("%d pages, want at most %d", s.Fetched, pages)
		}
		return len(web.asked), c.Status().Requests - before.Requests
	}
	if checks, _ := run(100); checks != 0 {
		t.Errorf("%d checks of pages that were just fetched", checks)
	}
	now = now.Add(2 * time.Hour)
	if checks, visits := run(100); checks != 100 || visits != 100 {
		t.Errorf("%d checks in %d visits at the limit of pages, want 100", checks, visits)
	}
	now = now.Add(2 * time.Hour)
	if checks, visits := run(130); checks != 100 {
		t.Errorf("%d checks in %d visits, want 100", checks, visits)
	}
	now = now.Add(2 * time.Hour)
	web.asked = nil
	c.Resume(crawl.Limits{})
	for range 60 {
		step(c, web, &now)
	}
	if n := len(web.asked); n < 13 || n > 16 {
		t.Errorf("%d of 60 visits are checks, want a quarter", n)
	}
}

// When all is decided again under the same verdicts, what is known of pages that were asked again stays the
// same, also with checks in flight.
func TestRerankAfterChecks(t *testing.T) {
	config := renewable(func() crawl.Config {
		cfg := foldable["link context"]()
		cfg.Refresh = refresh.Plan{Every: aDay, Share: 0.5}
		return cfg
	})
	dir := t.TempDir()
	cfg, j := journalled(t, dir, config())
	c := fresh(t, cfg)
	toy, seeds := strategytest.Random(150, 9)
	c.Start(epoch, seeds)
	d := &driver{c: c, now: epoch}
	web := &aging{withRobots: withRobots{toy}, d: d}
	for range 3 {
		c.Resume(crawl.Limits{Pages: 40})
		d.run(web, 5)
		d.now = d.now.Add(3 * aDay)
	}
	c.Resume(crawl.Limits{Pages: 60})
	d.launchAndLand(web, 6, 12)
	if len(d.out) == 0 || !strings.Contains(crawl.Checks(c), "true") {
		t.Fatal("no check is in flight")
	}
	before := crawl.Checks(c)
	if change := rerank(t, c, d.now, "m1", otherRulings(t, j, nil)); change.Verdicts != 0 {
		t.Errorf("the same verdicts changed %+v", change)
	}
	if after := crawl.Checks(c); after != before {
		t.Errorf("what is known of checks was\n%s, and is\n%s", before, after)
	}
	d.run(web, 6)
	balanced(t, c)
	if err := j.Sync(); err != nil {
		t.Fatal(err)
	}
	c.Stop(dowse.StopSignal)
	sameFold(t, "after the ruling", c, dir, config(), nil)
}

// How often missing pages come back is learnt from the checks that the journal has: where they do not, one is asked after a page that
// hardly changes. Answers before the first time that a page was missing, and visits without an answer, show nothing of it.
func TestReturnsOfEarlierRuns(t *testing.T) {
	for _, isBack := range []bool{false, true} {
		var entries []*crawl.Entry
		add := func(id frontier.ID, day int, answer func(*dowse.Page)) {
			p := &dowse.Page{Outcome: dowse.Fetched}
			answer(p)
			entries = append(entries, &crawl.Entry{Kind: crawl.EntryPage, ID: id, At: epoch.Add(time.Duration(day) * aDay), Page: p})
		}
		for id := range frontier.ID(30) {
			add(id, 0, unchanged)
			add(id, 10, missing)
			add(id, 11, func(p *dowse.Page) { p.Outcome, p.Reason = dowse.Temporary, dowse.FailTimeout })
			if isBack {
				add(id, 20, unchanged)
				add(id, 21, unchanged)
			} else {
				add(id, 20, missing)
			}
		}
		planner := refresh.New(refresh.Plan{Auto: true}, refresh.Floor)
		planner.Add(100, 0, refresh.Other, epoch, refresh.History{})
		planner.NoteMissing(100, epoch)
		planner.Add(101, 1, refresh.Other, epoch, refresh.History{Changed: 2, Moved: 60, Same: 60})
		crawl.NoteReturns(planner, entries)
		want := uint32(101 - boolInt(isBack))
		if id, _, ok := planner.Next(epoch.Add(20*aDay), func(uint32) bool { return true }); !ok || id != want {
			t.Errorf("pages come back (%v): page %d is asked (%v), want %d", isBack, id, ok, want)
		}
	}
}
