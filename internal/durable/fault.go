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

// A Short is a fault of a write that writes only the first half of the bytes.
type Short struct{ Err error }

func (s *Short) Error() string { return s.Err.Error() }
func (s *Short) Unwrap() error { return s.Err }

// ErrSkip, returned by the function that is given to Inject, lets a sync count
// as done without being made, which saves tests the waiting.
var ErrSkip = errors.New("left out")

// faults is the function that Inject set, nil for none. It is the only global
// of the package, and read with one atomic load per call.
var faults atomic.Pointer[func(op Op, path string) error]

// Inject makes calls to the file system fail, for tests: f is called before
// each one, concurrently, and the call fails with the error that f returns, if
// any. end removes f again, and restores the function that f replaced.
func Inject(f func(op Op, path string) error) (end func()) {
	before := faults.Swap(&f)
	return func() { faults.Store(before) }
}

// SkipSyncs leaves out all syncs, for tests: what a process has written outlives the
// process without them, if not the machine.
func SkipSyncs() (end func()) {
	return Inject(func(op Op, _ string) error {
		if op == OpSync {
			return ErrSkip
		}
		return nil
	})
}

func fault(op Op, path string) error {
	if f := faults.Load(); f != nil {
		return (*f)(op, path)
	}
	return nil
}
