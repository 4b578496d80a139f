package crawler_test

import (
	"path/filepath"
	"testing"
	"time"
)

// A machine whose clock was wrong by a month is put right between two runs, and made wrong again. The crawl continues
// at once each time, and is sound.
func TestClockIsPutRight(t *testing.T) {
	site := endlessSite(t, 3)
	cfg := local
	cfg.Words, cfg.Seeds = []string{"coral"}, []string{site.URL + "/1"}
	cfg.Delay = time.Millisecond
	dir := filepath.Join(t.TempDir(), "x.dowse")
	for i, wrong := range []time.Duration{30 * 24 * time.Hour, 0, 30 * 24 * time.Hour, -400 * 24 * time.Hour} {
		cfg.Pages = 5 * (i + 1)
		cfg.Clock = func() time.Time { return time.Now().Add(wrong) }
		crawlAll(t, dir, cfg)
		if got := soundAs(t, dir).Status().Fetched; got != cfg.Pages {
			t.Fatalf("%d pages with a clock that is wrong by %v, want %d", got, wrong, cfg.Pages)
		}
	}
}
