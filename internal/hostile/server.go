package hostile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// inside are the addresses that represent the inside of a network. They listen
// on the same port as the sites, so that only the crawler's own care keeps it
// away.
var inside = []netip.Addr{
	netip.AddrFrom4([4]byte{127, 0, 0, 1}),
	netip.AddrFrom4([4]byte{127, 66, 0, 1}),
	netip.IPv6Loopback(),
}

// A Server serves all rows, each on an address and under a name of its own. Its methods may
// be called concurrently with the crawl.
type Server struct {
	Sites []*Site

	names  *nameServer
	port   int
	bombs  []bomb
	ctx    context.Context
	cancel context.CancelFunc
	done   sync.WaitGroup
	conns  atomic.Int64

	authority func() *authority // made when it is first asked for

	mu      sync.Mutex
	servers []*http.Server
	closers []io.Closer
	reached []string // connections to the inside
}

// Serve starts a server of these rows. It runs until Close.
func Serve(rows []Row) (*Server, error) {
	s := &Server{authority: sync.OnceValue(newAuthority)}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	if err := s.start(rows); err != nil {
		s.Close()
		return nil, fmt.Errorf("hostile: serve: %w", err)
	}
	return s, nil
}

// start opens the name server, claims the addresses, opens the rows and begins to serve. No
// request is answered before all bombs are made.
func (s *Server) start(rows []Row) (err error) {
	if s.names, err = newNameServer(); err != nil {
		return err
	}
	s.closers = append(s.closers, s.names.conn)
	listeners, err := s.claim(len(rows))
	if err != nil {
		return err
	}
	for i := range listeners {
		site := newSite(rows[i], s, siteAddr(i), s.port)
		s.names.point(site.Host, site.Addr)
		s.Sites = append(s.Sites, site)
	}
	s.makeBombs()
	for i, l := range listeners {
		s.serve(l, s.Sites[i])
	}
	s.done.Go(s.names.serve)
	return nil
}

// makeBombs makes all bombs, concurrently.
func (s *Server) makeBombs() {
	var all sync.WaitGroup
	for _, b := range s.bombs {
		all.Go(func() { b() })
	}
	all.Wait()
}

// siteAddr returns the address of the i-th site. On Linux all of 127.0.0.0/8 is loopback,
// without any set-up.
func siteAddr(i int) netip.Addr {
	return netip.AddrFrom4([4]byte{127, 7, byte(i + 1), 1})
}

// portTries is how often a port is tried: one may be free on one address and not on
// another.
const portTries = 20 // a port may be free on one address and not on another

// claim finds a port that is free on the inside and on n sites, and listens on it. Another
// program may hold a port on one of the addresses, so that several are tried.
func (s *Server) claim(n int) ([]net.Listener, error) {
	var errs []error
	for range portTries {
		list, err := s.claimPort(n)
		if err == nil {
			return list, nil
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}

// claimPort listens on one port of the inside and of n sites, or on none. All share a port,
// so that a URL of a site with another host leads to the inside.
func (s *Server) claimPort(n int) (sites []net.Listener, err error) {
	var traps []net.Listener
	s.port = 0
	for _, a := range inside {
		l, err := listenTCP(a, s.port)
		if err != nil && a.Is6() {
			continue // a machine without IPv6
		}
		if err != nil {
			closeAll(traps)
			return nil, err
		}
		s.port = l.Addr().(*net.TCPAddr).Port
		traps = append(traps, l)
	}
	for i := range n {
		l, err := listenTCP(siteAddr(i), s.port)
		if err != nil {
			closeAll(append(traps, sites...))
			return nil, err
		}
		sites = append(sites, l)
	}
	for _, l := range traps {
		s.guard(l)
	}
	return sites, nil
}

// listenTCP listens on a port of an address; 0 means any free port.
func listenTCP(a netip.Addr, port int) (net.Listener, error) {
	return net.Listen("tcp", netip.AddrPortFrom(a, uint16(port)).String())
}

// closeAll closes listeners that could not all be opened.
func closeAll(list []net.Listener) {
	for _, l := range list {
		l.Close()
	}
}

// serve lets a site answer on a listener.
func (s *Server) serve(l net.Listener, site *Site) {
	h := &http.Server{
		Handler: site, ReadHeaderTimeout: 30 * time.Second,
		ErrorLog:    log.New(io.Discard, "", 0),
		BaseContext: func(net.Listener) context.Context { return s.ctx },
		ConnState: func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				s.conns.Add(1)
			}
		},
	}
	s.mu.Lock()
	s.servers = append(s.servers, h)
	s.mu.Unlock()
	s.done.Go(func() { h.Serve(l) })
}

// guard counts the connections to an address that must not be reached. It answers, so that
// a crawler that comes here takes a secret home, which is found in its files.
func (s *Server) guard(l net.Listener) {
	s.accept(l, func(c net.Conn) {
		s.mu.Lock()
		s.reached = append(s.reached, c.LocalAddr().String())
		s.mu.Unlock()
		finish(c, whole("HTTP/1.1 200 OK", "Content-Type: text/html\r\n", "<title>inside</title><p>"+secret))
	})
}

// secret is what the inside would reveal.
const secret = "the-crown-jewels-of-the-inner-network"

// listen serves connections on some port of an address, outside the HTTP server: for TLS,
// for HTTP/2 and for what is neither.
func (s *Server) listen(a netip.Addr, serve func(net.Conn)) (port int) {
	l, err := listenTCP(a, 0)
	if err != nil {
		panic("hostile: no free port on " + a.String() + ": " + err.Error())
	}
	s.accept(l, serve)
	return l.Addr().(*net.TCPAddr).Port
}

// accept serves each connection of a listener in a goroutine, until the server is closed.
func (s *Server) accept(l net.Listener, serve func(net.Conn)) {
	s.mu.Lock()
	s.closers = append(s.closers, l)
	s.mu.Unlock()
	s.done.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s.conns.Add(1)
			s.done.Go(func() {
				defer c.Close()
				defer context.AfterFunc(s.ctx, func() { c.Close() })()
				serve(c)
			})
		}
	})
}

// Close ends the server and waits for all of its goroutines.
func (s *Server) Close() {
	s.cancel()
	s.mu.Lock()
	servers, closers := s.servers, s.closers
	s.mu.Unlock()
	for _, h := range servers {
		h.Close()
	}
	for _, c := range closers {
		c.Close()
	}
	s.done.Wait()
}

// Resolver returns the address of the name server.
func (s *Server) Resolver() string { return s.names.conn.LocalAddr().String() }

// Networks returns the addresses of the sites, as networks that may be dialled.
func (s *Server) Networks() (list []string) {
	for _, site := range s.Sites {
		list = append(list, netip.PrefixFrom(site.Addr, 32).String())
	}
	return list
}

// Seeds returns the homepages of all sites.
func (s *Server) Seeds() (list []string) {
	for _, site := range s.Sites {
		list = append(list, site.URL("/"))
	}
	return list
}

// Connections returns the number of connections, to any address.
func (s *Server) Connections() int { return int(s.conns.Load()) }

// Reached returns the addresses of the inside to which a connection was made;
// it should be empty.
func (s *Server) Reached() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.reached...)
}

// insideURLs returns URLs of the inside in many spellings; each has a path of
// its own below prefix.
func (s *Site) insideURLs(prefix string) (list []string) {
	for i, host := range []string{
		"127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0177.0.0.1", "017700000001", "0x7f.1", "0", "0.0.0.0",
		"localhost", "LOCALHOST.", "a.localhost", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "127.0.0.1.",
		"\uff11\uff12\uff17.0.0.1", "127\u30020\u30020\u30021", "user@127.0.0.1", "127.66.0.1",
	} {
		list = append(list, "http://"+host+":"+strconv.Itoa(s.port)+prefix+strconv.Itoa(i))
	}
	return list
}
