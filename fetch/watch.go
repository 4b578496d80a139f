package fetch

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// A timeoutError tells which limit of time a server overran.
type timeoutError string

func (e timeoutError) Error() string { return string(e) }
func (e timeoutError) Timeout() bool { return true }

// A watch ends a download that takes too long: until its header is there, between
// two reads of its body, at too low a rate, or in all. One timer does it; only
// the goroutine that downloads may call its methods.
type watch struct {
	ctx    context.Context // of the request
	caller context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
	meter  *meter // of the connection; nil if there is none

	config   Config
	deadline time.Time // of the whole download
	body     time.Time // when the body began; zero before
	limit    limit     // which one the timer stands for
}

// A limit of time, told by the words around it.
type limit struct {
	words string // with a %v for time
	time  time.Duration
}

func (l limit) overrun() error { return timeoutError(fmt.Sprintf(l.words, l.time)) }

func newWatch(ctx context.Context, c Config) *watch {
	w := &watch{caller: ctx, config: c, deadline: time.Now().Add(c.Timeout)}
	w.ctx, w.cancel = context.WithCancelCause(ctx)
	first := min(c.HeaderTimeout, c.Timeout)
	if d, ok := ctx.Value(patienceKey{}).(time.Duration); ok && d > 0 {
		first = min(first, d)
	}
	w.limit = limit{"no answer within %v", first}
	w.timer = time.AfterFunc(first, func() { w.cancel(timeoutError("")) })
	return w
}

type patienceKey struct{}

// WithPatience returns a context whose requests wait at most for d until the header of
// the answer is there.
func WithPatience(ctx context.Context, d time.Duration) context.Context {
	return context.WithValue(ctx, patienceKey{}, d)
}

type partKey struct{}

// AnyPart lets every part of a body count, see [WithPart].
const AnyPart int64 = -1

// WithPart returns a context whose requests fail for the moment when the connection breaks
// in the middle of a body, be it of a page, a redirect or an error, unless exactly size
// bytes of it came, decoded, or size is AnyPart. An answer that fails like that is not kept.
// Without WithPart every part of a page counts that is not tiny, and all other bodies do.
//
// The size is that of the try before: a body that ends at the same place twice is as long
// as it will ever be, whatever the server says of its length.
func WithPart(ctx context.Context, size int64) context.Context {
	return context.WithValue(ctx, partKey{}, size)
}

// takes reports whether the caller wants a body of which only size bytes came.
func (w *watch) takes(size int64) bool {
	part, limited := w.caller.Value(partKey{}).(int64)
	return !limited || part == AnyPart || part == size && size > 0
}

func (w *watch) stop() {
	w.timer.Stop()
	w.cancel(nil)
}

// answered notes that the header is there.
func (w *watch) answered() {
	w.body = time.Now()
	w.wait(w.body)
}

// wait sets the timer for the next bytes of the body.
func (w *watch) wait(now time.Time) {
	left := w.deadline.Sub(now)
	if left < w.config.ReadTimeout {
		w.limit = limit{"not done within %v", w.config.Timeout}
		w.timer.Reset(left)
		return
	}
	w.limit = limit{stallWords, w.config.ReadTimeout}
	w.timer.Reset(w.config.ReadTimeout)
}

const stallWords = "nothing more for %v"

// stalled reports whether the download was ended because no more bytes came.
func (w *watch) stalled() bool { return w.limit.words == stallWords && w.ctx.Err() != nil }

// progress notes that n bytes of the body are there, and returns an error if that
// is too slow to go on.
func (w *watch) progress(n int64) error {
	now := time.Now()
	took := now.Sub(w.body)
	if took > w.config.ReadTimeout && float64(n) < float64(w.config.MinRate)*took.Seconds() {
		return timeoutError(fmt.Sprintf("slower than %d bytes a second", w.config.MinRate))
	}
	w.wait(now)
	return nil
}

// pause lets the clocks stand still until resume: what comes next does not depend
// on the server.
func (w *watch) pause() { w.timer.Stop() }

// resume lets the clocks go on after a pause of d.
func (w *watch) resume(d time.Duration) {
	w.deadline = w.deadline.Add(d)
	w.body = w.body.Add(d)
	w.wait(time.Now())
}

// unlessCut returns err, or that the header broke off if that is what err comes from:
// net/http parses what came of a line before it finds that the connection has ended, and
// takes the half of a line for nonsense.
func (w *watch) unlessCut(err error) error {
	if w.body.IsZero() && w.meter.isEnded() && isHalfLine(err.Error()) {
		return errCut
	}
	return err
}

// isHalfLine reports whether an error of net/http may come from a line of a header that
// broke off. What does not begin as HTTP does is nonsense in any case.
func isHalfLine(message string) bool {
	_, line, status := strings.Cut(message, "malformed HTTP response \"")
	const begins = "HTTP/1."
	return strings.Contains(message, "malformed ") && (!status || strings.HasPrefix(line, begins[:min(len(line)-1, len(begins))]))
}

// cause returns what is behind err: the caller who gave up, the limit that was
// overrun, the connection that broke, or err itself.
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
	return w.limit.overrun()
}
