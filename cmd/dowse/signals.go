package main

import (
	"context"
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

// interrupts ends a command on signals. The first SIGINT or SIGTERM cancels ctx; a
// command that has nothing to finish then has signalGrace to end by itself. The second
// cancels abort; after abortGrace, or at the third signal, the process exits.
//
// So Ctrl-C is gentle for a crawl, which finishes its visits and saves, and immediate for
// a command that lists pages; and pressing it again always helps. Whatever happens, what
// a crawl has committed is safe: the journal is consistent at every moment.
//
//	signal   crawl                        other commands
//	first    finish visits, save, exit 3  exit 3 within a second
//	second   stop now, exit 130           exit 130
//	third    exit 130 without waiting
type interrupts struct {
	ctx, abort context.Context
	stop, kill context.CancelFunc
	exit       func(code int) // ends the process
	finishing  atomic.Int32
	ch         chan os.Signal
}

// signals begins to handle SIGINT and SIGTERM.
func signals() *interrupts {
	i := &interrupts{exit: os.Exit, ch: make(chan os.Signal, 3)}
	i.ctx, i.stop = context.WithCancel(context.Background())
	i.abort, i.kill = context.WithCancel(context.Background())
	signal.Notify(i.ch, os.Interrupt, syscall.SIGTERM)
	go i.listen()
	return i
}

// done stops handling signals and cancels both contexts.
func (i *interrupts) done() {
	signal.Stop(i.ch)
	i.stop()
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
	<-i.ch
	i.stop()
	if !i.second() {
		i.exit(exitInterrupted)
	}
	if i.finishing.Load() == 0 {
		i.exit(exitAborted)
	}
	i.kill()
	select {
	case <-i.ch:
	case <-time.After(abortGrace):
	}
	i.exit(exitAborted)
}

// second waits for the second signal. It returns false if the command has nothing to
// finish and did not end within signalGrace.
func (i *interrupts) second() bool {
	const poll = 50 * time.Millisecond
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for idle := time.Duration(0); idle < signalGrace; {
		select {
		case <-i.ch:
			return true
		case <-tick.C:
			if idle += poll; i.finishing.Load() > 0 {
				idle = 0
			}
		}
	}
	return false
}
