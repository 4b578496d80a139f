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
	// abortGrace is how long one may take that was told not to finish either.
	abortGrace = 5 * time.Second
)

// interrupts lets signals end a command. The first SIGINT or SIGTERM ends ctx; a
// command that is not finishing something then has signalGrace to end by itself. The
// second ends abort; what is not over after abortGrace, or at the third, is ended.
type interrupts struct {
	ctx, abort context.Context
	stop, kill context.CancelFunc
	exit       func(code int) // ends the process
	finishing  atomic.Int32
	ch         chan os.Signal
}

// signals begins to listen.
func signals() *interrupts {
	i := &interrupts{exit: os.Exit, ch: make(chan os.Signal, 3)}
	i.ctx, i.stop = context.WithCancel(context.Background())
	i.abort, i.kill = context.WithCancel(context.Background())
	signal.Notify(i.ch, os.Interrupt, syscall.SIGTERM)
	go i.listen()
	return i
}

// done ends listening.
func (i *interrupts) done() {
	signal.Stop(i.ch)
	i.stop()
	i.kill()
}

// finish says that the command has something to finish when it is asked to end, as
// the visits under way, until the function that it returns is called.
func (i *interrupts) finish() (done func()) {
	if i == nil {
		return func() {}
	}
	i.finishing.Add(1)
	return func() { i.finishing.Add(-1) }
}

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

// second waits for the second signal. It reports false when the command has nothing
// to finish, and did not end in time.
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
