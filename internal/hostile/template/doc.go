// Package template generates sites with realistic templates: menus, buttons and
// footers are the same on every page, and a shop has "Add to cart" 24 times in
// a listing. A crawler that compares texts must not mistake such pages for one
// another. Among them are true near-duplicates, each of which names its
// original: copies with a session id, print versions, mirrors with another date
// and another advertisement, and pages with small edits.
//
// The two kinds lie close together on purpose. A shop's articles share more
// words with each other than a print version shares with its page, so that
// neither the whole text nor a threshold alone can decide; what can is which
// words belong to the template.
//
// The same arguments always generate the same sites.
package template
