// Package predicate tests pages against a condition that a person wrote: a tree of
// clauses over facts of a page, or an expression of keywords, phrases, categories
// and parts of the URL.
//
// A tree ([FromTree]) is what stands under where: in a topic file. Its groups are
// all, any and not; its leaves name a fact and how it is matched; an expression in
// CEL is a leaf, too. An expression ([ParseExpr]) has the atoms keyword, phrase,
// category, host_suffix, url_suffix, url_contains, url_regex and lang, joined by
// and, or and not, as Aggarwal et al. 2001 state what a crawl looks for. Both make
// the same [Predicate], and each may stand in the other's JSON form.
//
// Facts that a page does not tell are neither true nor false. They go through all,
// any and not by Kleene's logic, and what is still unknown at the top passes or
// fails as unknown: says; it fails where nothing is said.
//
// Every clause reports for itself, so that none is skipped because another has
// decided already. The package is pure. Regular expressions are RE2, texts are cut
// before they are matched, expressions have a cost limit: no predicate runs long
// whatever the page is.
package predicate
