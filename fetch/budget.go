package fetch

import (
	"cmp"
	"context"
	"slices"
	"sync"
)

// A Budget bounds the bytes that all visits together have in memory: bodies, what
// is made of them, and what waits to be written. Visits take from it as bytes
// arrive, through a [Claim] each.
//
// Three rules keep it from getting in the way. A claim gets its first claimFree
// bytes immediately, so small pages never wait. The oldest of the claims that wait is
// served first, so that what becomes free lets visits end in place of going on a
// little with each. And when the budget is used up, one claim at a time may go beyond
// it, so there is always a visit that can go on to its end and then give back what it
// holds: visits cannot wait for each other for ever.
//
// A nil Budget has no bound.
type Budget struct {
	mu      sync.Mutex
	size    int64
	used    int64
	beyond  *Claim   // the claim that may exceed the budget, nil for none
	waiting []*Claim // oldest first
	claims  uint64   // that were made so far
}

// NewBudget returns a budget of size bytes.
func NewBudget(size int64) *Budget { return &Budget{size: size} }

// claimFree is how many bytes a claim gets without waiting: the cost of a page of
// 128 KiB, which most pages of the web stay below.
const claimFree = bodyWeight * 128 << 10

// bodyWeight is how many bytes of memory one byte of a body costs at the most
// expensive moment of a visit: the body as it came, the same decoded or in UTF-8,
// and the compressed record or the text and links that were extracted.
const bodyWeight = 3

// A Claim is the part of a budget that one visit holds. Its methods may be called
// on nil; Grow must not be called concurrently.
type Claim struct {
	budget  *Budget
	number  uint64 // in order of age
	held    int64
	want    int64         // while it waits
	granted chan struct{} // closed when want is granted
}

// Claim returns a claim that holds nothing yet.
func (b *Budget) Claim() *Claim {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.claims++
	return &Claim{budget: b, number: b.claims}
}

// Grow takes n more bytes. If they are not free it waits for them, after calling
// pause; it returns the error of ctx if that ends first.
func (c *Claim) Grow(ctx context.Context, n int64, pause func()) error {
	if c == nil || c.take(n) {
		return nil
	}
	pause()
	select {
	case <-c.granted:
		return nil
	case <-ctx.Done():
		c.leave()
		return ctx.Err()
	}
}

// take takes n bytes if that is possible now, or else joins the queue.
func (c *Claim) take(n int64) bool {
	b := c.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	if c.held+n <= claimFree || len(b.waiting) == 0 && b.fits(c, n) || b.beyond == c {
		b.grant(c, n)
		return true
	}
	c.want, c.granted = n, make(chan struct{})
	at, _ := slices.BinarySearchFunc(b.waiting, c, func(x, y *Claim) int { return cmp.Compare(x.number, y.number) })
	b.waiting = slices.Insert(b.waiting, at, c)
	b.serve()
	select {
	case <-c.granted:
		return true
	default:
		return false
	}
}

// fits reports whether c may take n bytes. If they are not free, it lets c be the
// one claim beyond the budget, unless there is one.
func (b *Budget) fits(c *Claim, n int64) bool {
	if b.used+n <= b.size {
		return true
	}
	if b.beyond == nil {
		b.beyond = c
	}
	return b.beyond == c
}

func (b *Budget) grant(c *Claim, n int64) {
	b.used += n
	c.held += n
}

// serve grants what the first claims in the queue wait for, as far as that goes.
func (b *Budget) serve() {
	for len(b.waiting) > 0 && b.fits(b.waiting[0], b.waiting[0].want) {
		c := b.waiting[0]
		b.waiting = slices.Delete(b.waiting, 0, 1)
		b.grant(c, c.want)
		close(c.granted)
	}
}

// leave takes c out of the queue.
func (c *Claim) leave() {
	b := c.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := slices.Index(b.waiting, c); i >= 0 {
		b.waiting = slices.Delete(b.waiting, i, i+1)
		b.serve()
	}
}

// Keep gives back all but n bytes. The claim must not grow afterwards.
func (c *Claim) Keep(n int64) {
	if c == nil {
		return
	}
	b := c.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	if n < c.held {
		b.used -= c.held - n
		c.held = n
	}
	if b.beyond == c {
		b.beyond = nil
	}
	b.serve()
}

// Release gives back all that the claim holds. It may be called more than once.
func (c *Claim) Release() { c.Keep(0) }

// Resize changes the size of the budget.
func (b *Budget) Resize(size int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.size = size
	b.serve()
}

// Used returns the bytes that are taken.
func (b *Budget) Used() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}
