package fetch

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"

	"dowse"
	"dowse/weburl"
)

const sitemapBase = "http://h.example/sitemap.xml"

func urlset(locs ...string) string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
	for _, loc := range locs {
		b.WriteString("<url><loc>" + loc + "</loc></url>\n")
	}
	return b.String() + "</urlset>"
}

// listed returns the pages and sitemaps that a sitemap lists, and the pages of the items of a feed.
func listed(body []byte, base dowse.URL) (pages, maps []dowse.URL, err error) {
	l, err := parseSitemap(body, base)
	pages = l.pages
	for _, it := range l.items {
		pages = append(pages, it.URL)
	}
	return pages, l.maps, err
}

func TestParseSitemap(t *testing.T) {
	utf16, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(
		strings.Replace(urlset("http://h.example/a"), "UTF-8", "UTF-16", 1))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, body  string
		pages, maps string // paths
		fails       bool
	}{
		{"urlset", urlset("http://h.example/a", " https://h.example/b?x=1&amp;y=2 ", "/c", "http://h.example/a#again"), "/a /b?x=1&y=2 /c", "", false},
		{"index", `<sitemapindex><sitemap><loc>http://h.example/1.xml</loc></sitemap><sitemap>/2.xml.gz</sitemap></sitemapindex>`, "", "/1.xml /2.xml.gz", false},
		{"S04 to the inside and elsewhere", urlset("http://127.0.0.1/a", "http://localhost/", "http://other.example/a", "http://www.h.example/", "http://h.example:8080/", "file:///etc/passwd", "http://h.example/b"), "/b", "", false},
		{"S05 billion laughs", `<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY lol2 "&lol;&lol;">]><urlset><url><loc>http://h.example/&lol2;</loc></url></urlset>`, "", "", true},
		{"S05 external entity", `<!DOCTYPE x [<!entity e SYSTEM "file:///etc/passwd">]><urlset><url><loc>http://h.example/&e;</loc></url></urlset>`, "", "", true},
		{"S06 text", "http://h.example/a\r\n\r\nhttp://h.example/b\n", "/a /b", "", false},
		{"S06 text with a BOM", "\ufeffhttp://h.example/a", "/a", "", false},
		{"S06 BOM", "\ufeff" + urlset("http://h.example/a"), "/a", "", false},
		{"S06 blank lines first", "\n\n " + urlset("http://h.example/a"), "/a", "", false},
		{"S06 cut short", strings.TrimSuffix(urlset("http://h.example/a", "http://h.example/b"), "</loc></url>\n</urlset>"), "/a", "", true},
		{"S06 RSS", `<rss><channel><link>http://h.example/</link><item><link>http://h.example/a</link></item><item><guid>http://h.example/b</guid></item><item><guid>x</guid></item></channel></rss>`, "/a /b", "", false},
		{"S06 RSS 1.0", `<rdf:RDF xmlns:rdf="r"><item><link>http://h.example/a</link></item></rdf:RDF>`, "/a", "", false},
		{"S06 Atom", `<feed xmlns="http://www.w3.org/2005/Atom"><link href="/"/><entry><link rel="edit" href="/e"/><link href="/a"/><link rel="alternate" href="/b"/></entry></feed>`, "/a /b", "", false},
		{"S06 gzip", string(gzipped([]byte(urlset("http://h.example/a")))), "/a", "", false},
		{"gzip cut short", string(gzipped([]byte(urlset("http://h.example/a")))[:20]), "", "", true},
		{"UTF-16", utf16, "/a", "", false},
		{"Latin-1", `<?xml version="1.0" encoding="ISO-8859-1"?><urlset><url><loc>http://h.example/` + "\xfc" + `</loc></url></urlset>`, "/%C3%BC", "", false},
		{"CDATA", urlset("<![CDATA[http://h.example/?a&b]]>"), "/?a&b", "", false},
		{"images", `<urlset><url><loc>/a</loc><image:image><image:loc>/i.png</image:loc></image:image></url></urlset>`, "/a", "", false},
		{"HTML", "<!DOCTYPE html><html><a href=/a>", "", "", true},
		{"words", "Not found, sorry.\n", "", "", true},
		{"empty", "", "", "", false},
		{"nested deep", "<urlset>" + strings.Repeat("<a>", 1_000_000), "", "", true},
		{"nested too deep", "<urlset>" + strings.Repeat("<a>", 100) + strings.Repeat("</a>", 100) + "<url><loc>/a</loc></url></urlset>", "", "", true},
		{"nested", "<urlset>" + strings.Repeat("<a>", 10) + strings.Repeat("</a>", 10) + "<url><loc>/a</loc></url></urlset>", "/a", "", false},
		{"a long word", "<urlset><url><loc>" + strings.Repeat("x", 3<<20) + "</loc></url></urlset>", "", "", true},
		{"a long CDATA", "<urlset><url><loc><![CDATA[" + strings.Repeat("<>", 2<<20), "", "", true},
		{"an end too many", "<urlset></x><url><loc>/a</loc></url></urlset>", "/a", "", false},
		{"unclosed", "<urlset><url><loc>/a</loc><br></url><url><loc>/b</loc></url></urlset>", "/a /b", "", true},
	} {
		pages, maps, err := listed([]byte(c.body), sitemapBase)
		if paths(pages) != c.pages || paths(maps) != c.maps || (err != nil) != c.fails {
			t.Errorf("%s: pages %q, maps %q, %v", c.name, paths(pages), paths(maps), err)
		}
	}
}

// paths returns what follows the host of each URL.
func paths(list []dowse.URL) string {
	var out []string
	for _, u := range list {
		_, _, rest, _ := split(u)
		out = append(out, rest)
	}
	return strings.Join(out, " ")
}

// TestSitemapLimits covers S01 and S03.
func TestSitemapLimits(t *testing.T) {
	if testing.Short() {
		t.Skip("short: starts no goroutines")
	}
	var locs []string
	for i := range 60_000 {
		locs = append(locs, fmt.Sprintf("http://h.example/%d", i))
	}
	pages, _, err := listed([]byte(urlset(locs...)), sitemapBase)
	if err != nil || len(pages) != maxSitemapURLs || pages[0] != "http://h.example/0" {
		t.Errorf("%d pages, %v", len(pages), err)
	}
	for name, more := range map[string]string{
		"empty elements": "<url> </url>", "one long comment": "<!-- " + strings.Repeat("x", 1000), "spaces": strings.Repeat(" ", 1000),
		"other hosts": "<url><loc>http://other.example/</loc></url>",
	} {
		bomb := gzipped(append([]byte("<urlset><url><loc>/a</loc></url>"), bytes.Repeat([]byte(more), maxSitemapBytes/len(more)+1)...))
		if pages, _, _ := listed(bomb, sitemapBase); paths(pages) != "/a" {
			t.Errorf("%s: %d pages", name, len(pages))
		}
	}
	lines := []byte("http://h.example/a\n" + strings.Repeat("x\n", 10*maxSitemapURLs) + "http://h.example/b\n")
	if pages, _, err := listed(lines, sitemapBase); paths(pages) != "/a" || err != nil {
		t.Errorf("lines: %d pages, %v", len(pages), err)
	}
}

func TestSitemap(t *testing.T) {
	answers := map[string]string{
		"/map.xml": urlset("/a", "/b"), "/index.xml": "<sitemapindex><sitemap><loc>/map.xml</loc></sitemap></sitemapindex>",
		"/cut.xml": strings.TrimSuffix(urlset("/a"), "urlset>"), "/page": "<!DOCTYPE html><p>hello",
		"/bomb": `<!DOCTYPE x [<!ENTITY e "e">]><urlset>`,
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := answers[r.URL.Path]
		switch {
		case ok:
			w.Write([]byte(body))
		case r.URL.Path == "/moved":
			http.Redirect(w, r, "/map.xml", http.StatusMovedPermanently)
		default:
			http.NotFound(w, r)
		}
	}))
	defer s.Close()
	c := newClient(t, Config{})
	for path, want := range map[string]struct {
		outcome     dowse.Outcome
		reason      dowse.Reason
		pages, maps string
	}{
		"/map.xml":   {dowse.Listed, "", "/a /b", ""},
		"/index.xml": {dowse.Listed, "", "", "/map.xml"},
		"/cut.xml":   {dowse.Listed, "", "/a", ""},
		"/page":      {dowse.Skipped, dowse.SkipTypeMIME, "", ""},
		"/bomb":      {dowse.Skipped, dowse.SkipTypeMIME, "", ""},
		"/moved":     {dowse.Redirected, "", "", ""},
		"/none":      {dowse.Failed, dowse.FailHTTP, "", ""},
	} {
		r := c.Sitemap(context.Background(), dowse.URL(s.URL+path))
		if r.Outcome != want.outcome || r.Reason != want.reason || paths(r.Links) != want.pages || paths(r.Maps) != want.maps {
			t.Errorf("%s: %v %v %q %q %s", path, r.Outcome, r.Reason, paths(r.Links), paths(r.Maps), r.Detail)
		}
		checkSound(t, r)
	}
}

func FuzzSitemap(f *testing.F) {
	f.Add([]byte(urlset("http://h.example/a", "/b")))
	f.Add([]byte("\xef\xbb\xbfhttp://h.example/a\nx"))
	f.Add([]byte("<rss><item><link>/a</link><guid>/b</guid></item></rss>"))
	f.Add([]byte(`<feed><entry><link href="/a"/></entry></feed>`))
	f.Add([]byte("<sitemapindex><sitemap>/a</sitemap>"))
	f.Add(gzipped([]byte(urlset("/a"))))
	f.Add([]byte(`<rss><item><title>A &amp; b</title><description><![CDATA[<p>c]]></description><link>http://o.example/a</link></item></rss>`))
	f.Add([]byte(`{"version":"https://jsonfeed.org/version/1.1","items":[{"id":1,"url":"/a","title":"t"},{"url":"/b","content_html":"<p>x"}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		l, _ := parseSitemap(body, sitemapBase)
		all := slices.Concat(l.pages, l.maps)
		for _, it := range l.items {
			all = append(all, it.URL)
			if !utf8.ValidString(it.Title+it.Text) || len(it.Title) > maxItemTitle || len(it.Text) > maxItemText {
				t.Errorf("item with %d bytes of title and %d of text", len(it.Title), len(it.Text))
			}
		}
		if len(l.items) > 0 && l.kind == "" || len(l.items) > maxItems {
			t.Errorf("%d items of a file of kind %q", len(l.items), l.kind)
		}
		for i, u := range all {
			if weburl.Host(u) != "h.example" && i < len(l.pages)+len(l.maps) {
				t.Errorf("%q is of another host", u)
			}
			if again, err := weburl.Parse(string(u)); err != nil || again != u {
				t.Errorf("%q is not canonical", u)
			}
		}
	})
}

func BenchmarkParseSitemap(b *testing.B) {
	var locs []string
	for i := range 1000 {
		locs = append(locs, fmt.Sprintf("http://h.example/articles/2026/%d.html", i))
	}
	body := []byte(urlset(locs...))
	b.ReportAllocs()
	for b.Loop() {
		listed(body, sitemapBase)
	}
}
