package trace

import (
	"encoding/json"
	"time"
)

// parseJSONL parses {"user": …, "time": …, "url": …}: the user is a string or a
// number, the time is seconds since 1970 or RFC 3339, or missing. Every line is
// taken for a page that was delivered.
func parseJSONL(line []byte) (h hit, why string) {
	var o struct {
		User json.RawMessage
		Time json.RawMessage
		URL  string
	}
	if json.Unmarshal(line, &o) != nil {
		return h, "no JSON object with user, time and url"
	}
	// User and time may be numbers in one log and strings in another.
	user := scalar(o.User)
	if user == "" {
		return h, "no user"
	}
	if o.URL == "" {
		return h, "no url"
	}
	at, ok := jsonTime(scalar(o.Time))
	if !ok {
		return h, "no time that can be read"
	}
	return hit{client: user, at: at, method: "GET", status: 200, kind: "text/html", url: o.URL}, ""
}

// scalar returns a JSON string or number as text, "" for anything else.
func scalar(raw json.RawMessage) string {
	if len(raw) == 0 {
		return ""
	}
	switch c := raw[0]; {
	case c == '"':
		var s string
		if json.Unmarshal(raw, &s) != nil {
			return ""
		}
		return s
	case c == '-' || '0' <= c && c <= '9':
		return string(raw)
	}
	return ""
}

// jsonTime parses a time of either form; "" is unknown, which is allowed.
func jsonTime(s string) (int64, bool) {
	if s == "" {
		return unknown, true
	}
	if at, ok := seconds(s); ok {
		return at, true
	}
	at, err := time.Parse(time.RFC3339, s)
	if err != nil || at.Year() < 1 || at.Year() > 4000 {
		return 0, false
	}
	return at.UnixMilli(), true
}
