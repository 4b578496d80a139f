package fetch_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"dowse"
	"dowse/fetch"
)

// A request with a known version sends its validators back, and has them in the head that is
// archived; 304 is then an answer, and without a known version it is a failure.
func TestWithKnown(t *testing.T) {
	const at = "Thu, 01 Jan 2026 00:00:00 GMT"
	var got http.Header
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r.Header.Clone()
		w.WriteHeader(http.StatusNotModified)
	}))
	defer s.Close()
	c, err := fetch.New(fetch.Config{AllowNet: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, OnlyAllowed: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, test := range []struct {
		tag, date         string
		wantTag, wantDate string
	}{
		{`"abc"`, at, `"abc"`, at},
		{`W/"a-b"`, "", `W/"a-b"`, ""},
		{"no quotes", "yesterday", "", ""},
		{"\"a\"\r\nX: y\"", at, "", at},
		{`"` + strings.Repeat("x", 600) + `"`, "", "", ""},
	} {
		ctx := fetch.WithKnown(t.Context(), http.Header{"Etag": {test.tag}, "Last-Modified": {test.date}})
		r := c.Get(ctx, dowse.URL(s.URL+"/"))
		if r.Outcome != dowse.Skipped || r.Reason != dowse.SkipUnchanged {
			t.Errorf("%q: %v %s, want unchanged", test.tag, r.Outcome, r.Reason)
		}
		if got.Get("If-None-Match") != test.wantTag || got.Get("If-Modified-Since") != test.wantDate {
			t.Errorf("%q: sent %q and %q", test.tag, got.Get("If-None-Match"), got.Get("If-Modified-Since"))
		}
		if strings.Contains(string(r.RequestHead), "If-None-Match: ") != (test.wantTag != "") || !strings.HasSuffix(string(r.RequestHead), "\r\n\r\n") {
			t.Errorf("%q: archived as %q", test.tag, r.RequestHead)
		}
	}
	if r := c.Get(t.Context(), dowse.URL(s.URL+"/")); r.Outcome != dowse.Failed || got.Get("If-None-Match") != "" {
		t.Errorf("without a known version: %v %s, sent %q", r.Outcome, r.Reason, got.Get("If-None-Match"))
	}
}
