package extract

import (
	"slices"
	"strings"
	"testing"

	"dowse"
)

// TestProse adds pieces of text, with marks between them: "/" begins a line, "_" a
// space, as the tags of a page do.
func TestProse(t *testing.T) {
	for _, c := range []struct {
		name      string
		pieces    string
		max, word int
		want      string
		full      bool
	}{
		{"words join", "ab,cd", 100, 0, "abcd", false},
		{"a space", "ab,_,cd", 100, 0, "ab cd", false},
		{"a line beats a space", "ab,_,/,_,cd", 100, 0, "ab\ncd", false},
		{"none at the beginning", "/,_,  ab", 100, 0, "ab", false},
		{"none at the end", "ab  ,/", 100, 0, "ab", false},
		{"controls are spaces", "a\x01\x7f\tb\u0085c", 100, 0, "a b c", false},
		{"NUL is nothing", "a\x00b", 100, 0, "ab", false},
		{"wide spaces", "a\u2003\u3000b", 100, 0, "a b", false},
		{"marks of direction", "a\u202eb\u2066c\u00add\ufeffe", 100, 0, "abcde", false},
		{"invalid bytes", "a\xffb", 100, 0, "a\uFFFDb", false},
		{"the limit of the text", "abc def ghi", 8, 0, "", true}, // the words fit only together
		{"whole pieces fit or do not", "abc,_,def,_,ghi", 8, 0, "abc def", true},
		{"the limit of a word", "abcdefg hi", 100, 4, "abcd hi", false},
		{"over pieces", "abc,def,_,gh", 100, 4, "abcd gh", false},
		{"a line ends a word", "abc,/,def", 100, 4, "abc\ndef", false},
		{"no character is cut", "ééé", 100, 5, "éé", false},
		{"punctuation ends a run of a script without spaces", "漢字。漢字", 100, 9, "漢字。漢字", false},
	} {
		p := prose{max: c.max, word: c.word}
		for piece := range strings.SplitSeq(c.pieces, ",") {
			switch piece {
			case "/":
				p.line()
			case "_":
				p.space()
			default:
				p.add([]byte(piece))
			}
		}
		if string(p.buf) != c.want || p.full != c.full {
			t.Errorf("%s: %q gives %q, full %v; want %q, %v", c.name, c.pieces, p.buf, p.full, c.want, c.full)
		}
	}
}

// TestTokens cuts pages into tokens: text, <start>, </end>, and nothing for comments.
func TestTokens(t *testing.T) {
	for page, want := range map[string]string{
		"a<b>c</b>d":                         "a <b> c </b> d",
		"<A HREF=x/>":                        "<a>",
		"<br/>":                              "<br/>",
		"<a b=/>":                            "<a>",
		"a < b <3 c":                         "a < b <3 c",
		"<":                                  "<",
		"a</":                                "a </",
		"</ a>b":                             "b",
		"</>a":                               "a",
		"<!-->a":                             "a",
		"<!--->a":                            "a",
		"<!-- a --!>b":                       "b",
		"<!-- a -- > b -->c":                 "c",
		"<!-- a":                             "",
		"<!doctype html>a":                   "a",
		"<?php echo '>'?>a":                  "'?>a",
		"<![CDATA[a]]>b":                     "b",
		"<a href=\"<b>\">c":                  "<a> c",
		"<a href='x":                         "",
		"<a\x00b>c":                          "<a\x00b> c",
		"<x" + strings.Repeat("y", 70) + ">": "<x" + strings.Repeat("y", maxName-1) + ">",
	} {
		var got []string
		s := source{body: []byte(page)}
		for {
			var a attributes
			kind := s.read(&a, false)
			if kind == pageEnd {
				break
			}
			name := string(s.name[:s.length])
			switch kind {
			case textToken:
				got = append(got, string(s.text()))
			case startTag:
				if s.closed {
					name += "/"
				}
				got = append(got, "<"+name+">")
			case endTag:
				got = append(got, "</"+name+">")
			}
		}
		if tokens := strings.Join(got, " "); tokens != want {
			t.Errorf("tokens of %q: got %q, want %q", page, tokens, want)
		}
	}
}

// TestCharsetPrecedence has a statement about the encoding per column; the first
// that can be true counts.
func TestCharsetPrecedence(t *testing.T) {
	const (
		utf8Text  = "<p>Größe, Straße, Äpfel"
		latinText = "<p>Gr\xf6\xdfe, Stra\xdfe, \xc4pfel"
		ascii     = "<p>Size, street, apples"
	)
	for _, c := range []struct{ name, header, body, want string }{
		{"a mark beats the header", "text/html; charset=iso-8859-2", "\xEF\xBB\xBF" + utf8Text, "utf-8"},
		{"the header beats the page", "text/html; charset=iso-8859-2", "<meta charset=koi8-r>" + latinText, "iso-8859-2"},
		{"the page alone", "text/html", "<meta charset=iso-8859-2>" + latinText, "iso-8859-2"},
		{"an unknown label in the header", "text/html; charset=none", "<meta charset=iso-8859-2>" + latinText, "iso-8859-2"},
		{"a label is an alias", "text/html; charset=latin1", latinText, "windows-1252"},
		{"quotes and case in the header", `text/html; Charset="ISO-8859-2"`, latinText, "iso-8859-2"},
		{"nothing, and UTF-8", "", utf8Text, "utf-8"},
		{"nothing, and ASCII", "", ascii, "windows-1252"},
		{"nothing at all", "", "", "windows-1252"},
		{"UTF-8 by the header, and another by the page", "text/html; charset=utf-8", "<meta charset=iso-8859-2>" + latinText, "iso-8859-2"},
		{"a page that was converted", "text/html; charset=iso-8859-1", utf8Text, "utf-8"},
		{"damaged UTF-8", "text/html; charset=utf-8", utf8Text + "\xff", "utf-8"},
		{"UTF-8 that is cut off", "", utf8Text + "\xc3", "utf-8"},
	} {
		if got := Charset([]byte(c.body), c.header); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
		text, _ := Decode([]byte(c.body), c.header)
		if strings.HasPrefix(c.body, "\xEF") && strings.HasPrefix(string(text), "\uFEFF") {
			t.Errorf("%s: the mark is part of the text", c.name)
		}
	}
}

func TestHasToken(t *testing.T) {
	for _, c := range []struct {
		list string
		want []string
	}{
		{"next", []string{"next"}},
		{" next\tprev\n", []string{"next", "prev"}},
		{"a,b , c", []string{"a", "b", "c"}},
		{"", nil},
		{" , ", nil},
	} {
		var got []string
		for b := range tokens([]byte(c.list)) {
			got = append(got, string(b))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("tokens of %q: got %q, want %q", c.list, got, c.want)
		}
	}
	for list, want := range map[string]bool{"NoFollow": true, "x nofollow": true, "nofollowed": false, "no follow": false} {
		if got := hasToken([]byte(list), "nofollow"); got != want {
			t.Errorf("nofollow in %q: %v, want %v", list, got, want)
		}
	}
}

// The headings of a page nest by level, however the page leaves levels out.
func TestHeadings(t *testing.T) {
	for page, want := range map[string]string{
		"<h1>a</h1><p>x":                       "1 a",
		"<h1>a<h2>b<h1>c":                      "1 a;2 b;1 c",
		"<h1></h1><h2> </h2><h3>a</h3>":        "3 a", // without text they do not count
		"<h2>a<br>b</h2>":                      "2 a b",
		"<h1>a <b>b</b>c</h1>":                 "1 a bc",
		"<div><h4>a</div>b":                    "4 a",
		"<h6>a</h6><template><h1>b</template>": "6 a",
		"<h1 hidden>a</h1><h2>b</h2>":          "2 b",
	} {
		doc := HTML([]byte(page), "https://example.org/", Options{})
		var got []string
		for _, h := range doc.Headings {
			got = append(got, strings.Trim(string(rune('0'+h.Level))+" "+h.Text, " "))
		}
		if s := strings.Join(got, ";"); s != want {
			t.Errorf("%s: headings %q, want %q", page, s, want)
		}
	}
	long := HTML([]byte(strings.Repeat("<h2>a</h2>", 10)), "https://example.org/", Options{Headings: 3})
	if len(long.Headings) != 3 {
		t.Errorf("%d headings, want the limit of 3", len(long.Headings))
	}
}

// The block of a link is what is shown around it, at most maxBlock words on each
// side, and never that of another cell or paragraph.
func TestBlockOfALink(t *testing.T) {
	words := strings.Repeat("w ", 80)
	for _, c := range []struct{ name, html, want string }{
		{"a paragraph", "<p>zero<p>one <a href=x>two</a> three<p>four", "one two three"},
		{"a cell", "<table><tr><td>zero<td>one <a href=x>two</a><td>three</table>", "one two"},
		{"an item", "<ul><li>zero<li><a href=x>one</a> two</ul>three", "one two"},
		{"inline elements do not matter", "<p>a <b>b <a href=x>c</a></b> d", "a b c d"},
		{"a long block", "<p>" + words + "<a href=x>link</a> " + words, strings.TrimSpace(strings.Repeat("w ", maxBlock) + "link " + strings.Repeat("w ", maxBlock))},
		{"the page itself", "a <a href=x>b</a> c", "a b c"},
	} {
		doc := HTML([]byte(c.html), "https://example.org/", Options{})
		if len(doc.Links) != 1 {
			t.Fatalf("%s: %d links, want 1", c.name, len(doc.Links))
		}
		if got := wordsOf(doc, doc.Links[0].Block); got != c.want {
			t.Errorf("%s: block %q, want %q", c.name, got, c.want)
		}
	}
}

// wordsOf returns some words of a document, separated by spaces.
func wordsOf(doc *dowse.Document, words dowse.Span) string {
	var list []string
	for _, w := range doc.Words[words.Start:words.End] {
		list = append(list, doc.Text[w.Start:w.End])
	}
	return strings.Join(list, " ")
}
