package crawler_test

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dowse/collection"
	"dowse/crawler"
)

// TestViewsGrow crawls a site that does not answer for a while. The views are there while the
// crawl runs, and a WACZ of what is committed can be written;
// after a run that ends in the middle the collection is sound.
func TestViewsGrow(t *testing.T) {
	site := newShopSite(t, "/5")
	cfg := local
	cfg.Words, cfg.Seeds, cfg.InFlight = []string{"coral"}, []string{site.URL + "/0"}, 1
	cfg.Settings.Strategy = "breadth-first"
	dir := filepath.Join(t.TempDir(), "x.dowse")
	cr, err := crawler.Open(dir, cfg)
	if err != nil {
		t.Fatal(err)
	}
	cr.ViewsEvery(time.Millisecond)
	backup := filepath.Join(t.TempDir(), "backup.dowse")
	var failed error
	go func() {
		defer close(site.answer)
		<-site.asked
		failed = errors.Join(viewsAppear(t.Context(), dir), exportsWhole(t, dir), copied(dir, backup))
	}()
	for range cr.Crawl(t.Context()) {
	}
	if err := errors.Join(failed, cr.Err(), cr.Close()); err != nil {
		t.Fatal(err)
	}
	soundAs(t, dir)
	if got := soundAs(t, backup).Status().Fetched; got < 5 || got >= cr.Status().Fetched {
		t.Errorf("the copy has %d pages, the collection %d", got, cr.Status().Fetched)
	}
	if err := copied(dir, backup); err != nil { // it is updated
		t.Error(err)
	}
	if got, want := soundAs(t, backup).Status().Books, cr.Status().Books; got != want {
		t.Errorf("the books of the copy are %+v, want %+v", got, want)
	}
	crawlAll(t, backup, local)
	soundAs(t, backup)
	if err := copied(filepath.Dir(dir), backup); err == nil {
		t.Error("what is not a collection was copied")
	}
}

// copied copies a collection.
func copied(dir, to string) error {
	v, err := crawler.View(dir)
	if err != nil {
		return err
	}
	defer v.Close()
	_, err = v.Collection.CopyTo(to)
	return err
}

// viewsAppear waits until the log of a running crawl has a page.
func viewsAppear(ctx context.Context, dir string) error {
	for ctx.Err() == nil {
		log, _ := os.ReadFile(filepath.Join(dir, "log", "crawl.log"))
		_, err := os.Stat(filepath.Join(dir, "state", "summary.json"))
		if err == nil && strings.Contains(string(log), "/3 ") {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	for _, name := range []string{"README.md", "indexes/index.cdxj", "pages/pages.jsonl", "pages/extraPages.jsonl"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// exportsWhole exports a collection that is being crawled as WACZ and WARC.
func exportsWhole(t *testing.T, dir string) error {
	v, err := crawler.View(dir)
	if err != nil {
		return err
	}
	defer v.Close()
	out := filepath.Join(t.TempDir(), "x.wacz")
	n, err := v.Collection.Export(t.Context(), out, collection.ExportOptions{})
	if err != nil || n < 5 {
		return fmt.Errorf("exported %d pages: %w", n, err)
	}
	z, err := zip.OpenReader(out)
	if err != nil {
		return err
	}
	defer z.Close()
	for _, f := range z.File {
		if strings.HasSuffix(f.Name, ".warc.gz") {
			n, err := v.Collection.Export(t.Context(), filepath.Join(t.TempDir(), "x.warc.gz"), collection.ExportOptions{All: true})
			if err == nil && n == 0 {
				err = errors.New("no page in the WARC file")
			}
			return err
		}
	}
	return errors.New("no WARC file in the WACZ")
}
