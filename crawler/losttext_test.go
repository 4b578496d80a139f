package crawler_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dowse"
	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/demo"
	"dowse/settings"
)

// TestOneLostText breaks the record of one page of a crawl whose strategy reads texts. A model can be trained on labels all the same,
// and all is decided again without that text, so that a replay from then on gives the same state.
func TestOneLostText(t *testing.T) {
	sameGoroutines(t)
	dir, pages := crawledPools(t)
	breakRecord(t, dir, pages[30].Fetch.Archive)
	labelSome(t, dir, pages[20:40])
	m, err := crawler.Retrain(dir, "")
	if err != nil || m.Error != "" || m.Unread != 1 || m.Examples != 19 {
		t.Fatalf("got %+v, %v; want a model that passed over one page", m, err)
	}
	v, err := viewOf(t, dir).Verify(nil)
	if err != nil || !v.Replayed {
		t.Fatalf("verify: %v, %+v", err, v)
	}
	for _, p := range v.Problems {
		if !strings.HasPrefix(p.Place, "archive/") {
			t.Errorf("got problem %s, want those of the archive only", p)
		}
	}
}

// TestLostTextAfterTraining breaks the record of one page after a model was trained. A replay ranks links otherwise
// without that text, and verification reports the record, not each link.
func TestLostTextAfterTraining(t *testing.T) {
	sameGoroutines(t)
	dir, pages := crawledPools(t)
	labelSome(t, dir, pages[20:40])
	if m, err := crawler.Retrain(dir, ""); err != nil || m.Error != "" {
		t.Fatalf("got %+v, %v; want a model", m, err)
	}
	if v, err := viewOf(t, dir).Verify(nil); err != nil || !v.OK() || v.Unranked {
		t.Fatalf("before: %v, %+v", err, v)
	}
	breakRecord(t, dir, pages[30].Fetch.Archive)
	v, err := viewOf(t, dir).Verify(nil)
	if err != nil || !v.Replayed || !v.Unranked || v.OK() {
		t.Fatalf("verify: %v, %+v", err, v)
	}
	for _, p := range v.Problems {
		if !strings.HasPrefix(p.Place, "archive/") {
			t.Errorf("got problem %s, want those of the archive only", p)
		}
	}
}

// crawledPools crawls 60 pages of the demo web with a strategy that reads texts.
func crawledPools(t *testing.T) (dir string, pages []*crawler.Page) {
	t.Helper()
	web := demo.New(demo.Config{Pages: 600, Latency: -1, SlowLatency: -1})
	cfg := crawler.Config{
		Topic: tidePools, Transport: web.RoundTripper(),
		Settings: settings.Settings{Order: settings.Order{Strategy: "auto"}, Limits: settings.Limits{Pages: 60}, Politeness: settings.Politeness{Delay: -1, InFlight: 4}},
	}
	for _, u := range web.Seeds("tide pools", 2) {
		cfg.Seeds = append(cfg.Seeds, string(u))
	}
	dir = filepath.Join(t.TempDir(), "x.dowse")
	c, err := crawler.Open(dir, cfg)
	if err != nil {
		t.Fatal(err)
	}
	for p := range c.Crawl(t.Context()) {
		pages = append(pages, p)
	}
	if err := c.Close(); err != nil || len(pages) < 40 {
		t.Fatal(len(pages), err)
	}
	return dir, pages
}

// labelSome labels pages on and off in turn, without training.
func labelSome(t *testing.T, dir string, pages []*crawler.Page) {
	t.Helper()
	var labels []collection.Label
	for i, p := range pages {
		labels = append(labels, collection.Label{URL: p.URL, Label: []string{collection.LabelOn, collection.LabelOff}[i%2]})
	}
	labels = append(labels, collection.Label{Do: collection.DoTrain, Accept: true})
	if err := collection.AppendLabels(dir, labels...); err != nil {
		t.Fatal(err)
	}
}

// viewOf opens a collection for reading until the end of the test.
func viewOf(t *testing.T, dir string) *crawler.Crawler {
	t.Helper()
	c, err := crawler.View(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// breakRecord changes bytes in the middle of a record of the archive.
func breakRecord(t *testing.T, dir string, at dowse.Place) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(dir, "archive", at.File), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := make([]byte, 8)
	middle := at.Offset + at.Length/2
	if _, err := f.ReadAt(b, middle); err != nil {
		t.Fatal(err)
	}
	for i := range b {
		b[i] ^= 0xff
	}
	if _, err := f.WriteAt(b, middle); err != nil {
		t.Fatal(err)
	}
}
