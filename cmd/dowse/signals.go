package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// signals returns a context that ends at the first SIGINT or SIGTERM and one that
// ends at the second.
func signals() (ctx, abort context.Context, done func()) {
	ctx, stop := context.WithCancel(context.Background())
	abort, kill := context.WithCancel(context.Background())
	ch := make(chan os.Signal, 2)
	signal.Notify(ch, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-ch
		stop()
		<-ch
		kill()
	}()
	return ctx, abort, func() { signal.Stop(ch); stop(); kill() }
}
