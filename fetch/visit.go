package fetch

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"time"

	"dowse"
	"dowse/weburl"
)

// limits are the bounds for reading one answer: the bytes as sent and as
// decoded, and whether anything but pages, in HTML or as text, is skipped.
type limits struct {
	wire, decoded int64
	pages         bool
}

func pageLimits(c Config) limits { return limits{wire: c.maxWire, decoded: c.MaxBody, pages: true} }

// maxAside bounds, in bytes, the bodies of redirects and errors, which are read
// for the archive and for signs of a challenge, and those read only to reuse
// the connection.
const maxAside = 64 << 10

// A visit is one exchange in progress. Only the goroutine that made it uses it.
type visit struct {
	*Response
	watch  *watch
	codec  *codec
	limits limits
	waited time.Duration // for memory, in all; not the server's fault
}

// exchange sends the request and reads the answer. The outcome is set when it
// returns, or is the zero value Fetched.
func (v *visit) exchange(transport http.RoundTripper, req *http.Request) {
	resp, err := roundTrip(transport, req)
	if err != nil {
		v.broken(v.watch.cause(err))
		return
	}
	defer resp.Body.Close()
	v.watch.answered()
	v.head(resp)
	v.watch.meter.credit(len(v.ResponseHead))
	if hasContent(resp.StatusCode) {
		v.content(resp)
		return
	}
	if err := v.aside(resp); err != nil && v.rejects(err) {
		v.reject(err)
		return
	}
	v.status(resp.StatusCode)
}

// roundTrip sends the request. A transport of a program's own may return neither a response nor
// an error, or leave out body and header.
func roundTrip(transport http.RoundTripper, req *http.Request) (*http.Response, error) {
	resp, err := transport.RoundTrip(req)
	switch {
	case err != nil:
		return nil, err
	case resp == nil:
		return nil, fmt.Errorf("transport %T: neither a response nor an error", transport)
	}
	if resp.Body == nil {
		resp.Body = http.NoBody
	}
	if resp.Header == nil {
		resp.Header = http.Header{}
	}
	return resp, nil
}

// content reads the body of a successful answer. What is declared as something
// other than a page is not downloaded, and neither is a robots.txt, which is written for programs: recorded webs have many.
func (v *visit) content(resp *http.Response) {
	list, err := codings(resp.Header)
	if err != nil {
		v.forgo(resp)
		v.fail(dowse.FailEncoding, err.Error())
		return
	}
	v.Fetch.Type = mediaType(resp.Header)
	if v.limits.pages && (!mayBePage(v.Fetch.Type) || isText(v.Fetch.Type) && weburl.Path(v.URL) == "/robots.txt") {
		v.forgo(resp)
		v.spare(resp)
		v.skip(dowse.SkipTypeMIME, v.Fetch.Type)
		return
	}
	wireErr, wanted := v.readRaw(resp, len(list) == 0)
	if !wanted {
		return
	}
	decodeErr := v.decode(list)
	if wireErr == nil && v.watch.ctx.Err() != nil { // cancelled while it waited for memory to decode
		wireErr = v.watch.cause(v.watch.ctx.Err())
	}
	v.settle(wireErr, decodeErr)
}

// settle decides the outcome once the body was read, whole or in part. A part
// that is long enough is a page, marked as truncated.
func (v *visit) settle(wireErr, decodeErr error) {
	v.Fetch.Bytes = int64(len(v.Body))
	switch {
	case wireErr == errCancelled, wireErr != nil && (v.neglected() || !usable(v.Body)):
		v.broken(wireErr)
		return
	case wireErr != nil && v.rejects(wireErr):
		v.reject(wireErr)
		return
	case decodeErr != nil && !usable(v.Body):
		v.fail(dowse.FailEncoding, decodeErr.Error())
		return
	case wireErr != nil || decodeErr != nil || v.Fetch.Status == http.StatusPartialContent:
		v.Fetch.Truncated = true
	}
	if v.challenged() {
		v.challenge()
		return
	}
	if v.limits.pages {
		v.judgeType()
	}
}

// neglected reports whether the server was kept waiting for so long that it may
// have closed the connection for that reason. Then the part that came is not
// kept, since another try would get the whole page.
func (v *visit) neglected() bool { return v.waited > v.watch.config.readTimeout }

// rejects reports whether the caller does not want the part of a body that came
// before the connection broke, see WithPart. The client's own limits, such as
// the time for the whole download, do not count: they would end the next try in
// the same way.
func (v *visit) rejects(err error) bool {
	broke := !isTLS(err) && (isConnection(err) || isHTTP2(err) || isLocal(err) || v.watch.stalled())
	return broke && !v.watch.takes(v.Fetch.Bytes)
}

// reject drops an answer that broke off.
func (v *visit) reject(err error) {
	v.broken(err)
	v.Header, v.ResponseHead, v.RawBody, v.Body = nil, nil, nil, nil
	v.Fetch.Truncated = false
}

// judgeType skips a body that turns out not to be a page. Text has no zero bytes, except in UTF-16.
func (v *visit) judgeType() {
	found, ok := sniff(v.Fetch.Type, v.Body)
	if ok && isText(found) && bytes.IndexByte(v.Body, 0) >= 0 && !isUTF16(v.Body) {
		found, ok = "application/octet-stream", false
	}
	v.Fetch.Type = found
	if !ok {
		v.skip(dowse.SkipTypeMIME, found)
	}
}

// isUTF16 reports whether a text begins with the byte order mark of UTF-16.
func isUTF16(body []byte) bool {
	return bytes.HasPrefix(body, []byte("\xFE\xFF")) || bytes.HasPrefix(body, []byte("\xFF\xFE"))
}

// minUsable is how many bytes of a body that broke off are worth keeping
// instead of trying again.
const minUsable = 64

func usable(body []byte) bool { return len(bytes.TrimSpace(body)) >= minUsable }

// readRaw reads the body as sent. If the body is not encoded and its type is
// vague, the first bytes must look like a page; otherwise a large download ends
// there and wanted is false.
func (v *visit) readRaw(resp *http.Response, plain bool) (err error, wanted bool) {
	p := v.codec.pile()
	defer p.release()
	body := &watched{resp.Body, v.watch, 0}
	err = p.fill(body, sniffLen, v.room)
	if err == nil && plain && v.limits.pages {
		if found, ok := sniff(v.Fetch.Type, p.head()); !ok {
			v.keepRaw(p)
			v.Body, v.Fetch.Type = v.RawBody, found
			v.Fetch.Truncated = true
			v.skip(dowse.SkipTypeMIME, found)
			return nil, false
		}
	}
	if err == nil {
		err = p.fill(body, v.limits.wire+1, v.room)
	}
	if err := v.roomToRead(p); err != nil {
		return v.watch.cause(err), true
	}
	v.keepRaw(p)
	if err == io.EOF {
		return nil, true
	}
	if err != nil {
		return v.watch.cause(err), true
	}
	return nil, true
}

// roomToRead takes memory for what is made of a body once it is there, see
// bodyWeight and linkWeight. Until then a body takes no more than its size, so that many can
// be downloaded at the same time although few can be parsed.
func (v *visit) roomToRead(p *pile) error {
	return v.room((bodyWeight-1)*p.size + linkWeight*p.links())
}

// room takes n bytes of memory from the budget. While it waits the clocks of
// the watch are stopped, since the server is not the cause.
func (v *visit) room(n int64) error {
	var since time.Time
	err := v.Claim.grow(v.watch.ctx, n, func() {
		since = time.Now()
		v.watch.pause()
	})
	if !since.IsZero() {
		wait := time.Since(since)
		v.waited += wait
		v.watch.resume(wait)
	}
	return err
}

// keepRaw copies the body that was read, up to the limit, to RawBody.
func (v *visit) keepRaw(p *pile) {
	v.Fetch.Truncated = v.Fetch.Truncated || p.size > v.limits.wire
	r, c := v.Response, v.codec
	v.RawBody, v.Recycle = p.bytes(v.limits.wire), func() { r.recycle(c) }
	v.Fetch.Wire += int64(len(v.RawBody))
}

// decode sets Body to RawBody without its content codings.
func (v *visit) decode(list []string) error {
	if len(list) > 0 {
		body, cut, err := v.codec.decode(list, v.RawBody, v.limits.decoded, v.room, v.roomToRead)
		v.Body = body
		v.Fetch.Truncated = v.Fetch.Truncated || cut
		if v.watch.ctx.Err() != nil {
			return nil // content checks the context itself
		}
		return err
	}
	v.Body = v.RawBody
	if int64(len(v.Body)) > v.limits.decoded {
		v.Body = v.Body[:v.limits.decoded]
		v.Fetch.Truncated = true
	}
	return nil
}

// aside reads the body of an answer that is not a page. It returns an error if
// the body could not be read to its end, which the caller may ignore.
func (v *visit) aside(resp *http.Response) error {
	v.Fetch.Type = mediaType(resp.Header)
	v.limits = limits{wire: min(maxAside, v.limits.wire), decoded: min(4*maxAside, v.limits.decoded)}
	list, codingErr := codings(resp.Header)
	wireErr, _ := v.readRaw(resp, false)
	decodeErr := v.decode(list)
	if wireErr != nil || decodeErr != nil || codingErr != nil {
		v.Fetch.Truncated = true
	}
	v.Fetch.Bytes = int64(len(v.Body))
	return wireErr
}

// forgo marks an answer whose body is not kept as truncated, unless it has none.
func (v *visit) forgo(resp *http.Response) {
	v.Fetch.Truncated = resp.ContentLength != 0 && resp.Body != http.NoBody
}

// spare reads and drops a short body that is not needed, so that the connection
// can be reused.
func (v *visit) spare(resp *http.Response) {
	if resp.ContentLength >= 0 && resp.ContentLength <= maxAside {
		n, _ := io.Copy(io.Discard, &watched{resp.Body, v.watch, 0})
		v.Fetch.Wire += n
	}
}

// watched is a body that reports its progress to the watch and its bytes to the
// meter.
type watched struct {
	io.Reader
	watch *watch
	n     int64
}

func (b *watched) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	b.n += int64(n)
	b.watch.meter.credit(n)
	if err == nil {
		err = b.watch.progress(b.n)
	}
	return n, err
}
