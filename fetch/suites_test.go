package fetch

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"net/netip"
	"testing"

	"dowse"
	"dowse/internal/shareddata"
	"dowse/weburl"
)

// suite reads a file of the conformance suites, which lie outside the repository.
func suite(t *testing.T, name string) []byte {
	t.Helper()
	return shareddata.Read(t, "suites", name)
}

func eachLine(t *testing.T, data []byte, into func() any, do func()) (n int) {
	t.Helper()
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if err := json.Unmarshal(lines.Bytes(), into()); err != nil {
			t.Fatal(err)
		}
		do()
		n++
	}
	return n
}

func TestPublicSuite(t *testing.T) {
	var c struct {
		IP     string
		Public bool
	}
	// The suite follows the registry of special purposes alone. What lies in no
	// block that was ever handed out is not in it, and not public either.
	handedOut, stricter := netip.MustParsePrefix("2000::/3"), 0
	n := eachLine(t, suite(t, "net/ip-public.jsonl"), func() any { return &c }, func() {
		addr := netip.MustParseAddr(c.IP)
		got := weburl.PublicAddr(addr)
		if c.Public && !got && addr.Is6() && !addr.Is4In6() && !handedOut.Contains(addr) {
			stricter++
			return
		}
		if got != c.Public {
			t.Errorf("PublicAddr(%s) = %v", c.IP, got)
		}
	})
	if n != 2222 || stricter != 12 {
		t.Errorf("%d addresses, of which %d are no longer public; want 2222 and 12", n, stricter)
	}
}

// TestRobotsSuite runs Google's own cases. One of them contradicts RFC 9309 2.2.2,
// which compares %62%61%7A and baz as equal.
func TestRobotsSuite(t *testing.T) {
	type robotsCase struct {
		Test    string
		Robots  string `json:"robots_hex"`
		Agent   string `json:"agent_hex"`
		URL     string `json:"url_hex"`
		Allowed bool
	}
	var c robotsCase
	var odd []robotsCase
	n := eachLine(t, suite(t, "robots/google.jsonl"), func() any { c = robotsCase{}; return &c }, func() {
		r := ParseRobots(unhex(t, c.Robots), 200, string(unhex(t, c.Agent)))
		if ok, _ := r.Rules.Allowed(dowse.URL(unhex(t, c.URL))); ok != c.Allowed {
			odd = append(odd, c)
		}
	})
	if n != 145 || len(odd) != 1 {
		t.Errorf("%d of %d cases differ, want 1 of 145", len(odd), n)
	}
	for _, c := range odd {
		if !bytes.Contains(unhex(t, c.Robots), []byte("%62%61%7A")) {
			t.Errorf("%s: %q %q: allowed is not %v", c.Test, unhex(t, c.Robots), unhex(t, c.URL), c.Allowed)
		}
	}
}

func unhex(t *testing.T, s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestSitemapSuite(t *testing.T) {
	const ext = "sitemaps/extension/"
	for _, c := range []struct {
		file, base  string
		pages, maps int
		first, last dowse.URL
	}{
		{"rss/feed.rss", "https://www.example.com/feed.rss", 4, 0, "https://www.example.com/blog/post/1", "https://www.example.com/foo?q=a&l=fr"},
		{"rss/xmlRss_pubDate.xml", "http://www.example.com/rss.xml", 7, 0, "http://www.example.com/article_1", "http://www.example.com/article_7"},
		{"sitemaps/atom.xml", "http://example.org/feed/", 2, 0, "http://example.org/2003/12/13/atom03", "http://example.org/2003/12/13/atom03.html"},
		{"sitemaps/do-not-visit.txt", "http://www.example.com/sitemap.txt", 1, 0, "http://www.example.com/do-not-visit-here", "http://www.example.com/do-not-visit-here"},
		{"sitemaps/sitemap-with-bom.txt", "http://www.domain.com/sitemap.txt", 2, 0, "http://www.domain.com/page1.html", "http://www.domain.com/page2.html"},
		{"sitemaps/sitemap.badns.xml", "http://www.example.com/sitemap.xml", 2, 0, "http://www.example.com/1", "http://www.example.com/2"},
		{"sitemaps/sitemap.index.xml", "https://example.com/sitemap.xml", 0, 15, "https://example.com/sitemap.jss?portalCode=10260&lang=en", "https://example.com/sitemap.jss?portalCode=10570&lang=en"},
		{"sitemaps/sitemap.ns.xml", "http://www.example.com/sitemap.xml", 2, 0, "http://www.example.com/1", "http://www.example.com/2"},
		{"sitemaps/sitemap.txt", "http://www.domain.com/sitemap.txt", 2, 0, "http://www.domain.com/page1.html", "http://www.domain.com/page2.html"},
		{"sitemaps/sitemap.txt.gz", "http://www.example.com/sitemap.txt.gz", 5, 0, "http://www.example.com/", "http://www.example.com/catalog?item=83&desc=vacation_usa"},
		{"sitemaps/xmlSitemap.gz", "http://www.example.com/sitemap.xml.gz", 5, 0, "http://www.example.com/", "http://www.example.com/catalog?item=83&desc=vacation_usa"},
		{ext + "hebdenbridgetimes-articles-sitemap.xml", "http://www.hebdenbridgetimes.co.uk/s.xml", 74, 0, "http://www.hebdenbridgetimes.co.uk/news/local/video-tour-de-yorkshire-in-calderdale-1-7242580", ""},
		{ext + "pagemaps-sitemap.xml", "http://www.example.com/s.xml", 2, 0, "http://www.example.com/foo", ""},
		{ext + "shinpaideshou-news-sitemap.xml", "https://shinpaideshou.wordpress.com/s.xml", 3, 0, "", ""},
		{ext + "sitemap-images.xml", "http://www.example.com/s.xml", 1, 0, "http://www.example.com/images/some_image_landing_page.html", ""},
		{ext + "sitemap-links.xml", "http://www.example.com/s.xml", 3, 0, "http://www.example.com/english/", "http://www.example.com/schweiz-deutsch/"},
		{ext + "sitemap-mobile.xml", "http://www.example.com/s.xml", 3, 0, "http://www.example.com/mobile-friendly-1/", ""},
		{ext + "sitemap-news.xml", "http://www.example.org/s.xml", 2, 0, "", ""},
		{ext + "sitemap-videos-tvshow.xml", "https://example.org/s.xml", 1, 0, "https://example.org/my-tv-show/23/13/", ""},
		{ext + "sitemap-videos.xml", "http://www.example.com/s.xml", 3, 0, "http://www.example.com/videos/some_video_landing_page.html", ""},
	} {
		pages, maps, err := listed(suite(t, "sitemap/"+c.file), dowse.URL(c.base))
		if err != nil || len(pages) != c.pages || len(maps) != c.maps {
			t.Errorf("%s: %d pages, %d maps, %v; want %d, %d", c.file, len(pages), len(maps), err, c.pages, c.maps)
			continue
		}
		all := append(pages, maps...)
		if c.first != "" && all[0] != c.first || c.last != "" && all[len(all)-1] != c.last {
			t.Errorf("%s: from %s to %s; want from %s to %s", c.file, all[0], all[len(all)-1], c.first, c.last)
		}
	}
}
