package main

import (
	"fmt"
	"io"
)

// A checkedOutput is the standard output. It remembers the first error of writing: a command whose
// output is lost, because a disk is full or a pipe was closed, has failed, even if it did
// not check for the error itself. Commands can therefore print without checking every
// call.
type checkedOutput struct {
	out    io.Writer
	err    error      // the first
	width  func() int // columns of the terminal; nil if there is none
	colour bool
}

// columns returns the width of the terminal, 0 if the output is none.
func (s *checkedOutput) columns() int {
	if s.width == nil {
		return 0
	}
	return s.width()
}

// coloured reports whether the output shows colours.
func (s *checkedOutput) coloured() bool { return s.colour }

// Write implements io.Writer.
func (s *checkedOutput) Write(p []byte) (int, error) {
	n, err := s.out.Write(p)
	if err != nil && s.err == nil {
		s.err = err
	}
	return n, err
}

// code returns the exit code of a command, which is 3 in place of 0 if output was lost.
func (s *checkedOutput) code(w *world, code int) int {
	if s.err == nil || code != exitOK {
		return code
	}
	fmt.Fprintln(w.err, "dowse: the output is not complete:", s.err)
	return exitInterrupted
}
