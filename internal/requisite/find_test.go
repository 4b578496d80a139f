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

// FuzzFind checks that nothing makes the finders fail, and that they keep their bounds.
func FuzzFind(f *testing.F) {
	for _, s := range []string{`<img srcset=", ,a b,">`, `url(`, `@import "`, `<style>url('a')`, `<link rel="preload icon" as=style href=a>`} {
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
