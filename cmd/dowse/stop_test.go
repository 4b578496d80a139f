//go:build linux

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A bystander is a process that has nothing to do with a crawl. It prints every
// line that it reads, until it ends.
type bystander struct {
	*exec.Cmd
	in  io.Writer
	out *bufio.Reader
}

func newBystander(t *testing.T, open ...*os.File) *bystander {
	t.Helper()
	b := &bystander{Cmd: exec.CommandContext(t.Context(), "cat")}
	b.ExtraFiles = open
	in, err := b.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := b.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Start(); err != nil {
		t.Fatal(err)
	}
	b.in, b.out = in, bufio.NewReader(out)
	t.Cleanup(func() { in.Close(); b.Wait() })
	return b
}

func (b *bystander) lives() bool {
	fmt.Fprintln(b.in, "still here")
	line, err := b.out.ReadString('\n')
	return err == nil && line == "still here\n"
}

// locked writes a file as a lock of dowse that names a process, and locks it.
func locked(t *testing.T, path string, pid int) *os.File {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	fmt.Fprintf(f, "%d\ncollection/v1\n", pid)
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		t.Fatal(err)
	}
	return f
}

// TestStopSignalsOnlyTheHolder runs dowse stop on directories whose lock names a
// process that does not work on them: one of this machine by chance, as in a
// directory that another container shares, PID 1, and a daemon whose own lock the
// file is a link to. Nobody may be signalled.
func TestStopSignalsOnlyTheHolder(t *testing.T) {
	for _, c := range []struct {
		name  string
		setUp func(t *testing.T, lock string) *bystander
	}{
		{"another process", func(t *testing.T, lock string) *bystander {
			b := newBystander(t)
			locked(t, lock, b.Process.Pid)
			return b
		}},
		{"PID 1", func(t *testing.T, lock string) *bystander {
			b := newBystander(t)
			locked(t, lock, 1)
			return b
		}},
		{"all processes", func(t *testing.T, lock string) *bystander {
			b := newBystander(t)
			locked(t, lock, -1)
			return b
		}},
		{"a link to the lock of a daemon", func(t *testing.T, lock string) *bystander {
			own := filepath.Join(t.TempDir(), "daemon.pid")
			f := locked(t, own, 0)
			b := newBystander(t, f)
			f.WriteAt(fmt.Appendf(nil, "%d\ncollection/v1\n", b.Process.Pid), 0)
			if err := os.Symlink(own, lock); err != nil {
				t.Fatal(err)
			}
			return b
		}},
		{"a second name of the lock of a daemon", func(t *testing.T, lock string) *bystander {
			own := filepath.Join(filepath.Dir(lock), "daemon.pid")
			f := locked(t, own, 0)
			b := newBystander(t, f)
			f.WriteAt(fmt.Appendf(nil, "%d\ncollection/v1\n", b.Process.Pid), 0)
			if err := os.Link(own, lock); err != nil {
				t.Fatal(err)
			}
			return b
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "x.dowse")
			demo := exec.Command("dowse", "demo", "--pages", "1", "-q", "--out", dir)
			if out, err := demo.CombinedOutput(); err != nil && !strings.Contains(err.Error(), "exit status 6") {
				t.Fatalf("%v: %s", err, out)
			}
			lock := filepath.Join(dir, "dowse.lock")
			os.Remove(lock)
			b := c.setUp(t, lock)
			out, err := exec.Command("dowse", "stop", dir, "--wait", "1s").CombinedOutput()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != exitCollection || !strings.Contains(string(out), "no process was signalled") {
				t.Errorf("dowse stop: %v: %s", err, out)
			}
			if !b.lives() {
				t.Error("the bystander was ended")
			}
		})
	}
}
