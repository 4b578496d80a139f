package cluster

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"dowse/internal/wire"
)

// A message is one message of the stream of arrivals on its way through the coordinator.
type message struct {
	seq  uint64
	left int // results of it that the crawl has not absorbed

	parts bool // it is the first part of a result that is not complete
}

// An inbox knows which messages of the stream of arrivals are absorbed as a whole. The lock of the
// coordinator guards it.
type inbox struct {
	mark    uint64     // all messages up to this sequence are absorbed, or refused
	open    []*message // that came later, in order
	pending int        // bytes of results that were delivered and are not committed
	parts   map[string]*partial
}

// settle counts one result of a message as absorbed.
func (b *inbox) settle(m *message) {
	if m != nil {
		m.left--
	}
}

// advance moves the mark over the messages that are absorbed and returns it.
func (b *inbox) advance() uint64 {
	for len(b.open) > 0 && b.open[0].left <= 0 {
		b.mark = b.open[0].seq
		b.open = b.open[1:]
	}
	return b.mark
}

// partial is a result that is larger than a message of the servers may be, as far as it has come.
type partial struct {
	data  []byte
	next  uint64
	first *message
	at    time.Time
}

// Absorbed notes that the crawl has absorbed a result. Mark is called by the same goroutine later.
func (co *Coordinator) Absorbed(x *Result) {
	co.mu.Lock()
	defer co.mu.Unlock()
	co.inbox.settle(x.from)
	x.from = nil
}

// Freed notes that the memory of a result is free.
func (co *Coordinator) Freed(x *Result) {
	co.mu.Lock()
	defer co.mu.Unlock()
	co.inbox.pending -= x.Size
}

// Mark returns the sequence up to which all arrivals are absorbed.
func (co *Coordinator) Mark() uint64 {
	co.mu.Lock()
	defer co.mu.Unlock()
	return co.inbox.advance()
}

// maxPending bounds the bytes of results that were delivered and are not committed yet.
const maxPending = 256 << 20

// consume reads the stream of arrivals in order, from the mark on, until ctx ends. An ordered
// consumer begins again after the last message that it has seen when servers go away; if it gives
// up, another one is made.
func (co *Coordinator) consume(ctx context.Context) {
	from := co.inbox.mark + 1
	for ctx.Err() == nil {
		from = co.consumeFrom(ctx, from)
		pause(ctx, 300*time.Millisecond)
	}
}

// consumeFrom reads messages until there is an error, and returns the sequence to go on with.
func (co *Coordinator) consumeFrom(ctx context.Context, from uint64) uint64 {
	co.c.read(ctx, co.c.arrivalStream(), from, func(seq uint64, data []byte) bool {
		if seq >= from {
			co.receive(seq, data)
			from = seq + 1
			co.awaitRoom(ctx)
		}
		return true
	})
	return from
}

// read calls handle for the messages of a stream in order, from a sequence on, until handle returns
// false, ctx ends or there is an error. An ordered consumer lives on one server and can be lost with it
// without an error here, so it is also ended if messages are there that do not come.
func (c *Conn) read(ctx context.Context, stream string, from uint64, handle func(seq uint64, data []byte) bool) {
	it, err := c.ordered(ctx, stream, from)
	if err != nil {
		return
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	// Stop may wait for servers that are away. Nor can it end Next: if the consumer is being replaced
	// meanwhile, Next waits at the new one for ever. So Next gets the context.
	defer func() { go it.Stop() }()
	var seen atomic.Uint64
	seen.Store(from - 1)
	go c.watchReader(ctx, stream, &seen, end)
	for {
		m, err := it.Next(jetstream.NextContext(ctx))
		if err != nil {
			return
		}
		meta, err := m.Metadata()
		if err != nil {
			continue
		}
		if !handle(meta.Sequence.Stream, m.Data()) {
			return
		}
		seen.Store(meta.Sequence.Stream)
	}
}

// stalled is for how long messages may be on a stream without coming.
const stalled = 4 * time.Second

// watchReader calls end if a stream has messages after the last one that was seen, and none comes.
func (c *Conn) watchReader(ctx context.Context, stream string, seen *atomic.Uint64, end func()) {
	last, since := seen.Load(), time.Now()
	for pause(ctx, stalled/4) {
		now := seen.Load()
		if now != last {
			last, since = now, time.Now()
			continue
		}
		if time.Since(since) < stalled {
			continue
		}
		ask, cancel := context.WithTimeout(ctx, patience)
		s, err := c.js.Stream(ask, stream)
		cancel()
		switch {
		case err != nil:
			since = time.Now() // the servers do not answer
		case s.CachedInfo().State.LastSeq > last && s.CachedInfo().State.Msgs > 0 && seen.Load() == last:
			end()
			return
		default:
			since = time.Now()
		}
	}
}

// ordered returns the messages of a stream from a sequence on.
func (c *Conn) ordered(ctx context.Context, stream string, from uint64) (jetstream.MessagesContext, error) {
	ask, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	consumer, err := c.js.OrderedConsumer(ask, stream, jetstream.OrderedConsumerConfig{
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: max(1, from), MaxResetAttempts: 1, // then another consumer is made, by the caller
	})
	if err != nil {
		return nil, err
	}
	return consumer.Messages(jetstream.PullMaxBytes(pullBytes), jetstream.PullExpiry(10*time.Second), jetstream.PullHeartbeat(2*time.Second))
}

// pullBytes is how many bytes a consumer asks for in advance.
const pullBytes = 16 << 20

// awaitRoom waits while too many bytes of results wait for their commit.
func (co *Coordinator) awaitRoom(ctx context.Context) {
	for {
		co.mu.Lock()
		full := co.inbox.pending > maxPending
		co.mu.Unlock()
		if !full || !pause(ctx, 5*time.Millisecond) {
			return
		}
	}
}

// receive takes one message of the stream apart and delivers its results. What can't be used is
// counted, and counts as absorbed. Results are decoded without the lock, which the loop of the crawl
// also needs.
func (co *Coordinator) receive(seq uint64, data []byte) {
	m := &message{seq: seq}
	co.mu.Lock()
	co.inbox.open = append(co.inbox.open, m)
	m.left++ // the mark does not pass it meanwhile
	list, owner, err := co.unpack(m, data)
	co.mu.Unlock()
	var results []*Result
	garbage := 0
	for _, b := range list {
		if x, err := readResult(b); err != nil {
			garbage++
		} else {
			results = append(results, x)
		}
	}
	co.mu.Lock()
	defer co.mu.Unlock()
	if co.closed {
		return // the next coordinator reads it
	}
	co.inbox.settle(m)
	switch {
	case errors.Is(err, errLarge):
		co.counts.Large++
		return
	case err != nil:
		co.counts.Garbage++
		return
	}
	co.counts.Garbage += garbage
	for _, x := range results {
		co.deliver(owner, x)
	}
	if owner.parts {
		owner.parts = false
		co.inbox.settle(owner) // the result is complete
	}
	co.assign()
}

// errLarge is returned for a result that is larger than allowed.
var errLarge = errors.New("too large")

// The two forms of a message of arrivals.
const (
	wholeResults = iota // a list of results
	partOfResult        // a part of one: worker, number of the result, number of the part, whether it is the last
)

// packResults encodes results as messages of at most room bytes each. id distinguishes results in
// parts.
func packResults(results [][]byte, room int, id func() string) (messages [][]byte) {
	var list [][]byte
	size := 0
	flush := func() {
		if len(list) > 0 {
			w := wire.Writer{B: append(make([]byte, 0, size+64), arrivalsMagic...)}
			w.Byte(wholeResults)
			w.Uint(uint64(len(list)))
			for _, b := range list {
				w.Bytes(b)
			}
			messages = append(messages, w.B)
		}
		list, size = nil, 0
	}
	for _, b := range results {
		if len(b)+64 > room {
			messages = append(messages, packParts(b, room-256, id())...)
			continue
		}
		if size+len(b)+64 > room {
			flush()
		}
		list, size = append(list, b), size+len(b)+10
	}
	flush()
	return messages
}

// packParts encodes one large result as several messages.
func packParts(b []byte, room int, id string) (messages [][]byte) {
	for n := uint64(0); len(b) > 0 || n == 0; n++ {
		k := min(room, len(b))
		w := wire.Writer{B: []byte(arrivalsMagic)}
		w.Byte(partOfResult)
		w.Text(id)
		w.Uint(n)
		w.Bool(k == len(b))
		w.Bytes(b[:k])
		messages = append(messages, w.B)
		b = b[k:]
	}
	return messages
}

// maxPartials bounds how many results in parts are put together concurrently.
const maxPartials = 256

// unpack returns the results that a message completes, and the message with which they began.
func (co *Coordinator) unpack(m *message, data []byte) (list [][]byte, owner *message, err error) {
	r, err := begin(data, arrivalsMagic)
	if err != nil {
		return nil, m, err
	}
	switch r.Byte() {
	case wholeResults:
		for range r.Items(8) {
			list = append(list, own(r.Raw()))
		}
		return list, m, ended(r)
	case partOfResult:
		id, n, last, part := r.Text(), r.Uint(), r.Bool(), r.Raw()
		if err := ended(r); err != nil {
			return nil, m, err
		}
		p, err := co.inbox.join(m, id, n, last, part)
		if p == nil || err != nil {
			return nil, m, err
		}
		return [][]byte{p.data}, p.first, nil
	}
	return nil, m, errWire
}

// join adds a part to a result and returns the result if it is complete. The message of the first
// part counts as not absorbed until the result is, so that a coordinator that is started again
// reads all parts.
func (b *inbox) join(m *message, id string, n uint64, last bool, part []byte) (*partial, error) {
	p := b.parts[id]
	if n == 0 {
		b.dropOld()
		if p != nil || len(b.parts) >= maxPartials {
			return nil, errWire
		}
		if b.parts == nil {
			b.parts = map[string]*partial{}
		}
		p = &partial{first: m}
		m.left++
		m.parts = true
		b.parts[id] = p
	}
	if p == nil || p.next != n {
		return nil, errWire
	}
	if len(p.data)+len(part) > maxArrival {
		b.dropPart(id)
		return nil, errLarge
	}
	p.data, p.next, p.at = append(p.data, part...), n+1, time.Now()
	if !last {
		return nil, nil
	}
	delete(b.parts, id)
	return p, nil
}

func (b *inbox) dropPart(id string) {
	b.settle(b.parts[id].first)
	delete(b.parts, id)
}

// dropOld drops results whose next part does not come.
func (b *inbox) dropOld() {
	for id, p := range b.parts {
		if time.Since(p.at) > lateArrivals {
			b.dropPart(id)
		}
	}
}

// deliver passes a result to the visit that waits for it.
func (co *Coordinator) deliver(m *message, x *Result) {
	key := visitKey{x.Kind, x.Page.URL}
	mine := x.Term == co.lease.holder.Term
	s := co.byKey[key]
	switch {
	case mine:
		s = co.out[x.Number]
		if s == nil || s.key != key {
			co.counts.Repeated++
			return
		}
	case co.absorbed[ResultKey(x.Page.URL, x.Page.Fetch.At)]:
		co.counts.Repeated++
		return
	case time.Since(co.began) > lateArrivals:
		co.counts.Late++
		return
	case s == nil:
		if co.early[key] != nil || len(co.early) >= maxEarly {
			co.counts.Repeated++
			return
		}
		m.left++
		x.from = m
		co.inbox.pending += x.Size
		co.early[key] = &earlier{x, m}
		return
	default:
		co.counts.Reused++
	}
	if w := co.workers[s.worker]; w != nil {
		w.done++
	}
	co.forget(s)
	co.counts.Results++
	m.left++
	x.from = m
	co.inbox.pending += x.Size
	s.arrive(x)
}

// maxEarly bounds how many results for earlier coordinators are kept.
const maxEarly = 20_000
