package main

import (
	"fmt"
	"io"
	"sync"
)

// A heard collects lines that arrive during a crawl: what the program of an outside
// judge writes to its standard error, and what the judge has learnt. With wait it holds
// them back until tell is called, since they would disturb a live screen. Its methods
// may be called from any goroutine.
type heard struct {
	mu   sync.Mutex
	out  io.Writer
	wait bool
	said []string
}

// say accepts one line of an outside judge.
func (h *heard) say(line string) {
	h.pass([]string{"judge: " + oneLine(line)})
}

// pass accepts lines and prints them immediately unless they are to wait.
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

// tell prints the lines that waited; lines that arrive later are printed immediately.
func (h *heard) tell() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, l := range h.said {
		fmt.Fprintln(h.out, l)
	}
	h.said, h.wait = nil, false
}
