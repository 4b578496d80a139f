package archive

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dowse"
)

var noon = time.Date(2026, 11, 15, 12, 0, 0, 123e6, time.UTC)

// page makes an exchange about a page of that many bytes, whose text repeats
// about as much as real text does.
func page(n, size int) *Exchange {
	u := fmt.Sprintf("http://example.org/page/%d", n)
	return &Exchange{
		URL: dowse.URL(u), At: noon.Add(time.Duration(n) * time.Second), Address: netip.MustParseAddr("203.0.113.7"),
		RequestHead: []byte("GET /page HTTP/1.1\r\nHost: example.org\r\nUser-Agent: dowse/1.0 (+mailto:someone@example.org)\r\nAccept-Encoding: gzip, br\r\n\r\n"),
		ResponseHead: []byte("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nServer: demo\r\n" +
			"Date: Sun, 15 Nov 2026 12:00:00 GMT\r\nTransfer-Encoding: chunked\r\n\r\n"),
		Payload: html(n, size),
		Metadata: []Field{{"relevance", "0.83"}, {"reasons", "tide pool 0.41, anemone 0.22"},
			{"via", "http://example.org/"}, {"hopsFromSeed", "L"}, {"outlinks", "40"}},
	}
}

func html(seed, size int) []byte {
	rng := rand.New(rand.NewPCG(uint64(seed), 1))
	words := strings.Fields("tide pool anemone shore rock water salt crab moss wave light the of and in a to it is")
	var b bytes.Buffer
	b.WriteString("<!doctype html><html><head><title>Page</title></head><body>")
	for b.Len() < size {
		fmt.Fprintf(&b, "<p class=x%d>", rng.IntN(9))
		for range 12 {
			fmt.Fprintf(&b, "%s%c ", words[rng.IntN(len(words))], 'a'+rune(rng.IntN(26)))
		}
		fmt.Fprintf(&b, "<a href=\"/page/%d\">more</a></p>\n", rng.IntN(1e6))
	}
	return b.Bytes()[:max(size, 0)]
}

func options() Options {
	return Options{Prefix: "reefs", Host: "box", Software: "dowse/test", Operator: "someone@example.org",
		Robots: "obey", UserAgent: "dowse/test (+mailto:someone@example.org)", Now: func() time.Time { return noon }}
}

// written makes an archive of n pages and returns its only file.
func written(t testing.TB, n int) (path string, places []dowse.Place) {
	t.Helper()
	dir := t.TempDir()
	w, err := OpenWriter(dir, options())
	check(t, err)
	for i := range n {
		p, err := w.Append(Encode(nil, page(i, 2000)))
		check(t, err)
		places = append(places, p)
	}
	check(t, w.Close())
	return filepath.Join(dir, places[0].File), places
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// read returns the records of a file and their blocks.
func read(r io.Reader) (recs []*Record, blocks []string, err error) {
	for rec, err := range Records(r) {
		if err != nil {
			return recs, blocks, err
		}
		b, err := io.ReadAll(rec)
		if err != nil {
			return recs, blocks, err
		}
		recs, blocks = append(recs, rec), append(blocks, string(b))
	}
	return recs, blocks, nil
}

func readFile(t testing.TB, path string) ([]*Record, []string) {
	t.Helper()
	f, err := os.Open(path)
	check(t, err)
	defer f.Close()
	recs, blocks, err := read(f)
	check(t, err)
	return recs, blocks
}

func kinds(recs []*Record) string {
	var s []string
	for _, r := range recs {
		s = append(s, r.Type())
	}
	return strings.Join(s, " ")
}

func sound(t testing.TB, path string) *Report {
	t.Helper()
	r, err := Verify(path)
	check(t, err)
	for _, p := range r.Problems {
		t.Errorf("%s: %v", r.File, p)
	}
	return r
}
