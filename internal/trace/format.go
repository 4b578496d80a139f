package trace

import (
	"bytes"
	"strconv"
	"strings"
)

// A Format is the syntax of a log.
type Format string

// The formats, with one line of each:
//
//	squid   1157689320.327 2864 10.1.1.1 TCP_MISS/200 10182 GET http://a.test/ anna DIRECT/1.2.3.4 text/html
//	common  10.1.1.1 - anna [17/May/2015:10:05:03 +0000] "GET /a HTTP/1.1" 200 2030
//	jsonl   {"user": "anna", "time": 1157689320, "url": "http://a.test/"}
//	paths   anna	1297054935	166	A;B;<;C	3
//
// Squid and common logs contain everything that was requested, so only lines
// about delivered pages count. The lines of the other two are pages by
// definition.
const (
	Squid  Format = "squid"  // Squid's native access.log
	Common Format = "common" // Common Log Format, and the combined one
	JSONL  Format = "jsonl"  // one object per line: user, time, url
	Paths  Format = "paths"  // one path per line, separated by tabs: user, time, [duration,] steps with semicolons [, anything]
)

// A hit is the content of a line. Its strings are copies of parts of the line.
type hit struct {
	client, ident string
	at            int64 // milliseconds; unknown for none
	method        string
	status        int
	kind          string // media type; "?" if the format does not have it
	url           string // or the steps of a path
}

// parse parses a line. why is "" or the reason why it cannot be parsed, without
// text of the line.
func (f Format) parse(line []byte) (h hit, why string) {
	switch f {
	case Squid:
		return parseSquid(string(line))
	case Common:
		return parseCommon(string(line))
	case JSONL:
		return parseJSONL(line)
	case Paths:
		return parsePath(string(line))
	}
	return hit{}, "no known format"
}

// sniff guesses the format of a log by one of its lines, "" if it cannot.
func sniff(line []byte) Format {
	switch {
	case line[0] == '{':
		return JSONL
	case bytes.IndexByte(line, '\t') >= 0:
		return Paths
	}
	for _, f := range []Format{Squid, Common} {
		if _, why := f.parse(line); why == "" {
			return f
		}
	}
	return ""
}

// isPage reports whether the line is about a page that was delivered: GET, 200,
// HTML.
func (h *hit) isPage() bool {
	return h.method == "GET" && h.status == 200 && h.isHTML()
}

func (h *hit) isHTML() bool {
	if h.kind == "?" {
		return looksLikePage(h.url)
	}
	kind, _, _ := strings.Cut(h.kind, ";")
	return strings.EqualFold(kind, "text/html")
}

// looksLikePage guesses by the suffix of a URL whether it is a page, for
// formats without media types.
func looksLikePage(u string) bool {
	u, _, _ = strings.Cut(u, "?")
	name := u[strings.LastIndexByte(u, '/')+1:]
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		return true
	}
	switch strings.ToLower(name[dot+1:]) {
	case "html", "htm", "xhtml", "shtml", "php", "asp", "aspx", "jsp", "jsf", "do", "cgi", "pl", "cfm":
		return true
	}
	return false
}

// seconds parses a Unix time in seconds and returns milliseconds. Digits after
// the third of the fraction are ignored.
func seconds(s string) (int64, bool) {
	const most = 1 << 36 // in the year 4147
	whole, fraction, _ := strings.Cut(s, ".")
	sec, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || sec < 0 || sec > most {
		return 0, false
	}
	ms := int64(0)
	for i := range 3 {
		ms *= 10
		if i < len(fraction) {
			d := fraction[i] - '0'
			if d > 9 {
				return 0, false
			}
			ms += int64(d)
		}
	}
	return sec*1000 + ms, true
}
