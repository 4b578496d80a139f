package main

import (
	"slices"
	"strings"
	"testing"

	"dowse"
	"dowse/internal/tgraph"
)

func newBacklinks() *backlinks {
	return &backlinks{number: map[dowse.URL]int32{}, alias: map[int32]int32{}, rows: map[int32][]linkRow{}}
}

func TestBacklinksThroughRedirects(t *testing.T) {
	b := newBacklinks()
	for _, l := range [][2]dowse.URL{{"c", "old"}, {"a", "t"}, {"a", "old"}, {"t", "old"}, {"b", "older"}} {
		if err := b.add(l[0], l[1]); err != nil {
			t.Fatal(err)
		}
	}
	b.alias[b.id("older")] = b.id("old")
	b.alias[b.id("old")] = b.id("t")
	b.settle()
	if got, _ := b.Linking("t"); !slices.Equal(got, []dowse.URL{"c", "a", "b"}) {
		t.Errorf("linking to t: %v", got)
	}
	b.alias[b.id("t")] = b.id("older") // in a circle: it ends all the same
	b.settle()
}

func TestDocumentOfLinks(t *testing.T) {
	d := documentOf([]linkRow{
		{to: "t", anchor: "coral reefs", around: "all about coral reefs and fish", main: "The sea"},
		{to: "u", anchor: "shop", around: "posters to buy", main: "The sea", next: "More"},
	})
	want := []tgraph.LinkText{
		{Main: "The sea", Anchor: "coral reefs", Around: "all about and fish"},
		{Main: "The sea", Under: "More", Anchor: "shop", Around: "posters to buy"},
	}
	for i := range want {
		if got := tgraph.TextAt(d, &d.Links[i].Mention); got != want[i] {
			t.Errorf("link %d: %+v, want %+v", i, got, want[i])
		}
	}
	if len(d.Headings) != 2 {
		t.Errorf("headings %v", d.Headings)
	}
}

func FuzzReadLinks(f *testing.F) {
	f.Add("from\tto\nhttps://a.example/\thttps://b.example/\tanchor\ttext with anchor in it\th1\th2\th3\n")
	f.Add("# nothing\n\nhttps://a.example/\thttps://a.example/\t\xff\t\x00")
	f.Add("https://a.example/\thttps://b.example/\t\t\t\t\t\t\t")
	f.Fuzz(func(t *testing.T, file string) {
		b := newBacklinks()
		if err := b.readLinks(strings.NewReader(file)); err != nil {
			return
		}
		b.settle()
		for _, u := range b.urls {
			g, err := tgraph.Builder{}.Build([]dowse.URL{u}, b)
			if err != nil {
				t.Fatal(err)
			}
			g.SVG()
		}
	})
}
