// Package trace reads access logs and records who visited which pages in which
// order, for collaborative crawling: pages that the same people visit are
// related.
//
// Clients are people, and this package must never reveal them. Their names
// (addresses, idents) are replaced by keyed hashes when a line is read. Of an
// access only that hash, the page and the order in time are kept; messages
// about broken lines contain no text of the line. The key is a salt that the
// caller draws at random: with the same salt the same person has the same hash
// in another log; without it, names cannot be found by trying them.
//
// A [Builder] reads one or more logs, of any [Format], and makes a [Log], which
// is indexed by page and by user and never changes. A Log can be written to a
// file and read again ([Log.Write], [ReadLog]).
//
// Logs are streamed: memory grows with pages, people and kept accesses (16
// bytes each while reading, 12 afterwards), not with the size of the file. A
// line that cannot be parsed is counted and reported with its number, and never
// ends the reading.
package trace
