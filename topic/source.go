package topic

import "strconv"

// A Source names examples: exactly one of URL, File, WARC, Collection, Site and
// Text is set. Paths are relative to the topic's Dir.
type Source struct {
	URL        string // one page
	File       string // pattern of HTML or text files, as filepath.Match has it
	WARC       string // every page of a WARC file
	Match      string // of a WARC: only pages whose URL or title matches, as /re/ or /re/i
	Collection string // directory of a collection: its pages with a label
	Label      string // of a collection: "on" or "off"; "" means on for like, off for unlike
	Site       string // a whole site: pages of a host, from its first page on
	Text       string // the words themselves
	Limit      int    // pages at most; 0 means MaxPages, of a site SitePages
}

// The limits of what sources give.
const (
	MaxPages  = 500 // pages of one source
	SitePages = 25  // pages of a site
	MaxLike   = 200 // sources in like or unlike

	maxSourceText = 4000
)

// Most returns how many pages of the source are taken.
func (s Source) Most() int {
	most := MaxPages
	if s.Site != "" {
		most = SitePages
	}
	if s.Limit > 0 {
		return min(s.Limit, MaxPages)
	}
	return most
}

// String names the source for people, and in locks.
func (s Source) String() string {
	switch {
	case s.File != "":
		return "file " + s.File
	case s.WARC != "" && s.Match != "":
		return "warc " + s.WARC + " match " + s.Match
	case s.WARC != "":
		return "warc " + s.WARC
	case s.Collection != "" && s.Label != "":
		return "collection " + s.Collection + " label " + s.Label
	case s.Collection != "":
		return "collection " + s.Collection
	case s.Site != "":
		return "site " + s.Site
	case s.Text != "":
		return "text " + strconv.Quote(cut(s.Text))
	}
	return s.URL
}

// A Category is a place in a directory of the web, whose entries are examples.
type Category struct {
	Directory string // file with the directory
	Path      string // of the category in it
	Include   string // IncludeNode, or IncludeSubtree, which "" means
	Contrast  string // ContrastSiblings, which "" means, ContrastRandom or ContrastNone
}

// What of a category is taken, and what of the others.
const (
	IncludeNode      = "node"
	IncludeSubtree   = "subtree"
	ContrastSiblings = "siblings"
	ContrastRandom   = "random"
	ContrastNone     = "none"
)

// String names the category for people, and in locks.
func (c *Category) String() string { return "category " + c.Path + " of " + c.Directory }
