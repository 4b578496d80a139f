package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// inNamespace runs a test of this binary again in a network namespace of its own, in
// which it may take the network away. It skips the test where that is not allowed.
func inNamespace(t *testing.T, env ...string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run=^"+t.Name()+"$", "-test.v", "-test.timeout=20m")
	cmd.Env = append(append(os.Environ(), "DOWSE_IN_NAMESPACE=1"), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	if _, ok := err.(*exec.ExitError); err != nil && !ok {
		t.Skip("no network namespace may be made here: ", err)
	}
	t.Logf("%s", out)
	if err != nil {
		t.Error(err)
	}
}

// loopback turns the only network of a namespace on or off. Without its address there
// is no way anywhere.
func loopback(t testing.TB, on bool) {
	t.Helper()
	steps := []string{"ip link set lo down", "ip addr flush dev lo"}
	if on {
		steps = []string{"ip link set lo up"}
	}
	for _, step := range steps {
		args := strings.Fields(step)
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", step, err, out)
		}
	}
}

// The network goes away in the middle of a crawl, is not there at a resume, and comes
// back. Every page is fetched, and nothing is held against any host.
func TestWithoutNetwork(t *testing.T) {
	hosts, pages, lasts := 5, 30, 4*time.Second
	if os.Getenv("DOWSE_LONG") != "" {
		hosts, pages, lasts = 5, 241, 62*time.Second
	}
	if os.Getenv("DOWSE_IN_NAMESPACE") == "" {
		if _, err := exec.LookPath("ip"); err != nil {
			t.Skip("needs the command ip: ", err)
		}
		t.Parallel()
		inNamespace(t)
		return
	}
	loopback(t, true)
	s := newShore(t, hosts, pages)
	away := ordeal{"no network", func(*shore) { loopback(t, false) }, func(*shore) { loopback(t, true) }, 20 * time.Second}
	endure(t, s, away, lasts)

	dir := filepath.Join(t.TempDir(), "resumed.dowse")
	limit := fmt.Sprint(s.all() / 2)
	if p := dowseCmd(t, "", s.crawlArgs(dir, "--pages", limit)...); p.code(t) != 0 {
		t.Fatal(p.err.String())
	}
	loopback(t, false)
	p := dowseCmd(t, "", s.crawlArgs(dir, "--pages", "100000", "--patience", "3s")...)
	if code := p.code(t); code != exitNetwork || !strings.Contains(p.err.String(), "NO NETWORK") || !strings.Contains(p.err.String(), "this machine has no network") {
		t.Errorf("exit %d, want %d: %s", code, exitNetwork, p.err.String())
	}
	loopback(t, true)
	if p := dowseCmd(t, "", s.crawlArgs(dir, "--pages", "100000")...); p.code(t) != 0 {
		t.Errorf("once it is back: %s", p.err.String())
	}
	s.finished(t, dir)
}
