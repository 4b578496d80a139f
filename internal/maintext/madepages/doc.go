// Package madepages makes pages of several templates whose main text is known,
// for tests and measurements of what finds it.
//
// Every template is a host with pages that share a frame. The templates differ in
// what helps and what misleads: elements such as main and nav, names in classes,
// tables for layout, no names at all, lists of links in the text, short
// paragraphs, notices of cookies with more words than the text, headings and tables
// that differ by a number.
//
// The same arguments always make the same pages.
package madepages
