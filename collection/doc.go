// Package collection keeps what a crawl gathered and decided in one directory
// on disk, and answers questions about it.
//
//	NAME.dowse/
//	  dowse.lock    lock of the process that crawls
//	  crawl.yaml    settings of the crawl
//	  topic.yaml    the topic
//	  topic.lock    which examples the topic was trained on
//	  examples.jsonl.zst  these examples
//	  answers.jsonl answers of the outside judge, if there is one
//	  labels.jsonl  labels that people gave to pages
//	  models/       trained models (m0001.json, …) and log.jsonl
//	  needs/        copies of the files that the strategies use
//	  archive/      the answers of the web: WARC files
//	  requisites/   images and the like that pages need, with a ledger and an index of their own
//	  indexes/      index.cdxj, made from them
//	  pages/        pages.jsonl (on topic) and extraPages.jsonl (the others)
//	  state/        journal, snapshots, summary of the views: see docs/formats.md
//	  search/       the full-text index, a cache; search.lock is its lock
//	  log/          crawl.log, one line per visit; sittings.jsonl, one per run
//	  README.md     a description for people
//
// # The idea
//
// The journal and the archive are the only source of truth. The journal is an
// append-only log of every decision, and the archive holds every answer. The
// state of the crawl is a fold of the journal; snapshots only shorten that fold.
// Lists, log, index and data card are views, which are made from journal and
// archive at every stop and can be deleted at any time.
//
// # How the parts fit
//
// [Create] and [Open] give a [Collection]; [Collection.Load] restores its crawl.
// A running crawl appends to the journal and the archive, calls
// [Collection.Checkpoint] to save the state, and [Collection.Summarise] to bring
// the views up to date. Readers list pages ([Collection.Pages]), explain single
// URLs ([Collection.Why]) and export ([Collection.Export]); they may do so while
// another process crawls. People add labels with [AppendLabels] at any time.
// [Forget] takes pages down. [Collection.Verify] checks everything, and
// [OpenWreck] reads what is left of a collection that can't be opened.
//
// # Invariants
//
//   - At most one process has a collection open to write; it holds dowse.lock.
//   - A record is in the archive before the entry that names it is committed. So
//     a crash leaves uncommitted records at the end of the archive, never
//     entries without records.
//   - Files other than journal, archive, labels, logs and views are replaced as a
//     whole: after a crash each is the old or the new version.
//   - A step that changes several files writes a plan first (state/change.json,
//     state/forget.json), and the next opening completes or drops it.
//   - Nothing of a page that was taken down remains but the fingerprint of its
//     URL, which keeps it from being fetched again.
//
// # What it must never do
//
// It must never repair damage silently. It cuts off only what a crash can have
// torn, and it saves complete records before it cuts. It must never change a
// file when opened to read. It must never trust a file because of where it is:
// a collection may come from elsewhere, so sizes are bounded, fields are checked,
// and links are not followed.
package collection
