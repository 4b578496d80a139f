// Package server is the door of dowse's web server: it listens, identifies users, and bounds what
// a request may cost. It knows nothing of crawls. The pages and the API behind it are handlers that
// the caller passes in.
//
// # The idea
//
// Whoever reaches a handler has shown the token. The token is a secret of the user in a file that
// only the user can read. A browser shows it once, in the query of a URL or in a form, and gets a
// cookie; a program sends it as a bearer token with each request. Everything else that a browser can
// be made to send by a hostile page is refused before a handler is called: a request under a foreign
// host name (DNS rebinding), and a change that does not come from a page of this server (CSRF).
//
// # How the parts fit
//
// [Listen] checks the configuration and opens the port, [Server.URL] is what to print, and
// [Server.Serve] answers until its context ends. token.go has the secret, guard.go the checks of each
// request, login.go the form and its limits, limits.go the bounds of connections and streams.
//
// # What it must never do
//
// It must never listen on an address that other machines can reach without a token file, never send
// an answer without the headers of [secure], and never write the token to a log.
package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"regexp"
	"strings"
	"sync"
	"time"
)

// A Config says where to listen, who may come in, and what is served.
type Config struct {
	// Listen is an address of the form host:port. The default is 127.0.0.1 and port 7337, or any free
	// port if that one is in use.
	Listen string
	// TokenFile is a file whose content is the token. It is required for an address that other machines
	// can reach. Without it the token is kept in StateDir.
	TokenFile string
	// StateDir is where the token of the user is kept; default a token of this process only.
	StateDir string
	// Hosts are names under which the server may be addressed, besides localhost and numeric addresses.
	Hosts []string

	// Pages answers everything that has no handler of its own. Static answers /static/, also for users
	// that are not logged in.
	Pages, Static http.Handler
	// API answers /api/, /metrics and the health checks. Open lists the paths of it that need no token.
	API  http.Handler
	Open []string
	// Pprof serves the profiles of the process under /debug/pprof/, on a loopback address only.
	Pprof bool
}

// A Server is an open port and the handlers behind it.
type Server struct {
	listener net.Listener
	handler  http.Handler
	guard    *guard
}

// ErrToken is returned for an address that other machines can reach if there is no token file.
var ErrToken = errors.New("other machines can reach this address: a token file is needed")

// ErrPprof is returned for profiles on an address that other machines can reach.
var ErrPprof = errors.New("profiles are served on a loopback address only")

// defaultListen is where a server listens if nothing else is asked for.
const defaultListen = "127.0.0.1:7337"

// Listen opens the port. Nothing is answered before Serve.
func Listen(cfg Config) (*Server, error) {
	free := cfg.Listen == ""
	if free {
		cfg.Listen = defaultListen
	}
	local, err := isLoopback(cfg.Listen)
	if err != nil {
		return nil, err
	}
	if !local && cfg.TokenFile == "" {
		return nil, fmt.Errorf("%s: %w", cfg.Listen, ErrToken)
	}
	if !local && cfg.Pprof {
		return nil, fmt.Errorf("%s: %w", cfg.Listen, ErrPprof)
	}
	for _, host := range cfg.Hosts {
		if !hostOK.MatchString(host) {
			return nil, fmt.Errorf("host %q: want a name as crawls.example.org, without scheme, port and path", host)
		}
	}
	token, err := cfg.token()
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", cfg.Listen)
	if err != nil && free {
		l, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", cfg.Listen, err)
	}
	s := &Server{listener: limitConnections(l, maxConnections)}
	s.guard = newGuard(token, l.Addr(), cfg)
	s.handler = s.guard.wrap(cfg.routes())
	return s, nil
}

// hostOK matches the names that a browser can send as Host.
var hostOK = regexp.MustCompile(`^[a-zA-Z0-9_]([a-zA-Z0-9_-]*[a-zA-Z0-9_])?(\.[a-zA-Z0-9_]([a-zA-Z0-9_-]*[a-zA-Z0-9_])?)*$`)

// isLoopback reports whether only this machine can reach an address. A name other than localhost
// counts as reachable: what it resolves to can change.
func isLoopback(listen string) (bool, error) {
	host, port, err := net.SplitHostPort(listen)
	if err != nil || port == "" {
		return false, fmt.Errorf("address %q: want host:port, as %s", listen, defaultListen)
	}
	if host == "localhost" {
		return true, nil
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback(), nil
}

// routes returns the handlers behind the guard.
func (c *Config) routes() http.Handler {
	mux := http.NewServeMux()
	mount := func(pattern string, h http.Handler) {
		if h != nil {
			mux.Handle(pattern, h)
		}
	}
	mount("/", c.Pages)
	if c.Static != nil {
		mux.Handle("/static/", withoutFolders(c.Static))
	}
	for _, path := range []string{"/api/", "/metrics", "/healthz", "/readyz", "/version"} {
		mount(path, c.API)
	}
	if c.Pprof {
		mux.HandleFunc("/debug/pprof/", pprof.Index)
		mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
		mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
		mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
		mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	}
	return mux
}

// withoutFolders answers the paths of folders as unknown: a handler of files would list them.
func withoutFolders(files http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/") {
			refuse(w, r, http.StatusNotFound, "not found", "")
			return
		}
		files.ServeHTTP(w, r)
	})
}

// Addr returns the address that the server listens on.
func (s *Server) Addr() net.Addr { return s.listener.Addr() }

// Handler returns what answers the requests, with all checks. Tests call it without a port.
func (s *Server) Handler() http.Handler { return s.handler }

// URL returns the address for a browser, with the token. Whoever has it can do everything that the
// server can.
func (s *Server) URL() string { return s.base() + "/?t=" + s.guard.token }

// OpenURL returns an address for a browser that is started by this process. It holds a code that is
// good for one log-in within a minute instead of the token, since arguments of processes can be
// read by other users of the machine.
func (s *Server) OpenURL() string { return s.base() + "/?t=" + s.guard.codes.issue(time.Now()) }

// Token returns the token, for programs that the caller starts.
func (s *Server) Token() string { return s.guard.token }

// base returns the address of the server without a path. An address that means all interfaces is
// shown as localhost.
func (s *Server) base() string {
	host, port, _ := net.SplitHostPort(s.Addr().String())
	if ip, err := netip.ParseAddr(host); err == nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// Times that bound a connection. A stream of events has no end of its own; its handler sets a
// deadline for each write.
const (
	headerTime = 5 * time.Second
	bodyTime   = 30 * time.Second
	writeTime  = time.Minute
	changeTime = time.Hour // in the place of writeTime, for a change by a user
	idleTime   = 2 * time.Minute
	endTime    = 3 * time.Second
	headerSize = 32 << 10
)

// Serve answers requests until ctx ends. Then it refuses new ones, ends streams, and waits a few
// seconds for the requests under way.
func (s *Server) Serve(ctx context.Context) error {
	base, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	h := &http.Server{
		Handler:           s.handler,
		ReadHeaderTimeout: headerTime, ReadTimeout: bodyTime, WriteTimeout: writeTime, IdleTimeout: idleTime,
		MaxHeaderBytes: headerSize,
		BaseContext:    func(net.Listener) context.Context { return base },
		ErrorLog:       quiet(),
	}
	var ended sync.WaitGroup
	ended.Go(func() {
		<-ctx.Done()
		s.guard.streams.end()
		late, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTime)
		defer cancel()
		if h.Shutdown(late) != nil {
			stop()
			_ = h.Close()
		}
	})
	err := h.Serve(s.listener)
	if ctx.Err() != nil && errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	if err == nil {
		ended.Wait()
	}
	return err
}

// Close frees the port of a server that is not served.
func (s *Server) Close() error { return s.listener.Close() }

// isPage reports whether a request comes from a person's browser that wants a page to look at.
func isPage(r *http.Request) bool {
	return !strings.HasPrefix(r.URL.Path, "/api/") && strings.Contains(r.Header.Get("Accept"), "text/html")
}
