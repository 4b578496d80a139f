package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// A loudBuffer is a buffer that another goroutine may read while it is written.
type loudBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *loudBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *loudBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

var dashboardLine = regexp.MustCompile(`dashboard: (http://127\.0\.0\.1:\d+)/\?t=(\S+)`)

// serving runs a command with a dashboard in the background and returns its address and token. The returned function
// ends it and returns the exit code.
func serving(t *testing.T, args ...string) (base, token string, end func() int) {
	t.Helper()
	home := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	out, errs := &loudBuffer{}, &loudBuffer{}
	w := &world{out: out, err: errs, in: strings.NewReader(""), ctx: ctx, abort: context.Background(), env: func(name string) string {
		return map[string]string{"HOME": home, "XDG_STATE_HOME": filepath.Join(home, "state")}[name]
	}}
	code := make(chan int, 1)
	go func() { code <- run(w, args) }()
	for late := time.Now().Add(time.Minute); base == ""; time.Sleep(20 * time.Millisecond) {
		if m := dashboardLine.FindStringSubmatch(errs.String()); m != nil {
			base, token = m[1], m[2]
		}
		select {
		case c := <-code:
			t.Fatalf("exit %d: %s", c, errs)
		default:
		}
		if time.Now().After(late) {
			t.Fatalf("no address: %s", errs)
		}
	}
	if out.String() != "" {
		t.Errorf("stdout: %q", out)
	}
	if info, err := os.Stat(filepath.Join(home, "state", "dowse", "serve.token")); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("the file of the token: %v, %v", info, err)
	}
	return base, token, func() int { cancel(); return <-code }
}

// answer returns the status and the body of a page.
func answer(t *testing.T, url, token string) (int, string) {
	t.Helper()
	r, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	body, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	return a.StatusCode, string(body)
}

// The server shows the collections of a folder to whoever has the token, and to no one else, and ends when it is
// interrupted.
func TestServe(t *testing.T) {
	dir := t.TempDir()
	if code, _, errs := capture(t, "demo", "-q", "-n", "25", "-o", filepath.Join(dir, "pools.dowse")); code != 0 {
		t.Fatal(errs)
	}
	base, token, end := serving(t, "serve", dir, "--listen", "127.0.0.1:0")
	for path, want := range map[string]string{"/": "pools", "/c/pools/": "Harvest", "/api/v1/crawls": "pools", "/metrics": "dowse_build_info", "/healthz": ""} {
		if code, body := answer(t, base+path, token); code != 200 || !strings.Contains(body, want) {
			t.Errorf("%s: got %d, want %q", path, code, want)
		}
		want := 401
		if path == "/healthz" {
			want = 200
		}
		if code, _ := answer(t, base+path, ""); code != want {
			t.Errorf("%s without a token: got %d, want %d", path, code, want)
		}
	}
	if code := end(); code != exitOK {
		t.Errorf("exit %d", code)
	}
}

// A crawl shows itself, and its dashboard ends with it where no person watches.
func TestServeWithACrawl(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pools.dowse")
	base, token, end := serving(t, "demo", "-n", "400", "-o", dir, "--serve=127.0.0.1:0")
	if code, body := answer(t, base+"/c/pools/", token); code != 200 || !strings.Contains(body, "tide-pools") {
		t.Errorf("got %d", code)
	}
	if code := end(); code != exitOK && code != exitInterrupted {
		t.Errorf("exit %d", code)
	}
	if _, err := http.Get(base); err == nil {
		t.Error("the dashboard answers after the crawl has ended")
	}
}

func TestServeRefuses(t *testing.T) {
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("too-short"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"give --token-file": {"serve", "--listen", "0.0.0.0:0"},
		"want host:port":    {"serve", "--listen", "7337"},
		"one line of":       {"serve", "--listen", "0.0.0.0:0", "--token-file", token},
		"no such file":      {"serve", filepath.Join(t.TempDir(), "none.dowse")},
		"no directory":      {"serve", token},
	} {
		if code, _, errs := capture(t, args...); code != exitUsage || !strings.Contains(errs, want) {
			t.Errorf("%v: exit %d, %q, want %q", args, code, errs, want)
		}
	}
}
