package extract

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"dowse"
)

const page dowse.URL = "https://example.org/dir/page.html"

// ordinary is a link that every hostile page also has.
const ordinary = `<p>An <a href="/ordinary">ordinary link</a> here.</p>`

func targets(doc *dowse.Document) (urls []dowse.URL) {
	for i := range doc.Links {
		urls = append(urls, doc.Links[i].URL)
	}
	return urls
}

func hasTarget(doc *dowse.Document, u dowse.URL) bool {
	for i := range doc.Links {
		if doc.Links[i].URL == u {
			return true
		}
	}
	return false
}

// TestHostile reads pages that are made to hurt. Each has its ordinary link
// before or behind the hostile part, which must be found, and costs memory in
// proportion to the budgets, not to what it asks for.
func TestHostile(t *testing.T) {
	const mb = 1 << 20
	many := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	for _, c := range []struct {
		name, body string
		cut        string
	}{
		{"nested 600 deep", strings.Repeat("<div><b>", 300) + ordinary, ""},
		{"nested deep and closed", strings.Repeat("<div>", 5000) + strings.Repeat("</div>", 5000) + ordinary, ""},
		{"nested a million deep", strings.Repeat("<b>", 1_000_000) + ordinary, ""},
		{"too many tokens", ordinary + strings.Repeat("<b>", 2_100_000), CutTokens},
		{"formatting bomb", strings.Repeat("<p><b id=a><i><u><a><font size=1>", 6000) + ordinary, ""},
		{"formatting bomb in tables", strings.Repeat("<table><td><b><a>", 10000) + ordinary, ""},
		{"attributes", "<div " + many(60_000, "a%d=x ") + ">" + ordinary, ""},
		{"attributes, then tags", "<div " + many(60_000, "a%d=x ") + ">" + strings.Repeat("<b x=1>", 200_000) + ordinary, ""},
		{"attributes of a script", "<script " + many(2_000, "a%d=x ") + "><a href=/no></script >" + ordinary, ""},
		{"attributes of an end tag", "</div " + many(2_000, "a%d=x ") + ">" + ordinary, ""},
		{"long attribute", `<div title="` + strings.Repeat("x", 5*mb) + `">` + ordinary, ""},
		{"long href", `<a href="/` + strings.Repeat("x", mb/2) + `">x</a>` + ordinary, ""},
		{"links", ordinary + many(30_000, "<a href=/%d>x</a>"), CutLinks},
		{"links to one target", ordinary + strings.Repeat("<a href=/y>x</a>", 30_000), CutLinks},
		{"long hrefs", ordinary + strings.Repeat("<a href='/"+strings.Repeat("x", 2000)+"'>x</a>", 3_000), CutLinks},
		{"dates", strings.Repeat("<meta name=date content=yesterday>", 50_000) + ordinary, ""},
		{"tables in tables", strings.Repeat("<table><tr><td>", 50_000) + ordinary, ""},
		{"licences", ordinary + strings.Repeat("<a rel=license href=/x>x</a>", 30_000), CutLinks},
		{"long comment", "<!--" + strings.Repeat("x", 3*mb) + "-->" + ordinary, ""},
		{"long script", "<script>" + strings.Repeat("x", 3*mb) + "</script>" + ordinary, ""},
		{"long style with tags", "<style>" + strings.Repeat("<a href=/no>", mb/4) + "</style>" + ordinary, ""},
		{"unclosed comment", ordinary + "<!--" + strings.Repeat("<a href=/no>", mb/4), ""},
		{"unclosed script", ordinary + "<script>" + strings.Repeat("<a href=/no>", mb/4), ""},
		{"unclosed textarea", ordinary + "<textarea>" + strings.Repeat("<a href=/no>", mb/4), CutText},
		{"unclosed CDATA", ordinary + "<svg><![CDATA[" + strings.Repeat("<a href=/no>", mb/4), CutText},
		{"unclosed plaintext", ordinary + "<plaintext>" + strings.Repeat("<a href=/no>", mb/4), CutText},
		{"unclosed tag", ordinary + "<a href='" + strings.Repeat("<a href=/no>", mb/4), ""},
		{"long title", "<title>" + strings.Repeat("title ", mb/2) + "</title>" + ordinary, ""},
		{"long word", strings.Repeat("x", 5*mb) + ordinary, ""},
		{"long text", ordinary + strings.Repeat("words ", mb/2), CutText},
		{"long word of Chinese", strings.Repeat("水", mb) + ordinary, ""},
		{"headings", ordinary + strings.Repeat("<h1>x</h1>", 20_000), ""},
		{"deep and often asked", "<p><button>" + strings.Repeat("<b>", 480) + strings.Repeat("<p></p>", 200_000) + ordinary, CutWork},
		{"JSON without end", ordinary + `<script type="application/ld+json">` + strings.Repeat(`{"@type":[`, mb/10), ""},
		{"types", ordinary + `<script type="application/ld+json">` + many(10_000, `{"@type":"T%d"},`), ""},
		{"entities", strings.Repeat("&amp;&notanentity;&#x41;&#99999999999;", 20_000) + ordinary, ""},
		{"svg and math", strings.Repeat("<svg><foreignObject><math><mi>", 20_000) + ordinary, ""},
		{"templates", strings.Repeat("<template>", 300) + strings.Repeat("</template>", 300) + ordinary, ""},
		{"selects", strings.Repeat("<select><option><optgroup>", 20_000) + "</select>" + ordinary, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			body := []byte(c.body)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			doc := HTML(body, page, Options{})
			runtime.ReadMemStats(&after)
			if c.cut != CutWork && !hasTarget(doc, "https://example.org/ordinary") {
				t.Errorf("the ordinary link is not among %d", len(doc.Links))
			}
			if hasTarget(doc, "https://example.org/no") {
				t.Error("a link that is none was found")
			}
			if doc.Cut != c.cut {
				t.Errorf("cut by %q, want %q", doc.Cut, c.cut)
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > 48*mb {
				t.Errorf("%d MiB were allocated for %d", used/mb, len(body)/mb)
			}
			sound(t, doc, Options{}.withDefaults())
		})
	}
}

// sound holds a document against what every document promises.
func sound(t testing.TB, doc *dowse.Document, opt Options) {
	t.Helper()
	for what, s := range map[string]string{
		"title": doc.Title, "description": doc.Description, "keywords": doc.Keywords, "language": doc.Language,
	} {
		if utf8.RuneCountInString(s) > opt.Field || unshown(s, "") {
			t.Errorf("%s is not clean: %.100q", what, s)
		}
	}
	for _, m := range doc.Meta {
		if m.Name == "" || utf8.RuneCountInString(m.Name) > maxMetaName || utf8.RuneCountInString(m.Content) > opt.Field || unshown(m.Name+m.Content, "") {
			t.Errorf("meta element is not clean: %.100q", m)
		}
	}
	for _, src := range doc.Images {
		if src == "" || len(src) > opt.Href || unshown(src, "") {
			t.Errorf("image is not clean: %.100q", src)
		}
	}
	if len(doc.Meta) > maxMeta || len(doc.Images) > maxImages {
		t.Errorf("%d meta elements, %d images", len(doc.Meta), len(doc.Images))
	}
	if len(doc.Text) > opt.Text || unshown(doc.Text, "\n") || doc.Text != strings.TrimSpace(doc.Text) {
		t.Errorf("text is not clean: %.200q", doc.Text)
	}
	if strings.Contains(doc.Text, "  ") || strings.Contains(doc.Text, "\n\n") || strings.Contains(doc.Text, " \n") || strings.Contains(doc.Text, "\n ") {
		t.Errorf("white space is not collapsed: %.200q", doc.Text)
	}
	words := dowse.Words(doc.Text)
	if len(words) != len(doc.Words) {
		t.Errorf("%d words, want %d", len(doc.Words), len(words))
	}
	if len(doc.Links) > opt.Links || len(doc.Headings) > opt.Headings {
		t.Errorf("%d links, %d headings", len(doc.Links), len(doc.Headings))
	}
	n := int32(len(doc.Words))
	for i, h := range doc.Headings {
		if h.Level < 1 || h.Level > 6 || h.Text == "" || h.At < 0 || h.At > n || utf8.RuneCountInString(h.Text) > opt.Anchor {
			t.Errorf("heading %d: %+v", i, h)
		}
	}
	seen := map[dowse.URL]bool{}
	for _, l := range doc.Links {
		if seen[l.URL] {
			t.Errorf("%s twice", l.URL)
		}
		seen[l.URL] = true
		for _, m := range append(l.More, l.Mention) {
			soundMention(t, doc, m, opt)
		}
	}
}

func soundMention(t testing.TB, doc *dowse.Document, m dowse.Mention, opt Options) {
	t.Helper()
	n := int32(len(doc.Words))
	switch {
	case m.At.Start < 0 || m.At.Start > m.At.End || m.At.End > n,
		m.Block.Start > m.At.Start || m.Block.End < m.At.End || m.Block.Start < 0 || m.Block.End > n,
		m.At.Start-m.Block.Start > 50 || m.Block.End-m.At.End > 50,
		utf8.RuneCountInString(m.Anchor) > opt.Anchor || unshown(m.Anchor, ""),
		m.Context == m.Context:
		t.Errorf("mention %+v of %d words", m, n)
	}
	for rank, h := range m.Above {
		if h < -1 || int(h) >= len(doc.Headings) || h >= 0 && min(doc.Headings[h].Level, 3)-1 != rank {
			t.Errorf("mention %+v of %d headings", m, len(doc.Headings))
		}
	}
}

// unshown reports whether s is no UTF-8, or has control characters but those
// allowed, or marks that turn the direction of writing.
func unshown(s, allowed string) bool {
	return !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool {
		return (unicode.IsControl(r) || 0x202A <= r && r <= 0x202E || 0x2066 <= r && r <= 0x2069) && !strings.ContainsRune(allowed, r)
	})
}

// TestControlCharacters: nothing of a page can reach a terminal or log raw.
func TestControlCharacters(t *testing.T) {
	doc := HTML([]byte("<html lang='e\x1bn'><title>a\x1b[31mb\r\nc\x00\u202Ed\x7f\u0085</title><meta name=description content='x&#27;y&#10;z'>"+
		"<h1>\x1b]0;h\x07</h1><a href='/x\x1b\n'>\x9b\u009bk\x08l</a>"), page, Options{})
	sound(t, doc, Options{}.withDefaults())
	if doc.Title != "a [31mb c\uFFFDd" || doc.Description != "x y z" || doc.Language != "" {
		t.Errorf("%q %q %q", doc.Title, doc.Description, doc.Language)
	}
	for _, u := range targets(doc) {
		if unshown(string(u), "") {
			t.Errorf("%q", u)
		}
	}
}

// TestCharsetLies reads pages that are not in the encoding they declare.
func TestCharsetLies(t *testing.T) {
	turkish := "<html><head><title>\xddstanbul \xfeehri</title></head><body><p>T\xfcrkiye'nin en kalabal\xfdk \xfeehri olan \xddstanbul, " +
		"\xfclkenin k\xfclt\xfcrel ve ekonomik merkezidir. Bo\xf0az k\xf6pr\xfcleri ile iki k\xfdtay\xfd birle\xfetirir ve bu \xf6zelli\xf0iyle " +
		"d\xfcnyada tektir. \xc7ok say\xfdda m\xfcze, saray ve cami vard\xfdr.</p><a href=\"/g\xfczel\">G\xfczel \xfeehir</a></body></html>"
	utf16 := func(s string, high, low int) (b []byte) {
		for _, r := range s {
			pair := [2]byte{}
			pair[high], pair[low] = byte(r>>8), byte(r)
			b = append(b, pair[:]...)
		}
		return b
	}
	latin := "<p>plain page with enough text to be a page</p><a href=\"/plain\">plain</a>"
	for _, c := range []struct {
		name, contentType string
		body              []byte
		charset           string
		link              dowse.URL
		text              string
	}{
		{"windows-1254 declared as UTF-8", "text/html; charset=utf-8", []byte(turkish), "windows-1254", "https://example.org/g%C3%BCzel", "Güzel şehir"},
		{"UTF-16LE", "text/html; charset=utf-8", utf16(latin, 1, 0), "utf-16le", "https://example.org/plain", "plain"},
		{"UTF-16BE", "text/html", utf16(latin, 0, 1), "utf-16be", "https://example.org/plain", "plain"},
		{"UTF-16LE with a mark", "text/html; charset=iso-8859-1", append([]byte("\xff\xfe"), utf16(latin, 1, 0)...), "utf-16le", "https://example.org/plain", "plain"},
		{"invalid in href", "text/html; charset=utf-8", []byte(latin + "<a href='/x\xff\xfe'>x</a>"), "", "https://example.org/plain", "plain"},
		{"damaged UTF-8", "text/html; charset=utf-8", []byte("<p>ü ö ä ß é \xff " + latin), "utf-8", "https://example.org/plain", "ü ö ä ß é \uFFFD"},
		{"UTF-8 declared as Latin", "text/html; charset=iso-8859-1", []byte("<p>für schöne Bäume" + latin), "utf-8", "https://example.org/plain", "für schöne Bäume"},
		{"UTF-8 declared as UTF-16", "text/html; charset=utf-16", []byte(strings.Repeat(latin, 4)), "utf-8", "https://example.org/plain", "plain"},
		{"cut in a character", "text/html", []byte(latin + "<p>fü\xc3"), "utf-8", "https://example.org/plain", "fü"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text, name := Decode(c.body, c.contentType)
			if !utf8.Valid(text) {
				t.Error("no UTF-8")
			}
			if c.charset != "" && name != c.charset {
				t.Errorf("charset %q, want %q", name, c.charset)
			}
			doc := HTML(text, page, Options{})
			if !hasTarget(doc, c.link) || !strings.Contains(doc.Text, c.text) {
				t.Errorf("links %q, text %q", targets(doc), doc.Text)
			}
		})
	}
}

// TestDecodeCopies: a page that is UTF-8 is not copied.
func TestDecodeCopies(t *testing.T) {
	body := []byte("<p>für</p>")
	text, _ := Decode(body, "text/html; charset=utf-8")
	if &text[0] != &body[0] || !bytes.Equal(text, body) {
		t.Error("copied")
	}
}
