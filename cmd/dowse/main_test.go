package main

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"dowse/internal/durable"
)

func TestMain(m *testing.M) {
	durable.UsualFloor = 1 << 20 // tests run on any disk
	if os.Getenv(noSyncs) != "" {
		durable.SkipSyncs()
	}
	if signal.Ignored(syscall.SIGHUP) { // nohup; the programs that tests start must not inherit it
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	testscript.Main(atHome{m}, map[string]func(){
		"dowse":       func() { crawlClock = wrongClock(); os.Exit(profiledProgram()) },
		"nats-server": natsServerMain,
	})
}

// profileVariable names the file of a CPU profile of a process under test.
const profileVariable = "DOWSE_TEST_CPUPROFILE"

// profiledProgram runs the program, and writes a profile if the environment asks for one.
func profiledProgram() int {
	if name := os.Getenv(profileVariable); name != "" {
		f, err := os.Create(name)
		if err == nil {
			err = pprof.StartCPUProfile(f)
		}
		if err != nil {
			panic(err)
		}
		defer pprof.StopCPUProfile()
	}
	return program()
}

// noSyncs, set in the environment of the processes that tests start, lets them leave out syncs: tests
// end processes, not machines. Benchmarks do without it.
const noSyncs = "TEST_WITHOUT_SYNCS"

// atHome runs tests with a home of their own, in which the processes that they start
// remember consent.
type atHome struct{ *testing.M }

func (h atHome) Run() int {
	home, err := os.MkdirTemp("", "dowse-home-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(home)
	os.Setenv("HOME", home)
	os.Setenv("XDG_CONFIG_HOME", "")
	os.Setenv("WNSEARCHDIR", noWordNet) // crawls do not depend on what this machine has installed
	if !slices.ContainsFunc(os.Args, func(arg string) bool { return strings.HasPrefix(arg, "-test.bench") }) {
		os.Setenv(noSyncs, "1")
		durable.SkipSyncs()
	}
	return h.M.Run()
}

// The scripts run the command as people do. $WEB is a small site on loopback, and
// $CLOSED one that does not answer.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		WorkdirRoot:         t.TempDir(), // its own is left behind when only some scripts run
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			web := newSmallSite()
			env.Defer(web.Close)
			caller, err := net.Dial("tcp", web.Listener.Addr().String())
			if err != nil {
				return err
			}
			env.Defer(func() { caller.Close() })
			env.Setenv("WEB", web.URL)
			env.Setenv("HOST", strings.TrimPrefix(web.URL, "http://"))
			env.Setenv("CLOSED", "http://"+caller.LocalAddr().String()) // in use, so that no other process serves there
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("XDG_CONFIG_HOME", "")
			env.Setenv("WNSEARCHDIR", noWordNet)
			env.Setenv(noSyncs, os.Getenv(noSyncs))
			env.Values["web"] = web
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code": code, "plain": plainText, "columns": columns, "asked": asked, "waitfor": waitFor, "envsubst": envSubst, "awaited": awaited, "half": half,
		},
	})
}

// A smallSite is a web of a few pages that remembers what it was asked for.
type smallSite struct {
	*httptest.Server
	mu    sync.Mutex
	paths []string
}

const reefPage = `<html lang="en"><head><title>Coral bleaching</title></head><body><h1>Coral bleaching</h1>
<p>Coral bleaching is what reefs suffer in hot water. Bleaching of coral ends reefs; after coral
bleaching a reef may recover. Coral bleaching was seen on many a reef.</p>
<a href="/off">about trains</a> <a href="/moved">more on coral bleaching</a> <a href="/private/x">private</a>
</body></html>`

func newSmallSite() *smallSite {
	s := &smallSite{}
	mux := http.NewServeMux()
	page := func(path, body string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, body)
		})
	}
	page("/on", reefPage)
	page("/off", `<title>Trains</title><p>Trains leave the station. `+strings.Repeat("A train is on its way. ", 40))
	page("/hostile", "<title>a\x1b[31mred\x1b]0;own\x07 \u202eevil</title><p>words here")
	page("/private/x", reefPage)
	mux.HandleFunc("/robots.txt", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "User-agent: *\nDisallow: /private/\n")
	})
	mux.Handle("/moved", http.RedirectHandler("/on", http.StatusMovedPermanently))
	mux.HandleFunc("/hang", func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	mux.HandleFunc("/hung", func(w http.ResponseWriter, r *http.Request) {
		if !s.has("/hang") {
			http.NotFound(w, r)
		}
	})
	mux.HandleFunc("/search", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("q") != "coral bleaching" || r.FormValue("format") != "json" {
			http.Error(w, "no", http.StatusForbidden)
			return
		}
		fmt.Fprintf(w, `{"results":[{"url":"%[1]s/on","title":"On"},{"url":"%[1]s/missing"},{"url":"%[1]s/private/x"},{"url":"%[1]s/off"}]}`, s.URL)
	})
	mux.Handle("/loop", http.RedirectHandler("/loop", http.StatusFound))
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.paths = append(s.paths, r.URL.Path)
		s.mu.Unlock()
		mux.ServeHTTP(w, r)
	}))
	return s
}

// has reports whether a path was asked for.
func (s *smallSite) has(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.paths, path)
}

// code N CMD… checks the exit code of a command.
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N command...")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := "0"
	if err != nil {
		got = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if got != args[0] {
		ts.Fatalf("exit code %s, want %s", got, args[0])
	}
}

// plainText FILE… checks that there is nothing for a terminal in the output.
func plainText(ts *testscript.TestScript, neg bool, args []string) {
	for _, name := range args {
		if strings.ContainsAny(ts.ReadFile(name), "\x1b\r\x07") {
			ts.Fatalf("%s has control characters: %q", name, ts.ReadFile(name))
		}
	}
}

// columns FILE… checks that no line is wider than 80 columns.
func columns(ts *testscript.TestScript, neg bool, args []string) {
	for _, name := range args {
		for line := range strings.Lines(ts.ReadFile(name)) {
			if n := len([]rune(strings.TrimRight(line, "\n"))); n > 80 {
				ts.Fatalf("%s: %d columns: %q", name, n, line)
			}
		}
	}
}

// asked PATH… checks that exactly these paths were asked for since the last time:
// the given one first, the others in any order, here in that of the alphabet.
func asked(ts *testscript.TestScript, neg bool, args []string) {
	web := ts.Value("web").(*smallSite)
	web.mu.Lock()
	defer web.mu.Unlock()
	slices.Sort(web.paths[min(1, len(web.paths)):])
	if got, want := strings.Join(web.paths, " "), strings.Join(args, " "); got != want {
		ts.Fatalf("the site was asked for %q, want %q", got, want)
	}
	web.paths = nil
}

// What must come is looked for often, and for long: the machine may be busy.
const (
	often    = 10 * time.Millisecond
	patience = 5 * time.Minute
)

// awaited PATH waits until a path is asked for.
func awaited(ts *testscript.TestScript, neg bool, args []string) {
	web := ts.Value("web").(*smallSite)
	for range patience / often {
		if web.has(args[0]) {
			return
		}
		time.Sleep(often)
	}
	ts.Fatalf("no request for %s", args[0])
}

// envsubst FILE puts the values of variables in their places.
func envSubst(ts *testscript.TestScript, neg bool, args []string) {
	text := os.Expand(ts.ReadFile(args[0]), ts.Getenv)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o644))
}

// half FILE NEW writes the first half of a file into a new one.
func half(ts *testscript.TestScript, neg bool, args []string) {
	data := ts.ReadFile(args[0])
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(data[:len(data)/2]), 0o644))
}

// waitfor FILE waits until a file is there.
func waitFor(ts *testscript.TestScript, neg bool, args []string) {
	for range patience / often {
		if _, err := os.Stat(ts.MkAbs(args[0])); err == nil {
			return
		}
		time.Sleep(often)
	}
	ts.Fatalf("%s did not come", args[0])
}

// noEnv is an environment without variables, but for the one that does without the dictionary which this machine may have
// installed.
func noEnv(name string) string {
	if name == "WNSEARCHDIR" {
		return noWordNet
	}
	return ""
}
