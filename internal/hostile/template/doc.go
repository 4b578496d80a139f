// Package template makes sites as they really are: their pages come from templates, so
// that menus, buttons and footers say the same on every page, and a shop says "Add to
// cart" 24 times in a listing. A crawler that goes by texts must not take such pages for
// one another. Among them are true near-duplicates, each of which names its original:
// copies with a session id, print versions, mirrors with another date and another
// advertisement, and pages with small edits.
//
// The same arguments always make the same sites.
package template
