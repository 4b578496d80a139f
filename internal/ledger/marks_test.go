package ledger

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"dowse"
	"dowse/internal/frontier"
)

// A history is a journal of visits, rulings on them and takedowns, with what a reader must
// find in it.
type history struct {
	j      *Journal
	visits []visitOf
	models int
	part   []uint64 // rulings of the model that is being written
	shown  []Ruling
	state  []expected // after each entry
}

type visitOf struct {
	place   uint64
	verdict dowse.Verdict
	links   []dowse.Link
	rulings []ModelRuling
}

// An expected is what the marks before a place are.
type expected struct {
	next  uint64 // the end of the last entry
	marks Marks
}

func (h *history) last() expected {
	if len(h.state) == 0 {
		return expected{marks: Marks{Gone: map[frontier.ID]*Entry{}}}
	}
	return h.state[len(h.state)-1]
}

// record appends an entry; change makes of the marks before it those after it.
func (h *history) record(e *Entry, change func(m *Marks, end uint64)) uint64 {
	place := h.j.Record(e)
	now := expected{h.j.End(), h.last().marks}
	now.marks.Parts = slices.Clone(now.marks.Parts)
	if change != nil {
		change(&now.marks, now.next)
	}
	h.state = append(h.state, now)
	return place
}

func (h *history) visit(t *rapid.T) {
	id := frontier.ID(len(h.visits))
	v := visitOf{verdict: drawVerdict(t)}
	l, d := drawLink(t)
	v.links = []dowse.Link{l}
	e := &Entry{Kind: EntryPage, ID: id, Page: &dowse.Page{Verdict: v.verdict}, Found: v.links, Links: []Decision{d}}
	v.place = h.record(e, nil)
	h.visits = append(h.visits, v)
}

// rule appends a part with rulings on some visits, in the order of their places.
func (h *history) rule(t *rapid.T) {
	var list []Ruling
	for i, v := range h.visits {
		if rapid.Bool().Draw(t, "is ruled on") {
			r := drawRuling(t)
			r.Place, r.ID = v.place, frontier.ID(i)
			list = append(list, r)
		}
	}
	h.part = append(h.part, h.record(&Entry{Kind: EntryModel, Model: h.model(), Rulings: list}, nil))
	h.shown = append(h.shown, list...)
}

func (h *history) model() string { return fmt.Sprintf("m%04d", h.models+1) }

// closeRulings appends the entry from which on the rulings hold.
func (h *history) closeRulings(t *rapid.T) {
	if len(h.part) == 0 {
		return
	}
	at := time.Unix(1+int64(len(h.state)), 0).UTC()
	h.record(&Entry{Kind: EntryModel, Model: h.model(), Parts: len(h.part), At: at}, func(m *Marks, end uint64) {
		m.End, m.Model, m.Open, m.At = end, h.model(), false, at
		m.Parts = append(m.Parts, h.part...)
	})
	for _, r := range h.shown {
		v := &h.visits[r.ID]
		v.rulings = append(v.rulings, ModelRuling{h.model(), r})
	}
	h.models++
	h.part, h.shown = nil, nil
}

func (h *history) forget(t *rapid.T) {
	at := time.Unix(1+int64(len(h.state)), 0).UTC()
	e := &Entry{ID: frontier.ID(1000 + len(h.state)), Text: "by request", At: at}
	h.j.RecordTombstone(e, 0)
	h.state = append(h.state, expected{h.j.End(), h.last().marks})
	m := &h.state[len(h.state)-1].marks
	m.End, m.Open, m.At = h.j.End(), true, at
}

func (h *history) again(t *rapid.T) {
	at := time.Unix(1+int64(len(h.state)), 0).UTC()
	h.record(&Entry{Kind: EntryAgain, At: at}, func(m *Marks, end uint64) { m.End, m.Open, m.At = end, false, at })
}

// TestMarks writes visits, rulings and takedowns in any order, and compares what a reader
// finds at every place: which rulings hold, which model ruled last, whether takedowns are
// open, and the verdicts on each visit.
func TestMarks(t *testing.T) {
	withoutSyncs(t)
	base, n := t.TempDir(), 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		dir := filepath.Join(base, fmt.Sprint(n))
		check(t, os.Mkdir(dir, 0o755))
		j, err := Open(dir, nil, false)
		check(t, err)
		defer j.Close()
		h := &history{j: j}
		rt.Repeat(map[string]func(*rapid.T){
			"visit": h.visit, "visit more": h.visit, "rule": h.rule, "close": h.closeRulings, "close more": h.closeRulings,
			"forget": h.forget, "again": h.again,
		})
		h.compare(rt)
	})
}

func (h *history) compare(t *rapid.T) {
	gone, err := h.j.Tombstones()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range h.state {
		m, err := h.j.Marks(want.next)
		if err != nil {
			t.Fatal(err)
		}
		if len(m.Gone) != len(gone) {
			t.Fatalf("after entry %d: %d tombstones, want all %d", i, len(m.Gone), len(gone))
		}
		later := slices.ContainsFunc(h.state[i+1:], func(x expected) bool { return x.marks.Open && x.marks.End == x.next })
		if m.Later != later {
			t.Fatalf("after entry %d: later tombstones: %v, want %v", i, m.Later, later)
		}
		m.Gone, m.Later, want.marks.Gone = nil, false, nil
		if diff := cmp.Diff(want.marks, m, sameEntry); diff != "" {
			t.Fatalf("after entry %d:\n%s", i, diff)
		}
		if got := h.j.RuledAfter(want.next); got != (want.marks.End != h.last().marks.End) {
			t.Fatalf("after entry %d: marks come later: %v", i, got)
		}
	}
	h.j.SetRulings(h.last().marks.Parts)
	for i := range h.visits {
		h.compareVisit(t, &h.visits[i])
	}
}

// compareVisit compares the verdicts on a visit with those that were given, oldest first.
func (h *history) compareVisit(t *rapid.T, v *visitOf) {
	list, err := h.j.RulingsOn(v.place)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(v.rulings, list, sameEntry); diff != "" {
		t.Fatalf("rulings on the visit at %d:\n%s", v.place, diff)
	}
	e, err := h.j.Entry(v.place, numberedURL)
	if err != nil {
		t.Fatal(err)
	}
	want, links := &dowse.Page{Verdict: v.verdict}, slices.Clone(v.links)
	links[0].More = slices.Clone(links[0].More)
	if n := len(v.rulings); n > 0 { // only the last one holds
		last := v.rulings[n-1]
		want.Verdict = last.Label.Verdict(last.Verdict)
		rate(links, last.Context, func(m *dowse.Mention, x float64) { m.Context = x })
		rate(links, last.Anchor, func(m *dowse.Mention, x float64) { m.AnchorScore = x })
	}
	if diff := cmp.Diff(want.Verdict, e.Page.Verdict, sameEntry); diff != "" {
		t.Fatalf("the verdict at %d:\n%s", v.place, diff)
	}
	if diff := cmp.Diff(links, e.Found, sameEntry); diff != "" {
		t.Fatalf("the links at %d:\n%s", v.place, diff)
	}
}

// rate sets ratings of the mentions of links, in order, as far as there are ratings.
func rate(links []dowse.Link, ratings []float64, set func(*dowse.Mention, float64)) {
	var mentions []*dowse.Mention
	for i := range links {
		mentions = append(mentions, &links[i].Mention)
		for k := range links[i].More {
			mentions = append(mentions, &links[i].More[k])
		}
	}
	for i, x := range ratings[:min(len(ratings), len(mentions))] {
		set(mentions[i], x)
	}
}

// TestRulingsThatAreMissing reads a journal in which the entry that closes rulings names
// more of them than there are.
func TestRulingsThatAreMissing(t *testing.T) {
	j := openTo(t, t.TempDir(), false)
	place := j.Record(&Entry{Kind: EntryRescore})
	j.Record(&Entry{Kind: EntryModel, Model: "m0001", Parts: 1})
	if _, err := j.Marks(j.End()); err == nil {
		t.Error("rulings that are missing were found")
	}
	j.SetRulings([]uint64{place})
	if _, err := j.RulingOn(place); err == nil {
		t.Error("an entry of another kind was read as rulings")
	}
	j.SetRulings(nil)
	if r, err := j.RulingOn(place); r != nil || err != nil {
		t.Errorf("without rulings: %v, %v", r, err)
	}
}

// TestManyParts reads rulings from more entries than are kept in memory.
func TestManyParts(t *testing.T) {
	j := openTo(t, t.TempDir(), false)
	var parts []uint64
	for i := range 3 * openParts {
		r := Ruling{Place: uint64(i), ID: frontier.ID(i), Verdict: dowse.Verdict{Relevance: float64(i)}}
		parts = append(parts, j.Record(&Entry{Kind: EntryModel, Rulings: []Ruling{r}}))
	}
	j.SetRulings(parts)
	for range 2 {
		for i := range parts {
			if r, err := j.RulingOn(uint64(i)); err != nil || r == nil || r.Verdict.Relevance != float64(i) {
				t.Fatalf("ruling %d: %+v, %v", i, r, err)
			}
		}
	}
	if n := len(j.rulings.open); n > openParts {
		t.Errorf("%d parts are kept in memory, want at most %d", n, openParts)
	}
}

// TestLabels lets a person's label take the place of a judge's verdict.
func TestLabels(t *testing.T) {
	own := dowse.Verdict{Relevance: 0.4, Scale: "log-odds", Judge: "words/1", Because: []dowse.Because{{What: "tide", Weight: 0.4}}}
	for label, want := range map[Label]dowse.Verdict{
		Unlabelled:  own,
		LabelledOn:  {Relevance: 1, Scale: "share", Judge: "words/1", Because: []dowse.Because{{What: "label on", Weight: 1}}},
		LabelledOff: {Scale: "share", Judge: "words/1", Because: []dowse.Because{{What: "label off"}}},
	} {
		got := label.Verdict(own)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("label %d:\n%s", label, diff)
		}
		sum := 0.0
		for _, b := range got.Because {
			sum += b.Weight
		}
		if got.Scale == "share" && sum != got.Relevance {
			t.Errorf("label %d: the reasons add up to %v, want %v", label, sum, got.Relevance)
		}
	}
}

// TestTombstoneOfUnknownURL gives a URL that the journal does not know a number, so that
// those of later URLs are still right.
func TestTombstoneOfUnknownURL(t *testing.T) {
	dir, _ := tenRecords(t)
	j := openTo(t, dir, false)
	j.RecordTombstone(&Entry{ID: frontier.None, Text: "by request"}, 10)
	place := j.Add(numberedURL(11))
	j.Record(&Entry{Kind: EntryIdle})
	check(t, j.Sync())
	var urls []dowse.URL
	check(t, j.EachName(func(_ frontier.ID, u dowse.URL) { urls = append(urls, u) }))
	if len(urls) != 12 || urls[9] != numberedURL(9) || urls[10] != "" || urls[11] != numberedURL(11) || j.At(place) != urls[11] {
		t.Errorf("URLs are %q", urls)
	}
	gone, err := j.Tombstones()
	if err != nil || len(gone) != 1 || gone[10] == nil || gone[10].Text != "by request" {
		t.Errorf("tombstones are %v: %v", gone, err)
	}
}

// TestTrim ends a journal as a fold would: after the last entry, and before the pages of a
// round of which more were to come.
func TestTrim(t *testing.T) {
	page := func(id frontier.ID) *Entry { return &Entry{Kind: EntryPage, ID: id, Page: &dowse.Page{}} }
	round := func(ids ...frontier.ID) *Entry { return &Entry{Kind: EntryRound, Round: ids} }
	for _, test := range []struct {
		name    string
		entries []*Entry
		left    int
	}{
		{"no rounds", []*Entry{page(1), page(2)}, 2},
		{"a whole round", []*Entry{round(1, 2), page(1), page(2)}, 3},
		{"a round without pages", []*Entry{page(1), round(2, 3)}, 2},
		{"part of a round", []*Entry{page(1), round(2, 3), page(3)}, 2},
		{"a round after a whole one", []*Entry{round(1, 2), page(2), page(1), round(3, 4), page(4), {Kind: EntryIdle}}, 4},
		{"an empty round", []*Entry{round(), page(1)}, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			j := openTo(t, dir, false)
			var ends []uint64
			for _, e := range test.entries {
				j.Record(e)
				ends = append(ends, j.End())
			}
			check(t, j.Sync())
			end := j.End()
			cut, err := j.Trim()
			if want := end - ends[test.left-1]; err != nil || cut != want {
				t.Errorf("%d bytes cut, want %d: %v", cut, want, err)
			}
			n := 0
			for _, err := range openTo(t, dir, true).Scan(0, nil) {
				check(t, err)
				n++
			}
			if n != test.left {
				t.Errorf("%d entries left, want %d", n, test.left)
			}
		})
	}
	dir, places := tenRecords(t)
	data, err := os.ReadFile(segmentPath(dir))
	check(t, err)
	data[len(journalMagic)+int(places[4])+recordHeader] ^= 1
	writeSegment(t, dir, data)
	if _, err := openTo(t, dir, false).Trim(); !errors.Is(err, ErrDamaged) {
		t.Errorf("sound entries behind damage were cut off: %v", err)
	}
}
