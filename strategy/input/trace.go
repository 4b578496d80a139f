package input

import "dowse"

// A Trace records who visited what. Pages and users are numbered from 0. It does not
// change during a crawl. The slices it returns must not be changed.
type Trace interface {
	// Pages and Users count them.
	Pages() int
	Users() int
	// Page returns the number of a URL, if anybody went there; URL is its inverse.
	Page(u dowse.URL) (page uint32, ok bool)
	URL(page uint32) dowse.URL
	// Visits counts the accesses to a page.
	Visits(page uint32) int
	// Visitors returns the users of a page, each once.
	Visitors(page uint32) []uint32
	// Path returns the pages that a user accessed, in order of time.
	Path(user uint32) []uint32
	// Around appends the other pages that the first visitors of a page, at most so
	// many, accessed just before and after it: n of each. A page may come twice.
	Around(dst []uint32, page uint32, most, n int) []uint32
	// Key distinguishes a user from others in every trace that was read in the same way. It
	// is not a name.
	Key(user uint32) string
}
