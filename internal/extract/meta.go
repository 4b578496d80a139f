package extract

import (
	"bytes"
	"slices"
	"strings"

	"dowse"
)

// metadata is what the page declares about itself in addition to its text.
type metadata struct {
	titled    bool   // a title with text was read; later ones are ignored
	lang      string // of the html element
	language  string // of a meta element content-language
	canonical dowse.URL
	licences  []dowse.URL
	types     []string
	published statedDate
	modified  statedDate
	dates     int  // number of dates that were parsed
	data      bool // the script being read is JSON-LD
}

const (
	maxTypes    = 32
	maxDates    = 64 // parsed per page
	maxLicences = 16
	maxLanguage = 35 // characters: the longest tag that BCP 47 4.4.1 asks to support
)

// describe copies the declarations to the document. The language of the html
// element has precedence.
func (p *pass) describe() {
	p.doc.Language = p.meta.lang
	if p.doc.Language == "" {
		p.doc.Language = p.meta.language
	}
	p.doc.Canonical = p.meta.canonical
	p.doc.Licences = p.meta.licences
	p.doc.Types = p.meta.types
	p.doc.Published = p.meta.published.at
	p.doc.Modified = p.meta.modified.at
	p.doc.Meta, p.doc.Images = p.kept.strings()
}

// title stores the title, if there is none yet.
func (p *pass) title(text []byte) {
	if p.meta.titled || p.inert > 0 {
		return
	}
	p.doc.Title = p.field(text, p.opt.Field)
	p.meta.titled = p.doc.Title != ""
}

func (p *pass) readLang(lang []byte) {
	if p.meta.lang == "" {
		p.meta.lang = languageOf(lang)
	}
}

// languageOf returns a language tag in lower case, "" if b is not one. Of a
// list the first counts.
//
// Underscores, as in en_US, are accepted as hyphens.
func languageOf(b []byte) string {
	b, _, _ = bytes.Cut(bytes.TrimSpace(b), []byte(","))
	if len(b) == 0 || len(b) > maxLanguage {
		return ""
	}
	lower := bytes.ReplaceAll(bytes.ToLower(b), []byte("_"), []byte("-"))
	for _, c := range lower {
		if !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-') {
			return ""
		}
	}
	return string(lower)
}

// rebase handles a base element. The first with an href counts, and it must
// lead to http or https.
func (p *pass) rebase(href []byte) {
	if p.based || href == nil || p.base == nil || len(href) > p.opt.Href {
		return
	}
	p.based = true
	if b, err := p.base.Rebase(string(href)); err == nil {
		p.base = b
	}
}

// readLink handles a link element: the canonical URL, neighbours in a series,
// translations, licences.
func (p *pass) readLink(e *element) {
	rel := e.attr.rel
	if e.attr.href == nil || rel == nil {
		return
	}
	switch {
	case hasToken(rel, "canonical"):
		if u, ok := p.resolve(e.attr.href); ok && p.meta.canonical == "" {
			p.meta.canonical = u
		}
	case hasToken(rel, "next") || hasToken(rel, "prev"):
		p.addRemote(e.attr.href, rel)
	case hasToken(rel, "alternate") && len(e.attr.hreflang) > 0 && isPage(e.attr.typ):
		p.addRemote(e.attr.href, rel)
	case p.opt.OnFeed != nil:
		p.readFeed(e)
	}
	p.licence(e)
}

// readFeed handles a link element that may offer a feed for the page.
func (p *pass) readFeed(e *element) {
	if !hasToken(e.attr.rel, "alternate") || isNoFollow(e.attr.rel) || !isFeed(e.attr.typ) {
		return
	}
	if u, ok := p.resolve(e.attr.href); ok {
		p.opt.OnFeed(u)
	}
}

// isFeed reports whether the type of a link element, without parameters, is that of a feed.
func isFeed(typ []byte) bool {
	typ, _, _ = bytes.Cut(typ, []byte(";"))
	return eq(typ, "application/rss+xml") || eq(typ, "application/atom+xml") || eq(typ, "application/feed+json")
}

// isPage reports whether the type of a link element, if there is one, is that
// of a page.
func isPage(typ []byte) bool {
	return len(typ) == 0 || eq(typ, "text/html") || eq(typ, "application/xhtml+xml")
}

// licence stores the target of a link that is declared as the page's licence.
func (p *pass) licence(e *element) {
	if len(e.attr.rel) == 0 || !hasToken(e.attr.rel, "license") || len(p.meta.licences) >= maxLicences {
		return
	}
	if u, ok := p.resolve(e.attr.href); ok && !slices.Contains(p.meta.licences, u) {
		p.meta.licences = append(p.meta.licences, u)
	}
}

// readMeta handles a meta element.
//
// A meta element without content is ignored. Description and keywords of the
// first element count, robots directives of all of them.
func (p *pass) readMeta(e *element) {
	content := e.attr.content
	if content == nil {
		return
	}
	switch {
	case eq(e.attr.httpEquiv, "refresh"):
		p.readRefresh(content)
	case eq(e.attr.httpEquiv, "content-language"):
		p.meta.language = languageOf(content)
	case eq(e.attr.name, "description") && p.doc.Description == "":
		p.doc.Description = p.field(content, p.opt.Field)
	case eq(e.attr.name, "keywords") && p.doc.Keywords == "":
		p.doc.Keywords = p.field(content, p.opt.Field)
	case eq(e.attr.name, "robots") || p.isAgent(e.attr.name):
		p.readRobots(content)
	}
	p.readDateNamed(e.attr.property, content)
	p.readDateNamed(e.attr.name, content)
	p.keepMeta(e)
}

// readRefresh adds the target of a refresh as a link.
func (p *pass) readRefresh(content []byte) {
	_, target, ok := Refresh(string(truncate(content, p.opt.Href+64)))
	if ok && target != "" {
		p.addRemote([]byte(target), nil)
	}
}

// isAgent reports whether a name is one of the agents whose directives count.
func (p *pass) isAgent(name []byte) bool {
	return slices.ContainsFunc(p.opt.Agents, func(agent string) bool { return agent != "" && eq(name, agent) })
}

// readRobots applies the directives of a robots element; several add up.
func (p *pass) readRobots(content []byte) {
	var r robots
	r.read(string(truncate(content, 1024)))
	p.doc.NoFollow = p.doc.NoFollow || r.noFollow
	p.doc.NoIndex = p.doc.NoIndex || r.noIndex
	p.doc.NoArchive = p.doc.NoArchive || r.noArchive
}

// readItem reads types and dates from microdata and RDFa.
func (p *pass) readItem(e *element) {
	if (e.attr.itemtype != nil || e.attr.typeof != nil) && len(p.meta.types) < maxTypes {
		p.readItemTypes(e)
	}
	if e.attr.itemprop == nil && !e.attr.pubdate {
		return
	}
	value := e.attr.content
	if value == nil {
		value = e.attr.datetime
	}
	switch {
	case hasToken(e.attr.itemprop, "datepublished"):
		p.readDate(value, dateOfItem, &p.meta.published)
	case hasToken(e.attr.itemprop, "datemodified"):
		p.readDate(value, dateOfItem, &p.meta.modified)
	case e.attr.pubdate:
		p.readDate(value, dateOfTime, &p.meta.published)
	}
}

// readItemTypes stores the types of an element in microdata or RDFa.
func (p *pass) readItemTypes(e *element) {
	for t := range tokens(e.attr.itemtype) {
		p.addType(string(truncate(t, 128)))
	}
	for t := range tokens(e.attr.typeof) {
		p.addType(string(truncate(t, 128)))
	}
}

// addType stores a type of schema.org, written as a URL or as a name. Others
// are ignored.
//
// The list is bounded and has no duplicates.
func (p *pass) addType(s string) {
	for _, prefix := range []string{"https://", "http://", "www.", "schema.org/", "schema:"} {
		s = strings.TrimPrefix(s, prefix)
	}
	if len(p.meta.types) < maxTypes && isTypeName(s) && !slices.Contains(p.meta.types, s) {
		p.meta.types = append(p.meta.types, s)
	}
}

// isTypeName reports whether s has the form of a type of schema.org: letters
// and digits, the first one not a small letter.
func isTypeName(s string) bool {
	if s == "" || len(s) > 64 || 'a' <= s[0] && s[0] <= 'z' {
		return false
	}
	for _, c := range []byte(s) {
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9') {
			return false
		}
	}
	return true
}
