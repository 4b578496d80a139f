package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/internal/operations"
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

// A crawl that reaches its limit ends its dashboard and the program, without a signal: scripts wait for that.
func TestServeEndsWithACrawl(t *testing.T) {
	home := t.TempDir()
	s := startServed(t, home, "demo", "-n", "30", "-o", filepath.Join(home, "pools.dowse"), "--serve=127.0.0.1:0")
	ended := make(chan error, 1)
	go func() { ended <- s.cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil || strings.Contains(s.out.String(), "the dashboard stays") {
			t.Errorf("%v\n%s", err, s.out.String())
		}
	case <-time.After(2 * time.Minute):
		_ = s.cmd.Process.Kill()
		t.Errorf("the program goes on after the crawl: %v\n%s", <-ended, s.out.String())
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
		`host "bad host/"`:  {"serve", "--listen", "127.0.0.1:0", "--host", "bad host/"},
		"one line of":       {"serve", "--listen", "0.0.0.0:0", "--token-file", token},
		"no such file":      {"serve", filepath.Join(t.TempDir(), "none.dowse")},
		"no directory":      {"serve", token},
	} {
		if code, _, errs := capture(t, args...); code != exitUsage || !strings.Contains(errs, want) {
			t.Errorf("%v: exit %d, %q, want %q", args, code, errs, want)
		}
	}
}

// A served is a program with an HTTP API that a test has started.
type served struct {
	cmd         *exec.Cmd
	out         *loudBuffer
	base, token string
}

// startServed starts a command of the program that serves, in a home of its own.
func startServed(t *testing.T, home string, args ...string) *served {
	t.Helper()
	s := &served{cmd: exec.Command("dowse", args...), out: &loudBuffer{}}
	s.cmd.Stdout, s.cmd.Stderr = s.out, s.out
	s.cmd.Env = append(os.Environ(), "HOME="+home, "XDG_STATE_HOME="+filepath.Join(home, "state"))
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if s.cmd.ProcessState == nil {
			_ = s.cmd.Process.Signal(syscall.SIGTERM)
			_ = s.cmd.Wait()
		}
	})
	eventually(t, "an address", func() bool {
		m := dashboardLine.FindStringSubmatch(s.out.String())
		if m != nil {
			s.base, s.token = m[1], m[2]
		}
		return m != nil
	})
	return s
}

// do sends a request with the token and returns the status and the object of the answer.
func (s *served) do(t *testing.T, method, path, body string) (int, map[string]any) {
	t.Helper()
	r, err := http.NewRequest(method, s.base+"/api/v1"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.token)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatalf("%v\n%s", err, s.out)
	}
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	return a.StatusCode, object(t, string(text))
}

// state returns the state of the only collection, and its pages.
func (s *served) state(t *testing.T) (state string, fetched float64) {
	t.Helper()
	_, list := s.do(t, "GET", "/crawls", "")
	line := list["crawls"].([]any)[0].(map[string]any)
	return line["state"].(string), line["fetched"].(float64)
}

// TestCrawlsOutliveTheirServer kills a server that has started a crawl. What the crawl prints afterwards has no reader,
// and must not end it.
func TestCrawlsOutliveTheirServer(t *testing.T) {
	home := t.TempDir()
	s := startServed(t, home, "serve", home, "--listen", "127.0.0.1:0")
	if code, got := s.do(t, http.MethodPost, "/crawls", `{"words": ["tide pools"], "demo": true, "name": "left", "settings": {"pages": ["350"]}}`); code != http.StatusCreated {
		t.Fatalf("%d: %v", code, got)
	}
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = s.cmd.Wait()
	dir := filepath.Join(home, "left.dowse")
	eventually(t, "the end of the crawl", func() bool {
		code, out, _ := capture(t, "status", dir, "--json")
		return code == exitOK && !strings.Contains(out, `"running":true`) && !strings.Contains(out, `"running": true`)
	})
	if _, out, _ := capture(t, "status", dir); strings.Contains(out, "killed") || !strings.Contains(out, "350") {
		t.Errorf("the crawl has not come to its end: %s", out)
	}
}

// A crawl is paused from its own dashboard, which then stays, also without a terminal, and continues it.
func TestPauseFromItsDashboard(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pools.dowse")
	s := startServed(t, t.TempDir(), "demo", "-n", "5000", "-o", dir, "--serve=127.0.0.1:0")
	eventually(t, "pages in the list", func() bool { _, n := s.state(t); return n > 0 })
	code, done := s.do(t, "PATCH", "/crawls/pools", `{"state":"paused","wait":60}`)
	if stopped, _ := done["stopped"].(map[string]any); code != 200 || stopped["pid"] != float64(s.cmd.Process.Pid) || stopped["stopping"] != nil {
		t.Fatalf("pause: %d, %v", code, done)
	}
	state, paused := s.state(t)
	if state != "stopped" {
		t.Errorf("after the pause it is %s", state)
	}
	code, done = s.do(t, "PATCH", "/crawls/pools", `{"state":"running"}`)
	if job, _ := done["job"].(map[string]any); code != 200 || job["state"] != "running" {
		t.Fatalf("continue: %d, %v", code, done)
	}
	if state, n := s.state(t); state != "running" || n < paused {
		t.Errorf("continued: %s with %v pages, want running and at least %v", state, n, paused)
	}
	if code, done = s.do(t, "PATCH", "/crawls/pools", `{"state":"paused","wait":60}`); code != 200 {
		t.Errorf("second pause: %d, %v", code, done)
	}
	eventually(t, "a paused job", func() bool {
		_, list := s.do(t, "GET", "/jobs", "")
		return list["jobs"].([]any)[0].(map[string]any)["state"] == "paused"
	})
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	if err := s.cmd.Wait(); s.cmd.ProcessState.ExitCode() != exitInterrupted {
		t.Errorf("the end: %v, want exit %d", err, exitInterrupted)
	}
}

// A change of the user's own collection by set needs no consent afterwards, in a terminal or a server; what another user wrote
// into it does, and the server reports that as an error, with a command that works.
func TestConsentToOwnChanges(t *testing.T) {
	site := reefSite(t, 30, 0)
	home, root := t.TempDir(), t.TempDir()
	dir := filepath.Join(root, "reefs.dowse")
	dowse := func(want int, args ...string) string {
		t.Helper()
		cmd := exec.Command("dowse", args...)
		cmd.Env = append(os.Environ(), "HOME="+home)
		out, _ := cmd.CombinedOutput()
		if got := cmd.ProcessState.ExitCode(); got != want {
			t.Fatalf("%v: exit %d, want %d\n%s", args, got, want, out)
		}
		return string(out)
	}
	dowse(0, "crawl", "coral bleaching", "--seed", site.URL+"/0", "--allow-net", "127.0.0.0/8", "--delay", "20ms", "--contact", "https://example.org/", "--pages", "2", "-q", "-o", dir)
	dowse(0, "set", dir, "--delay", "15ms")
	dowse(0, "crawl", dir, "--pages", "4", "-q")
	s := startServed(t, home, "serve", root, "--listen", "127.0.0.1:0")
	if code, got := s.do(t, "PATCH", "/crawls/reefs", `{"set":{"delay":["10ms"],"pages":["6"]}}`); code != 200 {
		t.Fatalf("set: %d, %v", code, got)
	}
	dowse(0, "crawl", dir, "-q")
	// As if somebody else had sent it: nothing was agreed to.
	if err := os.Remove(filepath.Join(home, ".config", "dowse", "trusted")); err != nil {
		t.Fatal(err)
	}
	code, got := s.do(t, "PATCH", "/crawls/reefs", `{"set":{"pages":["8"]},"state":"running"}`)
	detail, _ := got["detail"].(string)
	_, line, _ := strings.Cut(detail, "If you trust it: dowse ")
	line = strings.TrimSpace(line)
	if code != 409 || !strings.HasSuffix(line, "--trust -- "+dir) {
		t.Fatalf("continue without consent: %d, %v", code, got)
	}
	dowse(0, strings.Fields(line)...)
	if code, got = s.do(t, "PATCH", "/crawls/reefs", `{"set":{"pages":["9"]},"state":"running"}`); code != 200 {
		t.Errorf("continue after consent: %d, %v", code, got)
	}
	eventually(t, "the end of the crawl", func() bool {
		_, list := s.do(t, "GET", "/jobs", "")
		return list["jobs"].([]any)[0].(map[string]any)["state"] == "done"
	})
}

// TestEqualCommands runs the commands that answers name, with their filters and behind their cursors, and compares what they list.
func TestEqualCommands(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "pools of sand.dowse")
	if out, err := exec.Command("dowse", "crawl", "tide pools", "--demo", "--pages", "60", "--delay", "0s", "-q", "--out", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	ops, err := operations.New(operations.Config{Dirs: []string{dir}, SearchKey: func() []byte { return []byte("0123456789abcdef") }})
	if err != nil {
		t.Fatal(err)
	}
	defer ops.Close()
	const id = "pools_of_sand"
	// A collection that is called as a word of a query must not be taken for one that is searched.
	if err := os.CopyFS(filepath.Join(root, "tide"), os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	shell := func(line string) ([]byte, error) {
		cmd := exec.Command("sh", "-c", line)
		cmd.Dir = root
		return cmd.Output()
	}
	check := func(name, line string, key string, want []string) {
		t.Helper()
		out, err := shell(line + " --json")
		if strings.Contains(line, " -- ") {
			out, err = shell(strings.Replace(line, " -- ", " --json -- ", 1))
		}
		if err != nil {
			t.Errorf("%s: %s: %v", name, line, err)
			return
		}
		var got []string
		for l := range strings.Lines(string(out)) {
			o := object(t, l)
			if lists := map[string]string{"hits": "hits", "frontier": "frontier"}; lists[key] != "" {
				for _, x := range o[key].([]any) {
					x := x.(map[string]any)
					if page, ok := x["page"].(map[string]any); ok {
						x = page
					}
					got = append(got, x["url"].(string))
				}
				continue
			}
			got = append(got, o[key].(string))
		}
		if len(want) == 0 || !slices.Equal(got, want) {
			t.Errorf("%s: %s\ngot  %v\nwant %v", name, line, got, want)
		}
	}
	cursor := ""
	for range 2 {
		q := operations.PageQuery{Verdict: "on", Sort: "score", Limit: 7, Cursor: cursor}
		list, err := ops.Pages(t.Context(), id, q)
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, p := range list.Pages {
			want = append(want, string(p.URL))
		}
		check("pages", list.Command, "url", want)
		cursor = list.Next
	}
	host := ""
	cursor = ""
	for range 2 {
		list, err := ops.Hosts(t.Context(), id, operations.HostQuery{Show: "on", Text: "E", Sort: "name", Limit: 2, Cursor: cursor})
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, h := range list.Hosts {
			want = append(want, h.Host)
		}
		check("hosts", list.Command, "host", want)
		cursor = list.Next
	}
	sites, err := ops.Sites(t.Context(), id, operations.SiteQuery{On: true, Sort: "name", Limit: 3, Offset: 2})
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, s := range sites.Sites {
		want = append(want, s.Name)
	}
	check("sites", sites.Command, "site", want)
	for range 2 {
		next, err := ops.Frontier(t.Context(), id, operations.FrontierQuery{Limit: 6, Host: host})
		if err != nil {
			t.Fatal(err)
		}
		want = nil
		for _, l := range next.Leads {
			want = append(want, string(l.URL))
		}
		check("frontier", next.Command, "frontier", want)
		host = next.ByHost[0].Host
	}
	for _, query := range []string{"tide", "-price tide pools"} {
		found, err := ops.Search(t.Context(), []string{id}, operations.SearchQuery{Query: query, All: true, Limit: 3, Offset: 1})
		if err != nil {
			t.Fatal(query, err)
		}
		want = nil
		for _, h := range found.Hits {
			want = append(want, string(h.Page.URL))
		}
		check("search", found.Command, "hits", want)
	}
	list, err := ops.Collections(t.Context(), operations.CountWait)
	if err != nil {
		t.Fatal(err)
	}
	check("collections", operations.ListCommand(list), "dir", []string{dir})
	check("many collections", operations.ListCommand(slices.Repeat(list, 9)), "dir", []string{dir})
	page, err := ops.Pages(t.Context(), id, operations.PageQuery{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	url := string(page.Pages[0].URL)
	if _, err := ops.Forget(t.Context(), id, operations.ForgetRequest{URLs: []string{url}, Because: "a test"}); err != nil {
		t.Fatal(err)
	}
	gone, err := ops.Page(t.Context(), id, url)
	if err != nil || gone.Row.Reason != dowse.SkipForgotten {
		t.Fatalf("a page that was taken down: %v", err)
	}
	if out, err := shell(gone.Command); err != nil || !strings.Contains(string(out), "a test") {
		t.Errorf("%s: %v: %s", gone.Command, err, out)
	}
}

// A stop leaves a process alone that has the collection open to train, as a server does.
func TestStopLeavesATrainingAlone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pools.dowse")
	if out, err := exec.Command("dowse", "crawl", "tide pools", "--demo", "--pages", "5", "--delay", "0s", "-q", "--out", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	term := make(chan os.Signal, 1)
	signal.Notify(term, syscall.SIGTERM)
	defer signal.Stop(term)
	col, err := collection.Open(dir, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	defer col.Close()
	out, err := exec.Command("dowse", "stop", dir).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "no crawl is running") || !strings.Contains(string(out), "left alone") {
		t.Errorf("stop: %v: %s", err, out)
	}
	if out, err = exec.Command("dowse", "status", dir, "--json").Output(); err != nil || object(t, string(out))["running"] != false {
		t.Errorf("status: %v: %s", err, out)
	}
	select {
	case <-term:
		t.Error("this process was asked to end")
	default:
	}
}
