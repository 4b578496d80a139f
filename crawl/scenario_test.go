package crawl_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/strategy/strategytest"
)

type (
	toy   = strategytest.Toy
	page  = strategytest.Page
	leads = []dowse.Lead
)

var to = strategytest.To

// follow is a strategy that is no more than its Follow.
type follow func(p *dowse.Page) []dowse.Lead

func (f follow) Follow(p *dowse.Page) []dowse.Lead { return f(p) }

// queueAll queues every link at one priority.
func queueAll(p *dowse.Page) (list leads) {
	for i := range p.Links {
		list = append(list, dowse.Lead{URL: p.Links[i].URL, Priority: 0.5, Merge: dowse.Max})
	}
	return list
}

// hurried is a crawl without delays or traps, one visit at a time.
func hurried(s dowse.Strategy) crawl.Config {
	return crawl.Config{
		Strategy: s, Polite: crawl.Politeness{Delay: crawl.None, InFlight: 1}, Traps: crawl.Traps{Budget: -1},
	}
}

func begin(t testing.TB, cfg crawl.Config, seeds ...dowse.URL) *crawl.Crawl {
	t.Helper()
	c, err := crawl.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	c.Start(epoch, seeds)
	return c
}

// run crawls to the end and returns what came back, in order.
func run(c *crawl.Crawl, web visits) (pages []*dowse.Page) {
	now := epoch
	for len(pages) < 10_000 {
		p := step(c, web, &now)
		if p == nil {
			break
		}
		pages = append(pages, p)
	}
	return pages
}

type visits interface {
	Visit(crawl.Visit) (*dowse.Page, time.Duration)
}

// order crawls to the end and returns the visited URLs in a line.
func order(c *crawl.Crawl, web visits) string {
	var list []string
	for _, p := range run(c, web) {
		list = append(list, string(p.URL))
	}
	return strings.Join(list, " ")
}

func stateOf(c *crawl.Crawl, u dowse.URL) dowse.State {
	f := c.Frontier()
	id, ok := f.Find(u)
	if !ok {
		return dowse.Unseen
	}
	return f.State(id)
}

func priorityOf(c *crawl.Crawl, u dowse.URL) float64 {
	f := c.Frontier()
	id, ok := f.Find(u)
	if !ok {
		return math.NaN()
	}
	return f.Priority(id)
}

func balanced(t testing.TB, c *crawl.Crawl) {
	t.Helper()
	if b := c.Books(); !b.Balanced() {
		t.Errorf("the books do not balance: %+v", b)
	}
}

// A script is a strategy that returns, for each page, the leads that a test wrote down for it.
type script map[dowse.URL]leads

func (s script) Follow(p *dowse.Page) []dowse.Lead {
	if p.Outcome != dowse.Fetched {
		return nil
	}
	return s[p.URL]
}

func TestMerges(t *testing.T) {
	web := toy{"s": {Links: to("x", "y", "b")}, "b": {Links: to("x", "y")}, "x": {}, "y": {}}
	for _, tc := range []struct {
		merge dowse.Merge
		want  string
		x     float64
	}{
		{dowse.Replace, "s b y x", 0.1},
		{dowse.Max, "s b x y", 0.4},
		{dowse.Add, "s b x y", 0.5},
	} {
		s := script{
			"s": {{URL: "x", Priority: 0.4, Merge: tc.merge}, {URL: "y", Priority: 0.3, Merge: tc.merge}, {URL: "b", Priority: 0.9}},
			"b": {{URL: "x", Priority: 0.1, Merge: tc.merge}},
		}
		c := begin(t, hurried(s), "s")
		if got := order(c, web); got != tc.want {
			t.Errorf("merge %d: visited %s, want %s", tc.merge, got, tc.want)
		}
		if got := priorityOf(c, "x"); math.Abs(got-tc.x) > 1e-12 {
			t.Errorf("merge %d: x has %v, want %v", tc.merge, got, tc.x)
		}
	}
}

func TestBandsAreEmptiedInOrder(t *testing.T) {
	web := toy{"s": {Links: to("a", "b", "c", "d")}, "a": {}, "b": {}, "c": {}, "d": {}}
	s := script{"s": {
		{URL: "a", Priority: 0.9, Band: 1}, {URL: "b", Priority: 0.1}, {URL: "c", Priority: 0.2}, {URL: "d", Priority: 1, Band: -1},
	}}
	if got := order(begin(t, hurried(s), "s"), web); got != "s d c b a" {
		t.Errorf("visited %s", got)
	}
}

// With Max the better of two leads is the one in the earlier band, with its own
// priority: the best parent decides, as in a context graph.
func TestMaxComparesBandsFirst(t *testing.T) {
	web := toy{"s": {Links: to("x", "y", "z", "b")}, "b": {Links: to("x", "y")}, "x": {}, "y": {}, "z": {}}
	s := script{
		"s": {
			{URL: "x", Priority: 0.9, Band: 2, Merge: dowse.Max}, {URL: "y", Priority: 0.2, Band: 1, Merge: dowse.Max},
			{URL: "z", Priority: 0.5, Band: 1, Merge: dowse.Max}, {URL: "b", Priority: 1},
		},
		"b": {{URL: "x", Priority: 0.3, Band: 1, Merge: dowse.Max}, {URL: "y", Priority: 0.8, Band: 2, Merge: dowse.Max}},
	}
	c := begin(t, hurried(s), "s")
	if got := order(c, web); got != "s b z x y" {
		t.Errorf("visited %s", got)
	}
	if x, y := priorityOf(c, "x"), priorityOf(c, "y"); x != 0.3 || y != 0.2 {
		t.Errorf("x has %v, want 0.3; y has %v, want 0.2", x, y)
	}
}

func TestNotesComeBack(t *testing.T) {
	web := toy{"s": {Links: to("a", "b")}, "a": {Links: to("b")}, "b": {}}
	var log []string
	s := follow(func(p *dowse.Page) (list leads) {
		log = append(log, fmt.Sprintf("%s:%s", p.URL, p.Lead.Note))
		for i := range p.Links {
			l := &p.Links[i]
			log = append(log, fmt.Sprintf("%s>%s:%s", p.URL, l.URL, l.Target.Note))
			lead := dowse.Lead{URL: l.URL, Priority: 1, Merge: dowse.Max}
			if p.URL == "s" {
				lead.Note = "from " + string(p.URL)
			}
			list = append(list, lead)
		}
		return list
	})
	run(begin(t, hurried(s), "s"), web)
	want := []string{"s:", "s>a:", "s>b:", "a:from s", "a>b:from s", "b:from s"}
	if !slices.Equal(log, want) {
		t.Errorf("notes %q, want %q", log, want)
	}
}

func TestHoldKeepsAURLOutUntilItIsQueued(t *testing.T) {
	web := toy{"s": {Links: to("h", "a", "b")}, "a": {Links: to("h")}, "b": {}, "h": {}}
	s := script{
		"s": {{URL: "h", Kind: dowse.Hold, Priority: 0.9, Note: "held"}, {URL: "a", Priority: 0.5}, {URL: "b", Priority: 0.4}},
		"a": {{URL: "h", Priority: 0.1, Merge: dowse.Max}},
	}
	c := begin(t, hurried(s), "s")
	now := epoch
	step(c, web, &now)
	if got := stateOf(c, "h"); got != dowse.Held {
		t.Errorf("h is %s", got)
	}
	if got := order(c, web); got != "a h b" { // 0.9 was kept
		t.Errorf("then visited %s", got)
	}
}

func TestHoldTakesAWaitingURLOut(t *testing.T) {
	web := toy{"s": {Links: to("h", "a")}, "a": {}, "h": {}}
	s := script{"s": {{URL: "h", Priority: 0.2}, {URL: "a", Priority: 0.5}}, "a": {{URL: "h", Kind: dowse.Hold}}}
	c := begin(t, hurried(s), "s")
	if got := order(c, web); got != "s a" || stateOf(c, "h") != dowse.Held {
		t.Errorf("visited %s, h is %s", got, stateOf(c, "h"))
	}
	balanced(t, c)
}

// What the strategy does not mention is known, and not queued.
func TestUnmentionedLinksAreHeld(t *testing.T) {
	c := begin(t, hurried(script{}), "s")
	if got := order(c, toy{"s": {Links: to("a")}}); got != "s" || stateOf(c, "a") != dowse.Held {
		t.Errorf("visited %s, a is %s", got, stateOf(c, "a"))
	}
	balanced(t, c)
}

func TestRaise(t *testing.T) {
	web := toy{"s": {Links: to("a", "b")}, "a": {Links: to("c")}, "b": {}, "c": {}}
	s := script{
		"s": {{URL: "a", Priority: 0.5}, {URL: "b", Priority: 0.1}},
		"a": {{Kind: dowse.Raise, Priority: 0.3, Visited: true}, {URL: "c", Priority: 0.35}},
	}
	c := begin(t, hurried(s), "s")
	if got := order(c, web); got != "s a b c" { // b rose to 0.4
		t.Errorf("visited %s", got)
	}
	for u, want := range map[dowse.URL]float64{"s": 1.3, "a": 0.8, "b": 0.4, "c": 0.35} {
		if got := priorityOf(c, u); math.Abs(got-want) > 1e-12 {
			t.Errorf("%s has %v, want %v", u, got, want)
		}
	}
}

// Aging: who waits rises to the cap, and at the cap it is first in, first out.
func TestRaiseToACap(t *testing.T) {
	web := toy{"s": {Links: to("a", "b", "c")}, "a": {Links: to("d")}, "b": {}, "c": {}, "d": {}}
	s := script{
		"s": {{URL: "a", Priority: 0.95}, {URL: "b", Priority: 0.2}, {URL: "c", Priority: 0.4}},
		"a": {{Kind: dowse.Raise, Priority: 0.7, Cap: 0.8}, {URL: "d", Priority: 0.79}},
	}
	c := begin(t, hurried(s), "s")
	if got := order(c, web); got != "s a b c d" {
		t.Errorf("visited %s", got)
	}
	if b := priorityOf(c, "b"); b != 0.8 {
		t.Errorf("b has %v, want the cap", b)
	}
}

func TestDropRefusesTheGroup(t *testing.T) {
	web := toy{
		"s": {Links: to("a1", "a2", "b1", "b2")}, "b1": {Links: to("a2", "a3")}, "a1": {}, "a2": {}, "a3": {}, "b2": {},
	}
	var offered []dowse.URL
	s := follow(func(p *dowse.Page) (list leads) {
		for i := range p.Links {
			u := p.Links[i].URL
			offered = append(offered, u)
			list = append(list, dowse.Lead{URL: u, Priority: 0.5, Group: string(u[:1])})
		}
		if p.URL == "a1" {
			list = append(list, dowse.Lead{Kind: dowse.Drop, Group: "a"})
		}
		return list
	})
	c := begin(t, hurried(s), "s")
	if got := order(c, web); got != "s a1 b1 b2" {
		t.Errorf("visited %s", got)
	}
	if want := []dowse.URL{"a1", "a2", "b1", "b2", "a3"}; !slices.Equal(offered, want) {
		t.Errorf("offered %v, want %v: a2 can't be queued any more", offered, want)
	}
	for _, u := range []dowse.URL{"a2", "a3"} {
		if stateOf(c, u) != dowse.Excluded || c.Reason(u) != dowse.SkipSiteDone {
			t.Errorf("%s is %s: %s", u, stateOf(c, u), c.Reason(u))
		}
	}
	balanced(t, c)
}

// A Drop without a group means the group of its URL: the host.
func TestDropByURL(t *testing.T) {
	web := toy{"http://s.test/": {Links: to("http://a.test/1", "http://b.test/", "http://a.test/2")}, "http://a.test/1": {}, "http://b.test/": {}, "http://a.test/2": {}}
	s := follow(func(p *dowse.Page) leads {
		if p.URL == "http://a.test/1" {
			return leads{{Kind: dowse.Drop, URL: p.URL}}
		}
		return queueAll(p)
	})
	c := begin(t, hurried(s), "http://s.test/")
	if got := order(c, web); got != "http://s.test/ http://a.test/1 http://b.test/" {
		t.Errorf("visited %s", got)
	}
}

// A URL whose group is dropped while it is visited is not tried again, and still
// comes back.
func TestDropDuringAVisit(t *testing.T) {
	web := toy{"s": {Links: to("a", "b")}, "a": {Flaky: 9}, "b": {}}
	var followed []string
	s := follow(func(p *dowse.Page) leads {
		followed = append(followed, fmt.Sprint(p.URL, " ", p.Outcome))
		switch p.URL {
		case "s":
			return leads{{URL: "a", Priority: 1, Group: "g"}, {URL: "b", Priority: 0.5, Group: "h"}}
		case "b":
			return leads{{Kind: dowse.Drop, Group: "g"}}
		}
		return nil
	})
	cfg := hurried(s)
	cfg.Polite.Conns, cfg.Polite.InFlight = 2, 2
	c := begin(t, cfg, "s")
	now := epoch
	step(c, web, &now)
	a, _, _ := c.Next(now)
	b, _, _ := c.Next(now)
	for _, v := range []crawl.Visit{b, a} {
		p, _ := web.Visit(v)
		c.Absorb(now, p)
	}
	if want := []string{"s fetched", "b fetched", "a failed"}; !slices.Equal(followed, want) {
		t.Errorf("followed %q, want %q", followed, want)
	}
	if balanced(t, c); c.Books().InFlight != 0 {
		t.Errorf("books %+v", c.Books())
	}
}

// revisiting asks for a page again.
type revisiting struct {
	follow
	round  int
	before func(v dowse.View) leads
}

func (r revisiting) Traits() dowse.Traits { return dowse.Traits{Revisits: true, Round: r.round} }
func (r revisiting) BeforeRound(v dowse.View) []dowse.Lead {
	if r.before == nil {
		return nil
	}
	return r.before(v)
}

func TestRevisitInAStream(t *testing.T) {
	web := toy{"s": {Links: to("a", "b"), Relevance: 0.9}, "a": {Links: to("s")}, "b": {Links: to("s")}}
	var seen []string
	s := revisiting{follow: func(p *dowse.Page) leads {
		for i := range p.Links {
			if tg := p.Links[i].Target; p.Links[i].URL == "s" {
				seen = append(seen, fmt.Sprintf("%s>s %s %v", p.URL, tg.State, tg.Relevance))
			}
		}
		if p.URL == "a" {
			return leads{{Kind: dowse.Revisit, URL: "s", Priority: 0.1}}
		}
		return queueAll(p)
	}}
	c := begin(t, hurried(s), "s")
	pages := run(c, web)
	got := ""
	for _, p := range pages {
		got += fmt.Sprintf("%s %v, ", p.URL, p.Again)
	}
	if got != "s false, a false, b false, s true, " {
		t.Errorf("visited %s", got)
	}
	if want := []string{"a>s fetched 0.9", "b>s fetched 0.9"}; !slices.Equal(seen, want) {
		t.Errorf("a page that waits for another visit is shown as %q, want %q", seen, want)
	}
	if st := c.Status(); st.Fetched != 3 || c.Books().Fetched != 3 {
		t.Errorf("a page fetched again counts once: %d, %+v", st.Fetched, c.Books())
	}
}

// A page that could not be had again is still a visited page, with its relevance.
func TestRevisitThatIsTakenBack(t *testing.T) {
	for _, lead := range []dowse.Lead{{Kind: dowse.Hold, URL: "s"}, {Kind: dowse.Drop, Group: "g"}} {
		s := revisiting{follow: func(p *dowse.Page) leads {
			switch p.URL {
			case "s":
				return leads{{URL: "s", Group: "g"}, {URL: "a", Priority: 1, Group: "h"}, {URL: "b", Priority: 0.9, Group: "h"}}
			case "a":
				return leads{{Kind: dowse.Revisit, URL: "s", Priority: 0.1}}
			}
			return leads{lead}
		}}
		c := begin(t, hurried(s), "s")
		if got := order(c, toy{"s": {}, "a": {}, "b": {}}); got != "s a b" || stateOf(c, "s") != dowse.Visited {
			t.Errorf("%v: visited %s, s is %s", lead, got, stateOf(c, "s"))
		}
	}
}

func TestRevisitTheRichestInRounds(t *testing.T) {
	web := toy{"s": {Links: to("a", "b")}, "a": {Links: to("s", "b")}, "b": {Links: to("s", "a", "c")}, "c": {}}
	n := 0
	s := revisiting{
		round: 2,
		follow: func(p *dowse.Page) (list leads) {
			for i := range p.Links {
				list = append(list, dowse.Lead{URL: p.Links[i].URL, Priority: 1, Merge: dowse.Add})
			}
			return append(list, dowse.Lead{URL: p.URL, Priority: -p.Lead.Priority, Merge: dowse.Add})
		},
		before: func(v dowse.View) leads {
			best, ok := v.BestVisited()
			if n++; n == 3 && ok {
				return leads{{Kind: dowse.Revisit, URL: best.URL, Merge: dowse.Add}, {Kind: dowse.Revisit, URL: best.URL, Merge: dowse.Add}}
			}
			return nil
		},
	}
	cfg := hurried(s)
	cfg.Polite.Conns, cfg.Polite.InFlight = 9, 9
	c := begin(t, cfg, "s")
	var rounds []string
	strategytest.Rounds(c, web, func(taken []dowse.URL) { rounds = append(rounds, fmt.Sprint(taken)) })
	if want := []string{"[s]", "[a b]", "[c s]"}; !slices.Equal(rounds, want) {
		t.Errorf("rounds %v, want %v", rounds, want)
	}
}

type idling struct {
	follow
	more []leads
}

func (s *idling) Idle() []dowse.Lead {
	if len(s.more) == 0 {
		return nil
	}
	l := s.more[0]
	s.more = s.more[1:]
	return l
}

// An idle strategy is asked until it has nothing more, even if what it returns first
// can't be queued.
func TestIdle(t *testing.T) {
	s := &idling{follow: queueAll, more: []leads{{{URL: "s"}}, {{URL: "x", Priority: 1}}, {{URL: "gone"}}}}
	c := begin(t, hurried(s), "s")
	if got := order(c, toy{"s": {}, "x": {Links: to("y")}, "y": {}}); got != "s x y gone" {
		t.Errorf("visited %s", got)
	}
	if c.Stopped() != dowse.StopExhausted {
		t.Errorf("stopped: %s", c.Stopped())
	}
}

// BeforeRound is asked once for each lead that is taken, with the queue in view.
func TestBeforeRoundInAStream(t *testing.T) {
	var log []string
	s := revisiting{follow: queueAll, before: func(v dowse.View) leads {
		best, ok := v.Best()
		log = append(log, fmt.Sprintf("%s %v %d %d", best.URL, ok, v.Waiting(), v.Visited()))
		if best.URL == "a" {
			return leads{{URL: "b", Priority: 2}}
		}
		return nil
	}}
	cfg := hurried(s)
	cfg.Polite.Delay = time.Second
	c := begin(t, cfg, "s")
	if got := order(c, toy{"s": {Links: to("a", "b")}, "a": {}, "b": {}}); got != "s b a" {
		t.Errorf("visited %s", got)
	}
	if want := []string{"s true 1 0", "a true 2 1", "a true 1 2", " false 0 3"}; !slices.Equal(log, want) {
		t.Errorf("asked %q, want %q", log, want)
	}
}

type rescoring struct {
	follow
	rate func(l dowse.Lead) float64
}

func (r rescoring) Rescore(l dowse.Lead) float64 { return r.rate(l) }

func TestRescore(t *testing.T) {
	web := toy{"s": {Links: to("a", "b", "c")}, "a": {}, "b": {}, "c": {}}
	for _, round := range []int{0, 1} {
		s := rescoring{script{"s": {{URL: "a", Priority: 0.9}, {URL: "b", Priority: 0.8}, {URL: "c", Priority: 0.7}}}.Follow, func(l dowse.Lead) float64 {
			if l.URL == "a" {
				return 0.1 // falls behind
			}
			return l.Priority
		}}
		cfg := hurried(s)
		cfg.Round = round
		c := begin(t, cfg, "s")
		if got := order(c, web); got != "s b c a" {
			t.Errorf("rounds of %d: visited %s", round, got)
		}
	}
}

// TestPutBackAtMostTenTimesAPick takes the eleventh lead, whatever its rating.
func TestPutBackAtMostTenTimesAPick(t *testing.T) {
	calls := 0
	s := rescoring{func(p *dowse.Page) (list leads) {
		for i := range 30 {
			list = append(list, dowse.Lead{URL: dowse.URL(fmt.Sprintf("p%d", i)), Priority: 1})
		}
		return list
	}, func(l dowse.Lead) float64 { calls++; return l.Priority - 0.1 }}
	c := begin(t, hurried(s), "s")
	now := epoch
	step(c, toy{"s": {}}, &now)
	calls = 0
	if _, _, ok := c.Next(now); !ok || calls != 11 {
		t.Errorf("picked: %v, after %d ratings", ok, calls)
	}
}

type starting struct{ follow }

func (starting) Start(seeds []dowse.URL) (list []dowse.Lead) {
	for i, u := range seeds {
		list = append(list, dowse.Lead{URL: u, Priority: float64(i) / 10, Note: "seed"})
	}
	return append(list, dowse.Lead{URL: "extra", Priority: -1})
}

func TestStart(t *testing.T) {
	c := begin(t, hurried(starting{queueAll}), "a", "b", "a")
	pages := run(c, toy{"a": {}, "b": {}, "extra": {}})
	got := ""
	for _, p := range pages {
		got += fmt.Sprintf("%s %v %s, ", p.URL, p.Lead.Priority, p.Lead.Note)
	}
	if got != "b 0.1 seed, a 0 seed, extra -1 , " {
		t.Errorf("visited %s", got)
	}
}

// Further seeds may come at any time; what kept a URL out as a link does not keep it
// out as a seed.
func TestFurtherSeeds(t *testing.T) {
	cfg := hurried(follow(queueAll))
	cfg.Scope.Reach = crawl.ReachHost
	c := begin(t, cfg, "http://a.test/")
	web := toy{"http://a.test/": {Links: to("http://b.test/")}, "http://b.test/": {}}
	if got := order(c, web); got != "http://a.test/" || c.Reason("http://b.test/") != dowse.SkipScopeHost {
		t.Errorf("visited %s; b: %s", got, c.Reason("http://b.test/"))
	}
	c.Resume(crawl.Limits{})
	c.Start(epoch, []dowse.URL{"http://a.test/", "http://b.test/"})
	if got := order(c, web); got != "http://b.test/" || c.Reason("http://b.test/") != "" {
		t.Errorf("then visited %s; b: %s", got, c.Reason("http://b.test/"))
	}
}

// In a round every page sees the state as it was when the round was taken, and all
// that is given counts after it, in the order of the list.
func TestRoundsSeeOneState(t *testing.T) {
	web := toy{"s": {Links: to("a", "b")}, "a": {Links: to("x", "b"), Relevance: 1}, "b": {Links: to("x", "a")}, "x": {}}
	var log []string
	s := follow(func(p *dowse.Page) (list leads) {
		for i := range p.Links {
			tg := p.Links[i].Target
			log = append(log, fmt.Sprintf("%s>%s %s %v", p.URL, p.Links[i].URL, tg.State, tg.Priority))
			list = append(list, dowse.Lead{URL: p.Links[i].URL, Priority: 0.5, Merge: dowse.Add})
		}
		return list
	})
	cfg := hurried(s)
	cfg.Round, cfg.Polite.Conns, cfg.Polite.InFlight = 2, 9, 9
	c := begin(t, cfg, "s")
	strategytest.Rounds(c, web, func([]dowse.URL) {})
	want := []string{"s>a unseen 0", "s>b unseen 0", "a>x unseen 0", "a>b in flight 0.5", "b>x unseen 0", "b>a in flight 0.5"}
	if !slices.Equal(log, want) {
		t.Errorf("seen %q, want %q", log, want)
	}
	if got := priorityOf(c, "x"); got != 1 {
		t.Errorf("x has %v, want 1", got)
	}
}

// The order in which the visits of a round come back does not matter.
func TestRoundsFollowInListOrder(t *testing.T) {
	web := toy{"a": {}, "b": {}, "c": {}}
	var followed []dowse.URL
	s := follow(func(p *dowse.Page) leads { followed = append(followed, p.URL); return nil })
	cfg := hurried(s)
	cfg.Round, cfg.Polite.Conns, cfg.Polite.InFlight = 3, 9, 9
	c := begin(t, cfg, "a", "b", "c")
	var out []*dowse.Page
	for v, _, ok := c.Next(epoch); ok; v, _, ok = c.Next(epoch) {
		p, _ := web.Visit(v)
		out = append(out, p)
	}
	for _, p := range slices.Backward(out) {
		c.Absorb(epoch, p)
	}
	if want := []dowse.URL{"a", "b", "c"}; !slices.Equal(followed, want) {
		t.Errorf("followed %v, want %v", followed, want)
	}
}

// A lead to a dead URL still counts, as what it spends.
func TestDeadURLsKeepAPriority(t *testing.T) {
	s := follow(func(p *dowse.Page) leads {
		if p.URL == "s" {
			return leads{{URL: "dead", Priority: 0.4, Merge: dowse.Add}}
		}
		return leads{{URL: p.URL, Priority: -p.Lead.Priority, Merge: dowse.Add}}
	})
	c := begin(t, hurried(s), "s")
	if got := order(c, toy{"s": {Links: to("dead")}}); got != "s dead" || stateOf(c, "dead") != dowse.Dead {
		t.Errorf("visited %s; dead is %s", got, stateOf(c, "dead"))
	}
	if got := priorityOf(c, "dead"); got != 0 {
		t.Errorf("dead has %v, want 0", got)
	}
}
