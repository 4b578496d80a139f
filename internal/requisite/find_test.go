package requisite

import (
	"slices"
	"strings"
	"testing"

	"dowse"
)

// relative returns URLs without the host of the tests.
func relative(list []dowse.URL) (out []string) {
	for _, u := range list {
		out = append(out, strings.TrimPrefix(string(u), "http://a.test/"))
	}
	return out
}

func TestInHTML(t *testing.T) {
	for page, want := range map[string]string{
		`<img src=a.png><img src="a.png#x"><IMG SRC=' b.png '>`:                                                                                                 "a.png b.png",
		`<img src=a.png srcset="b.png 1x, c.png 2x,d.png">`:                                                                                                     "a.png b.png c.png d.png",
		`<img srcset="b.png, c.png 300w , ,e.png">`:                                                                                                             "b.png c.png e.png",
		`<img data-src=a.png data-srcset="b.png 2x" data-original=c.png data-lazy-src=d.png>`:                                                                   "a.png c.png d.png b.png",
		`<picture><source srcset="a.webp 1x"><source src=film.mp4><img src=a.png></picture>`:                                                                    "a.webp a.png",
		`<link rel="Stylesheet alternate" href=a.css><link rel=canonical href=x><link rel="shortcut icon" href=i.ico>`:                                          "a.css i.ico",
		`<link rel=preload as=font href=f.woff2><link rel=preload as=fetch href=x.json>`:                                                                        "f.woff2",
		`<base href=/sub/><script src=a.js></script><video poster=p.jpg src=v.mp4></video>`:                                                                     "sub/a.js sub/p.jpg",
		`<style>@import 'a.css'; p{background:URL( "b.png" )} /* url(c.png) */</style><p style="background:url(d.png)">url(e.png)</p>`:                          "a.css b.png d.png",
		`<svg><image href=a.svg /><use xlink:href="s.svg#x"/></svg><body background=bg.gif><input type=image src=i.png>`:                                        "a.svg s.svg bg.gif i.png",
		`<img src="data:image/png;base64,AAAA"><img src=javascript:x><img src="ftp://a.test/x"><img src=#x><a href=page.html>x</a><iframe src=f.html></iframe>`: "",
		`<script>document.write("<img src=x.png>")</script><!-- <img src=y.png> -->`:                                                                            "",
	} {
		if got := strings.Join(relative(InHTML([]byte(page), "http://a.test/", 100)), " "); got != want {
			t.Errorf("%s\n got %s\nwant %s", page, got, want)
		}
	}
	if got := InHTML([]byte(strings.Repeat("<img src=a><img src=b><img src=c>", 9)), "http://a.test/", 2); len(got) != 2 {
		t.Errorf("at most two: %v", got)
	}
}

func TestInCSS(t *testing.T) {
	sheet := `@charset "utf-8"; @import url("a.css") screen; @IMPORT "b.css"; p { background: url(c.png), url( 'd.png' ) } @font-face { src: url(e.woff2) format("woff2") }
		q { background: url(data:image/png;base64,AA) } /* url(f.png) */ r { background: url(g.png`
	want := []string{"css/a.css", "css/b.css", "css/c.png", "css/d.png", "css/e.woff2"}
	if got := relative(InCSS([]byte(sheet), "http://a.test/css/x.css", 100)); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestCSSTokens checks where a style sheet names a URL, and where it only looks as if it did.
func TestCSSTokens(t *testing.T) {
	for sheet, want := range map[string]string{
		`p{background:url(a\ b\).png)} q{background:url("c\"d.png")}`:                                          `a%20b).png c%22d.png`,
		`p{background:url(\66 oo.png)} q{background:url('\00002e./x\000041.png')} r{background:\75 rl(y.png)}`: `foo.png xA.png y.png`,
		"@import \"long\\\nname.css\"; p{content:\"broken\n} q{background:url(a.png)}":                         `longname.css a.png`,
		`p{background:image-set("a.png" 1x, 'b.png' 2x type("image/png"), url(c.png) 3x)}`:                     `a.png b.png c.png`,
		`p{background:-webkit-IMAGE-SET( "a.png" 1x )} q{content:"b.png"}`:                                     `a.png`,
		`p{content:"url(a.png)"} q{content:'\'url(b.png)'} r{x:my-url(c.png)} s{background:url(d.png)}`:        `d.png`,
		`@import url(a.css) supports(x: "b.css"); @import"c.css"layer("d.css");@charset "e.css";`:              `a.css c.css`,
		`@namespace url(http://a.test/ns); @namespace svg "http://a.test/svg"; @font-face{src:url(a.woff)}`:    `a.woff`,
		`p{background:url(a b.png)} q{background:url()} r{background:url(c.png )}`:                             `c.png`,
	} {
		if got := strings.Join(relative(InCSS([]byte(sheet), "http://a.test/", 100)), " "); got != want {
			t.Errorf("%s\n got %s\nwant %s", sheet, got, want)
		}
	}
}

// FuzzFind checks that nothing makes the finders fail, and that they keep their bounds.
func FuzzFind(f *testing.F) {
	for _, s := range []string{`<img srcset=", ,a b,">`, `url(`, `@import "`, `<style>url('a')`, `<link rel="preload icon" as=style href=a>`, `image-set("a" 1x)`, `\`, `@\`, `url(\`, `a\9999999b(`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, list := range [][]dowse.URL{InHTML([]byte(s), "http://a.test/", 5), InCSS([]byte(s), "http://a.test/", 5)} {
			for _, u := range list {
				if !strings.HasPrefix(string(u), "http") || len(list) > 5 {
					t.Errorf("%q", list)
				}
			}
		}
	})
}
