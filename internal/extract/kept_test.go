package extract

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"dowse"
)

func TestMeta(t *testing.T) {
	doc := HTML([]byte(`<meta name=Description content=" what it
		is "><meta property="og:Type" content=article><meta name=viewport content="width=1"><meta charset=utf-8>
		<meta name=author content="A &amp; B"><meta name=author content=C><meta name=empty content=""><meta name=none>
		<meta name="msapplication-TileColor" content=red><meta http-equiv=refresh content=5>
		<template><meta name=inert content=x></template>`), page, Options{})
	want := []dowse.Meta{{Name: "description", Content: "what it is"}, {Name: "og:type", Content: "article"},
		{Name: "author", Content: "A & B"}, {Name: "author", Content: "C"}, {Name: "empty"}}
	if !slices.Equal(doc.Meta, want) {
		t.Errorf("%q, want %q", doc.Meta, want)
	}
}

func TestImages(t *testing.T) {
	doc := HTML([]byte(`<img src=" a.png "><p><img alt=none><img src="data:image/png;base64,AAAA"><a href=x><image src=/b.png></a>
		<template><img src=c.png></template><img src="\xff.png">`+`<img src="`+strings.Repeat("x", 3000)+`">`), page, Options{})
	if want := []string{"a.png", "data:", "/b.png", `\xff.png`}; !slices.Equal(doc.Images, want) {
		t.Errorf("%q, want %q", doc.Images, want)
	}
	if doc := HTML([]byte("<img src='\x1b[2Ja.png'>"), page, Options{}); len(doc.Images) != 1 || doc.Images[0] != "[2Ja.png" {
		t.Errorf("%q is kept", doc.Images)
	}
}

// What one page keeps is not seen in the next one, which works in the same memory.
func TestKeptIsForgotten(t *testing.T) {
	first := HTML([]byte("<meta name=author content=somebody><img src=a.png>"), page, Options{})
	for range 10 {
		if doc := HTML([]byte("<meta name=x content=nobody-at-all><img src=b.png>"), page, Options{}); doc.Meta[0].Name != "x" || len(doc.Images) != 1 {
			t.Fatalf("%q, %q", doc.Meta, doc.Images)
		}
		if doc := HTML([]byte("<p>"), page, Options{}); doc.Meta != nil || doc.Images != nil {
			t.Fatalf("%q, %q", doc.Meta, doc.Images)
		}
	}
	if first.Meta[0].Content != "somebody" || first.Images[0] != "a.png" {
		t.Errorf("%q, %q", first.Meta, first.Images)
	}
}

func TestKeptIsBounded(t *testing.T) {
	var b strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&b, "<meta name=n%d content=%q><img src=%d>", i, strings.Repeat("é", 2000), i)
	}
	doc := HTML([]byte(b.String()), page, Options{})
	if len(doc.Meta) != maxMeta || len(doc.Images) != maxImages || len(doc.Meta[0].Content) != 2000 {
		t.Errorf("%d meta elements, %d images, %d bytes", len(doc.Meta), len(doc.Images), len(doc.Meta[0].Content))
	}
}

func TestModified(t *testing.T) {
	for html, want := range map[string]string{
		"<meta property=article:modified_time content=2024-02-03T04:05:06Z>":                                                                "2024-02-03",
		"<meta property='OG:updated_time' content=2024-02-03>":                                                                              "2024-02-03",
		"<meta name=dcterms.modified content=2024-02-03><meta property=article:modified_time content=2025-01-01>":                           "2025-01-01",
		"<meta itemprop=dateModified content=2024-02-03>":                                                                                   "2024-02-03",
		`<script type="application/ld+json">{"datePublished": "2023-01-01", "dateModified": "2024-02-03T04:05:06Z"}</script>`:               "2024-02-03",
		`<script type="application/ld+json">{"dateModified": {"@value": "2024-02-03"}, "datePublished": "2023-01-01"}</script>`:             "0001-01-01",
		"<meta property=article:published_time content=2024-02-03>":                                                                         "0001-01-01",
		"<meta name=last-modified content=yesterday><meta name=revised content='3 February 2024'><meta name=last-modified content=unknown>": "2024-02-03",
	} {
		if got := HTML([]byte(html), page, Options{}).Modified.Format(time.DateOnly); got != want {
			t.Errorf("%s: %s, want %s", html, got, want)
		}
	}
}
