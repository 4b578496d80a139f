package fetch

import (
	"bytes"
	"io"
	"net/http"

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
	if hasContent(resp.StatusCode) {
		v.content(resp)
		return
	}
	v.aside(resp)
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
	v.settle(wireErr, decodeErr)
}

// settle decides the outcome once the body is there, as far as it came.
func (v *visit) settle(wireErr, decodeErr error) {
	v.Fetch.Bytes = int64(len(v.Body))
	switch {
	case wireErr == errCancelled, wireErr != nil && !usable(v.Body):
		v.broken(wireErr)
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
	buf := v.codec.buffer()
	defer v.codec.release(buf)
	body := &watched{resp.Body, v.watch, 0}
	*buf, err = fill(*buf, body, sniffLen)
	if err == nil && plain && v.limits.html {
		if found, ok := sniff(v.Fetch.Type, *buf); !ok {
			v.keepRaw(*buf)
			v.Body, v.Fetch.Type = v.RawBody, found
			v.Fetch.Truncated = true
			v.skip(dowse.SkipTypeMIME, found)
			return nil, false
		}
	}
	if err == nil {
		*buf, err = fill(*buf, body, v.limits.wire+1)
	}
	v.keepRaw(*buf)
	if err == io.EOF {
		return nil, true
	}
	if err != nil {
		return v.watch.cause(err), true
	}
	return nil, true
}

// keepRaw keeps a copy of what came, up to the limit.
func (v *visit) keepRaw(buf []byte) {
	if int64(len(buf)) > v.limits.wire {
		buf = buf[:v.limits.wire]
		v.Fetch.Truncated = true
	}
	v.RawBody = bytes.Clone(buf)
	v.Fetch.Wire += int64(len(buf))
}

// decode makes Body of RawBody.
func (v *visit) decode(list []string) error {
	if len(list) > 0 {
		body, cut, err := v.codec.decode(list, v.RawBody, v.limits.decoded)
		v.Body = body
		v.Fetch.Truncated = v.Fetch.Truncated || cut
		return err
	}
	v.Body = v.RawBody
	if int64(len(v.Body)) > v.limits.decoded {
		v.Body = v.Body[:v.limits.decoded]
		v.Fetch.Truncated = true
	}
	return nil
}

// aside takes in the body of an answer that is not a page. Errors in it do not
// matter.
func (v *visit) aside(resp *http.Response) {
	v.Fetch.Type = mediaType(resp.Header)
	v.limits = limits{wire: min(maxAside, v.limits.wire), decoded: min(4*maxAside, v.limits.decoded)}
	list, codingErr := codings(resp.Header)
	wireErr, _ := v.readRaw(resp, false)
	decodeErr := v.decode(list)
	if wireErr != nil || decodeErr != nil || codingErr != nil {
		v.Fetch.Truncated = true
	}
	v.Fetch.Bytes = int64(len(v.Body))
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
	if err == nil {
		err = b.watch.progress(b.n)
	}
	return n, err
}
