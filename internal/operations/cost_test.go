package operations

import (
	"os"
	"path/filepath"
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

// A view is not made again while folding what the journal has grown by would take more than its share of the time, and
// as soon as a snapshot has made the next one cheap.
func TestViewsFollowSnapshots(t *testing.T) {
	var c viewCost
	if got := c.pause(1 << 30); got != viewLeast {
		t.Errorf("before the first view: a pause of %v, want %v", got, viewLeast)
	}
	c.add(40*time.Millisecond, 1<<20)
	if got, want := c.pause(1<<20), viewShare*40*time.Millisecond; got != want {
		t.Errorf("with the same journal: the next view after %v, want %v", got, want)
	}
	if got, want := c.pause(5<<20), viewShare*(40*time.Millisecond+4<<20*foldByte); got != want {
		t.Errorf("with 4 MiB more to fold: the next view after %v, want %v", got, want)
	}
	if got := c.pause(0); got >= viewShare*40*time.Millisecond {
		t.Errorf("after a snapshot: the next view after %v, want less than with the journal of before", got)
	}
	c.add(150*time.Millisecond, 5<<20) // not twice the cost of before, but as long as expected
	if got, want := c.pause(5<<20), viewShare*150*time.Millisecond; got < want-viewShare*time.Millisecond {
		t.Errorf("after a view that took longer because it folded more: the next one after %v, want %v", got, want)
	}
}

// The journal behind the newest snapshot is what a view folds.
func TestBehind(t *testing.T) {
	dir := t.TempDir()
	state := filepath.Join(dir, "state")
	if err := os.Mkdir(state, 0o755); err != nil {
		t.Fatal(err)
	}
	if got := behind(dir); got != 0 {
		t.Errorf("without a journal %d bytes are behind a snapshot, want 0", got)
	}
	write := func(name string, size int) {
		if err := os.WriteFile(filepath.Join(state, name), make([]byte, size), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("journal-0000000000000000.log", 4096)
	if got := behind(dir); got != 4096 {
		t.Errorf("without a snapshot %d bytes are behind it, want all 4096", got)
	}
	write("journal-0000000000001000.log", 1000)
	write("snapshot-0000000000000800.snap", 77)
	write("snapshot-0000000000001010.snap", 77)
	if got := behind(dir); got != 1000-16 {
		t.Errorf("%d bytes are behind the newest snapshot, want %d", got, 1000-16)
	}
	write("snapshot-0000000000ffffff.snap", 77)
	if got := behind(dir); got != 0 {
		t.Errorf("behind a snapshot that is ahead of the journal are %d bytes, want 0", got)
	}
}

// SlowView has the present view of a collection count as one that took a second to make.
func (o *Operations) SlowView(t testing.TB, id string) {
	t.Helper()
	s, err := o.shelf(id)
	if err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.took, s.cost.last = time.Second, cost(time.Second)
}
