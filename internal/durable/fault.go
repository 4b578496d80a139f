package durable

import (
	"errors"
	"sync/atomic"
)

// An Op is a kind of call that this package makes to the file system.
type Op string

// The calls that can be made to fail, see [Inject].
const (
	OpOpen     Op = "open"
	OpRead     Op = "read"
	OpWrite    Op = "write"
	OpSync     Op = "sync"
	OpTruncate Op = "truncate"
	OpRename   Op = "rename"
	OpRemove   Op = "remove"
	OpMkdir    Op = "mkdir"
	OpList     Op = "list"
	OpStat     Op = "stat"
)

// A Short is a fault of a write of which one half is written.
type Short struct{ Err error }

func (s *Short) Error() string { return s.Err.Error() }
func (s *Short) Unwrap() error { return s.Err }

// ErrSkip, returned by the function that is given to Inject, lets a sync count as done
// without being made. It spares tests the waiting.
var ErrSkip = errors.New("left out")

// faults is what Inject set.
var faults atomic.Pointer[func(op Op, path string) error]

// Inject makes calls to the file system fail, for tests: f is called before each one, from
// any goroutine, and the call fails with the error that f returns, if any. end takes it
// back.
func Inject(f func(op Op, path string) error) (end func()) {
	faults.Store(&f)
	return func() { faults.Store(nil) }
}

func fault(op Op, path string) error {
	if f := faults.Load(); f != nil {
		return (*f)(op, path)
	}
	return nil
}
