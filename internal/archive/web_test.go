package archive

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"dowse"
)

func TestWebAnswers(t *testing.T) {
	path, places := written(t, 5)
	web, err := OpenWeb(path)
	check(t, err)
	defer web.Close()
	var urls []string
	for u := range web.URLs() {
		urls = append(urls, string(u))
	}
	want := []string{"http://example.org/page/0", "http://example.org/page/1", "http://example.org/page/2", "http://example.org/page/3", "http://example.org/page/4"}
	if !slices.Equal(urls, want) || web.Len() != 5 {
		t.Errorf("URLs: %q", urls)
	}
	if p, ok := web.Place("http://example.org/page/3"); !ok || p.Offset != places[3].Offset || p.File != places[3].File {
		t.Errorf("place: %v %v", p, ok)
	}
	for _, c := range []struct {
		method, url string
		status      int
		body        string
	}{
		{"GET", "http://example.org/page/3", 200, string(page(3, 2000).Payload)},
		{"GET", "HTTP://EXAMPLE.org:80/a/../page/3#top", 200, string(page(3, 2000).Payload)},
		{"HEAD", "http://example.org/page/3", 200, ""},
		{"GET", "http://example.org/page/99", 404, "Not Found\n"},
		{"POST", "http://example.org/page/3", 405, "Method Not Allowed\n"},
	} {
		req, err := http.NewRequest(c.method, c.url, nil)
		check(t, err)
		resp, err := web.RoundTrip(req)
		check(t, err)
		b, err := io.ReadAll(resp.Body)
		check(t, err)
		check(t, resp.Body.Close())
		if resp.StatusCode != c.status || string(b) != c.body || resp.Request != req {
			t.Errorf("%s %s: %s, %d bytes", c.method, c.url, resp.Status, len(b))
		}
		if _, err := resp.Body.Read(make([]byte, 1)); err == nil {
			t.Error("read from a closed body")
		}
	}
}

func TestWebManyAtOnce(t *testing.T) {
	path, _ := written(t, 20)
	web, err := OpenWeb(path)
	check(t, err)
	defer web.Close()
	client := &http.Client{Transport: web}
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 40 {
				n := (i*7 + g) % 20
				resp, err := client.Get(fmt.Sprintf("http://example.org/page/%d", n))
				if err != nil {
					t.Error(err)
					return
				}
				b, err := io.ReadAll(resp.Body)
				resp.Body.Close()
				if err != nil || !bytes.Equal(b, page(n, 2000).Payload) {
					t.Errorf("page %d: %d bytes, %v", n, len(b), err)
				}
			}
		})
	}
	wg.Wait()
}

func TestWebChoosesACapture(t *testing.T) {
	dir := t.TempDir()
	w, err := OpenWriter(dir, options())
	check(t, err)
	for _, hour := range []int{2, 0, 1} {
		ex := page(0, 0)
		ex.At, ex.Payload = noon.Add(time.Duration(hour)*time.Hour), []byte(fmt.Sprint("hour ", hour))
		_, err := w.Append(Encode(nil, ex))
		check(t, err)
	}
	check(t, w.Close())
	for first, want := range map[bool]string{true: "hour 0", false: "hour 2"} {
		web, err := WebConfig{Paths: []string{filepath.Join(dir, w.name)}, First: first}.Open()
		check(t, err)
		if got := fetched(t, web, "http://example.org/page/0"); got != "200 OK\n"+want {
			t.Errorf("first %v: %q", first, got)
		}
		check(t, web.Close())
	}
}

func TestWebRevisits(t *testing.T) {
	dir := t.TempDir()
	w, err := OpenWriter(dir, options())
	check(t, err)
	ex := page(0, 1000)
	first := Encode(nil, ex)
	again := *ex
	again.URL, again.At = "http://example.org/copy", noon.Add(time.Hour)
	lost := again
	lost.URL = "http://example.org/lost"
	_, err = w.Append(EncodeRevisit(nil, &again, first.Original)) // before its original
	check(t, err)
	_, err = w.Append(EncodeRevisit(nil, &lost, Original{URL: ex.URL, Digest: Digest{1}}))
	check(t, err)
	_, err = w.Append(first)
	check(t, err)
	check(t, w.Close())
	web, err := OpenWeb(filepath.Join(dir, w.name))
	check(t, err)
	defer web.Close()
	if got := fetched(t, web, "http://example.org/copy"); got != "200 OK\n"+string(ex.Payload) {
		t.Errorf("revisit: %.80q", got)
	}
	if got := fetched(t, web, "http://example.org/lost"); !strings.HasPrefix(got, "404") {
		t.Errorf("revisit of nothing: %.80q", got)
	}
}

func TestWebResolvesRevisitsOfOthers(t *testing.T) {
	both := []string{sampleDir + "/ukwa-govuk1.warc.gz", sampleDir + "/ukwa-govuk2-revisit.warc.gz"}
	sample(t, both[0])
	web, err := OpenWeb(both...)
	check(t, err)
	defer web.Close()
	alone, err := OpenWeb(both[1])
	check(t, err)
	defer alone.Close()
	if alone.Len() >= web.Len() {
		t.Errorf("%d URLs with the originals, %d without", web.Len(), alone.Len())
	}
	for rec, err := range Records(bytes.NewReader(sample(t, both[1]))) {
		check(t, err)
		if rec.Type() == "revisit" {
			if got := fetched(t, web, rec.Target()); strings.HasPrefix(got, "404 Not Found\nNot Found") {
				t.Errorf("%s is not there", rec.Target())
			}
		}
	}
}

func TestWebContentCoding(t *testing.T) {
	var zipped bytes.Buffer
	gz := gzip.NewWriter(&zipped)
	gz.Write([]byte("hello"))
	check(t, gz.Close())
	dir := t.TempDir()
	w, err := OpenWriter(dir, options())
	check(t, err)
	head := []byte("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n")
	for u, payload := range map[string]string{"/gz": zipped.String(), "/lie": "hello"} {
		_, err := w.Append(Encode(nil, &Exchange{URL: dowse.URL("http://example.org" + u), At: noon, ResponseHead: head, Payload: []byte(payload)}))
		check(t, err)
	}
	check(t, w.Close())
	web, err := OpenWeb(filepath.Join(dir, w.name))
	check(t, err)
	defer web.Close()
	for _, c := range []struct{ url, accept, want string }{
		{"/gz", "", "hello"}, {"/gz", "gzip", zipped.String()}, {"/lie", "", "hello"}, {"/lie", "gzip", "hello"},
	} {
		req, _ := http.NewRequest("GET", "http://example.org"+c.url, nil)
		if c.accept != "" {
			req.Header.Set("Accept-Encoding", c.accept)
		}
		resp, err := web.RoundTrip(req)
		check(t, err)
		b, err := io.ReadAll(resp.Body)
		check(t, err)
		if string(b) != c.want {
			t.Errorf("%s %q: %q", c.url, c.accept, b)
		}
		resp.Body.Close()
	}
}

// TestResponsesOfOthers are records as some writers leave them.
func TestResponsesOfOthers(t *testing.T) {
	for _, c := range []struct{ name, block, status, body string }{
		{"chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;x=y\r\n world\r\n0\r\n\r\n", "200 OK", "hello world"},
		{"declared as chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n<html>hello", "200 OK", "<html>hello"},
		{"a number, not chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nface to face\n", "200 OK", "face to face\n"},
		{"wrong length", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhello", "200 OK", "hello"},
		{"line feeds", "HTTP/1.0 404\nA: b\n\nhello", "404", "hello"},
		{"odd fields", "HTTP/1.1 200 OK\r\nnonsense\r\n: x\r\nA b: c\r\n\r\nhello", "200 OK", "hello"},
		{"head only", "HTTP/1.1 301 Moved\r\nLocation: /x\r\n", "301 Moved", ""},
		{"no content", "HTTP/1.1 204 No Content\r\n\r\n", "204 No Content", ""},
	} {
		file := fmt.Sprintf("WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://example.org/\r\n"+
			"Content-Type: application/http\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", len(c.block), c.block)
		n := 0
		for rec, err := range Records(strings.NewReader(file)) {
			check(t, err)
			resp, err := rec.Response()
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			b, err := io.ReadAll(resp.Body)
			if err != nil || resp.Status != c.status || string(b) != c.body {
				t.Errorf("%s: %q %q %v", c.name, resp.Status, b, err)
			}
			n++
		}
		if n != 1 {
			t.Errorf("%s: %d records", c.name, n)
		}
	}
}

func TestOpenWebRefuses(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text.warc")
	check(t, os.WriteFile(text, []byte("hello\n"), 0o666))
	for _, path := range []string{text, filepath.Join(dir, "none.warc")} {
		if _, err := OpenWeb(path); err == nil {
			t.Errorf("%s was opened", path)
		}
	}
	good, places := written(t, 3)
	b, err := os.ReadFile(good)
	check(t, err)
	check(t, os.WriteFile(text, b[:places[2].Offset+50], 0o666))
	web, err := OpenWeb(text)
	check(t, err)
	defer web.Close()
	if web.Len() != 2 || len(web.Damage) != 1 {
		t.Errorf("%d URLs, damage %v", web.Len(), web.Damage)
	}
}

func TestRecorder(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/long":
			w.Write(bytes.Repeat([]byte("long "), 1000))
		case "/stream":
			w.(http.Flusher).Flush()
			io.WriteString(w, "in chunks")
		case "/gone":
			http.Error(w, "gone", http.StatusGone)
		default:
			fmt.Fprintf(w, "hello %s", r.UserAgent())
		}
	}))
	defer server.Close()
	dir := t.TempDir()
	w, err := OpenWriter(dir, options())
	check(t, err)
	client := &http.Client{Transport: &Recorder{Writer: w, MaxBytes: 100, Transport: server.Client().Transport}}
	want := map[string]string{}
	for _, path := range []string{"/a", "/long", "/stream", "/gone"} {
		req, err := http.NewRequest("GET", server.URL+path, nil)
		check(t, err)
		req.Header.Set("User-Agent", "dowse/test")
		resp, err := client.Do(req)
		check(t, err)
		b, err := io.ReadAll(resp.Body)
		check(t, err)
		check(t, resp.Body.Close())
		want[path] = resp.Status + "\n" + string(b[:min(100, len(b))])
	}
	resp, err := client.Get(server.URL + "/unread")
	check(t, err)
	check(t, resp.Body.Close())
	check(t, w.Close())

	file := filepath.Join(dir, w.name)
	sound(t, file)
	foreignReaders(t, file, 1+2*5)
	web, err := OpenWeb(file)
	check(t, err)
	defer web.Close()
	for path, text := range want {
		if got := fetched(t, web, server.URL+path); got != text {
			t.Errorf("%s: %q, want %q", path, got, text)
		}
	}
	truncated := map[string]string{}
	recs, _ := readFile(t, file)
	for _, rec := range recs {
		if rec.Type() == "response" {
			truncated[strings.TrimPrefix(rec.Target(), server.URL)] = rec.Header.Value("WARC-Truncated")
			if rec.Header.Value("WARC-IP-Address") != "127.0.0.1" {
				t.Errorf("address %q", rec.Header.Value("WARC-IP-Address"))
			}
		}
	}
	if truncated["/a"] != "" || truncated["/long"] != "length" || truncated["/unread"] != "unspecified" {
		t.Errorf("truncated: %v", truncated)
	}
}

// TestHeadersAreBounded: headers that cost too much are refused, quickly.
func TestHeadersAreBounded(t *testing.T) {
	for what, header := range map[string]string{
		"folded":   "A: b\r\n" + strings.Repeat(" x\r\n", 200_000),
		"a line":   "A: " + strings.Repeat("x", 2<<20) + "\r\n",
		"fields":   strings.Repeat("A: b\r\n", 100_000),
		"no field": strings.Repeat("x\r\n", 300_000),
	} {
		file := "WARC/1.0\r\n" + header + "Content-Length: 0\r\n\r\n\r\n\r\n"
		recs, _, err := read(strings.NewReader(file))
		if tooLong := len(header) > maxHeader || what == "fields"; tooLong != errors.Is(err, errHeader) || !tooLong && len(recs) != 1 {
			t.Errorf("%s: %d records, %v", what, len(recs), err)
		}
	}
}
