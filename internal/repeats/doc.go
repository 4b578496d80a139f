// Package repeats finds the blocks of text that the pages of a host repeat: menus,
// footers, notices, lists of links that are the same everywhere.
//
// A block is a line of the text of a page, known by a hash ([Hash]). It repeats if at
// least three of the pages of a sample have it, and three tenths of them ([Least]).
// Exports apply the rule to a sample of the whole collection (package maintext). A
// crawl applies it to the pages that came before: [Hosts] is what a crawl has learnt,
// in bounded memory, and [Known] what a visit is given of it. This package also says
// what follows for a page: which of its links are in such blocks ([Mark]), how the
// words around the others are limited ([Windows]), and what the page is without them
// ([Without]).
//
// It is pure: the same pages in the same order give the same result.
package repeats
