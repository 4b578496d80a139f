package demo

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"dowse"
)

// fetch asks for a URL without following redirects.
func fetch(t *testing.T, via http.RoundTripper, u string) (*http.Response, string, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, u, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := via.RoundTrip(r)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp, string(b), err
}

// serve starts a server and returns it with a transport that dials it.
func serve(t *testing.T, w *Web) (*Server, *http.Transport) {
	t.Helper()
	s, err := w.Serve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	via := &http.Transport{DialContext: s.Dial, DisableKeepAlives: true}
	t.Cleanup(func() {
		via.CloseIdleConnections()
		s.Close()
	})
	return s, via
}

func TestServedAndInProcessAreTheSame(t *testing.T) {
	w := New(Config{Latency: -1, SlowLatency: -1})
	_, live := serve(t, w)
	inside := w.RoundTripper()
	urls := []string{
		"http://shorewalks.demo/", "http://kelp.demo/links", "http://kelp.demo/robots.txt", "http://moved.demo/page/3", "http://kelp.demo/old/3",
		"http://oldpages.demo/", "http://weeklypost.demo/sitemap.xml", "http://calendar.demo/2031/05", "http://forum.demo/?PHPSESSID=77", "http://kelp.demo/files/sheet-3.pdf",
	}
	for range 12 {
		urls = append(urls, "http://busytides.demo/")
	}
	for _, u := range urls {
		a, textA, errA := fetch(t, live, u)
		b, textB, errB := fetch(t, inside, u)
		if errA != nil || errB != nil {
			t.Fatalf("%s: %v, %v", u, errA, errB)
		}
		if a.StatusCode != b.StatusCode || textA != textB || a.ContentLength != b.ContentLength {
			t.Errorf("%s: %d and %d, %d and %d bytes", u, a.StatusCode, b.StatusCode, len(textA), len(textB))
		}
		for _, key := range []string{"Content-Type", "Location", "Retry-After"} {
			if a.Header.Get(key) != b.Header.Get(key) {
				t.Errorf("%s: %s %q and %q", u, key, a.Header.Get(key), b.Header.Get(key))
			}
		}
		p, _ := w.Page(dowse.URL(u))
		if a.StatusCode != http.StatusTooManyRequests && string(p.Body) != textA {
			t.Errorf("%s: the page differs from what was served", u)
		}
	}
}

func TestFlakyHostDropsConnections(t *testing.T) {
	w := New(Config{Latency: -1})
	_, live := serve(t, w)
	for name, via := range map[string]http.RoundTripper{"live": live, "in process": w.RoundTripper()} {
		for n := range 2 * flakyEvery {
			_, _, err := fetch(t, via, "http://flaky.demo/")
			if (err != nil) != (n%flakyEvery == flakyAt) {
				t.Errorf("%s, request %d: %v", name, n, err)
			}
			if err != nil && name == "in process" && !errors.Is(err, syscall.ECONNRESET) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestDialGoesNowhereElse(t *testing.T) {
	s, _ := serve(t, small())
	tests := []struct {
		network, address string
		ok               bool
	}{
		{"tcp", "kelp.demo:80", true},
		{"tcp4", "KELP.demo:80", true},
		{"tcp", "kelp.demo:443", false},
		{"udp", "kelp.demo:80", false},
		{"tcp", "nowhere.demo:80", false},
		{"tcp", "example.org:80", false},
		{"tcp", s.Addr().String(), false},
		{"tcp", "kelp.demo", false},
	}
	for _, tt := range tests {
		conn, err := s.Dial(t.Context(), tt.network, tt.address)
		if (err == nil) != tt.ok {
			t.Errorf("dial %s %s: %v", tt.network, tt.address, err)
		}
		if err == nil {
			conn.Close()
		}
	}
	var notFound *net.DNSError
	if _, err := s.Dial(t.Context(), "tcp", "nowhere.demo:80"); !errors.As(err, &notFound) || !notFound.IsNotFound {
		t.Errorf("unknown host: %v", err)
	}
	if _, err := s.Dial(t.Context(), "tcp", "example.org:80"); !errors.Is(err, ErrElsewhere) {
		t.Errorf("elsewhere: %v", err)
	}
}

func TestUnknownHosts(t *testing.T) {
	w := small()
	var notFound *net.DNSError
	for _, u := range []string{"http://nowhere.demo/", "https://kelp.demo/", "http://kelp.demo:8080/"} {
		if _, _, err := fetch(t, w.RoundTripper(), u); !errors.As(err, &notFound) {
			t.Errorf("%s: %v", u, err)
		}
	}
	s, _ := serve(t, w)
	resp, _, err := fetch(t, http.DefaultTransport, "http://"+s.Addr().String()+"/")
	if err != nil || resp.StatusCode != http.StatusMisdirectedRequest {
		t.Errorf("by address: %v, %v", resp, err)
	}
}

func TestHead(t *testing.T) {
	w := New(Config{Latency: -1})
	_, live := serve(t, w)
	for _, via := range []http.RoundTripper{live, w.RoundTripper()} {
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodHead, "http://kelp.demo/", nil)
		resp, err := via.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if len(b) != 0 || resp.ContentLength < 1000 {
			t.Errorf("%d bytes, length %d", len(b), resp.ContentLength)
		}
	}
}

func TestRoundTripperHonoursContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, _ := http.NewRequestWithContext(ctx, http.MethodGet, "http://kelp.demo/", strings.NewReader("x"))
	if _, err := small().RoundTripper().RoundTrip(r); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestServerEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s, err := small().Serve(ctx)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	<-s.done
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := s.Dial(t.Context(), "tcp", "kelp.demo:80"); err == nil {
		t.Error("still listening")
	}
}

// A visitor who goes away does not keep the server waiting.
func TestCloseDoesNotWaitForSlowPages(t *testing.T) {
	w := New(Config{SlowLatency: time.Hour})
	s, err := w.Serve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	conn, err := s.Dial(t.Context(), "tcp", "slow.demo:80")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, "GET / HTTP/1.1\r\nHost: slow.demo\r\n\r\n")
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func BenchmarkRoundTripper(b *testing.B) {
	w := New(Config{})
	via := w.RoundTripper()
	r, _ := http.NewRequest(http.MethodGet, "http://kelp.demo/", nil)
	for b.Loop() {
		resp, err := via.RoundTrip(r)
		if err != nil {
			b.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body)
	}
}
