package fetch

import (
	"fmt"
	"strings"
	"testing"
)

// Feeds have titles and texts in many places; what is of extensions is not read.
func TestFeeds(t *testing.T) {
	const rss, atom, version = `<rss><channel><title>Channel</title><description>About</description>`, `<feed xmlns="http://www.w3.org/2005/Atom"><title>Feed</title>`, `"version":"https://jsonfeed.org/version/1.1"`
	for _, c := range []struct {
		name, body, kind, want string // URL title|text, one after the other
		fails                  bool
	}{
		{"RSS", rss + `<item><title>Tides &amp; reefs</title><link>/a</link><description>&lt;p&gt;About tides</description></item></channel></rss>`, typeRSS, "/a Tides & reefs|<p>About tides", false},
		{"parts in any order", rss + `<item><description>two</description><guid isPermaLink="false">7</guid><link> /a </link><title><![CDATA[One <b>x</b>]]></title></item>`, typeRSS, "/a One <b>x</b>|two", true},
		{"content without a summary", rss + `<item><link>/a</link><content:encoded>all</content:encoded></item></channel></rss>`, typeRSS, "/a |all", false},
		{"the text comes before the content", rss + `<item><link>/a</link><content:encoded>all</content:encoded><description>short</description></item></channel></rss>`, typeRSS, "/a |short", false},
		{"extensions", rss + `<item><media:title>no</media:title><media:group><title>neither</title></media:group><title>yes</title><link>/a</link></item></channel></rss>`, typeRSS, "/a yes|", false},
		{"RSS 1.0", `<rdf:RDF><channel><title>c</title></channel><item rdf:about="/a"><title>t</title><link>/a</link></item></rdf:RDF>`, typeRSS, "/a t|", false},
		{"Atom", atom + `<entry><title type="html">A &lt;i&gt;b&lt;/i&gt;</title><link href="/a"/><summary type="xhtml"><div>in <b>bold</b> words</div></summary></entry></feed>`, typeAtom, "/a A <i>b</i>|in bold words", false},
		{"Atom with a prefix", `<atom:feed><atom:entry><atom:title>t</atom:title><atom:link href="/a"/></atom:entry></atom:feed>`, typeAtom, "/a t|", false},
		{"other hosts", rss + `<item><link>http://other.example/x</link></item></channel></rss>`, typeRSS, "http://other.example/x |", false},
		{"other schemes", rss + `<item><link>javascript:alert(1)</link></item><item><link>file:///etc/passwd</link></item><item><link>/a</link></item></channel></rss>`, typeRSS, "/a |", false},
		{"twice", rss + `<item><title>1</title><link>/a</link></item><item><title>2</title><link>/a#x</link></item></channel></rss>`, typeRSS, "/a 1|", false},
		{"broken off in an item", rss + `<item><title>1</title><link>/a</link></item><item><link>/b</link><title>Tw`, typeRSS, "/a 1| /b Tw|", true},
		{"JSON", `{` + version + `,"title":"x","items":[{"id":"1","url":"/a","title":"t","content_html":"<p>h"},{"id":"http://h.example/b","summary":"s"},{"external_url":"http://o.example/c"}]}`, typeJSONFeed, "/a t|<p>h /b |s http://o.example/c |", false},
		{"JSON with wrong types", `{` + version + `,"items":[{"id":5,"url":"/a","title":{"x":1}},{"url":"/b"}]}`, typeJSONFeed, "/a | /b |", false},
		{"JSON that breaks off", `{` + version + `,"items":[{"url":"/a"},{"ur`, typeJSONFeed, "/a |", true},
		{"JSON that is no feed", `{"items":[{"url":"/a"}]}`, "", "", true},
		{"JSON that is no object", `[{"url":"/a"}]`, "", "", true},
		{"control characters", rss + "<item><title>a\x1b[31mb\x0bc\uffffd</title><link>/a</link></item></channel></rss>", typeRSS, "/a a [31mb c\ufffdd|", false},
		{"not UTF-8", rss + "<item><title>d\xe9j\xe0 \x93vu\x94 \u00e9</title><link>/a</link></item></channel></rss>", typeRSS, "/a d\u00e9j\u00e0 \u201cvu\u201d \u00e9|", false},
		{"declared", `<?xml version="1.0" encoding='ISO-8859-9'?>` + rss + "<item><title>\xddz</title><link>/a</link></item></channel></rss>", typeRSS, "/a \u0130z|", false},
		{"laughs", `<!DOCTYPE x [<!ENTITY a "b"><!ENTITY c "&a;&a;">]>` + rss + `<item><link>/a</link></item></channel></rss>`, "", "", true},
		{"no item", rss + `</channel></rss>`, typeRSS, "", false},
	} {
		l, err := parseSitemap([]byte(c.body), sitemapBase)
		var got []string
		for _, it := range l.items {
			got = append(got, fmt.Sprintf("%s %s|%s", strings.TrimPrefix(string(it.URL), "http://h.example"), it.Title, it.Text))
		}
		if s := strings.Join(got, " "); s != c.want || l.kind != c.kind || (err != nil) != c.fails || len(l.pages) > 0 {
			t.Errorf("%s: %q of kind %q, %v; want %q of kind %q", c.name, s, l.kind, err, c.want, c.kind)
		}
	}
}

// A feed costs no more than its bounds, whatever is in it.
func TestFeedBounds(t *testing.T) {
	long := strings.Repeat("x", 1<<19)
	for name, body := range map[string]string{
		"many items":      "<rss><channel>" + strings.Repeat("<item><link>/a</link></item>", 1000) + items(20_000),
		"long parts":      "<rss><channel>" + strings.Repeat("<item><title>"+long+"</title><description>"+long+"</description><link>/a</link></item>", 10),
		"many links":      "<feed><entry>" + strings.Repeat(`<link href="/a"/>`, 100_000),
		"JSON":            `{"version":"https://jsonfeed.org/version/1","items":[` + strings.Repeat(`{"url":"/a","title":"`+long+`"},`, 20),
		"JSON that nests": `{"version":"https://jsonfeed.org/version/1","items":` + strings.Repeat("[", 1<<20),
	} {
		l, _ := parseSitemap([]byte(body), sitemapBase)
		if len(l.items) > maxItems {
			t.Errorf("%s: %d items", name, len(l.items))
		}
		for _, it := range l.items {
			if len(it.Title) > maxItemTitle || len(it.Text) > maxItemText {
				t.Errorf("%s: an item with %d bytes of title and %d of text", name, len(it.Title), len(it.Text))
			}
		}
	}
}

// items returns n items of RSS.
func items(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "<item><link>/%d</link></item>", i)
	}
	return b.String()
}
