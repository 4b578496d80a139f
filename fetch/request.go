package fetch

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"dowse"
)

// split cuts a URL into scheme, authority (without a user name) and the rest,
// which begins with a slash and has no fragment. ok is false for anything but
// http and https.
func split(u dowse.URL) (scheme, authority, rest string, ok bool) {
	scheme, after, ok := strings.Cut(string(u), "://")
	if !ok || scheme != "http" && scheme != "https" {
		return "", "", "", false
	}
	after, _, _ = strings.Cut(after, "#")
	end := strings.IndexAny(after, "/?")
	if end < 0 {
		end, after = len(after), after+"/"
	}
	authority, rest = after[:end], after[end:]
	authority = authority[strings.LastIndexByte(authority, '@')+1:]
	if rest[0] != '/' {
		rest = "/" + rest
	}
	return scheme, authority, rest, authority != ""
}

// hostname returns the host of an authority, without port and brackets.
func hostname(authority string) string {
	if i := strings.LastIndexByte(authority, ':'); i > strings.LastIndexByte(authority, ']') {
		authority = authority[:i]
	}
	return strings.Trim(authority, "[]")
}

// requestURL returns u for net/http such that exactly the bytes of u are
// requested. Canonical URLs contain escapes and signs that net/url would refuse
// or rewrite; those are passed as the opaque part. A path that begins with two
// slashes would be read as an authority there, so it needs the authority in
// front.
func (c *Client) requestURL(u dowse.URL, scheme, authority, rest string) *url.URL {
	if parsed, err := url.Parse(string(u)); err == nil && parsed.RequestURI() == rest {
		parsed.User, parsed.Fragment, parsed.RawFragment = nil, "", ""
		return parsed
	}
	out := &url.URL{Scheme: scheme, Host: authority, Opaque: "//" + authority + rest}
	if c.live && !strings.HasPrefix(rest, "//") {
		out.Opaque = rest
	}
	return out
}

// request returns the request for u. All requests share one header, which
// neither side may change; one with validators (see WithKnown) has a copy.
func (c *Client) request(ctx context.Context, u dowse.URL, scheme, authority, rest string) *http.Request {
	validators, _ := knownOf(ctx)
	r := &http.Request{
		Method: http.MethodGet, URL: c.requestURL(u, scheme, authority, rest),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: withValidators(c.header, validators), Host: authority,
	}
	return r.WithContext(ctx)
}

// newHeader returns the header that every request sends.
func newHeader(c Config) http.Header {
	h := http.Header{
		"User-Agent":      {c.userAgent()},
		"Accept":          {"text/html,application/xhtml+xml,*/*;q=0.1"},
		"Accept-Encoding": {"gzip, deflate, br, zstd"},
	}
	if from := c.from(); from != "" {
		h["From"] = []string{from}
	}
	return h
}

// requestHead returns the request for rest in the form that HTTP/1.1 has on the
// wire, for the archive.
func (c *Client) requestHead(ctx context.Context, authority, rest string) []byte {
	head := make([]byte, 0, len(rest)+len(authority)+len(c.headTail)+24)
	head = append(head, "GET "...)
	head = append(head, rest...)
	head = append(head, " HTTP/1.1\r\nHost: "...)
	head = append(head, authority...)
	head = append(head, "\r\n"...)
	if validators, _ := knownOf(ctx); len(validators) > 0 {
		return append(head, headTail(withValidators(c.header, validators))...)
	}
	return append(head, c.headTail...)
}

// headTail returns the part of a request head that is the same for every
// request.
func headTail(h http.Header) []byte {
	tail := []byte("User-Agent: " + h.Get("User-Agent") + "\r\n")
	for _, name := range sortedNames(h) {
		if name != "User-Agent" {
			tail = append(tail, name+": "+h.Get(name)+"\r\n"...)
		}
	}
	return append(tail, "\r\n"...)
}

func sortedNames(h http.Header) []string {
	names := make([]string, 0, len(h))
	for name := range h {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
