package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	// signalGrace is how long a command may take to end after a signal, if it has
	// nothing to finish. Most never notice: they read a file, or wait for one.
	signalGrace = time.Second
	// abortGrace is how long a command may take after the second signal, which asks it
	// not to finish its work.
	abortGrace = 5 * time.Second
)

// interrupts ends a command on signals. The first SIGINT, SIGTERM or SIGHUP cancels ctx; a
// command that has nothing to finish then has signalGrace to end by itself. A SIGINT after
// the first signal cancels abort; after abortGrace, or at one more SIGINT, the process
// exits. A SIGTERM after the first signal has no effect: several programs may ask a crawl
// to stop at the same time, such as two dowse stop, and only a person at the terminal
// decides that the visits are not to be finished.
//
// So Ctrl-C is gentle for a crawl, which finishes its visits and saves, and immediate for
// a command that lists pages; and pressing it again always helps. Whatever happens, what
// a crawl has committed is safe: the journal is consistent at every moment.
//
//	signal                 crawl                        other commands
//	first                  finish visits, save, exit 3  exit 3 within a second
//	SIGINT after it        stop now, exit 130           exit 130
//	one more SIGINT        exit 130 without waiting
//	SIGTERM after a first  none                         none
//	SIGHUP                 as SIGTERM, or opens --log again
type interrupts struct {
	ctx, abort context.Context
	stop       context.CancelCauseFunc
	kill       context.CancelFunc
	exit       func(code int) // ends the process
	finishing  atomic.Int32
	hangup     atomic.Pointer[func() error] // called at SIGHUP in place of stopping; nil for none
	ch         chan os.Signal
}

// signals begins to handle SIGINT, SIGTERM and SIGHUP. A terminal that is closed sends SIGHUP,
// so a crawl in it stops gently; one with a log and without a terminal opens the log again.
func signals() *interrupts {
	i := &interrupts{exit: os.Exit, ch: make(chan os.Signal, 3)}
	i.ctx, i.stop = context.WithCancelCause(context.Background())
	i.abort, i.kill = context.WithCancel(context.Background())
	signal.Notify(i.ch, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it
		signal.Notify(i.ch, syscall.SIGHUP)
	}
	go i.listen()
	return i
}

// done stops handling signals and cancels both contexts.
func (i *interrupts) done() {
	signal.Stop(i.ch)
	i.stop(nil)
	i.kill()
}

// finish states that the command has work to finish when it is interrupted, such as
// visits in flight, until the returned function is called. Without such work a command
// that does not end by itself within a second is ended. A nil receiver is permitted, for
// tests.
func (i *interrupts) finish() (done func()) {
	if i == nil {
		return func() {}
	}
	i.finishing.Add(1)
	return func() { i.finishing.Add(-1) }
}

// listen carries out what the type describes, from the first signal on. It runs in a
// goroutine of its own, since a command that hangs in a system call, such as reading from
// a terminal, cannot watch a context.
func (i *interrupts) listen() {
	s := <-i.ch
	for ; s == syscall.SIGHUP && i.handlesHangup(); s = <-i.ch {
	}
	i.stop(signalled(s))
	if !i.second() {
		i.exit(exitInterrupted)
	}
	if i.finishing.Load() == 0 {
		i.exit(exitAborted)
	}
	i.kill()
	i.third()
	i.exit(exitAborted)
}

// signalled returns the cause of a stop, which the log of runs keeps.
func signalled(s os.Signal) error {
	switch s {
	case syscall.SIGHUP:
		return errors.New("SIGHUP")
	case syscall.SIGTERM:
		return errors.New("SIGTERM")
	}
	return errors.New("SIGINT")
}

// signalMeans explains what mostly sends a signal, by its name in the log of runs.
var signalMeans = map[string]string{
	"SIGHUP":  "paused because its terminal was closed (SIGHUP)",
	"SIGTERM": "paused by dowse stop, the dashboard or another program (SIGTERM)",
	"SIGINT":  "paused by Ctrl-C",
}

// onHangup has SIGHUP call a function instead of stopping the command, as daemons do to open
// their logs again. It does so under nohup, too, which only asks that SIGHUP ends nothing. A nil receiver is permitted, for tests.
func (i *interrupts) onHangup(do func() error) {
	if i != nil {
		i.hangup.Store(&do)
		signal.Notify(i.ch, syscall.SIGHUP)
	}
}

// handlesHangup calls the function of onHangup and reports whether there is one. If it fails,
// the signal stops the command: a log that can't be written is not what the user wants.
func (i *interrupts) handlesHangup() bool {
	do := i.hangup.Load()
	return do != nil && (*do)() == nil
}

// third waits for a SIGINT after the one that aborted, at most for abortGrace.
func (i *interrupts) third() {
	late := time.After(abortGrace)
	for {
		select {
		case s := <-i.ch:
			if s == os.Interrupt {
				return
			}
		case <-late:
			return
		}
	}
}

// second waits for a SIGINT after the first signal. It returns false if the command has
// nothing to finish and did not end within signalGrace.
func (i *interrupts) second() bool {
	const poll = 50 * time.Millisecond
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for idle := time.Duration(0); idle < signalGrace; {
		select {
		case s := <-i.ch:
			if s == os.Interrupt {
				return true
			}
		case <-tick.C:
			if idle += poll; i.finishing.Load() > 0 {
				idle = 0
			}
		}
	}
	return false
}

// stopAtEOF reads standard input to its end, and then stops the command as a SIGTERM does.
func (w *world) stopAtEOF() {
	_, _ = io.Copy(io.Discard, w.in)
	if w.ends == nil {
		return
	}
	select {
	case w.ends.ch <- syscall.SIGTERM:
	default: // signals wait already
	}
}
