package frontier

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dowse"
)

// TestEachURLOnce gives every URL one number, through all growth of the table.
func TestEachURLOnce(t *testing.T) {
	const n = 200_000
	f := New(Config{Key: 7})
	url := func(i int) dowse.URL { return dowse.URL(fmt.Sprintf("http://h%d.example/%d", i%97, i)) }
	for i := range n {
		host := fmt.Sprintf("h%d", i%97)
		if id, fresh := f.See(url(i), host); int(id) != i || !fresh {
			t.Fatalf("See(%d) = %v %v", i, id, fresh)
		}
	}
	for i := range n {
		id, fresh := f.See(url(i), "another")
		if int(id) != i || fresh || f.URL(id) != url(i) || f.HostName(f.Host(id)) != fmt.Sprintf("h%d", i%97) {
			t.Fatalf("See(%d) again = %v %v: %s at %s", i, id, fresh, f.URL(id), f.HostName(f.Host(id)))
		}
	}
	if id, ok := f.Find("http://unknown/"); ok || id != None {
		t.Errorf("Find = %v %v for a URL that was never seen", id, ok)
	}
	if f.Len() != n || f.Hosts() != 97 || f.Count(dowse.Unseen) != n {
		t.Errorf("%d URLs, %d hosts, %d unseen", f.Len(), f.Hosts(), f.Count(dowse.Unseen))
	}
}

// TestDeepHeaps drains one large host with priorities that change on the way.
func TestDeepHeaps(t *testing.T) {
	const n = 20_000
	dice := rand.New(rand.NewPCG(1, 2))
	f := New(Config{})
	for i := range n {
		id, _ := f.See(dowse.URL(fmt.Sprint(i)), "")
		f.SetPriority(id, dice.Float64(), dowse.Replace)
		f.Queue(id)
	}
	for range n {
		f.SetPriority(ID(dice.IntN(n)), dice.Float64()-0.5, dowse.Add)
	}
	want := make([]ID, n)
	for i := range want {
		want[i] = ID(i)
	}
	slices.SortStableFunc(want, func(a, b ID) int {
		return -int(math.Copysign(1, f.Priority(a)-f.Priority(b)))
	})
	if got := f.Top(n); !slices.Equal(got, want) {
		t.Fatal("Top is not the order of the priorities")
	}
	for i, id := range want {
		got, _, ok := f.Next(epoch)
		if !ok || got != id {
			t.Fatalf("pick %d is %v, want %v", i, got, id)
		}
		f.Release(f.Host(id), epoch, epoch)
	}
}

// TestExactPriorities keeps every bit of a priority as long as nothing is raised.
func TestExactPriorities(t *testing.T) {
	f := New(Config{})
	for i, p := range []float64{0.1, 1e-300, math.SmallestNonzeroFloat64, math.MaxFloat64, math.Inf(1), math.Inf(-1), -0.3} {
		id, _ := f.See(dowse.URL(fmt.Sprint(i)), "")
		f.SetPriority(id, p, dowse.Replace)
		f.Queue(id)
		waiting := f.Priority(id)
		f.Settle(id, dowse.Visited)
		if got := f.Priority(id); got != p || waiting != p {
			t.Errorf("%g became %g, then %g", p, waiting, got)
		}
	}
}

// TestRaiseWithoutEnd raises to infinity without losing the order to NaN.
func TestRaiseWithoutEnd(t *testing.T) {
	f := New(Config{})
	for i := range 3 {
		id, _ := f.See(dowse.URL(fmt.Sprint(i)), "")
		f.SetPriority(id, float64(i), dowse.Replace)
		f.Queue(id)
	}
	for range 3 {
		f.Raise(math.MaxFloat64, 0, false)
	}
	for _, by := range []float64{math.Inf(1), math.NaN()} {
		f.Raise(by, 0, false)
	}
	if got := f.Top(3); !slices.Equal(got, []ID{0, 1, 2}) || !math.IsInf(f.Priority(0), 1) {
		t.Errorf("Top = %v at %v, want first in, first out at infinity", got, f.Priority(0))
	}
}

// TestManyAtTheCap lets thousands of leads of many hosts, some in a lane, reach a
// cap together: their order turns from priority to first sighting.
func TestManyAtTheCap(t *testing.T) {
	const n = 5000
	dice := rand.New(rand.NewPCG(3, 4))
	f := New(Config{Revisits: true})
	for i := range n {
		host := fmt.Sprint("h", dice.IntN(300))
		id, _ := f.See(dowse.URL(fmt.Sprint(i)), host)
		f.SetPriority(id, dice.Float64(), dowse.Replace)
		if f.Queue(id); i%5 == 0 {
			f.Settle(id, dowse.Visited)
		}
	}
	for h := range HostID(50) {
		f.Lane(h, fmt.Sprint("lane", h%3))
	}
	for _, step := range []struct{ by, cap float64 }{{0.1, 2}, {0.5, 2}, {-0.25, 2}, {0.75, 1}, {9, 2.5}, {-0.5, 2}, {1, 0}, {0.25, 3}, {3, 3}} {
		f.Raise(step.by, step.cap, true)
		if err := f.sound(); err != nil {
			t.Fatalf("after a raise by %v up to %v: %v", step.by, step.cap, err)
		}
	}
	if got := f.Top(n); !slices.IsSorted(got) || f.Priority(got[0]) != 3 || f.Priority(got[len(got)-1]) != 3 {
		t.Error("those at the cap are not first in, first out")
	}
}

// TestGroupsForget does not gather members by moving between groups.
func TestGroupsForget(t *testing.T) {
	f := New(Config{})
	id, _ := f.See("http://a/", "a")
	stay, _ := f.See("http://b/", "b")
	f.SetGroup(stay, "x")
	f.Queue(id)
	for range 1000 {
		f.SetGroup(id, "x")
		f.SetGroup(id, "y")
	}
	x := f.groups.index["x"]
	if n := len(f.groups.members[x]); n > 16 {
		t.Errorf("a group of one has %d members", n)
	}
	if n := len(f.groups.texts); n > 3 {
		t.Errorf("two groups are kept as %d", n)
	}
	if got := f.Drop("y"); !slices.Equal(got, []ID{id}) {
		t.Errorf("Drop = %v, want %v", got, id)
	}
}

func TestSettleRefusesToQueue(t *testing.T) {
	f := New(Config{})
	id, _ := f.See("http://a/", "a")
	for _, s := range []dowse.State{dowse.Unseen, dowse.Waiting, dowse.Flying} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Settle took %v", s)
				}
			}()
			f.Settle(id, s)
		}()
	}
}

func TestArena(t *testing.T) {
	a := NewArena()
	urls := []dowse.URL{"", "x", dowse.URL(strings.Repeat("long", 100)), dowse.URL(strings.Repeat("huge", 1<<20)), "http://a/é"}
	for i := range 5000 {
		urls = append(urls, dowse.URL(fmt.Sprintf("http://host/%d", i)))
	}
	places := make([]uint64, len(urls))
	for i, u := range urls {
		places[i] = a.Add(u)
	}
	for i, u := range urls {
		if got := a.At(places[i]); got != u {
			t.Fatalf("At(%d) = %.40q, want %.40q", places[i], got, u)
		}
	}
	for _, place := range []uint64{1 << 31, 1 << 40, math.MaxUint64} {
		if got := a.At(place); got != "" {
			t.Errorf("At(%d) = %q, want nothing", place, got)
		}
	}
}

// TestNoAllocation makes sure that what is known is dealt with in place.
func TestNoAllocation(t *testing.T) {
	w := &madeWeb{hosts: 100, now: epoch}
	f := w.frontier(10_000)
	links := make([]madeLink, 100)
	for i := range links {
		links[i] = w.link(i * 7)
	}
	allocs := testing.AllocsPerRun(20, func() {
		for i := range links {
			w.upsert(f, &links[i])
		}
	})
	if allocs > 0 {
		t.Errorf("%v allocations for 100 known links", allocs)
	}
}

// TestLeaders checks the best lead of each host against sorting all leads.
func TestLeaders(t *testing.T) {
	f := New(Config{})
	var want []ID
	for i := range 40 {
		id, _ := f.See(dowse.URL(fmt.Sprintf("http://h%d/%d", i%7, i)), fmt.Sprintf("h%d", i%7))
		f.SetPriority(id, float64((i*37)%101), dowse.Replace)
		f.Queue(id)
	}
	seen := map[HostID]bool{}
	for _, id := range f.Top(40) {
		if h := f.Host(id); !seen[h] {
			seen[h] = true
			want = append(want, id)
		}
	}
	for n := range 9 {
		if got := f.Leaders(n); !slices.Equal(got, want[:min(n, 7)]) {
			t.Errorf("Leaders(%d) = %v, want %v", n, got, want[:min(n, 7)])
		}
	}
}
