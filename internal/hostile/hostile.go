// Package hostile is a server of hostile sites: what does the web do to a crawler?
//
// Each [Row] is a site of its own, with a host name and a loopback address of its
// own, that does one thing which has hurt crawlers: it hangs, floods, lies, sends
// them in circles or into the inside of a network. Beside it the site has ordinary
// pages, because what matters is also that these are still fetched. The server
// writes down every request, and a row's checks read that log and what the crawl
// says became of each URL.
//
// A crawl of all rows at once looks like this: [Serve], crawl from [Server.Seeds]
// with the name server [Server.Resolver], allowed to dial [Server.Networks] and
// nothing else on this machine, then ask [Server.Check] for each row.
package hostile

import (
	"slices"

	"dowse"
)

// Agent is the product token that the rows' robots.txt files name, so the one that
// a crawl of them must use.
const Agent = "wellbehaved"

// Topic is what the honeypot's pages are about.
const Topic = "tide pools"

// A Row is one thing that a site can do, and what a good crawler does then.
type Row struct {
	ID     string // "R01"
	Does   string // what the site does
	Wants  string // what the crawler does then
	Should bool   // a sensible default rather than a promise

	pages  access // what may become of the ordinary pages
	open   func(s *Site)
	checks []check
}

// access tells what may become of a site's ordinary pages.
type access uint8

const (
	fetched  access = iota // all of them are fetched
	closed                 // none of them may be
	parked                 // the host is left alone: nothing but robots.txt and a few tries
	whatever               // as it comes
)

// Rows returns all rows, in their order.
func Rows() []Row {
	return slices.Concat(robotsRows(), politeRows(), httpRows(), http2Rows(), markupRows(), trapRows(), templateRows(), sitemapRows(), nameRows(), hostRows())
}

// A Finding is what a crawl says became of a URL.
type Finding struct {
	URL    dowse.URL
	State  dowse.State
	Reason dowse.Reason // why it was skipped or failed
	Detail string       // the same in words
	Title  string
	Fetch  dowse.Fetch
}
