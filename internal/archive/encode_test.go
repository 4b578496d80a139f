package archive

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dowse"
)

func TestEncodeIsReadBack(t *testing.T) {
	ex := page(1, 5000)
	e := Encode([]byte{}, ex)
	recs, blocks, err := read(bytes.NewReader(e.Bytes))
	check(t, err)
	if got := kinds(recs); got != "request metadata response" {
		t.Fatalf("records are %s", got)
	}
	resp := recs[2]
	for name, want := range map[string]string{
		"WARC-Target-URI":     "http://example.org/page/1",
		"WARC-Date":           "2026-11-15T12:00:01.123Z",
		"WARC-IP-Address":     "203.0.113.7",
		"WARC-Payload-Digest": PayloadDigest(ex.Payload).String(),
		"WARC-Truncated":      "",
		"Content-Type":        "application/http;msgtype=response",
	} {
		if got := resp.Header.Value(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	for _, r := range recs[:2] {
		if got := bare(r.Header.Value("WARC-Concurrent-To")); got != resp.ID() || got != e.ID.String() {
			t.Errorf("%s is concurrent to %s, want %s", r.Type(), got, resp.ID())
		}
	}
	if int(resp.Offset) != e.Offset || e.Offset+e.Length != len(e.Bytes) {
		t.Errorf("response is at %d, and was reported at %d", resp.Offset, e.Offset)
	}
	if !strings.HasSuffix(blocks[2], "\r\n\r\n"+string(ex.Payload)) {
		t.Error("the payload is not the end of the block")
	}
	if !strings.Contains(blocks[1], "relevance: 0.83\r\n") || !strings.Contains(blocks[1], "hopsFromSeed: L\r\n") {
		t.Errorf("metadata is %q", blocks[1])
	}
}

func TestEncodeAppendsAndRepeats(t *testing.T) {
	first := Encode(nil, page(1, 500))
	both := Encode(first.Bytes, page(2, 500))
	again := Encode(nil, page(1, 500))
	if !bytes.Equal(both.Bytes[:len(first.Bytes)], again.Bytes) {
		t.Error("the same exchange gave other bytes")
	}
	recs, _, err := read(bytes.NewReader(both.Bytes))
	check(t, err)
	if len(recs) != 6 || recs[5].Offset != int64(both.Offset) {
		t.Errorf("%d records, the last at %d, want 6 and %d", len(recs), recs[5].Offset, both.Offset)
	}
	if recs[2].ID() == recs[5].ID() {
		t.Error("two responses have one ID")
	}
}

func TestEncodeLeavesOut(t *testing.T) {
	ex := &Exchange{URL: "http://example.org/", At: noon, ResponseHead: []byte("HTTP/1.1 204 No Content\r\n\r\n"), Truncated: "boredom"}
	recs, blocks, err := read(bytes.NewReader(Encode(nil, ex).Bytes))
	check(t, err)
	if kinds(recs) != "response" || blocks[0] != "HTTP/1.1 204 No Content\r\n\r\n" {
		t.Fatalf("%s %q", kinds(recs), blocks)
	}
	if got := recs[0].Header.Value("WARC-Truncated"); got != "unspecified" {
		t.Errorf("truncated: %q", got)
	}
	if got := recs[0].Header.Value("WARC-IP-Address"); got != "" {
		t.Errorf("address: %q", got)
	}
}

func TestEncodeRevisit(t *testing.T) {
	first := Encode(nil, page(1, 3000))
	again := page(1, 3000)
	again.At = noon.Add(time.Hour)
	again.URL = "http://example.org/copy"
	e := EncodeRevisit(nil, again, first.Original)
	recs, blocks, err := read(bytes.NewReader(e.Bytes))
	check(t, err)
	if kinds(recs) != "request metadata revisit" {
		t.Fatal(kinds(recs))
	}
	r := recs[2]
	for name, want := range map[string]string{
		"WARC-Profile":              IdenticalPayload,
		"WARC-Refers-To":            "<" + first.ID.String() + ">",
		"WARC-Refers-To-Target-URI": "http://example.org/page/1",
		"WARC-Refers-To-Date":       "2026-11-15T12:00:01.123Z",
		"WARC-Payload-Digest":       first.Digest.String(),
	} {
		if got := r.Header.Value(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if !strings.HasPrefix(blocks[2], "HTTP/1.1 200 OK\r\n") || strings.Contains(blocks[2], "<html") {
		t.Errorf("block of the revisit: %q", blocks[2])
	}
}

func TestHeads(t *testing.T) {
	const big = "X-Archive-Orig-"
	for _, c := range []struct {
		name, head string
		payload    int
		decoded    bool
		want       string
	}{
		{"as it is", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nA: b\r\n\r\n", 5, false, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nA: b\r\n\r\n"},
		{"chunked", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", 5, false, "HTTP/1.1 200 OK\r\n" + big + "transfer-encoding: chunked\r\nContent-Length: 5\r\n\r\n"},
		{"wrong length", "HTTP/1.0 200 OK\r\nContent-Length: 9\r\n\r\n", 5, false, "HTTP/1.0 200 OK\r\n" + big + "Content-Length: 9\r\nContent-Length: 5\r\n\r\n"},
		{"two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n", 5, false, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n" + big + "Content-Length: 5\r\n\r\n"},
		{"coding kept", "HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 5\r\n\r\n", 5, false, "HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 5\r\n\r\n"},
		{"coding undone", "HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 5\r\n\r\n", 5, true, "HTTP/1.1 200 OK\r\n" + big + "Content-Encoding: br\r\nContent-Length: 5\r\n\r\n"},
		{"no end", "HTTP/1.1 200 OK\r\nA: b", 0, false, "HTTP/1.1 200 OK\r\nA: b\r\nContent-Length: 0\r\n\r\n"},
		{"bare line feeds", "HTTP/1.1 200 OK\nA: b\n\n", 0, false, "HTTP/1.1 200 OK\r\nA: b\r\nContent-Length: 0\r\n\r\n"},
		{"empty line within", "HTTP/1.1 200 OK\r\n\r\nWARC/1.0: x\r\n\r\n", 0, false, "HTTP/1.1 200 OK\r\n" + big + "Line: WARC/1.0: x\r\nContent-Length: 0\r\n\r\n"},
		{"folded", "HTTP/1.1 200 OK\r\nA: b\r\n  c\r\n\r\n", 0, false, "HTTP/1.1 200 OK\r\nA: b c\r\nContent-Length: 0\r\n\r\n"},
		{"folded first", "HTTP/1.1 200 OK\r\n c: d\r\n\r\n", 0, false, "HTTP/1.1 200 OK\r\n" + big + "Line:  c: d\r\nContent-Length: 0\r\n\r\n"},
		{"control bytes", "HTTP/1.1 200 \x1b[2J\rOK\r\nA: \x00b\rc\r\n\r\n", 0, false, "HTTP/1.1 200  [2J OK\r\nA:  b c\r\nContent-Length: 0\r\n\r\n"},
		{"no colon", "HTTP/1.1 200 OK\r\nnonsense\r\nA : b\r\n: c\r\n\r\n", 0, false, "HTTP/1.1 200 OK\r\n" + big + "Line: nonsense\r\nA: b\r\n" + big + "Line: : c\r\nContent-Length: 0\r\n\r\n"},
		{"HTTP/2", "HTTP/2.0 200 OK\r\nA: b\r\n\r\n", 0, false, "HTTP/1.1 200 \r\n" + big + "Status-Line: HTTP/2.0 200 OK\r\nA: b\r\nContent-Length: 0\r\n\r\n"},
		{"not modified", "HTTP/1.1 304 Not Modified\r\n\r\n", 0, false, "HTTP/1.1 304 Not Modified\r\n\r\n"},
		{"nothing", "", 3, false, "HTTP/1.1 599 \r\n" + big + "Status-Line: \r\nContent-Length: 3\r\n\r\n"},
	} {
		got := string(appendResponseHead(nil, []byte(c.head), c.payload, c.decoded))
		if got != c.want {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
		}
	}
}

func TestHeadsAreBounded(t *testing.T) {
	heads := [][]byte{
		append([]byte("HTTP/1.1 200 OK\r\n"), bytes.Repeat([]byte("a\n"), 1<<20)...),
		append([]byte("HTTP/1.1 200 OK\r\nA: "), bytes.Repeat([]byte("a"), 4<<20)...),
		bytes.Repeat([]byte("x"), 4<<20),
	}
	for i, head := range heads {
		ex := &Exchange{URL: "http://example.org/", At: noon, ResponseHead: head, RequestHead: head, Payload: []byte("body")}
		recs, _, err := read(bytes.NewReader(Encode(nil, ex).Bytes))
		if err != nil || len(recs) != 2 {
			t.Fatalf("head %d: %d records, %v", i, len(recs), err)
		}
		for rec, err := range Records(bytes.NewReader(Encode(nil, ex).Bytes)) {
			check(t, err)
			if rec.Type() != "response" {
				continue
			}
			resp, err := rec.Response()
			check(t, err)
			if b, _ := io.ReadAll(resp.Body); string(b) != "body" {
				t.Errorf("head %d: body is %d bytes", i, len(b))
			}
		}
	}
}

// TestWARCInside is row M11 of the hostile web: whatever a server sends, the
// archive holds exactly the records that were put in.
func TestWARCInside(t *testing.T) {
	inner := "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-000000000000>\r\n" +
		"WARC-Date: 2020-01-01T00:00:00Z\r\nWARC-Target-URI: http://evil.example/\r\nContent-Length: 0\r\n\r\n\r\n\r\n"
	zipped := string(Encode(nil, page(9, 300)).Bytes)
	evil := "x\r\n\r\n\r\n\r\n" + inner + "\nWARC-Type: warcinfo\r\n\r\n"
	exchanges := []*Exchange{
		{URL: "http://example.org/a", Payload: []byte(strings.Repeat(inner, 20)), ResponseHead: []byte("HTTP/1.1 200 OK\r\n\r\n")},
		{URL: "http://example.org/b", Payload: []byte(zipped + zipped + inner), ResponseHead: []byte("HTTP/1.1 200 OK\r\n\r\n")},
		{URL: "http://example.org/c", Payload: []byte("\r\n\r\n" + inner + "\r\n\r\n"), ResponseHead: []byte("HTTP/1.1 200 OK\r\n" + inner)},
		{URL: dowse.URL("http://example.org/" + evil), ResponseHead: []byte(evil), RequestHead: []byte("GET / HTTP/1.1\r\n" + evil), Truncated: evil},
		{URL: "http://example.org/e", ResponseHead: []byte("HTTP/1.1 200 OK\r\n\r\n"),
			Metadata: []Field{{evil, evil}, {"", ""}, {"a: b\r\nc", "\x00\xff\xfe"}, {"long", strings.Repeat("é", 1<<20)}}},
	}
	base := t.TempDir()
	dir := filepath.Join(base, "in", "side")
	w, err := OpenWriter(dir, Options{Prefix: evil, Host: "../../" + evil, Software: evil, Operator: evil, Info: []Field{{evil, evil}}})
	check(t, err)
	for _, ex := range exchanges {
		ex.At = noon
		e := Encode(nil, ex)
		_, err := w.Append(e)
		check(t, err)
		e.Original.URL += dowse.URL(evil)
		_, err = w.Append(EncodeRevisit(nil, ex, e.Original))
		check(t, err)
	}
	check(t, w.Close())
	paths, err := Files(dir)
	check(t, err)
	if len(paths) != 1 {
		t.Fatalf("files: %q", paths)
	}
	const want = 1 + 2*(1+1+1+2+2)
	if r := sound(t, paths[0]); r.Records != want {
		t.Errorf("%d records, want %d", r.Records, want)
	}
	recs, _ := readFile(t, paths[0])
	for _, rec := range recs {
		if strings.ContainsAny(rec.Target(), "\r\n ") || strings.HasPrefix(rec.Target(), "http://evil") {
			t.Errorf("target %q", rec.Target())
		}
	}
	foreignReaders(t, paths[0], want)
	web, err := OpenWeb(paths[0])
	check(t, err)
	defer web.Close()
	if web.Len() != 5 {
		t.Errorf("%d URLs, want 5", web.Len())
	}
	resp, err := (&http.Client{Transport: web}).Get("http://example.org/b")
	check(t, err)
	if b, _ := io.ReadAll(resp.Body); string(b) != zipped+zipped+inner {
		t.Error("the payload is not what it was")
	}
	for _, above := range []string{base, filepath.Dir(dir)} {
		if names, err := os.ReadDir(above); err != nil || len(names) != 1 {
			t.Errorf("a file outside the folder: %v, %v", names, err)
		}
	}
}

// appendResponseHead writes the head of a response with a payload of that length.
func appendResponseHead(dst, head []byte, length int, decoded bool) []byte {
	w := headRewriter{out: dst, start: len(dst), length: length, decoded: decoded}
	w.response(head)
	return w.out
}
