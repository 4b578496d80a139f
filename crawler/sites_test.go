//go:build unix

package crawler_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"dowse/crawler"
	"dowse/internal/demo"
	"dowse/internal/site"
	"dowse/settings"
)

const townSites = 150

func testTown() *demo.Town { return demo.NewTown(demo.TownConfig{Sites: townSites, Seed: 77}) }

// slowTown takes a moment for every answer, so that a crawl can be killed in the middle
// of several sites.
type slowTown struct{ http.RoundTripper }

func (s slowTown) RoundTrip(r *http.Request) (*http.Response, error) {
	time.Sleep(time.Millisecond)
	return s.RoundTripper.RoundTrip(r)
}

// townConfig looks for sites in the test's town.
func townConfig(polite settings.Politeness) crawler.Config {
	town := testTown()
	cfg := crawler.Config{
		Words: town.Topic().Words, Unit: crawler.UnitSite, Settings: settings.Settings{Order: settings.Order{Strategy: "site:sites=3"}, Identity: settings.Identity{Contact: "http://127.0.0.1/"}, Politeness: polite},
		Transport: slowTown{town.RoundTripper()},
	}
	for _, s := range town.Training(3, 0) {
		cfg.Seeds = append(cfg.Seeds, "http://"+s.Host+"/")
	}
	return cfg
}

// sitesOf returns the sites that a crawl found.
func sitesOf(t *testing.T, dir string) (list []string, reading int) {
	t.Helper()
	c, err := crawler.View(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	s, ok := c.Collection.Crawl.Strategy().(*site.Crawler)
	if !ok {
		t.Fatalf("the strategy is a %T", c.Collection.Crawl.Strategy())
	}
	for _, d := range s.All() {
		list = append(list, fmt.Sprintf("%+v", d))
	}
	_, reading, _, _ = s.Counts()
	if b := c.Status().Books; !b.Balanced() || b.InFlight != 0 {
		t.Errorf("books %+v", b)
	}
	return list, reading
}

// TestKillSitesExactly kills a crawl for sites in the middle of many inner crawls,
// again and again. It ends with the same pages in the same order, and the same sites to
// the last digit, as one that was not killed.
func TestKillSitesExactly(t *testing.T) {
	sameGoroutines(t)
	t.Setenv(crashAlone, "1")
	t.Setenv(crashTown, "1")
	base := t.TempDir()
	killed, whole := filepath.Join(base, "killed.dowse"), filepath.Join(base, "whole.dowse")
	committed, web := map[string]bool{}, &manyPages{}
	most := 0
	kills := 6
	if testing.Short() {
		kills = 3
	}
	for range kills {
		crawlAndEnd(t, web, killed, moment{40, 0}, syscall.SIGKILL, committed)
		_, reading := sitesOf(t, killed)
		most = max(most, reading)
	}
	if most < 5 {
		t.Errorf("at most %d sites were being read when the crawl was killed", most)
	}
	finish(t, web, killed, committed)
	finish(t, web, whole, committed)
	if diff := cmp.Diff(history(t, whole), history(t, killed)); diff != "" {
		t.Errorf("whole (-) and killed (+) differ:\n%s", diff)
	}
	checkStories(t, whole)
	a, _ := sitesOf(t, whole)
	b, left := sitesOf(t, killed)
	if diff := cmp.Diff(a, b); diff != "" || left != 0 {
		t.Errorf("%d sites are left; whole (-) and killed (+) differ:\n%s", left, diff)
	}
}

// checkStories compares what the collection reports about each site with what the crawl
// knows.
func checkStories(t *testing.T, dir string) {
	t.Helper()
	c, err := crawler.View(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	sites, err := c.Collection.Sites()
	if err != nil {
		t.Fatal(err)
	}
	links := map[string]int{}
	for _, s := range sites {
		story, err := c.Collection.SiteWhy(s.Name)
		if err != nil {
			t.Fatal(err)
		}
		links[s.Name] = len(story.Targets)
		if len(story.Read) != s.Pages || len(story.Targets) < s.Links { // links to dead hosts are reported, and not followed
			t.Errorf("%s: %d pages and %d links are reported, %d and %d known", s.Name, len(story.Read), len(story.Targets), s.Pages, s.Links)
		}
		if s.Judged > 0 && (!story.Read[s.Judged-1].Decided || story.Read[s.Judged-1].Posterior != s.Confidence) {
			t.Errorf("%s: decided by %+v, at %v", s.Name, story.Read[s.Judged-1], s.Confidence)
		}
	}
	g, err := c.Collection.SiteGraph()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range g.Edges {
		links[g.Nodes[e.From].Name]--
	}
	for name, left := range links {
		if left != 0 {
			t.Errorf("%s: the graph has %d links more than its story", name, -left)
		}
	}
}

// TestKillSites kills a crawl with many visits under way. Afterwards every site is
// decided, and each was begun once.
func TestKillSites(t *testing.T) {
	sameGoroutines(t)
	t.Setenv(crashTown, "1")
	dir := filepath.Join(t.TempDir(), "town.dowse")
	committed, web := map[string]bool{}, &manyPages{}
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	for range 5 {
		crawlAndEnd(t, web, dir, moment{1 + rng.IntN(40), time.Duration(rng.IntN(30)) * time.Millisecond}, syscall.SIGKILL, committed)
	}
	finish(t, web, dir, committed)
	list, reading := sitesOf(t, dir)
	if reading != 0 || len(list) < townSites/3 { // the crawl ends when enough sites are judged
		t.Errorf("%d sites are known, %d still being read", len(list), reading)
	}
	order := map[string]bool{}
	for _, line := range list {
		_, n, _ := strings.Cut(line, " Order:")
		n, _, _ = strings.Cut(n, " ")
		if n != "0" && order[n] {
			t.Errorf("two sites were the %sth that was begun", n)
		}
		order[n] = true
	}
}

// TestSiteSettings freezes the strategy of a crawl for sites, with the error of a judge
// that knows it.
func TestSiteSettings(t *testing.T) {
	sameGoroutines(t)
	dir := filepath.Join(t.TempDir(), "town.dowse")
	cfg := townConfig(settings.Politeness{})
	cfg.Judge = wrongAtTimes{}
	c, err := crawler.Open(dir, cfg)
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Collection.Settings.Strategy; got != "site:sites=3,order=sum,p_err=0.125" {
		t.Errorf("the strategy is %s", got)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "crawl.yaml"))
	if err != nil || !strings.Contains(string(data), "site:sites=3,order=sum,p_err=0.125") {
		t.Errorf("crawl.yaml: %v\n%s", err, data)
	}
}

type wrongAtTimes struct{ site.Reader }

func (wrongAtTimes) ErrorRate() float64 { return 0.125 }
