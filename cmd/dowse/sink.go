package main

import (
	"fmt"
	"io"
)

// A sink is the standard output. It remembers that something could not be written: a
// command whose output is lost has not done what was asked, also where it did not look.
type sink struct {
	out    io.Writer
	err    error      // the first
	width  func() int // columns of the terminal; nil if there is none
	colour bool
}

func (s *sink) columns() int {
	if s.width == nil {
		return 0
	}
	return s.width()
}

func (s *sink) coloured() bool { return s.colour }

func (s *sink) Write(p []byte) (int, error) {
	n, err := s.out.Write(p)
	if err != nil && s.err == nil {
		s.err = err
	}
	return n, err
}

// code returns the exit code of a command, which is never 0 if output was lost.
func (s *sink) code(w *world, code int) int {
	if s.err == nil || code != exitOK {
		return code
	}
	fmt.Fprintln(w.err, "dowse: the output is not complete:", s.err)
	return exitInterrupted
}
