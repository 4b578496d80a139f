package operations

import (
	"testing"
	"time"
)

// One view that waited for the processor does not make the next one late; views that stay slow do, so that they use
// no more than their share of the time.
func TestOneSlowView(t *testing.T) {
	var c cost
	for _, took := range []time.Duration{40 * time.Millisecond, 30 * time.Millisecond, time.Second} {
		c.add(took)
	}
	if got, want := c.pause(), viewShare*60*time.Millisecond; got != want {
		t.Errorf("after views of 40 and 30 ms and one of 1 s: the next one after %v, want %v", got, want)
	}
	for range 10 {
		c.add(time.Second)
	}
	if got, want := c.pause(), viewShare*time.Second; got != want {
		t.Errorf("after ten views of 1 s: the next one after %v, want %v", got, want)
	}
	c.add(0)
	if got := c.pause(); got != viewLeast {
		t.Errorf("after a view that took no time: the next one after %v, want %v", got, viewLeast)
	}
	c.add(time.Second)
	if got := c.pause(); got > time.Second {
		t.Errorf("after a slow view that follows one of no time: the next one after %v", got)
	}
}
