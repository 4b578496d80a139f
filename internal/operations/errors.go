package operations

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/durable"
	"dowse/internal/search"
	"dowse/settings"
)

// A Kind is what is wrong with a request.
type Kind string

// The kinds of errors that the caller can mend.
const (
	NotFound Kind = "not_found" // there is no such collection, page, model or file
	Invalid  Kind = "invalid"   // a parameter has a value that can't be used
	Conflict Kind = "conflict"  // the state of the collection does not allow it now
	TooLarge Kind = "too_large" // more was asked for than one call may
	Refused  Kind = "refused"   // it needs a permission that was not given when the program was started
	Busy     Kind = "busy"      // too much is going on; try again later
	Damaged  Kind = "damaged"   // the collection can't be read
	DiskFull Kind = "disk_full" // there is no room to write
)

// An Error is an error that the caller can mend. Its text is for people: it names the thing,
// the problem and what to do.
type Error struct {
	Kind  Kind
	Field string // the parameter that is wrong, "" if it is none
	Err   error
}

// Error returns the text for people.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// failf returns an Error.
func failf(kind Kind, field, format string, args ...any) error {
	return &Error{kind, field, fmt.Errorf(format, args...)}
}

// KindOf returns the kind of an error, "" for one that the caller can't mend.
func KindOf(err error) Kind {
	var e *Error
	var damage *collection.DamageError
	var format *collection.FormatError
	var setting *settings.Error
	var frozen *crawler.FrozenError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &e):
		return e.Kind
	case errors.As(err, &damage), errors.As(err, &format), errors.Is(err, collection.ErrDamaged), errors.Is(err, durable.ErrNotPlain): // first: damage may have any of the causes below
		return Damaged
	case errors.Is(err, fs.ErrPermission):
		return Refused
	case crawler.DiskFull(err):
		return DiskFull
	case errors.Is(err, collection.ErrUnknown), errors.Is(err, collection.ErrNotKept), errors.Is(err, collection.ErrErased), errors.Is(err, fs.ErrNotExist):
		return NotFound
	case errors.Is(err, search.ErrQuery), errors.As(err, &setting), errors.Is(err, collection.ErrSuffix), errors.Is(err, collection.ErrSettings):
		return Invalid
	case errors.Is(err, collection.ErrLocked), errors.Is(err, collection.ErrForgotten), errors.As(err, &frozen),
		errors.Is(err, crawler.ErrMidRound), errors.Is(err, collection.ErrNoSites), errors.Is(err, collection.ErrHolder), errors.Is(err, collection.ErrExists):
		return Conflict
	case errors.Is(err, search.ErrBusy), errors.Is(err, context.DeadlineExceeded):
		return Busy
	}
	return ""
}
