// Package api is the HTTP API of dowse, /api/v1, with its description in OpenAPI, and what a
// machine that runs it needs: health, readiness, version and metrics.
//
// # How the parts fit
//
// [New] returns an [http.Handler] over the operations of a process. Every operation of the API is
// one row of a table (routes.go): method, path, parameters, body, answer, and the function that
// calls package operations. The routing, the checks of parameters and bodies, and the OpenAPI document are all
// made from the table, so they can't differ. The schemas of bodies and answers are made from the
// Go types by package facts, as those of the command line are.
//
// # Conventions
//
// Answers are JSON objects with an ETag. Lists have a limit and a cursor, whose next part is also in
// the header Link. With Accept: application/x-ndjson a list is one object per line. Events are
// server-sent with Accept: text/event-stream, and Last-Event-ID continues behind an event. Errors
// are problem+json (RFC 9457). GET never changes anything. A body must be application/json, which a
// page of another site can't send without asking first.
//
// # What it does not do
//
// It does not listen, and it knows no cookies, hosts or origins: a server around it does, see
// [Options.Authorised].
package api

import (
	"crypto/subtle"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"slices"
	"strings"

	"dowse/crawler"
	"dowse/internal/operations"
)

// Options say how the API is served.
type Options struct {
	// Authorised reports whether a request may use the API, the metrics and the profiles; nil
	// if the server around the handler has checked that. Health, readiness and version are open.
	Authorised func(r *http.Request) bool
	// Profiles serves net/http/pprof, to loopback addresses only.
	Profiles bool
	// Streams is how many event streams may be open at the same time; default 200.
	Streams int
	// Log receives faults of the server; nil for none.
	Log *slog.Logger
}

// Prefix is where the API begins.
const Prefix = "/api/v1"

// A server is the API over one Operations.
type server struct {
	ops     *operations.Operations
	opt     Options
	streams chan struct{}
	openapi []byte
}

// New returns the handler of the API and of /healthz, /readyz, /version and /metrics.
func New(ops *operations.Operations, opt Options) http.Handler {
	if opt.Streams <= 0 {
		opt.Streams = 200
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	s := &server{ops: ops, opt: opt, streams: make(chan struct{}, opt.Streams)}
	s.openapi = document()
	mux := http.NewServeMux()
	methods := map[string][]string{}
	for _, r := range routes {
		mux.Handle(r.method+" "+Prefix+r.path, s.guarded(s.serve(r)))
		methods[Prefix+r.path] = append(methods[Prefix+r.path], r.method)
	}
	for path, list := range methods {
		mux.Handle(path, s.guarded(wrongMethod(list)))
	}
	mux.Handle(Prefix+"/", s.guarded(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		writeProblem(w, problem{Status: http.StatusNotFound, Detail: "there is no such resource; see " + Prefix + "/openapi.json"})
	})))
	mux.HandleFunc("GET /healthz", s.healthz)
	mux.HandleFunc("GET /readyz", s.readyz)
	mux.HandleFunc("GET /version", s.version)
	mux.Handle("GET /metrics", s.guarded(s.metrics()))
	if opt.Profiles {
		s.profiles(mux)
	}
	return mux
}

// Bearer returns an Options.Authorised that asks for a token in the header Authorization.
func Bearer(token string) func(*http.Request) bool {
	return func(r *http.Request) bool {
		scheme, given, ok := strings.Cut(r.Header.Get("Authorization"), " ")
		return ok && token != "" && strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare([]byte(strings.TrimSpace(given)), []byte(token)) == 1
	}
}

// guarded serves a handler to those who may use the API.
func (s *server) guarded(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "private, no-cache")
		if s.opt.Authorised != nil && !s.opt.Authorised(r) {
			w.Header().Set("WWW-Authenticate", `Bearer realm="dowse"`)
			writeProblem(w, problem{Status: http.StatusUnauthorized, Detail: "send the token in the header Authorization: Bearer TOKEN"})
			return
		}
		h.ServeHTTP(w, r)
	})
}

// wrongMethod answers requests with a method that a resource does not have.
func wrongMethod(methods []string) http.Handler {
	if slices.Contains(methods, http.MethodGet) {
		methods = append(slices.Clone(methods), http.MethodHead)
	}
	allow := strings.Join(methods, ", ")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", allow)
		writeProblem(w, problem{Status: http.StatusMethodNotAllowed, Detail: "method: got " + clip(r.Method) + ", want one of " + allow})
	})
}

// healthz reports that the process answers.
func (s *server) healthz(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
}

// readyz reports whether the collections can be listed.
func (s *server) readyz(w http.ResponseWriter, r *http.Request) {
	if _, err := s.ops.Collections(r.Context(), 0); err != nil {
		writeProblem(w, problem{Status: http.StatusServiceUnavailable, Detail: "the collections can't be listed"})
		return
	}
	writeJSON(w, http.StatusOK, map[string]string{"status": "ready"})
}

// version returns the versions of program and API.
func (s *server) version(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]string{"name": "dowse", "version": crawler.Version, "api": "v1"})
}

// profiles serves profiles of this process to requests from this machine.
func (s *server) profiles(mux *http.ServeMux) {
	for path, h := range map[string]http.HandlerFunc{
		"/debug/pprof/": pprof.Index, "/debug/pprof/cmdline": pprof.Cmdline, "/debug/pprof/profile": pprof.Profile,
		"/debug/pprof/symbol": pprof.Symbol, "/debug/pprof/trace": pprof.Trace,
	} {
		mux.Handle("GET "+path, s.guarded(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !isLoopback(r) {
				writeProblem(w, problem{Status: http.StatusForbidden, Detail: "profiles are for this machine only"})
				return
			}
			h(w, r)
		})))
	}
}

// isLoopback reports whether a request comes from this machine.
func isLoopback(r *http.Request) bool {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
