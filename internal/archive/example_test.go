package archive_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"dowse/internal/archive"
)

// A page is kept, and asked for again.
func Example() {
	dir, err := os.MkdirTemp("", "archive")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)

	w, err := archive.OpenWriter(dir, archive.Options{Prefix: "reefs", Operator: "someone@example.org"})
	if err != nil {
		panic(err)
	}
	place, err := w.Append(archive.Encode(nil, &archive.Exchange{
		URL:          "http://example.org/",
		At:           time.Date(2026, 11, 15, 9, 12, 1, 0, time.UTC),
		RequestHead:  []byte("GET / HTTP/1.1\r\nHost: example.org\r\n\r\n"),
		ResponseHead: []byte("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"),
		Payload:      []byte("Coral reefs."),
		Metadata:     []archive.Field{{Name: "relevance", Value: "0.83"}},
	}))
	if err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil { // synced
		panic(err)
	}

	web, err := archive.OpenWeb(filepath.Join(dir, place.File))
	if err != nil {
		panic(err)
	}
	defer web.Close()
	client := &http.Client{Transport: web}
	for _, u := range []string{"http://example.org/", "http://example.org/none"} {
		resp, err := client.Get(u)
		if err != nil {
			panic(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		fmt.Printf("%s: %s\n", resp.Status, body)
	}
	// Output:
	// 200 OK: Coral reefs.
	// 404 Not Found: Not Found
}
