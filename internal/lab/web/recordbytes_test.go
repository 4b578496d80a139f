package web

import (
	"encoding/hex"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"dowse"
)

// The record of a page begins, byte for byte, with what version 3 of the format holds, and reads back as the same
// page. Facts that are added come behind.
func TestRecordBytes(t *testing.T) {
	p := &dowse.Page{
		URL: "http://a.test/x", Outcome: dowse.Fetched, Reason: dowse.SkipLang, Detail: "in words", Maps: []dowse.URL{"http://a.test/map"},
		Fetch: dowse.Fetch{Status: 200, Type: "text/html", Bytes: 12345, Wire: 4567, Truncated: true, Charset: "utf-8"},
		Document: dowse.Document{
			Title: "A title", Description: "described", Keywords: "key, words", Language: "en", Text: "Some words here", Words: []dowse.Span{{Start: 0, End: 4}, {Start: 5, End: 10}, {Start: 11, End: 15}},
			Headings: []dowse.Heading{{Level: 1, Text: "Some", At: 0}}, Canonical: "http://a.test/", Types: []string{"Recipe"},
			Links:     []dowse.Link{{URL: "http://b.test/", NoFollow: true, Mention: dowse.Mention{Anchor: "words", At: dowse.Span{Start: 1, End: 2}, Block: dowse.Span{Start: 0, End: 3}, Above: [3]int32{0, -1, -1}}}},
			Published: time.Unix(1700000000, 5).UTC(), Modified: time.Unix(1700000100, 0).UTC(), Licences: []dowse.URL{"http://l.test/by"},
			Meta: []dowse.Meta{{Name: "og:type", Content: "article"}}, Images: []string{"a.png"}, NoFollow: true, NoArchive: true,
			Sketch: dowse.Sketch{Text: 77, Bins: [64]uint16{1, 2, 3, 63: 9}}, Cut: "links",
		},
	}
	e := &encoder{url: func(u dowse.URL) int { return len(u) }}
	e.page(p)
	const file = "testdata/recordbytes.txt"
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got := hex.EncodeToString(e.B); !strings.HasPrefix(got, strings.TrimSpace(string(want))) {
		t.Errorf("the bytes of a record have changed: got\n%s\nwant\n%s", got, want)
	}
	urls := map[int]dowse.URL{len(p.URL): p.URL, len(p.Links[0].URL): p.Links[0].URL}
	again, err := newDecoder(e.B, func(i int) (dowse.URL, bool) { u, ok := urls[i]; return u, ok }).page()
	if err != nil {
		t.Fatal(err)
	}
	again.Links[0].Context = 0 // NaN, which is not rated yet
	if !reflect.DeepEqual(again, p) {
		t.Errorf("read back\n%+v\nwant\n%+v", again, p)
	}
}
