package fetch

import (
	"cmp"
	"context"
	"slices"
	"sync"
)

// A Budget bounds the bytes that all visits together hold in memory: bodies,
// what is made of them, and what waits to be written. Each visit takes bytes
// through its own [Claim] as they arrive.
//
// Three rules keep the budget from slowing down or blocking visits. A claim
// gets its first claimFree bytes immediately, so small pages never wait. The
// oldest waiting claim is served first, so that freed memory lets one visit end
// instead of letting many advance a little. And when the budget is used up, and no visit has reached its end and is about
// to free what it holds, one claim may exceed it: so visits cannot deadlock.
//
// A nil Budget has no bound. A Budget is safe for concurrent use.
type Budget struct {
	mu      sync.Mutex
	size    int64
	used    int64
	beyond  *Claim   // the claim that may exceed the budget, nil for none
	kept    int      // claims that hold bytes and do not grow any more: they are released without a further grant
	waiting []*Claim // oldest first
	claims  uint64   // number of claims made so far
}

// NewBudget returns a budget of size bytes.
func NewBudget(size int64) *Budget { return &Budget{size: size} }

// claimFree is how many bytes a claim gets without waiting: the cost of a page
// of 128 KiB, which most pages of the web stay below.
const claimFree = bodyWeight * 128 << 10

// bodyWeight is how many bytes of memory one byte of a body costs at the most
// expensive moment of a visit: the body as it came, the same decoded or in
// UTF-8, and the compressed record or the text and links that were extracted.
const bodyWeight = 3

// linkWeight is how many bytes of memory one link costs in addition, until its page is committed. The 60 bytes that it has in a
// body become some 220 when it is extracted, and the list that holds it is copied as it grows; as many again when
// the crawl copies the links that it keeps; and its part of the journal.
const linkWeight = 600

// A Claim is the part of a budget that one visit holds. Its methods may be
// called on nil, where they do nothing. Only one goroutine at a time may use a
// claim.
type Claim struct {
	budget  *Budget
	number  uint64 // sequence number: the lower, the older
	held    int64
	kept    bool          // it counts in Budget.kept
	want    int64         // bytes asked for, while the claim waits
	granted chan struct{} // closed when want is granted
}

// newClaim returns a claim that holds no bytes yet.
func (b *Budget) newClaim() *Claim {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.claims++
	return &Claim{budget: b, number: b.claims}
}

// grow takes n more bytes. If they are not free it calls pause and then waits
// for them; it returns the error of ctx if that ends first, and then holds no
// more than before.
func (c *Claim) grow(ctx context.Context, n int64, pause func()) error {
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

// take takes n bytes if that is possible now and reports whether it did;
// otherwise c is in the queue, in order of age, and c.granted will be closed.
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

// fits reports whether c may take n bytes. If they are not free, no claim
// exceeds the budget yet and none is about to be released, c becomes the claim that exceeds it. b.mu is held.
func (b *Budget) fits(c *Claim, n int64) bool {
	if b.used+n <= b.size {
		return true
	}
	if b.beyond == nil && b.kept == 0 {
		b.beyond = c
	}
	return b.beyond == c
}

// grant records that c holds n more bytes. b.mu is held.
func (b *Budget) grant(c *Claim, n int64) {
	b.used += n
	c.held += n
}

// serve grants the requests at the front of the queue, in order, until one does
// not fit. b.mu is held.
func (b *Budget) serve() {
	for len(b.waiting) > 0 && b.fits(b.waiting[0], b.waiting[0].want) {
		c := b.waiting[0]
		b.waiting = slices.Delete(b.waiting, 0, 1)
		b.grant(c, c.want)
		close(c.granted)
	}
}

// leave removes c from the queue and serves the claims that waited behind it.
func (c *Claim) leave() {
	b := c.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := slices.Index(b.waiting, c); i >= 0 {
		b.waiting = slices.Delete(b.waiting, i, i+1)
		b.serve()
	}
}

// Keep frees all but n bytes. The claim must not grow afterwards, because it no
// longer has the right to exceed the budget, and it must be released whether or not other claims are granted.
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
	if c.kept {
		b.kept--
	}
	if c.kept = c.held > 0; c.kept {
		b.kept++
	}
	if b.beyond == c {
		b.beyond = nil
	}
	b.serve()
}

// Release frees all bytes of the claim. It may be called more than once.
func (c *Claim) Release() { c.Keep(0) }

// Resize changes the size of the budget. Bytes already taken stay taken.
func (b *Budget) Resize(size int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.size = size
	b.serve()
}
