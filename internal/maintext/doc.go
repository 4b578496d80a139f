// Package maintext finds the text of a page that is its own: without menus,
// banners, footers, lists of links to other pages, and what all pages of a host
// repeat.
//
// A page is read once, by package extract, which also reports where elements
// begin and end in the text ([Read]). Its text is cut into blocks, one per
// paragraph, item or heading. Three things decide about a block, in this order:
//
//   - where it is: nav, footer, aside, dialogs and elements whose class names such
//     a thing are left out; main and article are kept (parts.go)
//   - whether it repeats: blocks that many pages of the host have are its template.
//     A [Learner] finds them in some pages of the host (template.go), by the rule of
//     package repeats, by which a crawl finds them, too
//   - its words: blocks that are short or mostly links are left out, unless their
//     neighbours are text, after Kohlschütter et al. 2010 (choose.go). A table of
//     data is one block (tables.go)
//
// The result is a list of blocks ([Page.Main]), which is written as plain text or
// as Markdown (write.go).
//
// A crawl itself does not use the package; exports, the search index and readers do. It is pure: the same bytes and the
// same template give the same text.
package maintext
