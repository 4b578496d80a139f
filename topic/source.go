package topic

import "strconv"

// A Source names examples: exactly one of URL, File, WARC, Collection, Site and
// Text is set. Paths are relative to the topic's Dir.
type Source struct {
	URL        string // one page
	File       string // pattern of HTML or text files, in the syntax of filepath.Match
	WARC       string // every page of a WARC file
	Match      string // with WARC: only pages whose URL or title matches /re/ or /re/i
	Collection string // directory of a collection: its pages with a label
	Label      string // with Collection: "on" or "off"; default on for like, off for unlike
	Site       string // a whole site: pages of a host, from its homepage on
	Text       string // the words themselves
	Limit      int    // pages at most; default 500, for a site 25
}

// The limits of what sources supply.
const (
	maxPages  = 500 // pages per source
	sitePages = 25  // pages per site, unless Limit is set
	maxLike   = 200 // sources in like or unlike

	maxSourceText = 4000
)

// Most returns how many pages of the source are used at most.
func (s Source) Most() int {
	most := maxPages
	if s.Site != "" {
		most = sitePages
	}
	if s.Limit > 0 {
		return min(s.Limit, maxPages)
	}
	return most
}

// String returns the name of the source in messages and locks.
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

// A Category is a place in a web directory whose entries are examples. In
// [Topic.Categories] it may be a model instead.
type Category struct {
	Directory string // file with the directory
	Path      string // path of the category in it
	Include   string // node or subtree; default subtree
	Contrast  string // siblings, random or none; default siblings
	Model     string // file with a model, in place of a directory; only in Categories
}

// Which entries of a category are examples, and which others are contrast.
const (
	includeNode      = "node"
	includeSubtree   = "subtree"
	contrastSiblings = "siblings"
	contrastRandom   = "random"
	contrastNone     = "none"
)

// String returns the name of the category in messages and locks.
func (c *Category) String() string { return "category " + c.Path + " of " + c.Directory }
