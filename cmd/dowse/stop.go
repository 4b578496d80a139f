package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/cluster"
	"dowse/internal/operations"
)

// stopCmd stops a running crawl of another process gently, as Ctrl-C in its terminal
// would. The process is found by the lock of the collection.
type stopCmd struct {
	Dir  string        `arg:"" help:"Collection."`
	Wait time.Duration `default:"30s" help:"Wait this long until it has stopped."`
}

func (stopCmd) Help() string {
	return `Examples:
  dowse stop reefs.dowse
  dowse stop reefs.dowse --wait 2m

The crawl finishes its requests, saves and ends. Running it twice does no harm. To
continue:
dowse crawl reefs.dowse`
}

// Run sends SIGTERM to the process that holds the collection and waits until it has let
// go, see [operations.StopCrawl]. If the crawl needs longer than --wait, it is still
// stopping, and the error says how to hasten it.
func (c *stopCmd) Run(w *world) error {
	if !collection.IsCollection(c.Dir) {
		return usage("%s is not a collection", c.Dir)
	}
	pid, err := operations.StopCrawl(w.ctx, c.Dir, c.Wait)
	switch {
	case errors.Is(err, collection.ErrHolder):
		return &exitError{exitCollection, fmt.Errorf("stop: %w\nno process was signalled; stop the crawl where it was started: Ctrl-C there, or dowse stop in that container or on that machine", err)}
	case errors.Is(err, operations.ErrNoSignal):
		return fmt.Errorf("stop: process %d works on %s; press Ctrl-C in its window (%w, only killed: taskkill /F /PID %d, which costs the visits under way and nothing else)", pid, c.Dir, err, pid)
	case errors.Is(err, operations.ErrStopping) && waitsForNATS(c.Dir, pid):
		return &exitError{exitAssertion, fmt.Errorf("process %d was asked to stop and still waits for NATS, which does not answer, after %v; kill -INT %[1]d stops it immediately; nothing committed is lost", pid, c.Wait)}
	case errors.Is(err, operations.ErrStopping):
		return &exitError{exitAssertion, fmt.Errorf("process %d was asked to stop and is still finishing its visits after %v; kill -INT %d stops it immediately; nothing committed is lost", pid, c.Wait, pid)}
	case w.ctx.Err() != nil:
		return &exitError{code: exitInterrupted}
	case err != nil && pid != 0:
		return fmt.Errorf("stop: process %d works on %s: %w", pid, c.Dir, err)
	case err != nil:
		return inCollection(err)
	case pid == 0:
		other := ""
		if pid, _ := collection.Running(c.Dir); pid != 0 {
			other = fmt.Sprintf("; process %d trains its judge, changes its settings or is a standby, and is left alone", pid)
		}
		fmt.Fprintf(w.err, "no crawl is running in %s%s\n", c.Dir, other)
		return nil
	}
	if m, err := cluster.ReadMembership(c.Dir); err == nil && m.Term != "" {
		awaitEnd(w.ctx, pid, c.Wait)
	}
	fmt.Fprintf(w.err, "stopped process %d; to continue: %s\n", pid, resumeCommand(c.Dir))
	return nil
}

// waitsForNATS reports whether a process says of itself that the servers of its cluster do not answer.
func waitsForNATS(dir string, pid int) bool {
	p, ok := crawler.PulseOf(dir, pid)
	return ok && p.LimitedBy == "NATS"
}

// awaitEnd waits until a process has ended, at most for wait. A coordinator that has closed its collection
// still publishes the last changes and ends its embedded server.
func awaitEnd(ctx context.Context, pid int, wait time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	p, err := os.FindProcess(pid)
	if err != nil {
		return
	}
	defer p.Release()
	for p.Signal(syscall.Signal(0)) == nil {
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return
		}
	}
}
