// Package demo is a made web to try a focused crawl on: sites, pages and links
// with known answers, and on purpose everything that makes a crawl fail.
//
// Nothing is stored. Each page is made when it is asked for, from the seed and
// the number of the page, so a web of a million pages costs no more memory than
// its table of sites, and the same Config gives the same bytes. The text comes
// from a grammar and vocabularies of the package's own.
//
// A web is made of neighbourhoods of 48 sites. Most sites have a main topic, of
// twenty in a tree of three levels; pages keep to it mostly, and links keep to
// the topic of their page more often than chance would (see [Topology] for the
// figures and their sources). The sites that are there on purpose:
//
//	calendar   months without end, each with a next and a previous one
//	forum      every link carries a new session id
//	busy       answers 429 with Retry-After now and then
//	closed     robots.txt disallows everything
//	slow       takes its time
//	flaky      drops connections
//	mirror     another site's pages with a few words changed
//	moved      redirects: to pages, in chains, in loops
//	oldpages   windows-1252 bytes that are declared to be UTF-8
//	farm       two hosts full of the topic's words that link to each other
//	french, german   another language
//	passage, hidden  a tunnel: the hidden site is on topic, and the only way
//	           there leads through three pages in a row that are not
//
// Beside them there are dead links, files that are no pages, sections that
// robots.txt disallows, sitemaps, a relative link that repeats itself, and pages
// that mention a topic in passing.
//
// All hosts end in .demo and speak plain HTTP. They are reached in process
// ([Web.RoundTripper]) or on loopback ([Web.Serve]), never by DNS.
package demo
