// Package hostile serves hostile sites: everything that the web does to a crawler.
//
// Each [Row] is a site of its own, with a host name and a loopback address of its own, that
// does one thing which has hurt crawlers: it hangs, floods, lies, sends them in circles or
// into the inside of a network. The site also has ordinary pages, because it matters as
// much that these are still fetched. The server records every request, and a row's checks
// read that log and what the crawl reports about each URL.
//
// A crawl of all rows looks like this: [Serve], crawl from [Server.Seeds] with the name
// server [Server.Resolver], allowed to dial [Server.Networks] and nothing else on this
// machine, then call [Server.Check] for each row.
//
// How the parts fit: act.go has the building blocks of answers (an act handles one
// request), site.go puts acts on paths, check.go has the checks; each of the other files
// holds the rows of one subject, from DNS and TLS to markup and traps. Package template
// generates sites that look alike without being copies.
//
// # Adding a row
//
// A row needs an id, a sentence on what the site does and one on what a good crawler does,
// a function that opens the site, and checks. Checks bound requests from both sides where
// they can: a crawler that never meets the danger has not been tested. They must not depend
// on how fast the machine is; where time has to be measured, it is the site's own, between
// two requests. TestCareless runs a crawler that does everything wrong, and the checks of
// some rows have to find it out: a new kind of check belongs there, since a check that
// cannot fail protects nothing.
//
// # What it does not do
//
// The rows are a contract, not an implementation: a row states what a good crawler does,
// and may be run against any crawler. Nothing here leaves the machine: sites listen on
// addresses of 127.0.0.0/8, names exist only on the server's own name server, and the
// addresses that represent the inside of a network count who connects to them.
package hostile

import (
	"slices"

	"dowse"
)

// Agent is the product token in the rows' robots.txt files, which a crawl of
// them must therefore use.
const Agent = "wellbehaved"

// Topic is the subject of the honeypot's pages.
const Topic = "tide pools"

// A Row is one thing that a site can do, and how a good crawler reacts. Ids are stable:
// other documents and tests refer to them.
type Row struct {
	ID     string // "R01"
	Does   string // what the site does
	Wants  string // what the crawler does then
	Should bool   // a sensible default rather than a promise

	pages  access // what may become of the ordinary pages
	open   func(s *Site)
	checks []check
}

// access is what may become of a site's ordinary pages.
type access uint8

// What may become of ordinary pages. The default is the strictest: that a site does
// something bad to a crawler is no reason to lose its other pages.
const (
	fetched  access = iota // all of them are fetched
	closed                 // none of them may be
	parked                 // the host is left alone: nothing but robots.txt and a few tries
	whatever               // as it comes
)

// Rows returns all rows, in their order. They are made anew at each call, so that a test
// may change its own.
func Rows() []Row {
	return slices.Concat(robotsRows(), politeRows(), httpRows(), http2Rows(), markupRows(), trapRows(), templateRows(), sitemapRows(), nameRows(), hostRows())
}

// A Finding is what a crawl reports about a URL. A crawler of another kind is tested by
// translating its own report into findings.
type Finding struct {
	URL    dowse.URL
	State  dowse.State
	Reason dowse.Reason // why it was skipped or failed
	Detail string       // the same in words
	Title  string
	Fetch  dowse.Fetch
}
