package freshness

import (
	"math"
	"slices"
	"sync"
	"testing"
	"time"
)

// small is a web with what is possible on it, made once for all tests.
var small = sync.OnceValues(func() (*Web, Frontier) {
	w := New(Setup{Seed: 2001, Pages: 1000})
	f := Frontier{}
	for _, weight := range []float64{0, 0.5, 2, 4.5, 12, math.Inf(1)} {
		f.Points = append(f.Points, w.point(weight, false), w.point(weight, true))
	}
	f.edge = edgeOf(f.Points)
	return w, f
})

// Policies that plan ahead reach nearly the bound that no policy with known rates exceeds, so the frontier is not far from the best
// possible. That of a single web can be above its bound by chance, which is a bound of the mean.
func TestFrontierIsNearTheBound(t *testing.T) {
	_, f := small()
	for _, p := range f.Points {
		if p.Ahead && (p.Share < 0.96 || p.Share > 1.03) {
			t.Errorf("%v has %.3f of the bound, want 0.96 to 1.03", p, p.Share)
		}
	}
}

// No policy is above the frontier by more than chance, all make the same number of requests, and its ends are no worse than the best policies for one measure.
func TestNoPolicyIsAboveTheFrontier(t *testing.T) {
	w, f := small()
	check := func(name string, r Result) {
		if r.requests != f.Points[0].requests {
			t.Errorf("%s makes %d requests, want %d as the frontier", name, r.requests, f.Points[0].requests)
		}
		if found, fresh := r.Found/f.FoundAt(r.Fresh), r.Fresh/f.FreshAt(r.Found); found > 1.02 || fresh > 1.02 {
			t.Errorf("%s %+v has %.3f and %.3f of the possible", name, r, found, fresh)
		}
	}
	for _, p := range f.Points {
		check(p.String(), p.Result)
	}
	for _, name := range Policies() {
		r, err := w.Run(name)
		if err != nil {
			t.Fatal(err)
		}
		check(name, r)
	}
}

// Policies that know the rates choose as before if what comes later is another future.
func TestFrontierKnowsNoFuture(t *testing.T) {
	w, _ := small()
	const day = 30
	half := epoch.AddDate(0, 0, day)
	other := &Web{w.setup, w.until, slices.Clone(w.pages)}
	moved := 0
	for i := range other.pages {
		x := &other.pages[i]
		x.events = slices.Clone(x.events)
		k, _ := slices.BinarySearchFunc(x.events, half, time.Time.Compare)
		moved += len(x.events) - k
		if x.events = x.events[:k]; x.gone.After(half) {
			x.gone = half.Add(time.Hour)
			x.events = append(x.events, x.gone)
		}
	}
	if moved < 100 {
		t.Fatalf("only %d events are later", moved)
	}
	for name, of := range map[string]func(w *Web) func([]subject) policy{
		"steady": func(w *Web) func([]subject) policy { return w.steady(2) },
		"ahead":  func(w *Web) func([]subject) policy { return planAhead(w, 2).policy },
	} {
		a, b := choices(w, of(w), half), choices(other, of(other), half)
		if len(a) < 100 || !slices.Equal(a, b) {
			t.Errorf("%s: %d and %d choices in %d days, which differ", name, len(a), len(b), day)
		}
	}
}

// choices returns the pages that a policy chooses until a time.
func choices(w *Web, of func([]subject) policy, until time.Time) (list []uint32) {
	w.run(func(pages []subject) policy { return listening{of(pages), until, &list} })
	return list
}

// listening lists what a policy chooses.
type listening struct {
	policy
	until time.Time
	list  *[]uint32
}

func (p listening) choose(now time.Time, fits func(uint32) bool) (uint32, bool) {
	i, ok := p.policy.choose(now, fits)
	if now.Before(p.until) {
		*p.list = append(*p.list, i)
	}
	return i, ok
}

// The frontier joins the outer points by straight lines, and goes on level beyond its ends.
func TestEdge(t *testing.T) {
	at := func(fresh, found float64) Point { return Point{Result: Result{Fresh: fresh, Found: found}} }
	points := []Point{at(0.8, 0.2), at(0.4, 0.8), at(0.3, 0.7), at(0.5, 0.6), at(0.6, 0.7), at(0.7, 0.4), at(0.4, 0.5)}
	f := Frontier{points, edgeOf(points)}
	if want := []Result{{Fresh: 0.4, Found: 0.8}, {Fresh: 0.6, Found: 0.7}, {Fresh: 0.8, Found: 0.2}}; !slices.Equal(f.edge, want) {
		t.Fatalf("edge %v, want %v", f.edge, want)
	}
	for _, x := range []struct{ fresh, found, foundAt, freshAt float64 }{
		{0.1, 0.9, 0.8, 0.4}, {0.4, 0.8, 0.8, 0.4}, {0.5, 0.75, 0.75, 0.5}, {0.7, 0.45, 0.45, 0.7}, {0.8, 0.2, 0.2, 0.8}, {0.9, 0.1, 0.2, 0.8},
	} {
		if got := f.FoundAt(x.fresh); math.Abs(got-x.foundAt) > 1e-9 {
			t.Errorf("with %v up to date %v changes are possible, want %v", x.fresh, got, x.foundAt)
		}
		if got := f.FreshAt(x.found); math.Abs(got-x.freshAt) > 1e-9 {
			t.Errorf("with %v changes %v up to date is possible, want %v", x.found, got, x.freshAt)
		}
	}
}
