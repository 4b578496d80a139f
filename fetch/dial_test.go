package fetch

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"dowse"
)

// A nameServer answers DNS questions on loopback from a table of its own.
type nameServer struct {
	net.PacketConn
	mu    sync.Mutex
	asked map[string]int
	// answer returns the records of a name, the n-th time it is asked for: addresses, or
	// one of the words "servfail", "nxdomain", "nothing" and "loop".
	answer func(name string, n int) []string
}

func serveNames(t *testing.T, answer func(name string, n int) []string) *nameServer {
	t.Helper()
	p, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &nameServer{PacketConn: p, asked: map[string]int{}, answer: answer}
	done := make(chan struct{})
	go func() { defer close(done); s.serve() }()
	t.Cleanup(func() { p.Close(); <-done })
	return s
}

func (s *nameServer) serve() {
	buf := make([]byte, 4096)
	for {
		n, from, err := s.ReadFrom(buf)
		if err != nil {
			return
		}
		var m dnsmessage.Message
		if m.Unpack(buf[:n]) != nil || len(m.Questions) != 1 {
			continue
		}
		if out := s.reply(m); out != nil {
			s.WriteTo(out, from)
		}
	}
}

func (s *nameServer) reply(m dnsmessage.Message) []byte {
	q := m.Questions[0]
	name := strings.TrimSuffix(q.Name.String(), ".")
	s.mu.Lock()
	n := s.asked[name+q.Type.String()]
	s.asked[name+q.Type.String()]++
	s.mu.Unlock()
	m.Response, m.Additionals = true, nil
	for _, a := range s.answer(name, n) {
		header := dnsmessage.ResourceHeader{Name: q.Name, Class: dnsmessage.ClassINET, TTL: 0}
		switch a {
		case "nothing":
			return nil
		case "servfail":
			m.RCode = dnsmessage.RCodeServerFailure
			continue
		case "nxdomain":
			m.RCode = dnsmessage.RCodeNameError
			continue
		case "loop":
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.CNAMEResource{CNAME: q.Name}})
			continue
		}
		addr := netip.MustParseAddr(a)
		switch {
		case addr.Is4() && q.Type == dnsmessage.TypeA:
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AResource{A: addr.As4()}})
		case addr.Is6() && q.Type == dnsmessage.TypeAAAA:
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AAAAResource{AAAA: addr.As16()}})
		}
	}
	out, err := m.Pack()
	if err != nil {
		panic(err)
	}
	return out
}

// serveAt starts a server that counts its requests on an address of loopback.
func serveAt(t *testing.T, addr string, handler http.Handler) *httptest.Server {
	t.Helper()
	l, err := net.Listen("tcp", addr)
	if err != nil {
		t.Skipf("no address %s here: %v", addr, err)
	}
	s := &httptest.Server{Listener: l, Config: &http.Server{Handler: handler}}
	s.Start()
	t.Cleanup(s.Close)
	return s
}

func page(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html")
	w.Header().Set("Connection", "close")
	io.WriteString(w, sentence)
}

// TestNames covers D01 to D03: 127.5.0.1 is the public web, 127.0.0.1 for
// the inside.
func TestNames(t *testing.T) {
	public := serveAt(t, "127.5.0.1:0", http.HandlerFunc(page))
	_, port, _ := net.SplitHostPort(public.Listener.Addr().String())
	trapped := 0
	serveAt(t, "127.0.0.1:"+port, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { trapped++ }))
	names := serveNames(t, func(name string, n int) []string {
		switch name {
		case "rebind.example":
			if n == 0 {
				return []string{"127.5.0.1"}
			}
			return []string{"127.0.0.1"}
		case "mixed.example":
			return []string{"127.5.0.1", "127.0.0.1"}
		case "nat64.example":
			return []string{"127.5.0.1", "64:ff9b::7f05:1"}
		case "loopback4.example":
			return []string{"127.0.0.1"}
		case "loopback6.example":
			return []string{"::1"}
		case "zero.example":
			return []string{"0.0.0.0"}
		case "mapped.example":
			return []string{"::ffff:127.0.0.1"}
		case "good.example":
			return []string{"127.5.0.1"}
		}
		return []string{strings.TrimSuffix(name, ".example")}
	})
	config := Config{AllowNet: []netip.Prefix{netip.MustParsePrefix("127.5.0.0/16")}, Resolver: names.LocalAddr().String()}
	patient := newClient(t, config)
	config.connectTimeout = unconnected.connectTimeout
	hurried := newClient(t, config)
	for _, tt := range []struct {
		name    string
		outcome dowse.Outcome
		reason  dowse.Reason
	}{
		{"good", dowse.Fetched, ""},
		{"nat64", dowse.Fetched, ""},
		{"rebind", dowse.Fetched, ""},
		{"rebind", dowse.Skipped, dowse.SkipPrivateIP},
		{"mixed", dowse.Skipped, dowse.SkipPrivateIP},
		{"loopback4", dowse.Skipped, dowse.SkipPrivateIP},
		{"loopback6", dowse.Skipped, dowse.SkipPrivateIP},
		{"zero", dowse.Skipped, dowse.SkipPrivateIP},
		{"mapped", dowse.Skipped, dowse.SkipPrivateIP},
		{"servfail", dowse.Temporary, dowse.FailDNS},
		{"nxdomain", dowse.Failed, dowse.FailDNS},
		{"nothing", dowse.Temporary, dowse.FailDNS},
		{"loop", dowse.Failed, dowse.FailDNS},
	} {
		c := patient
		if tt.name == "nothing" {
			c = hurried
		}
		r := c.Get(context.Background(), dowse.URL("http://"+tt.name+".example:"+port+"/"))
		if r.Outcome != tt.outcome || r.Reason != tt.reason {
			t.Errorf("%s: %v %v %s", tt.name, r.Outcome, r.Reason, r.Detail)
		}
		if r.Outcome == dowse.Fetched && r.Fetch.Address != netip.MustParseAddr("127.5.0.1") {
			t.Errorf("%s: answered by %v", tt.name, r.Fetch.Address)
		}
		if r.Reason == dowse.FailDNS && (r.Host == nil || !r.Host.Down) {
			t.Errorf("%s: host %+v", tt.name, r.Host)
		}
		checkSound(t, r)
	}
	if trapped != 0 {
		t.Errorf("the inside was reached %d times", trapped)
	}
}

// TestOnlyAllowed checks that even public addresses can be out of bounds.
func TestOnlyAllowed(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(page))
	defer s.Close()
	names := serveNames(t, func(string, int) []string { return []string{"93.184.215.14"} })
	c := newClient(t, Config{OnlyAllowed: true, Resolver: names.LocalAddr().String()})
	if r := c.Get(context.Background(), dowse.URL(s.URL+"/")); r.Outcome != dowse.Fetched {
		t.Errorf("%v %s", r.Outcome, r.Detail)
	}
	for u, detail := range map[dowse.URL]string{
		"http://93.184.215.14/": "93.184.215.14 is not in an allowed network",
		"http://h.example/":     "h.example is at 93.184.215.14, which is not in an allowed network",
		"http://10.0.0.1/":      "10.0.0.1 is not a public address",
	} {
		if r := c.Get(context.Background(), u); r.Reason != dowse.SkipPrivateIP || r.Detail != detail {
			t.Errorf("%s: %v %q, want %q", u, r.Outcome, r.Detail, detail)
		}
	}
}

// TestOtherAddress checks that a dead address does not hide a live one.
func TestOtherAddress(t *testing.T) {
	s := serveAt(t, "127.5.0.2:0", http.HandlerFunc(page))
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	names := serveNames(t, func(string, int) []string { return []string{"127.5.0.3", "127.5.0.2"} })
	c := newClient(t, Config{Resolver: names.LocalAddr().String()})
	if r := c.Get(context.Background(), dowse.URL("http://two.example:"+port+"/")); r.Outcome != dowse.Fetched {
		t.Errorf("%v %v %s", r.Outcome, r.Reason, r.Detail)
	}
}

// TestSilentNameServer asks for a page while the name server does not answer, and waits less long for the page than for
// a name. The name server is at fault, not the host.
func TestSilentNameServer(t *testing.T) {
	silent, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	c := newClient(t, Config{Resolver: silent.LocalAddr().String()})
	ctx := WithPatience(t.Context(), 100*time.Millisecond)
	_, hops := c.Robots(ctx, "http://reefs.example/")
	for _, r := range append(hops, c.Get(ctx, "http://reefs.example/")) {
		if want := "no address for reefs.example: no answer within 100ms"; r.Outcome != dowse.Temporary || r.Reason != dowse.FailDNS || r.Detail != want {
			t.Errorf("%s: %v, %s, %q; want a temporary %s, %q", r.URL, r.Outcome, r.Reason, r.Detail, dowse.FailDNS, want)
		}
	}
	// A host that was found and does not answer is at fault itself.
	mute := serveRaw(t, func(net.Conn, string) { <-t.Context().Done() })
	names := serveNames(t, func(string, int) []string { return []string{"127.0.0.1"} })
	c = newClient(t, Config{Resolver: names.LocalAddr().String(), AllowNet: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	_, port, _ := net.SplitHostPort(mute.Addr().String())
	if r := c.Get(ctx, dowse.URL("http://reefs.example:"+port+"/")); r.Reason != dowse.FailTimeout {
		t.Errorf("a mute host: %v, %s, %q; want %s", r.Outcome, r.Reason, r.Detail, dowse.FailTimeout)
	}
}
