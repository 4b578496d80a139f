package extract

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// readPlain returns the document of a text.
func readPlain(text, contentType string) (title, words string, links []string) {
	html, _ := Decode([]byte(text), contentType)
	d := HTML(html, "http://h.example/docs/a.txt", Options{})
	for i := range d.Links {
		links = append(links, fmt.Sprintf("%s %q", d.Links[i].URL, d.Links[i].Anchor))
	}
	return d.Title, d.Text, links
}

// Texts that are no HTML are read as pages: title, paragraphs, links.
func TestPlainText(t *testing.T) {
	const plain, md = "text/plain; charset=utf-8", "text/markdown"
	for _, c := range []struct {
		name, kind, body   string
		title, text, links string
	}{
		{"paragraphs", plain, "\n\n  RFC 1  \n\nOne line\nand another.\r\n\r\nSecond <b>one</b> & more.\f\nThird", "RFC 1", "RFC 1\nOne line and another.\nSecond <b>one</b> & more.\nThird", ""},
		{"old line ends", plain, "Title\r\rBody", "Title", "Title\nBody", ""},
		{"URLs", plain, "See http://a.example/x, (https://b.example/y_(z)) or <HTTP://c.example/>.\nNot xhttp://d.example/, ftp://e.example or http:// alone.", "See http://a.example/x, (https://b.example/y_(z)) or <HTTP://c.example/>.", "See http://a.example/x, (https://b.example/y_(z)) or <HTTP://c.example/>. Not xhttp://d.example/, ftp://e.example or http:// alone.", `http://a.example/x "http://a.example/x" https://b.example/y_(z) "https://b.example/y_(z)" http://c.example/ "HTTP://c.example/"`},
		{"script is text", plain, "T\n\n<script>alert(1)</script> <a href=/x>y</a>", "T", "T\n<script>alert(1)</script> <a href=/x>y</a>", ""},
		{"code is no link", plain, "call\n\na[i](x) [b](http://h.example/c)", "call", "call\na[i](x) b", `http://h.example/c "b"`},
		{"Markdown", md, "# The *title* #\n\nSome [words](b.md \"T\") and ![image](i.png), [two](</c>).\n- item <http://d.example/>\n- [x](/wiki/R_(d))\n\n```\n[no](link)\n\ncode\n```\nend", "The *title*", "The *title*\nSome words and ![image](i.png), two.\n- item <http://d.example/>\n- x\n[no](link) code\nend", `http://h.example/docs/b.md "words" http://h.example/c "two" http://d.example/ "http://d.example/" http://h.example/wiki/R_(d) "x"`},
		{"no line", plain, " \n\n", "", "", ""},
		{"charset", "text/plain; charset=iso-8859-9", "\xddstanbul", "İstanbul", "İstanbul", ""},
		{"another charset than declared", plain, "caf\xe9 au lait, d\xe9j\xe0 vu, \xe9t\xe9, no\xebl et cr\xe8me", "café au lait, déjà vu, été, noël et crème", "café au lait, déjà vu, été, noël et crème", ""},
		{"HTML is as it was", "text/html", "<title>x</title><p>http://a.example/", "x", "http://a.example/", ""},
	} {
		title, text, links := readPlain(c.body, c.kind)
		if title != c.title || text != c.text || strings.Join(links, " ") != c.links {
			t.Errorf("%s: %q\n%q\n%s\nwant %q\n%q\n%s", c.name, title, text, strings.Join(links, " "), c.title, c.text, c.links)
		}
	}
}

// However a text is made, reading it takes little time, and what is made of it is bounded.
func TestPlainTextBounds(t *testing.T) {
	for name, piece := range map[string]string{
		"one word": "x", "lines": "a\n", "blank lines": "\n", "URLs": "http://a.example/ ", "URLs without end": "http://", "brackets": "[", "empty links": "[](", "closing brackets": "http://a.example/))))))))))))))))))))))))))))))))))) ",
		"entities": "&", "marks": "# ", "fences": "```\n", "items": "- [a](b)\n", "long words": "ü", "form feeds": "\f",
	} {
		for _, kind := range []string{"text/plain", "text/markdown"} {
			body := strings.Repeat(piece, (10<<20)/len(piece))
			begun := time.Now()
			html, _ := Decode([]byte(body), kind)
			took := time.Since(begun)
			if !utf8.Valid(html) || len(html) > 24*maxPlain {
				t.Errorf("%s as %s: %d bytes of HTML", name, kind, len(html))
			}
			if took > 20*time.Second {
				t.Errorf("%s as %s: %v", name, kind, took)
			}
		}
	}
}

func FuzzPlainText(f *testing.F) {
	f.Add([]byte("# a\n\n[b](c) http://d.example/ <e>\r\n\f```\nx\n```"), true)
	f.Add([]byte("a   b\thttp://x.example/(y)).\n\n\xff\xfe"), false)
	f.Fuzz(func(t *testing.T, body []byte, marked bool) {
		kind := "text/plain"
		if marked {
			kind = "text/markdown"
		}
		html, _ := Decode(body, kind)
		if !utf8.Valid(html) {
			t.Fatal("not UTF-8")
		}
		d := HTML(html, "http://h.example/", Options{})
		if len(d.Images)+len(d.Meta)+len(d.Licences) > 0 || d.Canonical != "" || d.NoFollow {
			t.Errorf("text was read as markup: %+v", d)
		}
	})
}
