package crawler_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestContentThatIsNotKept: what is no HTML is not downloaded. Its record in the archive has no content, and is marked as
// incomplete, so that no reader takes the page for an empty one.
func TestContentThatIsNotKept(t *testing.T) {
	site, dir := bilingualSite(t, nil), filepath.Join(t.TempDir(), "x.dowse")
	cfg := local
	cfg.Words, cfg.Seeds = []string{"coral"}, []string{site.URL + "/"}
	crawlAll(t, dir, cfg)
	files, err := filepath.Glob(filepath.Join(dir, "archive", "*.warc.gz"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	packed, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	truncated := map[string]string{}
	for _, record := range strings.Split(string(all), "WARC/1.1\r\n") {
		head, _, _ := strings.Cut(record, "\r\n\r\n")
		field := func(name string) string {
			_, value, _ := strings.Cut(head, "\r\n"+name+": ")
			value, _, _ = strings.Cut(value, "\r\n")
			return value
		}
		if strings.HasPrefix(head, "WARC-Type: response") {
			truncated[strings.TrimPrefix(field("WARC-Target-URI"), site.URL)] = field("WARC-Truncated")
		}
	}
	if got := truncated["/coral.pdf"]; got != "unspecified" {
		t.Errorf("the record of a PDF has WARC-Truncated %q, want unspecified", got)
	}
	if got, ok := truncated["/en"]; got != "" || !ok {
		t.Errorf("the record of a page has WARC-Truncated %q (%v), want none", got, ok)
	}
}
