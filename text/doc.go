// Package text turns words, as they stand in a page, into the terms that judges
// and strategies compare.
//
// A word is folded (NFC, lower case), dropped if it is shorter than two letters or
// a stop word, and stemmed. An [Analyzer] does this for one language and remembers
// what it found, because pages repeat themselves: of the words of a page nearly all
// were seen before. [Simhash] reduces a page to 64 bits that tell near-duplicates.
//
// Everything here is pure: no clock, no files, no randomness, and what a memory
// holds never changes an answer. All types may be used from many goroutines.
package text
