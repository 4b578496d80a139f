// Package sink sends the pages of a collection to other programs while it is crawled.
//
// The one idea: a sink reads behind the journal. The crawl does not know of its sinks. Each
// sink has a goroutine that reads committed entries from a cursor on, makes records of them,
// sends the records in batches, and moves the cursor when a batch was accepted. The cursor is
// a file of the collection, so nothing is lost by a kill: what was not confirmed is sent
// again, with the same ids. A sink that is slow or dead falls behind and slows nothing down.
//
// How the parts fit: [Parse] reads the name of a sink. [Start] starts the feeds of a
// collection, one per sink; the loop of the crawl calls [Feeds.Serve], because only it may
// look into the frontier, and [Feeds.Finish] gives the sinks time to catch up. A feed
// (feed.go) turns entries into records (events.go, record.go) and passes batches to a target:
// a file (jsonl.go), an HTTP service (http.go), OpenSearch (opensearch.go) or NATS (nats.go).
// [Lags] reports how far the sinks of a collection are.
//
// Invariants: a record is made only of what is committed. Records with the same id are
// the same, and the versions of a page grow (number.go); so a repeated record has the same id, unless what it is made
// of has changed since it was first sent. The state of a sink after
// all records equals that of the collection: pages that were taken down, or that left the
// topic, are deleted there. A batch has at most 256 records and, but for one large record,
// 4 MiB.
//
// What it must never do: write a credential anywhere, follow a redirect, or contact a sink
// without consent, which package crawler asks for.
package sink
