package extract

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"dowse"
)

func TestText(t *testing.T) {
	for _, c := range []struct{ name, html, text string }{
		{"inline elements join", "a<b>b</b>c <i>d</i>", "abc d"},
		{"blocks are lines", "<p>one<p>two<div>three</div>four", "one\ntwo\nthree\nfour"},
		{"white space collapses", "  a \n\t b&nbsp;&#8195;c\u3000d  ", "a b c d"},
		{"line breaks", "a<br>b<hr>c", "a\nb\nc"},
		{"ignored end tags are nothing", "a</td>b</li>c</table>d", "abcd"},
		{"an end tag of p is a paragraph", "a</p>b", "a\nb"},
		{"scripts and styles", "a<script>x</script>b<style>y</style>c", "abc"},
		{"script states", "<script><!--<script></script>x</script>a", "a"},
		{"raw text", "<textarea>a</p></textarea><xmp><b></xmp>c", "a</p>\n<b>\nc"},
		{"no scripting", "<noscript>a<b>b</b></noscript>", "ab"},
		{"frames that are there", "<iframe>no</iframe>a<noframes>no</noframes><noembed>no</noembed>", "a"},
		{"templates", "a<template>b<p>c</template>d", "ad"},
		{"hidden", "a<span hidden>b<b>c</b></span>d", "ad"},
		{"comments", "a<!-- x -->b<!x>c<?y>d", "abcd"},
		{"entities", "&lt;a&gt; &eacute;&#x41;&#66; &notit; &copy", "<a> éAB ¬it; ©"},
		{"NUL", "a\x00b", "ab"},
		{"NUL in SVG", "<svg>a\x00b", "a\uFFFDb"},
		{"CDATA in SVG alone", "<svg><![CDATA[a<b>&amp;]]></svg><![CDATA[c]]>", "a<b>&amp;"},
		{"SVG ends at HTML", "<svg><g>a<p>b</g>c", "a\nbc"},
		{"HTML in SVG", "<svg><foreignObject><p>a</p></foreignObject></svg>b", "a\nb"},
		{"before a table", "a<table>b<tr><td>c</table>d", "ab\nc\nd"},
		{"cells are apart", "<table><tr><td>a<td>b<tr><th>c", "a\nb\nc"},
		{"options are apart", "<select><option>a<option>b</select>c", "a\nb\nc"},
		{"a frameset has no text", "<frameset>a<frame src=x></frameset>b", ""},
		{"too late for a frameset", "a<frameset>b", "ab"},
		{"plaintext", "a<plaintext></plaintext>b", "a\n</plaintext>b"},
		{"soft hyphens and directions", "inter&shy;na\u202Etional\u202C", "international"},
		{"title is no text", "<title>a</title>b", "b"},
		{"links that touch", "<a href=/a>a</a><a href=/b>b</a>c", "a bc"},
		{"images separate words", "a<img src=x alt=y>b", "a b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc := HTML([]byte(c.html), page, Options{})
			if doc.Text != c.text {
				t.Errorf("%q, want %q", doc.Text, c.text)
			}
			sound(t, doc, Options{}.withDefaults())
		})
	}
}

// A title that is too long is cut, not lost.
func TestLongTitle(t *testing.T) {
	for name, title := range map[string]string{
		"words": strings.Repeat("tide pool ", 1000), "one word": strings.Repeat("x", 9000), "no ASCII": strings.Repeat("潮だまり", 3000), "mixed": strings.Repeat("é ab", 3000),
	} {
		doc := HTML([]byte("<title>"+title+"</title>text"), page, Options{})
		if n := utf8.RuneCountInString(doc.Title); n < 990 || n > 1000 || !strings.HasPrefix(title, doc.Title) {
			t.Errorf("%s: %d characters of the title are left, want its first 1,000", name, n)
		}
	}
}

func TestLinks(t *testing.T) {
	for _, c := range []struct {
		name, html string
		links      []string // URL without its origin, anchor
	}{
		{"a", "<a href=x>one</a>", []string{"/dir/x one"}},
		{"area", "<map><area href=x alt=one></map>", []string{"/dir/x one"}},
		{"frames", "<iframe src=x></iframe><iframe></iframe>", []string{"/dir/x "}},
		{"frameset", "<frameset><frame src=x><a href=y></frameset>", []string{"/dir/x "}},
		{"no anchor, no link", "<a name=x>one</a><a>two</a>", nil},
		{"base", "<base href=/other/><base href=/not/><a href=x>one</a>", []string{"/other/x one"}},
		{"base out of the web", "<base href=javascript:1><a href=x>one</a>", []string{"/dir/x one"}},
		{"to itself", "<a href=>a</a><a href=#x>b</a><a href=page.html>c</a>", nil},
		{"not on the web", "<a href=javascript:x>a</a><a href=mailto:x>b</a><a href=tel:1>c</a><a href='http://['>d</a>", nil},
		{"image", "<a href=x><img alt='an image'></a>", []string{"/dir/x an image"}},
		{"image and words", "<a href=x><img alt='an image'> words</a>", []string{"/dir/x words"}},
		{"hidden", "<div hidden><a href=x>one <b>two</b></a></div>", []string{"/dir/x one two"}},
		{"nested", "<a href=x>one <a href=y>two</a> three", []string{"/dir/x one", "/dir/y two"}},
		{"over blocks", "<a href=x><h3>one</h3><p>two</p></a>three", []string{"/dir/x one two"}},
		{"ends with its cell", "<table><td><a href=x>one<td>two", []string{"/dir/x one"}},
		{"goes through an object", "<a href=x>one <object>two</object> three</a>", []string{"/dir/x one two three"}},
		{"twice", "<a href=x>one</a> <a href=x#y>two</a>", []string{"/dir/x one+two"}},
		{"refresh", "<meta http-equiv=Refresh content='0;URL=x'>", []string{"/dir/x "}},
		{"refresh to itself and to scripts", "<meta http-equiv=refresh content=0><meta http-equiv=refresh content='0;url=javascript:1'>", nil},
		{"next", "<link rel='next nofollow' href=x>", []string{"/dir/x "}},
		{"feeds and styles", "<link rel=alternate hreflang=de type=application/atom+xml href=x><link rel=stylesheet href=y>", nil},
		{"references", "<a href='x?a=1&amp;b=2&copy=3&lt;'>one</a>", []string{"/dir/x?a=1&b=2&copy=3%3C one"}},
		{"in comments and scripts", "<!-- <a href=x> --><script>'<a href=y>'</script><style><a href=z></style>", nil},
		{"the first href counts", "<a href=x href=y>one</a>", []string{"/dir/x one"}},
		{"SVG", "<svg><a xlink:href=x>one</a></svg>", []string{"/dir/x one"}},
		{"upper case", "<A HREF=x>one</A>", []string{"/dir/x one"}},
		{"unclosed tag", "<a href=x", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc := HTML([]byte(c.html), page, Options{})
			sound(t, doc, Options{}.withDefaults())
			var got []string
			for _, l := range doc.Links {
				s := strings.TrimPrefix(string(l.URL), "https://example.org") + " " + l.Anchor
				for _, m := range l.More {
					s += "+" + m.Anchor
				}
				got = append(got, s)
			}
			if !slices.Equal(got, c.links) {
				t.Errorf("%q, want %q", got, c.links)
			}
		})
	}
}

func TestNoFollow(t *testing.T) {
	doc := HTML([]byte("<a rel=nofollow href=a>a</a><a rel='external UGC' href=b>b</a><a rel=nofollow href=c>c</a><a href=c>c</a><a rel=noopener href=d>d</a>"), page, Options{})
	var got []bool
	for _, l := range doc.Links {
		got = append(got, l.NoFollow)
	}
	if want := []bool{true, true, false, false}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestMetaRobots(t *testing.T) {
	for _, c := range []struct {
		html                   string
		follow, index, archive bool
	}{
		{"<meta name=robots content='noindex, NoFollow'>", false, false, true},
		{"<meta name=ROBOTS content=none>", false, false, true},
		{"<meta name=robots content=noarchive><meta name=dowse content=nofollow>", false, true, false},
		{"<meta name=otherbot content=none>", true, true, true},
		{"<meta name=robots content=follow,index>", true, true, true},
		{"<meta name=robots>", true, true, true},
		{"<template><meta name=robots content=none></template>", true, true, true},
		{"<body><p><meta name=robots content=nofollow>", false, true, true},
	} {
		doc := HTML([]byte(c.html), page, Options{Agents: []string{"reefbot", "dowse"}})
		if doc.NoFollow == c.follow || doc.NoIndex == c.index || doc.NoArchive == c.archive {
			t.Errorf("%s: nofollow %v, noindex %v, noarchive %v", c.html, doc.NoFollow, doc.NoIndex, doc.NoArchive)
		}
	}
}

func TestRobotsTag(t *testing.T) {
	for _, c := range []struct {
		values                       []string
		noFollow, noIndex, noArchive bool
	}{
		{nil, false, false, false},
		{[]string{"nofollow"}, true, false, false},
		{[]string{"NOINDEX , NoFollow"}, true, true, false},
		{[]string{"none"}, true, true, false},
		{[]string{"noarchive", "noindex"}, false, true, true},
		{[]string{"dowse: nofollow"}, true, false, false},
		{[]string{"Dowse:noindex, nofollow"}, true, true, false},
		{[]string{"otherbot: noindex, nofollow"}, false, false, false},
		{[]string{"otherbot: noindex, dowse: nofollow"}, true, false, false},
		{[]string{"otherbot: none", "nofollow"}, true, false, false},
		{[]string{"unavailable_after: 25 Jun 2010 15:00:00 PST, nofollow"}, true, false, false},
		{[]string{"max-snippet: 10, noindex"}, false, true, false},
		{[]string{"all", "", ":", ",,", ": nofollow"}, false, false, false},
	} {
		f, i, a := RobotsTag(c.values, "dowse")
		if f != c.noFollow || i != c.noIndex || a != c.noArchive {
			t.Errorf("%q: %v %v %v", c.values, f, i, a)
		}
	}
}

func TestPublished(t *testing.T) {
	for _, c := range []struct{ html, date string }{
		{"<meta property=article:published_time content=2024-02-03T04:05:06Z>", "2024-02-03T04:05:06Z"},
		{"<time itemprop=datePublished datetime='2024-02-03T04:05+01:00'>x</time>", "2024-02-03T03:05:00Z"},
		{"<meta itemprop=datePublished content=2024-02-03>", "2024-02-03T00:00:00Z"},
		{"<time pubdate datetime=2024-02-03>x</time>", "2024-02-03T00:00:00Z"},
		{"<meta name=DC.date content=2024-02-03><meta property=article:published_time content=2023-01-01>", "2023-01-01T00:00:00Z"},
		{"<meta property=article:published_time content=2023-01-01><meta name=date content=2024-02-03>", "2023-01-01T00:00:00Z"},
		{`<script type="application/ld+json">{"datePublished" : "2024-02-03T04:05:06.789+0000"}</script>`, "2024-02-03T04:05:06Z"},
		{"<meta name=date content='Tue, 06 Feb 2024 10:00:00 GMT'>", "2024-02-06T10:00:00Z"},
		{"<time datetime=2024-02-03>x</time>", "0001-01-01T00:00:00Z"},
		{"<meta name=date content=yesterday>", "0001-01-01T00:00:00Z"},
	} {
		doc := HTML([]byte(c.html), page, Options{})
		if got := doc.Published.Format("2006-01-02T15:04:05Z07:00"); got != c.date {
			t.Errorf("%s: %s, want %s", c.html, got, c.date)
		}
	}
}

func TestTypes(t *testing.T) {
	doc := HTML([]byte(`<body typeof="schema:WebPage foaf:Document"><div itemtype="http://schema.org/Recipe https://example.org/Odd">`+
		`<script type="application/LD+JSON">{"@graph":[{"@type":"https://schema.org/Event"},{"@type":["Place","Ev\u0065nt"],"x":"@type"},{"@type":{"no":1}},{"@type":"<b>"}]</script>`+
		`<script>{"@type":"Never"}</script>`), page, Options{})
	if want := []string{"WebPage", "Recipe", "Event", "Place"}; !slices.Equal(doc.Types, want) {
		t.Errorf("%q, want %q", doc.Types, want)
	}
}

func TestLanguage(t *testing.T) {
	for _, c := range []struct{ html, lang string }{
		{"<html lang=de-AT>", "de-at"},
		{"<html xml:lang=en_US>", "en-us"},
		{"<meta http-equiv=Content-Language content='fr, en'>", "fr"},
		{"<html lang=tr><meta http-equiv=content-language content=en>", "tr"},
		{"<html lang='<script>'>", ""},
		{"<p lang=de>", ""},
	} {
		if doc := HTML([]byte(c.html), page, Options{}); doc.Language != c.lang {
			t.Errorf("%s: %q, want %q", c.html, doc.Language, c.lang)
		}
	}
}

// TestAbove: the headings above a link are the last h1, the last h2 under it,
// and the last deeper one under that.
func TestAbove(t *testing.T) {
	doc := HTML([]byte("<a href=0>x</a><h2>A</h2><a href=1>x</a><h1>B</h1><a href=2>x</a><h3>C</h3><a href=3>x</a>"+
		"<h2>D</h2><h5>E</h5><h6></h6><a href=4>x</a><h1><a href=5>F</a></h1>"), page, Options{})
	sound(t, doc, Options{}.withDefaults())
	var got []string
	for _, l := range doc.Links {
		s := ""
		for _, h := range l.Above {
			if h < 0 {
				s += "-"
			} else {
				s += doc.Headings[h].Text
			}
		}
		got = append(got, s)
	}
	if want := []string{"---", "-A-", "B--", "B-C", "BDE", "F--"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestBlock: a block ends fifty words to each side of the anchor.
func TestBlock(t *testing.T) {
	doc := HTML([]byte("<div>out<p>"+strings.Repeat("before ", 60)+"<a href=x>the anchor</a>"+strings.Repeat(" after", 60)+"<p>out</div>"), page, Options{})
	l := doc.Links[0]
	if l.At != (dowse.Span{Start: 61, End: 63}) || l.Block != (dowse.Span{Start: 11, End: 113}) {
		t.Errorf("at %v in %v", l.At, l.Block)
	}
}

func TestHooks(t *testing.T) {
	var hrefs, dropped []string
	opt := Options{
		KeepSelf: true,
		OnHref:   func(s string) { hrefs = append(hrefs, s) },
		OnDrop:   func(s string) { dropped = append(dropped, s) },
	}
	doc := HTML([]byte("<a href='page.html'>self</a><a href=tel:1>x</a><area href=y><iframe src='ftp://x/'></iframe>"), page, opt)
	if want := []string{"page.html", "tel:1", "y"}; !slices.Equal(hrefs, want) {
		t.Errorf("hrefs %q, want %q", hrefs, want)
	}
	if want := []string{"tel:1", "ftp://x/"}; !slices.Equal(dropped, want) {
		t.Errorf("dropped %q, want %q", dropped, want)
	}
	if want := []dowse.URL{page, "https://example.org/dir/y"}; !slices.Equal(targets(doc), want) {
		t.Errorf("links %q, want %q", targets(doc), want)
	}
}

// TestDeterminism: the same bytes give the same document.
func TestDeterminism(t *testing.T) {
	body := benchPage()
	first := fmt.Sprint(describeDocument(HTML(body, page, Options{})))
	for range 3 {
		if again := describeDocument(HTML(body, page, Options{})); again != first {
			t.Fatal("another document")
		}
	}
}

func TestNoBase(t *testing.T) {
	doc := HTML([]byte("<title>x</title><a href=/y>z</a>"), "", Options{})
	if doc.Title != "x" || doc.Text != "z" || len(doc.Links) != 0 {
		t.Errorf("%+v", doc)
	}
}
