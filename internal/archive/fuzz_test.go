package archive

import (
	"bytes"
	"io"
	"os"
	"testing"
)

func FuzzRecords(f *testing.F) {
	f.Add(Encode(nil, page(1, 300)).Bytes)
	f.Add([]byte("WARC/1.0\r\nWARC-Type: response\r\nContent-Type: application/http\r\nContent-Length: 24\r\n\r\nHTTP/1.1 200 OK\r\n\r\nhello\r\n\r\n"))
	f.Add([]byte("WARC/1.0\nContent-Length: 99999999999999\n\n"))
	f.Add([]byte("WARC/1.0\r\nA: b\r\n c\r\nContent-Length: 0\r\n\r\n\r\n\r\nWARC/1.1\r\nContent-Length: 0\r\n\r\n"))
	for _, name := range []string{"example.warc", "example.warc.gz", "example-bad-non-chunked.warc.gz"} {
		if b, err := os.ReadFile(suiteDir + "/" + name); err == nil {
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		end := int64(-1)
		for rec, err := range Records(bytes.NewReader(b)) {
			if err != nil {
				break
			}
			if resp, err := rec.Response(); err == nil {
				io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<20))
			}
			size, err := rec.Size()
			if err != nil {
				break
			}
			if rec.Offset < end || rec.Offset+size > int64(len(b)) {
				t.Fatalf("record at %d, %d bytes, of %d", rec.Offset, size, len(b))
			}
			end = rec.Offset + size
		}
		if end, err := soundEnd(bytes.NewReader(b)); err != nil || end > int64(len(b)) {
			t.Fatalf("sound to %d of %d, %v", end, len(b), err)
		}
	})
}

func FuzzParseCapture(f *testing.F) {
	f.Add(`com,example)/ 20170306040206 {"url":"http://example.com/","status":"200","length":"1228","offset":"784","filename":"x"}`)
	f.Add(`a 20170306040206123 {"offset":1e3}`)
	f.Add("")
	f.Fuzz(func(t *testing.T, line string) {
		c, err := ParseCapture(line)
		if err != nil {
			return
		}
		again, err := ParseCapture(c.String())
		if err != nil || again.Place != c.Place || again.Key != c.Key || again.Status != c.Status {
			t.Fatalf("%q: %+v, then %+v, %v", line, c, again, err)
		}
	})
}

// FuzzEncode puts any bytes into every field of an exchange; what comes out is
// exactly three records with that payload.
func FuzzEncode(f *testing.F) {
	f.Add("http://example.org/", "GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n", "hello", "relevance", "0.5")
	f.Add("\r\n\r\n", "\n", "HTTP/1.1 200 OK\r\n\r\nWARC/1.0\r\n\r\n", "WARC/1.0\r\n", "\r\n", "\x00\r\n")
	f.Add("", "x", "HTTP/1.1 200 OK\n a\n\tb\nContent-Length: 1\n", "", ":", " ")
	f.Fuzz(func(t *testing.T, u, request, response, payload, name, value string) {
		ex := &Exchange{At: noon, RequestHead: []byte(request), ResponseHead: []byte(response), Payload: []byte(payload), Metadata: []Field{{name, value}}}
		ex.URL = key(u)
		want := "request metadata response"
		if request == "" {
			want = "metadata response"
		}
		e := Encode(nil, ex)
		recs, _, err := read(bytes.NewReader(e.Bytes))
		if err != nil || kinds(recs) != want {
			t.Fatalf("%s, %v", kinds(recs), err)
		}
		r := NewReader(bytes.NewReader(e.Bytes[e.Offset:]))
		rec, err := r.Next()
		check(t, err)
		resp, err := rec.Response()
		check(t, err)
		if b, err := io.ReadAll(resp.Body); err != nil || string(b) != payload {
			t.Fatalf("payload %q became %q, %v", payload, b, err)
		}
	})
}
