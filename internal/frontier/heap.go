package frontier

// An order compares two elements of a heap, and is notified of the position of
// each element, so that an element can be found and moved later.
type order[T any] interface {
	before(a, b T) bool
	moved(x T, at int)
}

// fan is the number of children per node. Four make a heap half as high as two,
// and most leads stay near the bottom, where only the height counts.
const fan = 4

// push adds x and returns its position.
func push[T any, O order[T]](o O, h *[]T, x T) int {
	*h = append(withRoom(*h), x)
	last := len(*h) - 1
	o.moved(x, last)
	return rise(o, *h, last, x)
}

// withRoom grows a full heap by an eighth. append would double it, and the heaps
// of hosts are a large part of a frontier's memory.
func withRoom[T any](h []T) []T {
	if len(h) < cap(h) {
		return h
	}
	return append(make([]T, 0, len(h)+len(h)/8+4), h...)
}

// remove removes the i-th element. A heap that is mostly empty is moved to a
// smaller slice.
func remove[T any, O order[T]](o O, h *[]T, i int) {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	if i < last {
		(*h)[i] = x
		o.moved(x, i)
		fix(o, *h, i)
	}
	if c := cap(*h); c > 64 && last < c/4 {
		*h = append(make([]T, 0, c/2), *h...)
	}
}

// fix moves the i-th element, whose rank may have changed, to its place.
func fix[T any, O order[T]](o O, h []T, i int) {
	if rise(o, h, i, h[i]) == i {
		sink(o, h, i)
	}
}

// shift is fix for an element x at i that is known to have become better, or
// worse. It returns the new position.
func shift[T any, O order[T]](o O, h []T, i int, x T, better bool) int {
	if better {
		return rise(o, h, i, x)
	}
	return sink(o, h, i)
}

// rise moves the i-th element x up to its place. x is passed because most
// elements stay, and then the heap itself, which is large and not in the CPU
// cache, need not be read at i.
func rise[T any, O order[T]](o O, h []T, i int, x T) int {
	from := i
	for i > 0 {
		up := (i - 1) / fan
		if !o.before(x, h[up]) {
			break
		}
		h[i] = h[up]
		o.moved(h[i], i)
		i = up
	}
	if i != from {
		h[i] = x
		o.moved(x, i)
	}
	return i
}

// sink moves the i-th element down to its place and returns the new position.
func sink[T any, O order[T]](o O, h []T, i int) int {
	x := h[i]
	for {
		first := fan*i + 1
		if first >= len(h) {
			break
		}
		best := first
		for c := first + 1; c < min(first+fan, len(h)); c++ {
			if o.before(h[c], h[best]) {
				best = c
			}
		}
		if !o.before(h[best], x) {
			break
		}
		h[i] = h[best]
		o.moved(h[i], i)
		i = best
	}
	h[i] = x
	o.moved(x, i)
	return i
}

// heapify makes a heap of elements in any order, in linear time.
func heapify[T any, O order[T]](o O, h []T) {
	for i, x := range h {
		o.moved(x, i)
	}
	for i := (len(h) - 2) / fan; i >= 0 && len(h) > 1; i-- {
		sink(o, h, i)
	}
}
