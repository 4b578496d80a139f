package fetch

import (
	"net/http"
	"time"
)

// LastModified returns the Last-Modified time, the zero time if the header is
// missing, malformed, or before 1990, which is before the web.
func LastModified(h http.Header) time.Time {
	t, err := http.ParseTime(h.Get("Last-Modified"))
	if err != nil || t.Year() < 1990 {
		return time.Time{}
	}
	return t.UTC()
}
