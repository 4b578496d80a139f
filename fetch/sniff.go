package fetch

import (
	"bytes"
	"net/http"
	"strings"
)

// sniffLen is how many bytes of a body are examined for its type: 512, as in
// the WHATWG MIME Sniffing Standard, and as many again for an XML prologue.
const sniffLen = 1024

// mediaType returns the declared media type in lower case, without parameters;
// "" if it is missing or malformed.
func mediaType(h http.Header) string {
	declared, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	declared = strings.ToLower(strings.TrimSpace(declared))
	if len(declared) > 127 || strings.Count(declared, "/") != 1 || strings.ContainsFunc(declared, notInType) {
		return ""
	}
	return declared
}

// notInType reports whether r cannot be part of a media type: it is neither a
// token character (RFC 9110 5.6.2) nor the slash.
func notInType(r rune) bool {
	return r <= ' ' || r >= 0x7f || strings.ContainsRune("\"(),:;<=>?@[\\]{}", r)
}

func isHTML(t string) bool {
	return t == "text/html" || t == "application/xhtml+xml" || t == "application/vnd.wap.xhtml+xml"
}

// isVague reports whether the declared type leaves open whether the body is
// HTML, so that the body must be examined.
func isVague(t string) bool {
	switch t {
	case "", "application/octet-stream", "application/unknown", "unknown/unknown", "*/*",
		"text/xml", "application/xml":
		return true
	}
	return false
}

// isText reports whether the declared type is that of text that is a page by itself.
func isText(t string) bool {
	return t == "text/plain" || t == "text/markdown" || t == "text/x-markdown"
}

func mayBePage(t string) bool { return isHTML(t) || isVague(t) || isText(t) }

// sniff returns the media type of a body that was declared as t, and whether it
// is a page: HTML or text. A declaration of text is believed unless the body begins like anything else, since
// servers declare what they do not know as plain text. A declaration of HTML is believed unless the body begins like a
// binary format, since many pages begin with text that looks like nothing in
// particular; UTF-16 looks binary and is not.
func sniff(t string, body []byte) (string, bool) {
	body = body[:min(len(body), sniffLen)]
	found, _, _ := strings.Cut(http.DetectContentType(body), ";")
	switch {
	case isHTML(t):
		if isBinary(found, body) {
			return found, false
		}
		return t, true
	case isText(t):
		return asText(t, found)
	case !isVague(t):
		return t, false
	case found == "text/html":
		return found, true
	case found == "text/xml" && bytes.Contains(body, []byte("<html")):
		return "application/xhtml+xml", true
	case t == "" || t == "application/octet-stream":
		return found, false
	}
	return t, false
}

// asText returns the type of a body that was declared as text and looks like another type, and whether it is text.
func asText(t, found string) (string, bool) {
	if found == "text/plain" {
		return t, true
	}
	return found, false
}

// isBinary reports whether a signature of a binary format is more than a
// coincidence of text: "BM" begins a bitmap, and a page on BMW.
func isBinary(found string, body []byte) bool {
	switch {
	case strings.HasPrefix(found, "text/"), found == "application/octet-stream":
		return false
	case found == "application/pdf", found == "application/postscript":
		return true
	}
	return bytes.ContainsFunc(body, func(r rune) bool {
		return r < ' ' && !strings.ContainsRune("\t\n\f\r\x1b", r)
	})
}
