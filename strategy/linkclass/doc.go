// Package linkclass contains the link classifiers of Taylan et al. 2011: they decide
// by a link's own words, those of its anchor and its URL, whether to follow it.
//
// # Idea
//
// A page on topic has many links that lead elsewhere, and best-first strategies give
// all of them the same chance. Here each link is classified on its own. There are two
// methods:
//
//   - The link score of Pal et al. 2009 (eq. 4): similarity of URL and anchor with the topic, plus the number of relevant linking pages, plus the sum of the relevance of all linking pages. [NewLSFC] orders links by it, [NewOptimisedLSFC] follows only links with a high score.
//   - Naive Bayes over the terms of anchor and URL (eqs 5 to 7), trained on links whose pages were visited. [NewNB] follows the links that are probably relevant, [NewNBThreshold] requires a higher probability, [NewNBUpdateable] continues to learn during the crawl.
//
// Links of irrelevant pages are ordered by their score in all of them, and only down
// to a number of irrelevant pages in a row.
//
// # Invariants and cost
//
// What is known of a URL (its standing) is kept in the note of its lead. A score never
// falls as further links are found. A link costs the terms of its anchor and URL, of
// which only a bounded number is read. Memory is bounded by the vocabulary of the
// model, and during training by 50,000 kept links.
package linkclass
