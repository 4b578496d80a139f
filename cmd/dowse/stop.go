package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"

	"dowse/collection"
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

The crawl finishes its requests, saves and ends. To continue:
dowse crawl reefs.dowse`
}

// stopPoll is the interval at which the end of the process is checked.
const stopPoll = 50 * time.Millisecond

// Run sends SIGTERM to the process that holds the collection and waits until it has let
// go. It never signals a process of another container or machine, whose number may mean
// another process here. If the crawl needs longer than --wait, it is still stopping, and
// the error says how to hasten it.
func (c *stopCmd) Run(w *world) error {
	if !collection.IsCollection(c.Dir) {
		return usage("%s is not a collection", c.Dir)
	}
	pid, err := collection.Holder(c.Dir)
	if errors.Is(err, collection.ErrHolder) {
		return &exitError{exitCollection, fmt.Errorf("stop: %w\nno process was signalled; stop the crawl where it was started: Ctrl-C there, or dowse stop in that container or on that machine", err)}
	}
	if err != nil {
		return inCollection(err)
	}
	if pid == 0 {
		fmt.Fprintf(w.err, "no crawl is running in %s\n", c.Dir)
		return nil
	}
	// Windows has no signal that asks a process of another console to end.
	if runtime.GOOS == "windows" {
		return fmt.Errorf("stop: process %d works on %s; press Ctrl-C in its window (here a process can't be asked to stop from outside, only killed: taskkill /F /PID %d, which costs the visits under way and nothing else)", pid, c.Dir, pid)
	}
	if err := terminate(c.Dir, pid); err != nil {
		return fmt.Errorf("stop: process %d works on %s: %w", pid, c.Dir, err)
	}
	if err := c.gone(w, pid); err != nil {
		return err
	}
	fmt.Fprintf(w.err, "stopped process %d; to continue: dowse crawl %s\n", pid, c.Dir)
	return nil
}

// terminate asks the process that works on dir to stop. The holder is checked again after
// there is a handle for the process, so that its number cannot have passed to another
// process in between.
func terminate(dir string, pid int) error {
	p, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	defer p.Release()
	if now, err := collection.Holder(dir); err != nil || now != pid {
		return err
	}
	if err := p.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return nil
}

// gone waits until the process has released the collection, at most for --wait.
func (c *stopCmd) gone(w *world, pid int) error {
	tick := time.NewTicker(stopPoll)
	defer tick.Stop()
	late := time.NewTimer(c.Wait)
	defer late.Stop()
	for {
		select {
		case <-tick.C:
			if collection.Running(c.Dir) != pid {
				return nil
			}
		case <-late.C:
			return &exitError{exitAssertion, fmt.Errorf("process %d was asked to stop and is still finishing its visits after %v; kill -TERM %d again stops it immediately; nothing committed is lost", pid, c.Wait, pid)}
		case <-w.ctx.Done():
			return &exitError{code: exitInterrupted}
		}
	}
}
