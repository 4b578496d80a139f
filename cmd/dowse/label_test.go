package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"dowse"
)

func TestReadLabelFile(t *testing.T) {
	for _, test := range []struct{ in, want, err string }{
		{"", "", ""},
		{"# only\n\n", "", ""},
		{"http://a/\ton\nhttp://b/\tOff\twhy not\n", "http://a/ on , http://b/ off why not", ""},
		{"\ufeffhttp://a/\ton\r\n", "http://a/ on ", ""},
		{`{"url":"http://a/","label":"skip","note":"x"}`, "http://a/ skip x", ""},
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

// Files and input of Windows may begin with a byte order mark.
func TestSeedsWithAByteOrderMark(t *testing.T) {
	file := filepath.Join(t.TempDir(), "seeds.txt")
	if err := os.WriteFile(file, []byte("\ufeffhttps://a.example/\r\n\r\nhttps://b.example/\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := crawlFlags{Seed: []string{"-"}, Seeds: file}
	list, err := c.rawSeeds(&world{in: strings.NewReader("\ufeff# from a pipe\r\nhttps://c.example/\r\n")})
	if got := strings.Join(list, " "); err != nil || got != "https://c.example/ https://a.example/ https://b.example/" {
		t.Errorf("%q, %v", got, err)
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
