package crawler_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"dowse"
	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/durable"
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
	unknown := cfg
	unknown.Unit = "galaxy"
	if _, err := crawler.Rehearse(dir+"2", unknown); err == nil || !strings.Contains(err.Error(), `unknown unit "galaxy"`) {
		t.Errorf("an unknown unit: %v", err)
	}
	s, err := collection.ReadSettings(dir)
	if err != nil || !slices.Equal(s.Scope.Exclude, []string{"/x"}) {
		t.Errorf("%v, %v: want one entry for what is given again and again", s.Scope.Exclude, err)
	}
}

// TestAnotherKey edits and removes the key in the settings of a crawl with a takedown. With a
// wrong key the URL would be fetched again, so the collection is refused, to readers too.
func TestAnotherKey(t *testing.T) {
	sameGoroutines(t)
	site := reefSite(t)
	cfg := local
	cfg.Words, cfg.Seeds, cfg.Key = []string{"coral"}, []string{site.URL + "/"}, 7
	dir := filepath.Join(t.TempDir(), "x.dowse")
	crawlAll(t, dir, cfg)
	if _, err := forgetOne(dir, dowse.URL(site.URL+"/")); err != nil {
		t.Fatal(err)
	}
	cfg.Key = 0
	crawlAll(t, dir, cfg) // which saves the state again
	file := filepath.Join(dir, "crawl.yaml")
	data, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(data), "\nkey: 7\n") {
		t.Fatalf("%v: %s", err, data)
	}
	for _, line := range []string{"key: 8\n", ""} {
		edited := strings.Replace(string(data), "key: 7\n", line, 1)
		if err := os.WriteFile(file, []byte(edited), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := crawler.Open(dir, cfg); !errors.Is(err, collection.ErrDamaged) {
			t.Errorf("%q: Open: %v", line, err)
		}
		if _, err := crawler.View(dir); !errors.Is(err, collection.ErrDamaged) {
			t.Errorf("%q: View: %v", line, err)
		}
		if left, err := os.ReadFile(file); err != nil || string(left) != edited {
			t.Errorf("%q: crawl.yaml was changed: %v", line, err)
		}
	}
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
	crawlAll(t, dir, cfg)
}

// TestGoneWhileCrawling removes or moves a collection, or the folder of its journal, while a
// crawl writes to it. The crawl stops with an error and fetches no more.
func TestGoneWhileCrawling(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("open files can't be removed there")
	}
	for name, remove := range map[string]func(dir string) error{
		"collection": os.RemoveAll,
		"state":      func(dir string) error { return os.RemoveAll(filepath.Join(dir, "state")) },
		"moved":      func(dir string) error { return os.Rename(dir, dir+".moved") },
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "x.dowse")
			cfg := poolsWith("breadth-first", 300)
			c, err := crawler.Open(dir, cfg)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			n := 0
			for range c.Crawl(t.Context()) {
				if n++; n == 1 {
					if err := remove(dir); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := c.Err(); !errors.Is(err, durable.ErrGone) || c.Status().Fetched == cfg.Pages {
				t.Errorf("%d pages fetched, error %v", c.Status().Fetched, err)
			}
			if name != "state" && collection.IsCollection(dir) {
				t.Error("the crawl made the collection again")
			}
		})
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
