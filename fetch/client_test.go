package fetch

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dowse"
)

func TestUserAgent(t *testing.T) {
	for _, c := range []struct {
		config   Config
		ua, from string
	}{
		{Config{Agent: "reefbot", Contact: "https://example.org/bot", Version: "0.4"}, "Mozilla/5.0 (compatible; reefbot/1.0; +https://example.org/bot) dowse/0.4", ""},
		{Config{Agent: "reefbot/2.1", Contact: "mailto:me@example.org", Version: "0.4"}, "Mozilla/5.0 (compatible; reefbot/2.1; +mailto:me@example.org) dowse/0.4", "me@example.org"},
		{Config{Contact: "me@example.org"}, "Mozilla/5.0 (compatible; dowse/1.0; +mailto:me@example.org) dowse", "me@example.org"},
		{Config{}, "Mozilla/5.0 (compatible; dowse/1.0) dowse", ""},
	} {
		client := newClient(t, c.config)
		if client.UserAgent() != c.ua || client.header.Get("From") != c.from {
			t.Errorf("%q from %q, want %q from %q", client.UserAgent(), client.header.Get("From"), c.ua, c.from)
		}
	}
	if got := newClient(t, Config{Agent: "reef_bot-x/2.1"}).Agent(); got != "reef_bot-x" {
		t.Errorf("token %q", got)
	}
}

func TestConfigRefused(t *testing.T) {
	for _, c := range []Config{
		{Agent: "reef bot"}, {Agent: "bot2"}, {Agent: "/1.0"}, {Agent: "bot/1)"}, {Agent: "b\r\nX: y"}, {Agent: "bot/\x1b"},
		{Version: "1 (x)"}, {Contact: "call me"}, {Contact: "javascript:x"}, {Contact: "https://"}, {Contact: "https://x/\r\nA: b"},
		{Contact: "mailto:"}, {Resolver: "dns.example"}, {Resolver: "1.2.3.4:x"},
	} {
		if _, err := New(c); err == nil {
			t.Errorf("%+q was taken", []string{c.Agent, c.Version, c.Contact, c.Resolver})
		}
	}
	for _, resolver := range []string{"127.0.0.1", "127.0.0.1:5353", "::1", "[::1]:5353"} {
		if _, err := New(Config{Resolver: resolver}); err != nil {
			t.Error(err)
		}
	}
}

// TestHeads compares the heads that go into the archive with the wire.
func TestHeads(t *testing.T) {
	var asked bytes.Buffer
	s := serveConns(t, func(c net.Conn) {
		buf := make([]byte, 4096)
		n, _ := c.Read(buf)
		asked.Write(buf[:n])
		io.WriteString(c, "HTTP/1.1 200 Very Well\r\nContent-Length: 7\r\nContent-Type: text/html\r\nSet-Cookie: a\r\nSet-Cookie: b\r\n\r\nA page.")
	})
	c := newClient(t, Config{Contact: "me@example.org"})
	r := c.Get(context.Background(), s.url("/a%20b?c=d|e"))
	if string(r.RequestHead) != asked.String() {
		t.Errorf("request head\n%s\nwas sent as\n%s", r.RequestHead, asked.String())
	}
	const head = "HTTP/1.1 200 Very Well\r\nContent-Length: 7\r\nContent-Type: text/html\r\nSet-Cookie: a\r\nSet-Cookie: b\r\n\r\n"
	if string(r.ResponseHead) != head || string(r.RawBody) != "A page." {
		t.Errorf("response head\n%s%s", r.ResponseHead, r.RawBody)
	}
	if f := r.Fetch; f.Status != 200 || f.Bytes != 7 || f.Wire != int64(len(head)+7) || f.At.IsZero() || f.Took <= 0 || f.Address != netip.MustParseAddr("127.0.0.1") {
		t.Errorf("facts %+v", f)
	}
}

func TestHeadIsSafe(t *testing.T) {
	resp := &http.Response{StatusCode: 200, Status: "200 O\r\nK", ProtoMajor: 1, ProtoMinor: 0,
		Header: http.Header{"X": {"a\r\nSet-Cookie: b\x00"}}}
	if got, want := string(responseHead(resp)), "HTTP/1.0 200 O  K\r\nX: a  Set-Cookie: b \r\n\r\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestExactURL checks that servers are asked for the bytes of the URL, also where
// net/url would write it in another way.
func TestExactURL(t *testing.T) {
	var asked string
	s := serveConns(t, func(c net.Conn) {
		buf := make([]byte, 4096)
		n, _ := c.Read(buf)
		asked = strings.Fields(string(buf[:n]))[1]
		io.WriteString(c, ok200+"Connection: close\r\nContent-Length: 0\r\n\r\n")
	})
	c := newClient(t, Config{})
	for _, path := range []string{"/", "/a/b?c", "/a|b", "/%zz", "/a%2Fb", "/?", "/a'b(c)!", "/[x]", "/^`{}", "//double//slash", "/x?y=%zz|"} {
		c.Get(context.Background(), s.url(path))
		if asked != path {
			t.Errorf("asked for %s, want %s", asked, path)
		}
	}
	c.Get(context.Background(), s.url("//x%zz")) // must not be read as a host
	if asked != string(s.url("//x%zz")) {
		t.Errorf("asked for %s", asked)
	}
	c.Get(context.Background(), s.url("/a#b"))
	if asked != "/a" {
		t.Errorf("asked for %s", asked)
	}
	c.Get(context.Background(), s.url(""))
	if asked != "/" {
		t.Errorf("asked for %s", asked)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestTransport(t *testing.T) {
	c := newClient(t, Config{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		if r.URL.Host == "gone.example" {
			return nil, errors.New("not recorded")
		}
		return &http.Response{StatusCode: 200, ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{"Content-Type": {"text/html"}},
			ContentLength: -1, Body: io.NopCloser(strings.NewReader(r.URL.String()))}, nil
	})})
	for _, u := range []dowse.URL{"http://h.example/", "https://h.example/a?b", "http://h.example/a|%zz", "http://h.example//x|"} {
		if r := c.Get(context.Background(), u); r.Outcome != dowse.Fetched || string(r.Body) != string(u) {
			t.Errorf("%s: %v %q", u, r.Outcome, r.Body)
		}
	}
	if r := c.Get(context.Background(), "http://gone.example/"); r.Outcome != dowse.Failed || r.Detail != "not recorded" {
		t.Errorf("%v %q", r.Outcome, r.Detail)
	}
	for _, u := range []dowse.URL{"", "s1", "ftp://h/", "http://", "javascript:x", "http:///x", "http://?"} {
		if r := c.Get(context.Background(), u); r.Outcome != dowse.Failed || r.Reason != dowse.FailProtocol {
			t.Errorf("%q: %v %v", u, r.Outcome, r.Reason)
		}
	}
}

func TestDial(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(page))
	defer s.Close()
	var names []string
	client, err := New(Config{Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
		names = append(names, addr)
		return new(net.Dialer).DialContext(ctx, network, s.Listener.Addr().String())
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if r := client.Get(context.Background(), "http://made.example/"); r.Outcome != dowse.Fetched {
		t.Errorf("%v %s", r.Outcome, r.Detail)
	}
	if r := client.Get(context.Background(), "http://127.0.0.1/"); r.Reason != dowse.SkipPrivateIP {
		t.Errorf("%v %s", r.Outcome, r.Detail)
	}
	if len(names) != 1 || names[0] != "made.example:80" {
		t.Errorf("dialled %q", names)
	}
}

func TestCancelled(t *testing.T) {
	s := serveRaw(t, func(c net.Conn, path string) {
		if path == "/body" {
			io.WriteString(c, ok200+"Content-Length: 100000\r\n\r\n"+sentence)
		}
		hangs(c, path)
	})
	c := newClient(t, Config{})
	for _, path := range []string{"/head", "/body"} {
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		r := c.Get(ctx, s.url(path))
		cancel()
		if r.Outcome != dowse.Temporary || r.Host != nil {
			t.Errorf("%s: %v %s %+v", path, r.Outcome, r.Detail, r.Host)
		}
	}
}

func TestNoProxy(t *testing.T) {
	if newTransport(Config{}.withDefaults()).Proxy != nil {
		t.Error("a proxy is asked for")
	}
}

func TestKeepAlive(t *testing.T) {
	conns := 0
	for range 5 { // net/http itself drops a connection when a busy machine is late
		if conns = connections(t); conns == 1 {
			return
		}
	}
	t.Errorf("%d connections for six requests, want 1", conns)
}

// connections returns how many connections a client makes for six requests.
func connections(t *testing.T) (conns int) {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/png":
			w.Header().Set("Content-Type", "image/png")
		case "/none":
			w.WriteHeader(404)
		case "/moved":
			w.Header().Set("Location", "/")
			w.WriteHeader(301)
		default:
			w.Header().Set("Content-Type", "text/html")
		}
		io.WriteString(w, sentence)
	}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			conns++
		}
	}
	s.Start()
	defer s.Close()
	c := newClient(t, Config{})
	for _, path := range []string{"/", "/png", "/none", "/moved", "/", "/"} {
		c.Get(context.Background(), dowse.URL(s.URL+path))
	}
	c.Close()
	return conns
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 15, 9, 12, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"": 0, "0": 0, "3": 3 * time.Second, " 120 ": 2 * time.Minute, "-5": 0, "3.5": 0, "soon": 0,
		"999999999":                      999999999 * time.Second,
		"9223372036854775807":            maxWait,
		strings.Repeat("9", 10_000):      maxWait,
		"Sun, 15 Nov 2026 09:12:04 GMT":  4 * time.Second,
		"Sunday, 15-Nov-26 09:12:04 GMT": 4 * time.Second,
		"Sun, 15 Nov 2020 09:12:04 GMT":  0,
		"Fri, 31 Dec 9999 23:59:59 GMT":  maxWait,
	} {
		if got := retryAfter(http.Header{"Retry-After": {value}}, now); got != want {
			t.Errorf("Retry-After: %.40s is %v, want %v", value, got, want)
		}
	}
	skewed := http.Header{"Retry-After": {"Sun, 15 Nov 2026 12:00:10 GMT"}, "Date": {"Sun, 15 Nov 2026 12:00:00 GMT"}}
	if got := retryAfter(skewed, now); got != 10*time.Second {
		t.Errorf("by the server's clock it is %v, want 10s", got)
	}
}

func TestClean(t *testing.T) {
	for s, want := range map[string]string{
		"plain": "plain", "a\x1b[31mb\r\nc\x00": "a [31mb  c", "\u202egnp.exe": "gnp.exe", "\xff": "", "ü": "ü",
		strings.Repeat("x", 300): strings.Repeat("x", maxDetail-3) + "…",
	} {
		if got := clean(s); got != want {
			t.Errorf("clean(%q) = %q", s, got)
		}
	}
}

func FuzzRetryAfter(f *testing.F) {
	f.Add("3", "")
	f.Add("Sun, 15 Nov 2026 09:12:04 GMT", "Sun, 15 Nov 2026 09:12:00 GMT")
	f.Add("99999999999999999999", "x")
	f.Fuzz(func(t *testing.T, value, date string) {
		got := retryAfter(http.Header{"Retry-After": {value}, "Date": {date}}, time.Now())
		if got < 0 || got > maxWait {
			t.Errorf("%v", got)
		}
	})
}

func FuzzLocation(f *testing.F) {
	for _, s := range []string{"/a", "//h/", "http://h/ b", "javascript:x", "?", "\xff", "http://u:p@h/#x", "http://127.1/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		const from = "http://h.example/page"
		u, err := location(from, http.Header{"Location": {raw}})
		if err != nil {
			if u != "" {
				t.Errorf("%q with %v", u, err)
			}
			return
		}
		_, authority, rest, ok := split(u)
		if !ok || u == from || strings.Contains(authority, "@") || clean(string(u[:min(len(u), 100)])) != string(u[:min(len(u), 100)]) || rest == "" {
			t.Errorf("Location %q leads to %q", raw, u)
		}
	})
}

func FuzzDecode(f *testing.F) {
	for i, coding := range allCodings[2:] {
		f.Add(uint8(i), encoded(coding, []byte(sentence)))
	}
	c := &codec{}
	names := [...]string{"deflate", "gzip", "br", "zstd"}
	f.Fuzz(func(t *testing.T, which uint8, raw []byte) {
		body, cut, err := c.decode([]string{names[which%4]}, raw, 10_000, anyRoom, anyPile)
		if len(body) > 10_000 || cut != (len(body) == 10_000) && err == nil && len(body) > 10_000 {
			t.Errorf("%d bytes, cut %v", len(body), cut)
		}
		// A decoder that has seen nonsense must still be good for the next body.
		again, _, err := c.decode([]string{"gzip"}, gzipped([]byte("hello")), 100, anyRoom, anyPile)
		if err != nil || string(again) != "hello" {
			t.Errorf("afterwards: %q, %v", again, err)
		}
	})
}

func FuzzSniff(f *testing.F) {
	f.Add("text/html", []byte("<html>"))
	f.Add("", []byte("\x89PNG\r\n\x1a\n"))
	f.Fuzz(func(t *testing.T, declared string, body []byte) {
		h := http.Header{"Content-Type": {declared}}
		found, ok := sniff(mediaType(h), body)
		if ok && !isHTML(found) || found != clean(found) || found != strings.ToLower(found) {
			t.Errorf("%q, %v", found, ok)
		}
	})
}

func BenchmarkGet(b *testing.B) {
	body := []byte("<!DOCTYPE html>" + strings.Repeat("<p>A reef is a ridge of rock, coral or sand. <a href=/x>next</a>\n", 300))
	for name, coding := range map[string]string{"plain": "", "gzip": "gzip"} {
		b.Run(name, func(b *testing.B) {
			out := body
			if coding != "" {
				out = gzipped(body)
			}
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				if coding != "" {
					w.Header().Set("Content-Encoding", coding)
				}
				w.Write(out)
			}))
			defer s.Close()
			c := newClient(b, Config{})
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if r := c.Get(context.Background(), dowse.URL(s.URL+"/page")); len(r.Body) != len(body) {
					b.Fatal(r.Outcome, r.Detail)
				}
			}
			c.Close()
		})
	}
}

// TestOneRequest checks that a connection which breaks after the request does not
// make net/http ask a second time by itself: the crawl decides when to ask again.
func TestOneRequest(t *testing.T) {
	var asked atomic.Int32
	s := serveConns(t, func(c net.Conn) {
		buf := make([]byte, 4096)
		for first := true; ; first = false {
			if _, err := c.Read(buf); err != nil {
				return
			}
			asked.Add(1)
			if !first {
				return // with no answer
			}
			io.WriteString(c, ok200+"Content-Length: 5\r\n\r\nhello")
		}
	})
	c := newClient(t, Config{})
	if r := c.Get(context.Background(), s.url("/")); r.Outcome != dowse.Fetched {
		t.Fatal(r.Outcome, r.Detail)
	}
	r := c.Get(context.Background(), s.url("/"))
	if r.Outcome != dowse.Temporary || r.Reason != dowse.FailConnect || !r.Host.BackOff {
		t.Errorf("%v %v %s %+v", r.Outcome, r.Reason, r.Detail, r.Host)
	}
	if n := asked.Load(); n != 2 {
		t.Errorf("%d requests for two calls", n)
	}
}
