package template

import (
	"fmt"
	"hash/fnv"
	"strings"
)

// A Page is one page of a generated site. Same is what a test compares a
// crawler's opinion with: two pages are near-duplicates if, and only if, their
// originals are the same.
type Page struct {
	Host, Path string
	HTML       string
	Same       string // key of the page that it is a near-duplicate of; "" for an original
}

// Key identifies a page among all others.
func (p *Page) Key() string { return p.Host + p.Path }

// Original returns the key of the page whose text this one has: its own, or
// that of the page that it copies.
func (p *Page) Original() string {
	if p.Same != "" {
		return p.Same
	}
	return p.Key()
}

// A theme is what all pages of a host have around their own text: the part that
// a reader ignores and a comparison of words does not.
type theme struct {
	host   string
	name   string   // of the site, in titles and headings
	menu   []string // paths; the words on a link depend on it
	aside  string   // HTML of a box next to the text, the same on all pages
	footer string   // words
}

// page wraps a text into the theme: header, menu, box and footer have more
// words than many texts, as on real sites.
func (t *theme) page(path, title, body string) Page {
	var b strings.Builder
	fmt.Fprintf(&b, "<!doctype html><html lang=en><title>%s | %s</title><header><h2>%[2]s</h2><nav><ul>", title, t.name)
	for _, m := range t.menu {
		fmt.Fprintf(&b, `<li><a href="%s">%s</a>`, m, Prose(t.host+m, 2))
	}
	fmt.Fprintf(&b, "</ul></nav><p>Search Log in Register Help Basket</header>\n<main><h1>%s</h1>\n%s</main>\n", title, body)
	fmt.Fprintf(&b, "<aside>%s</aside><footer><p>%s<p>About us Contact Imprint Privacy Terms and conditions All rights reserved</footer>", t.aside, t.footer)
	return Page{Host: t.host, Path: path, HTML: b.String()}
}

// bare returns the page as a print version: the text alone, without the theme.
// To a reader it is the same page.
func (t *theme) bare(path, title, body, of string) Page {
	return Page{
		Host: t.host, Path: path, Same: t.host + of,
		HTML: fmt.Sprintf("<!doctype html><html lang=en><title>%s</title><h1>%[1]s</h1>\n%s<p>Printed from %s", title, body, t.host),
	}
}

// copied returns a page with the same text under another URL: a near-duplicate
// of the page, or of the page that it copies itself.
func copied(p Page, path string) Page {
	p.Same, p.Path = p.Original(), path
	return p
}

// name makes a title of n words, each with a capital.
func name(seed string, n int) string {
	words := strings.Fields(strings.ReplaceAll(Prose(seed+" name", n), ".", ""))
	for i, w := range words {
		words[i] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, " ")
}

// number draws a number below n that depends on the seed alone.
func number(seed string, n uint64) uint64 {
	h := fnv.New64a()
	h.Write([]byte(seed))
	x := h.Sum64() * 0x9e3779b97f4a7c15
	return (x ^ x>>29) % n
}

// edited replaces every nth word, from the nth on: a correction that leaves
// most of the text.
func edited(text string, nth int) string {
	words := strings.Fields(text)
	for i := nth - 1; i < len(words); i += nth {
		words[i] = "corrected"
	}
	return strings.Join(words, " ")
}

// link is a link with words.
func link(path, words string) string { return fmt.Sprintf(`<a href="%s">%s</a>`, path, words) }

// numbered makes paths with numbers from 1 to n, by a format with one verb.
func numbered(format string, n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprintf(format, i+1))
	}
	return list
}
