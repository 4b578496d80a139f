// Package extract answers what is on a page: HTML to title, text, headings and
// links in context.
//
// A page is read in one pass of a tokenizer and never becomes a tree, because a
// tree is what hostile pages blow up. The pass keeps only the elements that are
// open, at most a few hundred of them, and follows the rules by which a browser
// opens and closes them, so that it sees the links and words that a browser's
// tree would hold. Everything a page can make long is bounded by [Options].
//
// The package is pure: it reads no clock, and the same bytes give the same
// [dowse.Document].
package extract
