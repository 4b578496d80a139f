package input

import "dowse"

// A Trace records which people accessed which pages. Pages and users are numbered from 0. A
// trace does not change during a crawl, and its methods may be called concurrently. The
// slices it returns must not be changed.
type Trace interface {
	// Pages and Users return the numbers of pages and of users.
	Pages() int
	Users() int
	// Page returns the number of a URL that was accessed; URL is its inverse.
	Page(u dowse.URL) (page uint32, ok bool)
	URL(page uint32) dowse.URL
	// Visits returns the number of accesses to a page.
	Visits(page uint32) int
	// Visitors returns the users of a page, each once.
	Visitors(page uint32) []uint32
	// Path returns the pages that a user accessed, in order of time.
	Path(user uint32) []uint32
	// Around appends the other pages that the first visitors of a page, at most most of
	// them, accessed just before and after it: n of each. A page may occur twice.
	Around(dst []uint32, page uint32, most, n int) []uint32
	// Key distinguishes a user from others in every trace that was read in the same way. It
	// is not a name.
	Key(user uint32) string
}
