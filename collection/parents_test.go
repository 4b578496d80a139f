//go:build unix

package collection_test

import (
	"os"
	"path/filepath"
	"testing"

	"dowse"
	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/frontier"
	"dowse/settings"
)

// sameParents compares the parents of all URLs of a collection, looked up together, with those
// looked up one by one. It returns how many have a parent.
func sameParents(t *testing.T, c *collection.Collection) (n int) {
	t.Helper()
	var ids []frontier.ID
	for id := range frontier.ID(c.Crawl.Frontier().Len()) {
		if c.URL(id) != "" { // it was not taken down
			ids = append(ids, id, id/2)
		}
	}
	together, err := c.Parents(ids)
	if err != nil {
		t.Fatal(err)
	}
	for i, id := range ids {
		alone, err := c.Parent(id)
		if err != nil {
			t.Fatal(err)
		}
		if together[i] != alone {
			t.Errorf("parent of %s: %q together, %q alone", c.URL(id), together[i], alone)
		}
		if alone != "" {
			n++
		}
	}
	return n
}

// TestParentsTogether: looking up parents together gives the same as one by one, for links,
// redirects, seeds, sitemaps, the pages of rounds, and links of pages that were taken down.
func TestParentsTogether(t *testing.T) {
	sequential(t)
	dir := copied(t)
	if n := sameParents(t, open(t, dir, true)); n < 1000 {
		t.Errorf("%d URLs have a parent, want most", n)
	}
	c := open(t, dir, true)
	taken := map[dowse.URL]bool{}
	for id := range frontier.ID(c.Crawl.Frontier().Len()) {
		if u, err := c.Parent(id); err == nil && u != "" && len(taken) < 5 {
			taken[u] = true
		}
	}
	c.Close()
	var urls []dowse.URL
	for u := range taken {
		urls = append(urls, u)
	}
	if _, err := collection.Forget(dir, collection.Takedown{URLs: urls, Why: "asked", At: takenDown}); err != nil {
		t.Fatal(err)
	}
	sameParents(t, open(t, dir, true))
}

// TestParentsOfRounds: in a round the first entry names the URLs of all pages.
func TestParentsOfRounds(t *testing.T) {
	sequential(t)
	dir := filepath.Join(t.TempDir(), "rounds.dowse")
	c, err := crawler.Open(dir, crawler.Config{
		Words: []string{"reef"}, Judge: alwaysOn{}, Transport: corpusWeb(300), Seeds: []string{corpusURL(0)},
		Settings: settings.Settings{
			Order: settings.Order{Strategy: "breadth-first:round=20"}, Key: 7, Politeness: settings.Politeness{Delay: settings.None},
			Identity: settings.Identity{Contact: "mailto:me@example.org"}, Limits: settings.Limits{Pages: 100},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for range c.Crawl(t.Context()) {
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if n := sameParents(t, open(t, dir, true)); n < 200 {
		t.Errorf("%d URLs have a parent, want most", n)
	}
}

// TestViewsAreLinear: what the views of a crawl cost per URL does not grow with the links of a
// page. The measure is allocations, which do not depend on the machine.
func TestViewsAreLinear(t *testing.T) {
	sequential(t)
	perURL := func(links int) float64 {
		dir := filepath.Join(t.TempDir(), "a.dowse")
		crawlClosed(t, dir, closedWeb{hubs: 10, links: links})
		c := open(t, dir, false)
		allocs := testing.AllocsPerRun(1, func() {
			if err := c.RewriteViews(); err != nil {
				t.Fatal(err)
			}
		})
		c.Close()
		if log := readAll(t, filepath.Join(dir, "log", "crawl.log")); len(log) < 10*links*50 {
			t.Fatalf("the log has %d bytes, want a line for each of %d URLs", len(log), 10*links)
		}
		os.RemoveAll(dir)
		return allocs / float64(c.Crawl.Frontier().Len())
	}
	if few, many := perURL(50), perURL(400); many > 1.5*few {
		t.Errorf("%.0f allocations per URL for pages of 50 links, %.0f for pages of 400: want about the same", few, many)
	}
}
