package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
)

// messages prints lines that arrive while a crawl runs: what the program of an outside
// judge writes to its standard error, and what the judge has learnt. A live screen is
// redrawn in place, and a line between two drawings would be overwritten and would shift
// the screen. So with hold the lines are kept until release is called at the end of the
// crawl. Elsewhere they are printed as they arrive.
//
// The methods may be called from any goroutine: an outside judge writes whenever it
// likes, and models are trained next to the crawl.
type messages struct {
	mu   sync.Mutex
	out  io.Writer
	hold bool
	held []string
}

// judgeLine accepts one line of an outside judge. The line comes from another program
// and is made harmless for a terminal.
func (m *messages) judgeLine(line string) {
	m.add([]string{"judge: " + oneLine(line)})
}

// add accepts lines that belong together, and prints or keeps them.
func (m *messages) add(lines []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.hold {
		m.held = append(m.held, lines...)
		return
	}
	for _, l := range lines {
		fmt.Fprintln(m.out, l)
	}
}

// Write accepts a line of a log.
func (m *messages) Write(line []byte) (int, error) {
	m.add([]string{oneLine(strings.TrimSuffix(string(line), "\n"))})
	return len(line), nil
}

// release prints the lines that were kept; lines that arrive later are printed
// immediately.
func (m *messages) release() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, l := range m.held {
		fmt.Fprintln(m.out, l)
	}
	m.held, m.hold = nil, false
}
