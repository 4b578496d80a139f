// Package demo generates a synthetic web on which a focused crawl can be tried:
// sites, pages and links with known answers, and on purpose everything that
// makes a crawl fail.
//
// Nothing is stored. A page is generated when it is requested, from the random
// seed and the number of the page, so a web of a million pages needs no more
// memory than its table of sites, and the same [Config] gives the same bytes on
// every machine. What a page is about is decided first (its lexicon); its URL,
// links and text follow from that, and so does the ground truth ([Web.Truth]).
// The text comes from a grammar and vocabularies of the package.
//
// A web consists of neighbourhoods of 48 sites. Most sites have a main topic,
// one of twenty in a tree of three levels; pages mostly keep to it, and links
// lead to the topic of their page more often than chance would (see [Topology]
// for the figures and their sources). Sites that are there on purpose:
//
//	calendar   months without end, each with a next and a previous one
//	forum      every link carries a new session id
//	busy       answers 429 with Retry-After now and then
//	closed     robots.txt disallows everything
//	slow       answers after a long delay
//	flaky      drops connections
//	mirror     another site's pages with a few words changed
//	moved      redirects: to pages, in chains, in loops
//	oldpages   windows-1252 bytes that are declared to be UTF-8
//	farm       two hosts full of the topic's words that link to each other
//	french, german   another language
//	passage, hidden  a tunnel: the hidden site is on topic, and the only path
//	to it leads through three pages in a row that are not
//
// There are also dead links, files that are not pages, sections that robots.txt
// disallows, sitemaps, a relative link that repeats itself, and pages that
// mention a topic in passing.
//
// A [Changing] is the same web with a clock: its pages change, vanish and appear.
//
// A [Town] is a second kind of web, of many small sites, for crawlers that look
// for whole sites. A [Campus] is a third kind, like the web of universities, where
// the function of a page is looked for and not its subject.
//
// How the parts fit: sites.go lays out the table of sites, links.go decides the
// links of a page, address.go maps pages to URLs and back, text.go and
// render.go write the HTML, answer.go and traps.go answer requests, truth.go
// and oracle.go hold the answers that a crawl is measured by, serve.go makes
// the web reachable.
//
// All hosts end in .demo and use plain HTTP. They are reached in process
// ([Web.RoundTripper]) or on loopback ([Web.Serve]); no name is ever looked up.
// A Web, a Town and a Campus are immutable and safe for concurrent use. Generating a page
// takes some tens of microseconds. The bytes are part of the measured results:
// nothing that is drawn may change its order.
package demo
