package judge

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"dowse"
)

// A reason is what a term contributed.
type reason struct {
	term   int32
	weight float64
}

// less orders reasons by what they weigh, either way; of equal ones the first term
// is the weightier.
func (a reason) less(b reason) bool {
	x, y := math.Abs(a.weight), math.Abs(b.weight)
	return x < y || x == y && a.term > b.term
}

// reasons collects what the terms of a page contributed. It names the weightiest
// and sums up the others, in one pass over any number of them.
type reasons struct {
	top  []reason // a heap, the lightest first
	rest float64
	more int // terms in rest
}

func (r *reasons) reset() { *r = reasons{top: r.top[:0]} }

// add takes in a term. One that weighs nothing is none.
func (r *reasons) add(term int32, weight float64) {
	if weight == 0 {
		return
	}
	next := reason{term, weight}
	if len(r.top) < maxReasons {
		r.top = append(r.top, next)
		r.up(len(r.top) - 1)
		return
	}
	r.more++
	if next.less(r.top[0]) {
		r.rest += weight
		return
	}
	r.rest += r.top[0].weight
	r.top[0] = next
	r.down(0)
}

func (r *reasons) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !r.top[i].less(r.top[parent]) {
			return
		}
		r.top[i], r.top[parent] = r.top[parent], r.top[i]
		i = parent
	}
}

func (r *reasons) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(r.top) {
			return
		}
		if child+1 < len(r.top) && r.top[child+1].less(r.top[child]) {
			child++
		}
		if !r.top[child].less(r.top[i]) {
			return
		}
		r.top[i], r.top[child] = r.top[child], r.top[i]
		i = child
	}
}

// told returns the reasons, the weightiest first, then the others as one.
func (r *reasons) told(name func(int32) string, counts []tally) []dowse.Because {
	slices.SortFunc(r.top, func(a, b reason) int {
		return cmp.Or(cmp.Compare(math.Abs(b.weight), math.Abs(a.weight)), cmp.Compare(a.term, b.term))
	})
	list := make([]dowse.Because, 0, len(r.top)+3)
	for _, x := range r.top {
		n := counts[x.term]
		list = append(list, dowse.Because{What: name(x.term), Weight: x.weight, Count: int(n.body + n.head)})
	}
	if r.more > 0 {
		list = append(list, dowse.Because{What: fmt.Sprintf("%d other terms", r.more), Weight: r.rest})
	}
	if len(list) == 0 {
		list = append(list, dowse.Because{What: "none of the judge's terms"})
	}
	return list
}

// forget drops what was not weighty enough to be named, where sums mean nothing.
func (r *reasons) forget() { r.rest, r.more = 0, 0 }

// SummedUp reports whether a reason stands for many that were not told by name.
func SummedUp(b dowse.Because) bool {
	var n int
	var kind string
	if _, err := fmt.Sscanf(b.What, "%d other %s", &n, &kind); err != nil {
		return false
	}
	return kind == "terms" || kind == "signs"
}
