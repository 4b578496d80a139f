package crawler_test

import (
	"path/filepath"
	"testing"

	"dowse"
	"dowse/crawler"
	"dowse/settings"
)

// TestDiskFloor ends a crawl cleanly when its disk has less free than the floor, and continues
// it when there is room again. A crawl that begins below the floor makes no visit.
func TestDiskFloor(t *testing.T) {
	site := newShopSite(t, "")
	close(site.answer)
	free := int64(1e9)
	cfg := local
	cfg.Words, cfg.Seeds, cfg.DiskFloor = []string{"coral"}, []string{site.URL + "/0"}, 2e9
	cfg.DiskRoom = func(_ string, s settings.Settings) (int64, int64, error) { return free, s.DiskFloor, nil }
	dir := filepath.Join(t.TempDir(), "x.dowse")
	run := func() (*crawler.Crawler, dowse.StopReason) {
		cr, err := crawler.Open(dir, cfg)
		if err != nil {
			t.Fatal(err)
		}
		defer cr.Close()
		for range cr.Crawl(t.Context()) {
		}
		if cr.Err() != nil {
			t.Error(cr.Err())
		}
		return cr, cr.StopReason()
	}
	if cr, why := run(); why != dowse.StopDisk || cr.Status().Fetched != 0 {
		t.Errorf("below the floor: %s after %d pages", why, cr.Status().Fetched)
	}
	free = 3e9
	if cr, why := run(); why != dowse.StopExhausted || cr.Status().Fetched == 0 {
		t.Errorf("with room: %s after %d pages", why, cr.Status().Fetched)
	}
	soundAs(t, dir)
}
