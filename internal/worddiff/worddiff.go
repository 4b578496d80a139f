// Package worddiff finds which words were added to a text and which were removed.
//
// The one idea: two versions of a page mostly have the same words, so the shortest edit between
// them is found in time that grows with the difference and not with the texts (Myers 1986).
// The package is pure.
package worddiff

import "strings"

// A Run is a number of words in a row that both texts have, or only one of them.
type Run struct {
	Op    Op
	Words []string
}

// Op is what happened to the words of a run.
type Op int8

// The operations.
const (
	Same    Op = 0
	Removed Op = -1
	Added   Op = 1
)

// maxEdits bounds the number of words that are added and removed, since time and memory grow with its
// square. Texts that differ more have little in common.
const maxEdits = 1000

// Of returns the runs that lead from one text to another. Words are what white space separates.
func Of(old, new string) []Run {
	a, b := strings.Fields(old), strings.Fields(new)
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var runs []Run
	add := func(op Op, words []string) {
		switch n := len(runs) - 1; {
		case len(words) == 0:
		case n >= 0 && runs[n].Op == op:
			runs[n].Words = append(runs[n].Words, words...)
		default:
			runs = append(runs, Run{op, append([]string(nil), words...)})
		}
	}
	add(Same, a[:head])
	middle(a[head:len(a)-tail], b[head:len(b)-tail], add)
	add(Same, a[len(a)-tail:])
	return runs
}

// middle adds the runs between two texts that begin and end with different words.
func middle(a, b []string, add func(Op, []string)) {
	trace, ok := search(a, b)
	if !ok {
		add(Removed, a)
		add(Added, b)
		return
	}
	type step struct {
		op   Op
		word string
	}
	var back []step
	x, y := len(a), len(b)
	for d := len(trace) - 1; d >= 0; d-- {
		k := x - y
		before := k - 1
		if k == -d || k != d && at(trace[d], d, k-1) < at(trace[d], d, k+1) {
			before = k + 1
		}
		from := at(trace[d], d, before)
		for x > from && y > from-before && x > 0 && y > 0 && a[x-1] == b[y-1] {
			x, y = x-1, y-1
			back = append(back, step{Same, a[x]})
		}
		switch {
		case d == 0:
		case x == from: // a word was added
			y--
			back = append(back, step{Added, b[y]})
		default:
			x--
			back = append(back, step{Removed, a[x]})
		}
	}
	for i := len(back) - 1; i >= 0; i-- {
		add(back[i].op, []string{back[i].word})
	}
}

// search returns, for each number of edits, how far each diagonal came before it, until the ends of both
// texts are reached. It is not ok if that takes more than maxEdits.
func search(a, b []string) (trace [][]int32, ok bool) {
	most := min(len(a)+len(b), maxEdits)
	mid := most + 1
	furthest := make([]int32, 2*mid+1) // by diagonal
	for d := 0; d <= most; d++ {
		trace = append(trace, append([]int32(nil), furthest[mid-d-1:mid+d+2]...))
		for k := -d; k <= d; k += 2 {
			x := furthest[mid+k-1] + 1
			if k == -d || k != d && furthest[mid+k-1] < furthest[mid+k+1] {
				x = furthest[mid+k+1]
			}
			for int(x) < len(a) && int(x)-k < len(b) && a[x] == b[int(x)-k] {
				x++
			}
			furthest[mid+k] = x
			if int(x) >= len(a) && int(x)-k >= len(b) {
				return trace, true
			}
		}
	}
	return nil, false
}

// at returns how far a diagonal came before d edits.
func at(row []int32, d, k int) int { return int(row[k+d+1]) }
