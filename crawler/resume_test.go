package crawler_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"dowse/collection"
	"dowse/crawler"
)

// TestFrozen resumes a crawl with the config that began it, and with others: the same is
// no error, and what belongs to the beginning is refused by name.
func TestFrozen(t *testing.T) {
	cfg := local
	cfg.Words, cfg.Seeds, cfg.Threshold, cfg.Key = []string{"coral"}, []string{reefSite(t).URL + "/"}, 0.4, 7
	cfg.Scope.Exclude = []string{"/x", "/x"}
	dir := filepath.Join(t.TempDir(), "x.dowse")
	crawlAll(t, dir, cfg)
	for _, c := range []struct {
		setting string
		change  func(*crawler.Config)
	}{
		{"", func(*crawler.Config) {}},
		{"", func(c *crawler.Config) { c.Words, c.Threshold, c.Key = nil, 0, 0 }},
		{"", func(c *crawler.Config) { c.Threshold = 0.1 }},
		{"unit", func(c *crawler.Config) { c.Unit = crawler.UnitSite }},
		{"", func(c *crawler.Config) { c.Scope.Reach = "host" }},
		{"explore", func(c *crawler.Config) { c.Explore = 0.5 }},
		{"strategy", func(c *crawler.Config) { c.Settings.Strategy = "breadth-first" }},
		{"shadow", func(c *crawler.Config) { c.Shadows = []string{"fish"} }},
		{"rng", func(c *crawler.Config) { c.Key = 8 }},
		{"topic", func(c *crawler.Config) { c.Words = []string{"algae"} }},
	} {
		given := cfg
		c.change(&given)
		_, err := crawler.Rehearse(dir, given)
		var f *crawler.FrozenError
		if errors.As(err, &f); (c.setting == "") != (err == nil) || f != nil && f.Setting != c.setting {
			t.Errorf("a rehearsal with another %q: %v", c.setting, err)
		}
		cr, err := crawler.Open(dir, given)
		if err == nil {
			err = cr.Close()
		}
		if f = nil; errors.As(err, &f) != (c.setting != "") || f != nil && f.Setting != c.setting {
			t.Errorf("another %q: %v", c.setting, err)
		}
	}
	s, err := collection.ReadSettings(dir)
	if err != nil || !slices.Equal(s.Scope.Exclude, []string{"/x"}) {
		t.Errorf("%v, %v: want one entry for what is given again and again", s.Scope.Exclude, err)
	}
}

// TestSeedThatWasNotQueued resumes a crawl whose settings name a seed that its journal does
// not know: a crash came between the two. The seed is fetched.
func TestSeedThatWasNotQueued(t *testing.T) {
	var mu sync.Mutex
	var asked []string
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked = append(asked, r.URL.Path)
		mu.Unlock()
		w.Header().Set("Content-Type", "text/html")
		w.Write([]byte("<title>Reef</title><nav><a href=/>Home</a></nav><p>coral at " + r.URL.Path))
	}))
	defer web.Close()
	cfg := local
	cfg.Words, cfg.Seeds = []string{"coral"}, []string{web.URL + "/"}
	dir := filepath.Join(t.TempDir(), "x.dowse")
	crawlAll(t, dir, cfg)
	file := filepath.Join(dir, "crawl.yaml")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	more := strings.Replace(string(data), "seeds:\n", "seeds:\n- "+web.URL+"/late\n", 1)
	if err := os.WriteFile(file, []byte(more), 0o600); err != nil || more == string(data) {
		t.Fatal(err, more)
	}
	cfg.Seeds = nil
	crawlAll(t, dir, cfg)
	mu.Lock()
	defer mu.Unlock()
	if !slices.Contains(asked, "/late") {
		t.Errorf("asked for %v, want the seed that was not queued", asked)
	}
}
