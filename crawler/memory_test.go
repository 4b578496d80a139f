package crawler_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"dowse"
	"dowse/crawl"
	"dowse/crawler"
)

func contextOf(t *testing.T) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	return ctx, cancel
}

// TestScarceMemory crawls a site without end while each URL takes a kilobyte of a small memory. The crawl
// fetches all pages that it was asked for and never knows more URLs than fit; what it left out is
// counted, survives a resume and comes back when there is memory and a person asks for it. The
// collection verifies.
func TestScarceMemory(t *testing.T) {
	sameGoroutines(t)
	const limit, room = 4_000_000, 1880 // bytes, and the URLs of a kilobyte that make it full
	site := endlessSite(t, 20)
	cfg := local
	cfg.Words, cfg.Seeds, cfg.Pages, cfg.InFlight = []string{"coral"}, []string{site.URL + "/1"}, 300, 4
	dir := filepath.Join(t.TempDir(), "x.dowse")
	run := func(scarce bool) crawl.Status {
		var cr *crawler.Crawler
		cfg.Tick = func(crawl.Status) {}
		cr, err := crawler.Open(dir, cfg)
		if err != nil {
			t.Fatal(err)
		}
		defer cr.Close()
		if scarce {
			cr.CountMemory(limit, func() uint64 { return 1000 * uint64(cr.Status().Books.Known) })
		}
		for range cr.Crawl(t.Context()) {
			cr.WatchMemory() // with every page: the ticks of a clock would make the test depend on it
		}
		if cr.Err() != nil {
			t.Error(cr.Err())
		}
		t.Log(strings.Join(cr.Notes, "; "))
		return cr.Status()
	}
	st := run(true)
	// The lowest of the last measurements counts, each is made after a few pages, and each of these has 20 links.
	if most := room + 20*4*(crawler.MemorySpan+2); st.Fetched != 300 || st.LeftOut == 0 || st.Books.Known > most || !st.Books.Balanced() || st.Stopped != dowse.StopPages {
		t.Errorf("%+v; want 300 pages, at most %d URLs, and links left out", st, most)
	}
	soundAs(t, dir)
	cfg.Retry, cfg.Pages = []string{"memory"}, 301
	again := run(false)
	if got := again.Refresh.Unchanged; got == 0 || again.Books.Known < st.Books.Known+10*got || again.LeftOut != st.LeftOut {
		t.Errorf("%+v after a retry; want the links of unchanged pages among %d URLs", again, st.Books.Known)
	}
	soundAs(t, dir)
}

// TestMemoryEnds ends a crawl whose pages alone fill the memory, cleanly: the limit is kept
// whatever happens.
func TestMemoryEnds(t *testing.T) {
	site := endlessSite(t, 3)
	cfg := local
	cfg.Words, cfg.Seeds = []string{"coral"}, []string{site.URL + "/1"}
	dir := filepath.Join(t.TempDir(), "x.dowse")
	cr, err := crawler.Open(dir, cfg)
	if err != nil {
		t.Fatal(err)
	}
	cr.CountMemory(1_000_000, func() uint64 { return uint64(10_000 * cr.Status().Fetched) })
	for range cr.Crawl(t.Context()) {
		cr.WatchMemory()
	}
	if why, n := cr.StopReason(), cr.Status().Fetched; why != dowse.StopMemory || n < 90 || n > 200 || cr.Err() != nil {
		t.Errorf("%s after %d pages, %v; want memory after about 100", why, n, cr.Err())
	}
	cr.Close()
	soundAs(t, dir)
}

// TestMemoryBetweenMeasurements crawls without a measurement after each page: also the links that come between
// two measurements, or before the first one, never take more memory than there is, however quick the
// machine is.
func TestMemoryBetweenMeasurements(t *testing.T) {
	const limit, room = 256_000, 470 // bytes, and the links of 256 bytes that fit into the part for data
	site := endlessSite(t, 20)
	cfg := local
	cfg.Words, cfg.Seeds, cfg.Pages, cfg.InFlight = []string{"coral"}, []string{site.URL + "/1"}, 100, 4
	cr, err := crawler.Open(filepath.Join(t.TempDir(), "x.dowse"), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer cr.Close()
	cr.CountMemory(limit, func() uint64 { return 256 * uint64(cr.Status().Books.Known) })
	for range cr.Crawl(t.Context()) {
	}
	if st := cr.Status(); st.Fetched != 100 || st.Books.Known > room || st.LeftOut == 0 || cr.Err() != nil {
		t.Errorf("%d pages, %d URLs known, %d links left out, %v; want 100 pages and at most %d URLs", st.Fetched, st.Books.Known, st.LeftOut, cr.Err(), room)
	}
}

// TestFullMemoryKeepsFewLinks crawls while other data fill the part of the memory that links may have. The crawl goes on: it
// had left out every link of its first page, and ended as if there were no more.
func TestFullMemoryKeepsFewLinks(t *testing.T) {
	site := endlessSite(t, 20)
	cfg := local
	cfg.Words, cfg.Seeds, cfg.Pages, cfg.InFlight = []string{"coral"}, []string{site.URL + "/1"}, 50, 4
	dir := filepath.Join(t.TempDir(), "x.dowse")
	cr, err := crawler.Open(dir, cfg)
	if err != nil {
		t.Fatal(err)
	}
	const limit, few = 2 << 20, 32 // bytes, and the links that are remembered whatever else there is
	cr.CountMemory(limit, func() uint64 { return limit * 6 / 10 })
	most := 0
	for range cr.Crawl(t.Context()) {
		cr.WatchMemory()
		most = max(most, cr.Status().Books.Queued)
	}
	if st := cr.Status(); st.Fetched != 50 || cr.StopReason() != dowse.StopPages || st.LeftOut == 0 || cr.Err() != nil {
		t.Errorf("%d pages, ended by %s, %d links left out, %v; want 50 pages", st.Fetched, cr.StopReason(), st.LeftOut, cr.Err())
	}
	if most > few {
		t.Errorf("%d links waited, want at most %d", most, few)
	}
	cr.Close()
	soundAs(t, dir)
}
