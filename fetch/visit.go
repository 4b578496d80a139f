package fetch

import (
	"bytes"
	"io"
	"net/http"
	"time"

	"dowse"
)

// limits say how much of an answer is taken in, and whether anything but HTML is.
type limits struct {
	wire, decoded int64
	html          bool
}

func pageLimits(c Config) limits { return limits{wire: c.MaxWire, decoded: c.MaxBody, html: true} }

// maxAside bounds the bodies of redirects and errors, which are read for the
// archive and for signs of a challenge, and those read only to keep a connection.
const maxAside = 64 << 10

// A visit is one exchange as it goes on.
type visit struct {
	*Response
	watch  *watch
	codec  *codec
	limits limits
	waited time.Duration // for memory
}

// exchange sends the request and reads the answer.
func (v *visit) exchange(transport http.RoundTripper, req *http.Request) {
	resp, err := transport.RoundTrip(req)
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

// content takes in the body of a successful answer.
func (v *visit) content(resp *http.Response) {
	list, err := codings(resp.Header)
	if err != nil {
		v.fail(dowse.FailEncoding, err.Error())
		return
	}
	v.Fetch.Type = mediaType(resp.Header)
	if v.limits.html && !mayBeHTML(v.Fetch.Type) {
		v.spare(resp)
		v.skip(dowse.SkipTypeMIME, v.Fetch.Type)
		return
	}
	wireErr, wanted := v.readRaw(resp, len(list) == 0)
	if !wanted {
		return
	}
	decodeErr := v.decode(list)
	if wireErr == nil && v.watch.ctx.Err() != nil { // given up while waiting for memory to decode it
		wireErr = v.watch.cause(v.watch.ctx.Err())
	}
	v.settle(wireErr, decodeErr)
}

// settle decides the outcome once the body is there, as far as it came.
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
	if v.limits.html {
		v.judgeType()
	}
}

// neglected reports whether the server was kept waiting for so long that it may
// have closed the connection for that. The part of the page that came is no reason
// to leave it at that, then.
func (v *visit) neglected() bool { return v.waited > v.watch.config.ReadTimeout }

// rejects reports whether the caller does not want what came of a body because the
// connection broke, see WithPart. Limits of ours, such as the time for the whole download,
// are no reason: they would end it at the next try, too.
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

// judgeType skips what turns out to be no HTML.
func (v *visit) judgeType() {
	found, ok := sniff(v.Fetch.Type, v.Body)
	v.Fetch.Type = found
	if !ok {
		v.skip(dowse.SkipTypeMIME, found)
	}
}

// minUsable is how much of a body that broke off must have come to be worth
// keeping rather than trying again.
const minUsable = 64

func usable(body []byte) bool { return len(bytes.TrimSpace(body)) >= minUsable }

// readRaw reads the body as sent. If nothing is known of its type the first bytes
// must look like HTML, so that a large download ends there: wanted is false then.
func (v *visit) readRaw(resp *http.Response, plain bool) (err error, wanted bool) {
	p := v.codec.pile()
	defer p.release()
	body := &watched{resp.Body, v.watch, 0}
	err = p.fill(body, sniffLen, v.room)
	if err == nil && plain && v.limits.html {
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
// bodyWeight. Until then a body takes no more than its size, so that many can be
// downloaded at the same time although few can be read.
func (v *visit) roomToRead(p *pile) error { return v.room((bodyWeight - 1) * p.size) }

// room takes n bytes of memory from the budget. While it waits the server is not
// blamed: the clocks of the watch stand still.
func (v *visit) room(n int64) error {
	var since time.Time
	err := v.Claim.Grow(v.watch.ctx, n, func() {
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

// keepRaw keeps a copy of what came, up to the limit.
func (v *visit) keepRaw(p *pile) {
	v.Fetch.Truncated = v.Fetch.Truncated || p.size > v.limits.wire
	v.RawBody = p.bytes(v.limits.wire)
	v.Fetch.Wire += int64(len(v.RawBody))
}

// decode makes Body of RawBody.
func (v *visit) decode(list []string) error {
	if len(list) > 0 {
		body, cut, err := v.codec.decode(list, v.RawBody, v.limits.decoded, v.room, v.roomToRead)
		v.Body = body
		v.Fetch.Truncated = v.Fetch.Truncated || cut
		if v.watch.ctx.Err() != nil {
			return nil // the caller finds out
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

// aside takes in the body of an answer that is not a page. It returns an error if the
// body could not be read to its end, which need not matter.
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

// spare reads a short body that nobody wants, so that the connection can be used
// again.
func (v *visit) spare(resp *http.Response) {
	if resp.ContentLength >= 0 && resp.ContentLength <= maxAside {
		n, _ := io.Copy(io.Discard, &watched{resp.Body, v.watch, 0})
		v.Fetch.Wire += n
	}
}

// watched is a body under watch.
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
