package extract

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzHTML(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.html")
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(b))
	}
	f.Add("<table><a href=x>1<td><svg><title>2<template><p>3</table><frameset>")
	f.Add("<select><option><a href=y><math><annotation-xml encoding=text/html><b>4</select>")
	f.Add("<h1><a href=z hidden>5<h2></a><object></h1><li><dd></object></form>")
	opt := Options{Tokens: 10_000, Depth: 20, Links: 20, Mentions: 30, Headings: 5, Text: 4_000, Word: 50, Field: 20, Anchor: 20, Href: 60, Hrefs: 2_000, Work: 100_000}
	f.Fuzz(func(t *testing.T, body string) {
		sound(t, HTML([]byte(body), page, opt), opt)
		sound(t, HTML([]byte(body), page, Options{}), Options{}.withDefaults())
	})
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("<meta charset=utf-16><p>\xff\xfe"), "text/html; charset=utf-8")
	f.Add([]byte("\xfe\xff\x00<\xd8\x00"), "")
	f.Add([]byte("<meta http-equiv=content-type content='text/html; charset = \"koi8-r\"'>\xd0\xd2\xc9"), "text/html")
	f.Add([]byte("\x1b$B$3$s\x1b(B"), "text/html; charset=iso-2022-jp")
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		text, name := Decode(body, contentType)
		if !utf8.Valid(text) {
			t.Errorf("no UTF-8: %.100q", text)
		}
		if name == "" || lookup(name) != name {
			t.Errorf("no encoding: %q", name)
		}
		if again := Charset(body, contentType); again != name {
			t.Errorf("%q, then %q", name, again)
		}
	})
}

func FuzzRefresh(f *testing.F) {
	f.Add("5; url='x'")
	f.Add(" .5,URL = \"a\tb")
	f.Fuzz(func(t *testing.T, content string) {
		seconds, target, ok := Refresh(content)
		if seconds < 0 || !ok && (target != "" || seconds != 0) || strings.ContainsAny(target, "\t\r\n") {
			t.Errorf("%q: %d %q %v", content, seconds, target, ok)
		}
	})
}

func FuzzRobotsTag(f *testing.F) {
	f.Add("dowse: nofollow, otherbot: noindex", "dowse")
	f.Add("unavailable_after: 1 Jan 2030, none", "")
	f.Fuzz(func(t *testing.T, value, agent string) {
		f1, i1, a1 := RobotsTag([]string{value}, agent)
		f2, i2, a2 := RobotsTag([]string{value, "none, noarchive"}, agent)
		if !f2 || !i2 || !a2 {
			t.Errorf("%q: what is forbidden to all is not to %q", value, agent)
		}
		low := strings.ToLower(value)
		if f1 && !strings.Contains(low, "nofollow") && !strings.Contains(low, "none") || i1 && !strings.Contains(low, "no") || a1 && !strings.Contains(low, "no") {
			t.Errorf("%q: %v %v %v", value, f1, i1, a1)
		}
	})
}
