//go:build unix

package crawler_test

import (
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"dowse/crawl"
	"dowse/crawler"
)

// setBack is by how much the clock of a child was set back, in nanoseconds.
var setBack atomic.Int64

// wrongClock gives a child the clock that the environment asks for.
func wrongClock(cfg *crawler.Config) {
	skew, err := time.ParseDuration(os.Getenv(crashSkew))
	if err != nil && os.Getenv(crashBack) == "" {
		return
	}
	clock := crawl.NewClock()
	cfg.Clock = func() time.Time { return clock().Add(skew - time.Duration(setBack.Load())) }
}

// turnBack sets the clock of a child back, if the environment asks for it.
func turnBack() {
	if d, err := time.ParseDuration(os.Getenv(crashBack)); err == nil {
		setBack.Store(int64(d))
	}
}

// TestKillKeepsTheDelay kills a crawl at several moments. The server sees when each host
// was asked: never sooner than the delay after the request before it, whichever process
// made it.
func TestKillKeepsTheDelay(t *testing.T) {
	sameGoroutines(t)
	const delay, answer = time.Second, 300 * time.Millisecond
	t.Setenv(crashDelay, delay.String())
	web := &manyPages{n: 20, pause: answer}
	web.serve(t)
	dir := filepath.Join(t.TempDir(), "delay.dowse")
	committed := map[string]bool{}
	for range 3 { // during the visits that follow a page
		crawlAndEnd(t, web, dir, moment{1, delay + answer/2}, syscall.SIGKILL, committed)
		web.settle(t) // all that it asked for is known before the next process begins
	}
	finish(t, web, dir, committed)
	checkCrashed(t, web, dir, committed)
	web.mu.Lock()
	defer web.mu.Unlock()
	for host, list := range web.begun {
		for i := 1; i < len(list); i++ {
			if gap := list[i].Sub(list[i-1]); gap < delay {
				t.Errorf("%s: request %d came %v after the one before, want %v", host, i, gap.Round(time.Millisecond), delay)
			}
		}
	}
}

// TestWrongClock crawls with a clock that is ten years ahead, is killed, and goes on with a
// right one; and with a clock that is set back by an hour while it crawls. Nothing waits
// for the time to come again, and nothing is lost.
func TestWrongClock(t *testing.T) {
	sameGoroutines(t)
	for name, env := range map[string][2]string{
		"ahead":    {crashSkew, "87600h"},
		"set back": {crashBack, "1h"},
	} {
		t.Run(name, func(t *testing.T) {
			web := serveMany(t, 120)
			dir := filepath.Join(t.TempDir(), "clock.dowse")
			committed := map[string]bool{}
			os.Setenv(env[0], env[1])
			crawlAndEnd(t, web, dir, moment{20, 0}, syscall.SIGKILL, committed)
			os.Unsetenv(env[0])
			for range 2 { // what the right clock wrote is opened, too
				crawlAndEnd(t, web, dir, moment{20, 0}, syscall.SIGKILL, committed)
			}
			finish(t, web, dir, committed)
			checkCrashed(t, web, dir, committed)
		})
	}
}
