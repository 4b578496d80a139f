package archive_test

import (
	"path/filepath"
	"testing"
	"time"

	"dowse"
	"dowse/internal/archive"
)

// An answer 304 refers to the version that it confirms, with the profile for it. The original of a revisit is
// the response, so that references never form a chain, and the header is that of the answer at the place.
func TestNotModified(t *testing.T) {
	dir := t.TempDir()
	w, err := archive.OpenWriter(dir, archive.Options{Prefix: "T"})
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	first := &archive.Exchange{URL: "http://a.test/", At: at, ResponseHead: []byte("HTTP/1.1 200 OK\r\nETag: \"1\"\r\n\r\n"), Payload: []byte("<p>tide")}
	place, err := w.Append(archive.Encode(nil, first))
	if err != nil {
		t.Fatal(err)
	}
	of, header, err := archive.OriginalAt(dir, place)
	if err != nil || of.URL != "http://a.test/" || !of.At.Equal(at) || of.Digest != archive.PayloadDigest(first.Payload) || header.Get("Etag") != `"1"` {
		t.Fatalf("%v: %+v, %v", err, of, header)
	}
	again := &archive.Exchange{URL: "http://a.test/", At: at.Add(time.Hour), ResponseHead: []byte("HTTP/1.1 304 Not Modified\r\nETag: \"2\"\r\n\r\n")}
	second, err := w.Append(archive.EncodeRevisit(nil, again, of))
	if err != nil {
		t.Fatal(err)
	}
	of2, header, err := archive.OriginalAt(dir, second)
	if err != nil || of2.ID != of.ID || of2.Digest != of.Digest || of2.Place.Offset != place.Offset || header.Get("Etag") != `"2"` {
		t.Errorf("%v: %+v, want the original %+v", err, of2, of)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	rec, err := archive.At(filepath.Join(dir, second.File), second.Offset)
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Close()
	if got := rec.Header.Value("WARC-Profile"); got != archive.NotModified {
		t.Errorf("profile %s", got)
	}
	report, err := archive.Verify(filepath.Join(dir, second.File))
	if err != nil || len(report.Problems) > 0 {
		t.Errorf("%v: %+v", err, report)
	}
	for _, p := range []dowse.Place{{}, {File: "../x"}, {File: place.File, Offset: 3}} {
		if _, _, err := archive.OriginalAt(dir, p); err == nil {
			t.Errorf("%+v: no error", p)
		}
	}
}
