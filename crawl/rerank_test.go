package crawl_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
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

// rulable are the strategies of foldable, and all real ones that need nothing else.
func rulable() map[string]func() crawl.Config {
	list := maps.Clone(foldable)
	list["with a shadow"] = func() crawl.Config {
		otie, _ := strategy.New("otie")
		return crawl.Config{Strategy: &strategy.LinkContext{}, Explore: 0.1, Shadows: []crawl.Shadow{{Name: "otie", Strategy: otie}}}
	}
	for _, d := range strategy.All() {
		name := d.Name
		s, err := strategy.New(name)
		if err != nil {
			continue // it wants a T-Graph, or a trace
		}
		if dowse.TraitsOf(s).ReadsText {
			continue // the toy web has no archive
		}
		list[name] = func() crawl.Config {
			s, _ := strategy.New(name)
			return crawl.Config{Strategy: s}
		}
	}
	return list
}

// renewable is a config whose strategy can be had anew.
func renewable(config func() crawl.Config) func() crawl.Config {
	return func() crawl.Config {
		cfg := config()
		cfg.Renew = func() (dowse.Strategy, []crawl.Shadow, error) { c := config(); return c.Strategy, c.Shadows, nil }
		return cfg
	}
}

// otherRulings has a verdict and ratings drawn by chance for most visits; with no
// chance, for all of them those that they have.
func otherRulings(t testing.TB, j *crawl.Journal, rng *rand.Rand) (list []crawl.Ruling) {
	t.Helper()
	for e, err := range j.Scan(0, nil) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind != crawl.EntryPage || e.Page.Outcome != dowse.Fetched || rng != nil && rng.IntN(10) == 0 {
			continue
		}
		r := crawl.Ruling{Place: e.Place(), ID: e.ID, Verdict: e.Page.Verdict}
		if rng != nil {
			r.Verdict = dowse.Verdict{Relevance: rng.Float64(), Scale: "share", Judge: "m0001", Because: []dowse.Because{{What: "chance", Weight: 1}}}
			r.Label = crawl.Label(rng.IntN(20))
			if r.Label > crawl.LabelledOff {
				r.Label = crawl.Unlabelled
			}
			for range e.Found {
				r.Context = append(r.Context, rng.Float64())
			}
		}
		list = append(list, r)
	}
	return list
}

func rerank(t *testing.T, c *crawl.Crawl, now time.Time, model string, rulings []crawl.Ruling) crawl.Change {
	t.Helper()
	d, err := c.Rerank(now, nil, model, rulings, nil)
	if err != nil {
		t.Fatal(err)
	}
	balanced(t, c)
	return d
}

// TestRerank lets new models rule on visited pages in the midst of a crawl, with
// visits out. Then the journal, folded from its beginning or from a snapshot, gives
// the same state to the last digit; so it does after further visits and models.
func TestRerank(t *testing.T) {
	for name, config := range rulable() {
		t.Run(name, func(t *testing.T) {
			config = renewable(config)
			dir := t.TempDir()
			cfg, j := journalled(t, dir, config())
			c := fresh(t, cfg)
			toy, seeds := strategytest.Random(200, 5)
			c.Start(epoch, seeds)
			d := &driver{c: c, now: epoch}
			rng := rand.New(rand.NewPCG(1, 2))
			models, out := 0, 0
			d.pick = func(crawl.Visit) {
				if n := c.Status().Fetched; c.MidRound() || n < 12*(models+1) {
					return
				}
				out += len(d.out)
				models++
				rerank(t, c, d.now, fmt.Sprint("m", models), otherRulings(t, j, rng))
			}
			var snapshot []byte
			for _, pages := range []int{15, 40, 80} {
				c.Resume(crawl.Limits{Pages: pages, Depth: 30, Tunnel: 3})
				d.run(weighed{withRobots{toy}, 1000}, 6)
				d.now = d.now.Add(time.Hour)
				if err := j.Sync(); err != nil {
					t.Fatal(err)
				}
				c.Stop(dowse.StopSignal)
				sameFold(t, fmt.Sprintf("after %d pages", c.Status().Fetched), c, dir, config(), nil)
				if _, saves := cfg.Strategy.(dowse.Saver); saves && snapshot != nil && !c.MidRound() {
					sameFoldOrWhole(t, c, dir, config, snapshot)
				}
				if !c.MidRound() {
					snapshot = snap(t, c, j)
					sameFold(t, "from a snapshot", c, dir, config(), snapshot)
				}
			}
			if c.Status().Fetched > 30 && cfg.Round == 0 && (models < 2 || out == 0) {
				t.Errorf("%d models, with %d visits out", models, out)
			}
		})
	}
}

// sameFoldOrWhole takes up a crawl from a snapshot, or reports that it must be folded as
// a whole.
func sameFoldOrWhole(t *testing.T, c *crawl.Crawl, dir string, config func() crawl.Config, snapshot []byte) {
	t.Helper()
	cfg, j := journalled(t, dir, config())
	twin, from, err := crawl.Restore(cfg, strings.NewReader(string(snapshot)))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := twin.Fold(j, from, nil); err != nil && !crawl.NeedsWhole(err) {
		t.Fatal(err)
	} else if err == nil {
		sameFold(t, "from an old snapshot", c, dir, config(), snapshot)
	}
	j.Close()
}

// Rulings equal to the verdicts before change nothing, and undoing others brings
// everything back.
func TestRerankToTheSame(t *testing.T) {
	for name, config := range rulable() {
		t.Run(name, func(t *testing.T) {
			config = renewable(config)
			cfg, j := journalled(t, t.TempDir(), config())
			c := fresh(t, cfg)
			toy, seeds := strategytest.Random(150, 9)
			c.Start(epoch, seeds)
			d := &driver{c: c, now: epoch}
			c.Resume(crawl.Limits{Pages: 40, Tunnel: 3})
			d.run(withRobots{toy}, 5)
			if c.MidRound() {
				t.Skip("a round is under way")
			}
			before, as := state(c), otherRulings(t, j, nil)
			if d := rerank(t, c, d.now, "m1", as); d != (crawl.Change{}) {
				t.Errorf("the same verdicts changed %+v", d)
			}
			if diff := cmp.Diff(strings.Split(before, "\n"), strings.Split(state(c), "\n")); diff != "" {
				t.Fatalf("the same verdicts changed:\n%s", diff)
			}
			change := rerank(t, c, d.now, "m2", otherRulings(t, j, rand.New(rand.NewPCG(3, 4))))
			if change.Verdicts == 0 {
				t.Errorf("other verdicts changed %+v", change)
			}
			rerank(t, c, d.now, "m1", withRatings(t, j, as))
			if diff := cmp.Diff(strings.Split(before, "\n"), strings.Split(state(c), "\n")); diff != "" {
				t.Errorf("after undoing it:\n%s", diff)
			}
		})
	}
}

// withRatings adds the ratings of the visits as they were written.
func withRatings(t *testing.T, j *crawl.Journal, list []crawl.Ruling) []crawl.Ruling {
	at := map[uint64]int{}
	for i := range list {
		at[list[i].Place] = i
	}
	for e, err := range j.AsWritten(0) {
		if err != nil {
			t.Fatal(err)
		}
		i, ok := at[e.Place()]
		if !ok {
			continue
		}
		for k := range e.Found {
			for _, m := range slices.Concat([]dowse.Mention{e.Found[k].Mention}, e.Found[k].More) {
				list[i].Context = append(list[i].Context, m.Context)
				list[i].Anchor = append(list[i].Anchor, m.AnchorScore)
			}
		}
	}
	return list
}

// A crash between the rulings and the entry that closes them leaves the crawl as it
// was before.
func TestRerankTorn(t *testing.T) {
	config := renewable(foldable["link context"])
	dir := t.TempDir()
	cfg, j := journalled(t, dir, config())
	c := fresh(t, cfg)
	toy, seeds := strategytest.Random(300, 5)
	c.Start(epoch, seeds)
	c.Resume(crawl.Limits{Pages: 60})
	d := &driver{c: c, now: epoch}
	d.run(withRobots{toy}, 6)
	before := state(c)
	begun := j.End()
	rerank(t, c, d.now, "m1", otherRulings(t, j, rand.New(rand.NewPCG(3, 4))))
	if err := j.Sync(); err != nil {
		t.Fatal(err)
	}
	after := state(c)
	for end := begun; end <= j.End(); end += 997 {
		torn := tornAt(t, dir, end)
		cfg, tj := journalled(t, torn, config())
		twin := fresh(t, cfg)
		if _, _, err := twin.Fold(tj, 0, nil); err != nil {
			t.Fatalf("cut at %d: %v", end, err)
		}
		twin.Stop(c.Stopped())
		if got := state(twin); got != before {
			t.Fatalf("cut at %d of %d: neither before nor after", end, j.End())
		}
		tj.Close()
	}
	if before == after {
		t.Error("nothing changed")
	}
	sameFold(t, "whole", c, dir, config(), nil)
}

// BenchmarkRerank decides a crawl of toy pages again. What that takes is what a running
// crawl pauses for a new model.
func BenchmarkRerank(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			config := renewable(func() crawl.Config { return crawl.Config{Strategy: &strategy.LinkContext{}} })
			j, err := crawl.OpenJournal(b.TempDir(), parse, false)
			if err != nil {
				b.Fatal(err)
			}
			defer j.Close()
			cfg := config()
			cfg.Log, cfg.Key, cfg.Traps = j, 42, crawl.Traps{Budget: -1}
			cfg.Polite = crawl.Politeness{Delay: time.Microsecond, Conns: 8, InFlight: 8}
			c := fresh(b, cfg)
			toy, seeds := strategytest.Random(2*n, 5)
			c.Start(epoch, seeds)
			c.Resume(crawl.Limits{Pages: n})
			d := &driver{c: c, now: epoch}
			d.run(toy, 8)
			if err := j.Sync(); err != nil {
				b.Fatal(err)
			}
			rulings := otherRulings(b, j, rand.New(rand.NewPCG(1, 1)))
			for b.Loop() {
				if _, err := c.Rerank(d.now, nil, "m1", rulings, nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(c.Status().Fetched), "pages")
		})
	}
}
