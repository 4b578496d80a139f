package hostile

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"

	"dowse"
)

// markupRows are about what is in pages: too much of something, and text in the syntax of
// another program. They are sorted by their ids.
func markupRows() []Row {
	return slices.SortedFunc(slices.Values(append(deepRows(), foreignRows()...)), func(a, b Row) int { return strings.Compare(a.ID, b.ID) })
}

// large is twice what a crawler reads of a page by default.
const large = 20 << 20 // bytes; twice what a crawler reads

// deepRows have too much of something.
func deepRows() []Row {
	return []Row{
		{
			// Parsers that build a tree bound its depth; 512 is a usual bound, and what is
			// deeper is lost.
			ID: "M01", Does: "a link below 600 nested elements", Wants: "the link is still found",
			checks: []check{asked("/found/1")},
			open: func(s *Site) {
				s.at("/deep", article(strings.Repeat("<div>", 600)+`<a href="/found/1">here</a>`))
				s.under("/found/", article(""))
			},
		},
		{
			// Recursive tree walks overflow their stack here.
			ID: "M02", Does: "1,000,000 nested elements, then a link", Wants: "bounded time and memory; ordinary pages fetched",
			checks: []check{is("/deep", dowse.Visited)},
			open: func(s *Site) {
				s.at("/deep", article(strings.Repeat("<div>", 1_000_000)+`<a href="/ok/1">here</a>`))
			},
		},
		{
			// Formatting elements that are left open are opened again in each paragraph
			// (HTML standard, "reconstruct the active formatting elements"): quadratic by
			// specification.
			ID: "M03", Does: "200 KB that a tree builder turns into 24 million nodes", Wants: "bounded time and memory; ordinary pages fetched",
			checks: []check{is("/formatting", dowse.Visited)},
			open: func(s *Site) {
				var b strings.Builder
				for i := range 3500 { // each is opened anew in each of the paragraphs
					fmt.Fprintf(&b, "<font color=%d><b>", i)
				}
				s.at("/formatting", article(b.String()+strings.Repeat("<p>x</p>", 8000)))
			},
		},
		{
			// Attributes are compared with each other for duplicates, quadratically in
			// naive parsers.
			ID: "M04", Does: "a tag with 300,000 attributes; a value of 20 MB", Wants: "bounded; ordinary pages fetched",
			checks: []check{is("/many", dowse.Visited), is("/long", dowse.Visited)},
			open: func(s *Site) {
				var b strings.Builder
				for i := range 300_000 {
					fmt.Fprintf(&b, " a%d=%d", i, i)
				}
				s.at("/many", article("<div"+b.String()+">much</div>"))
				s.at("/long", article(`<a title="`+strings.Repeat("long ", large/5)+`" href="/ok/1">long</a>`))
			},
		},
		{
			// A page must not fill the frontier by itself. The first links are those that a
			// person would see.
			ID: "M05", Does: "a page with the ordinary links and 200,000 more links", Wants: "ordinary pages fetched; bounded memory",
			checks: []check{asked("/found/1", "/found/2"), atMost(300, "/more/")},
			open: func(s *Site) {
				var b strings.Builder
				b.WriteString(`<a href="/found/1">one</a> <a href="/found/2">two</a>`)
				for i := range 200_000 {
					fmt.Fprintf(&b, "<a href=\"/more/%d\">more</a>\n", i)
				}
				s.at("/links", article(b.String()))
				s.under("/found/", article(""))
			},
		},
		{
			// Where an element is not closed, everything behind it belongs to it.
			ID: "M06", Does: "20 MB in an unclosed comment, script, textarea, CDATA", Wants: "bounded; ordinary pages fetched",
			open: func(s *Site) {
				filler := strings.Repeat("unclosed and so on ", large/19)
				for i, opening := range []string{"<!-- ", "<script> ", "<textarea> ", "<svg><![CDATA[ "} {
					s.at(fmt.Sprintf("/open/%d", i), article(opening+filler))
				}
			},
		},
		{
			// Titles are shown in lists, logs and terminals: long ones fill them, and
			// directional overrides rearrange the text around them.
			ID: "M12", Does: "a 10 MB title, RTL overrides, zero-width and unpaired surrogates, NULs", Wants: "bounded fields; ordinary pages fetched",
			checks: []check{boundedTitle("/title"), boundedTitle("/odd"), is("/odd", dowse.Visited)},
			open: func(s *Site) {
				s.at("/title", page("<title>"+strings.Repeat("long title ", 10<<20/11)+"</title><p>"+prose("M12", 50)))
				s.at("/odd", page("<title>\u202Eltr\u202C \u200B\u200D\uFEFF &#xD800; \xed\xa0\x80 \x00 &#0; end</title><p>"+
					strings.Repeat("a\u202Eb\u200Bc\xed\xa0\x80\x00&#xDFFF; ", 500)))
			},
		},
		{
			// Invisible characters make two titles look the same, or one word look like
			// another; combining marks without end cover the lines above. The joiner in the
			// Persian title is spelling, and has to stay.
			ID: "M15", Does: "titles with zero-width characters, directions, soft hyphens, tags, blank letters, selectors and marks without end", Wants: "titles as a reader sees them",
			checks: []check{
				titled("/hidden", "Pay pal login"), titled("/tags", "Offer"), titled("/persian", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"),
				titled("/flood", "Z\ufe0falgo"+strings.Repeat("\u0336", 6)),
			},
			open: func(s *Site) {
				body := "</title><nav><a href=/>Home</a></nav><p>"
				s.at("/hidden", page("<title>\u200bPay\u2060 \u200b p\u00ada\u202el\u200e login\u3164\ufeff"+body+prose("M15 a", 80)))
				s.at("/tags", page("<title>Offer\U000E0068\U000E0065\U000E006C\U000E0070\U000E007F"+body+prose("M15 b", 80)))
				s.at("/persian", page("<title>\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"+body+prose("M15 c", 80)))
				s.at("/flood", page("<title>Z"+strings.Repeat("\ufe0f\U000E0101", 100)+"algo"+strings.Repeat("\u0336", 400)+body+prose("M15 d", 80)))
			},
		},
		{
			// A tokenizer that allocates per word allocates once, and for ever, if the word
			// is a key of a map.
			ID: "M14", Does: "a page with a single word of 20 MB", Wants: "bounded tokens; ordinary pages fetched",
			checks: []check{is("/word", dowse.Visited)},
			open:   func(s *Site) { s.at("/word", article("<p>"+strings.Repeat("word", large/4))) },
		},
	}
}

// titled checks the title of a page.
func titled(path, want string) check {
	return func(o *outcome) {
		if f, known := o.find(path); f.Title != want {
			o.problem("%s has the title %+q, want %+q (%s)", path, f.Title, want, f.describe(known))
		}
	}
}

// boundedTitle checks that a title that is kept has at most 64 KiB.
func boundedTitle(path string) check {
	const limit = 64 << 10
	return func(o *outcome) {
		f, _ := o.find(path)
		if len(f.Title) > limit {
			o.problem("%s has a title of %d bytes", path, len(f.Title))
		}
	}
}

// foreignRows contain text that another program may mistake for its own syntax.
func foreignRows() []Row {
	const xss = `"><script>alert(1)</script><img src=x onerror=alert(2)>`
	const escapes = "\x1b[31mred\x1b]0;owned\x07\x1b[2J\x9b31m"
	return []Row{
		{
			// Charsets are declared wrongly, or not at all; the links are ASCII
			// nevertheless.
			ID: "M07", Does: "windows-1254 said to be UTF-8; UTF-16 without a byte order mark; invalid UTF-8 in href", Wants: "the links in them are found",
			checks: []check{asked("/found/1254", "/found/utf16", "/found/bare", "/found/x")},
			open: func(s *Site) {
				s.at("/windows", page(`<title>T`+"\xfc"+`rk`+"\xe7"+`e</title><p>`+"\xdd\xfe"+` da`+"\xf0"+`lar <a href="/found/1254">`+"\xfe"+`ehir</a>`))
				s.at("/utf16", typed("text/html; charset=utf-16le", utf16le(`<!doctype html><title>wide</title><p><a href="/found/utf16">here</a> `+prose("utf16", 60))))
				s.at("/bare", typed("text/html", utf16le(`<!doctype html><title>wide</title><p><a href="/found/bare">here</a> `+prose("bare", 60))))
				s.at("/invalid", page(`<p><a href="/found/x?`+"\xff\xfe"+`">here</a> <a href="/found/`+"\xc3"+`">there</a>`))
				s.under("/found/", article(""))
			},
		},
		{
			// Whatever shows a page's title or URL in HTML, such as a report, runs the
			// script unless it escapes.
			ID: "M08", Does: "script in title, text, link text, URL and headers", Wants: "shown escaped everywhere; ordinary pages fetched",
			checks: []check{is("/script", dowse.Visited)},
			open: func(s *Site) {
				s.at("/script", with("X-Title", xss, with("Content-Language", xss, article("<title>&lt;/title>"+xss+"</title><p>&lt;script>alert(3)&lt;/script>"+
					`<a href="/x?q=<script>alert(4)</script>">&lt;img src=x onerror=alert(5)></a> <a href="/ok/1">`+xss+`</a>`))))
			},
		},
		{
			// Whatever prints them on a terminal obeys the escape sequences: colours, the
			// window's title, a cleared screen, a forged line of a log.
			ID: "M09", Does: "escape sequences and line breaks in title, header, URL and status text", Wants: "no raw control bytes in logs or terminal output",
			checks: []check{cleanWords("/title"), cleanWords("/status"), cleanWords("/location"), cleanWords("/header")},
			open: func(s *Site) {
				s.at("/title", page("<title>"+escapes+"\r\nINFO all is well</title><p>"+escapes+prose("M09", 50)+`<a href="/x`+escapes+`">`+escapes+`</a>`))
				s.at("/status", bytes(whole("HTTP/1.1 500 "+escapes, "Content-Type: text/html\r\n", "")))
				s.at("/location", bytes(whole("HTTP/1.1 302 Found", "Location: /y"+escapes+"\r\n", "")))
				s.at("/header", bytes(whole("HTTP/1.1 200 OK", "Content-Type: text/html"+escapes+"\r\nContent-Language: "+escapes+"\r\n", "<p>hello")))
				s.at("/type", bytes(whole("HTTP/1.1 200 OK", "Content-Type: image/"+escapes+"\r\n", "<p>hello")))
			},
		},
		{
			// Names for files come from the web. A crawler that uses them writes where the
			// site wants.
			ID: "M10", Does: "URLs and Content-Disposition names with ../, encoded, with NUL and backslashes", Wants: "no file outside the output folder",
			open: func(s *Site) {
				for i, name := range []string{"../../../../tmp/pwned", "..\\..\\pwned", "/etc/pwned", "a\x00b", "%2e%2e%2fpwned", "C:\\pwned"} {
					header := "Content-Type: text/html\r\nContent-Disposition: attachment; filename=\"" + name + "\"\r\n"
					s.at(fmt.Sprintf("/name/%d", i), bytes(whole("HTTP/1.1 200 OK", header, "<p>"+prose(name, 50))))
				}
				for _, path := range []string{
					"/../../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc%2fpasswd", "/a%00/../b", `/..\..\windows\win.ini`, "/a/....//....//b",
				} {
					s.link(path)
				}
			},
		},
		{
			// An archive is read by its own syntax: a body that contains records must not
			// become records. Lengths decide, not separators.
			ID: "M11", Does: "a body that is itself WARC records and gzip members, and WARC/1.0 header lines", Wants: "the archive stays valid with the right record count",
			checks: []check{is("/warc", dowse.Visited), is("/headers", dowse.Visited), is("/gzip", dowse.Visited, dowse.Excluded)},
			open: func(s *Site) {
				record := "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: " + SmuggledURI + "\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n" +
					"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000000>\r\nContent-Type: application/http\r\nContent-Length: 45\r\n\r\n" +
					"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello\r\n\r\n\r\n"
				s.at("/warc", page("<p>"+prose("M11", 50)+"\r\n\r\n\r\n\r\n"+record+record))
				s.at("/gzip", page(strings.Repeat(pack(gzipped, record), 10)))
				headers := "Content-Type: text/html\r\nX-Version: WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: " + SmuggledURI + "\r\nWARC-Truncated: length\r\n"
				s.at("/headers", bytes(whole("HTTP/1.1 200 OK", headers, "<p>"+prose("M11 headers", 50))))
				s.at("/version", bytes(whole("HTTP/1.1 200 OK", "WARC/1.0\r\n"+headers, "<p>"+prose("M11 version", 50))))
			},
		},
		{
			// A refresh is a redirect in the page, and loops as one does.
			ID: "M13", Does: "meta refresh to itself at 0 s, to a growing URL, to javascript:", Wants: "no loop",
			checks: []check{asked("/refresh/self"), atMost(30, "/refresh/")},
			open: func(s *Site) {
				refresh := func(to string) string { return `<meta http-equiv=refresh content="0; url=` + to + `">` }
				s.at("/refresh/self", article(refresh("/refresh/self")))
				s.at("/refresh/script", article(refresh("javascript:location.reload()")))
				s.link("/refresh/grow")
				s.under("/refresh/grow", made(func(x *exchange) string {
					return refresh(x.entry.Path()+"x") + "<p>one moment please"
				}))
			},
		},
	}
}

// SmuggledURI is the target of WARC records in the body of a page. No record of
// an archive may have it.
const SmuggledURI = "http://smuggled.example/"

// cleanWords checks that what is kept of a page for people to read has no
// control characters.
func cleanWords(path string) check {
	return func(o *outcome) {
		f, _ := o.find(path)
		for _, s := range []string{f.Detail, f.Title, f.Fetch.Type, string(f.URL)} {
			if strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }) {
				o.problem("%s: %q has control characters", path, s)
			}
		}
	}
}

// utf16le encodes a text in UTF-16, little-endian, without a byte order mark.
func utf16le(s string) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(s)) {
		b.WriteByte(byte(u))
		b.WriteByte(byte(u >> 8))
	}
	return b.String()
}
