package fetch

import (
	"net/http"
	"time"
)

// LastModified returns when a server says that a page was changed, the zero time if it
// does not say so in a form that can be.
func LastModified(h http.Header) time.Time {
	t, err := http.ParseTime(h.Get("Last-Modified"))
	if err != nil || t.Year() < 1990 {
		return time.Time{}
	}
	return t.UTC()
}
