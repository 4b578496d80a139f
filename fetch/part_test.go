package fetch

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"dowse"
)

// An answer that breaks off is used or not, as the caller asks.
func TestPart(t *testing.T) {
	short := sends(ok200 + "Content-Length: 100000\r\n\r\n" + sentence)
	redirect := sends("HTTP/1.1 302 Found\r\nLocation: /other\r\nContent-Length: 100000\r\n\r\n" + sentence)
	stalls := func(c net.Conn, _ string) {
		io.WriteString(c, ok200+"Content-Length: 100000\r\n\r\n"+sentence)
		hangs(c, "")
	}
	size := int64(len(sentence))
	for _, c := range []struct {
		name    string
		config  Config
		send    func(net.Conn, string)
		part    int64
		outcome dowse.Outcome
		reason  dowse.Reason
	}{
		{"page", Config{}, short, 0, dowse.Temporary, dowse.FailConnect},
		{"page, other place", Config{}, short, size - 1, dowse.Temporary, dowse.FailConnect},
		{"page, same place", Config{}, short, size, dowse.Fetched, ""},
		{"page, last try", Config{}, short, anyPart, dowse.Fetched, ""},
		{"redirect", Config{}, redirect, 0, dowse.Temporary, dowse.FailConnect},
		{"redirect, same place", Config{}, redirect, size, dowse.Redirected, ""},
		{"stalled page", slowly, stalls, 0, dowse.Temporary, dowse.FailTimeout},
		{"stalled page, same place", slowly, stalls, size, dowse.Fetched, ""},
		{"endless page", Config{MaxBody: 1000}, floods(ok200+"\r\n", sentence), 0, dowse.Fetched, ""},
		{"whole page", Config{}, sends(ok200 + fmt.Sprintf("Content-Length: %d\r\n\r\n", size) + sentence), 0, dowse.Fetched, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := serveRaw(t, c.send)
			r := newClient(t, c.config).Get(WithPart(t.Context(), c.part), s.url("/page"))
			if r.Outcome != c.outcome || r.Reason != c.reason {
				t.Errorf("%v %q (%s), want %v %q", r.Outcome, r.Reason, r.Detail, c.outcome, c.reason)
			}
			if r.Outcome == dowse.Temporary && (r.ResponseHead != nil || r.Body != nil || r.Fetch.Bytes != size || !r.Host.BackOff) {
				t.Errorf("head of %d bytes and body of %d kept, %d bytes reported, host %+v; want nothing kept, %d reported, and the host left alone",
					len(r.ResponseHead), len(r.Body), r.Fetch.Bytes, r.Host, size)
			}
			checkSound(t, r)
		})
	}
}

// A limit of ours that ends a download is no reason to ask again: it would end the next
// one, too.
func TestPartOfSlowPages(t *testing.T) {
	for name, config := range map[string]Config{"too slow": {}, "too long": {minRate: 1}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				config.Dial = func(context.Context, string, string) (net.Conn, error) {
					ours, theirs := net.Pipe()
					go func() {
						defer theirs.Close()
						if _, err := http.ReadRequest(bufio.NewReader(theirs)); err == nil {
							drips(ok200+"Content-Length: 100000\r\n\r\n"+sentence)(theirs, "")
						}
					}()
					return ours, nil
				}
				c, err := New(config)
				if err != nil {
					t.Fatal(err)
				}
				defer time.Sleep(time.Second) // the server finds the connection closed
				defer c.Close()
				r := c.Get(WithPart(t.Context(), 0), "http://slow.example/")
				if r.Outcome != dowse.Fetched || !r.Fetch.Truncated {
					t.Errorf("%v %q (%s), truncated %v; want a page that is marked as truncated", r.Outcome, r.Reason, r.Detail, r.Fetch.Truncated)
				}
			})
		})
	}
}
