package main

import (
	"bufio"
	"slices"
	"strings"
	"testing"
	"unicode"

	"dowse"
	"dowse/collection"
	"dowse/crawl"
)

// TestMarkedFiles reads files that begin with a byte order mark.
func TestMarkedFiles(t *testing.T) {
	list, err := lines(bufio.NewScanner(strings.NewReader("\ufeff# seeds\r\nhttps://a.example/\r\n")))
	if err != nil || !slices.Equal(list, []string{"https://a.example/"}) {
		t.Errorf("lines are %q, %v", list, err)
	}
	list, err = lines(bufio.NewScanner(strings.NewReader("\ufeffhttps://a.example/\nb\n")))
	if err != nil || !slices.Equal(list, []string{"https://a.example/", "b"}) {
		t.Errorf("lines are %q, %v", list, err)
	}
}

func TestReadLabelFile(t *testing.T) {
	for _, test := range []struct{ in, want, err string }{
		{"", "", ""},
		{"# only\n\n", "", ""},
		{"http://a/\ton\nhttp://b/\tOff\twhy not\n", "http://a/ on , http://b/ off why not", ""},
		{`{"url":"http://a/","label":"skip","note":"x"}`, "http://a/ skip x", ""},
		{"\ufeffhttp://a/\ton\r\nhttp://b/\toff\r\n", "http://a/ on , http://b/ off ", ""},
		{"\ufeff" + `{"url":"http://a/","label":"on"}`, "http://a/ on ", ""},
		{"http://a/ on", "", "line 1: label: got \"\", want on, off or skip"},
		{"http://a/\ton\n\ton", "", "line 2"},
		{"http://a/\ton\n{\"url\":3}", "", "line 2: not a label in JSON"},
		{`{"label":"on"}`, "", "line 1: no URL"},
		{strings.Repeat("x", maxGivenLine+10), "", "after line 0"},
	} {
		list, err := readLabelFile(strings.NewReader(test.in))
		var got []string
		for _, g := range list {
			got = append(got, g.URL+" "+g.Label+" "+g.Note)
		}
		if s := strings.Join(got, ", "); s != test.want && test.err == "" {
			t.Errorf("%.40q: %q, want %q", test.in, s, test.want)
		}
		if (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%.40q: %v, want %q", test.in, err, test.err)
		}
	}
}

func FuzzReadLabelFile(f *testing.F) {
	f.Add("http://a/\ton\n{\"url\":\"http://b/\",\"label\":\"off\"}\n# x\n")
	f.Add("{\n\t\x00\xff")
	f.Fuzz(func(t *testing.T, in string) {
		list, err := readLabelFile(strings.NewReader(in))
		for _, g := range list {
			if err != nil || g.URL == "" || g.Label != "on" && g.Label != "off" && g.Label != "skip" {
				t.Errorf("%+v, %v", g, err)
			}
		}
	})
}

// A page can bring neither escapes nor marks of our own onto the screen.
func TestExcerptIsHarmless(t *testing.T) {
	doc := &dowse.Document{Text: "start " + strings.Repeat("dull words ", 40) + "the \x1b[31m tide\x0e pools\x0f of \u202eBraestow\x07 and tidal pools " + strings.Repeat("more dull words ", 40)}
	doc.Words = dowse.Words(doc.Text)
	got := excerptOf(doc, signTerms([]dowse.Because{{What: `"tide pools"`, Weight: 2}, {What: "bias", Weight: -3}, {What: `"of"`, Weight: 1}}), 120)
	for _, want := range []string{"\x0etide\x0f", "\x0epools\x0f", "Braestow"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
	plain := strings.NewReplacer("\x0etide\x0f", "", "\x0epools\x0f", "").Replace(got)
	if i := strings.IndexFunc(plain, func(r rune) bool { return !unicode.IsPrint(r) }); i >= 0 {
		t.Errorf("%q has %q", plain, plain[i:])
	}
	if empty := excerptOf(&dowse.Document{}, nil, 100); empty == "" {
		t.Error("nothing is said of a page without text")
	}
}

// TestTaught checks the lines for a model that a crawl trained by itself: how many pages are on topic, if that
// changed, and how to look at them, if most are lost.
func TestTaught(t *testing.T) {
	m := collection.Model{Model: "m0001", Before: "m0000", Grown: 18, Contrast: 9, Seen: 200, Change: crawl.Change{Verdicts: 120, Links: 165}, OnTopic: 71, WasOnTopic: 191}
	all := strings.Join(taught(m, "d.dowse"), "\n")
	for _, want := range []string{"120 verdicts changed,\n       71 pages on topic, 191 before,\n       165 links", "\n       look at what it turned down: dowse topic diff d.dowse m0000 m0001"} {
		if !strings.Contains(all, want) {
			t.Errorf("lines\n%s\nwant %q", all, want)
		}
	}
	m.OnTopic = 100
	if all := strings.Join(taught(m, "d.dowse"), "\n"); strings.Contains(all, "topic diff") || !strings.Contains(all, "100 pages on topic") {
		t.Errorf("lines\n%s", all)
	}
	m.OnTopic, m.WasOnTopic = 0, 0
	if all := strings.Join(taught(m, "d.dowse"), "\n"); strings.Contains(all, "on topic") {
		t.Errorf("lines of an old log\n%s", all)
	}
}
