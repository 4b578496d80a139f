package collection

import (
	"errors"
	"fmt"
	"path/filepath"
	"syscall"

	"dowse"
	"dowse/crawl"
	"dowse/internal/archive"
	"dowse/internal/frontier"
	"dowse/internal/ledger"
)

// Unread lists what was passed over because it can't be read. Each problem
// is listed once, and More counts those beyond the limit.
type Unread struct {
	Problems []Problem
	More     int // that are not listed

	known map[Problem]bool
}

// Count returns how many things were passed over.
func (u *Unread) Count() int { return len(u.Problems) + u.More }

// add records a problem once.
func (u *Unread) add(p Problem) {
	if u.known[p] {
		return
	}
	if len(u.Problems) >= maxProblems {
		u.More++
		return
	}
	if u.known == nil {
		u.known = map[Problem]bool{}
	}
	u.known[p] = true
	u.Problems = append(u.Problems, p)
}

// lostText is the error of a record that can't be decoded. It matches [ledger.ErrTextLost], and so [ErrDamaged].
type lostText struct{ error }

// Unwrap returns the cause and the kind of the error.
func (e lostText) Unwrap() []error { return []error{e.error, ledger.ErrTextLost} }

// reading returns an error of reading a record as a lostText if the record can't be decoded. A page that was erased or never kept is no
// damage, and a disk that fails says nothing about the record.
func reading(err error) error {
	var system syscall.Errno
	if err == nil || errors.Is(err, ErrErased) || errors.Is(err, ErrNotKept) || errors.As(err, &system) {
		return err
	}
	return lostText{err}
}

// doSalvage is what to do about damage.
const doSalvage = "restore the file from a copy, or salvage the collection"

// passOver records a gap in the journal for a reader, who goes on behind it,
// and returns nil. Any other error is returned, and so is a gap for a
// writer.
func (c *Collection) passOver(err error) error {
	var gap *crawl.Gap
	if !c.readOnly || !errors.As(err, &gap) {
		return err
	}
	if isHeld(c.Dir) {
		return nil // it is just being written
	}
	c.Unread.add(Problem{fmt.Sprintf("state/journal, offset %d", gap.At), fmt.Sprintf("%d bytes can't be read: %v", gap.Next-gap.At, gap.Err), doSalvage, repairSalvage})
	return nil
}

// unreadPage records a page whose record can't be read.
func (c *Collection) unreadPage(u dowse.URL, err error) {
	c.Unread.add(Problem{string(u), err.Error(), doSalvage, repairSalvage})
}

// unreadRecord records a part of the archive that can't be read.
func (c *Collection) unreadRecord(l archive.Loss) {
	c.Unread.add(Problem{
		fmt.Sprintf("archive/%s, offset %d", filepath.Base(l.Path), l.Offset), fmt.Sprintf("%d bytes can't be read: %v", l.Length, l.Err), doSalvage, repairSalvage,
	})
}

// misnamed reports whether the string of a URL can't be trusted, because the
// journal is damaged.
func (c *Collection) misnamed(id frontier.ID) bool {
	if c.Unread.Count() == 0 {
		return false
	}
	found, ok := c.Crawl.Frontier().Find(c.URL(id))
	return !ok || found != id
}
