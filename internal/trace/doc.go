// Package trace tells who went where: it reads access logs for collaborative
// crawling.
//
// Clients are people. Their names (addresses, idents) are replaced by keyed hashes
// when a line is read; of an access nothing else is kept than that hash, the page and
// the order in time. The key is a salt that the caller draws at random: with the same
// salt the same person has the same key in another log, without it nobody can tell
// who it was by trying names.
//
// Logs are streamed: memory grows with pages, people and accesses that are kept (12
// bytes for each of the latter), not with the size of the file. A line that can't be
// read is counted and reported with its number, and never ends the reading.
package trace
