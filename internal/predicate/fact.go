package predicate

import (
	"net/netip"
	"slices"
	"strings"
	"time"

	"dowse"
	"dowse/weburl"
)

// A Fact is something that clauses can ask of a page.
type Fact struct {
	Name  string
	Kind  string // text, list, table, number or date
	Means string
	Match string // what of a string counts where one is looked for; "" for numbers and dates
}

// AllFacts lists the facts in the order of printing.
func AllFacts() []Fact {
	list := make([]Fact, len(facts))
	for i := range facts {
		f := &facts[i]
		list[i] = Fact{Name: f.name, Kind: kindNames[f.kind], Means: f.means}
		if f.kind <= table {
			list[i].Match = likeNames[f.like]
		}
	}
	return list
}

// kind tells what a fact is made of, and so what it can be matched with.
type kind uint8

const (
	oneText kind = iota // one string
	listed              // several strings, which can be counted
	table               // strings by name
	whole               // a number without a fraction
	decimal
	date
)

var kindNames = [...]string{"text", "list", "table", "number", "number", "date"}

// like tells when a string that is looked for is there.
type like uint8

const (
	words  like = iota // as a run of whole words
	part               // anywhere
	domain             // the same host, or one below it
	tag                // the same language, whatever the region
	media              // the same type, or one of type/*
	same
)

var likeNames = [...]string{
	words: "whole words", part: "any part", domain: "itself, or a domain above it",
	tag: "the language, with any region", media: "the type, or text/*", same: "all of it",
}

// A fact is a row of the table. One of its functions is set, by its kind; it
// reports false where the fact is not known.
type fact struct {
	name, means string
	kind        kind
	like        like

	values func(r *reading) ([]string, bool)
	number func(r *reading) (float64, bool)
	date   func(r *reading) (time.Time, bool)
	pairs  func(r *reading) []dowse.Meta
}

// facts are all there are.
var facts = []fact{
	{name: "url", like: part, means: "the canonical URL", values: func(r *reading) ([]string, bool) { return one(string(r.page.URL)) }},
	{name: "host", like: domain, means: "its host, without the port", values: func(r *reading) ([]string, bool) { return one(weburl.Hostname(r.page.URL)) }},
	{name: "tld", like: same, means: "the last label of the host; co.uk stands for the end of the host", values: func(r *reading) ([]string, bool) { return one(tld(weburl.Hostname(r.page.URL))) }},
	{name: "path", like: part, means: "the path of the URL, without the query", values: func(r *reading) ([]string, bool) { return one(path(r.page.URL)) }},
	{name: "depth", kind: whole, means: "links from the nearest seed", number: func(r *reading) (float64, bool) { return float64(r.page.Depth), true }},
	{name: "lang", like: tag, means: "the language that the page declares, else what it looks like", values: func(r *reading) ([]string, bool) { return one(r.lang()) }},
	{name: "title", like: words, means: "the title", values: func(r *reading) ([]string, bool) { return []string{r.page.Title}, true }},
	{name: "text", like: words, means: "the text that is shown", values: func(r *reading) ([]string, bool) { return []string{r.page.Text}, true }},
	{name: "headings", kind: listed, like: words, means: "h1 to h6", values: func(r *reading) ([]string, bool) { return headings(r.page.Headings), true }},
	{name: "anchor", kind: listed, like: words, means: "the words of the links that led to the page", values: func(r *reading) ([]string, bool) { return r.facts.Anchors, len(r.facts.Anchors) > 0 }},
	{name: "meta", kind: table, like: words, means: "meta elements; meta.NAME is one of them", pairs: func(r *reading) []dowse.Meta { return r.page.Meta }},
	{name: "schema_org", kind: listed, like: same, means: "types of schema.org: JSON-LD, microdata, RDFa", values: func(r *reading) ([]string, bool) { return r.page.Types, true }},
	{name: "og", kind: table, like: words, means: "Open Graph; og.NAME is the property og:NAME", pairs: openGraph},
	{name: "mime", like: media, means: "the media type", values: func(r *reading) ([]string, bool) { return one(r.page.Fetch.Type) }},
	{name: "status", kind: whole, means: "the status of the answer", number: func(r *reading) (float64, bool) { return float64(r.page.Fetch.Status), r.page.Fetch.Status != 0 }},
	{name: "size", kind: whole, means: "bytes of the body", number: func(r *reading) (float64, bool) { return float64(r.page.Fetch.Bytes), r.page.Fetch.Bytes > 0 }},
	{name: "words", kind: whole, means: "words of the text", number: func(r *reading) (float64, bool) { return float64(len(r.page.Words)), true }},
	{name: "links_out", kind: whole, means: "different targets of its links", number: func(r *reading) (float64, bool) { return float64(len(r.page.Links)), true }},
	{name: "links_in", kind: whole, means: "pages that were fetched before it and link to it; known in crawls only", number: linksIn},
	{name: "images", kind: listed, like: part, means: "sources of the images, as written; at most 200", values: func(r *reading) ([]string, bool) { return r.page.Images, true }},
	{name: "emails", kind: listed, like: part, means: "mail addresses in the text", values: func(r *reading) ([]string, bool) { return r.mails(), true }},
	{name: "published", kind: date, means: "when the page says it was published", date: func(r *reading) (time.Time, bool) { return r.page.Published, !r.page.Published.IsZero() }},
	{name: "modified", kind: date, means: "when the page, or else its server, says it was changed", date: modified},
	{name: "licence", kind: listed, like: part, means: "URLs of licences that the page links to", values: func(r *reading) ([]string, bool) { return urls(r.page.Licences), true }},
	{name: "robots_flags", kind: listed, like: same, means: "nofollow, noindex, noarchive: of the page or its header", values: func(r *reading) ([]string, bool) { return flags(r.page), true }},
	{name: "parent.score", kind: decimal, means: "score of the page that it was found on", number: parentScore},
	{name: "parent.host", like: domain, means: "host of the page that it was found on", values: parentHost},
	{name: "hops", kind: whole, means: "off-topic pages in a row just above it", number: func(r *reading) (float64, bool) { return float64(r.page.Hops), true }},
	{name: "score", kind: decimal, means: "what the evidence of the topic says, 0 to 1", number: score},
}

// factNamed returns a fact by its name. Names of entries of tables (og.type) make a
// fact of their own.
func factNamed(name string) *fact {
	i := slices.IndexFunc(facts, func(f fact) bool { return f.name == name })
	if i >= 0 {
		return &facts[i]
	}
	head, entry, ok := strings.Cut(name, ".")
	if f := factNamedTable(head); f != nil && ok && entry != "" {
		return &fact{name: name, kind: listed, like: f.like, values: func(r *reading) ([]string, bool) {
			return entries(f.pairs(r), entry), true
		}}
	}
	return nil
}

func factNamedTable(name string) *fact {
	for i := range facts {
		if facts[i].name == name && facts[i].kind == table {
			return &facts[i]
		}
	}
	return nil
}

func factNames() (names []string) {
	for i := range facts {
		names = append(names, facts[i].name)
	}
	return names
}

// strings returns the values of a fact that has strings.
func (f *fact) strings(r *reading) ([]string, bool) {
	if f.kind != table {
		return f.values(r)
	}
	var list []string
	for _, m := range f.pairs(r) {
		list = append(list, m.Content)
	}
	return list, true
}

func one(s string) ([]string, bool) {
	if s == "" {
		return nil, false
	}
	return []string{s}, true
}

// tld returns the last label of a host, "" of an address.
func tld(host string) string {
	if _, err := netip.ParseAddr(host); err == nil {
		return ""
	}
	return host[strings.LastIndexByte(host, '.')+1:]
}

func path(u dowse.URL) string {
	p, _, _ := strings.Cut(weburl.Path(u), "?")
	return p
}

func headings(hs []dowse.Heading) []string {
	list := make([]string, len(hs))
	for i := range hs {
		list[i] = hs[i].Text
	}
	return list
}

func urls(us []dowse.URL) []string {
	list := make([]string, len(us))
	for i, u := range us {
		list[i] = string(u)
	}
	return list
}

func flags(p *dowse.Page) (list []string) {
	for _, f := range []struct {
		name string
		set  bool
	}{{"nofollow", p.NoFollow}, {"noindex", p.NoIndex}, {"noarchive", p.NoArchive}} {
		if f.set {
			list = append(list, f.name)
		}
	}
	return list
}

// openGraph returns the properties of Open Graph, without their prefix.
func openGraph(r *reading) (list []dowse.Meta) {
	for _, m := range r.page.Meta {
		if name, ok := strings.CutPrefix(m.Name, "og:"); ok {
			list = append(list, dowse.Meta{Name: name, Content: m.Content})
		}
	}
	return list
}

// entries returns what a table has under a name.
func entries(pairs []dowse.Meta, name string) (list []string) {
	for _, m := range pairs {
		if strings.EqualFold(m.Name, name) {
			list = append(list, m.Content)
		}
	}
	return list
}

func linksIn(r *reading) (float64, bool) {
	if r.page.LinksIn == nil {
		return 0, false
	}
	return float64(*r.page.LinksIn), true
}

func modified(r *reading) (time.Time, bool) {
	t := r.page.Modified
	if t.IsZero() {
		t = r.facts.Modified
	}
	return t, !t.IsZero()
}

func parentScore(r *reading) (float64, bool) {
	if r.facts.Parent == nil {
		return 0, false
	}
	return r.facts.Parent.Score, true
}

func parentHost(r *reading) ([]string, bool) {
	if r.facts.Parent == nil {
		return nil, false
	}
	return one(r.facts.Parent.Host)
}

func score(r *reading) (float64, bool) {
	if r.facts.Score == nil {
		return 0, false
	}
	return *r.facts.Score, true
}
