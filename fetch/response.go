package fetch

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"dowse"
	"dowse/internal/extract"
)

// A Response reports the answer to one request, or why there is none. Its byte
// slices belong to the caller and may share memory with each other.
type Response struct {
	URL     dowse.URL
	Outcome dowse.Outcome
	Reason  dowse.Reason // why it failed, was skipped or should be tried again
	Detail  string       // the cause in words: one line, at most 200 bytes, no control characters
	Fetch   dowse.Fetch  // all fields but Charset and Archive

	Header   http.Header    // nil if there was no answer
	Location dowse.URL      // the target of a redirect
	Body     []byte         // without content codings, in the charset of the page
	Links    []dowse.URL    // the pages that a sitemap lists
	Items    []extract.Item // of a feed
	Maps     []dowse.URL    // the sitemaps that a sitemap index lists

	// RequestHead and ResponseHead are request and answer up to the empty line,
	// in the form that HTTP/1.1 has on the wire, also if the connection was
	// HTTP/2. The transfer coding is undone and therefore not named.
	// ResponseHead is nil if there was no answer.
	RequestHead  []byte
	ResponseHead []byte
	// RawBody is the body as sent, with its content codings, as far as it was
	// read.
	RawBody []byte

	// Host reports what the answer revealed about the host; nil for nothing.
	Host *dowse.HostReport

	// Claim is the memory that the response holds of Config.Budget; nil without
	// one.
	Claim *Claim

	// Recycle lets a later response have the memory of the body, and sets Body and RawBody to nil. It may be called once
	// nothing refers to either; without it the garbage collector does the same for more. Nil if there is no body.
	Recycle func()
}

// recycle is Recycle for a body whose memory is of c.
func (r *Response) recycle(c *codec) {
	if cap(r.RawBody) > 0 && cap(r.RawBody) <= mostRecycled {
		spare := r.RawBody[:0]
		c.bodies.Put(&spare)
	}
	r.Recycle, r.RawBody, r.Body = nil, nil, nil
}

// mostRecycled is the size in bytes of the largest body whose memory is used again.
const mostRecycled = 256 << 10

// fail records a failure that another try would not change.
func (r *Response) fail(reason dowse.Reason, detail string) *Response {
	r.Outcome, r.Reason, r.Detail = dowse.Failed, reason, clean(detail)
	return r
}

// skip records an answer that is not used.
func (r *Response) skip(reason dowse.Reason, detail string) *Response {
	r.Outcome, r.Reason, r.Detail = dowse.Skipped, reason, clean(detail)
	return r
}

// again records a failure that another try may not have.
func (r *Response) again(reason dowse.Reason, detail string) *Response {
	r.Outcome, r.Reason, r.Detail = dowse.Temporary, reason, clean(detail)
	return r
}

// refuse records that the address may not be dialled.
func (r *Response) refuse(err *privateError) *Response {
	return r.skip(dowse.SkipPrivateIP, err.Error())
}

// host returns the report about the host and creates it if needed.
func (r *Response) host() *dowse.HostReport {
	if r.Host == nil {
		r.Host = &dowse.HostReport{}
	}
	return r.Host
}

// head records the status line and the header fields.
func (r *Response) head(resp *http.Response) {
	r.Header = resp.Header
	r.Fetch.Status = resp.StatusCode
	r.ResponseHead = responseHead(resp)
	r.Fetch.Wire = int64(len(r.ResponseHead))
}

// responseHead rebuilds the head of the answer, its fields sorted by name:
// net/http does not keep their order.
func responseHead(resp *http.Response) []byte {
	head := make([]byte, 0, headSize(resp.Header))
	proto := "HTTP/1.1"
	if resp.ProtoMajor == 1 && resp.ProtoMinor == 0 {
		proto = "HTTP/1.0"
	}
	code := fmt.Sprintf("%03d", resp.StatusCode)
	text := strings.TrimLeft(strings.TrimPrefix(resp.Status, strconv.Itoa(resp.StatusCode)), " ")
	if text == "" {
		text = http.StatusText(resp.StatusCode)
	}
	head = append(head, proto+" "+code+" "...)
	head = appendLine(head, text)
	for _, name := range sortedNames(resp.Header) {
		for _, value := range resp.Header[name] {
			head = append(head, name...)
			head = append(head, ": "...)
			head = appendLine(head, value)
		}
	}
	return append(head, "\r\n"...)
}

// headSize estimates the size of a head, so that responseHead allocates once.
func headSize(h http.Header) int {
	size := 64
	for name, values := range h {
		for _, v := range values {
			size += len(name) + len(v) + 4
		}
	}
	return size
}

// appendLine appends s and a line end. A byte that would end the line early
// becomes a space.
func appendLine(dst []byte, s string) []byte {
	from := len(dst)
	dst = append(dst, s...)
	for i := from; i < len(dst); i++ {
		if dst[i] == '\r' || dst[i] == '\n' || dst[i] == 0 {
			dst[i] = ' '
		}
	}
	return append(dst, "\r\n"...)
}

// maxDetail bounds Response.Detail, in bytes.
const maxDetail = 200

// clean makes text of a server safe for a log, a terminal and a table: one line
// of at most maxDetail bytes without control characters and without marks that
// change the direction of writing.
func clean(s string) string {
	var b strings.Builder
	for _, r := range s[:min(len(s), 2*maxDetail)] {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			r = ' '
		}
		if b.Len()+utf8.RuneLen(r) > maxDetail-len("…") {
			b.WriteString("…")
			break
		}
		b.WriteRune(r)
	}
	return strings.TrimSpace(b.String())
}
