package trace

import (
	"fmt"

	"dowse"
)

// A Log records who visited what, indexed by page and by user. Pages and users
// are numbered from 0 in the order in which they first occurred. It is never
// changed and safe for concurrent use; the slices that it returns must not be
// changed.
//
// The path of all users is one slice; a user is a section of it, and a session
// begins where its bit in begins is set. Both indexes are made from the path, so
// that a file contains only the path.
type Log struct {
	pages *names
	keys  []uint64 // of users

	path   []uint32 // pages of all accesses: user by user, each in order of time
	starts []uint32 // by user: where its part of path begins; one more at the end
	begins bits     // accesses that begin a session

	accesses index // by page: indexes in path
	visitors index // by page: its users
}

// An index holds one list of numbers per page, all in one slice.
type index struct {
	starts []uint32 // one more at the end
	items  []uint32
}

func (x *index) of(page uint32) []uint32 {
	from, to := x.starts[page], x.starts[page+1]
	return x.items[from:to:to]
}

// Pages returns the number of pages that were visited.
func (l *Log) Pages() int { return len(l.pages.list) }

// Users returns the number of people.
func (l *Log) Users() int { return len(l.keys) }

// Accesses returns the number of accesses that were kept.
func (l *Log) Accesses() int { return len(l.path) }

// Sessions returns the number of sessions: runs of accesses of one person
// without a long pause.
func (l *Log) Sessions() int { return l.begins.count() }

// Page returns the number of a URL; ok is false if it was never visited.
func (l *Log) Page(u dowse.URL) (page uint32, ok bool) { return l.pages.find(string(u)) }

// URL returns the URL of a page.
func (l *Log) URL(page uint32) dowse.URL { return dowse.URL(l.pages.list[page]) }

// Visits returns the number of accesses to a page.
func (l *Log) Visits(page uint32) int { return len(l.accesses.of(page)) }

// Visitors returns the users who visited a page, each once, in ascending order.
func (l *Log) Visitors(page uint32) []uint32 { return l.visitors.of(page) }

// Path returns the pages that a user visited, in order of time, with
// repetitions.
func (l *Log) Path(user uint32) []uint32 {
	from, to := l.starts[user], l.starts[user+1]
	return l.path[from:to:to]
}

// reloads bounds how many accesses to a page are examined per visitor, on
// average: people reload pages, and some programs do nothing else.
const reloads = 16

// Around appends the other pages that visitors of a page visited just before
// and after it in the same session: at most n before and n after each access,
// of the first most visitors. A page may be appended several times.
//
// The cost is bounded by most and n and does not depend on how popular the page
// is: accesses are examined in order of users, and never more than most·reloads.
func (l *Log) Around(dst []uint32, page uint32, most, n int) []uint32 {
	end := uint32(len(l.path))
	if who := l.Visitors(page); len(who) > most {
		end = l.starts[who[most]]
	}
	at := l.accesses.of(page)
	for _, i := range at[:min(len(at), most*reloads)] {
		if i >= end {
			break
		}
		dst = l.near(dst, i, n)
	}
	return dst
}

// near appends the pages around one access. A session ends where the next one
// begins.
func (l *Log) near(dst []uint32, i uint32, n int) []uint32 {
	page := l.path[i]
	for j, k := i, 0; k < n && !l.begins.has(j); k++ {
		j--
		if l.path[j] != page {
			dst = append(dst, l.path[j])
		}
	}
	for j, k := i+1, 0; k < n && int(j) < len(l.path) && !l.begins.has(j); j, k = j+1, k+1 {
		if l.path[j] != page {
			dst = append(dst, l.path[j])
		}
	}
	return dst
}

// Key returns the hash of a user, which is the same in every log that was read
// with the same salt.
func (l *Log) Key(user uint32) string { return fmt.Sprintf("%016x", l.keys[user]) }
