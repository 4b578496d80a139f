// Package search finds pages of collections by their words.
//
// # The idea
//
// The index is a cache. Everything in it can be made again from the journal and the archive of
// the collection, so it is dropped whenever there is doubt about it: if it is damaged, if it was
// copied from elsewhere, if another version wrote it, and after a takedown. It holds only what a
// visit brought: the words of title and text, the language and the date. What can change without a
// visit (verdict, relevance, whether a page was taken down) is taken from the loaded crawl when a
// query is answered, so an answer is never older than the state of the crawl in these respects.
//
// # How the parts fit
//
// [Update] brings the index of a collection up to date, as fast as it can; [Follow] does the same
// while a crawl runs, with a bounded share of a processor. Both work in short rounds. A round
// locks the index, opens the collection to read as any other process would, adds the next pages,
// and closes everything again. So a round that is killed loses nothing but itself, a takedown waits for
// one round at most, and readers are never blocked for longer. store.go has the folder on disk, check.go
// its checksums, update.go the rounds, pagetext.go what of a page is searched.
//
// [Open] returns a [Searcher] over one or several loaded collections. It reads a private copy of the
// index's root and maps the same segments, so that it is not affected by later rounds. query.go
// parses queries, match.go finds and rates pages, search.go makes results, snippet.go excerpts.
//
// The index is stored by scorch, the index of bleve. Pages are rated here and not by bleve: its BM25 divides the
// number of distinct words of all pages by the number of pages and takes it for the average length, uses the root of the
// frequency, and counts the rarity of a word twice. Ours is BM25F of Robertson, Zaragoza and Taylor
// (2004), with the statistics of all collections together.
//
// # What it must never do
//
// It must never read an index that this user did not write on this machine: files of scorch are
// mapped into memory, and their checksums (check.go) show accidents, not intent. It must never change anything in a collection but its own folder and lock.
package search
