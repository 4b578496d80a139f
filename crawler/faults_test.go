package crawler_test

import (
	"context"
	"dowse/settings"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/durable"
)

// faultPages is how many pages the disturbed crawls gather.
const faultPages = 60

// allFaults, set in the environment, makes every call of a crawl fail in every way. Without
// it every k-th one fails, in one of the ways, each in turn.
const allFaults = "DOWSE_ALL_FAULTS"

// A disk counts the calls that are made to the file system, and makes one of them fail: the
// first one from a number on to which the fault can happen. Which kind of call has which
// number depends a little on how goroutines are scheduled.
type disk struct {
	mu     sync.Mutex
	calls  []durable.Op
	at     int              // number of the first call that may fail, from 1; 0 for none
	how    fault            // what happens to it
	failed durable.Op       // the call that did fail, "" if none has
	size   map[string]int64 // of each file when it was last synced
}

// A fault is a way in which a call fails.
type fault struct {
	name string
	of   func(op durable.Op) bool
	err  error
	lose bool // what was not synced is gone, as after a failed sync
	stay bool // all later calls fail, too
}

func is(ops ...durable.Op) func(durable.Op) bool {
	return func(op durable.Op) bool { return slices.Contains(ops, op) }
}

var diskFaults = []fault{
	{name: "EIO", of: func(durable.Op) bool { return true }, err: syscall.EIO},
	{name: "EIO from then on", of: func(durable.Op) bool { return true }, err: syscall.EIO, stay: true},
	{name: "no space", of: is(durable.OpWrite, durable.OpOpen, durable.OpMkdir, durable.OpRename), err: syscall.ENOSPC},
	{name: "half written", of: is(durable.OpWrite), err: &durable.Short{Err: syscall.ENOSPC}},
	{name: "sync failed and data lost", of: is(durable.OpSync), err: syscall.EIO, lose: true},
}

func (d *disk) inject(op durable.Op, path string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls = append(d.calls, op)
	first := d.at > 0 && len(d.calls) >= d.at && d.failed == "" && d.how.of(op)
	if first || d.how.stay && d.failed != "" {
		if first {
			d.failed = op
		}
		if d.how.lose {
			d.drop(path)
		}
		return d.how.err
	}
	if op == durable.OpOpen {
		d.opened(path)
	}
	if op != durable.OpSync {
		return nil
	}
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
		d.size[path] = info.Size()
	}
	return durable.ErrSkip
}

// opened notes the size of a file that was there before: what an earlier run left is synced.
func (d *disk) opened(path string) {
	if _, known := d.size[path]; known {
		return
	}
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
		d.size[path] = info.Size()
	}
}

// drop takes from a file what was written since it was last synced: a kernel may do that
// when a sync fails.
func (d *disk) drop(path string) {
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
		os.Truncate(path, min(info.Size(), d.size[path]))
	}
}

// under runs do while one call to the file system fails, and returns what it saw.
func under(at int, how fault, do func()) *disk {
	d := &disk{at: at, how: how, size: map[string]int64{}}
	end := durable.Inject(d.inject)
	defer end()
	do()
	return d
}

// A smallWeb answers for some sites of one template: a menu, a list of links, a text of
// its own on each page.
type smallWeb struct{}

const (
	smallSites = 5
	smallPages = 16 // per site
)

func smallURL(site, page int) string {
	return fmt.Sprintf("http://site%d.example/page/%d", site%smallSites, page%smallPages)
}

func (smallWeb) RoundTrip(r *http.Request) (*http.Response, error) {
	var site, page int
	answer := httptest.NewRecorder()
	_, err := fmt.Sscanf(r.URL.Host+r.URL.Path, "site%d.example/page/%d", &site, &page)
	if err != nil || site >= smallSites || page >= smallPages {
		answer.WriteHeader(http.StatusNotFound)
		return answer.Result(), nil
	}
	rng := rand.New(rand.NewPCG(uint64(site), uint64(page)))
	answer.Header().Set("Content-Type", "text/html")
	fmt.Fprintf(answer, `<title>Tide pools %d of site %d</title><nav><a href="/page/0">Home</a> <a href="/page/1">About the shore</a></nav><p>`, page, site)
	for range 80 {
		fmt.Fprintf(answer, "w%x ", rng.Uint32N(1<<20))
	}
	if page%3 > 0 {
		fmt.Fprint(answer, "tide pools, with sea stars in the tide pools of the shore")
	}
	for _, u := range []string{smallURL(site, 2*page+1), smallURL(site, 2*page+2), smallURL(site+1, rng.IntN(smallPages)), smallURL(site+2, page)} {
		fmt.Fprintf(answer, `<p><a href="%s">tide pools %x</a>`, u, rng.Uint32N(1<<16))
	}
	return answer.Result(), nil
}

// smallCrawl opens a crawl of the small web, one visit at a time: it goes the same way
// each time.
func smallCrawl(dir string, pages int) (*crawler.Crawler, error) {
	return crawler.Open(dir, crawler.Config{
		Words: []string{"tide pools"}, Seeds: []string{smallURL(0, 0)}, Settings: settings.Settings{Key: 7, Limits: settings.Limits{Pages: pages}, Identity: settings.Identity{Contact: "https://example.org/bot"}, Politeness: settings.Politeness{Delay: -1, InFlight: 1}},
		Transport: smallWeb{},
	})
}

// crawlPages crawls until this many pages are fetched, and records in committed those that were yielded.
func crawlPages(dir string, pages int, committed map[string]bool) error {
	c, err := smallCrawl(dir, pages)
	if err != nil {
		return err
	}
	for p := range c.Crawl(context.Background()) {
		if committed != nil {
			committed[string(p.URL)] = true
		}
	}
	return errors.Join(c.Err(), c.Close())
}

// TestFaults makes each call to the file system fail in turn, in a crawl of 60 pages and
// in one that is resumed halfway. The run ends with that error, or goes
// on; the next one finishes the crawl, and then it is the same as the undisturbed one, to
// the last digit, and sound.
func TestFaults(t *testing.T) {
	base := t.TempDir()
	whole, half := filepath.Join(base, "whole.dowse"), filepath.Join(base, "half.dowse")
	begun := under(0, fault{}, func() { must(t, crawlPages(whole, faultPages, nil)) })
	must(t, crawlPages(half, faultPages/2, nil))
	want := history(t, whole)
	if len(want) < faultPages {
		t.Fatalf("the undisturbed crawl has %d pages, want %d", len(want), faultPages)
	}
	resumed := filepath.Join(base, "resumed.dowse")
	copyDir(t, half, resumed)
	taken := under(0, fault{}, func() { must(t, crawlPages(resumed, faultPages, nil)) })
	counts, turns := map[string]int{}, map[durable.Op]int{}
	for _, run := range []struct {
		name  string
		from  string
		calls []durable.Op
	}{{"begun", "", begun.calls}, {"resumed", half, taken.calls}} {
		for n := range faultsAt(len(run.calls)) {
			op := run.calls[n-1]
			turns[op]++
			for _, how := range waysToFail(op, turns[op]) {
				d := trial{run.from, n, len(run.calls), how, want}.run(t, fmt.Sprintf("%s, call %d (%s), %s", run.name, n, op, how.name))
				counts["call: "+string(d.failed)]++
				counts["fault: "+how.name]++
			}
		}
	}
	for _, what := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%s: %d", what, counts[what])
	}
	if testing.Short() {
		return // only a few calls fail
	}
	for _, op := range slices.Concat(begun.calls, taken.calls) {
		if counts["call: "+string(op)] == 0 && !rare(op, begun, taken) {
			t.Errorf("no call of the kind %s has failed", op)
			counts["call: "+string(op)]++
		}
	}
	for _, how := range diskFaults {
		if counts["fault: "+how.name] == 0 {
			t.Errorf("nothing has failed with %q", how.name)
		}
	}
}

// rare reports whether there are so few calls of a kind that a choice of calls can miss
// them all.
func rare(op durable.Op, runs ...*disk) bool {
	n := 0
	for _, d := range runs {
		for _, o := range d.calls {
			if o == op {
				n++
			}
		}
	}
	return n < 30
}

// waysToFail returns in which ways a call is to fail: in all, or in one, another one each turn.
func waysToFail(op durable.Op, turn int) (ways []fault) {
	for _, how := range diskFaults {
		if how.of(op) {
			ways = append(ways, how)
		}
	}
	if os.Getenv(allFaults) != "" {
		return ways
	}
	i := turn % len(ways)
	return ways[i : i+1]
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// sameGoroutines skips a test in short runs, which look for races: its crawls have the
// goroutines of others.
func sameGoroutines(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("short: other crawls have the same goroutines")
	}
}

// faultsAt yields the numbers of the calls that are to fail.
func faultsAt(calls int) func(yield func(int) bool) {
	step := 29
	if os.Getenv(allFaults) != "" {
		step = 1
	}
	return func(yield func(int) bool) {
		for n := 1; n <= calls; n++ {
			if testing.Short() && step > 1 && n%24 != 0 {
				continue
			}
			// The calls of opening and closing differ from each other; those between are alike.
			if (n < 60 || n > calls-60 || n%step == 0) && (step == 1 || n%3 == 0 || n%step == 0) && !yield(n) {
				return
			}
		}
	}
}

// A trial is a crawl that is disturbed once.
type trial struct {
	from  string // a collection to go on with, "" for none
	at    int
	calls int // of the undisturbed crawl
	how   fault
	want  []string
}

// run makes a call of the crawl fail, and then finishes it without a fault.
func (x trial) run(t *testing.T, name string) *disk {
	t.Helper()
	var dir string
	var committed map[string]bool
	var d *disk
	var err error
	at := x.at
	// Calls that several goroutines want are made once: their number depends on the schedule,
	// and a crawl can end before the call with the given one. It is then disturbed as long
	// before its end as the call is before that of the undisturbed crawl.
	for range 4 {
		dir, committed = filepath.Join(t.TempDir(), "faulty.dowse"), map[string]bool{}
		if x.from != "" {
			copyDir(t, x.from, dir)
		}
		if d = under(at, x.how, func() { err = crawlPages(dir, faultPages, committed) }); d.failed != "" {
			break
		}
		if 2*len(d.calls) < x.calls {
			t.Errorf("%s: the crawl made %d calls, and %d when it was not disturbed", name, len(d.calls), x.calls)
		}
		at = max(1, min(at-10, len(d.calls)-(x.calls-x.at)))
	}
	switch {
	case d.failed == "":
		t.Errorf("%s: the call was not made", name)
	case err != nil && !errors.Is(err, x.how.err) && !errors.Is(err, syscall.EIO):
		t.Errorf("%s: the error does not name what failed: %v", name, err)
	}
	under(0, fault{}, func() {
		if again := crawlPages(dir, faultPages, committed); again != nil {
			t.Errorf("%s: the first run ended with %v; the crawl can't be resumed: %v", name, err, again)
			return
		}
		x.compare(t, name, dir, committed)
	})
	return d
}

func (x trial) compare(t *testing.T, name, dir string, committed map[string]bool) {
	t.Helper()
	got := history(t, dir)
	if diff := gocmp.Diff(x.want, got); diff != "" {
		t.Errorf("%s: the undisturbed crawl (-) and this one (+) differ:\n%s", name, diff)
	}
	for u := range committed {
		if !slices.ContainsFunc(got, func(line string) bool { return strings.HasPrefix(line, u+" ") }) {
			t.Errorf("%s: %s was committed and is lost", name, u)
		}
	}
	c, err := crawler.View(dir)
	must(t, err)
	defer c.Close()
	v, err := c.Collection.Verify(collection.VerifyOptions{})
	if err != nil || len(v.Problems) > 0 {
		t.Errorf("%s: verify: %v %+v", name, err, v.Problems)
	}
	if b := c.Status().Books; !b.Balanced() || b.InFlight != 0 {
		t.Errorf("%s: books %+v", name, b)
	}
}

func copyDir(t *testing.T, from, to string) {
	t.Helper()
	must(t, fs.WalkDir(os.DirFS(from), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, name), 0o755)
		}
		data, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, name), data, 0o644)
	}))
}
