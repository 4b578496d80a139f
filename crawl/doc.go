// Package crawl is the core of a crawl: it decides which URL is visited when, and what
// follows from each visit.
//
// # Idea
//
// [Crawl] is a deterministic state machine that does no I/O and reads no clock.
// [Crawl.Next] returns the visit to make at a given time, [Crawl.Absorb] processes the
// outcome of one. A driver around it does the rest: [Live] runs it with goroutines and
// the wall clock, a simulation with recorded pages and a virtual clock, and a player
// with the entries of a journal. Strategy, judge and frontier are the same code in all
// of them, so that what an experiment shows holds for real crawls.
//
// Everything that happens to a crawl is an [Entry] of its journal, in order. The state
// is a fold of the journal: New, then Fold, gives the same Crawl, to the last digit,
// as the one that wrote it. A snapshot only shortens that fold. Nothing that changes
// the state may happen without an entry.
//
// # Parts
//
// Crawl leads a visit through parts that each own their state:
//
//   - urls: the number and state of every URL, with the frontier that orders the waiting ones;
//   - intake: which URLs enter the queue, and how leads of the strategy are merged;
//   - picker: which lead is next, streaming or by rounds;
//   - hosts: rest, robots.txt and failures per host, and the state of the network;
//   - flights: visits in flight, with their deadlines;
//   - rounds: the current round, if the crawl works in rounds;
//   - recorder: writes entries, or compares with them during a replay.
//
// Package admission decides which URLs may be queued at all; package ledger stores
// entries.
//
// # Life of a page
//
// Next takes the best lead whose host is rested out of the frontier and returns it as a
// [Visit]. The driver fetches it and passes the page to Absorb. A temporary failure puts
// the lead back (EntryRetry). Every other outcome is a turn in three steps: prepareTurn
// decides whether the page is on topic and which of its links can be queued, the strategy
// returns leads for them (Follow), and finishTurn settles the page's URL, applies the
// leads and records one entry. The entry comes last, so that it holds what was decided,
// and nothing is decided after it that a replay would have to guess.
//
// # Goroutines
//
// A Crawl belongs to one goroutine, and so do its strategy, its shadows and the callbacks
// of [Config]: they are called within Next, Absorb and the other methods. [Live] keeps to
// this: the goroutine that calls Run is the only one that touches the crawl. It calls
// Keep, Committed, Checkpoint and Tick, which therefore may look at the crawl. The
// goroutines of visits call the [Visitor] and the clock and nothing else. Commit has a
// goroutine of its own, so that the crawl goes on while a disk syncs; it must not touch
// the crawl.
//
// # What a crash leaves
//
// A page is first kept (its body goes to the archive), then absorbed (its entry goes to
// the journal), then committed (both are on disk), and only then reported to the user.
// A crash between two steps leaves bytes at the end of the archive or of the journal that
// belong to no committed page. The next run cuts them off: the journal at its first torn
// entry, the archive behind [Crawl.LastArchived]. Visits that were in flight left no
// entry. Their URLs are orphans: the next run returns them to the queue, and lets every
// host rest before it is visited (see clock.go), since it may have been visited
// a moment before the crash. Pages of a round that is not complete are visited again.
//
// # Invariants
//
// A URL is in exactly one [dowse.State]. A host has at most as many visits in flight as
// politeness allows, and none before its rest is over. A visit in flight ends by Absorb,
// by its deadline, or as an orphan of an earlier run, and its URL waits again unless the
// outcome was final.
//
// # Cost
//
// A page costs one strategy call and one journal entry; a link costs one look-up of
// its URL and one update in a heap. A URL takes some tens of bytes in memory, its
// string lives in the journal; a host that was never visited takes 8 bytes and one
// bit.
package crawl
