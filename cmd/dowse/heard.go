package main

import (
	"fmt"
	"io"
	"sync"
)

// heard passes on what the program of an outside judge writes to its standard error.
// Beside a live screen it waits until that is over.
type heard struct {
	mu   sync.Mutex
	out  io.Writer
	wait bool
	said []string
}

// say takes a line; it may be called from any goroutine.
func (h *heard) say(line string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	line = "judge: " + fit(oneLine(line), columns80-7)
	if h.wait {
		h.said = append(h.said, line)
		return
	}
	fmt.Fprintln(h.out, line)
}

// tell prints what waited.
func (h *heard) tell() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, l := range h.said {
		fmt.Fprintln(h.out, l)
	}
	h.said, h.wait = nil, false
}
