package search

import (
	"strings"

	index "github.com/blevesearch/bleve_index_api"

	"dowse"
	"dowse/internal/frontier"
	"dowse/weburl"
)

// A docTable is what was read of the pages of an index. A common word selects most pages of a collection, and to ask the
// index for the same properties of all of them at every query would take longer than to find them.
type docTable struct {
	docs  []docRow // by their numbers in the index
	texts []string // languages and dates, each once; the first is ""
	place map[string]uint32
	hosts []string // names without ports by the numbers of hosts; "" for one that was not asked for
}

// A docRow is a page of an index. Languages and dates are places in texts.
type docRow struct {
	page  frontier.ID
	lang  uint32
	date  uint32
	named bool // page is known
	dated bool // lang and date are known
}

// doc returns a page by its number in the index; dated asks for its language and date, too. Its page is frontier.None for a
// name that is none.
func (p *part) doc(d uint64, dated bool, values index.DocValueReader) (docRow, error) {
	k := &p.known
	if n := int(d) + 1 - len(k.docs); n > 0 {
		k.docs = append(k.docs, make([]docRow, n+len(k.docs)/2)...)
	}
	if k.texts == nil {
		k.texts, k.place = []string{""}, map[string]uint32{"": 0}
	}
	x := &k.docs[d]
	if x.named && (x.dated || !dated) {
		return *x, nil
	}
	internal := index.NewIndexInternalID(nil, d)
	if !x.named {
		id, err := pageID(p.index, internal)
		if err != nil {
			return *x, err
		}
		x.page, x.named = id, true
	}
	if dated && !x.dated {
		err := values.VisitDocValues(internal, func(f string, term []byte) {
			if f == fieldLang {
				x.lang = k.text(term)
			} else if f == fieldDate {
				x.date = k.text(term)
			}
		})
		if err != nil {
			return *x, err
		}
		x.dated = true
	}
	return *x, nil
}

// text returns the place of a text.
func (k *docTable) text(b []byte) uint32 {
	if at, ok := k.place[string(b)]; ok {
		return at
	}
	at := uint32(len(k.texts))
	k.texts = append(k.texts, string(b))
	k.place[string(b)] = at
	return at
}

// host returns the host of a page without the port.
func (p *part) host(id frontier.ID) string { return p.hostName(p.col.Crawl.Frontier().Host(id)) }

// hostName returns the name of a host without the port.
func (p *part) hostName(h frontier.HostID) string {
	f := p.col.Crawl.Frontier()
	if p.known.hosts == nil {
		p.known.hosts = make([]string, f.Hosts())
	}
	if p.known.hosts[h] == "" {
		p.known.hosts[h] = weburl.Hostname(dowse.URL("http://" + f.HostName(h) + "/"))
	}
	return p.known.hosts[h]
}

// maxFacet is how many values of a facet are listed.
const maxFacet = 10

// facetCounts count the pages of all parts by their properties; nil counts nothing.
type facetCounts struct{ parts []*partCounts }

// partCounts count the pages of a part; nil counts nothing.
type partCounts struct {
	p       *part
	verdict map[string]int
	hosts   []int // by their numbers
	langs   []int // by their places in texts
	dates   []int
}

// newFacets returns empty counts, nil if none are wanted.
func newFacets(wanted bool) *facetCounts {
	if !wanted {
		return nil
	}
	return &facetCounts{}
}

// of begins the counts of a part.
func (c *facetCounts) of(p *part) *partCounts {
	if c == nil {
		return nil
	}
	x := &partCounts{p: p, verdict: map[string]int{}, hosts: make([]int, p.col.Crawl.Frontier().Hosts())}
	c.parts = append(c.parts, x)
	return x
}

// add counts a page.
func (c *partCounts) add(p *part, d docRow, v frontier.Visit) {
	if c == nil {
		return
	}
	if n := len(p.known.texts) - len(c.langs); n > 0 {
		c.langs, c.dates = append(c.langs, make([]int, n)...), append(c.dates, make([]int, n)...)
	}
	for _, is := range verdictsAt(v.Relevance, p.col.Threshold()) {
		c.verdict[is]++
	}
	c.hosts[p.col.Crawl.Frontier().Host(d.page)]++
	c.langs[d.lang]++
	c.dates[d.date]++
}

// list returns the counts.
func (c *facetCounts) list() []Facet {
	if c == nil {
		return nil
	}
	verdict, host, lang, year := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	for _, x := range c.parts {
		for v, n := range x.verdict {
			verdict[v] += n
		}
		for h, n := range x.hosts {
			if n > 0 {
				host[x.p.hostName(frontier.HostID(h))] += n
			}
		}
		for i, text := range x.p.known.texts[:len(x.langs)] {
			if x.langs[i] > 0 {
				lang[text] += x.langs[i]
			}
			if x.dates[i] > 0 {
				y, _, _ := strings.Cut(text, "-")
				year[y] += x.dates[i]
			}
		}
	}
	return []Facet{{"verdict", most(verdict, maxFacet)}, {"host", most(host, maxFacet)}, {"lang", most(lang, maxFacet)}, {"year", most(year, maxFacet)}}
}
