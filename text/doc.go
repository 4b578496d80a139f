// Package text turns words, as they stand in a page, into the terms that judges
// and strategies compare, and terms into vectors.
//
// A word is folded (NFC, lower case), dropped if it is shorter than two letters or
// a stop word, and stemmed. An [Analyzer] does this for one language and remembers
// what it found, because pages repeat themselves: of the words of a page nearly all
// were seen before. Chinese, Japanese and Korean are cut into pairs of characters
// ([Bigrams]). [Sketch] reduces a page to a few bytes by which
// near-duplicates are found. [Detect]
// tells the language of a page that does not declare its own.
//
// A [Census] of a training set gives a [Vocabulary], whole or the part that tells
// wanted documents from others by chi-square; with it texts become a sparse
// [Vector], weighted by [TFIDF].
//
// Everything here is pure: no clock, no files, no randomness, and what a memory
// holds never changes an answer. All types but [Census] may be used from many
// goroutines.
package text
