package crawl_test

import (
	"fmt"
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
	"dowse/strategy/strategytest"
)

// takeDown writes tombstones for some URLs of a journal and, if asked to, blanks what
// they concern, without any strategy.
func takeDown(t *testing.T, dir string, c *crawl.Crawl, ids map[frontier.ID]bool, redact bool) {
	t.Helper()
	j, err := crawl.OpenJournal(dir, parse, false)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if _, err := j.Trim(); err != nil {
		t.Fatal(err)
	}
	old, err := j.Tombstones()
	if err != nil {
		t.Fatal(err)
	}
	for id := range frontier.ID(c.Frontier().Len()) {
		if ids[id] && old[id] == nil {
			u := c.Frontier().URL(id)
			j.RecordTombstone(&crawl.Entry{At: epoch, ID: id, Text: "by request", Print: frontier.FingerprintOf(u, 42), Host: c.Frontier().HostName(c.Frontier().Host(id))}, 0)
		}
	}
	if err := j.Sync(); err != nil {
		t.Fatal(err)
	}
	if !redact {
		return
	}
	gone := func(id frontier.ID) bool { return ids[id] }
	edit := func(e *crawl.Entry) bool {
		changed := ids[e.ID] && e.Blank()
		n := len(e.Rulings)
		e.Rulings = slices.DeleteFunc(e.Rulings, func(r crawl.Ruling) bool { return ids[r.ID] })
		seeds := len(e.Seeds)
		e.Seeds = slices.DeleteFunc(e.Seeds, func(u dowse.URL) bool {
			id, ok := c.Frontier().Find(u)
			return ok && ids[id]
		})
		if p := e.Page; p != nil && p.Near != "" {
			if id, ok := c.Frontier().Find(p.Near); ok && ids[id] {
				p.Near, changed = "", true
			}
		}
		return e.BlankReasons() || changed || len(e.Rulings) < n || len(e.Seeds) < seeds
	}
	for _, least := range []int{1, 0} {
		if n, err := j.Redact(crawl.Redaction{Edit: edit, Gone: gone}); err != nil || (n > 0) != (least > 0) {
			t.Fatalf("%d entries changed: %v", n, err)
		}
	}
}

// TestTakedown takes URLs down at rest, goes on with the crawl, lets a model rule, and
// takes more of them down. The journal, folded from its beginning or from a snapshot,
// always gives the same state, the books balance, no URL that was taken down is visited
// again, and it makes no difference how much was blanked.
func TestTakedown(t *testing.T) {
	for name, config := range rulable() {
		t.Run(name, func(t *testing.T) { takedownAndGoOn(t, renewable(config)) })
	}
}

func takedownAndGoOn(t *testing.T, config func() crawl.Config) {
	dir := t.TempDir()
	toy, seeds := strategytest.Random(200, 5)
	cfg, j := journalled(t, dir, config())
	c := fresh(t, cfg)
	c.Start(epoch, seeds)
	d := &driver{c: c, now: epoch}
	rng := rand.New(rand.NewPCG(3, 4))
	ids := map[frontier.ID]bool{}
	gone := map[dowse.URL]bool{}
	for _, pages := range []int{20, 40, 80} {
		c.Resume(crawl.Limits{Pages: pages, Depth: 30, Tunnel: 3})
		d.pick = func(v crawl.Visit) {
			if gone[v.URL] {
				t.Errorf("%s was taken down and is visited", v.URL)
			}
		}
		d.run(weighed{withRobots{toy}, 1000}, 6)
		d.now = d.now.Add(time.Hour)
		if !c.MidRound() && pages > 20 {
			rerank(t, c, d.now, fmt.Sprint("m", pages), otherRulings(t, j, rng))
		}
		if err := j.Sync(); err != nil {
			t.Fatal(err)
		}
		for id := range frontier.ID(c.Frontier().Len()) {
			if rng.IntN(6) == 0 || id == 0 {
				ids[id], gone[c.Frontier().URL(id)] = true, true
			}
		}
		takeDown(t, dir, c, ids, false)
		half := foldOf(t, dir, config())
		takeDown(t, dir, c, ids, true)
		j.Close()
		cfg, j = journalled(t, dir, config())
		c = fresh(t, cfg)
		if _, _, err := c.Fold(j, 0, nil); err != nil {
			t.Fatal(err)
		}
		if err := j.Sync(); err != nil {
			t.Fatal(err)
		}
		balanced(t, c)
		c.Stop(dowse.StopSignal)
		if diff := cmp.Diff(half, ranks(c)); !c.HasForgotten() || diff != "" {
			t.Errorf("after %d pages it makes a difference what was blanked:\n%s", pages, diff)
		}
		sameFold(t, fmt.Sprintf("after %d pages", pages), c, dir, config(), nil)
		if !c.MidRound() {
			sameFold(t, "from a snapshot", c, dir, config(), snap(t, c, j))
		}
		for u := range gone {
			if u != "" && c.Reason(u) != dowse.SkipForgotten {
				t.Errorf("%s: %q", u, c.Reason(u))
			}
		}
		d = &driver{c: c, now: d.now}
		c.Stop("")
	}
	noTrace(t, dir, gone)
}

// ranks returns the state and rank of every URL, by number: the strings of some are gone.
func ranks(c *crawl.Crawl) []string {
	list := []string{fmt.Sprintf("%+v", c.Status())}
	for id := range frontier.ID(c.Frontier().Len()) {
		f := c.Frontier()
		list = append(list, fmt.Sprint(id, f.State(id), f.Reason(id), f.Priority(id), f.Band(id), f.Note(id)))
	}
	return list
}

// foldOf returns the state and rank of every URL by a journal, without changing it.
func foldOf(t *testing.T, dir string, cfg crawl.Config) []string {
	t.Helper()
	cfg, own := journalled(t, dir, cfg)
	own.Close()
	j, err := crawl.OpenJournal(dir, parse, true)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	cfg.Log = j
	c := fresh(t, cfg)
	if _, _, err := c.Fold(j, 0, nil); err != nil {
		t.Fatal(err)
	}
	c.Stop(dowse.StopSignal)
	return ranks(c)
}

func noTrace(t *testing.T, dir string, gone map[dowse.URL]bool) {
	t.Helper()
	names, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for u := range gone {
			if u != "" && strings.Contains(string(data), string(u)+"\x00") {
				t.Errorf("%s is still in %s", u, name)
			}
		}
	}
}

// Names are remembered up to a limit within an entry. What is left after some rulings are
// gone must fit all the same, whichever they are.
func TestRedactedRulingsFit(t *testing.T) {
	const rulings, words = 60, 12
	rng := rand.New(rand.NewPCG(5, 6))
	for try := range 50 {
		j, err := crawl.OpenJournal(t.TempDir(), nil, false)
		if err != nil {
			t.Fatal(err)
		}
		e := &crawl.Entry{Kind: crawl.EntryModel, Model: "m0001"}
		for id := range frontier.ID(rulings) {
			v := dowse.Verdict{Scale: "share", Judge: "m0001"}
			for range words {
				v.Because = append(v.Because, dowse.Because{What: fmt.Sprintf("a long word of page %d", rng.IntN(1+rng.IntN(200))), Weight: 1})
			}
			e.Rulings = append(e.Rulings, crawl.Ruling{Place: uint64(id), ID: id, Verdict: v})
		}
		share := 1 + rng.IntN(20)
		gone := func(r crawl.Ruling) bool { return int(r.ID)%20 < share }
		if try == 0 { // the first one alone goes: others repeat its words when no more can be remembered
			gone = func(r crawl.Ruling) bool { return r.ID == 0 }
			for i := range e.Rulings {
				for k := range e.Rulings[i].Verdict.Because {
					n := k
					if 0 < i && i < 10 {
						n += i * words
					}
					e.Rulings[i].Verdict.Because[k].What = fmt.Sprintf("a long word of page %d", n)
				}
			}
		}
		place := j.Record(e)
		n, err := j.Redact(crawl.Redaction{Edit: func(e *crawl.Entry) bool {
			was := len(e.Rulings)
			e.Rulings = slices.DeleteFunc(e.Rulings, gone)
			return len(e.Rulings) < was
		}})
		if err != nil || n != 1 {
			t.Fatalf("try %d: %d entries, %v", try, n, err)
		}
		got, err := j.Entry(place, func(frontier.ID) dowse.URL { return "" })
		if err != nil {
			t.Fatal(err)
		}
		want := slices.DeleteFunc(e.Rulings, gone)
		if fmt.Sprint(got.Rulings) != fmt.Sprint(want) {
			t.Fatalf("try %d: rulings are\n%v, want\n%v", try, got.Rulings, want)
		}
		j.Close()
	}
}
