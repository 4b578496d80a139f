package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"dowse"
	"dowse/internal/frontier"
)

// A toyCrawl is the smallest thing that can be rebuilt from a journal: a frontier whose
// strings are in the journal, and counts. It decides nothing by itself, but does what an
// entry has recorded.
type toyCrawl struct {
	f      *frontier.Frontier
	pages  map[dowse.Outcome]int
	links  int
	failed error // an entry did not fit
}

func newToyCrawl(j *Journal) *toyCrawl {
	return &toyCrawl{f: frontier.New(frontier.Config{Names: j, Key: 42}), pages: map[dowse.Outcome]int{}}
}

// see returns the number of a URL. Its host is its group, as far as the toy is concerned.
func (c *toyCrawl) see(u dowse.URL) frontier.ID {
	id, _ := c.f.See(u, strings.Split(string(u), "/")[2])
	return id
}

// apply does what an entry has recorded, and checks that URLs have the numbers that it names.
func (c *toyCrawl) apply(e *Entry) {
	for _, u := range e.Seeds {
		c.f.Queue(c.see(u))
	}
	if e.Kind != EntryPage {
		return
	}
	for i, l := range e.Found {
		d := &e.Links[i]
		id := c.see(l.URL)
		if id != d.ID && c.failed == nil {
			c.failed = fmt.Errorf("the link to %s has number %d, want %d", l.URL, id, d.ID)
		}
		c.f.SetPriority(id, d.Priority, dowse.Max)
		if d.Reason != "" {
			c.f.SetReason(id, ReasonCode(d.Reason))
			c.f.Settle(id, dowse.Excluded)
		} else if c.f.State(id) == dowse.Unseen {
			c.f.Queue(id)
		}
		c.links++
	}
	c.f.Settle(e.ID, dowse.Visited)
	c.f.SetVisit(e.ID, frontier.Visit{Relevance: e.Page.Verdict.Relevance, Place: e.Place()})
	c.pages[e.Page.Outcome]++
}

// state writes down everything that can be seen of the crawl.
func (c *toyCrawl) state() string {
	var b strings.Builder
	for id := range frontier.ID(c.f.Len()) {
		v, _ := c.f.Visit(id)
		fmt.Fprintln(&b, id, c.f.URL(id), c.f.Place(id), c.f.State(id), c.f.Priority(id), c.f.Reason(id), v)
	}
	fmt.Fprintln(&b, c.pages, c.links)
	return b.String()
}

// balanced returns an error unless every URL is counted in exactly one state.
func (c *toyCrawl) balanced() error {
	sum := 0
	for s := dowse.Unseen; s <= dowse.Excluded; s++ {
		sum += c.f.Count(s)
	}
	if sum != c.f.Len() {
		return fmt.Errorf("%d URLs in all states, want %d", sum, c.f.Len())
	}
	return c.failed
}

// A snapshot is the state of a crawl at a place of the journal, in sealed form.
type snapshot struct {
	place uint64
	data  []byte
}

func (c *toyCrawl) snapshot(t *rapid.T, place uint64) snapshot {
	w := NewPart()
	w.Uint(place)
	w.Uint(uint64(c.links))
	w.Uint(uint64(len(c.pages)))
	for o, n := range c.pages {
		w.Byte(byte(o))
		w.Uint(uint64(n))
	}
	var b bytes.Buffer
	if err := errors.Join(Seal(&b, w), c.f.Snapshot(&b)); err != nil {
		t.Fatal(err)
	}
	return snapshot{place, b.Bytes()}
}

// restored makes a crawl from a snapshot.
func (s snapshot) restored(t *rapid.T, j *Journal) (*toyCrawl, uint64) {
	in := bytes.NewReader(s.data)
	r, err := ReadPart(in)
	if err != nil {
		t.Fatal(err)
	}
	c := newToyCrawl(j)
	place := r.Uint()
	c.links = int(r.Uint())
	for range r.Items(2) {
		c.pages[dowse.Outcome(r.Byte())] = int(r.Uint())
	}
	if c.f, err = frontier.Load(in, frontier.Config{Names: j, Key: 42}); err != nil || r.Err != nil {
		t.Fatal(err, r.Err)
	}
	return c, place
}

// crawlOn visits a URL that waits and records what was found, as a crawl does: new URLs get
// their numbers, and their strings a place in the journal, before the entry is recorded.
func (c *toyCrawl) crawlOn(t *rapid.T, j *Journal) {
	waiting := c.f.Top(1)
	if len(waiting) == 0 {
		u := dowse.URL(fmt.Sprintf("http://seed%d.test/", c.f.Len()))
		e := &Entry{Kind: EntryStart, Seeds: []dowse.URL{u}}
		c.apply(e)
		j.Record(e)
		return
	}
	e := &Entry{Kind: EntryPage, ID: waiting[0], Page: &dowse.Page{Outcome: dowse.Outcome(rapid.IntRange(0, 3).Draw(t, "outcome"))}}
	e.Page.Verdict.Relevance = rapid.Float64Range(0, 1).Draw(t, "relevance")
	e.SetPlace(j.End())
	for range rapid.IntRange(0, 4).Draw(t, "links") {
		n := rapid.IntRange(0, 60).Draw(t, "to")
		u := dowse.URL(fmt.Sprintf("http://h%d.test/%d", n%5, n))
		d := Decision{ID: c.see(u), Priority: rapid.Float64Range(0, 1).Draw(t, "priority")}
		d.Target, d.Offered = d.ID, d.Priority
		if rapid.IntRange(0, 4).Draw(t, "left out") == 0 {
			d.Reason = dowse.SkipScopeHost
		}
		e.Found, e.Links = append(e.Found, dowse.Link{URL: u}), append(e.Links, d)
	}
	c.apply(e)
	if got := j.Record(e); got != e.Place() {
		t.Fatalf("recorded at %d, want %d", got, e.Place())
	}
}

// fold rebuilds a crawl from the journal, from a place on.
func (c *toyCrawl) fold(t *rapid.T, j *Journal, from uint64) {
	r := j.Replay(c.f.Len(), false, c.f.URL)
	defer r.Close()
	var end uint64
	for e, err := range r.Entries(from, &end) {
		if err != nil {
			t.Fatal(err)
		}
		c.apply(e)
	}
	if r.Err() != nil || end != j.End() {
		t.Fatalf("folded up to %d of %d: %v", end, j.End(), r.Err())
	}
}

// TestFoldEqualsCrawl rebuilds a crawl from its journal, and from a snapshot and the
// entries after it. All three have the same state, to the places of strings, and the counts
// of the states add up.
func TestFoldEqualsCrawl(t *testing.T) {
	withoutSyncs(t)
	base, n := t.TempDir(), 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		dir := filepath.Join(base, fmt.Sprint(n))
		check(t, os.Mkdir(dir, 0o755))
		j, err := Open(dir, nil, false)
		check(t, err)
		c := newToyCrawl(j)
		snap := c.snapshot(rt, 0)
		for range rapid.IntRange(1, 40).Draw(rt, "visits") {
			c.crawlOn(rt, j)
			if rapid.IntRange(0, 9).Draw(rt, "snapshot") == 0 {
				snap = c.snapshot(rt, j.End())
			}
		}
		want := c.state()
		check(t, errors.Join(j.Sync(), j.Close()))
		if j, err = Open(dir, nil, true); err != nil {
			rt.Fatal(err)
		}
		defer j.Close()
		folded := newToyCrawl(j)
		folded.fold(rt, j, 0)
		loaded, place := snap.restored(rt, j)
		loaded.fold(rt, j, place)
		for what, x := range map[string]*toyCrawl{"the journal": folded, "a snapshot and the journal after it": loaded} {
			if err := x.balanced(); err != nil {
				rt.Fatal(what, err)
			}
			if got := x.state(); got != want {
				rt.Fatalf("rebuilt from %s:\n%s\nwant\n%s", what, got, want)
			}
		}
	})
}

// toyJournal writes a journal of seeds and pages, and returns the crawl.
func toyJournal(t *testing.T, dir string) (*Journal, *toyCrawl) {
	t.Helper()
	j := openTo(t, dir, false)
	c := newToyCrawl(j)
	record := func(e *Entry) {
		e.SetPlace(j.End())
		c.apply(e)
		j.Record(e)
	}
	record(&Entry{Kind: EntryStart, Seeds: []dowse.URL{"http://a.test/", "http://b.test/"}})
	for i := range 6 {
		u := dowse.URL(fmt.Sprintf("http://a.test/%d", i))
		id := c.see(u)
		record(&Entry{Kind: EntryPage, ID: frontier.ID(i), Page: &dowse.Page{}, Found: []dowse.Link{{URL: u}}, Links: []Decision{{ID: id, Target: id}}})
	}
	check(t, j.Sync())
	return j, c
}

// TestReplayOfAnotherCrawl replays a journal into a crawl that sees other URLs than were
// recorded: the mistake is reported, and no further entry comes.
func TestReplayOfAnotherCrawl(t *testing.T) {
	j, _ := toyJournal(t, t.TempDir())
	c := newToyCrawl(j)
	r := j.Replay(0, false, c.f.URL)
	defer r.Close()
	var end uint64
	n := 0
	for e, err := range r.Entries(0, &end) {
		check(t, err)
		if n++; n == 3 {
			c.see("http://elsewhere.test/")
		}
		c.apply(e)
	}
	if n != 3 || r.Err() == nil || !strings.Contains(r.Err().Error(), "elsewhere.test") {
		t.Errorf("%d entries, then %v", n, r.Err())
	}
}

// TestOpenReplay replays a journal into a crawl that sees more URLs than were recorded,
// which are new ones if the replay is open: they follow in the next entry.
func TestOpenReplay(t *testing.T) {
	dir := t.TempDir()
	j, old := toyJournal(t, dir)
	known := old.f.Len()
	c := newToyCrawl(j)
	r := j.Replay(0, false, c.f.URL)
	var end uint64
	for e, err := range r.Entries(0, &end) {
		check(t, err)
		c.apply(e)
	}
	if r.IsOpen() {
		t.Error("it is open")
	}
	r.SetOpen(true)
	id := c.see("http://new.test/")
	if err := r.Err(); err != nil || int(id) != known || !r.IsOpen() {
		t.Errorf("a new URL has number %d, want %d: %v", id, known, err)
	}
	r.Close()
	j.Record(&Entry{Kind: EntryAgain})
	check(t, j.Sync())
	names, err := openTo(t, dir, true).Names()
	if err != nil || len(names) != known+1 || j.At(names[known]) != "http://new.test/" {
		t.Errorf("%d names, want %d: %v", len(names), known+1, err)
	}
}

// TestReplayAgain brings up all strings first and then yields the entries up to a place.
func TestReplayAgain(t *testing.T) {
	j, old := toyJournal(t, t.TempDir())
	var places []uint64
	for e, err := range j.Scan(0, nil) {
		check(t, err)
		places = append(places, e.Place())
	}
	until := places[4]
	c := newToyCrawl(j)
	r := j.Replay(0, true, c.f.URL)
	defer r.Close()
	var seen []dowse.URL
	for u, err := range r.Names(until) {
		check(t, err)
		seen = append(seen, u)
		c.see(u)
	}
	var want []dowse.URL
	for id := range frontier.ID(len(seen)) {
		want = append(want, old.f.URL(id))
	}
	if len(seen) != 5 || !slices.Equal(seen, want) {
		t.Errorf("strings up to entry 4 are %q, want %q", seen, want)
	}
	n := 0
	for e, err := range r.Again(until) {
		check(t, err)
		if e.Place() != places[n] || e.Kind == EntryPage && e.Found[0].URL != old.f.URL(e.Links[0].ID) {
			t.Errorf("entry %d: %+v", n, e)
		}
		n++
	}
	if n != 4 {
		t.Errorf("%d entries before the place, want 4", n)
	}
}

// TestNamesThatAreNotBroughtUp yields strings to a caller that does not bring them up.
func TestNamesThatAreNotBroughtUp(t *testing.T) {
	j, c := toyJournal(t, t.TempDir())
	r := j.Replay(0, true, c.f.URL)
	defer r.Close()
	var errs []error
	for _, err := range r.Names(j.End()) {
		errs = append(errs, err)
	}
	if len(errs) != 2 || errs[0] != nil || errs[1] == nil {
		t.Errorf("%v", errs)
	}
}
