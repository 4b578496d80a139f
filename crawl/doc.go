// Package crawl decides how a crawl goes on.
//
// [Crawl] is a deterministic state machine that does no I/O and reads no clock:
// Next tells which lead to visit at a given time, Absorb takes in what came back.
// The world is a driver around it: [Live] runs it with goroutines and the wall
// clock, the lab runs it over a web that holds still, in virtual time. Strategy,
// judge and frontier are the same code in both.
//
// Everything that happens to a crawl is an [Entry] of its journal, in order. The
// state is a fold of the journal: New, then Replay of every entry, gives the same
// Crawl, to the last digit, as the one that wrote them.
package crawl
