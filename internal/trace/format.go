package trace

import (
	"bytes"
	"strconv"
	"strings"
)

// A Format is how a log writes accesses down.
type Format string

// The formats.
const (
	Squid  Format = "squid"  // Squid's native access.log
	Common Format = "common" // Common Log Format, and the combined one
	JSONL  Format = "jsonl"  // an object to a line: user, time, url
	Paths  Format = "paths"  // a path to a line, by tabs: user, time, [duration,] steps by semicolons [, anything]
)

// A hit is what a line tells of. Its strings are copies of parts of the line.
type hit struct {
	client, ident string
	at            int64 // milliseconds; unknown for none
	method        string
	status        int
	kind          string // media type; "?" where the log does not say
	url           string // or steps
}

// parse reads a line, or tells why it can't be read.
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

// sniff tells the format of a log by one of its lines, "" if it can't.
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

// isPage reports whether somebody got a page: GET, 200, HTML.
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

// looksLikePage tells by its name whether a URL is that of a page, for logs that do
// not give types.
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

// seconds reads a Unix time with at most a millisecond's fraction, as milliseconds.
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
