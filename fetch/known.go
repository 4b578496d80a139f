package fetch

import (
	"context"
	"net/http"
	"strings"
)

type knownKey struct{}

// WithKnown returns a context whose requests ask whether a page has changed since an earlier
// answer with the given header: its ETag and Last-Modified are sent back, as far as there are any. An
// answer 304 (not modified) then has the outcome Skipped and the reason [dowse.SkipUnchanged].
func WithKnown(ctx context.Context, earlier http.Header) context.Context {
	validators := http.Header{}
	if tag := earlier.Get("Etag"); isTag(tag) {
		validators.Set("If-None-Match", tag)
	}
	if at := earlier.Get("Last-Modified"); !LastModified(earlier).IsZero() {
		validators.Set("If-Modified-Since", at)
	}
	return context.WithValue(ctx, knownKey{}, validators)
}

// maxTag bounds the length of an ETag that is sent back.
const maxTag = 512

// isTag reports whether a text is an entity tag as RFC 9110 defines it, and not too long. It came
// from a server and becomes part of a request.
func isTag(s string) bool {
	opaque := strings.TrimPrefix(s, "W/")
	if len(s) > maxTag || len(opaque) < 2 || opaque[0] != '"' || opaque[len(opaque)-1] != '"' {
		return false
	}
	return !strings.ContainsFunc(opaque[1:len(opaque)-1], func(r rune) bool { return r <= ' ' || r == '"' || r >= 0x7f })
}

// knownOf returns the validators of a context, and whether it was made by WithKnown.
func knownOf(ctx context.Context) (validators http.Header, ok bool) {
	validators, ok = ctx.Value(knownKey{}).(http.Header)
	return validators, ok
}

// withValidators returns a header with further fields, without changing it.
func withValidators(h, validators http.Header) http.Header {
	if len(validators) == 0 {
		return h
	}
	out := h.Clone()
	for name, values := range validators {
		out[name] = values
	}
	return out
}

// isKnown reports whether the caller knows an earlier answer, so that 304 is an answer to its request.
func (v *visit) isKnown() bool {
	_, ok := knownOf(v.watch.caller)
	return ok
}
