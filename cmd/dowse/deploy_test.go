package main

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
)

// example returns the first example in a language of docs/run-for-weeks.md.
func example(t *testing.T, language string) string {
	t.Helper()
	return exampleOf(t, "run-for-weeks.md", language)
}

// exampleOf returns the first example in a language of a file in docs.
func exampleOf(t *testing.T, file, language string) string {
	t.Helper()
	doc, err := os.ReadFile("../../docs/" + file)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(doc), "```"+language+"\n")
	if !ok {
		t.Fatalf("no example in %s", language)
	}
	text, _, _ := strings.Cut(rest, "```")
	return text
}

// accepts checks that the program would accept a command line, by its own help: the command and
// every flag exist.
func accepts(t *testing.T, args []string) {
	t.Helper()
	if out, err := exec.Command("dowse", append(slices.Clone(args), "--help")...).CombinedOutput(); err != nil {
		t.Errorf("dowse %q: %v\n%s", args, err, out)
	}
}

// TestUnit checks the unit for systemd: it waits for the program, watches over it, starts it again after
// what a restart can help, and stops it no sooner than a visit can end. systemd itself checks it
// where it is installed.
func TestUnit(t *testing.T) {
	unit := example(t, "ini")
	value := func(key string) string {
		for line := range strings.Lines(unit) {
			if v, ok := strings.CutPrefix(strings.TrimSpace(line), key+"="); ok {
				return v
			}
		}
		return ""
	}
	for key, want := range map[string]string{"Type": "notify", "WatchdogSec": "5min", "Restart": "on-failure", "DynamicUser": "yes", "NoNewPrivileges": "yes", "StateDirectory": "dowse", "LogsDirectory": "dowse"} {
		if got := value(key); got != want {
			t.Errorf("%s=%s, want %s", key, got, want)
		}
	}
	for _, code := range strings.Fields(value("RestartPreventExitStatus")) {
		n, _ := strconv.Atoi(code)
		if !slices.Contains([]int{exitUsage, exitForbidden, exitNothing, exitCollection}, n) {
			t.Errorf("exit code %s does not keep the crawl from a restart for good", code)
		}
	}
	if got, want := value("SuccessExitStatus"), strconv.Itoa(exitInterrupted); got != want {
		t.Errorf("SuccessExitStatus=%s, want %s: a crawl that is stopped ends with it, and must not be started again", got, want)
	}
	line := strings.Fields(value("ExecStart"))
	if line[0] != "/usr/local/bin/dowse" {
		t.Errorf("ExecStart begins with %s", line[0])
	}
	accepts(t, line[1:])
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Log("there is no systemd-analyze here; the unit was checked by these rules alone")
		return
	}
	program, err := exec.LookPath("dowse")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "dowse@reefs.service")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(unit, "/usr/local/bin/dowse", program)), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(analyze, "verify", file).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
	out, err := exec.Command(analyze, "security", "--offline=yes", "--threshold=20", file).CombinedOutput()
	if err != nil {
		t.Errorf("systemd-analyze security: exposure above 2.0: %v\n%s", err, out)
	}
}

// TestDockerfile checks the rules of the image, since there may be no engine to build it: a static program in
// an image without anything else but certificates, a user that is not root, a health check, and
// paths and commands that exist.
func TestDockerfile(t *testing.T) {
	file := example(t, "dockerfile")
	var stages []string
	last := map[string]string{} // instructions of the last stage
	for line := range strings.Lines(file) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name == "FROM" {
			stages = append(stages, rest)
			last = map[string]string{}
		}
		last[name] = rest
	}
	version := regexp.MustCompile(`(?m)^go (1\.\d+)`)
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if want := "golang:" + version.FindStringSubmatch(string(mod))[1] + " AS build"; len(stages) != 2 || stages[0] != want || stages[1] != "scratch" {
		t.Errorf("stages %q, want %q and scratch", stages, want)
	}
	if !strings.Contains(file, "CGO_ENABLED=0 go build") || !strings.HasSuffix(regexp.MustCompile(`(?m)^RUN .*$`).FindString(file), "./cmd/dowse") {
		t.Error("it does not build a static program of ./cmd/dowse")
	}
	if _, err := os.Stat("../../cmd/dowse"); err != nil {
		t.Error(err)
	}
	if user, _, _ := strings.Cut(last["USER"], ":"); user == "" || user == "0" || user == "root" {
		t.Errorf("it runs as %q, want a user that is not root", last["USER"])
	}
	for _, path := range []string{"/dowse /dowse", "/etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/"} {
		if !strings.Contains(file, "COPY --from=build "+path+"\n") {
			t.Errorf("it lacks COPY --from=build %s", path)
		}
	}
	words := regexp.MustCompile(`"([^"]*)"`)
	list := func(instruction string) (args []string) {
		for _, m := range words.FindAllStringSubmatch(last[instruction], -1) {
			args = append(args, m[1])
		}
		return args
	}
	health := list("HEALTHCHECK")
	if entry := list("ENTRYPOINT"); !slices.Equal(entry, []string{"/dowse"}) || len(health) == 0 || health[0] != "/dowse" {
		t.Errorf("entry point %q, health check %q", entry, health)
	}
	accepts(t, health[1:])
	accepts(t, list("CMD"))
	data, user := last["VOLUME"], last["USER"]
	if own := "COPY --from=build --chown=" + user + " " + data + " " + data + "\n"; !strings.Contains(file, own) || strings.Index(file, own) > strings.Index(file, "VOLUME ") {
		t.Errorf("%s is not made for user %s before it is a volume", data, user)
	}
	if want := "HOME=" + data + " TMPDIR=" + data; last["ENV"] != want {
		t.Errorf("environment %q, want %s: consent, the secret of the search index and temporary files are kept there", last["ENV"], want)
	}
	if last["WORKDIR"] != last["VOLUME"] {
		t.Errorf("it works in %s, and keeps %s", last["WORKDIR"], last["VOLUME"])
	}
}

// TestCompose checks the compose file of a worker against the image of TestDockerfile, which has one program,
// no /tmp and a health check for crawls: the command exists, a folder for temporary files is there, the token
// is where the command looks for it, and the user is not root.
func TestCompose(t *testing.T) {
	var file struct {
		Services map[string]struct {
			Build, User, Restart string
			Command, Secrets     []string
			Tmpfs                []string
			Environment          map[string]string
			Healthcheck          struct{ Disable bool }
		}
		Secrets map[string]struct{ File string }
	}
	if err := yaml.UnmarshalWithOptions([]byte(exampleOf(t, "cluster.md", "yaml")), &file, yaml.DisallowUnknownField()); err != nil {
		t.Fatal(err)
	}
	s, ok := file.Services["worker"]
	if !ok || s.Build != "." || s.Restart != "always" || !s.Healthcheck.Disable || !slices.Contains(s.Tmpfs, "/tmp") || s.Environment["TMPDIR"] != "/tmp" {
		t.Errorf("worker: %+v", s)
	}
	if user, _, _ := strings.Cut(s.User, ":"); user == "" || user == "0" || user == "root" {
		t.Errorf("it runs as %q, want a user that is not root", s.User)
	}
	accepts(t, s.Command)
	for _, name := range s.Secrets {
		if !slices.Contains(s.Command, "/run/secrets/"+name) || file.Secrets[name].File == "" {
			t.Errorf("secret %s: not used by %q, or not in %v", name, s.Command, file.Secrets)
		}
	}
	if len(s.Secrets) != 1 {
		t.Errorf("secrets: %v", s.Secrets)
	}
}

// TestNotify runs a crawl with a socket like that of systemd, which receives that the crawl is ready, that
// it is alive, and that it stops.
func TestNotify(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("systemd is not there")
	}
	dir, err := os.MkdirTemp("", "notify-") // the name of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: filepath.Join(dir, "s"), Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	web := newSmallSite()
	defer web.Close()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "dowse", "crawl", "coral bleaching", "--seed", web.URL+"/on", "--seed", web.URL+"/hang", "-o", filepath.Join(dir, "x.dowse"),
		"--allow-net", "127.0.0.0/8", "--delay", "0s", "-q")
	cmd.Env = append(os.Environ(), "NOTIFY_SOCKET="+filepath.Join(dir, "s"))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	next := func() string {
		buf := make([]byte, 100)
		socket.SetReadDeadline(time.Now().Add(patience))
		n, err := socket.Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		return string(buf[:n])
	}
	var got []string
	for len(got) == 0 || got[len(got)-1] != "WATCHDOG=1" { // a page hangs, so it does not end
		got = append(got, next())
	}
	cmd.Process.Signal(os.Interrupt)
	time.Sleep(200 * time.Millisecond) // two signals in one moment may be one
	cmd.Process.Signal(os.Interrupt)   // gives the page up that hangs
	for got[len(got)-1] != "STOPPING=1" {
		got = append(got, next())
	}
	cmd.Wait()
	if got[0] != "READY=1" {
		t.Errorf("%q, want READY=1 first", got)
	}
}
