package hostile_test

import (
	"context"
	"dowse/settings"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"dowse/crawler"
	"dowse/internal/hostile"
	"dowse/internal/hostile/template"
)

// A town is a server of made hosts on a loopback address, which notes what it is asked.
type town struct {
	*httptest.Server
	pages map[string]string // HTML by host and path
	wait  func(key string)  // called before an answer, if set

	mu    sync.Mutex
	asked map[string]int
}

func newTown(t *testing.T, pages ...template.Page) *town {
	t.Helper()
	w := &town{pages: map[string]string{}, asked: map[string]int{}}
	for i := range pages {
		w.pages[pages[i].Key()] = pages[i].HTML
	}
	w.Server = httptest.NewServer(w)
	t.Cleanup(w.Close)
	return w
}

func (w *town) ServeHTTP(to http.ResponseWriter, r *http.Request) {
	key := r.Host + r.RequestURI
	if w.wait != nil {
		w.wait(key)
	}
	w.mu.Lock()
	w.asked[key]++
	html, ok := w.pages[key]
	w.mu.Unlock()
	if !ok {
		http.Error(to, "no such page", http.StatusNotFound)
		return
	}
	to.Header().Set("Content-Type", "text/html; charset=utf-8")
	io.WriteString(to, html)
}

// crawl crawls from seeds without delay until nothing is left.
func (w *town) crawl(t *testing.T, strategy string, seeds ...string) {
	t.Helper()
	addr := w.Listener.Addr().String()
	c, err := crawler.Open(filepath.Join(t.TempDir(), "whole.dowse"), crawler.Config{
		Words: []string{hostile.Topic}, Seeds: seeds, Settings: settings.Settings{Order: settings.Order{Strategy: strategy}, Key: 1, Identity: settings.Identity{Agent: hostile.Agent}, Politeness: settings.Politeness{Delay: -1, InFlight: 16, Conns: 4}},
		Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, addr)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	c.Run(ctx, ctx, func(*crawler.Page) bool { return true })
	if err := c.Err(); err != nil {
		t.Fatal(err)
	}
}

// missing returns how many of the pages that links lead to were never asked for, and
// one of them.
func (w *town) missing(pages []template.Page) (n int, one string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range pages {
		if p := &pages[i]; p.Same == "" && w.asked[p.Key()] == 0 {
			n, one = n+1, p.Key()
		}
	}
	return n, one
}

// TestTemplateSitesAreCrawledWhole crawls sites like real ones and counts what was not
// fetched of them: nothing.
func TestTemplateSitesAreCrawledWhole(t *testing.T) {
	t.Parallel()
	for _, s := range madeSites("whole") {
		for _, strategy := range []string{"breadth-first", "link-context"} {
			t.Run(s.name+" "+strategy, func(t *testing.T) {
				t.Parallel()
				w := newTown(t, s.pages...)
				var seeds []string
				for i := range s.pages {
					if p := &s.pages[i]; p.Path == "/" {
						seeds = append(seeds, "http://"+p.Key())
					}
				}
				w.crawl(t, strategy, seeds...)
				if n, one := w.missing(s.pages); n > 0 {
					t.Errorf("%d of %d pages were never asked for, such as %s", n, len(s.pages), one)
				}
			})
		}
	}
}

// TestCopyLosesNothing copies the first page of a victim to a host that answers before the
// victim does, with the victim as a seed or found by a link.
func TestCopyLosesNothing(t *testing.T) {
	t.Parallel()
	for _, seeded := range []bool{true, false} {
		t.Run(fmt.Sprintf("seed %v", seeded), func(t *testing.T) {
			t.Parallel()
			victim := template.News("victim.test", 30)
			home := victim[0]
			thief := home
			thief.Host = "thief.test"
			hub := template.Page{Host: "hub.test", Path: "/", HTML: "<title>Links</title><p>" + template.Prose("hub", 40) +
				`<p><a href="http://thief.test/">one</a> <a href="http://victim.test/">two</a>`}
			w := newTown(t, append(victim, thief, hub)...)
			copied := make(chan struct{})
			var once sync.Once
			w.wait = func(key string) {
				switch {
				case strings.HasPrefix(key, "thief.test/article"): // the copy was taken in
					once.Do(func() { close(copied) })
				case key == "victim.test/":
					select {
					case <-copied:
					case <-time.After(20 * time.Second): // a crawl that does not follow the copy
					}
				}
			}
			seeds := []string{"http://hub.test/"}
			if seeded {
				seeds = []string{"http://thief.test/", "http://victim.test/"}
			}
			w.crawl(t, "breadth-first", seeds...)
			if n, one := w.missing(victim); n > 0 {
				t.Errorf("%d of %d pages of the victim were never asked for, such as %s", n, len(victim), one)
			}
		})
	}
}

// TestNumbersAloneAreContent crawls catalogues whose pages have the same words and differ
// in a part number, and perhaps in a table of sizes. They are all fetched, since a
// catalogue is what some crawls are for. Crawls that took them for a trap stopped after
// 250 pages.
func TestNumbersAloneAreContent(t *testing.T) {
	t.Parallel()
	for values, parts := range map[int]int{0: 1500, 1: 500, 3: 500, 12: 500} {
		t.Run(fmt.Sprintf("%d values", values), func(t *testing.T) {
			t.Parallel()
			pages := template.Parts("parts.test", parts, values)
			w := newTown(t, pages...)
			w.crawl(t, "breadth-first", "http://parts.test/")
			if n, one := w.missing(pages); n > 0 {
				t.Errorf("%d of %d pages were never asked for, such as %s", n, len(pages), one)
			}
		})
	}
}
