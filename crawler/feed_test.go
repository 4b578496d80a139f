package crawler_test

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/crawl"
	"dowse/crawler"
	"dowse/settings"
)

// A blog is a site with a feed, and a text about it. Every day that the clock is ahead it has one more article.
type blog struct{ days atomic.Int64 }

func (b *blog) now() time.Time { return time.Now().Add(time.Duration(b.days.Load()) * 24 * time.Hour) }

const tideProse = "<p>Tide pools on the shore are full of sea stars and anemones, and every tide pool has its own."

func (b *blog) RoundTrip(r *http.Request) (*http.Response, error) {
	kind, body, status := "text/html", "", 200
	head := `<link rel="alternate" type="application/rss+xml; charset=utf-8" href="/feed"><link rel=alternate type=application/atom+xml href=/second>`
	var day int64
	switch path := r.URL.Path; {
	case path == "/":
		body = "<title>Tide pools</title>" + head + tideProse + `<a href="/about.txt">about tide pools</a>`
	case path == "/feed":
		kind = "text/xml"
		body = "<rss version=\"2.0\"><channel><title>Tide pools</title>"
		for day := range b.days.Load() + 1 {
			body += fmt.Sprintf("<item><title>Tide pools, day %d</title><link>/day/%d</link><description>&lt;b&gt;sea stars&lt;/b&gt; of the tide pool</description></item>", day, day)
		}
		body += "<item><title>Elsewhere</title><link>http://other.example/x</link></item></channel></rss>"
	case path == "/about.txt":
		kind, body = "text/plain; charset=iso-8859-1", "About tide pools\n\nTide pools of the sh\xf8re: sea stars,\nanemones. See <http://blog.example/more> for more tide pools.\n"
	case sscan(path, "/day/%d", &day):
		body = fmt.Sprintf("<title>Tide pools, day %d</title>", day) + head + tideProse + fmt.Sprintf(" Day %d.", day)
	case path == "/more":
		body = "<title>More</title>" + tideProse
	default:
		status = 404
	}
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {kind}}, Body: io.NopCloser(strings.NewReader(body)), Request: r, ProtoMajor: 1, ProtoMinor: 1}, nil
}

func sscan(s, format string, n *int64) bool {
	_, err := fmt.Sscanf(s, format, n)
	return err == nil
}

// crawl crawls the blog once.
func (b *blog) crawl(t *testing.T, dir, strategy, refresh string) {
	t.Helper()
	x, err := crawler.Open(dir, crawler.Config{
		Topic: tidePools, Seeds: []string{"http://blog.example/"}, Transport: b, Clock: b.now,
		Settings: settings.Settings{Order: settings.Order{Strategy: strategy, Refresh: refresh}, Key: 7, Politeness: settings.Politeness{Delay: -1, InFlight: 1}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for range x.Crawl(t.Context()) {
	}
	if err := x.Err(); err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
}

// The feed that a page offers is read, its items are leads with their titles, and it is no page. With a refresh it is
// read again, and what is new in it is found. A text is a page.
func TestFeedAndTextOfASite(t *testing.T) {
	for _, strategy := range []string{"auto", "link-context", "breadth-first", "opic", "shark"} {
		b := &blog{}
		b.days.Store(2)
		dir := filepath.Join(t.TempDir(), "x.dowse")
		b.crawl(t, dir, strategy, "")
		sound(t, dir)
		c, err := crawler.View(dir)
		if err != nil {
			t.Fatal(err)
		}
		col := c.Collection
		if books := col.Crawl.Books(); books.Fetched != 6 || books.Sitemaps != 1 {
			t.Errorf("%s: books %+v, want home, 3 days, a text and what it links to; 1 feed", strategy, books)
		}
		x, err := col.Why("http://blog.example/day/1")
		if err != nil || x.Found.How != collection.FromFeed || x.Found.Parent != "http://blog.example/feed" || x.Found.Anchor != "Tide pools, day 1" || len(x.Path) != 3 {
			t.Errorf("%s: %v, found %+v, path %v", strategy, err, x.Found, x.Path)
		}
		feed, err := col.Why("http://blog.example/feed")
		if err != nil || !feed.Sitemap || feed.Found.How != "link" || feed.Found.Parent != "http://blog.example/" || feed.Row.Depth != 1 {
			t.Errorf("%s: %v, the feed: %+v of %+v", strategy, err, feed.Found, feed.Row.Page)
		}
		text, err := col.Why("http://blog.example/about.txt")
		if err != nil || text.Row.Outcome != dowse.Fetched || text.Row.Title != "About tide pools" || text.Judged.Relevance == 0 {
			t.Errorf("%s: %v, the text: %+v", strategy, err, text.Row.Page)
		}
		if doc, err := col.Document(text.Row.Page); err != nil || doc.Text != "About tide pools\nTide pools of the shøre: sea stars, anemones. See <http://blog.example/more> for more tide pools." || len(doc.Links) != 1 {
			t.Errorf("%s: %v, the text reads %q", strategy, err, doc.Text)
		}
		if e := entryOf(t, col, "http://blog.example/feed"); strategy == "link-context" && !(e.Found[0].Context > 0) || len(e.Page.Text) > 0 {
			t.Errorf("%s: the words of an item are rated %v", strategy, e.Found[0].Context)
		}
		c.Close()

		b.days.Store(12)
		b.crawl(t, dir, strategy, "7d")
		sound(t, dir)
		if c, err = crawler.View(dir); err != nil {
			t.Fatal(err)
		}
		if books := c.Collection.Crawl.Books(); books.Fetched != 16 || books.Sitemaps != 1 {
			t.Errorf("%s: after ten days: books %+v", strategy, books)
		}
		c.Close()
	}
}

// entryOf returns the first entry of a page.
func entryOf(t *testing.T, col *collection.Collection, u dowse.URL) *crawl.Entry {
	t.Helper()
	for e, err := range col.Journal.Scan(0, col.URL) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == crawl.EntryPage && e.Page.URL == u {
			return e
		}
	}
	t.Fatalf("no entry of %s", u)
	return nil
}
