package crawler_test

import (
	"context"
	"dowse/settings"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/demo"
)

// crawlToForget crawls some pages of the synthetic web with a strategy of the program.
func crawlToForget(t *testing.T, dir string, pages int) (fetched []*crawler.Page) {
	t.Helper()
	web := demo.New(demo.Config{Latency: -1, SlowLatency: -1})
	c, err := crawler.Open(dir, crawler.Config{
		Words: []string{"tide pools"}, Seeds: []string{string(web.Seeds("tide pools", 1)[0])}, Strategy: deepest{},
		Settings:  settings.Settings{Limits: settings.Limits{Pages: pages}, Identity: settings.Identity{Agent: "poolbot", Contact: "https://example.org/bot"}, Politeness: settings.Politeness{Delay: -1, InFlight: 1}},
		Transport: web.RoundTripper(),
	})
	if err != nil {
		t.Fatal(err)
	}
	for p := range c.Crawl(context.Background()) {
		fetched = append(fetched, p)
	}
	if v, err := c.Verify(nil); c.Err() != nil || err != nil && !strings.Contains(err.Error(), "strategy") || err == nil && !v.Books.Balanced() {
		t.Fatal(c.Err(), err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return fetched
}

func forgetOne(dir string, u dowse.URL) (*collection.Forgotten, error) {
	return crawler.Forget(dir, collection.Takedown{URLs: []dowse.URL{u}, Why: "the owner asked", At: time.Now()})
}

// urlIn lists the files that have a URL, as a whole; the archive is packed.
func urlIn(t *testing.T, dir string, u dowse.URL) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), string(u)) {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// A takedown needs no strategy: that of a program is known only to the program, which
// goes on without the page.
func TestForgetUnderAStrategyOfOnesOwn(t *testing.T) {
	sameGoroutines(t)
	dir := filepath.Join(t.TempDir(), "x.dowse")
	u := crawlToForget(t, dir, 12)[6].URL
	if len(urlIn(t, dir, u)) == 0 {
		t.Fatal("the test looks in the wrong place")
	}
	done, err := forgetOne(dir, u)
	if err != nil || done.Records == 0 {
		t.Fatalf("%+v, %v", done, err)
	}
	if files := urlIn(t, dir, u); len(files) > 0 {
		t.Errorf("%s is still in %v", u, files)
	}
	for _, p := range crawlToForget(t, dir, 30) {
		if p.URL == u {
			t.Errorf("%s was fetched again", u)
		}
	}
	if files := urlIn(t, dir, u); len(files) > 0 {
		t.Errorf("%s is still in %v", u, files)
	}
}

// TestForgetOnAFullDisk lets a takedown fail with an error; with room the next one does all of it.
func TestForgetOnAFullDisk(t *testing.T) {
	disk, room := smallDisk(t)
	if disk == "" {
		t.Skip("no small file system")
	}
	dir := filepath.Join(disk, "x.dowse")
	u := crawlToForget(t, dir, 8)[4].URL
	filler := filepath.Join(disk, "filler")
	f, err := os.Create(filler)
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = f.Write(make([]byte, 512))
	}
	f.Close()
	if _, err := forgetOne(dir, u); !crawler.DiskFull(err) {
		t.Errorf("on a full disk: %v", err)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	room()
	if _, err := forgetOne(dir, u); err != nil {
		t.Fatal(err)
	}
	if files := urlIn(t, dir, u); len(files) > 0 {
		t.Errorf("%s is still in %v", u, files)
	}
	crawlToForget(t, dir, 12)
}
