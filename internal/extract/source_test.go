package extract

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// piece is a token as two tokenizers can agree on it.
type piece struct {
	kind   token
	closed bool
	raw    string
}

var rawNames = map[string]bool{
	"iframe": true, "noembed": true, "noframes": true, "noscript": true, "plaintext": true, "script": true,
	"style": true, "textarea": true, "title": true, "xmp": true,
}

func ourTokens(body []byte, foreign bool) (list []piece) {
	s := source{body: body}
	for {
		var attr attributes
		k := s.read(&attr, foreign)
		if k == pageEnd {
			return list
		}
		if s.at <= s.start {
			panic("a token without bytes")
		}
		if k == startTag && rawNames[string(s.name[:s.length])] {
			s.next, _ = s.tag()
		}
		list = append(list, piece{k, k == startTag && s.closed, string(body[s.start:s.at])})
	}
}

func theirTokens(body []byte, foreign bool) (list []piece) {
	kinds := map[html.TokenType]token{
		html.TextToken: textToken, html.StartTagToken: startTag, html.SelfClosingTagToken: startTag,
		html.EndTagToken: endTag, html.CommentToken: unread, html.DoctypeToken: unread,
	}
	z := html.NewTokenizer(bytes.NewReader(body))
	z.AllowCDATA(foreign)
	for {
		tt := z.Next()
		if tt == html.ErrorToken {
			return list
		}
		if len(list) > len(body) {
			panic("theirs does not end")
		}
		list = append(list, piece{kinds[tt], tt == html.SelfClosingTagToken, string(z.Raw())})
	}
}

// FuzzSource holds our tokens against those of golang.org/x/net/html. Scripts with
// comments in them are left out, in which that departs from the standard, and tags
// that repeat an attribute.
func FuzzSource(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.html")
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(b), false)
	}
	for _, s := range []string{
		"a<b>c</b >d<br/><br / ><p a=/><p a='/'/>", "<!doctype html><!-- x --!>y<!--->z<!-->-->", "<a b='c\">'d e = f>g</a",
		"<title>a<b></titl></TITLE >b", "<textarea></textareas></textarea\n>", "x</><//a></", "<![CDATA[a]]]>b<![cdata[c]]>", "<?php > ?>", "< a <1 <",
		"<plaintext>a</plaintext>", "<p =a==b/c/>", "<script>a</script foo>b", "<xmp></x</xmp/",
	} {
		f.Add(s, true)
	}
	f.Fuzz(func(t *testing.T, body string, foreign bool) {
		if strings.Contains(body, "<!--") && strings.Contains(strings.ToLower(body), "<script") {
			return
		}
		ours, theirs := ourTokens([]byte(body), foreign), theirTokens([]byte(body), foreign)
		for i := range max(len(ours), len(theirs)) {
			if i >= len(ours) || i >= len(theirs) {
				t.Fatalf("%q: %d tokens, want %d: %+v, %+v", body, len(ours), len(theirs), ours, theirs)
			}
			a, b := ours[i], theirs[i]
			if b.closed && !a.closed && repeats(b.raw) {
				a.closed = true
			}
			if a != b {
				t.Fatalf("%q: token %d is %+v, want %+v", body, i, a, b)
			}
		}
	})
}

// repeats reports whether an attribute with a value may be there twice.
func repeats(raw string) bool { return strings.Contains(raw, "=") }

// FuzzAttribute holds the text of attributes against that of the other tokenizer.
func FuzzAttribute(f *testing.F) {
	for _, s := range []string{
		"a&amp;b", "&ampb", "&amp=b", "&amp b", "&amp", "&notit;", "&notin;", "&semi;", "&#38;&#x26x&#;&#x;&#38", "&", "a\r\nb\rc\x00", "&copy&reg=&lt;", "&;&&amp;",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.ReplaceAll(s, `"`, "")
		z := html.NewTokenizer(strings.NewReader(`<a href="` + s + `">`))
		z.Next()
		z.TagName()
		_, want, _ := z.TagAttr()
		if got := attributeText([]byte(s)); string(got) != string(want) {
			t.Errorf("%q is %q, want %q", s, got, want)
		}
	})
}

// TestScripts has the rules of the standard for comments in scripts.
func TestScripts(t *testing.T) {
	for body, want := range map[string]string{
		"a</script>":                             "a",
		"a</scripts></SCRIPT ":                   "a</scripts>",
		"<!-- <script> </script> --> </script>x": "<!-- <script> </script> --> ",
		"<!-- <script> --> </script>x":           "<!-- <script> --> ",
		"<!-- </script> -->":                     "<!-- ",
		"<!--> </script>":                        "<!--> ",
		"<!-- <b> <script/</script/ </script>":   "<!-- <b> <script/</script/ ",
		"<!-- <script> ":                         "<!-- <script> ",
		"<!-- <scripts> </script>":               "<!-- <scripts> ",
	} {
		s := source{body: []byte(body), raw: tagOf([]byte("script"))}
		if got := body[:s.rawEnd()]; got != want {
			t.Errorf("%q: script %q, want %q", body, got, want)
		}
	}
}

// TestNamesOfTags compares the tags and kinds of names that are found by their letters with those that are looked up, for
// all elements that have a kind, in any case, and for names that differ from one in a letter, an end or a NUL.
func TestNamesOfTags(t *testing.T) {
	var names []string
	for _, k := range kinds {
		if name := k.tag.String(); name != "" {
			names = append(names, name, strings.ToUpper(name), name+"x", name+"\x00", "\x00"+name, name[1:]+"-", name+name)
		}
	}
	if len(names) < 700 {
		t.Fatalf("%d names", len(names))
	}
	for _, name := range names {
		s := source{}
		s.readName([]byte(name + ">"))
		got, kind := s.tag()
		want := tagOf([]byte(strings.ToLower(name)))
		if got != want || kind != want.kind() {
			t.Errorf("%q: %v of kind %b, want %v of kind %b", name, got, kind, want, want.kind())
		}
	}
}
