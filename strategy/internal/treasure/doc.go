// Package treasure finds its way by examples: pages that somebody knows, and the links
// that lead to them. Its strategies compare what they meet with a T-Graph, see package
// tgraph, and follow first what is like the last clicks before a target.
//
// [NewTreasure] compares links with links: the headings above them, their anchors and the
// text around them (the Treasure-Crawler of Seyfi and Patel 2015). [NewContextGraph] compares
// pages with pages (Diligenti et al. 2000, the baseline of that paper).
package treasure
