// Package extract turns the HTML of a page into its title, text, headings and
// links in context.
//
// A page is read in one pass of a tokenizer and never becomes a tree, because a
// tree is what hostile pages blow up. The pass keeps only the open elements, at
// most a few hundred, and follows the rules by which a browser opens and closes
// them, so that it finds the links and words that a browser's tree would
// contain.
//
// The parts, in the order in which bytes pass through them:
//
//   - charset.go and prescan.go find the encoding and convert to UTF-8 ([Decode])
//   - source.go cuts the page into tokens; attr.go reads attributes
//   - tags.go, body.go, table.go and foreign.go apply the rules of the HTML
//     standard's tree construction; element.go has what they need to know about
//     each element, stack.go the open elements
//   - prose.go collects the visible text, link.go and heading.go the places of
//     links and headings in it
//   - meta.go, date.go, jsonld.go, robots.go, refresh.go and kept.go read what the
//     page declares about itself
//   - html.go puts it all together ([HTML])
//
// Two ideas make this fast and safe. Tokens are slices of the page: nothing is
// copied until it is known to be text, and most attributes are never looked at.
// And everything that a page can make long, deep or frequent has a bound in
// [Options]; when one is reached, reading goes on without it or stops, and
// Document.Cut names the bound.
//
// While a page is read, links and headings are noted as byte offsets of the
// text. Only when the text is complete are they converted to indexes of its
// words.
//
// The package is pure: it reads no clock, and the same bytes give the same
// [dowse.Document]. Its functions are safe for concurrent use.
package extract
