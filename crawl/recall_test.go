package crawl_test

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/internal/frontier"
	"dowse/lab"
	"dowse/settings"
)

// star is a web of a seed that links to n pages, of which some are on topic.
func star(n int, on func(i int) bool) toy {
	web, links := toy{}, []dowse.URL(nil)
	for i := range n {
		u := dowse.URL(fmt.Sprintf("http://a.test/p%d", i))
		p := page{}
		if on(i) {
			p.Relevance = 1
		}
		web[u], links = p, append(links, u)
	}
	web["http://a.test/"] = page{Links: to(links...)}
	return web
}

// A crawl that finds its topic first, and then hardly anything, knows that it has found most
// of it, and ends if that is asked for. Every later page would be off topic.
func TestRecallEndsACrawl(t *testing.T) {
	web := star(600, func(i int) bool { return i < 80 && i%2 == 0 || i == 150 })
	cfg := hurried(follow(queueAll))
	cfg.Limits.Dry = settings.Dry{Recall: 0.8}
	c := begin(t, cfg, "http://a.test/")
	run(c, web)
	s := c.Status()
	if c.Stopped() != dowse.StopRecall || s.Fetched < 100 || s.Fetched > 500 {
		t.Errorf("stopped by %q after %d pages", c.Stopped(), s.Fetched)
	}
	e := s.Estimate
	if e.Found != s.OnTopic || e.Recall <= 0.8 || e.Low > e.Recall || e.High < e.Recall || e.Least > 41 || e.Most < 41 {
		t.Errorf("of 41 pages on topic %d were found, estimate %+v", s.OnTopic, e)
	}
	balanced(t, c)
	c.Resume(crawl.Limits{})
	run(c, web)
	if s := c.Status(); c.Stopped() != dowse.StopExhausted || s.Estimate.Total != s.OnTopic || s.OnTopic != 41 {
		t.Errorf("at the end, %d on topic: stopped by %q, estimate %+v", s.OnTopic, c.Stopped(), s.Estimate)
	}
}

// Without pages on topic, or with few pages, there is no estimate, and no crawl ends by it.
func TestNoEstimateOfLittle(t *testing.T) {
	for name, web := range map[string]toy{
		"nothing on topic": star(300, func(int) bool { return false }),
		"few pages":        star(60, func(i int) bool { return i < 30 }),
	} {
		cfg := hurried(follow(queueAll))
		cfg.Limits.Dry = settings.Dry{Recall: 0.01}
		c := begin(t, cfg, "http://a.test/")
		run(c, web)
		if s := c.Status(); s.Estimate.Found != 0 || c.Stopped() != dowse.StopExhausted {
			t.Errorf("%s: stopped by %q, estimate %+v", name, c.Stopped(), s.Estimate)
		}
	}
}

// twoHosts is a web of a hub that links to pages of a good host and of a bad one, and the
// priorities that a strategy gives to them, in units of its own.
func twoHosts(units func(float64) float64) (toy, dowse.Strategy) {
	web, links, rank := toy{}, []dowse.URL(nil), map[dowse.URL]float64{}
	for i := range 30 {
		for h, host := range []string{"good", "bad"} {
			u := dowse.URL(fmt.Sprintf("http://%s.test/p%d", host, i))
			web[u], links = page{Relevance: 1 - float64(h)}, append(links, u)
			rank[u] = units(3 - 4*float64(h) - float64(i)/30)
		}
	}
	web["http://hub.test/"] = page{Links: to(links...)}
	return web, follow(func(p *dowse.Page) (list leads) {
		for i := range p.Links {
			list = append(list, dowse.Lead{URL: p.Links[i].URL, Priority: rank[p.Links[i].URL], Merge: dowse.Max})
		}
		return list
	})
}

// visitTwoHosts crawls 20 pages with four connections, and returns them, and the time it took.
func visitTwoHosts(t *testing.T, units func(float64) float64, polite crawl.Politeness) (pages []dowse.URL, took time.Duration, last crawl.Status, held bool) {
	web, s := twoHosts(units)
	polite.Delay, polite.InFlight = time.Second, 4
	polite.Hold = cmp.Or(polite.Hold, crawl.Politeness{}.Resolved().Hold)
	c := begin(t, crawl.Config{Strategy: s, Polite: polite, Traps: crawl.Traps{Budget: -1}, Limits: crawl.Limits{Pages: 20}}, "http://hub.test/")
	sim := lab.Simulation{Crawl: c, Web: web, Workers: 4, Start: epoch, Each: func(_ time.Time, p *dowse.Page) bool {
		pages = append(pages, p.URL)
		held = held || c.Status().LimitedBy == "waiting for better links"
		return true
	}}
	took = sim.Run()
	return pages, took, c.Status(), held
}

// Whether a connection waits depends on the order of leads alone: a strategy whose
// priorities are log-odds, shares or large sums makes the same visits.
func TestHoldHasNoUnits(t *testing.T) {
	logOdds, _, s, held := visitTwoHosts(t, func(x float64) float64 { return x }, crawl.Politeness{})
	bad := slices.DeleteFunc(slices.Clone(logOdds), func(u dowse.URL) bool { return u[7] != 'b' })
	if len(bad) > 1 || !held || s.Held < 0.5 {
		t.Errorf("%d pages of the bad host, limited by hold: %v, %.2f of the time", len(bad), held, s.Held)
	}
	for name, units := range map[string]func(float64) float64{
		"shares":   func(x float64) float64 { return 1 / (1 + math.Exp(-x)) },
		"negative": func(x float64) float64 { return x - 100 },
		"sums":     func(x float64) float64 { return math.Exp(3 * x) },
	} {
		if got, _, _, _ := visitTwoHosts(t, units, crawl.Politeness{}); !slices.Equal(got, logOdds) {
			t.Errorf("%s: visits %v\nwant %v", name, got, logOdds)
		}
	}
}

// A crawl that prefers time visits what is ready, and so does one that never holds.
func TestPreferTime(t *testing.T) {
	same := func(x float64) float64 { return x }
	_, slow, _, _ := visitTwoHosts(t, same, crawl.Politeness{})
	for name, polite := range map[string]crawl.Politeness{"prefer time": {Prefer: "time"}, "hold none": {Hold: -1}} {
		if pages, took, s, held := visitTwoHosts(t, same, polite); took > slow*2/3 || held || s.Held != 0 {
			t.Errorf("%s: %v for %d pages, %v with hold; held %v, %v", name, took, len(pages), slow, held, s.Held)
		}
	}
}

// Pages on topic that are near-duplicates of earlier ones are no gain, though they count for
// the harvest.
func TestNearDuplicatesAreNoGain(t *testing.T) {
	web := star(200, func(int) bool { return true })
	copies := hashed{web, func(u dowse.URL) uint64 {
		var i int
		if _, err := fmt.Sscanf(string(u), "http://a.test/p%d", &i); err != nil || i < 50 {
			return distinct(u)
		}
		return 7 // all later pages have one text
	}}
	for rule, want := range map[settings.Dry]dowse.StopReason{
		{Gain: 0.5, GainOver: 40}:  dowse.StopDriedUp,
		{Harvest: 0.5, Over: 40}:   dowse.StopExhausted,
		{Gain: 0.5, GainOver: 999}: dowse.StopExhausted, // there are fewer pages
	} {
		cfg := hurried(follow(queueAll))
		cfg.Limits.Dry = rule
		c := begin(t, cfg, "http://a.test/")
		run(c, copies)
		if c.Stopped() != want || want == dowse.StopDriedUp && c.Status().Fetched > 80 {
			t.Errorf("%+v: stopped by %q after %d pages, want %q", rule, c.Stopped(), c.Status().Fetched, want)
		}
	}
}

// A crawl that is restored from a snapshot has the estimate of the crawl that went on, at
// every later page.
func TestEstimateAfterRestore(t *testing.T) {
	web := star(400, func(i int) bool { return i%3 == 0 && i < 150 || i%50 == 0 })
	cfg := hurried(follow(queueAll))
	cfg.Log = arena{frontier.NewArena()}
	c := begin(t, cfg, "http://a.test/")
	now := epoch
	for range 170 {
		step(c, web, &now)
	}
	var b bytes.Buffer
	if err := saveTo(c, &b, 0); err != nil {
		t.Fatal(err)
	}
	again, _, err := crawl.Restore(cfg, &b)
	if err != nil {
		t.Fatal(err)
	}
	if c.Status().Estimate.Found == 0 {
		t.Fatal("no estimate after 170 pages")
	}
	later := now
	for i := range 150 {
		if x, y := c.Status().Estimate, again.Status().Estimate; x != y {
			t.Fatalf("%d pages after the snapshot: estimate %+v, want %+v", i, y, x)
		}
		step(c, web, &now)
		step(again, web, &later)
	}
}
