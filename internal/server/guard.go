package server

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
)

// A guard checks each request before a handler sees it.
type guard struct {
	token   string
	cookie  string // name of the cookie; cookies of one host are shared by all its ports
	session string // value of the cookie: made from the token, and not usable as a token
	hosts   []string
	open    []string
	logins  *loginLimit
	codes   codes
	streams *streams
	slots   chan struct{}
	// openSlots are the turns of requests without a token: a monitor has to get an answer while users keep all
	// others busy.
	openSlots chan struct{}
	// fileSlots are the turns of those who read static files and have not logged in: slow readers must not take the
	// turns of users.
	fileSlots chan struct{}
}

// newGuard returns the guard of a server at an address.
func newGuard(token string, at net.Addr, cfg Config) *guard {
	_, port, _ := net.SplitHostPort(at.String())
	mac := hmac.New(sha256.New, []byte(token))
	mac.Write([]byte("session of a browser, v1"))
	g := &guard{
		token: token, cookie: "dowse-" + port, session: base64.RawURLEncoding.EncodeToString(mac.Sum(nil)),
		open: cfg.Open, logins: newLoginLimit(), streams: newStreams(maxStreams), slots: make(chan struct{}, maxRequests), openSlots: make(chan struct{}, maxOpen), fileSlots: make(chan struct{}, maxOpen),
	}
	for _, h := range cfg.Hosts {
		g.hosts = append(g.hosts, strings.ToLower(h))
	}
	return g
}

// policy is the content security policy of every answer: nothing but the server's own scripts, styles
// and data, no frames, no plug-ins, nothing inline.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// secure sets the headers that every answer has, errors included.
func secure(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=(), browsing-topics=()")
	h.Set("Cache-Control", "no-store")
}

// wrap returns a handler that lets only good requests through to next.
func (g *guard) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		secure(w.Header())
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		if len(r.TransferEncoding) > 0 {
			// A proxy that uses Content-Length may take what follows the chunks for a part of the body. It is not read.
			w.Header().Set("Connection", "close")
		}
		switch {
		case !g.knownHost(r.Host):
			refuse(w, r, http.StatusMisdirectedRequest, "unknown host name", "The server is not known under the name in the Host header. Use localhost or its address, or name the host when the server is started.")
		case !knownMethod(r.Method):
			w.Header().Set("Allow", "GET, HEAD, POST, PUT, PATCH, DELETE")
			refuse(w, r, http.StatusMethodNotAllowed, "method not allowed", "")
		case r.ContentLength > hopeless: // it need not be waited for; a smaller one is read up to maxBody, so that its client gets the answer
			w.Header().Set("Connection", "close")
			refuse(w, r, http.StatusRequestEntityTooLarge, "the body is too large", fmt.Sprintf("The body has more than %d bytes.", maxBody))
		case slices.Contains(g.open, r.URL.Path) && !changes(r.Method):
			r.Body = http.NoBody // so that no client can hold it up
			bounded(w, r, next, g.openSlots)
		case strings.HasPrefix(r.URL.Path, "/static/"), slices.Contains(g.open, r.URL.Path):
			slots := g.fileSlots
			if g.hasCookie(r) {
				slots = g.slots
			}
			bounded(w, r, next, slots) // never as a stream, which has no deadline
		case r.URL.Path == "/login":
			g.login(w, r)
		case r.Method == http.MethodGet && r.URL.Query().Has("t"):
			g.enter(w, r)
		default:
			g.admit(w, r, next)
		}
	})
}

// admit calls next if the request has the cookie or the token.
func (g *guard) admit(w http.ResponseWriter, r *http.Request, next http.Handler) {
	scheme, bearer, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	isBearer := strings.EqualFold(scheme, "Bearer") // RFC 9110, 11.1: in upper or lower case
	switch {
	case isBearer && same(strings.TrimSpace(bearer), g.token):
	case isBearer && g.logins.blocked(clientOf(r), time.Now()):
		g.tooMany(w, r)
		return
	case isBearer:
		g.logins.fail(clientOf(r), time.Now())
		g.unknownUser(w, r)
		return
	case !g.hasCookie(r):
		g.unknownUser(w, r)
		return
	}
	if changes(r.Method) && !ownPage(r, isBearer) {
		help := "Send it from the dashboard, or with the token as a bearer token."
		if isBearer {
			help = "Send it without the headers Origin and Sec-Fetch-Site, or from the origin of this server."
		}
		refuse(w, r, http.StatusForbidden, "the change does not come from a page of this server", help)
		return
	}
	if changes(r.Method) {
		// The judge of a large collection is trained for minutes. Without an answer a client would not know whether it was.
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(changeTime)) // a writer without deadlines, as in tests, has none
	}
	g.bounded(w, r, next)
}

// hasCookie reports whether a request comes from a browser that has logged in. A server on another port of this host can add a
// cookie of the same name, for a longer path, which browsers send first; that does not log a user out.
func (g *guard) hasCookie(r *http.Request) bool {
	return slices.ContainsFunc(r.CookiesNamed(g.cookie), func(c *http.Cookie) bool { return same(c.Value, g.session) })
}

// knownMethod reports whether a method is one that handlers may see.
func knownMethod(m string) bool { return m == http.MethodGet || m == http.MethodHead || changes(m) }

// changes reports whether a method may change something.
func changes(m string) bool {
	return slices.Contains([]string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}, m)
}

// ownPage reports whether a change was sent by a page of this server. Browsers name the origin of every
// change; a program that has the token names none. A cookie alone is therefore not enough. Our pages send no
// referrer, so the origin of their forms is "null", as that of a sandboxed frame is; Sec-Fetch-Site, which no
// page can set, distinguishes the two.
func ownPage(r *http.Request, bearer bool) bool {
	site, origin := r.Header.Get("Sec-Fetch-Site"), r.Header.Get("Origin")
	if site != "" && site != "same-origin" {
		return false
	}
	switch origin {
	case "":
		return bearer || site == "same-origin"
	case "null":
		return site == "same-origin"
	}
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && strings.EqualFold(u.Host, r.Host)
}

// knownHost reports whether a server may be addressed by a Host header. Numeric addresses always may:
// an attacker who makes a name of his own point here (DNS rebinding) can't choose them.
func (g *guard) knownHost(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(name, "["), "]"))
	if _, err := netip.ParseAddr(name); err == nil {
		return true
	}
	return name == "localhost" || slices.Contains(g.hosts, name)
}

// bounded calls next within the bounds of size, time and number.
func (g *guard) bounded(w http.ResponseWriter, r *http.Request, next http.Handler) {
	if strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
		g.streams.serve(w, r, next)
		return
	}
	bounded(w, r, next, g.slots)
}

// bounded calls next when one of the slots is free.
func bounded(w http.ResponseWriter, r *http.Request, next http.Handler, slots chan struct{}) {
	wait := time.NewTimer(slotTime)
	defer wait.Stop()
	select {
	case slots <- struct{}{}:
		defer func() { <-slots }()
		next.ServeHTTP(w, r)
	case <-wait.C:
		w.Header().Set("Retry-After", "5")
		refuse(w, r, http.StatusServiceUnavailable, "too many requests are being answered", "Try again in a few seconds.")
	case <-r.Context().Done():
	}
}

// clientOf returns the address of a client without its port.
func clientOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// refuse answers with an error: as a problem object for programs, as plain text for people.
func refuse(w http.ResponseWriter, r *http.Request, code int, title, detail string) {
	if isPage(r) {
		http.Error(w, strings.TrimSpace(title+"\n"+detail), code)
		return
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(struct {
		Type   string `json:"type"`
		Title  string `json:"title"`
		Status int    `json:"status"`
		Detail string `json:"detail,omitempty"`
	}{"about:blank", title, code, detail})
}
