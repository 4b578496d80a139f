package archive

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestVerify(t *testing.T) {
	path, _ := written(t, 4)
	r := sound(t, path)
	info, err := os.Stat(path)
	check(t, err)
	if r.Records != 13 || r.Types["response"] != 4 || r.Bytes != info.Size() || r.Digests != 17 {
		t.Errorf("%+v", r)
	}
}

// TestVerifyNoticesEveryByte changes single bytes: the checksum of the member or
// the form of the file gives each away, but for the few of a gzip header that
// mean nothing.
func TestVerifyNoticesEveryByte(t *testing.T) {
	if testing.Short() {
		t.Skip("short: starts no goroutines")
	}
	path, places := written(t, 2)
	whole, err := os.ReadFile(path)
	check(t, err)
	missed := 0
	for i := int(places[0].Offset); i < len(whole); i += 3 {
		b := append([]byte(nil), whole...)
		b[i] ^= 0x41
		check(t, os.WriteFile(path, b, 0o666))
		r, err := Verify(path)
		check(t, err)
		if r.OK() {
			missed++
		}
	}
	if members := 4; missed > members*6 {
		t.Errorf("%d changes went unnoticed", missed)
	}
}

func TestVerifyFindings(t *testing.T) {
	head := "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:x>\r\nWARC-Date: 2026-11-15T12:00:00Z\r\nContent-Type: application/http\r\n"
	block := "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
	file := func(fields, block, end string) string {
		return fmt.Sprintf("%s%sContent-Length: %d\r\n\r\n%s%s", head, fields, len(block), block, end)
	}
	digest := PayloadDigest([]byte("hello")).String()
	for _, c := range []struct{ name, file, want string }{
		{"sound", file("", block, "\r\n\r\n"), ""},
		{"digest of what was in chunks", file("WARC-Payload-Digest: "+digest+"\r\n", block, "\r\n\r\n"), ""},
		{"digest with the chunks", file("WARC-Payload-Digest: "+PayloadDigest([]byte("5\r\nhello\r\n0\r\n\r\n")).String()+"\r\n", block, "\r\n\r\n"), ""},
		{"in hex", file("WARC-Payload-Digest: sha1:AAF4C61DDCC5E8A2DABEDE0F3B482CD9AEA9434D\r\n", block, "\r\n\r\n"), ""},
		{"wrong payload", file("WARC-Payload-Digest: "+PayloadDigest(nil).String()+"\r\n", block, "\r\n\r\n"), "digest of the payload is wrong"},
		{"wrong block", file("WARC-Block-Digest: "+digest+"\r\n", block, "\r\n\r\n"), "digest of the block is wrong"},
		{"unknown digest", file("WARC-Block-Digest: crc:1\r\n", block, "\r\n\r\n"), "unknown form"},
		{"short end", file("", block, "\r\n"), "two line breaks"},
		{"two lengths", file("Content-Length: 4\r\n", block, "\r\n\r\n"), "Content-Length"},
		{"no ID", strings.Replace(file("", block, "\r\n\r\n"), "WARC-Record-ID", "X", 1), "no WARC-Record-ID"},
		{"cut", file("", block, "\r\n\r\n")[:200], "unexpected EOF"},
		{"no WARC", "hello\r\n", "not the beginning"},
	} {
		path := filepath.Join(t.TempDir(), "x.warc")
		check(t, os.WriteFile(path, []byte(c.file), 0o666))
		r, err := Verify(path)
		check(t, err)
		got := fmt.Sprint(r.Problems)
		if r.OK() != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %s", c.name, got)
		}
	}
}
