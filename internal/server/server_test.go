package server

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// open returns a server on loopback whose pages answer with the method.
func open(t *testing.T, change func(*Config)) *Server {
	t.Helper()
	cfg := Config{
		Listen: "127.0.0.1:0", StateDir: filepath.Join(t.TempDir(), "state"),
		Pages:  http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "page by "+r.Method) }),
		Static: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "style") }),
		API:    http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "api "+r.URL.Path) }),
		Open:   []string{"/healthz"},
	}
	if change != nil {
		change(&cfg)
	}
	s, err := Listen(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// An ask is a request of a test.
type ask struct {
	method, path, host, body string
	head                     map[string]string
	cookie                   bool
}

// do sends a request to a server's handler.
func (a ask) do(s *Server) *httptest.ResponseRecorder {
	r := httptest.NewRequest(orGet(a.method), a.path, strings.NewReader(a.body))
	r.Host = s.Addr().String()
	if a.host != "" {
		r.Host = a.host
	}
	r.Header.Set("Accept", "text/html")
	if a.body != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for k, v := range a.head {
		r.Header.Set(k, v)
	}
	if a.cookie {
		r.AddCookie(&http.Cookie{Name: s.guard.cookie, Value: s.guard.session})
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	return w
}

func orGet(method string) string {
	if method == "" {
		return http.MethodGet
	}
	return method
}

// TestHostNames: a name that no browser can send as Host is refused when the server is opened.
func TestHostNames(t *testing.T) {
	for name, good := range map[string]bool{
		"crawls": true, "Crawls.example.org": true, "a-b.x_y": true, "127.0.0.1": true, "xn--bcher-kva.example": true,
		"": false, "bad host/": false, "http://crawls.example": false, "crawls.example:80": false, "crawls.example/x": false, ".example": false, "a..b": false, "*.example": false, "bücher.example": false,
	} {
		s, err := Listen(Config{Listen: "127.0.0.1:0", StateDir: t.TempDir(), Pages: http.NotFoundHandler(), Hosts: []string{"good.example", name}})
		if err == nil {
			s.Close()
		}
		if (err == nil) != good || !good && !strings.Contains(err.Error(), "without scheme, port and path") {
			t.Errorf("%q: got %v, want it to be accepted: %v", name, err, good)
		}
	}
}

// The attacks that a browser or a program can try, and the answer to each.
func TestWhoMayEnter(t *testing.T) {
	s := open(t, func(c *Config) { c.Hosts = []string{"Crawls.example"} })
	here := "http://" + s.Addr().String()
	bearer := map[string]string{"Authorization": "Bearer " + s.Token()}
	with := func(m map[string]string, kv ...string) map[string]string {
		out := map[string]string{}
		for k, v := range m {
			out[k] = v
		}
		for i := 0; i < len(kv); i += 2 {
			out[kv[i]] = kv[i+1]
		}
		return out
	}
	for _, c := range []struct {
		name string
		ask  ask
		want int
	}{
		{"no cookie", ask{path: "/"}, 401},
		{"cookie", ask{path: "/", cookie: true}, 200},
		{"the token as cookie", ask{path: "/", head: map[string]string{"Cookie": s.guard.cookie + "=" + s.Token()}}, 401},
		{"a cookie of another server before ours", ask{path: "/", head: map[string]string{"Cookie": s.guard.cookie + "=x; " + s.guard.cookie + "=" + s.guard.session}}, 200},
		{"cookies of another server only", ask{path: "/", head: map[string]string{"Cookie": s.guard.cookie + "=x; " + s.guard.cookie + "=y"}}, 401},
		{"bearer", ask{path: "/api/v1/x", head: bearer}, 200},
		{"bearer in lower case", ask{path: "/api/v1/x", head: map[string]string{"Authorization": "bearer " + s.Token()}}, 200},
		{"another scheme", ask{path: "/api/v1/x", head: map[string]string{"Authorization": "Basic " + s.Token()}}, 401},
		{"wrong bearer", ask{path: "/api/v1/x", head: map[string]string{"Authorization": "Bearer x"}}, 401},
		{"the cookie as bearer", ask{path: "/api/v1/x", head: map[string]string{"Authorization": "Bearer " + s.guard.session}}, 401},
		{"static without a token", ask{path: "/static/x.css"}, 200},
		{"health without a token", ask{path: "/healthz"}, 200},
		{"metrics without a token", ask{path: "/metrics"}, 401},
		{"a path that looks like a static one", ask{path: "/x/static/"}, 401},
		{"profiles are off", ask{path: "/debug/pprof/cmdline"}, 401},

		{"rebinding", ask{path: "/", cookie: true, host: "evil.example"}, 421},
		{"rebinding with a port", ask{path: "/", cookie: true, host: "evil.example:7337"}, 421},
		{"rebinding by a name that begins like an address", ask{path: "/", cookie: true, host: "127.0.0.1.evil.example"}, 421},
		{"no host", ask{path: "/", cookie: true, host: " "}, 421},
		{"localhost", ask{path: "/", cookie: true, host: "localhost:9"}, 200},
		{"IPv6", ask{path: "/", cookie: true, host: "[::1]:9"}, 200},
		{"a name that was given", ask{path: "/", cookie: true, host: "crawls.example"}, 200},

		{"change from here", ask{method: "POST", path: "/", cookie: true, head: map[string]string{"Origin": here}}, 200},
		{"change from here, Fetch metadata", ask{method: "POST", path: "/", cookie: true, head: map[string]string{"Origin": here, "Sec-Fetch-Site": "same-origin"}}, 200},
		{"change from another site", ask{method: "POST", path: "/", cookie: true, head: map[string]string{"Origin": "https://evil.example"}}, 403},
		{"change from another port", ask{method: "POST", path: "/", cookie: true, head: map[string]string{"Origin": "http://127.0.0.1:1", "Sec-Fetch-Site": "same-site"}}, 403},
		{"change from a sandbox", ask{method: "POST", path: "/", cookie: true, head: map[string]string{"Origin": "null"}}, 403},
		{"change by a form of ours", ask{method: "POST", path: "/", cookie: true, head: map[string]string{"Origin": "null", "Sec-Fetch-Site": "same-origin"}}, 200},
		{"change from a sandbox in a browser", ask{method: "POST", path: "/", cookie: true, head: map[string]string{"Origin": "null", "Sec-Fetch-Site": "cross-site"}}, 403},
		{"change without origin", ask{method: "POST", path: "/", cookie: true}, 403},
		{"change that lies about one header", ask{method: "POST", path: "/", cookie: true, head: map[string]string{"Origin": here, "Sec-Fetch-Site": "cross-site"}}, 403},
		{"change by a program", ask{method: "POST", path: "/api/v1/x", head: bearer}, 200},
		{"change by a program in a foreign page", ask{method: "POST", path: "/api/v1/x", head: with(bearer, "Origin", "https://evil.example")}, 403},
		{"DELETE from another site", ask{method: "DELETE", path: "/", cookie: true, head: map[string]string{"Origin": "https://evil.example"}}, 403},
		{"an unknown method", ask{method: "PROPFIND", path: "/", cookie: true}, 405},
		{"TRACE", ask{method: "TRACE", path: "/", cookie: true}, 405},
	} {
		w := c.ask.do(s)
		if w.Code != c.want {
			t.Errorf("%s: got %d, want %d: %s", c.name, w.Code, c.want, w.Body)
		}
		if w.Header().Get("Content-Security-Policy") != policy || w.Header().Get("X-Content-Type-Options") != "nosniff" || w.Header().Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: the answer lacks security headers: %v", c.name, w.Header())
		}
		if strings.Contains(w.Body.String(), s.Token()) || strings.Contains(w.Body.String(), s.guard.session) {
			t.Errorf("%s: the answer has the secret", c.name)
		}
	}
}

func TestLogIn(t *testing.T) {
	s := open(t, nil)
	w := ask{path: "/c/x/pages?sort=score&t=" + s.Token()}.do(s)
	if w.Code != 303 || w.Header().Get("Location") != "/c/x/pages?sort=score" {
		t.Fatalf("the token in a URL: got %d to %q", w.Code, w.Header().Get("Location"))
	}
	c := w.Result().Cookies()
	if len(c) != 1 || !c[0].HttpOnly || c[0].SameSite != http.SameSiteStrictMode || c[0].Value != s.guard.session {
		t.Fatalf("cookies: got %v", c)
	}
	here := map[string]string{"Origin": "http://" + s.Addr().String()}
	form := func(token, next string) *httptest.ResponseRecorder {
		return ask{method: "POST", path: "/login", head: here, body: "token=" + token + "&next=" + next}.do(s)
	}
	for next, want := range map[string]string{"/c/x/": "/c/x/", "//evil.example": "/", "https://evil.example": "/", "%2F%5Cevil.example": "/", "": "/", "x": "/"} {
		if w := form(s.Token(), next); w.Code != 303 || w.Header().Get("Location") != want {
			t.Errorf("log-in with next %q: got %d to %q, want %q", next, w.Code, w.Header().Get("Location"), want)
		}
	}
	if w := (ask{method: "POST", path: "/login", head: map[string]string{"Origin": "https://evil.example"}, body: "token=" + s.Token()}).do(s); w.Code != 403 {
		t.Errorf("log-in by a foreign page: got %d", w.Code)
	}
	if w := form("wrong", "/"); w.Code != 401 || len(w.Result().Cookies()) != 0 || !strings.Contains(w.Body.String(), "not the token") {
		t.Errorf("a wrong token: got %d, %v", w.Code, w.Result().Cookies())
	}
}

func TestWrongTokensAreLimited(t *testing.T) {
	s := open(t, nil)
	for i := range maxWrong {
		if w := (ask{path: "/?t=wrong"}).do(s); w.Code != 401 {
			t.Fatalf("try %d: got %d", i, w.Code)
		}
	}
	w := ask{path: "/?t=wrong"}.do(s)
	if w.Code != 429 || w.Header().Get("Retry-After") == "" || len(w.Result().Cookies()) != 0 {
		t.Errorf("a wrong token after %d others: got %d", maxWrong, w.Code)
	}
	bearer := func(token string) *httptest.ResponseRecorder {
		return ask{path: "/api/v1/x", head: map[string]string{"Authorization": "Bearer " + token, "Accept": "*/*"}}.do(s)
	}
	if w := bearer("wrong"); w.Code != 429 || w.Header().Get("Content-Type") != "application/problem+json" {
		t.Errorf("a wrong bearer after wrong tokens: got %d", w.Code)
	}
	// A page of another site can have the browser of the user send wrong tokens: they must not keep the user out.
	if w := bearer(s.Token()); w.Code != 200 {
		t.Errorf("the right bearer after wrong tokens: got %d", w.Code)
	}
	if w := (ask{path: "/?t=" + s.Token()}).do(s); w.Code != 303 || len(w.Result().Cookies()) != 1 {
		t.Errorf("the right token after wrong ones: got %d", w.Code)
	}
	if w := (ask{path: "/", cookie: true}).do(s); w.Code != 200 {
		t.Errorf("a browser that has logged in must not be affected: got %d", w.Code)
	}
	l := newLoginLimit()
	now := time.Unix(1e9, 0)
	for i := range maxWrongAll {
		l.fail(fmt.Sprint(i), now)
	}
	if !l.blocked("another", now) || l.blocked("another", now.Add(loginPause)) {
		t.Error("many clients with wrong tokens must be limited together, for a while")
	}
}

func TestCodesAreGoodOnce(t *testing.T) {
	s := open(t, nil)
	path := strings.TrimPrefix(s.OpenURL(), s.base())
	if strings.Contains(path, s.Token()) {
		t.Fatal("the URL for a started browser has the token")
	}
	if w := (ask{path: path}).do(s); w.Code != 303 {
		t.Errorf("first use: got %d", w.Code)
	}
	if w := (ask{path: path}).do(s); w.Code != 401 {
		t.Errorf("second use: got %d", w.Code)
	}
	now := time.Unix(1e9, 0)
	var c codes
	if code := c.issue(now); c.use(code, now.Add(codeTime+1)) {
		t.Error("an old code was accepted")
	}
}

func TestTokenFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const good = "0123456789-abcdefghijklmnop"
	for _, c := range []struct{ path, want string }{
		{write("good", good+"\n", 0o600), ""},
		{write("open", good, 0o644), "chmod 600"},
		{write("short", "secret", 0o600), "one line of"},
		{write("strange", strings.Repeat("ä", 30), 0o600), "one line of"},
		{write("long", strings.Repeat("a", 600), 0o600), "one line of"},
		{filepath.Join(dir, "none"), "no such file"},
		{dir, "token file"},
	} {
		got, err := readToken(c.path)
		if c.want == "" && (err != nil || got != good) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got %q, %v; want %q", c.path, got, err, c.want)
		}
	}
	a, b := open(t, func(c *Config) { c.StateDir = dir }), open(t, func(c *Config) { c.StateDir = dir })
	if a.Token() != b.Token() {
		t.Error("the token of a user changes")
	}
	info, err := os.Stat(filepath.Join(dir, "serve.token"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file of the token: %v, %v", info, err)
	}
}

func TestWhereToListen(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("0123456789-abcdefghijklmnop"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		cfg  Config
		want string
	}{
		{Config{Listen: "0.0.0.0:0"}, "a token file is needed"},
		{Config{Listen: ":0"}, "a token file is needed"},
		{Config{Listen: "[::]:0"}, "a token file is needed"},
		{Config{Listen: "example.org:0"}, "a token file is needed"},
		{Config{Listen: "7337"}, "want host:port"},
		{Config{Listen: "0.0.0.0:0", TokenFile: file, Pprof: true}, "loopback"},
		{Config{Listen: "0.0.0.0:0", TokenFile: file}, ""},
		{Config{Listen: "localhost:0"}, ""},
	} {
		s, err := Listen(c.cfg)
		if err == nil {
			s.Close()
		}
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got %v, want %q", c.cfg, err, c.want)
		}
	}
}

// The server bounds streams, ends them when it ends, and refuses large bodies and headers.
func TestBounds(t *testing.T) {
	begun := make(chan struct{}, maxStreams+1)
	s := open(t, func(c *Config) {
		c.Pages = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/body" {
				if _, err := io.Copy(io.Discard, r.Body); err != nil {
					w.WriteHeader(413)
				}
				return
			}
			_ = http.NewResponseController(w).Flush()
			begun <- struct{}{}
			<-r.Context().Done()
		})
	})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx) }()
	get := func(path string, head map[string]string, body string) *http.Response {
		method := "GET"
		if body != "" {
			method = "POST"
		}
		r, err := http.NewRequestWithContext(t.Context(), method, s.base()+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+s.Token())
		for k, v := range head {
			r.Header.Set(k, v)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { answer.Body.Close() })
		return answer
	}
	stream := map[string]string{"Accept": "text/event-stream"}
	for range maxStreams {
		if a := get("/", stream, ""); a.StatusCode != 200 {
			t.Fatalf("a stream: got %d", a.StatusCode)
		}
	}
	for range maxStreams {
		<-begun
	}
	if a := get("/", stream, ""); a.StatusCode != 503 {
		t.Errorf("one stream too many: got %d", a.StatusCode)
	}
	if a := get("/body", nil, strings.Repeat("x", maxBody+1)); a.StatusCode != 413 {
		t.Errorf("a large body: got %d", a.StatusCode)
	}
	if a := get("/body", map[string]string{"X": strings.Repeat("x", headerSize+8<<10)}, ""); a.StatusCode != 431 {
		t.Errorf("large headers: got %d", a.StatusCode)
	}
	if got := raw(t, s.Addr(), "GET / HTTP/1.1\r\n\r\n"); !strings.HasPrefix(got, "HTTP/1.1 400") {
		t.Errorf("a request without Host: got %q", got)
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("the end: %v", err)
	}
}

// raw sends bytes and returns the first line of the answer.
func raw(t *testing.T, at net.Addr, text string) string {
	c, err := net.Dial("tcp", at.String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprint(c, text)
	got, _ := bufio.NewReader(c).ReadString('\n')
	return got
}

// TestHealthOfABusyServer checks that the open paths answer while every turn is taken.
func TestHealthOfABusyServer(t *testing.T) {
	s := open(t, nil)
	for range maxRequests {
		s.guard.slots <- struct{}{}
	}
	gone, cancel := context.WithCancel(context.Background())
	cancel() // a request whose client is gone does not wait for its turn
	for path, want := range map[string]bool{"/healthz": true, "/static/x": true, "/page": false} {
		ctx := gone
		if want {
			ctx = context.Background()
		}
		r := httptest.NewRequestWithContext(ctx, "GET", path, nil)
		r.Host = s.Addr().String()
		if path == "/page" {
			r.Header.Set("Authorization", "Bearer "+s.Token())
		}
		w := httptest.NewRecorder()
		s.guard.wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "answered") })).ServeHTTP(w, r)
		if got := w.Body.String() == "answered"; got != want {
			t.Errorf("%s: answered %v, want %v", path, got, want)
		}
	}
}

// TestFilesAreNoStreams checks that whoever has not logged in can't take the places of streams and users with static files:
// these have turns of their own, and are never streams.
func TestFilesAreNoStreams(t *testing.T) {
	s := open(t, nil)
	for range maxStreams {
		s.guard.streams.slots <- struct{}{}
	}
	head := map[string]string{"Accept": "text/event-stream"}
	if w := (ask{path: "/static/x", head: head}).do(s); w.Code != 200 {
		t.Errorf("a file as a stream: got %d", w.Code)
	}
	if w := (ask{path: "/", head: head, cookie: true}).do(s); w.Code != 503 {
		t.Errorf("one stream too many: got %d", w.Code)
	}
}

// TestBodiesThatLie sends requests whose bodies are not what they announce. One that announces too much is answered before it
// comes. What follows the chunks of a request that also has a length is not read as a request.
func TestBodiesThatLie(t *testing.T) {
	s := open(t, nil)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx) }()
	head := "Host: " + s.Addr().String() + "\r\nAuthorization: Bearer " + s.Token() + "\r\n"
	if got := raw(t, s.Addr(), "POST /api/x HTTP/1.1\r\n"+head+"Content-Length: 10000000000\r\n\r\n{"); !strings.HasPrefix(got, "HTTP/1.1 413") {
		t.Errorf("a body of 10 GB that does not come: %q", got)
	}
	c, err := net.Dial("tcp", s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprint(c, "POST /api/x HTTP/1.1\r\n"+head+"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\n"+head+"\r\n")
	got, err := io.ReadAll(c) // until the server closes the connection
	if n := strings.Count(string(got), "HTTP/1.1 "); err != nil || n != 1 {
		t.Errorf("%d answers to one request, %v: %s", n, err, got)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestForeignOrigin checks that a change with the token and a foreign origin is refused with advice other than to send the token.
func TestForeignOrigin(t *testing.T) {
	s := open(t, nil)
	w := ask{method: "POST", path: "/api/v1/x", body: "x", head: map[string]string{"Authorization": "Bearer " + s.guard.token, "Origin": "https://elsewhere.example"}}.do(s)
	if w.Code != http.StatusForbidden || strings.Contains(w.Body.String(), "bearer") || !strings.Contains(w.Body.String(), "Origin") {
		t.Errorf("%d: %s", w.Code, w.Body)
	}
}

// A change may take longer than another answer: the client learns how it ended.
func TestChangesHaveTime(t *testing.T) {
	s := open(t, nil)
	for method, want := range map[string]bool{http.MethodGet: false, http.MethodPost: true, http.MethodPatch: true} {
		r := httptest.NewRequest(method, "/api/v1/x", nil)
		r.Host = s.Addr().String()
		r.Header.Set("Authorization", "Bearer "+s.Token())
		w := &withDeadline{ResponseRecorder: httptest.NewRecorder()}
		s.Handler().ServeHTTP(w, r)
		if got := time.Until(w.deadline) > 10*time.Minute; w.Code != http.StatusOK || got != want {
			t.Errorf("%s: %d, may be answered in ten minutes: got %t, want %t", method, w.Code, got, want)
		}
	}
}

// withDeadline keeps the deadline of an answer.
type withDeadline struct {
	*httptest.ResponseRecorder
	deadline time.Time
}

func (w *withDeadline) SetWriteDeadline(t time.Time) error {
	w.deadline = t
	return nil
}
