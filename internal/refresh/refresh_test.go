package refresh_test

import (
	"math"
	"testing"
	"time"

	"dowse"
	"dowse/internal/refresh"
)

const day = 24 * time.Hour

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// Evidence of one page is a prior for the others of its host and kind, and for no
// other host as much.
func TestPriorsByHostAndKind(t *testing.T) {
	p := refresh.New(refresh.Plan{Auto: true}, 0)
	for id := range uint32(40) {
		p.Add(id, id/20, refresh.Other, start, refresh.History{})
	}
	for n := range 10 {
		for id := range uint32(10) {
			p.Note(id, start.Add(time.Duration(n+1)*day), true, time.Time{})     // host 0 is lively
			p.Note(20+id, start.Add(time.Duration(n+1)*day), false, time.Time{}) // host 1 is not
		}
	}
	chance := func(want uint32) float64 {
		_, c, ok := p.Next(start.Add(12*day), func(id uint32) bool { return id == want })
		if !ok {
			t.Fatalf("page %d is not asked for", want)
		}
		return c
	}
	if a, b := chance(15), chance(35); a < 2.8*b {
		t.Errorf("a page of a lively host has changed with probability %.2f, one of a quiet host with %.2f", a, b)
	}
}

// A plan with an interval asks for what is due, the longest wait first, and for nothing else.
func TestEvery(t *testing.T) {
	p := refresh.New(refresh.Plan{Every: 7 * day}, refresh.Floor)
	for id := range uint32(5) {
		p.Add(id, 0, refresh.Other, start.Add(-time.Duration(id)*day), refresh.History{})
	}
	all := func(uint32) bool { return true }
	if p.Any(start.Add(2 * day)) {
		t.Error("a page is due after six days at most")
	}
	for _, want := range []uint32{4, 3} {
		id, _, ok := p.Next(start.Add(4*day+time.Hour), all)
		if !ok || id != want {
			t.Fatalf("page %d (%v), want %d", id, ok, want)
		}
		p.Note(id, start.Add(4*day+time.Hour), false, time.Time{})
	}
	if _, _, ok := p.Next(start.Add(4*day+time.Hour), all); ok {
		t.Error("a third page is due")
	}
}

// A page that rests or was dropped is not chosen; one that does not fit leaves the place to the next.
func TestWhatIsNotChosen(t *testing.T) {
	p := refresh.New(refresh.Plan{Every: day}, refresh.Floor)
	for id := range uint32(4) {
		p.Add(id, 0, refresh.Other, start.Add(-time.Duration(10-id)*day), refresh.History{})
	}
	p.Rest(0, start.Add(time.Hour))
	p.Drop(1)
	id, _, ok := p.Next(start, func(id uint32) bool { return id != 2 })
	if !ok || id != 3 || p.Len() != 3 {
		t.Errorf("page %d (%v) of %d, want 3", id, ok, p.Len())
	}
}

// An automatic plan asks for nothing that has hardly changed.
func TestFloor(t *testing.T) {
	p := refresh.New(refresh.Plan{Auto: true}, refresh.Floor)
	p.Add(1, 0, refresh.Other, start, refresh.History{Same: 400})
	p.Add(2, 0, refresh.Other, start, refresh.History{Changed: 20, Moved: 20})
	id, chance, ok := p.Next(start.Add(2*day), func(uint32) bool { return true })
	if !ok || id != 2 || chance < 0.5 {
		t.Errorf("page %d with %.2f (%v), want 2", id, chance, ok)
	}
	p.Note(2, start.Add(2*day), true, time.Time{})
	if p.Any(start.Add(2*day + time.Hour)) {
		t.Error("a page is asked for an hour later")
	}
}

// A page that is missing is asked again to see whether it is back, at a fixed rate, whatever it did before; when it
// is back, its history counts again.
func TestMissing(t *testing.T) {
	p := refresh.New(refresh.Plan{Auto: true}, refresh.Floor)
	p.Add(1, 0, refresh.Other, start, refresh.History{Changed: 50, Moved: 25})
	all := func(uint32) bool { return true }
	if _, chance, ok := p.Next(start.Add(2*day), all); !ok || chance < 0.9 {
		t.Fatalf("a lively page has changed with probability %.2f (%v)", chance, ok)
	}
	p.NoteMissing(1, start.Add(2*day))
	if p.Any(start.Add(4 * day)) {
		t.Error("a missing page is asked again after two days")
	}
	want := -math.Expm1(-refresh.ReturnRate * 6)
	if _, chance, ok := p.Next(start.Add(8*day), all); !ok || math.Abs(chance-want) > 1e-9 {
		t.Errorf("after six days it is back with probability %.3f (%v), want %.3f", chance, ok, want)
	}
	p.Note(1, start.Add(8*day), true, time.Time{})
	if _, chance, ok := p.Next(start.Add(10*day), all); !ok || chance < 0.9 {
		t.Errorf("a page that is back has changed with probability %.2f (%v)", chance, ok)
	}
}

// A plan that aims at changes prefers the page that has probably changed to one that would stay up to date for longer; one that aims at both
// does not.
func TestAims(t *testing.T) {
	choose := func(plan refresh.Plan) uint32 {
		p := refresh.New(plan, 0)
		p.Add(1, 0, refresh.Other, start.Add(-2*day), refresh.History{Changed: 60, Moved: 20})
		p.Add(2, 1, refresh.Other, start.Add(-9*day), refresh.History{Changed: 20, Moved: 100, Same: 40})
		p.Before(20, 100)
		id, _, _ := p.Next(start, func(uint32) bool { return true })
		return id
	}
	if got := choose(refresh.Plan{Changes: true}); got != 1 {
		t.Errorf("for changes page %d is asked", got)
	}
	if got := choose(refresh.Plan{Auto: true}); got != 2 {
		t.Errorf("for both aims page %d is asked", got)
	}
}

// The weight of pages that are up to date rises with the number of requests per page and day that were made: with few of them the page that has
// probably changed is asked first, with many the page that stays up to date for longer.
func TestWeightFollowsRequests(t *testing.T) {
	for want, perDay := range map[uint32]float64{1: 0.01, 2: 0.5} {
		p := refresh.New(refresh.Plan{Auto: true}, 0)
		p.Add(1, 0, refresh.Other, start.Add(-2*day), refresh.History{Changed: 60, Moved: 20})
		p.Add(2, 1, refresh.Other, start.Add(-9*day), refresh.History{Changed: 20, Moved: 100, Same: 40})
		p.Before(int(1000*perDay), 1000)
		if id, _, _ := p.Next(start, func(uint32) bool { return true }); id != want {
			t.Errorf("with %v requests per page and day page %d is asked, want %d", perDay, id, want)
		}
	}
}

// The worth of a page is between those for one measure alone: the fewer requests are made, the more it
// is that for changes found.
func TestWorthOfBoth(t *testing.T) {
	fast, slow := 2.0, 0.1
	age := func(rate float64) time.Duration { return time.Duration(1.5 / rate * float64(day)) }
	ratio := func(every float64) float64 {
		return refresh.Worth(slow, age(slow), every, refresh.BothWeight) / refresh.Worth(fast, age(fast), every, refresh.BothWeight)
	}
	if r := ratio(1e9); math.Abs(r-1) > 1e-6 {
		t.Errorf("with few requests the slow one is worth %v times the fast one, want 1", r)
	}
	if r := ratio(0.01); r < 15 || r > fast/slow {
		t.Errorf("with many requests the slow one is worth %v times the fast one, want nearly %v", r, fast/slow)
	}
}

// For one measure alone, the order is that of its own index: of two pages that changed with the
// same probability, freshness prefers the slow one, changes found neither.
func TestWorth(t *testing.T) {
	fast, slow := 2.0, 0.1
	age := func(rate float64) time.Duration { return time.Duration(1.5 / rate * float64(day)) }
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }
	if a, b := refresh.Worth(fast, age(fast), 1, 0), refresh.Worth(slow, age(slow), 1, 0); !near(a, b) {
		t.Errorf("changes found: %v and %v, want the same", a, b)
	}
	if a, b := refresh.Worth(fast, age(fast), 1, math.Inf(1)), refresh.Worth(slow, age(slow), 1, math.Inf(1)); !near(b/a, fast/slow) {
		t.Errorf("freshness: %v and %v, want the slow page to be worth %v times as much", a, b, fast/slow)
	}
}

func TestKindOf(t *testing.T) {
	for u, want := range map[dowse.URL]refresh.Kind{
		"http://a.test/": refresh.Home, "http://a.test/news/": refresh.Folder, "http://a.test/links": refresh.Folder,
		"http://a.test/?id=3": refresh.Query, "http://a.test/2024/05/reef.html": refresh.Dated,
		"http://a.test/2024/99/reef": refresh.Other, "http://a.test/reef.html": refresh.Other, "http://a.test/x/y": refresh.Other,
	} {
		if got := refresh.KindOf(u); got != want {
			t.Errorf("%s: kind %d, want %d", u, got, want)
		}
	}
}

// The date of its first version shows how often a page changes before it is asked for the first time. A date that is the time of the
// request shows nothing, and after a change without a date, or with an earlier one, no date counts any more.
func TestDates(t *testing.T) {
	p := refresh.New(refresh.Plan{Auto: true}, 0)
	for id, quiet := range []time.Duration{2 * time.Hour, 300 * day, 10 * time.Second, 0, 300 * day} {
		p.Add(uint32(id), uint32(id), refresh.Other, start, refresh.History{})
		p.Date(uint32(id), quiet)
	}
	chance := func(want uint32, at time.Time) float64 {
		t.Helper()
		_, c, ok := p.Next(at, func(id uint32) bool { return id == want })
		if !ok {
			t.Fatalf("page %d is not asked for", want)
		}
		return c
	}
	at := start.Add(10 * day)
	if lively, quiet := chance(0, at), chance(1, at); lively < 2*quiet {
		t.Errorf("a page that had changed before two hours has changed with probability %.2f, one that had not for 300 days with %.2f", lively, quiet)
	}
	if a, b := chance(2, at), chance(3, at); a != b {
		t.Errorf("a page with the date of the request has changed with probability %.3f, one without a date with %.3f", a, b)
	}
	p.Note(1, at, true, start.Add(2*day))    // a change after 302 days, eight days ago
	p.Note(4, at, true, start.Add(-300*day)) // the date did not change
	at = at.Add(10 * day)
	if dated, without := chance(1, at), chance(4, at); without < 1.2*dated {
		t.Errorf("a page with true dates has changed with probability %.2f, one with a false date with %.2f", dated, without)
	}
}

// How often missing pages come back is learnt: where they do, one is asked before a page that hardly changes, and where they do
// not, after it. It is due after five days all the same, so that a person learns that it is gone.
func TestMissingPagesComeBackOrNot(t *testing.T) {
	for _, isBack := range []bool{false, true} {
		p := refresh.New(refresh.Plan{Auto: true}, refresh.Floor)
		p.Add(1, 0, refresh.Other, start, refresh.History{})
		p.NoteMissing(1, start)
		p.Add(2, 1, refresh.Other, start, refresh.History{Changed: 2, Moved: 60, Same: 60})
		for id := uint32(3); id < 33; id++ {
			p.Add(id, 2, refresh.Other, start.Add(-20*day), refresh.History{})
			p.NoteMissing(id, start.Add(-10*day))
			if isBack {
				p.Note(id, start, true, time.Time{})
			} else {
				p.NoteMissing(id, start)
			}
			p.Drop(id)
		}
		p.Before(20, 200)
		want := map[bool]uint32{false: 2, true: 1}[isBack]
		if id, _, ok := p.Next(start.Add(20*day), func(uint32) bool { return true }); !ok || id != want {
			t.Errorf("pages come back (%v): page %d is asked (%v), want %d", isBack, id, ok, want)
		}
		if _, _, ok := p.Next(start.Add(6*day), func(id uint32) bool { return id == 1 }); !ok {
			t.Errorf("pages come back (%v): a missing page is not asked after six days", isBack)
		}
	}
}
