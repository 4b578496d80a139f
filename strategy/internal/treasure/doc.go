// Package treasure contains strategies that learn from examples before the crawl: from
// pages that somebody knows, and from the links that lead to them. Both compare what they
// meet with a T-Graph, see package tgraph, and follow first what resembles the last clicks
// before a target.
//
// [NewTreasure] compares links with links: the headings above them, their anchors and the
// text around them (the Treasure-Crawler of Seyfi and Patel 2015; SPEC C.7).
// [NewContextGraph] compares pages with pages (Diligenti et al. 2000, the baseline of that
// paper; SPEC C.8).
//
// # Cost
//
// Neither learns during the crawl, so that their state is small. A link costs [NewTreasure]
// the T-Graph's nodes that share a word with it, found by an inverted index; a page costs
// [NewContextGraph] one naive Bayes classification over 40 terms. Memory is that of the
// T-Graph, which is bounded when it is built.
package treasure
