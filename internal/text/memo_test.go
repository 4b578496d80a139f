package text_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"dowse/internal/text"
)

func TestMemoComputesOnce(t *testing.T) {
	var calls int
	m := text.NewMemo(1024, func(w string) int { calls++; return len(w) })
	for range 3 {
		for _, w := range []string{"", "a", "reef", "coral"} {
			if got := m.Of(w); got != len(w) {
				t.Errorf("Of(%q) = %d", w, got)
			}
		}
	}
	if calls != 4 {
		t.Errorf("%d calls, want 4", calls)
	}
}

func TestMemoKeepsCommonWordsInAFlood(t *testing.T) {
	var again atomic.Int64
	common := map[string]bool{}
	for i := range 200 {
		common[fmt.Sprint("common", i)] = true
	}
	m := text.NewMemo(1024, func(w string) int {
		if common[w] {
			again.Add(1)
		}
		return len(w)
	})
	for i := range 20000 { // 20,000 words seen once, one common word between
		m.Of(fmt.Sprint("common", i%200))
		m.Of(fmt.Sprint("hostile", i))
	}
	t.Logf("computed %d times", again.Load())
	if n := again.Load(); n > 20000/4 {
		t.Errorf("common words were computed %d times of 20,000", n)
	}
}

func TestMemoIsBounded(t *testing.T) {
	m := text.NewMemo(4096, strings.ToUpper)
	before := heap()
	for i := range 60000 {
		m.Of(fmt.Sprintf("w%d%s", i, strings.Repeat("x", 100)))
	}
	m.Of(strings.Repeat("long", 1<<20))
	grown := heap() - before
	if grown > 4096*600 {
		t.Errorf("%d bytes for 4,096 words", grown)
	}
	runtime.KeepAlive(m)
}

func heap() int64 {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}

func TestMemoFromManyGoroutines(t *testing.T) {
	m := text.NewMemo(64, strings.ToUpper) // small: constant replacement
	var all sync.WaitGroup
	for g := range 64 {
		all.Go(func() {
			for i := range 2000 {
				w := fmt.Sprint("word", (i*7+g)%500)
				if got := m.Of(w); got != strings.ToUpper(w) {
					t.Errorf("Of(%q) = %q", w, got)
					return
				}
			}
		})
	}
	all.Wait()
}
