//go:build unix

package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestSignalsEndWaiting lets commands read from a pipe without a writer, and
// sends them a signal. Each must end by itself, soon; the bound here is only for a
// command that never would.
func TestSignalsEndWaiting(t *testing.T) {
	t.Parallel()
	const pipe = "PIPE.yaml"
	for _, c := range []struct {
		args   string
		signal os.Signal
	}{
		{"topic check PIPE.yaml", syscall.SIGTERM},
		{"topic check PIPE.yaml", os.Interrupt},
		{"topic show PIPE.yaml", syscall.SIGTERM},
		{"crawl PIPE.yaml", syscall.SIGTERM},
		{"crawl words --seeds PIPE.yaml --contact mailto:me@example.org", syscall.SIGTERM},
		{"crawl words --seed http://127.0.0.1:1/ --strategy treasure --tgraph PIPE.yaml", syscall.SIGTERM},
		{"judge PIPE.yaml page.html", syscall.SIGTERM},
		{"lab run PIPE.yaml", syscall.SIGTERM},
		{"tgraph show PIPE.yaml", syscall.SIGTERM},
	} {
		t.Run(c.args, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "page.html"), []byte("<p>words"), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Mkfifo(filepath.Join(dir, pipe), 0o600); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, "dowse", strings.Fields(c.args)...)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME=")
			var out strings.Builder
			cmd.Stdout, cmd.Stderr = &out, &out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			w := openWhenRead(ctx, t, filepath.Join(dir, pipe))
			if w == nil {
				cmd.Process.Kill()
				cmd.Wait()
				t.Fatalf("it never read the pipe: %s", &out)
			}
			defer w.Close()
			cmd.Process.Signal(c.signal)
			err := cmd.Wait()
			if ctx.Err() != nil {
				t.Fatal("it did not end")
			}
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
				t.Errorf("%v, want exit status %d: %s", err, exitInterrupted, &out)
			}
		})
	}
}

// openWhenRead opens a pipe for writing once a process reads from it; it returns nil if
// none does.
func openWhenRead(ctx context.Context, t *testing.T, path string) *os.File {
	t.Helper()
	for ctx.Err() == nil {
		fd, err := syscall.Open(path, syscall.O_WRONLY|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
		if err == nil {
			return os.NewFile(uintptr(fd), path)
		}
		time.Sleep(10 * time.Millisecond)
	}
	return nil
}
