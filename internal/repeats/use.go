package repeats

import "slices"

// A Use is what is done without the parts of a page that other pages of its host have too.
// The zero Use does nothing without them, and needs no knowledge of them.
type Use struct {
	// Judge has the judge rate the rest of the page.
	Judge bool
	// Links has links in such parts followed without their words, and ends the words
	// around other links where such a part begins.
	Links bool
}

// Uses are the names of the uses, as settings and experiments have them.
var Uses = []string{"judge", "links"}

// UseOf returns the use that names select. Unknown names select none.
func UseOf(names []string) Use {
	return Use{Judge: slices.Contains(names, Uses[0]), Links: slices.Contains(names, Uses[1])}
}

// Any reports whether a crawl has to find such parts.
func (u Use) Any() bool { return u.Judge || u.Links }
