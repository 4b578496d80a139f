// Package crawl decides how a crawl goes on.
//
// [Crawl] is a deterministic state machine that does no I/O and reads no clock:
// Next returns the lead to visit at a given time, Absorb takes in what came back.
// The world is a driver around it: [Live] runs it with goroutines and the wall
// clock, the lab runs it over a recorded web, in virtual time, and a player runs it with
// the entries of its journal. Strategy, judge and frontier are the same code in all of them.
//
// Crawl leads a visit through parts that each have their own state: urls, intake, picker,
// hosts, flights, rounds, recorder. Which URLs may be queued is decided by package admission;
// entries are kept by package ledger.
//
// Everything that happens to a crawl is an [Entry] of its journal, in order. The
// state is a fold of the journal: New, then Fold, gives the same
// Crawl, to the last digit, as the one that wrote them.
package crawl
