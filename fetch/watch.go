package fetch

import (
	"context"
	"fmt"
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
	w.limit = limit{"nothing more for %v", w.config.ReadTimeout}
	w.timer.Reset(w.config.ReadTimeout)
}

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
		return err
	case errDropped:
		return errDropped
	}
	return w.limit.overrun()
}
