package strategytest

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/internal/frontier"
)

// Run checks that a strategy keeps the promises on which crawls rely; the
// package comment lists them. make returns a new strategy with the same
// parameters each time.
func Run(t *testing.T, make func() dowse.Strategy) { RunOn(t, Random, make) }

// A Maker generates a toy web of a number of pages, and seeds in it. The same
// arguments must give the same web.
type Maker func(pages int, seed uint64) (Toy, []dowse.URL)

// RunOn is Run on other webs than those of [Random], for strategies that depend
// on more than links.
//
// The checks that compare crawls run twice: page by page, and in rounds of 7
// pages, since in a round the strategy sees all pages before its first lead is
// queued.
func RunOn(t *testing.T, on Maker, make func() dowse.Strategy) {
	t.Run("sound leads", func(t *testing.T) { soundLeads(t, on, make) })
	t.Run("many links", func(t *testing.T) { manyLinks(t, make) })
	t.Run("odd pages", func(t *testing.T) { oddPages(t, make) })
	for name, round := range map[string]int{"stream": 0, "rounds": 7} {
		t.Run(name, func(t *testing.T) {
			t.Run("deterministic", func(t *testing.T) { deterministic(t, on, round, make) })
			t.Run("once", func(t *testing.T) { once(t, on, round, make) })
			t.Run("save and load", func(t *testing.T) { saveAndLoad(t, on, round, make) })
			t.Run("fold", func(t *testing.T) { fold(t, on, round, make) })
		})
	}
}

// Random generates a toy web of n pages on seven hosts. One page in twenty
// redirects, one fails, and one fails at its first visit; one link in eleven
// leads to a page that does not exist. Relevance, ratings of links and words
// are independent of each other, so that no strategy can be much better than
// another: the suite checks promises, not quality.
func Random(n int, seed uint64) (Toy, []dowse.URL) {
	rng := rand.New(rand.NewPCG(seed, 1))
	url := func(i int) dowse.URL { return dowse.URL(fmt.Sprintf("http://h%d.test/p%d", i%7, i)) }
	words := []string{"tide", "pool", "crab", "kelp", "shop", "cart", "news", "sport"}
	web := Toy{}
	for i := range n {
		p := Page{Relevance: rng.Float64(), Took: time.Duration(1+rng.IntN(50)) * time.Millisecond}
		for range 8 {
			p.Text += words[rng.IntN(len(words))] + " "
		}
		for range rng.IntN(12) {
			l := Link{To: url(rng.IntN(n + n/10)), Context: rng.Float64(), Anchor: words[rng.IntN(len(words))]}
			l.AnchorScore = max(0, l.Context-0.6)
			p.Links = append(p.Links, l)
		}
		switch {
		case i > 3 && rng.IntN(20) == 0:
			p = Page{Redirect: url(rng.IntN(n))}
		case i > 3 && rng.IntN(20) == 0:
			p.Fails = dowse.FailTimeout
		case rng.IntN(20) == 0:
			p.Flaky = 1
		}
		web[url(i)] = p
	}
	return web, []dowse.URL{url(0), url(1), url(2)}
}

// Sites generates a toy web of sites of 15 pages: each has a homepage and pages
// of similar relevance that mostly link to each other; some sites are dead or
// only a redirect. Homepages are at www. and other pages are not, so that a
// strategy that groups pages by site has to treat both as one.
func Sites(n int, seed uint64) (Toy, []dowse.URL) {
	const size = 15
	rng := rand.New(rand.NewPCG(seed, 2))
	url := func(i int) dowse.URL {
		if i%size == 0 {
			return dowse.URL(fmt.Sprintf("http://www.s%d.test/", i/size))
		}
		return dowse.URL(fmt.Sprintf("http://s%d.test/p%d", i/size, i%size))
	}
	web := Toy{}
	for i := range n {
		first := i - i%size
		p := Page{Relevance: float64(i/size%5)/5 + rng.Float64()/5, Took: time.Duration(1+rng.IntN(50)) * time.Millisecond}
		for range 4 + rng.IntN(5) {
			p.Links = append(p.Links, Link{To: url(first + rng.IntN(size))})
		}
		for range rng.IntN(4) {
			p.Links = append(p.Links, Link{To: url(rng.IntN(n + n/10))})
		}
		switch {
		case i > size && i%size == 0 && rng.IntN(4) == 0:
			p = Page{Redirect: url(rng.IntN(n))}
		case i > size && rng.IntN(15) == 0:
			p.Fails = dowse.FailTimeout
		case rng.IntN(15) == 0:
			p.Flaky = 1
		}
		web[url(i)] = p
	}
	return web, []dowse.URL{url(0), url(size + 3)}
}

// config is the configuration of all crawls of the suite: polite, one visit at
// a time, without a trap budget, since toy webs look like traps. With one visit
// at a time the order of visits is the strategy's alone.
func config(s dowse.Strategy) crawl.Config {
	return crawl.Config{
		Strategy: s, Polite: crawl.Politeness{Delay: 20 * time.Millisecond, InFlight: 1}, Traps: crawl.Traps{Budget: -1},
	}
}

// start begins a crawl; round 0 leaves rounds to the strategy.
func start(t *testing.T, s dowse.Strategy, round int, seeds []dowse.URL) *crawl.Crawl {
	t.Helper()
	cfg := config(s)
	cfg.Round = round
	c, err := crawl.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	c.Start(epoch, seeds)
	return c
}

var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// step makes the next visit and returns its page; nil when the crawl is over.
// If the crawl has to wait, virtual time moves to when it need not.
func step(c *crawl.Crawl, web Toy, now *time.Time) *dowse.Page {
	for {
		v, when, ok := c.Next(*now)
		if !ok {
			if when.IsZero() || c.Stopped() != "" {
				return nil
			}
			*now = when
			continue
		}
		p, took := web.Visit(v)
		*now = now.Add(took)
		c.Absorb(*now, p)
		return p
	}
}

// visits crawls to the end, with at most most visits, and returns a line per
// visit: URL, outcome, priority, and whether it was a revisit.
func visits(c *crawl.Crawl, web Toy, most int) (list []string) {
	now := epoch
	for len(list) < most {
		p := step(c, web, &now)
		if p == nil {
			return list
		}
		list = append(list, fmt.Sprintf("%s %s %v %v", p.URL, p.Outcome, p.Lead.Priority, p.Again))
	}
	return list
}

// deterministic runs the same crawl twice and compares the visits with their
// priorities. Lead order that depends on the iteration of a map fails here.
func deterministic(t *testing.T, on Maker, round int, make func() dowse.Strategy) {
	var first []string
	for run := range 2 {
		web, seeds := on(300, 7)
		got := visits(start(t, make(), round, seeds), web, 1000)
		if run == 0 {
			first = got
		} else if !slices.Equal(first, got) {
			t.Errorf("two runs differ: %d and %d visits", len(first), len(got))
		}
	}
	if len(first) < 50 {
		t.Errorf("only %d visits on a web of 300 pages", len(first))
	}
}

// once checks that no URL is visited twice without a revisit, and that the
// books of the crawl balance at the end: every URL that a strategy made known
// has exactly one state. Temporary failures are visited again by design and are
// not counted.
func once(t *testing.T, on Maker, round int, make func() dowse.Strategy) {
	web, seeds := on(300, 11)
	s := make()
	revisits := dowse.TraitsOf(s).Revisits
	c := start(t, s, round, seeds)
	now, seen := epoch, map[dowse.URL]bool{}
	for range 3000 {
		p := step(c, web, &now)
		if p == nil {
			break
		}
		if p.Outcome == dowse.Temporary {
			continue
		}
		if seen[p.URL] && !(p.Again && revisits) {
			t.Errorf("%s was visited twice", p.URL)
		}
		if p.Again && !seen[p.URL] {
			t.Errorf("%s was visited again before it was visited", p.URL)
		}
		seen[p.URL] = true
	}
	if b := c.Books(); !b.Balanced() || b.InFlight != 0 {
		t.Errorf("the counts do not add up: %+v", b)
	}
}

// soundLeads checks every lead that a strategy returns, whatever method returns
// it: it has a URL or a group, a finite priority, and a reason. Priorities that
// are not numbers have no place in a heap, and `why` shows the reasons.
func soundLeads(t *testing.T, on Maker, make func() dowse.Strategy) {
	web, seeds := on(300, 3)
	leadCount := 0
	check := func(l dowse.Lead) {
		leadCount++
		switch {
		case len(l.Because) == 0:
			t.Errorf("%+v gives no reason", l)
		case math.IsNaN(l.Priority) || math.IsInf(l.Priority, 0):
			t.Errorf("%+v has no place in an order", l)
		case l.URL == "" && l.Kind != dowse.Raise && l.Kind != dowse.Drop:
			t.Errorf("%+v is about no URL", l)
		}
	}
	s := Around(make(), func(invoke func() []dowse.Lead) []dowse.Lead {
		leads := invoke()
		for _, l := range leads {
			check(l)
		}
		return leads
	})
	visits(start(t, s, 0, seeds), web, 1000)
	if leadCount < 100 {
		t.Errorf("only %d leads on a web of 300 pages", leadCount)
	}
}

// manyLinks visits a page with 100,000 links. A strategy must know all of them
// afterwards; one that takes quadratic time does not finish.
func manyLinks(t *testing.T, make func() dowse.Strategy) {
	const n = 100_000
	var p Page
	p.Relevance = 0.7
	for i := range n {
		p.Links = append(p.Links, Link{To: dowse.URL(fmt.Sprintf("http://a.test/%x", i)), Context: float64(i%10) / 10})
	}
	web := Toy{"http://a.test/": p}
	c := start(t, make(), 0, []dowse.URL{"http://a.test/"})
	visits(c, web, 20)
	if b := c.Books(); b.Known < n || !b.Balanced() {
		t.Errorf("counts after a page of %d links: %+v", n, b)
	}
}

// oddPages visits URLs with control characters, addresses, extreme lengths, and
// redirects in circles. Nothing is expected but that the strategy returns and
// that the books balance.
func oddPages(t *testing.T, make func() dowse.Strategy) {
	odd := []dowse.URL{
		"http://x.test/", "http://x.test/\u202e?q=\x01", "http://[::1]/", "http://x.test/" + dowse.URL(bytes.Repeat([]byte("a"), 5000)), "s1", "?",
	}
	web := Toy{}
	for i, u := range odd {
		web[u] = Page{Relevance: float64(i) / 10, Links: To(odd...)}
	}
	web["s2"] = Page{Redirect: "s2"}
	web["s3"] = Page{Redirect: "s4"}
	web["s4"] = Page{Redirect: "s3"}
	c := start(t, make(), 0, append(odd, "s2", "s3", "gone"))
	visits(c, web, 100)
	if b := c.Books(); !b.Balanced() || b.InFlight != 0 {
		t.Errorf("counts: %+v", b)
	}
}

// saveAndLoad saves a crawl halfway, loads it into a new strategy and compares
// what follows, visit by visit and to the last digit of each priority, with a
// crawl that was not interrupted. It saves between rounds, since a crawl never
// saves within one.
func saveAndLoad(t *testing.T, on Maker, round int, make func() dowse.Strategy) {
	const half = 60
	webA, seeds := on(300, 23)
	webB, _ := on(300, 23)
	log := frontier.NewArena()
	cfg := config(make())
	cfg.Log, cfg.Round = arenaLog{log}, round
	c, err := crawl.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	c.Start(epoch, seeds)
	now := epoch
	for i := 0; i < half || c.MidRound(); i++ {
		step(c, webA, &now)
	}
	other := epoch
	twin := start(t, make(), round, seeds)
	for i := 0; i < half || twin.MidRound(); i++ {
		step(twin, webB, &other)
	}
	var saved bytes.Buffer
	save, err := c.Snapshot(0)
	if err != nil {
		t.Fatal(err)
	}
	if err := save(&saved); err != nil {
		t.Fatal(err)
	}
	cfg.Strategy = make()
	loaded, _, err := crawl.Restore(cfg, &saved)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 200 {
		a, b := step(loaded, webA, &now), step(twin, webB, &other)
		if a == nil || b == nil {
			if a != b {
				t.Errorf("after %d more visits one crawl is over and the other is not", i)
			}
			return
		}
		if a.URL != b.URL || a.Lead.Priority != b.Lead.Priority {
			t.Fatalf("visit %d after loading: %s at %v, without saving: %s at %v", i, a.URL, a.Lead.Priority, b.URL, b.Lead.Priority)
		}
	}
}

// fold crawls with a journal and rebuilds crawl and strategy from it:
// everything that is known of every URL, and the saved state of the strategy,
// must be the same to the last digit. This is the invariant on which replays
// and the recovery after a crash rest.
func fold(t *testing.T, on Maker, round int, make func() dowse.Strategy) {
	web, seeds := on(300, 29)
	dir := t.TempDir()
	c, s, j := journalled(t, dir, round, make)
	c.Start(epoch, seeds)
	now := epoch
	for i := 0; i < 150 || c.MidRound(); i++ {
		if step(c, web, &now) == nil {
			break
		}
	}
	was := account(c.Frontier())
	if err := errors.Join(j.Sync(), j.Close()); err != nil {
		t.Fatal(err)
	}
	again, twin, j := journalled(t, dir, round, make)
	defer j.Close()
	if _, cut, err := again.Fold(j, 0, web.restore); err != nil || cut != 0 {
		t.Fatalf("fold: %v, %d bytes cut", err, cut)
	}
	is := account(again.Frontier())
	if len(was) != len(is) {
		t.Fatalf("%d URLs are known, after folding %d", len(was), len(is))
	}
	for i := range was {
		if was[i] != is[i] {
			t.Errorf("%s; after folding %s", was[i], is[i])
		}
	}
	if a, b := learnt(t, s), learnt(t, twin); !bytes.Equal(a, b) {
		t.Errorf("the strategy has learnt\n%s, and after folding\n%s", a, b)
	}
}

// journalled opens a crawl with a journal in dir, new or to be folded.
func journalled(t *testing.T, dir string, round int, make func() dowse.Strategy) (*crawl.Crawl, dowse.Strategy, *crawl.Journal) {
	t.Helper()
	j, err := crawl.OpenJournal(dir, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	cfg := config(make())
	cfg.Log, cfg.Round = j, round
	c, err := crawl.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c, cfg.Strategy, j
}

// account returns a line per URL with everything that the frontier knows of it:
// state, priority, band, group and note.
func account(f *frontier.Frontier) []string {
	list := make([]string, f.Len())
	for i := range list {
		id := frontier.ID(i)
		list[i] = fmt.Sprint(f.URL(id), " ", f.State(id), f.Priority(id), f.Band(id), f.Group(id), f.Note(id))
	}
	return list
}

// learnt returns the saved state of a strategy; nil if it has none.
func learnt(t *testing.T, s dowse.Strategy) []byte {
	t.Helper()
	saver, ok := s.(dowse.Saver)
	if !ok {
		return nil
	}
	b, err := saver.Save()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// arenaLog keeps strings in an arena that outlives the crawl, so that a snapshot
// can be restored with the places that it contains.
type arenaLog struct{ *frontier.Arena }

// Record drops the entry: these tests need no journal, only strings that stay
// valid.
func (arenaLog) Record(*crawl.Entry) uint64    { return 0 }
func (arenaLog) RobotsAt(uint64) *dowse.Robots { return nil }
