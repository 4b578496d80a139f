package frontier

// An order tells a heap which of two elements comes first, and is told where each
// element stands, so that it can be found there.
type order[T any] interface {
	before(a, b T) bool
	moved(x T, at int)
}

// fan is the number of children of a node: four make a heap half as high as two,
// and most leads stay near the bottom, where only the height costs.
const fan = 4

// push adds x and returns where it stands.
func push[T any, O order[T]](o O, h *[]T, x T) int {
	*h = append(roomy(*h), x)
	last := len(*h) - 1
	o.moved(x, last)
	return rise(o, *h, last, x)
}

// roomy makes room for one more by an eighth: append would double, and the queues
// of the hosts are a good part of a frontier's memory.
func roomy[T any](h []T) []T {
	if len(h) < cap(h) {
		return h
	}
	return append(make([]T, 0, len(h)+len(h)/8+4), h...)
}

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

// fix puts the i-th element, whose rank may have changed, where it belongs.
func fix[T any, O order[T]](o O, h []T, i int) {
	if rise(o, h, i, h[i]) == i {
		sink(o, h, i)
	}
}

// shift is fix for the i-th element x which is known to have become better, or
// worse. It returns where x stands then.
func shift[T any, O order[T]](o O, h []T, i int, x T, better bool) int {
	if better {
		return rise(o, h, i, x)
	}
	return sink(o, h, i)
}

// rise moves the i-th element x up to where it belongs. It is told x because most
// elements stay, and then their own place in a large heap need not be touched.
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

// heapify makes a heap of elements in any order.
func heapify[T any, O order[T]](o O, h []T) {
	for i, x := range h {
		o.moved(x, i)
	}
	for i := (len(h) - 2) / fan; i >= 0 && len(h) > 1; i-- {
		sink(o, h, i)
	}
}
