package extract

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// benchPage is a page of some 20 KB: 2,000 words, 40 links, the usual head.
func benchPage() []byte {
	words := strings.Fields("the quick study of urban trees shows that shade lowers heat in streets where people walk " +
		"and how cities plan parks with native species across every season while budgets remain small")
	var b strings.Builder
	b.WriteString(`<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Urban trees</title>` +
		`<meta name="description" content="A study of trees"><meta name="viewport" content="width=device-width">` +
		`<link rel="stylesheet" href="/style.css"><link rel="canonical" href="https://example.org/trees">` +
		`<script>window.dataLayer = window.dataLayer || []; function gtag(){dataLayer.push(arguments)}</script></head>` +
		`<body class="page"><div id="main" class="container">` + "\n")
	word := 0
	next := func(n int) {
		for range n {
			b.WriteString(words[word%len(words)])
			b.WriteByte(' ')
			word++
		}
	}
	for i := range 40 {
		if i%8 == 0 {
			fmt.Fprintf(&b, "<h2 class=\"title\" id=\"s%d\">", i)
			next(4)
			b.WriteString("</h2>\n")
		}
		b.WriteString("<p class=\"text\">")
		next(22)
		fmt.Fprintf(&b, `<a href="/articles/%d/trees-and-heat.html" class="link" title="more">`, i)
		next(3)
		b.WriteString("</a> ")
		next(12)
		b.WriteString("<em>")
		next(2)
		b.WriteString("</em>&amp; ")
		next(10)
		b.WriteString("</p>\n<div class=\"item\"><span class=\"date\">")
		next(2)
		b.WriteString("</span></div>\n")
		b.WriteString("<ul class=\"tags\"><li>urban</li><li>trees</li></ul>\n")
	}
	b.WriteString("</div></body></html>")
	return []byte(b.String())
}

func BenchmarkHTML20KB(b *testing.B) {
	page := benchPage()
	doc := HTML(page, "https://example.org/trees/", Options{})
	b.Logf("%d bytes, %d words, %d links", len(page), len(doc.Words), len(doc.Links))
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	for b.Loop() {
		HTML(page, "https://example.org/trees/", Options{})
	}
}

// BenchmarkRichHead reads the same page with the head and the images of a news site.
func BenchmarkRichHead(b *testing.B) {
	var head, images strings.Builder
	for i, name := range strings.Fields("author generator twitter:card twitter:title twitter:description robots news_keywords section theme-color") {
		fmt.Fprintf(&head, "<meta name=%q content=\"what the page says of itself, %d\">\n", name, i)
	}
	for i, name := range strings.Fields("type title url image description site_name locale determiner image:width image:height") {
		fmt.Fprintf(&head, "<meta property=\"og:%s\" content=\"what the page says of itself, %d\">\n", name, i)
	}
	for i := range 30 {
		fmt.Fprintf(&images, "<img src=\"https://static.example.org/images/2026/05/tree-%d.jpg\" alt=\"a tree\" width=640 height=480>\n", i)
	}
	page := bytes.Replace(benchPage(), []byte("</head>"), []byte(head.String()+"</head>"), 1)
	page = bytes.Replace(page, []byte("</body>"), []byte(images.String()+"</body>"), 1)
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	for b.Loop() {
		HTML(page, "https://example.org/trees/", Options{})
	}
}

// BenchmarkTokenizer is the floor under BenchmarkHTML20KB: the tokens, and the
// attributes of links.
func BenchmarkTokenizer(b *testing.B) {
	page := benchPage()
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	for b.Loop() {
		z := html.NewTokenizer(bytes.NewReader(page))
		for tt := z.Next(); tt != html.ErrorToken; tt = z.Next() {
			switch tt {
			case html.TextToken:
				z.Text()
			case html.StartTagToken:
				name, more := z.TagName()
				for len(name) == 1 && name[0] == 'a' && more {
					_, _, more = z.TagAttr()
				}
			}
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	page := benchPage()
	latin := bytes.ReplaceAll(page, []byte("trees"), []byte("tr\xeaes"))
	for _, c := range []struct {
		name, contentType string
		body              []byte
	}{
		{"UTF8", "text/html; charset=utf-8", page},
		{"UTF8InPage", "text/html", page},
		{"Latin1", "text/html; charset=iso-8859-1", latin},
		{"Detected", "text/html; charset=utf-8", latin},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.body)))
			b.ReportAllocs()
			for b.Loop() {
				Decode(c.body, c.contentType)
			}
		})
	}
}
