package fetch

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"time"
)

// A timeoutError is the text of the time limit that a server exceeded.
type timeoutError string

func (e timeoutError) Error() string { return string(e) }
func (e timeoutError) Timeout() bool { return true }

// A watch ends a download that takes too long: until its header is complete,
// between two reads of its body, at too low a rate, or in all. One timer serves
// all limits; it is set to the one that ends first. Only the goroutine that
// downloads may call its methods.
type watch struct {
	ctx    context.Context // of the request
	caller context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
	meter  *meter // of the connection; nil if there is none

	resolving atomic.Pointer[string] // the name that is looked up; nil while none is. The resolver sets it

	config   Config
	deadline time.Time // of the whole download
	body     time.Time // when the body began; the zero time before that
	limit    limit     // the limit that the timer is set to
}

// A limit is a time limit with the message to report when it is exceeded.
type limit struct {
	words string // with a %v for time
	time  time.Duration
}

// overrun returns the error for exceeding the limit.
func (l limit) overrun() error { return timeoutError(fmt.Sprintf(l.words, l.time)) }

// newWatch starts the time limit for the header.
func newWatch(ctx context.Context, c Config) *watch {
	w := &watch{caller: ctx, config: c, deadline: time.Now().Add(c.Timeout)}
	w.ctx, w.cancel = context.WithCancelCause(ctx)
	first := min(c.headerTimeout, c.Timeout)
	if d, ok := ctx.Value(patienceKey{}).(time.Duration); ok && d > 0 {
		first = min(first, d)
	}
	w.limit = limit{"no answer within %v", first}
	w.timer = time.AfterFunc(first, func() { w.cancel(timeoutError("")) })
	return w
}

type patienceKey struct{}

// WithPatience returns a context whose requests wait at most d for the header
// of the answer.
func WithPatience(ctx context.Context, d time.Duration) context.Context {
	return context.WithValue(ctx, patienceKey{}, d)
}

type partKey struct{}

// anyPart accepts a body of any length, see [WithPart].
const anyPart int64 = -1

// WithPart returns a context whose requests fail temporarily if the connection
// breaks in the middle of a body, be it of a page, a redirect or an error,
// unless exactly size bytes of it came, decoded, or size is -1. The part is
// then dropped. Without WithPart every part of a page counts that is not tiny,
// and so does every part of another body.
//
// The size is that of the previous try: a body that ends at the same byte twice
// is as long as it will ever be, whatever length the server declares.
func WithPart(ctx context.Context, size int64) context.Context {
	return context.WithValue(ctx, partKey{}, size)
}

// takes reports whether the caller accepts a body of which only size bytes
// came.
func (w *watch) takes(size int64) bool {
	part, limited := w.caller.Value(partKey{}).(int64)
	return !limited || part == anyPart || part == size && size > 0
}

// stop releases the timer and the context. The watch must not be used
// afterwards.
func (w *watch) stop() {
	w.timer.Stop()
	w.cancel(nil)
}

// answered records that the header is complete.
func (w *watch) answered() {
	w.body = time.Now()
	w.wait(w.body)
}

// wait sets the timer for the next bytes of the body.
func (w *watch) wait(now time.Time) {
	left := w.deadline.Sub(now)
	if left < w.config.readTimeout {
		w.limit = limit{"not done within %v", w.config.Timeout}
		w.timer.Reset(left)
		return
	}
	w.limit = limit{stallWords, w.config.readTimeout}
	w.timer.Reset(w.config.readTimeout)
}

const stallWords = "nothing more for %v"

// stalled reports whether the download was ended because no more bytes came.
func (w *watch) stalled() bool { return w.limit.words == stallWords && w.ctx.Err() != nil }

// progress records that n bytes of the body have come in all, and returns an
// error if that is too slow.
func (w *watch) progress(n int64) error {
	now := time.Now()
	took := now.Sub(w.body)
	if took > w.config.readTimeout && float64(n) < float64(w.config.minRate)*took.Seconds() {
		return timeoutError(fmt.Sprintf("slower than %d bytes a second", w.config.minRate))
	}
	w.wait(now)
	return nil
}

// pause stops the clocks until resume, for a wait that does not depend on the
// server.
func (w *watch) pause() { w.timer.Stop() }

// resume starts the clocks again after a pause of d.
func (w *watch) resume(d time.Duration) {
	w.deadline = w.deadline.Add(d)
	w.body = w.body.Add(d)
	w.wait(time.Now())
}

// unlessCut returns err, or errCut if err comes from a header that broke off:
// net/http parses the beginning of a line before it notices that the connection
// has ended, and reports a malformed line.
func (w *watch) unlessCut(err error) error {
	if w.body.IsZero() && w.meter.isEnded() && isHalfLine(err.Error()) {
		return errCut
	}
	return err
}

// isHalfLine reports whether an error of net/http may come from a header line
// that broke off. An answer that does not begin like HTTP is malformed in any
// case.
func isHalfLine(message string) bool {
	_, line, status := strings.Cut(message, "malformed HTTP response \"")
	const begins = "HTTP/1."
	return strings.Contains(message, "malformed ") && (!status || strings.HasPrefix(line, begins[:min(len(line)-1, len(begins))]))
}

// cause returns the reason for err: the caller cancelled, a limit was exceeded,
// by the host or by the name server, the connection broke, or err itself.
func (w *watch) cause(err error) error {
	if w.caller.Err() != nil {
		return errCancelled
	}
	if w.meter.isFlooded() {
		return errFlood
	}
	switch context.Cause(w.ctx) {
	case nil:
		return w.unlessCut(err)
	case errDropped:
		return errDropped
	}
	if name := w.resolving.Load(); name != nil && w.body.IsZero() {
		return &net.DNSError{Err: w.limit.overrun().Error(), Name: *name, IsTimeout: true, IsTemporary: true}
	}
	return w.limit.overrun()
}
