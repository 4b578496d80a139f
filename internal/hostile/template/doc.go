// Package template generates sites with realistic templates: menus, buttons and
// footers are the same on every page, and a shop has "Add to cart" 24 times in
// a listing. A crawler that compares texts must not mistake such pages for one
// another. Among them are true near-duplicates, each of which names its
// original: copies with a session id, print versions, mirrors with another date
// and another advertisement, and pages with small edits.
//
// The same arguments always generate the same sites.
package template
