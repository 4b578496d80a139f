package main

import (
	"fmt"
	"io"
	"sync"
)

// heard passes on what the program of an outside judge writes to its standard error, and
// what the judge of a crawl has learnt. Beside a live screen it waits until that is over.
type heard struct {
	mu   sync.Mutex
	out  io.Writer
	wait bool
	said []string
}

// say takes a line; it may be called from any goroutine.
func (h *heard) say(line string) {
	h.pass([]string{"judge: " + oneLine(line)})
}

// pass takes lines as they are; it may be called from any goroutine.
func (h *heard) pass(lines []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.wait {
		h.said = append(h.said, lines...)
		return
	}
	for _, l := range lines {
		fmt.Fprintln(h.out, l)
	}
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
