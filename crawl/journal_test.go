package crawl_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"dowse"
	"dowse/crawl"
	"dowse/internal/frontier"
	"dowse/strategy"
	"dowse/strategy/strategytest"
)

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// aRobots replaces the rules of a robots.txt whose body is a prefix to refuse.
type aRobots string

func (r aRobots) Allowed(u dowse.URL) (bool, string) {
	ok := r == "" || !bytes.Contains([]byte(u), []byte(r))
	return ok, "Disallow: " + string(r)
}

func parse(body []byte, status int) dowse.Rules { return aRobots(body) }

// withRobots lets hosts of a toy web refuse some of their pages, and gives the others
// texts in the template of their host, some of them the same.
type withRobots struct{ strategytest.Toy }

func (w withRobots) Visit(v crawl.Visit) (*dowse.Page, time.Duration) {
	p, took := w.Toy.Visit(v)
	if v.Kind == crawl.VisitRobots {
		body := fmt.Sprintf("p%d", len(v.URL)%3+1)
		p.Host.Robots = &dowse.Robots{At: epoch, Status: 200, Body: []byte(body), Rules: parse([]byte(body), 200), Delay: 30 * time.Millisecond}
	}
	if p.Outcome == dowse.Fetched {
		p.Sketch = templated(v.URL)
	}
	return withBlocks(v, p), took
}

// withBlocks gives a page of a crawl that looks for repeated blocks a text with a menu, in which its
// first link is.
func withBlocks(v crawl.Visit, p *dowse.Page) *dowse.Page {
	if v.Template == nil || p.Outcome != dowse.Fetched {
		return p
	}
	text := p.Text
	p.Text = fmt.Sprintf("Menu of the site\nText of %s\nCopyright %d", strings.Map(withoutDigits, string(v.URL)), len(v.URL))
	v.Template.Apply(p)
	p.Text = text // a replay has no archive to restore another from
	if len(p.Links) > 0 && len(p.Repeated) > 0 {
		p.Links[0].Repeated, p.Links[0].Context = true, math.NaN()
	}
	return p
}

// withoutDigits maps digits to letters: numbers do not make a block another one.
func withoutDigits(r rune) rune {
	if '0' <= r && r <= '9' {
		return r - '0' + 'a'
	}
	return r
}

func open(t *testing.T, dir string, s dowse.Strategy) (*crawl.Crawl, *crawl.Journal) {
	t.Helper()
	j, err := crawl.OpenJournal(dir, parse, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	c, err := crawl.New(crawl.Config{
		Strategy: s, Robots: true, Log: j, Key: 42,
		Polite: crawl.Politeness{Delay: 20 * time.Millisecond, InFlight: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c, j
}

// step makes the next visit; it returns nil when there is none.
func step(c *crawl.Crawl, web interface {
	Visit(crawl.Visit) (*dowse.Page, time.Duration)
}, now *time.Time) *dowse.Page {
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

// state writes down all that can be seen of a crawl.
func state(c *crawl.Crawl) string {
	var b strings.Builder
	f := c.Frontier()
	for id := range frontier.ID(f.Len()) {
		depth, hops := f.Depth(id)
		v, _ := f.Visit(id)
		alias, _ := f.Alias(id)
		fmt.Fprintln(&b, id, f.URL(id), f.State(id), f.Priority(id), f.Band(id), f.Note(id), f.Group(id), f.Reason(id), f.Place(id), depth, hops, v, alias, crawl.LinksIn(c, id))
	}
	for i := range f.Hosts() {
		h := c.Host(i)
		h.Robots = nil
		fmt.Fprintln(&b, h)
	}
	fmt.Fprintln(&b, c.Status())
	fmt.Fprint(&b, crawl.Checks(c))
	fmt.Fprintf(&b, "repeats %x", crawl.Repeats(c))
	return b.String()
}

// TestFold stops a crawl after every few visits and rebuilds it from its journal
// alone: the state must be the same to the last byte, and go on in the same way.
func TestFold(t *testing.T) {
	for _, spec := range []string{"breadth-first", "link-context", "random:seed=3"} {
		t.Run(spec, func(t *testing.T) {
			s, _ := strategy.New(spec)
			dir := t.TempDir()
			c, j := open(t, dir, s)
			toy, seeds := strategytest.Random(200, 5)
			web := withRobots{toy}
			c.Start(epoch, seeds)
			now := epoch
			for n := 0; step(c, web, &now) != nil; n++ {
				if n%37 != 0 {
					continue
				}
				if err := j.Sync(); err != nil {
					t.Fatal(err)
				}
				s2, _ := strategy.New(spec)
				twin, j2 := open(t, dir, s2)
				if _, cut, err := twin.Fold(j2, 0, nil); err != nil || cut != 0 {
					t.Fatalf("after %d visits: fold: %v, %d bytes cut", n, err, cut)
				}
				if diff := cmp.Diff(strings.Split(state(c), "\n"), strings.Split(state(twin), "\n")); diff != "" {
					t.Fatalf("after %d visits the rebuilt state differs:\n%s", n, diff)
				}
				goOnAlike(t, twin, spec, n, now)
			}
			if c.Status().Fetched < 50 {
				t.Errorf("only %d pages fetched", c.Status().Fetched)
			}
		})
	}
}

// goOnAlike lets a rebuilt crawl go on together with one that was never interrupted.
func goOnAlike(t *testing.T, twin *crawl.Crawl, spec string, visits int, now time.Time) {
	t.Helper()
	s, _ := strategy.New(spec)
	whole, _ := open(t, t.TempDir(), s)
	toy, seeds := strategytest.Random(200, 5)
	web, then := withRobots{toy}, epoch
	whole.Start(epoch, seeds)
	for range visits + 1 {
		step(whole, web, &then)
	}
	for i := range 40 {
		v, when, ok := whole.Next(then)
		w, when2, ok2 := twin.Next(now)
		if v.URL != w.URL || ok != ok2 || !when.Equal(when2) || v.Lead.Priority != w.Lead.Priority {
			t.Fatalf("visit %d after the fold: %s (%v), without: %s (%v)", i, w.URL, w.Lead.Priority, v.URL, v.Lead.Priority)
		}
		if !ok {
			if when.IsZero() {
				return
			}
			now, then = when, when
			continue
		}
		p, took := web.Visit(v)
		q := *p
		q.Links = slices.Clone(p.Links)
		now, then = now.Add(took), then.Add(took)
		whole.Absorb(then, p)
		twin.Absorb(now, &q)
	}
}

const firstSegment = "journal-0000000000000000.log"

// wholeJournal crawls a toy web to its end and returns the crawl and its journal.
func wholeJournal(t *testing.T, pages int, seed uint64) (*crawl.Crawl, []byte) {
	t.Helper()
	dir := t.TempDir()
	c, j := open(t, dir, &strategy.LinkContext{})
	toy, seeds := strategytest.Random(pages, seed)
	c.Start(epoch, seeds)
	now := epoch
	for step(c, withRobots{toy}, &now) != nil {
	}
	if err := j.Sync(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(filepath.Join(dir, firstSegment))
	if err != nil {
		t.Fatal(err)
	}
	return c, whole
}

// TestTornTail cuts the journal at random places, as a crash does: what is left
// must open, lose only the torn record, and go on.
func TestTornTail(t *testing.T) {
	c, whole := wholeJournal(t, 60, 9)
	rng := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		n := 8 + rng.IntN(len(whole)-8)
		torn := t.TempDir()
		if err := os.WriteFile(filepath.Join(torn, firstSegment), whole[:n], 0o644); err != nil {
			t.Fatal(err)
		}
		c2, j2 := open(t, torn, &strategy.LinkContext{})
		entries, cut, err := c2.Fold(j2, 0, nil)
		if err != nil {
			t.Fatalf("cut at %d of %d: %v", n, len(whole), err)
		}
		if uint64(n)-8 != j2.End()+cut {
			t.Errorf("cut at %d: %d kept and %d cut do not add up", n, j2.End(), cut)
		}
		if entries > 0 && !c2.Books().Balanced() {
			t.Errorf("cut at %d: books %+v", n, c2.Books())
		}
		if entries > 0 {
			toy, _ := strategytest.Random(60, 9)
			now := epoch.Add(time.Hour)
			for step(c2, withRobots{toy}, &now) != nil {
			}
			if got, want := c2.Status().Fetched, c.Status().Fetched; got != want {
				t.Errorf("cut at %d: %d pages in the end, want %d", n, got, want)
			}
		}
	}
}

// TestDamage flips bytes: the journal must report that and never crash or accept them.
func TestDamage(t *testing.T) {
	_, whole := wholeJournal(t, 40, 2)
	rng := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		bad := bytes.Clone(whole)
		at := 8 + rng.IntN(len(bad)-8)
		bad[at] ^= byte(1 + rng.IntN(255))
		torn := t.TempDir()
		os.WriteFile(filepath.Join(torn, firstSegment), bad, 0o644)
		c2, j2 := open(t, torn, &strategy.LinkContext{})
		_, cut, err := c2.Fold(j2, 0, nil)
		if err == nil && cut == 0 {
			t.Errorf("a flipped byte at %d went unnoticed", at)
		}
	}
}

// TestDamageInTheMidst breaks a record that sound ones follow. No crash does that,
// so nothing may be cut off.
func TestDamageInTheMidst(t *testing.T) {
	_, whole := wholeJournal(t, 60, 9)
	whole[len(whole)/2] ^= 1
	broken := t.TempDir()
	copied := filepath.Join(broken, firstSegment)
	if err := os.WriteFile(copied, whole, 0o644); err != nil {
		t.Fatal(err)
	}
	c2, j2 := open(t, broken, &strategy.LinkContext{})
	if _, _, err := c2.Fold(j2, 0, nil); !errors.Is(err, crawl.ErrDamaged) {
		t.Errorf("fold of a journal damaged in its midst: %v", err)
	}
	if after, _ := os.ReadFile(copied); !bytes.Equal(after, whole) {
		t.Error("the damaged journal was changed")
	}
}
