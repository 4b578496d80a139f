//go:build unix

package collection_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"dowse/crawler"
	"dowse/settings"
)

var (
	skippedHubs  = flag.Int("skipped-hubs", 20, "hubs whose links BenchmarkViewsOfSkipped skips")
	skippedLinks = flag.Int("skipped-links", 100, "links of each of these hubs")
)

// A closedWeb is a web of hubs. Each links to the next hub and to pages that robots.txt excludes.
type closedWeb struct{ hubs, links int }

func (w closedWeb) RoundTrip(r *http.Request) (*http.Response, error) {
	kind, body := "text/html", ""
	switch {
	case r.URL.Path == "/robots.txt":
		kind, body = "text/plain", "User-agent: *\nDisallow: /closed/\n"
	default:
		var hub int
		fmt.Sscanf(r.URL.Path, "/hub/%d", &hub)
		body = w.hub(hub)
	}
	return &http.Response{
		StatusCode: 200, ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{"Content-Type": {kind}}, Request: r,
		Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
	}, nil
}

func (w closedWeb) hub(i int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<title>Hub %d</title><p>Hub %d of reef pages", i, i)
	if i+1 < w.hubs {
		fmt.Fprintf(&b, ` <a href="/hub/%d">next reef hub</a>`, i+1)
	}
	for k := range w.links {
		fmt.Fprintf(&b, ` <a href="http://b%d.example/closed/%d">page %d</a> word%d`, i*20+k%20, k*w.hubs+i, k, (k*7+i)%50)
	}
	return b.String()
}

// crawlClosed crawls a closedWeb.
func crawlClosed(t testing.TB, dir string, w closedWeb) {
	t.Helper()
	c, err := crawler.Open(dir, crawler.Config{
		Words: []string{"reef"}, Judge: alwaysOn{}, Transport: w, Seeds: []string{"http://a.example/hub/0"},
		Settings: settings.Settings{
			Order: settings.Order{Strategy: "random"}, Key: 7, Politeness: settings.Politeness{Delay: settings.None},
			Identity: settings.Identity{Contact: "mailto:me@example.org"},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for range c.Crawl(context.Background()) {
	}
	if err := c.Err(); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

// BenchmarkViewsOfSkipped writes the views of a crawl that skipped most of its links, each on a page
// that is far from the last one in the journal.
//
//	go test ./collection -run '^$' -bench ViewsOfSkipped -benchtime 1x -skipped-hubs 300 -skipped-links 500
func BenchmarkViewsOfSkipped(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "a.dowse")
	crawlClosed(b, dir, closedWeb{*skippedHubs, *skippedLinks})
	c := open(b, dir, false)
	b.ReportAllocs()
	for b.Loop() {
		if err := c.RewriteViews(); err != nil {
			b.Fatal(err)
		}
	}
	n := c.Crawl.Frontier().Len()
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/URL")
	b.ReportMetric(float64(n), "URLs")
}
