package judge

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"dowse"
)

// A reason is the contribution of one term.
type reason struct {
	term   int32
	weight float64
}

// less orders reasons by magnitude; among equal ones a lower term number ranks higher.
// The order is total, so the named reasons do not depend on the order of insertion.
func (a reason) less(b reason) bool {
	x, y := math.Abs(a.weight), math.Abs(b.weight)
	return x < y || x == y && a.term > b.term
}

// reasons collects the contributions of the terms of a page. It keeps the maxReasons
// weightiest and sums up the others: memory is bounded and one pass over the terms
// suffices.
type reasons struct {
	top  []reason // heap with the lightest at the root
	rest float64
	more int // number of terms in rest
}

func (r *reasons) reset() { *r = reasons{top: r.top[:0]} }

// add records the contribution of a term. A term with weight 0 is not a reason.
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

// up restores the heap after entry i was appended.
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

// down restores the heap after entry i was replaced.
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

// list returns the reasons, the weightiest first, then the sum of all others as one.
// The list is never empty.
func (r *reasons) list(name func(int32) string, counts []tally) []dowse.Because {
	slices.SortFunc(r.top, func(a, b reason) int {
		return cmp.Or(cmp.Compare(math.Abs(b.weight), math.Abs(a.weight)), cmp.Compare(a.term, b.term))
	})
	list := make([]dowse.Because, 0, len(r.top)+3)
	for _, x := range r.top {
		n := counts[x.term]
		list = append(list, dowse.Because{What: name(x.term), Weight: x.weight, Count: int(n.body + n.head)})
	}
	if r.more > 0 {
		list = append(list, dowse.Because{What: strconv.Itoa(r.more) + " other terms", Weight: r.rest})
	}
	if len(list) == 0 {
		list = append(list, dowse.Because{What: "none of the judge's terms"})
	}
	return list
}

// forget discards the sum of the unnamed terms, for scales on which sums mean nothing.
func (r *reasons) forget() { r.rest, r.more = 0, 0 }

// SummedUp reports whether a reason is the sum of many that are not named.
func SummedUp(b dowse.Because) bool {
	var n int
	var kind string
	if _, err := fmt.Sscanf(b.What, "%d other %s", &n, &kind); err != nil {
		return false
	}
	return kind == "terms" || kind == "signs"
}
