package crawl_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"dowse"
	"dowse/crawl"
	"dowse/strategy"
	"dowse/strategy/strategytest"
)

// streaming is OPIC with a virtual page in a stream: cash, raises, visits to the
// richest page, and a memory of its own.
type streaming struct {
	opic
	n int
}

func (s *streaming) BeforeRound(v dowse.View) []dowse.Lead {
	list := s.opic.BeforeRound(v)
	best, ok := v.BestVisited()
	if s.n++; s.n%7 == 0 && ok {
		list = append(list, dowse.Lead{Kind: dowse.Revisit, URL: best.URL, Merge: dowse.Add})
	}
	return list
}

func (s *streaming) Save() ([]byte, error) { return fmt.Appendf(nil, "%d %b", s.n, s.v), nil }

func (s *streaming) Load(b []byte) error {
	_, err := fmt.Sscanf(string(b), "%d %b", &s.n, &s.v)
	return err
}

// foldable are strategies that together use every kind of lead and every optional interface.
var foldable = map[string]func() crawl.Config{
	"raises and revisits in a stream": func() crawl.Config {
		return crawl.Config{Strategy: &streaming{opic: opic{virtual: true}}}
	},
	"cash in rounds": func() crawl.Config {
		return crawl.Config{Strategy: &otie{cash: cash{recrawl: 3}, a: 0.85, d: 3}, Round: 5}
	},
	"virtual page in rounds": func() crawl.Config {
		return crawl.Config{Strategy: &opic{virtual: true}, Round: 4}
	},
	"leads rated again": func() crawl.Config {
		return crawl.Config{Strategy: rescoring{queueAll, func(l dowse.Lead) float64 { return l.Priority * (0.5 + float64(len(l.URL)%4)/4) }}}
	},
	"groups dropped": func() crawl.Config {
		return crawl.Config{Strategy: follow(func(p *dowse.Page) leads {
			list := queueAll(p)
			if p.Verdict.Relevance > 0.97 {
				list = append(list, dowse.Lead{Kind: dowse.Drop, URL: p.URL})
			}
			return list
		})}
	},
	"idle": func() crawl.Config {
		return crawl.Config{Strategy: &idling{follow: script{}.Follow, more: []leads{
			{{URL: "http://h1.test/p1"}, {URL: "http://h3.test/p10"}}, {{URL: "http://h2.test/p9", Priority: 0.5}}, {{URL: "http://h6.test/p6"}},
		}}}
	},
	"link context": func() crawl.Config { return crawl.Config{Strategy: &strategy.LinkContext{}} },
}

func journalled(t testing.TB, dir string, cfg crawl.Config) (crawl.Config, *crawl.Journal) {
	t.Helper()
	j, err := crawl.OpenJournal(dir, parse, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	cfg.Robots, cfg.LinksIn, cfg.Templates, cfg.Log, cfg.Key = true, true, true, j, 42
	cfg.NotesMemory = 1 // one page; the notes of other URLs are in a file
	cfg.Polite = crawl.Politeness{Delay: 20 * time.Millisecond, Conns: 2, InFlight: 9}
	return cfg, j
}

func fresh(t testing.TB, cfg crawl.Config) *crawl.Crawl {
	t.Helper()
	c, err := crawl.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestFoldWithVisitsAtOnce crawls with several visits out, stops now and then, and
// folds the journal: the rebuilt state must be the same to the last digit, whether
// it is folded from the beginning or from a snapshot taken in the middle of visits.
func TestFoldWithVisitsAtOnce(t *testing.T) {
	for name, config := range foldable {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			cfg, j := journalled(t, dir, config())
			c := fresh(t, cfg)
			toy, seeds := strategytest.Random(200, 5)
			c.Start(epoch, seeds)
			d := &driver{c: c, now: epoch}
			var snapshot []byte
			d.pick = func(crawl.Visit) {
				if snapshot == nil && !c.MidRound() && c.Status().Fetched > 10 {
					snapshot = snap(t, c, j)
				}
			}
			for _, pages := range []int{3, 20, 40, 0} {
				c.Resume(crawl.Limits{Pages: pages, PerHost: 10 + pages, Depth: 30, Bytes: c.Status().Bytes + int64(17_000+1000*pages)})
				d.run(weighed{withRobots{toy}, 1000}, 6)
				d.now = d.now.Add(time.Hour)
				if err := j.Sync(); err != nil {
					t.Fatal(err)
				}
				c.Stop(dowse.StopSignal)
				sameFold(t, fmt.Sprintf("after %d pages", c.Status().Fetched), c, dir, config(), nil)
			}
			if snapshot != nil {
				sameFold(t, "from a snapshot", c, dir, config(), snapshot)
			} else if cfg.Round == 0 && c.Status().Fetched > 20 {
				t.Error("no snapshot was taken")
			}
		})
	}
}

// snap takes a snapshot, as a checkpoint does: what it refers to is on disk.
func snap(t *testing.T, c *crawl.Crawl, j *crawl.Journal) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := saveTo(c, &b, j.End()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func sameFold(t *testing.T, when string, c *crawl.Crawl, dir string, cfg crawl.Config, snapshot []byte) {
	t.Helper()
	cfg, j := journalled(t, dir, cfg)
	var twin *crawl.Crawl
	from := uint64(0)
	if snapshot == nil {
		twin = fresh(t, cfg)
	} else {
		var err error
		if twin, from, err = crawl.Restore(cfg, bytes.NewReader(snapshot)); err != nil {
			t.Fatal(err)
		}
	}
	if _, cut, err := twin.Fold(j, from, nil); err != nil || cut != 0 {
		t.Fatalf("%s: fold: %v, %d bytes cut", when, err, cut)
	}
	twin.Stop(c.Stopped())
	if diff := cmp.Diff(strings.Split(state(c), "\n"), strings.Split(state(twin), "\n")); diff != "" {
		t.Fatalf("%s the rebuilt state differs:\n%s", when, diff)
	}
	j.Close()
}

// A crash loses the visits that were out. What follows is folded again, twice.
func TestFoldAfterCrashes(t *testing.T) {
	for name, config := range foldable {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			toy, seeds := strategytest.Random(200, 8)
			var c *crawl.Crawl
			now := epoch
			for life := range 4 {
				cfg, j := journalled(t, dir, config())
				c = fresh(t, cfg)
				if _, _, err := c.Fold(j, 0, nil); err != nil {
					t.Fatalf("life %d: %v", life, err)
				}
				if life == 0 {
					c.Start(epoch, seeds)
				}
				if b := c.Books(); !b.Balanced() || b.InFlight != 0 {
					t.Fatalf("life %d: books %+v", life, b)
				}
				c.Resume(crawl.Limits{Pages: c.Status().Fetched + 15})
				d := &driver{c: c, now: now}
				if life < 3 { // dies with visits out
					d.pick = func(crawl.Visit) {
						if c.Status().Fetched%15 == 9 {
							c.Stop(dowse.StopSignal)
						}
					}
					d.launchAndLand(withRobots{toy}, 6, 25)
				} else {
					d.run(withRobots{toy}, 6)
				}
				now = d.now.Add(time.Minute)
				if err := j.Sync(); err != nil {
					t.Fatal(err)
				}
				if life == 3 {
					sameFold(t, "in the end", c, dir, config(), nil)
				}
				j.Close()
			}
		})
	}
}

// launchAndLand makes n steps and leaves the rest in the air.
func (d *driver) launchAndLand(web visits, workers, n int) {
	for range n {
		when := d.launch(web, workers)
		slices.SortStableFunc(d.out, func(a, b landing) int { return a.at.Compare(b.at) })
		switch {
		case len(d.out) > 0 && (when.IsZero() || !d.out[0].at.After(when)):
			d.now = d.out[0].at
			p := d.out[0].p
			d.out = d.out[1:]
			d.c.Absorb(d.now, p)
		case when.IsZero():
			return
		default:
			d.now = when
		}
	}
}

// tornAt copies a journal up to a place.
func tornAt(t *testing.T, dir string, end uint64) string {
	t.Helper()
	const name, magic = "journal-0000000000000000.log", 8
	whole, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	torn := t.TempDir()
	if err := os.WriteFile(filepath.Join(torn, name), whole[:magic+end], 0o644); err != nil {
		t.Fatal(err)
	}
	return torn
}

// A round whose pages were not all on disk is crawled again as a whole.
func TestFoldTornRound(t *testing.T) {
	dir := t.TempDir()
	config := foldable["cash in rounds"]
	cfg, j := journalled(t, dir, config())
	c := fresh(t, cfg)
	toy, seeds := strategytest.Random(100, 5)
	c.Start(epoch, seeds)
	c.Resume(crawl.Limits{Pages: 40})
	(&driver{c: c, now: epoch}).run(withRobots{toy}, 6)
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
	for _, end := range ends[1:] {
		torn := tornAt(t, dir, end)
		cfg, j := journalled(t, torn, config())
		c := fresh(t, cfg)
		if _, _, err := c.Fold(j, 0, nil); err != nil {
			t.Fatalf("cut at %d: %v", end, err)
		}
		toy, _ := strategytest.Random(100, 5)
		c.Resume(crawl.Limits{Pages: 40})
		(&driver{c: c, now: epoch.Add(time.Hour)}).run(withRobots{toy}, 6)
		if err := j.Sync(); err != nil {
			t.Fatal(err)
		}
		balanced(t, c)
		sameFold(t, fmt.Sprintf("cut at %d", end), c, torn, config(), nil)
	}
}

// Cash survives with its last digit: a stream with raises and the fold of its
// journal agree exactly, though the sums were made in another process.
func TestCashIsExact(t *testing.T) {
	dir := t.TempDir()
	config := foldable["raises and revisits in a stream"]
	cfg, j := journalled(t, dir, config())
	c := fresh(t, cfg)
	toy, seeds := strategytest.Random(120, 31)
	c.Start(epoch, seeds)
	c.Resume(crawl.Limits{Pages: 60})
	(&driver{c: c, now: epoch}).run(withRobots{toy}, 7)
	j.Sync()
	cfg2, j2 := journalled(t, dir, config())
	twin := fresh(t, cfg2)
	if _, _, err := twin.Fold(j2, 0, nil); err != nil {
		t.Fatal(err)
	}
	for _, u := range []dowse.URL{"http://h0.test/p0", "http://h1.test/p1", "http://h2.test/p2"} {
		if a, b := priorityOf(c, u), priorityOf(twin, u); math.Float64bits(a) != math.Float64bits(b) {
			t.Errorf("%s: %v and %v", u, a, b)
		}
	}
	if a, b := cfg.Strategy.(*streaming).v, cfg2.Strategy.(*streaming).v; a != b {
		t.Errorf("the virtual page has %v and %v", a, b)
	}
}

// Sitemaps that an index lists come up with the index's own entry.
func TestFoldWithSitemaps(t *testing.T) {
	dir := t.TempDir()
	config := func() (crawl.Config, *crawl.Journal) {
		cfg, j := journalled(t, dir, crawl.Config{Strategy: follow(queueAll)})
		cfg.Sitemaps = true
		return cfg, j
	}
	cfg, j := config()
	robots := disallow("/no")
	robots.Sitemaps = []dowse.URL{"http://a.test/m0"}
	web := &listing{answering: answering{toy: toy{"http://a.test/": {Links: to("http://a.test/x")}, "http://a.test/x": {}}, robots: func(crawl.Visit) *dowse.Robots { return robots }}, maps: map[dowse.URL]dowse.Page{}}
	for i := range 5 {
		web.maps[dowse.URL(fmt.Sprintf("http://a.test/m%d", i))] = dowse.Page{
			Maps:     []dowse.URL{dowse.URL(fmt.Sprintf("http://a.test/m%d", i+1)), "http://a.test/no"},
			Document: dowse.Document{Links: []dowse.Link{{URL: dowse.URL(fmt.Sprintf("http://a.test/page%d", i))}}},
		}
	}
	c := begin(t, cfg, "http://a.test/")
	now := epoch
	var snapshots [][]byte
	for step(c, web, &now) != nil {
		snapshots = append(snapshots, snap(t, c, j))
	}
	if len(web.seen) != 6 {
		t.Fatalf("read %v", web.seen)
	}
	if err := j.Sync(); err != nil {
		t.Fatal(err)
	}
	for i, s := range append(snapshots, nil) {
		cfg, j := config()
		twin, from := fresh(t, cfg), uint64(0)
		if s != nil {
			var err error
			if twin, from, err = crawl.Restore(cfg, bytes.NewReader(s)); err != nil {
				t.Fatal(err)
			}
		}
		if _, _, err := twin.Fold(j, from, nil); err != nil {
			t.Fatalf("from snapshot %d: %v", i, err)
		}
		twin.Stop(c.Stopped())
		if diff := cmp.Diff(strings.Split(state(c), "\n"), strings.Split(state(twin), "\n")); diff != "" {
			t.Fatalf("from snapshot %d the rebuilt state differs:\n%s", i, diff)
		}
	}
}

// reading learns from the text of pages.
type reading struct {
	follow
	words int
}

func (r *reading) Follow(p *dowse.Page) []dowse.Lead {
	r.words += len(p.Words)
	return r.follow(p)
}

func (r *reading) Traits() dowse.Traits { return dowse.Traits{ReadsText: true} }

// A strategy that reads gets the texts back when the journal is folded.
func TestFoldRestoresTexts(t *testing.T) {
	dir := t.TempDir()
	s := &reading{follow: queueAll}
	cfg, j := journalled(t, dir, crawl.Config{Strategy: s})
	toy, seeds := strategytest.Random(60, 2)
	c := begin(t, cfg, seeds...)
	run(c, withRobots{toy})
	if err := j.Sync(); err != nil {
		t.Fatal(err)
	}
	twice := &reading{follow: queueAll}
	cfg, j = journalled(t, dir, crawl.Config{Strategy: twice})
	twin := fresh(t, cfg)
	_, _, err := twin.Fold(j, 0, func(p *dowse.Page) error {
		p.Text = toy[p.URL].Text
		p.Words = dowse.Words(p.Text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if s.words == 0 || s.words != twice.words {
		t.Errorf("%d words read, %d in the fold", s.words, twice.words)
	}
}
