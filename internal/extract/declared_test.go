package extract

import (
	"strings"
	"testing"
	"time"
)

// Attributes are cut off a tag as browsers do it, whatever separates them.
func TestNextAttribute(t *testing.T) {
	for _, c := range []struct{ tag, want string }{
		{` href=x>`, "href=x"},
		{` HREF = "x y" id='z'>`, `HREF=x y;id=z`},
		{` a b=c/d>`, "a=;b=c/d"},
		{` a/b/>`, "a=;b="},
		{` =x a>`, "=x=;a="},
		{` a="1"b='2'>`, "a=1;b=2"},
		{" a\n=\t1\fb>", "a=1;b="},
		{` a="no end`, "a=no end"},
		{` a=>`, "a="},
		{`>`, ""},
		{``, ""},
	} {
		var got []string
		rest := []byte(c.tag)
		for {
			key, val, tail, ok := nextAttribute(rest)
			if rest = tail; !ok {
				break
			}
			got = append(got, string(key)+"="+string(val))
		}
		if s := strings.Join(got, ";"); s != c.want {
			t.Errorf("attributes of %q: got %q, want %q", c.tag, s, c.want)
		}
		if len(rest) > 0 && rest[0] != '>' {
			t.Errorf("attributes of %q: stopped at %q, want the end of the tag", c.tag, rest)
		}
	}
}

// In an attribute a reference without its semicolon is one only where it cannot be
// the parameter of a query.
func TestAttributeText(t *testing.T) {
	for written, want := range map[string]string{
		"a&amp;b":         "a&b",
		"?a=1&copy=2":     "?a=1&copy=2",
		"?a=1&copy;=2":    "?a=1©=2",
		"&copy":           "©",
		"&copy x":         "© x",
		"&copyx":          "&copyx",
		"&notit;":         "&notit;",
		"&not;it":         "¬it",
		"&#65;&#x42;&#67": "ABC",
		"&#0;":            "\uFFFD",
		"&":               "&",
		"&;":              "&;",
		"&nonsense;":      "&nonsense;",
		"a\r\nb\rc":       "a\nb\nc",
		"a\x00b":          "a\uFFFDb",
		"&lt;&gt;&quot;":  `<>"`,
	} {
		if got := string(attributeText([]byte(written))); got != want {
			t.Errorf("attribute %q: got %q, want %q", written, got, want)
		}
	}
}

func TestParseDate(t *testing.T) {
	for s, want := range map[string]string{
		"2024-05-06T07:08:09Z":          "2024-05-06T07:08:09Z",
		"2024-05-06T07:08:09+02:00":     "2024-05-06T05:08:09Z",
		"2024-05-06T07:08:09+0200":      "2024-05-06T05:08:09Z",
		"2024-05-06T07:08:09.123Z":      "2024-05-06T07:08:09Z",
		"2024-05-06T07:08":              "2024-05-06T07:08:00Z",
		" 2024-05-06 ":                  "2024-05-06T00:00:00Z",
		"2024/05/06":                    "2024-05-06T00:00:00Z",
		"20240506":                      "2024-05-06T00:00:00Z",
		"2024-05":                       "2024-05-01T00:00:00Z",
		"Mon, 06 May 2024 07:08:09 GMT": "2024-05-06T07:08:09Z",
		"6 May 2024":                    "2024-05-06T00:00:00Z",
		"May 6, 2024":                   "2024-05-06T00:00:00Z",
		"05/06/2024":                    "", // May or June
		"0024-05-06":                    "",
		"2024-13-01":                    "",
		"yesterday":                     "",
		"":                              "",
	} {
		got, ok := parseDate(s)
		if ok != (want != "") || ok && got.Format(time.RFC3339) != want {
			t.Errorf("date %q: got %v (%v), want %q", s, got, ok, want)
		}
	}
}

// The most trusted statement of a date counts, wherever on the page it is.
func TestDatePrecedence(t *testing.T) {
	const (
		meta = `<meta name=dc.date content=2001-01-01>`
		elem = `<time pubdate datetime=2002-02-02>x</time>`
		item = `<span itemprop=datePublished content=2003-03-03>x</span>`
		data = `<script type=application/ld+json>{"datePublished": "2004-04-04"}</script>`
		open = `<meta property=article:published_time content=2005-05-05>`
	)
	for page, want := range map[string]int{
		meta: 2001, meta + elem: 2002, item + elem: 2003, data + item + meta: 2004, open + data: 2005, elem + open + meta: 2005,
		meta + `<meta name=date content=2009-09-09>`:                 2001, // the first of equals
		`<meta property=article:published_time content=soon>` + meta: 2001,
	} {
		doc := HTML([]byte(page), "https://example.org/", Options{})
		if got := doc.Published.Year(); got != want {
			t.Errorf("%s: published %d, want %d", page, got, want)
		}
	}
}

// JSON-LD is searched for keys, so that it need not be valid.
func TestJSONLD(t *testing.T) {
	for data, want := range map[string]string{
		`{"@type": "Article"}`:                                  "Article",
		`{"@type": ["Article", "NewsArticle"]}`:                 "Article NewsArticle",
		`{"@graph": [{"@type":"WebPage"},{"@type":"Person"}]}`:  "WebPage Person",
		`{"@type": "https://schema.org/Recipe"}`:                "Recipe",
		`{"@type": "\u0041rticle"}`:                             "Article",
		`{"name": "@type", "x": "Article"}`:                     "", // a value, not a key
		`{"a": "\"@type\": \"Trap\"", "@type": "Event"}`:        "Event",
		`{"@type": "Article", broken`:                           "Article",
		`{"@type": ["Article", 7, "Event"]}`:                    "Article",
		`{"@type": "small"}`:                                    "",
		`{"@type": "` + strings.Repeat("A", 300) + `"}`:         "",
		`{"@type": "Article`:                                    "",
		`"@type" : "Event"`:                                     "Event",
		`{"@type": {"@type": "Thing"}}`:                         "Thing",
		`{"@type":"Article","@type":"Article","@type":"Event"}`: "Article Event",
		strings.Repeat(`{"@type":`, 1000) + `"Deep"`:            "Deep",
		`{"@type": []}`:                                         "",
		`{"@type": ["Article"`:                                  "Article",
	} {
		doc := HTML([]byte("<script type=application/ld+json>"+data+"</script>"), "https://example.org/", Options{})
		if got := strings.Join(doc.Types, " "); got != want {
			t.Errorf("%s: types %q, want %q", data, got, want)
		}
	}
}

// The declaration of an encoding counts only where a browser would find it.
func TestPrescan(t *testing.T) {
	for page, want := range map[string]string{
		`<meta charset=iso-8859-2>`:                                               "iso-8859-2",
		`<META CHARSET='Shift_JIS'>`:                                              "shift_jis",
		`<meta http-equiv=content-type content="text/html; charset=koi8-r">`:      "koi8-r",
		`<meta content="charset = 'gbk'" http-equiv=Content-Type>`:                "gbk",
		`<meta content="text/html; charset=koi8-r">`:                              "", // without http-equiv
		`<meta name=x content="charset=koi8-r">`:                                  "",
		`<!-- <meta charset=koi8-r> --><meta charset=big5>`:                       "big5",
		`<p title="<meta charset=koi8-r>"><meta charset=big5>`:                    "big5",
		`<metadata charset=koi8-r>`:                                               "",
		`<meta charset=utf-16>`:                                                   "utf-8", // it can be read as ASCII
		`<meta charset=x-user-defined>`:                                           "windows-1252",
		`<meta charset=nonsense><meta charset=big5>`:                              "big5",
		`<meta charset=big5`:                                                      "", // the tag does not end
		`<?xml encoding="koi8-r"?><meta charset=big5>`:                            "big5",
		strings.Repeat(" ", maxPrescan) + `<meta charset=big5>`:                   "",
		strings.Repeat(" ", 2000) + `<meta charset=big5>`:                         "big5",
		`<meta http-equiv=content-type content="text/html; charset='koi8-r"><p>x`: "", // the quote is not closed
	} {
		if got := prescan([]byte(page)); got != want {
			t.Errorf("prescan(%.80q) = %q, want %q", page, got, want)
		}
	}
}

// UTF-16 without a mark is recognised by its zero bytes, and nothing else is.
func TestUnmarkedUTF16(t *testing.T) {
	wide := func(s string, high, low int) []byte {
		b := make([]byte, 0, 2*len(s))
		for _, c := range []byte(s) {
			pair := [2]byte{}
			pair[low], pair[high] = c, 0
			b = append(b, pair[:]...)
		}
		return b
	}
	const html = "<html><body>A reef is a ridge of rock."
	for name, c := range map[string]struct {
		body []byte
		want string
	}{
		"little endian":   {wide(html, 1, 0), utf16LE},
		"big endian":      {wide(html, 0, 1), utf16BE},
		"ASCII":           {[]byte(html), ""},
		"a few NUL bytes": {[]byte(strings.Repeat(html, 20) + "\x00\x00\x00"), ""},
		"all zeros":       {make([]byte, 100), ""},
		"too short":       {[]byte("<\x00"), ""},
		"empty":           {nil, ""},
	} {
		if got := unmarkedUTF16(c.body); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
	text, name := Decode(wide(html, 1, 0), "text/html; charset=iso-8859-1")
	if string(text) != html || name != utf16LE {
		t.Errorf("declared as another encoding: got %q in %s", text, name)
	}
}
