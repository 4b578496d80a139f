package archive

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"strconv"
	"strings"
)

// ErrNotHTTP is returned for a record that does not contain an HTTP response.
var ErrNotHTTP = errors.New("archive: record is not an HTTP response")

// Response returns the HTTP response of a response or revisit record, or one
// that delivers a resource record. The body is the payload: transfer coding is
// undone, content coding is not. Its length is that of what is stored, whatever
// the head declares, because writers disagree about which head belongs to a decoded
// body. The body reads from the record and is valid as long as that.
func (r *Record) Response() (*http.Response, error) { return r.responseWith(io.Discard) }

// responseWith is Response, and writes the head of the response to w as it is stored, or one that
// is made up for a resource.
func (r *Record) responseWith(w io.Writer) (*http.Response, error) {
	switch kind := r.Type(); {
	case kind == "resource" || kind == "conversion":
		resp := r.resource()
		fmt.Fprintf(w, "HTTP/1.1 200 OK\r\nContent-Type: %s\r\n", printable(resp.Header.Get("Content-Type")))
		return resp, nil
	case kind != "response" && kind != "revisit" || !r.isHTTP():
		return nil, ErrNotHTTP
	}
	br := bufio.NewReaderSize(r, 4<<10)
	head, err := readHead(br, maxHead, isStatusLine)
	// A block that ends within the head is a response without a body: revisit
	// records of some writers lack the empty line.
	if err != nil && !(errors.Is(err, io.ErrUnexpectedEOF) && r.left == 0 && len(head) > 0) {
		return nil, fmt.Errorf("archive: head of %s: %w", printable(r.Target()), err)
	}
	resp := parseHead(head)
	r.body(resp, br)
	_, err = w.Write(head)
	return resp, err
}

// isHTTP reports whether the block is an HTTP message. Without a content type
// the scheme of the target decides.
func (r *Record) isHTTP() bool {
	if strings.HasPrefix(strings.ToLower(r.Header.Value("Content-Type")), "application/http") {
		return true
	}
	return r.Header.Value("Content-Type") == "" && strings.HasPrefix(r.Target(), "http")
}

func isStatusLine(line []byte) error {
	if !bytes.HasPrefix(line, []byte("HTTP/")) {
		return errors.New("no status line")
	}
	return nil
}

// parseHead parses a head leniently: invalid fields are ignored.
func parseHead(head []byte) *http.Response {
	line, rest := nextLine(head)
	code, _ := statusCode(line)
	_, status, _ := strings.Cut(string(line), " ")
	resp := &http.Response{Status: strings.TrimSpace(status), StatusCode: code, Header: make(http.Header)}
	resp.Proto, resp.ProtoMajor, resp.ProtoMinor = "HTTP/1.1", 1, 1
	for len(rest) > 0 {
		line, rest = nextLine(rest)
		name, value, ok := bytes.Cut(line, []byte(":"))
		if name = bytes.TrimSpace(name); ok && areTokens(name) {
			resp.Header.Add(string(name), string(bytes.TrimSpace(value)))
		}
	}
	return resp
}

// body sets the body and the length of resp. Many writers store a body without
// its transfer or content coding and leave the fields in the head, so the
// fields are believed only if the first bytes confirm them.
func (r *Record) body(resp *http.Response, br *bufio.Reader) {
	length := r.left + int64(br.Buffered())
	var body io.Reader = br
	if isChunked(resp.Header) {
		resp.Header.Del("Transfer-Encoding")
		if looksChunked(br) {
			body, length = httputil.NewChunkedReader(br), -1
		}
	}
	if strings.EqualFold(resp.Header.Get("Content-Encoding"), "gzip") && length != 0 && length > 0 && !looksZipped(br) {
		resp.Header.Del("Content-Encoding")
	}
	resp.Header.Del("Content-Length")
	if length >= 0 {
		resp.Header.Set("Content-Length", strconv.FormatInt(length, 10))
	}
	resp.ContentLength = length
	resp.Body = io.NopCloser(body)
}

// isChunked reports whether the head declares chunked transfer coding.
func isChunked(h http.Header) bool {
	return strings.Contains(strings.ToLower(strings.Join(h.Values("Transfer-Encoding"), ",")), "chunked")
}

// looksChunked reports whether a body that is declared as chunked begins with
// the size of a chunk.
func looksChunked(br *bufio.Reader) bool {
	b, _ := br.Peek(18)
	line, _, found := bytes.Cut(b, []byte("\n"))
	size, _, _ := bytes.Cut(bytes.TrimSpace(line), []byte(";"))
	_, err := strconv.ParseUint(string(bytes.TrimSpace(size)), 16, 63)
	return err == nil && (found || bytes.IndexByte(b, ';') > 0)
}

// looksZipped reports whether a body that is declared as gzip begins like it.
func looksZipped(br *bufio.Reader) bool {
	b, _ := br.Peek(2)
	return len(b) < 2 || b[0] == 0x1f && b[1] == 0x8b
}

// resource returns a response that delivers the block of a resource record.
func (r *Record) resource() *http.Response {
	resp := parseHead([]byte("HTTP/1.1 200 OK"))
	if t := r.Header.Value("Content-Type"); t != "" {
		resp.Header.Set("Content-Type", t)
	}
	resp.Header.Set("Content-Length", strconv.FormatInt(r.Length, 10))
	resp.ContentLength = r.left
	resp.Body = io.NopCloser(r)
	return resp
}

// printable returns text from outside in a form that is safe in an error:
// bounded, without control bytes.
func printable(s string) string { return string(appendText(nil, s, 200)) }
