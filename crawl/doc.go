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
// of them, which is why experiments say something about real crawls.
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
// # Invariants
//
// A URL is in exactly one [dowse.State]. A host has at most as many visits in flight as politeness allows, and none
// before its rest is over. A visit in flight ends by Absorb, by its deadline, or as an
// orphan of an earlier run, and its URL waits again unless the outcome was final.
// Crawl is owned by one goroutine.
//
// # Cost
//
// A page costs one strategy call and one journal entry; a link costs one look-up of
// its URL and one update in a heap. A URL takes some tens of bytes in memory, its
// string lives in the journal; a host that was never visited takes 8 bytes and one
// bit.
package crawl
