package trace

import (
	"strconv"
	"strings"
)

// squidFields is the number of fields in Squid's native format: time, elapsed,
// client, result/status, bytes, method, URL, ident, hierarchy/peer, type.
const squidFields = 10

// parseSquid parses a line of Squid's native access.log. Further fields are
// ignored.
//
// The result before the slash (TCP_HIT, TCP_MISS, …) is about the cache and is
// ignored; the status after it is that of HTTP.
func parseSquid(line string) (h hit, why string) {
	var f [squidFields]string
	n := 0
	for field := range strings.FieldsSeq(line) {
		if n < squidFields {
			f[n] = field
		}
		n++
	}
	if n < squidFields {
		return h, "fewer than 10 fields"
	}
	at, ok := seconds(f[0])
	if !ok {
		return h, "no time"
	}
	_, status, ok := strings.Cut(f[3], "/")
	code, err := strconv.Atoi(status)
	if !ok || err != nil {
		return h, "no status"
	}
	return hit{client: f[2], ident: f[7], at: at, method: f[5], status: code, kind: f[9], url: f[6]}, ""
}
