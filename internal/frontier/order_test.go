package frontier

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"dowse"
)

// TestOrders takes leads in an order that is not that of their priorities, whatever
// happens to these on the way. Bands come first all the same.
func TestOrders(t *testing.T) {
	for _, order := range []dowse.Order{dowse.FirstSeen, dowse.Shuffled} {
		f := New(Config{Order: order, HostConns: 1000})
		dice := rand.New(rand.NewPCG(3, 4))
		for i := range 500 {
			id, _ := f.See(dowse.URL(fmt.Sprint("http://x.test/", i)), fmt.Sprint(i%7))
			f.SetPriority(id, dice.Float64(), dowse.Add)
			f.SetBand(id, int8(i%2))
			f.Queue(id)
		}
		for range 1000 {
			f.SetPriority(ID(dice.IntN(500)), dice.Float64()-0.5, dowse.Add)
			f.Raise(0.01, 0, true)
		}
		top := f.Top(500)
		var got []ID
		for {
			id, _, ok := f.Next(time.Time{})
			if !ok {
				break
			}
			if f.LastRegret() != 0 {
				t.Fatalf("order %d: a regret of %v", order, f.LastRegret())
			}
			got = append(got, id)
		}
		if len(got) != 500 || !slices.Equal(got, top) {
			t.Fatalf("order %d: Next and Top differ", order)
		}
		if !slices.IsSortedFunc(got, func(a, b ID) int { return int(f.Band(a)) - int(f.Band(b)) }) {
			t.Errorf("order %d: bands are mixed", order)
		}
		sorted := slices.IsSorted(got[:250]) && slices.IsSorted(got[250:])
		if sorted != (order == dowse.FirstSeen) {
			t.Errorf("order %d: in the order of first sighting: %v", order, sorted)
		}
	}
}
