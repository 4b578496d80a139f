package crawl_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"dowse"
	"dowse/crawl"
	"dowse/lab"
	"dowse/settings"
	"dowse/strategy"
	"dowse/strategy/strategytest"
)

func made(t testing.TB, spec string) dowse.Strategy {
	t.Helper()
	s, err := strategy.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func shadowsOf(t testing.TB, specs ...string) (list []crawl.Shadow) {
	for _, s := range specs {
		list = append(list, crawl.Shadow{Name: s, Strategy: made(t, s)})
	}
	return list
}

// TestShadowOfItself lets strategies be their own shadows: each must pick what the
// crawl visits, at every step.
func TestShadowOfItself(t *testing.T) {
	for _, d := range strategy.All() {
		if len(d.Needs) > 0 {
			continue
		}
		for _, round := range []int{0, 7} {
			t.Run(fmt.Sprintf("%s/%d", d.Name, round), func(t *testing.T) {
				web, seeds := strategytest.Random(300, 9)
				for u, p := range web {
					p.Flaky = 0 // a second visit is no second pick
					web[u] = p
				}
				c := begin(t, crawl.Config{
					Strategy: made(t, d.Name), Shadows: shadowsOf(t, d.Name), Round: round, Key: 5,
					Polite: crawl.Politeness{Delay: crawl.None}, Traps: crawl.Traps{Budget: -1},
				}, seeds...)
				steps := 0
				sim := lab.Simulation{Crawl: c, Web: web, Each: func(time.Time, *dowse.Page) bool {
					s := c.Status().Shadows[0]
					steps++
					if s.Known != s.Picks || s.Dry != 0 {
						t.Errorf("after %d pages: %+v", steps, s)
					}
					return !t.Failed()
				}}
				sim.Run()
				s, st := c.Status().Shadows[0], c.Status()
				if s.Fetched != st.Fetched || s.OnTopic != st.OnTopic || s.Share != 1 || s.Harvest != st.Harvest {
					t.Errorf("shadow %+v, crawl %d pages, %d on topic", s, st.Fetched, st.OnTopic)
				}
			})
		}
	}
}

var allShadows = []string{"breadth-first", "opic", "otie", "shark", "soft-focus", "nb-updateable", "intelligent", "random"}

// TestShadowsDoNotSteer crawls with and without shadows: the crawl is the same.
func TestShadowsDoNotSteer(t *testing.T) {
	visits := func(shadows ...string) (list []dowse.URL) {
		web, seeds := strategytest.Random(300, 4)
		c := begin(t, crawl.Config{
			Strategy: &strategy.LinkContext{}, Shadows: shadowsOf(t, shadows...), Robots: true,
			Polite: crawl.Politeness{Delay: 10 * time.Millisecond},
		}, seeds...)
		sim := lab.Simulation{Crawl: c, Web: withRobots{web}, Workers: 4, Each: func(_ time.Time, p *dowse.Page) bool {
			list = append(list, p.URL)
			return true
		}}
		sim.Run()
		for _, s := range c.Status().Shadows {
			if s.Picks == 0 || s.Known == 0 || s.Known > s.Picks || s.OnTopic > s.Fetched || s.Fetched > s.Known {
				t.Errorf("%+v", s)
			}
		}
		return list
	}
	if diff := cmp.Diff(visits(), visits(allShadows...)); diff != "" {
		t.Errorf("without (-) and with shadows (+):\n%s", diff)
	}
}

// TestShadowsResume stops and takes up a crawl with shadows, from its journal and from
// a snapshot: they must be and go on as if it had never stopped.
func TestShadowsResume(t *testing.T) {
	var toy strategytest.Toy
	var seeds []dowse.URL
	config := func(dir string) (crawl.Config, *crawl.Journal) {
		return journalled(t, dir, crawl.Config{
			Strategy: &strategy.LinkContext{}, Shadows: shadowsOf(t, allShadows...), Traps: crawl.Traps{Budget: -1}, Explore: 0.1,
		})
	}
	restore := func(p *dowse.Page) error {
		p.Text = toy[p.URL].Text
		p.Words = dowse.Words(p.Text)
		return nil
	}
	run := func(c *crawl.Crawl, pages int) {
		c.Resume(crawl.Limits{Pages: pages})
		(&driver{c: c, now: epoch.Add(time.Duration(pages) * time.Hour)}).run(withRobots{toy}, 1)
	}
	toy, seeds = strategytest.Random(300, 5)
	cfg, _ := config(t.TempDir())
	whole := fresh(t, cfg)
	whole.Start(epoch, seeds)
	for _, pages := range []int{40, 80, 120} {
		run(whole, pages)
	}
	for _, fromSnapshot := range []bool{true, false} {
		toy, seeds = strategytest.Random(300, 5) // flaky pages count down
		dir := t.TempDir()
		cfg, j := config(dir)
		c := fresh(t, cfg)
		c.Start(epoch, seeds)
		run(c, 40)
		snapshot := snap(t, c, j)
		run(c, 80)
		if err := errors.Join(j.Sync(), j.Close()); err != nil {
			t.Fatal(err)
		}
		cfg, j = config(dir)
		again, from := fresh(t, cfg), uint64(0)
		if fromSnapshot {
			var err error
			if again, from, err = crawl.Restore(cfg, bytes.NewReader(snapshot)); err != nil {
				t.Fatal(err)
			}
		}
		if _, _, err := again.Fold(j, from, restore); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.Status().Shadows, again.Status().Shadows); diff != "" {
			t.Errorf("before (-) and after the stop (+):\n%s", diff)
		}
		run(again, 120)
		if diff := cmp.Diff(whole.Status().Shadows, again.Status().Shadows); diff != "" {
			t.Errorf("never stopped (-) and taken up (+):\n%s", diff)
		}
		cfg.Shadows = cfg.Shadows[1:]
		if _, _, err := crawl.Restore(cfg, bytes.NewReader(snapshot)); err == nil {
			t.Error("a snapshot with other shadows was taken")
		}
	}
}

func TestTooManyShadows(t *testing.T) {
	if _, err := crawl.New(crawl.Config{Strategy: &strategy.LinkContext{}, Shadows: make([]crawl.Shadow, crawl.MaxShadows+1)}); err == nil {
		t.Error("want an error")
	}
}

// The settings allow as many shadows as a crawl takes.
func TestSettingsBoundShadows(t *testing.T) {
	many := settings.Settings{Order: settings.Order{Shadows: make([]string, crawl.MaxShadows)}}
	if err := many.Check(); err != nil {
		t.Error(err)
	}
	if many.Shadows = append(many.Shadows, ""); many.Check() == nil {
		t.Errorf("%d shadows are allowed, a crawl takes %d", len(many.Shadows), crawl.MaxShadows)
	}
}
