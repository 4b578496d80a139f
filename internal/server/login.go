package server

import (
	_ "embed"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

//go:embed login.html
var loginHTML string

var loginPage = template.Must(template.New("login").Parse(loginHTML))

// A loginView is what the form shows.
type loginView struct {
	Next    string // where the browser goes afterwards
	Problem string
	Inside  bool // the browser has logged in already
}

// login shows the form, or logs a browser in with the token of the form.
func (g *guard) login(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		g.form(w, http.StatusOK, loginView{Next: localPath(r.URL.Query().Get("next")), Inside: g.hasCookie(r)})
	case http.MethodPost:
		if !ownPage(r, false) {
			refuse(w, r, http.StatusForbidden, "the log-in does not come from a page of this server", "")
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		g.try(w, r, strings.TrimSpace(r.PostFormValue("token")), localPath(r.PostFormValue("next")))
	default:
		refuse(w, r, http.StatusMethodNotAllowed, "method not allowed", "")
	}
}

// enter logs a browser in that has the token in the query of a URL. The answer is a redirect to the
// same page without it, so that the token is not in the history of the browser.
func (g *guard) enter(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	token := q.Get("t")
	q.Del("t")
	next := url.URL{Path: r.URL.Path, RawQuery: q.Encode()}
	g.try(w, r, token, localPath(next.String()))
}

// try logs a browser in if the token is right. The right token is accepted however many wrong ones came before it:
// a page of another site can have the browser send wrong ones, under the address of the user.
func (g *guard) try(w http.ResponseWriter, r *http.Request, token, next string) {
	now, client := time.Now(), clientOf(r)
	if !same(token, g.token) && !g.codes.use(token, now) {
		if g.logins.blocked(client, now) {
			g.tooMany(w, r)
			return
		}
		g.logins.fail(client, now)
		g.form(w, http.StatusUnauthorized, loginView{Next: next, Problem: "This is not the token. Copy the address that the server printed, with everything after the question mark."})
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name: g.cookie, Value: g.session, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil,
		MaxAge: int((30 * 24 * time.Hour).Seconds()),
	})
	http.Redirect(w, r, next, http.StatusSeeOther)
}

// localPath returns a path of this server to go to, / for anything else. A browser takes // and /\
// for the beginning of another server's name.
func localPath(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.ContainsAny(next, "\\\r\n\t") {
		return "/"
	}
	return next
}

// unknownUser answers a request without cookie and token: with the form for a browser.
func (g *guard) unknownUser(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("WWW-Authenticate", `Bearer realm="dowse"`)
	if isPage(r) && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		g.form(w, http.StatusUnauthorized, loginView{Next: localPath(r.URL.RequestURI())})
		return
	}
	refuse(w, r, http.StatusUnauthorized, "not logged in", "Send the token in the header: Authorization: Bearer TOKEN.")
}

// tooMany answers a client that was wrong too often.
func (g *guard) tooMany(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Retry-After", strconv.Itoa(int(loginPause.Seconds())))
	if isPage(r) {
		g.form(w, http.StatusTooManyRequests, loginView{Next: "/", Problem: "Too many wrong tokens. Wait half a minute, then try again."})
		return
	}
	refuse(w, r, http.StatusTooManyRequests, "too many wrong tokens", "Wait half a minute, then try again.")
}

// form shows the form.
func (g *guard) form(w http.ResponseWriter, code int, v loginView) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(code)
	_ = loginPage.Execute(w, v)
}

// Bounds of failed log-ins: a client may be wrong maxWrong times within loginPause, and all clients
// together maxWrongAll times. Beyond it they are not answered with the form. That bounds what guessing costs this server; it
// is the length of the token that makes guessing hopeless.
const (
	loginPause  = 30 * time.Second
	maxWrong    = 5
	maxWrongAll = 50
)

// A loginLimit counts wrong tokens by client. It forgets everything after loginPause, so it holds at
// most maxWrongAll clients.
type loginLimit struct {
	mu    sync.Mutex
	begun time.Time
	wrong map[string]int
	all   int
}

func newLoginLimit() *loginLimit { return &loginLimit{wrong: map[string]int{}} }

// blocked reports whether a client has to wait before it may try again.
func (l *loginLimit) blocked(client string, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.age(now)
	return l.wrong[client] >= maxWrong || l.all >= maxWrongAll
}

// fail records a wrong token.
func (l *loginLimit) fail(client string, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.age(now)
	if l.all == 0 {
		l.begun = now
	}
	l.wrong[client]++
	l.all++
}

// age forgets failures that are older than the pause.
func (l *loginLimit) age(now time.Time) {
	if now.Sub(l.begun) >= loginPause {
		clear(l.wrong)
		l.all = 0
	}
}
