package crawler_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/durable"
)

// copiedUntil copies a collection, and stops at the n-th call to the file system below the copy, as a kill would: no
// later call is made. It reports whether the copy was complete before.
func copiedUntil(t *testing.T, n int, dir, to string) bool {
	t.Helper()
	v, err := crawler.View(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	killed, calls := errors.New("killed"), 0
	end := durable.Inject(func(_ durable.Op, path string) error {
		if !strings.HasPrefix(path, to) {
			return nil
		}
		if calls++; calls > n {
			return killed
		}
		return nil
	})
	defer end()
	_, err = v.Collection.CopyTo(to)
	if err != nil && !errors.Is(err, killed) {
		t.Fatal(err)
	}
	return err == nil
}

// A first copy that is interrupted at any moment is no collection, and the next copy continues it. One that updates an earlier
// copy is a sound collection at any moment.
func TestInterruptedCopies(t *testing.T) {
	sameGoroutines(t)
	site := endlessSite(t, 3)
	cfg := local
	cfg.Words, cfg.Seeds, cfg.Pages = []string{"coral"}, []string{site.URL + "/1"}, 6
	dir, folder := filepath.Join(t.TempDir(), "x.dowse"), t.TempDir()
	crawlAll(t, dir, cfg)
	base := filepath.Join(folder, "base")
	if err := copied(dir, base); err != nil {
		t.Fatal(err)
	}
	for n, whole := 1, false; !whole; n += 7 {
		to := filepath.Join(folder, "first")
		whole = copiedUntil(t, n, dir, to)
		if err := copied(dir, to); err != nil {
			t.Fatalf("a copy that was interrupted at call %d is not continued: %v", n, err)
		}
		soundAs(t, to)
		if err := os.RemoveAll(to); err != nil {
			t.Fatal(err)
		}
	}
	cfg.Pages = 14
	crawlAll(t, dir, cfg)
	want := soundAs(t, dir).Status().Books
	for n, whole := 1, false; !whole; n += 7 {
		to := filepath.Join(folder, "update")
		if err := os.CopyFS(to, os.DirFS(base)); err != nil {
			t.Fatal(err)
		}
		whole = copiedUntil(t, n, dir, to)
		soundAs(t, to)
		if err := copied(dir, to); err != nil {
			t.Fatalf("an update that was interrupted at call %d is not continued: %v", n, err)
		}
		if got := soundAs(t, to).Status().Books; got != want {
			t.Errorf("after an update that was interrupted at call %d the books are %+v, want %+v", n, got, want)
		}
		if err := os.RemoveAll(to); err != nil {
			t.Fatal(err)
		}
	}
	other := filepath.Join(folder, "other")
	cfg.Seeds, cfg.Pages = []string{site.URL + "/2"}, 3
	crawlAll(t, other, cfg)
	half := filepath.Join(folder, "half")
	copiedUntil(t, 20, other, half)
	if err := copied(dir, half); err == nil {
		t.Error("a copy of another collection that was interrupted was overwritten")
	}
}

// A copy that was crawled further, or labelled, is not overwritten by another copy, whether the collection went on as well or
// not; nor is a collection copied onto itself.
func TestUsedCopiesAreKept(t *testing.T) {
	site := endlessSite(t, 3)
	cfg := local
	cfg.Words, cfg.Seeds, cfg.Pages = []string{"coral"}, []string{site.URL + "/1"}, 6
	dir, to := filepath.Join(t.TempDir(), "x.dowse"), filepath.Join(t.TempDir(), "copy.dowse")
	crawlAll(t, dir, cfg)
	for range 2 {
		if err := copied(dir, to); err != nil {
			t.Fatal(err)
		}
	}
	if err := copied(dir, dir); !errors.Is(err, collection.ErrMake) {
		t.Errorf("onto itself: %v", err)
	}
	cfg.Pages = 9
	crawlAll(t, to, cfg)
	want := soundAs(t, to).Status().Books
	for _, pages := range []int{6, 20} {
		cfg.Pages = pages
		crawlAll(t, dir, cfg)
		if err := copied(dir, to); !errors.Is(err, collection.ErrMake) {
			t.Errorf("a copy with 9 pages is replaced by one with %d: %v", pages, err)
		}
		if got := soundAs(t, to).Status().Books; got != want {
			t.Errorf("the copy has books %+v, want %+v", got, want)
		}
	}
}
