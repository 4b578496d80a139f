package fetch

import (
	"bytes"
	"compress/flate"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"

	"dowse"
	"dowse/weburl"
)

const (
	ok200  = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
	closed = "Connection: close\r\n\r\n"
)

var sentence = strings.Repeat("A reef is a ridge of rock, coral or sand. ", 10)

// TestHostileAnswers has one hostile answer per row, and the outcome that it must have.
// The numbers are those of the catalogue of hostile sites.
func TestHostileAnswers(t *testing.T) {
	small := Config{MaxBody: 100_000}
	for _, c := range []struct {
		name      string
		config    Config
		send      func(net.Conn, string)
		outcome   dowse.Outcome
		reason    dowse.Reason
		truncated bool
	}{
		{"H01 slow headers", hasty, drips("HTTP/1.1 200 OK\r\nX: "), dowse.Temporary, dowse.FailTimeout, false},
		{"H02 slow body", hasty, drips(ok200 + "Content-Length: 1000000\r\n\r\n"), dowse.Temporary, dowse.FailTimeout, false},
		{"H02 slow body that began well", slowly, drips(ok200 + "Content-Length: 1000000\r\n\r\n" + sentence), dowse.Fetched, "", true},
		{"H03 no answer", hasty, hangs, dowse.Temporary, dowse.FailTimeout, false},
		{"H03 no body", hasty, func(c net.Conn, _ string) {
			io.WriteString(c, ok200+"Content-Length: 10\r\n\r\n")
			hangs(c, "")
		}, dowse.Temporary, dowse.FailTimeout, false},
		{"H04 endless body", small, floods(ok200+"Transfer-Encoding: chunked\r\n\r\n", "5\r\nhello\r\n"), dowse.Fetched, "", true},
		{"H04 endless body without a length", small, floods(ok200+"\r\n", sentence), dowse.Fetched, "", true},
		{"H05 truncated body", Config{}, sends(ok200 + "Content-Length: 100000\r\n\r\n" + sentence), dowse.Fetched, "", true},
		{"H05 truncated to nothing", Config{}, sends(ok200 + "Content-Length: 100000\r\n\r\nA"), dowse.Temporary, dowse.FailConnect, false},
		{"H06 more than announced", Config{}, sends(ok200 + "Content-Length: 5\r\n\r\nhello" + sentence), dowse.Fetched, "", false},
		{"H07 chunk size no number", Config{}, sends(ok200 + "Transfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n"), dowse.Failed, dowse.FailProtocol, false},
		{"H07 chunk size negative", Config{}, sends(ok200 + "Transfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n"), dowse.Failed, dowse.FailProtocol, false},
		{"H07 chunk size huge", Config{}, sends(ok200 + "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nhello\r\n"), dowse.Failed, dowse.FailProtocol, false},
		{"H08 header bomb", Config{maxHeader: 64 << 10}, floods("HTTP/1.1 200 OK\r\n", "X-A: "+sentence+"\r\n"), dowse.Failed, dowse.FailProtocol, false},
		{"H08 endless header line", Config{maxHeader: 64 << 10}, floods("HTTP/1.1 200 OK\r\nX: ", sentence), dowse.Failed, dowse.FailProtocol, false},
		{"H09 1xx flood", Config{maxHeader: 64 << 10}, floods("", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"), dowse.Failed, dowse.FailProtocol, false},
		{"H10 SSH banner", Config{}, sends("SSH-2.0-OpenSSH_9.7\r\n"), dowse.Failed, dowse.FailProtocol, false},
		{"H10 HTTP/0.9", Config{}, sends("<html>hello</html>\n"), dowse.Failed, dowse.FailProtocol, false},
		{"H10 NUL bytes", Config{}, sends(strings.Repeat("\x00", 100) + "\r\n\r\n"), dowse.Failed, dowse.FailProtocol, false},
		{"H10 empty answer", Config{}, sends(""), dowse.Temporary, dowse.FailConnect, false},
		{"status line that breaks off", Config{}, sends("HTTP/1.1 20"), dowse.Temporary, dowse.FailConnect, false},
		{"beginning of a status line", Config{}, sends("HTT"), dowse.Temporary, dowse.FailConnect, false},
		{"nonsense that breaks off", Config{}, sends("SSH-2.0-Open"), dowse.Failed, dowse.FailProtocol, false},
		{"header that breaks off", Config{}, sends("HTTP/1.1 200 OK\r\nContent-Le"), dowse.Temporary, dowse.FailConnect, false},
		{"P07 reset", Config{}, resets, dowse.Temporary, dowse.FailConnect, false},
		{"H11 two lengths", Config{}, sends(ok200 + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!"), dowse.Failed, dowse.FailProtocol, false},
		{"H11 length and chunks", Config{}, sends(ok200 + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"), dowse.Fetched, "", false},
		{"H12 redirect to itself", Config{}, sends("HTTP/1.1 302 Found\r\nLocation: /page#x\r\n" + closed), dowse.Failed, dowse.FailRedirect, false},
		{"H22 no content", Config{}, sends("HTTP/1.1 204 No Content\r\n\r\n"), dowse.Failed, dowse.FailHTTP, false},
		{"H22 304 unasked", Config{}, sends("HTTP/1.1 304 Not Modified\r\n\r\n"), dowse.Failed, dowse.FailHTTP, false},
		{"H22 206 unasked", Config{}, sends("HTTP/1.1 206 Partial\r\nContent-Type: text/html\r\nContent-Range: bytes 0-4/10\r\nContent-Length: 5\r\n\r\nhello"), dowse.Fetched, "", true},
		{"H22 999", Config{}, sends("HTTP/1.1 999 Denied\r\nContent-Length: 0\r\n\r\n"), dowse.Failed, dowse.FailHTTP, false},
		{"H22 000", Config{}, sends("HTTP/1.1 000 Nothing\r\nContent-Length: 0\r\n\r\n"), dowse.Failed, dowse.FailProtocol, false},
		{"H22 1000", Config{}, sends("HTTP/1.1 1000 Much\r\nContent-Length: 0\r\n\r\n"), dowse.Failed, dowse.FailProtocol, false},
		{"H22 -1", Config{}, sends("HTTP/1.1 -1 Less\r\nContent-Length: 0\r\n\r\n"), dowse.Failed, dowse.FailProtocol, false},
		{"H22 101", Config{}, sends("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"), dowse.Failed, dowse.FailProtocol, false},
		{"404", Config{}, sends("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"), dowse.Failed, dowse.FailHTTP, false},
		{"401", Config{}, sends("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n"), dowse.Skipped, dowse.SkipLogin, false},
		{"402", Config{}, sends("HTTP/1.1 402 Payment Required\r\nContent-Length: 0\r\n\r\n"), dowse.Skipped, dowse.SkipPayment, false},
		{"403", Config{}, sends("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno"), dowse.Failed, dowse.FailHTTP, false},
		{"403 for a password", Config{}, sends("HTTP/1.1 403 Forbidden\r\nWWW-Authenticate: Basic\r\nContent-Length: 2\r\n\r\nno"), dowse.Skipped, dowse.SkipLogin, false},
		{"403 for a person", Config{}, sends("HTTP/1.1 403 Forbidden\r\nContent-Length: 20\r\n\r\n<h1>Solve a CAPTCHA!"), dowse.Skipped, dowse.SkipChallenge, false},
		{"403 of a known wall", Config{}, sends("HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n<title>Just a moment...</title>"), dowse.Skipped, dowse.SkipChallenge, false},
		{"503 for a person", Config{}, sends("HTTP/1.1 503 Busy\r\nServer: cloudflare\r\nConnection: close\r\n\r\n<script src=/cdn-cgi/challenge-platform/x.js>"), dowse.Skipped, dowse.SkipChallenge, false},
		{"503 with a form that has a captcha", Config{}, sends("HTTP/1.1 503 Busy\r\nConnection: close\r\n\r\nDown. Write to us <div class=g-recaptcha>"), dowse.Temporary, dowse.FailHTTP, false},
		{"challenge by header", Config{}, sends("HTTP/1.1 202 Accepted\r\nX-Amzn-Waf-Action: challenge\r\nContent-Type: text/html\r\nContent-Length: 0\r\n\r\n"), dowse.Skipped, dowse.SkipChallenge, false},
		{"P04 500", Config{}, sends("HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n"), dowse.Temporary, dowse.FailHTTP, false},
		{"425", Config{}, sends("HTTP/1.1 425 Too Early\r\nContent-Length: 0\r\n\r\n"), dowse.Temporary, dowse.FailHTTP, false},
		{"error with a slow body", slowly, drips("HTTP/1.1 404 Not Found\r\nContent-Length: 100000\r\n\r\n"), dowse.Failed, dowse.FailHTTP, true},
		{"error with an endless body", Config{}, floods("HTTP/1.1 404 Not Found\r\n\r\n", sentence), dowse.Failed, dowse.FailHTTP, true},
		{"early hints, then a page", Config{}, sends("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + ok200 + "Content-Length: 5\r\n\r\nhello"), dowse.Fetched, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := got(t, c.config, c.send)
			if r.Outcome != c.outcome || r.Reason != c.reason || r.Fetch.Truncated != c.truncated {
				t.Errorf("%v %q (%s) truncated %v; want %v %q %v", r.Outcome, r.Reason, r.Detail, r.Fetch.Truncated, c.outcome, c.reason, c.truncated)
			}
			checkSound(t, r)
		})
	}
}

// checkSound checks what holds for every response.
func checkSound(t *testing.T, r *Response) {
	t.Helper()
	if r.Detail != clean(r.Detail) || len(r.Detail) > maxDetail {
		t.Errorf("detail %q is not clean", r.Detail)
	}
	if (r.Outcome != dowse.Fetched && r.Outcome != dowse.Redirected && r.Outcome != dowse.Listed) != (r.Reason != "") {
		t.Errorf("%v with reason %q", r.Outcome, r.Reason)
	}
	if (r.Outcome == dowse.Redirected) != (r.Location != "") {
		t.Errorf("%v with location %q", r.Outcome, r.Location)
	}
	if r.Fetch.Bytes != int64(len(r.Body)) && r.Outcome == dowse.Fetched {
		t.Errorf("%d bytes of a body of %d", r.Fetch.Bytes, len(r.Body))
	}
	if (r.Header == nil) != (r.ResponseHead == nil) {
		t.Error("header and head disagree")
	}
}

// TestHostReports checks which failures are reported for the whole host, and how.
func TestHostReports(t *testing.T) {
	for _, c := range []struct {
		name string
		send func(net.Conn, string)
		want *dowse.HostReport
	}{
		{"P04 500", sends("HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n"), &dowse.HostReport{BackOff: true}},
		{"P01 429", sends("HTTP/1.1 429 Slow\r\nRetry-After: 3\r\nContent-Length: 0\r\n\r\n"), &dowse.HostReport{BackOff: true, RetryAfter: 3e9}},
		{"P02 a date", sends("HTTP/1.1 503 Slow\r\nDate: Sun, 15 Nov 2026 09:12:00 GMT\r\nRetry-After: Sun, 15 Nov 2026 09:12:04 GMT\r\nContent-Length: 0\r\n\r\n"), &dowse.HostReport{BackOff: true, RetryAfter: 4e9}},
		{"P03 30 years", sends("HTTP/1.1 429 Slow\r\nRetry-After: 999999999\r\nContent-Length: 0\r\n\r\n"), &dowse.HostReport{BackOff: true, RetryAfter: 999999999e9}},
		{"404", sends("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"), nil},
		{"a page", sends(ok200 + "Content-Length: 0\r\n\r\n"), nil},
		{"reset", resets, &dowse.HostReport{BackOff: true}},
		{"H03 no answer", hangs, &dowse.HostReport{BackOff: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			config := Config{}
			if strings.HasPrefix(c.name, "H03") {
				config = hasty
			}
			r := got(t, config, c.send)
			if (r.Host == nil) != (c.want == nil) || c.want != nil && *r.Host != *c.want {
				t.Errorf("host report %+v, want %+v", r.Host, c.want)
			}
		})
	}
	t.Run("no listener", func(t *testing.T) {
		taken, err := net.Dial("tcp", serveRaw(t, hangs).Addr().String()) // its own end: a port that no other process gets
		if err != nil {
			t.Fatal(err)
		}
		defer taken.Close()
		r := newClient(t, Config{}).Get(context.Background(), dowse.URL("http://"+taken.LocalAddr().String()+"/"))
		if r.Outcome != dowse.Temporary || r.Reason != dowse.FailConnect || !r.Host.Down || !r.Host.BackOff {
			t.Errorf("%v %v %+v", r.Outcome, r.Reason, r.Host)
		}
		if strings.Contains(r.Detail, "->") {
			t.Errorf("detail %q contains our own address", r.Detail)
		}
	})
}

// TestMoreThanAnnounced checks that what follows a body is not taken for the next
// answer (H06).
func TestMoreThanAnnounced(t *testing.T) {
	left := make(chan bool, 3)
	s := serveConns(t, func(c net.Conn) {
		defer func() { left <- true }()
		for {
			buf := make([]byte, 4096)
			if _, err := c.Read(buf); err != nil {
				return
			}
			io.WriteString(c, ok200+"Content-Length: 5\r\n\r\nhello"+ok200+"Content-Length: 5\r\n\r\nwrong")
		}
	})
	c := newClient(t, Config{})
	for range 3 {
		r := c.Get(context.Background(), s.url("/"))
		if r.Outcome != dowse.Fetched || string(r.Body) != "hello" {
			t.Errorf("%v %q", r.Outcome, r.Body)
		}
		select {
		case <-left: // long before politeness lets the next request go
		case <-time.After(time.Minute):
			t.Fatal("a connection that carried more than the answer is kept")
		}
	}
}

func TestRedirects(t *testing.T) {
	for _, c := range []struct {
		location string
		want     string // "" for a failure
	}{
		{"/b?x=1#frag", "/b?x=1"},
		{"b", "/b"},
		{"?q", "/page?q"},
		{"http://example.org/x", "http://example.org/x"},
		{"//example.org/x", "http://example.org/x"},
		{"HTTPS://User:Pass@Example.ORG/x", "https://example.org/x"}, // H27
		{"/with spaces", "/with%20spaces"},                           // H15
		{"/\u00fc", "/%C3%BC"},
		{"http://127.0.0.1/in", "http://127.0.0.1/in"}, // H14: a target, but not one that is fetched
		{"", ""}, {" ", ""}, {"?", ""}, {"/page", ""}, // H12, H15
		{"/\xff\xfe", ""}, {"/a\rb", ""}, {"/a\tb", ""}, {"/\x1b[31m", ""},
		{"/" + strings.Repeat("x", 1<<20), ""},
		{"file:///etc/passwd", ""}, {"gopher://h/1", ""}, {"data:text/html,x", ""}, // H13
		{"javascript:alert(1)", ""}, {"ftp://h/x", ""}, {"//", ""}, {"http://", ""}, {"http:///", ""},
		{"http://[::1", ""}, {"mailto:a@b", ""}, {"view-source:http://h/", ""},
	} {
		r := got(t, Config{}, sends("HTTP/1.1 301 Moved\r\nLocation: "+c.location+"\r\nContent-Length: 0\r\n\r\n"))
		checkSound(t, r)
		if c.want == "" {
			if r.Outcome != dowse.Failed || r.Reason != dowse.FailRedirect && r.Reason != dowse.FailProtocol {
				t.Errorf("Location %.40q: %v %v %v", c.location, r.Outcome, r.Reason, r.Location)
			}
			continue
		}
		want := c.want
		if want[0] == '/' {
			want = strings.TrimSuffix(string(r.URL), "/page") + want
		}
		if r.Outcome != dowse.Redirected || string(r.Location) != want {
			t.Errorf("Location %.40q: %v %q (%s), want %q", c.location, r.Outcome, r.Location, r.Detail, want)
		}
	}
	if r := got(t, Config{}, sends("HTTP/1.1 301 Moved\r\nContent-Length: 0\r\n\r\n")); r.Reason != dowse.FailRedirect {
		t.Errorf("no Location: %v %v", r.Outcome, r.Reason)
	}
}

// inside spells the way to this machine in many ways (H14, H26); %s is the port.
var inside = []string{
	"http://127.0.0.1:%s/", "http://127.1:%s/", "http://127.0.1:%s/", "http://2130706433:%s/", "http://0x7f000001:%s/",
	"http://0177.0.0.1:%s/", "http://017700000001:%s/", "http://0x7f.1:%s/", "http://0:%s/", "http://0.0.0.0:%s/",
	"http://localhost:%s/", "http://LOCALHOST.:%s/", "http://a.localhost:%s/", "http://[::1]:%s/", "http://[::]:%s/",
	"http://[::ffff:127.0.0.1]:%s/", "http://[::ffff:7f00:1]:%s/", "http://[64:ff9b::7f00:1]:%s/", "http://[2002:7f00:1::]:%s/",
	"http://127.0.0.1.:%s/", "http://user@127.0.0.1:%s/", "http://\uff11\uff12\uff17.0.0.1:%s/", "http://127\u30020\u30020\u30021:%s/",
	"http://169.254.169.254:%s/latest/meta-data/", "http://[fd00:ec2::254]:%s/", "http://10.0.0.1:%s/", "http://[fe80::1]:%s/",
}

func TestInside(t *testing.T) {
	trap := serveRaw(t, sends(ok200+"Content-Length: 6\r\n\r\nsecret"))
	_, port, _ := net.SplitHostPort(trap.Addr().String())
	c, err := New(Config{connectTimeout: unconnected.connectTimeout, Resolver: "127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, spelling := range inside {
		raw := fmt.Sprintf(spelling, port)
		u, err := weburl.Parse(raw)
		if err != nil {
			continue // no URL, so nothing that could be asked for
		}
		for _, u := range []dowse.URL{u, dowse.URL(raw)} {
			if r := c.Get(context.Background(), u); r.Outcome == dowse.Fetched || u != dowse.URL(raw) && r.Reason != dowse.SkipPrivateIP {
				t.Errorf("%s: %v %v %s", u, r.Outcome, r.Reason, r.Detail)
			}
		}
	}
	if n := trap.conns.Load(); n != 0 {
		t.Errorf("the inside was reached %d times", n)
	}
}

// TestControl checks the last guard alone: the address of the socket.
func TestControl(t *testing.T) {
	d := newDialer(Config{}.withDefaults())
	for address, ok := range map[string]bool{
		"127.0.0.1:80": false, "[::ffff:127.0.0.1]:80": false, "[::1]:80": false, "[fe80::1%eth0]:80": false,
		"93.184.215.14:80": true, "[2606:2800::1]:443": true,
	} {
		if err := d.control(context.Background(), "tcp", address, nil); (err == nil) != ok {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// TestUserinfoIsNotSent covers H27, for URLs too that never were canonical.
func TestUserinfoIsNotSent(t *testing.T) {
	var host, auth string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, auth = r.Host, r.Header.Get("Authorization")
	}))
	defer s.Close()
	u := strings.Replace(s.URL, "http://", "http://user:password@", 1)
	r := newClient(t, Config{}).Get(context.Background(), dowse.URL(u+"/"))
	if host != s.Listener.Addr().String() || auth != "" || bytes.Contains(r.RequestHead, []byte("password")) {
		t.Errorf("asked %q with Authorization %q:\n%s", host, auth, r.RequestHead)
	}
}

var bombText = bytes.Repeat([]byte("boom "), 1<<20)

func gzipped(b []byte) []byte {
	var buf bytes.Buffer
	z, _ := gzip.NewWriterLevel(&buf, 1)
	z.Write(b)
	z.Close()
	return buf.Bytes()
}

func encoded(coding string, b []byte) []byte {
	var buf bytes.Buffer
	var w io.WriteCloser
	switch coding {
	case "gzip":
		return gzipped(b)
	case "gzip, gzip":
		return gzipped(gzipped(b))
	case "deflate":
		w = zlib.NewWriter(&buf)
	case "bare deflate":
		w, _ = flate.NewWriter(&buf, 1)
	case "br":
		w = brotli.NewWriterLevel(&buf, 1)
	case "zstd":
		w, _ = zstd.NewWriter(&buf, zstd.WithEncoderConcurrency(1))
	}
	w.Write(b)
	w.Close()
	return buf.Bytes()
}

var allCodings = []string{"gzip", "gzip, gzip", "deflate", "bare deflate", "br", "zstd"}

func serveCoded(t *testing.T, coding string, body []byte) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Encoding", strings.TrimPrefix(coding, "bare "))
		w.Write(body)
	}))
	t.Cleanup(s.Close)
	return s
}

func TestCodings(t *testing.T) {
	c := newClient(t, Config{})
	for _, coding := range allCodings {
		raw := encoded(coding, []byte(sentence))
		s := serveCoded(t, coding, raw)
		for range 3 { // decoders are used again
			r := c.Get(context.Background(), dowse.URL(s.URL+"/"))
			if r.Outcome != dowse.Fetched || string(r.Body) != sentence || r.Fetch.Truncated || !bytes.Equal(r.RawBody, raw) {
				t.Errorf("%s: %v %s %d bytes", coding, r.Outcome, r.Detail, len(r.Body))
			}
		}
	}
}

func TestDecoded(t *testing.T) {
	for _, coding := range allCodings {
		h := http.Header{"Content-Encoding": {strings.TrimPrefix(coding, "bare ")}}
		if got := Decoded(h, encoded(coding, []byte(sentence)), 100); string(got) != sentence[:100] {
			t.Errorf("%s: %q", coding, got)
		}
	}
	for _, h := range []http.Header{nil, {"Content-Encoding": {"unknown"}}} {
		if got := Decoded(h, []byte(sentence), 100); string(got) != sentence[:100] {
			t.Errorf("%v: %q", h, got)
		}
	}
}

// TestBombs covers H16 to H20.
func TestBombs(t *testing.T) {
	c := newClient(t, Config{MaxBody: 1 << 20})
	for _, coding := range allCodings {
		s := serveCoded(t, coding, encoded(coding, bombText))
		r := c.Get(context.Background(), dowse.URL(s.URL+"/"))
		if r.Outcome != dowse.Fetched || len(r.Body) != 1<<20 || !r.Fetch.Truncated {
			t.Errorf("%s: %v %s %d bytes", coding, r.Outcome, r.Detail, len(r.Body))
		}
	}
}

// TestBrokenCodings covers H21.
func TestBrokenCodings(t *testing.T) {
	c := newClient(t, Config{})
	whole := gzipped([]byte(strings.Repeat(sentence, 200)))
	for _, tt := range []struct {
		name, coding string
		body         []byte
		outcome      dowse.Outcome
		reason       dowse.Reason
		truncated    bool
	}{
		{"cut short", "gzip", whole[:len(whole)-20], dowse.Fetched, "", true},
		{"cut to the header", "gzip", whole[:12], dowse.Failed, dowse.FailEncoding, false},
		{"junk behind", "gzip", append(bytes.Clone(whole), "some more, which is no gzip"...), dowse.Fetched, "", false},
		{"plain text", "gzip", []byte(sentence), dowse.Failed, dowse.FailEncoding, false},
		{"plain text", "br", []byte(sentence), dowse.Failed, dowse.FailEncoding, false},
		{"plain text", "zstd", []byte(sentence), dowse.Failed, dowse.FailEncoding, false},
		{"plain text", "deflate", []byte(sentence), dowse.Failed, dowse.FailEncoding, false},
		{"unknown", "sdch", []byte(sentence), dowse.Failed, dowse.FailEncoding, true},
		{"too many", "gzip, gzip, gzip", gzipped(gzipped(whole)), dowse.Failed, dowse.FailEncoding, true},
		{"identity", "identity", []byte(sentence), dowse.Fetched, "", false},
		{"empty", "gzip", nil, dowse.Failed, dowse.FailEncoding, false},
	} {
		s := serveCoded(t, tt.coding, tt.body)
		r := c.Get(context.Background(), dowse.URL(s.URL+"/"))
		if r.Outcome != tt.outcome || r.Reason != tt.reason || r.Fetch.Truncated != tt.truncated {
			t.Errorf("%s %s: %v %v %s, truncated %v", tt.coding, tt.name, r.Outcome, r.Reason, r.Detail, r.Fetch.Truncated)
		}
		checkSound(t, r)
	}
}

// TestCookieBomb covers H23: megabytes of cookies are received and none is sent.
func TestCookieBomb(t *testing.T) {
	sent := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, values := range r.Header {
			sent = max(sent, len(name)+len(values[0]))
		}
		if r.Header.Get("Cookie") != "" {
			t.Error("a cookie was sent")
		}
		for i := range 300 {
			w.Header().Add("Set-Cookie", fmt.Sprintf("c%d=%s", i, strings.Repeat("x", 4096)))
		}
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, sentence)
	}))
	defer s.Close()
	c := newClient(t, Config{})
	for range 3 {
		if r := c.Get(context.Background(), dowse.URL(s.URL+"/")); r.Outcome != dowse.Fetched {
			t.Errorf("%v %v %s", r.Outcome, r.Reason, r.Detail)
		}
	}
	if sent > 1000 {
		t.Errorf("a request header of %d bytes", sent)
	}
}

// TestTypes covers H24.
func TestTypes(t *testing.T) {
	const page = "<!DOCTYPE html><title>Reefs</title>"
	png := "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
	for _, c := range []struct {
		declared, body string
		want           string // media type of the page; "" for skipped
	}{
		{"text/html", page, "text/html"},
		{"Text/HTML; charset=utf-8", page, "text/html"},
		{"application/xhtml+xml", `<?xml version="1.0"?><html>`, "application/xhtml+xml"},
		{"text/html", "just text", "text/html"},
		{"text/html", "BMW makes cars", "text/html"},
		{"text/html", "<\x00h\x00t\x00m\x00l\x00>\x00", "text/html"}, // UTF-16
		{"text/html", png, ""},
		{"text/html", "%PDF-1.7 ...", ""},
		{"text/html", "\x1f\x8b\x08\x00\x00\x00\x00\x00", ""},
		{"application/octet-stream", page, "text/html"},
		{"application/octet-stream", png, ""},
		{"application/octet-stream", strings.Repeat("\x00\x01", 1<<20), ""},
		{"", page, "text/html"},
		{"", png, ""},
		{"", "plain words", ""},
		{"nonsense", page, "text/html"},
		{strings.Repeat("x", 1<<20), page, "text/html"},
		{"text/xml", `<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml">`, "application/xhtml+xml"},
		{"application/xml", `<?xml version="1.0"?><rss>`, ""},
		{"text/plain", page, ""},
		{"image/png", png, ""},
		{"video/mp4", strings.Repeat("x", 1<<20), ""},
		{"application/json", "{}", ""},
	} {
		answer := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", c.declared, len(c.body), c.body)
		if c.declared == "" {
			answer = strings.Replace(answer, "Content-Type: \r\n", "", 1)
		}
		r := got(t, Config{}, sends(answer))
		checkSound(t, r)
		if c.want == "" {
			if r.Outcome != dowse.Skipped || r.Reason != dowse.SkipTypeMIME {
				t.Errorf("%.30q %.30q: %v %v", c.declared, c.body, r.Outcome, r.Fetch.Type)
			}
			continue
		}
		if r.Outcome != dowse.Fetched || r.Fetch.Type != c.want || string(r.Body) != c.body {
			t.Errorf("%.30q %.30q: %v %v %s", c.declared, c.body, r.Outcome, r.Fetch.Type, r.Detail)
		}
	}
}

// TestBrokenTLS covers H25.
func TestBrokenTLS(t *testing.T) {
	selfSigned := httptest.NewUnstartedServer(http.NotFoundHandler())
	selfSigned.Config.ErrorLog = nil
	selfSigned.StartTLS()
	defer selfSigned.Close()
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	silent := serveConns(t, func(c net.Conn) { hangs(c, "") })
	broken := serveConns(t, func(c net.Conn) { io.WriteString(c, "\x15\x03\x01\x00\x02\x02\x28") })
	for name, c := range map[string]struct {
		addr    string
		outcome dowse.Outcome
		reason  dowse.Reason
	}{
		"self-signed": {selfSigned.Listener.Addr().String(), dowse.Failed, dowse.FailTLS},
		"plain HTTP":  {plain.Listener.Addr().String(), dowse.Failed, dowse.FailTLS},
		"hangs":       {silent.Addr().String(), dowse.Temporary, dowse.FailTimeout},
		"alert":       {broken.Addr().String(), dowse.Failed, dowse.FailTLS},
	} {
		config := Config{}
		if name == "hangs" {
			config = unconnected
		}
		r := newClient(t, config).Get(context.Background(), dowse.URL("https://"+c.addr+"/"))
		if r.Outcome != c.outcome || r.Reason != c.reason {
			t.Errorf("%s: %v %v %s", name, r.Outcome, r.Reason, r.Detail)
		}
		checkSound(t, r)
	}
}

func TestHTTP2(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("X-Proto", r.Proto)
		if r.URL.Path == "/endless" {
			for r.Context().Err() == nil {
				io.WriteString(w, sentence)
			}
		}
		io.WriteString(w, r.RequestURI)
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	roots := s.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	c := newClient(t, Config{tls: &tls.Config{RootCAs: roots}, MaxBody: 100_000})
	r := c.Get(context.Background(), dowse.URL(s.URL+"/a|b?c"))
	if r.Outcome != dowse.Fetched || string(r.Body) != "/a|b?c" || r.Header.Get("X-Proto") != "HTTP/2.0" {
		t.Errorf("%v %s %q over %s", r.Outcome, r.Detail, r.Body, r.Header.Get("X-Proto"))
	}
	if !bytes.HasPrefix(r.ResponseHead, []byte("HTTP/1.1 200 OK\r\n")) {
		t.Errorf("head %q", r.ResponseHead)
	}
	r = c.Get(context.Background(), dowse.URL(s.URL+"/endless"))
	if r.Outcome != dowse.Fetched || !r.Fetch.Truncated || len(r.Body) != 100_000 {
		t.Errorf("endless: %v %s %d bytes", r.Outcome, r.Detail, len(r.Body))
	}
}
