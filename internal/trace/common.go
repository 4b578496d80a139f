package trace

import (
	"strconv"
	"strings"
	"time"
)

// commonTime is the layout of times in the Common Log Format.
const commonTime = "02/Jan/2006:15:04:05 -0700"

// parseCommon parses a line of the Common Log Format: host ident user [time]
// "request" status bytes. What follows, as in the combined format, is ignored.
//
// The format has no media type, so the suffix of the URL decides whether it is a
// page. Targets are usually paths, which need Options.Base; proxies log URLs.
func parseCommon(line string) (h hit, why string) {
	who, rest, ok := strings.Cut(line, " [")
	if !ok {
		return h, "no time"
	}
	date, rest, ok := strings.Cut(rest, "] \"")
	at, err := time.Parse(commonTime, date)
	if !ok || err != nil {
		return h, "no time"
	}
	request, rest, ok := cutQuoted(rest)
	if !ok {
		return h, "no request"
	}
	status, _, _ := strings.Cut(strings.TrimPrefix(rest, " "), " ")
	code, err := strconv.Atoi(status)
	if err != nil {
		return h, "no status"
	}
	client, ident, ok := strings.Cut(who, " ")
	if !ok || client == "" {
		return h, "no client"
	}
	method, target, ok := strings.Cut(request, " ")
	if !ok { // not an HTTP request, so not a page
		return hit{method: "-", status: code}, ""
	}
	target, _, _ = strings.Cut(target, " ")
	return hit{client: client, ident: ident, at: at.UnixMilli(), method: method, status: code, kind: "?", url: target}, ""
}

// cutQuoted cuts at the next quote that is not escaped by a backslash.
func cutQuoted(s string) (before, after string, ok bool) {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return s[:i], s[i+1:], true
		}
	}
	return s, "", false
}
