package maintext

import (
	"golang.org/x/net/html/atom"

	"dowse/internal/extract"
)

// The marks of elements: what they mean for the text in them.
const (
	unmarked     uint8 = iota
	markMain           // main, or role=main
	markOwn            // article
	markFrame          // nav, footer, aside, dialogs: never the page's own text
	markHeader         // header: the frame of the page, or the head of an article in it
	markHint           // the class or id names something that belongs to the frame
	markLink           // a link
	markItem           // of a list
	markBlock          // a paragraph: the lines in it belong together
	markPre            // preformatted
	markControl        // of a form, or the caption of a picture
	markList           // a list without numbers
	markNumbered       // a list with numbers
	markTable
	markRow  // of a table
	markCell // of a row
)

// roles are the ARIA roles that have a mark.
var roles = map[string]uint8{
	"main": markMain, "article": markOwn, "navigation": markFrame, "contentinfo": markFrame, "complementary": markFrame, "search": markFrame,
	"dialog": markFrame, "alertdialog": markFrame, "menu": markFrame, "menubar": markFrame, "toolbar": markFrame, "banner": markHeader,
}

// markOf returns the mark of an element: that of its role, its name, or a name in
// its class or id.
func markOf(e extract.Element) uint8 {
	if m := roles[string(e.Role)]; m != unmarked {
		return m
	}
	switch e.Name {
	case atom.Main:
		return markMain
	case atom.Article:
		return markOwn
	case atom.Nav, atom.Footer, atom.Aside, atom.Dialog, atom.Menu:
		return markFrame
	case atom.Button, atom.Select, atom.Textarea, atom.Label, atom.Fieldset, atom.Noscript, atom.Figcaption:
		return markControl
	case atom.Html, atom.Body:
		return unmarked
	}
	if m := markOfNames(e); m != unmarked {
		return m
	}
	switch e.Name {
	case atom.Header:
		return markHeader
	case atom.A:
		if e.Link {
			return markLink
		}
	case atom.Li, atom.Dd, atom.Dt:
		return markItem
	case atom.Ul:
		return markList
	case atom.Ol:
		return markNumbered
	case atom.P, atom.Blockquote:
		return markBlock
	case atom.Pre:
		return markPre
	case atom.Table:
		return markTable
	case atom.Tr:
		return markRow
	case atom.Td, atom.Th:
		return markCell
	}
	return unmarked
}

// markOfNames returns markHint if a word in the class or id of an element names a
// part of the frame, and none names the text. A link is never hinted: it would lose
// its mark as a link.
func markOfNames(e extract.Element) uint8 {
	if e.Name == atom.A || len(e.Class) == 0 && len(e.ID) == 0 {
		return unmarked
	}
	hint := false
	for _, names := range [2][]byte{e.Class, e.ID} {
		for word := range nameWords(names) {
			switch frameWords[string(word)] {
			case inText:
				return unmarked
			case inFrame:
				hint = true
			}
		}
	}
	if hint {
		return markHint
	}
	return unmarked
}

// maxNames is how many bytes of a class or id are read.
const maxNames = 256

// nameWords yields the words of a class or id in lower case: "siteFooter",
// "site-footer" and "site_footer" are site and footer. A word is valid until the
// next one.
func nameWords(names []byte) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		var buf [32]byte
		word := buf[:0]
		lower := false // the last letter was one in lower case
		for _, c := range names[:min(len(names), maxNames)] {
			upper := 'A' <= c && c <= 'Z'
			letter := upper || 'a' <= c && c <= 'z'
			if (!letter || upper && lower) && len(word) > 0 {
				if !yield(word) {
					return
				}
				word = buf[:0]
			}
			if lower = letter && !upper; upper {
				c += 'a' - 'A'
			}
			if letter && len(word) < len(buf) {
				word = append(word, c)
			}
		}
		if len(word) > 0 {
			yield(word)
		}
	}
}

// What a word in a class or id names.
const (
	inFrame uint8 = 1 + iota
	inText
)

// frameWords are words of classes and ids that name a part of the frame of a
// page, and those that show that the element is more than that: "content with
// sidebar" is not a sidebar.
var frameWords = func() map[string]uint8 {
	m := map[string]uint8{}
	for _, w := range []string{
		"nav", "navbar", "navi", "navigation", "subnav", "sidenav", "menu", "menus", "submenu", "breadcrumb", "breadcrumbs", "crumbs", "sidebar",
		"footer", "foot", "colophon", "copyright", "masthead", "banner", "topbar", "cookie", "cookies", "consent", "gdpr", "ccpa", "newsletter",
		"subscribe", "subscription", "signup", "share", "sharing", "shares", "social", "addthis", "sharedaddy", "related", "recommended",
		"recommendations", "promo", "sponsor", "sponsored", "sponsors", "advert", "adverts", "advertisement", "advertising", "ad", "ads",
		"adsense", "popup", "modal", "overlay", "lightbox", "pagination", "pager", "paging", "toolbar", "widget", "widgets", "login", "search",
		"comment", "comments", "disqus", "respond", "tagcloud", "skip", "outbrain", "taboola", "teaser", "teasers", "trending", "popular",
		"caption", "credit", "credits", "author", "authors", "bio", "byline", "tags", "tag", "meta", "kommentare", "werbung", "anzeige", "print", "rating",
		"follow", "donate", "disclaimer", "dropdown", "tooltip", "facebook", "twitter", "readmore", "more", "feedback", "subscriber", "paywall",
	} {
		m[w] = inFrame
	}
	for _, w := range []string{
		"content", "article", "main", "post", "entry", "body", "story", "text", "page", "wrapper", "wrap", "container", "layout", "has", "with", "no", "without",
	} {
		m[w] = inText
	}
	return m
}()
