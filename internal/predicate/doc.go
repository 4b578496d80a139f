// Package predicate tests pages against a condition that a person wrote: a tree
// of clauses over facts of a page, or an expression of keywords, phrases,
// categories and parts of the URL.
//
// A tree ([FromTree]) is the value of where: in a topic file. Its groups are
// all, any and not; its leaves name a fact and how it is matched; an expression
// in CEL is a leaf too. An expression ([ParseExpr]) has the atoms keyword,
// phrase, category, host_suffix, url_suffix, url_contains, url_regex and lang,
// joined by and, or and not, as Aggarwal et al. 2001 state what a crawl looks
// for. Both make the same [Predicate], and each may occur in the other's JSON
// form.
//
// The one idea: a fact that a page does not have is neither true nor false but
// unknown. Unknown passes through all, any and not by Kleene's three-valued
// logic, and what is still unknown at the top passes or fails as unknown:
// states; the default is to fail. So "not published before 2020" does not
// accept pages without a date by accident.
//
// How the parts fit: fact.go lists the facts and how they are read, reading.go
// caches them for one page; build.go, matcher.go and atom.go turn a tree into
// nodes and report all problems with their places; expr.go and print.go convert
// expressions from and to text; node.go, tests.go, want.go and cel.go evaluate.
//
// A predicate is made once and tests many pages, so all that can be done for
// the predicate alone is done when it is made: strings are folded, patterns and
// CEL are compiled, keywords are stemmed. What remains per page is cached in a
// reading, so two clauses about the same fact cost hardly more than one.
//
// Every clause reports its outcome, so none is skipped because another one has
// decided already: a user who asks why a page was rejected sees all of them.
//
// The package is pure: no clock, no files, no network. Predicates and pages are
// both untrusted. Regular expressions are RE2, texts are cut before they are
// matched, CEL has a cost limit, and comparisons are counted: no test runs
// long, whatever the page is.
package predicate
