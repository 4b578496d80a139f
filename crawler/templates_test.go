package crawler_test

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dowse"
	"dowse/crawler"
	"dowse/internal/demo"
	"dowse/internal/repeats"
)

// framed returns the configuration of a crawl of a web whose pages repeat much.
func framed(strategy string, pages int) crawler.Config {
	web := demo.New(demo.Config{Pages: 1000, Latency: -1, SlowLatency: -1, Topology: demo.Topology{Boilerplate: 0.4}})
	cfg := poolsWith(strategy, pages)
	cfg.Transport, cfg.Templates, cfg.Block = web.RoundTripper(), repeats.Uses, fickle(web)
	return cfg
}

// TestTemplatesAfterAKill crawls in two runs, the second without snapshots, so that all is rebuilt from the journal and
// the archive. It must visit the pages of a crawl that was never interrupted, in the same order, with the same verdicts; and
// a replay of its journal must give its state.
func TestTemplatesAfterAKill(t *testing.T) {
	sameGoroutines(t)
	strategies := []string{"auto", "link-context", "shark"}
	if testing.Short() {
		strategies = strategies[:1]
	}
	for _, strategy := range strategies {
		t.Run(strategy, func(t *testing.T) {
			crawl := func(dir string, pages int) (visited []string) {
				cfg := framed(strategy, pages)
				cfg.Contrast = crawler.ContrastEveryday
				c, err := crawler.Open(dir, cfg)
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				for p := range c.Crawl(context.Background()) {
					visited = append(visited, fmt.Sprintf("%s %v %d", p.URL, p.Relevance, len(p.Repeated)))
				}
				if v, err := c.Verify(nil); c.Err() != nil || err != nil || !v.OK() || !v.Replayed {
					t.Fatalf("%v, %v, %+v", c.Err(), err, v)
				}
				return visited
			}
			whole := crawl(filepath.Join(t.TempDir(), "x.dowse"), 60)
			dir := filepath.Join(t.TempDir(), "x.dowse")
			parts := crawl(dir, 31)
			snapshots, err := filepath.Glob(filepath.Join(dir, "state", "snapshot-*.snap"))
			if err != nil || len(snapshots) == 0 {
				t.Fatalf("snapshots: %v, %v", snapshots, err)
			}
			for _, name := range snapshots {
				if err := os.Remove(name); err != nil {
					t.Fatal(err)
				}
			}
			parts = append(parts, crawl(dir, 60)...)
			if diff := cmp.Diff(whole, parts); diff != "" {
				t.Errorf("in one run (-) and in two (+):\n%s", diff)
			}
			if n := slices.IndexFunc(whole, func(s string) bool { return !strings.HasSuffix(s, " 0") }); n < 0 {
				t.Error("nothing repeats in this web")
			}
		})
	}
}

// A listener is a judge that keeps what it is given to read.
type listener struct {
	mu   sync.Mutex
	read map[dowse.URL]string
}

func (l *listener) Judge(p *dowse.Page) dowse.Verdict {
	v, _ := l.JudgeWindows(p, nil)
	return v
}

func (l *listener) JudgeWindows(p *dowse.Page, windows []dowse.Span) (dowse.Verdict, []float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.read[p.URL] = p.Text
	scores := make([]float64, len(windows))
	for i := range scores {
		scores[i] = 0.5
	}
	return dowse.Verdict{Relevance: 1, Judge: "listener"}, scores
}

// A watcher is a strategy that keeps the links that it is shown.
type watcher struct{ shown map[dowse.URL][]dowse.Mention }

func (w *watcher) Traits() dowse.Traits { return dowse.Traits{Window: 20} }

func (w *watcher) Follow(p *dowse.Page) (leads []dowse.Lead) {
	for _, l := range p.Links {
		w.shown[p.URL] = append(w.shown[p.URL], l.Mention)
		if l.Target.State == dowse.Unseen {
			leads = append(leads, dowse.Lead{URL: l.URL})
		}
	}
	return leads
}

// TestTemplates crawls a chain of pages with a menu and reads what the judge and the strategy are given of each.
func TestTemplates(t *testing.T) {
	sameGoroutines(t)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := len(r.URL.Path)
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<title>%d</title><ul><li><a href="/m">menu</a> of the site</ul><p>own %s text with <a href="%sx">a link</a> to the next<p>footer of the site`, n, strings.Repeat("z", n), r.URL.Path)
	}))
	defer site.Close()
	for _, use := range [][]string{nil, {"judge"}, {"links"}, {"judge", "links"}} {
		t.Run(strings.Join(use, ","), func(t *testing.T) {
			j, s := &listener{read: map[dowse.URL]string{}}, &watcher{map[dowse.URL][]dowse.Mention{}}
			cfg := local
			cfg.Judge, cfg.Strategy, cfg.Seeds, cfg.Pages, cfg.Templates = j, s, []string{site.URL + "/"}, 16, use
			cfg.InFlight = 1
			dir := filepath.Join(t.TempDir(), "x.dowse")
			crawlAll(t, dir, cfg)
			want := repeats.UseOf(use)
			explained(t, dir, dowse.URL(site.URL+"/xxxxx"), want)
			for n := 1; n <= 6; n += 5 {
				u := dowse.URL(site.URL + "/" + strings.Repeat("x", n-1))
				text, links := j.read[u], s.shown[u]
				if len(links) != 2 {
					t.Fatalf("%s has %d links", u, len(links))
				}
				menu, own := links[0], links[1]
				learnt := n > 1
				if strings.Contains(text, "menu") == (learnt && want.Judge) || strings.Contains(text, "footer") == (learnt && want.Judge) || !strings.Contains(text, "own z") {
					t.Errorf("the judge reads %q of %s", text, u)
				}
				if bare := learnt && want.Links; menu.Anchor == "" != bare || math.IsNaN(menu.Context) != bare || menu.Window.Len() == 0 != bare {
					t.Errorf("%s: the link of the menu is shown as %+v", u, menu)
				}
				if limited := learnt && want.Links; own.Anchor != "a link" || own.Context != 0.5 || (own.Window.Len() < 12) != limited {
					t.Errorf("%s: the own link is shown as %+v", u, own)
				}
			}
		})
	}
}

// explained compares what why shows of a page with what was left out.
func explained(t *testing.T, dir string, u dowse.URL, use repeats.Use) {
	t.Helper()
	c, err := crawler.View(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	x, err := c.Collection.Why(u)
	if err != nil {
		t.Fatal(err)
	}
	links, err := c.Collection.Links(u)
	if err != nil || len(links) != 2 || links[0].Anchor != "menu" || links[0].Shared != use.Links || links[1].Shared {
		t.Errorf("%v, links %+v", err, links)
	}
	if (x.Shared != nil) != use.Any() {
		t.Fatalf("shared: %+v", x.Shared)
	}
	if s := x.Shared; s != nil && (s.Parts != 2 || s.Bytes != len("menu of the site\n"+"footer of the site") || s.Judge != use.Judge || (s.Links == 1) != use.Links) {
		t.Errorf("shared: %+v", s)
	}
}
