// Package text turns the words of a page into the terms that judges and
// strategies compare, and terms into vectors.
//
// A word is folded (NFC, lower case), dropped if it has fewer than two letters
// or is a stop word, and stemmed. An [Analyzer] does this for one language and
// caches the result, because nearly all words of a page were seen on an earlier
// one. Chinese, Japanese and Korean are cut into pairs of characters
// ([Bigrams]). [Sketch] reduces a page to a few bytes by which near-duplicates
// are found. [Detect] guesses the language of a page that does not declare one.
//
// A [Census] of a training set gives a [Vocabulary]: all terms, or those that
// best separate positive from negative documents by chi-square. With it texts
// become a sparse [Vector], weighted by [TFIDF].
//
// Everything here is pure: no clock, no files, and no randomness that changes a
// result. The caches ([Memo], [Codes]) hold a fixed number of words and never
// change an answer; neither do the numbers of words ([Number]). All types but [Census] are safe for concurrent use.
package text
