package strategytest_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/strategy"
	"dowse/strategy/strategytest"
)

// A faulty strategy queues all links of a page, and breaks one promise.
type faulty struct {
	pages  int
	reason []dowse.Because
	rate   func(f *faulty, p *dowse.Page) float64
}

func (f *faulty) Follow(p *dowse.Page) (leads []dowse.Lead) {
	f.pages++
	for _, l := range p.Links {
		leads = append(leads, dowse.Lead{URL: l.URL, Priority: f.rate(f, p), Because: f.reason})
	}
	return leads
}

// A counting strategy is a faulty one that saves how many pages it has seen.
type counting struct {
	*faulty
	loses bool // it loads nothing of what it saved
}

func (c *counting) Save() ([]byte, error) { return json.Marshal(c.pages) }

func (c *counting) Load(b []byte) error {
	if c.loses {
		return nil
	}
	return json.Unmarshal(b, &c.pages)
}

// runs counts the strategies that were made, for one that differs from run to run.
var runs int

func newFaulty(rate func(f *faulty, p *dowse.Page) float64) *faulty {
	runs++
	return &faulty{reason: []dowse.Because{{What: "test"}}, rate: rate}
}

// byPages rates links by how many pages were seen, so that the order of visits depends on it.
func byPages(f *faulty, _ *dowse.Page) float64 { return math.Sin(float64(f.pages)) }

// strategies are those that TestPromises runs the suite with, by name. Some are sound.
var strategies = map[string]func() dowse.Strategy{
	"sound": func() dowse.Strategy {
		return newFaulty(func(_ *faulty, p *dowse.Page) float64 { return p.Verdict.Relevance })
	},
	"sound saver": func() dowse.Strategy { return &counting{newFaulty(byPages), false} },
	"without reasons": func() dowse.Strategy {
		f := newFaulty(byPages)
		f.reason = nil
		return f
	},
	"without order": func() dowse.Strategy {
		return newFaulty(func(*faulty, *dowse.Page) float64 { return math.NaN() })
	},
	"other in each run": func() dowse.Strategy {
		f := newFaulty(byPages)
		f.pages = 100 * runs
		return f
	},
	"forgets when it is saved": func() dowse.Strategy { return newFaulty(byPages) },
	"loads nothing":            func() dowse.Strategy { return &counting{newFaulty(byPages), true} },
}

// promiseVar names the strategy that a test process runs the suite with.
const promiseVar = "DOWSE_TEST_PROMISES"

// TestPromises runs the suite in processes of its own, since it must fail: a strategy that
// breaks a promise fails the check of that promise, and a sound one fails none.
func TestPromises(t *testing.T) {
	if make := strategies[os.Getenv(promiseVar)]; make != nil {
		strategytest.Run(t, make)
		return
	}
	for name, want := range map[string]string{
		"sound":                    "",
		"sound saver":              "",
		"without reasons":          "sound_leads",
		"without order":            "sound_leads",
		"other in each run":        "stream/deterministic",
		"forgets when it is saved": "stream/save_and_load",
		"loads nothing":            "stream/save_and_load",
	} {
		t.Run(name, func(t *testing.T) {
			c := exec.Command(os.Args[0], "-test.run", "^TestPromises$", "-test.skip", "many_links|/rounds/")
			c.Env = append(os.Environ(), promiseVar+"="+name)
			out, err := c.CombinedOutput()
			if (err != nil) != (want != "") {
				t.Fatalf("the suite ended with %v\n%s", err, out)
			}
			if want != "" && !strings.Contains(string(out), "--- FAIL: TestPromises/"+want) {
				t.Errorf("want a failure of %s:\n%s", want, out)
			}
		})
	}
}

// TestToy visits pages of each kind.
func TestToy(t *testing.T) {
	web := strategytest.Toy{
		"page":  {Relevance: 0.7, Text: "tide pools", Links: []strategytest.Link{{To: "a", Anchor: "one", Context: 0.5}, {To: "b"}, {To: "a", Anchor: "two", AnchorScore: 0.25}}},
		"moved": {Redirect: "page"},
		"gone":  {Fails: dowse.FailTimeout, Took: time.Second},
		"flaky": {Flaky: 2, Relevance: 1},
	}
	visit := func(u dowse.URL) (*dowse.Page, time.Duration) { return web.Visit(crawl.Visit{URL: u}) }
	p, took := visit("page")
	if p.Outcome != dowse.Fetched || p.Verdict.Relevance != 0.7 || len(p.Words) != 2 || took != time.Millisecond {
		t.Errorf("a page: %+v, %v", p, took)
	}
	if len(p.Links) != 2 || p.Links[0].Anchor != "one" || p.Links[0].Context != 0.5 || len(p.Links[0].More) != 1 || p.Links[0].More[0].AnchorScore != 0.25 {
		t.Errorf("its links: %+v", p.Links)
	}
	if p, _ := visit("moved"); p.Outcome != dowse.Redirected || len(p.Links) != 1 || p.Links[0].URL != "page" {
		t.Errorf("a redirect: %+v", p)
	}
	if p, took := visit("gone"); p.Outcome != dowse.Failed || p.Reason != dowse.FailTimeout || took != time.Second {
		t.Errorf("a page that fails: %+v, %v", p, took)
	}
	if p, _ := visit("elsewhere"); p.Outcome != dowse.Failed || p.Reason != dowse.FailHTTP {
		t.Errorf("a page that is not there: %+v", p)
	}
	for i, want := range []dowse.Outcome{dowse.Temporary, dowse.Temporary, dowse.Fetched} {
		if p, _ := visit("flaky"); p.Outcome != want {
			t.Errorf("visit %d to a flaky page: %v, want %v", i, p.Outcome, want)
		}
	}
	if p, _ := web.Visit(crawl.Visit{URL: "page", Kind: crawl.VisitRobots}); p.Host == nil || p.Host.Robots == nil || p.Host.Robots.Status != 404 {
		t.Errorf("a robots.txt: %+v", p)
	}
}

// TestOrder crawls a small tree by breadth first, page by page and in rounds.
func TestOrder(t *testing.T) {
	web := strategytest.Toy{
		"s": {Links: strategytest.To("a", "b")}, "a": {Links: strategytest.To("c", "b")}, "b": {Links: strategytest.To("d")}, "c": {}, "d": {},
	}
	want := []dowse.URL{"s", "a", "b", "c", "d"}
	if got := strategytest.Order(&strategy.BreadthFirst{}, web, "s"); !slices.Equal(got, want) {
		t.Errorf("visited %v, want %v", got, want)
	}
	c, err := crawl.New(crawl.Config{Strategy: &strategy.BreadthFirst{}, Round: 2, Polite: crawl.Politeness{Delay: crawl.None, Conns: 100}, Traps: crawl.Traps{Budget: -1}})
	if err != nil {
		t.Fatal(err)
	}
	c.Start(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), []dowse.URL{"s"})
	var rounds [][]dowse.URL
	strategytest.Rounds(c, web, func(taken []dowse.URL) { rounds = append(rounds, taken) })
	if got := fmt.Sprint(rounds); got != "[[s] [a b] [c d]]" {
		t.Errorf("rounds %s", got)
	}
}

// TestMakers generates webs twice: they are the same for the same random seed, differ for
// another, and have pages of each kind.
func TestMakers(t *testing.T) {
	for name, on := range map[string]strategytest.Maker{"random": strategytest.Random, "sites": strategytest.Sites} {
		web, seeds := on(600, 7)
		again, seedsAgain := on(600, 7)
		other, _ := on(600, 8)
		if fmt.Sprint(web) != fmt.Sprint(again) || !slices.Equal(seeds, seedsAgain) || fmt.Sprint(web) == fmt.Sprint(other) {
			t.Errorf("%s: not the same web for the same seed, or the same for another", name)
		}
		kinds := map[string]int{}
		for _, u := range slices.Sorted(maps.Keys(web)) {
			switch p := web[u]; {
			case p.Redirect != "":
				kinds["redirect"]++
			case p.Fails != "":
				kinds["fails"]++
			case p.Flaky > 0:
				kinds["flaky"]++
			case len(p.Links) > 0:
				kinds["links"]++
			}
			for _, l := range web[u].Links {
				if _, ok := web[l.To]; !ok {
					kinds["dead link"]++
				}
			}
		}
		if len(web) != 600 || len(kinds) != 5 {
			t.Errorf("%s: %d pages, kinds %v", name, len(web), kinds)
		}
		for _, u := range seeds {
			if p, ok := web[u]; !ok || p.Redirect != "" || p.Fails != "" {
				t.Errorf("%s: the seed %s is %+v", name, u, p)
			}
		}
	}
}

// TestAroundForwards passes every call that returns leads through the function, and
// answers without effect for abilities that the strategy lacks.
func TestAroundForwards(t *testing.T) {
	calls := 0
	count := func(method func() []dowse.Lead) []dowse.Lead {
		calls++
		return method()
	}
	plain := strategytest.Around(newFaulty(byPages), count)
	p := &dowse.Page{Document: dowse.Document{Links: []dowse.Link{{URL: "a"}}}}
	if leads := plain.Follow(p); len(leads) != 1 || calls != 1 {
		t.Errorf("followed to %v with %d calls", leads, calls)
	}
	if leads := plain.(dowse.Starter).Start([]dowse.URL{"s", "t"}); len(leads) != 2 || leads[1].URL != "t" || leads[1].Priority != 1 || calls != 1 {
		t.Errorf("started with %v and %d calls", leads, calls)
	}
	if leads := plain.(dowse.Idler).Idle(); leads != nil {
		t.Errorf("idle: %v", leads)
	}
	if leads := plain.(dowse.Refusable).Refused(dowse.Lead{}, ""); leads != nil {
		t.Errorf("refused: %v", leads)
	}
	if x := plain.(dowse.Rescorer).Rescore(dowse.Lead{Priority: 0.5}); x != 0.5 {
		t.Errorf("rescored to %v, want the priority that it had", x)
	}
	if list := plain.(dowse.Explainer).Explain(dowse.Lead{}); list != nil {
		t.Errorf("explained by %v", list)
	}
	saver := strategytest.Around(&counting{newFaulty(byPages), false}, count)
	saver.Follow(p)
	b, err := saver.(dowse.Saver).Save()
	if err != nil || string(b) != "1" || calls != 2 {
		t.Errorf("saved %s after %d calls: %v", b, calls, err)
	}
}
