package demo

import (
	"fmt"
	"iter"
	"slices"
	"sort"
	"strings"

	"dowse"
)

// A Web is a synthetic web. It never changes and may be used by many
// goroutines.
type Web struct {
	config       Config
	words        *vocabulary
	sites        []site
	hosts        map[string]int // by host, its index in sites
	ring         []int32        // sites in the order of the tree over all link pages, see linkSites
	all          []int32        // sites by popularity
	onTopic      [][]int32      // by lexicon, its sites by popularity
	farms        []int32
	related      [][]int   // by lexicon, related lexicons
	farmLexicons []lexicon // by lexicon, the words of a farm that pretends to be on it
	rankBy       float64   // exponent of the ranks by which targets are drawn
}

// A Topic is a subject that pages of the web can be about, in the terms of a
// topic file.
type Topic struct {
	Name string // "tide pools"
	Path string // its category: "Top/Nature/Coast/Tide_Pools"
	// Words describe what is wanted, Also what supports it, Not what only looks
	// like it.
	Words, Also, Not []string
}

// A Site is the ground truth about a host.
type Site struct {
	Host  string
	Kind  Kind
	Topic string // name of its main topic; "" for none
	Pages int
}

// New generates the web that c describes. It panics if c names a topic that
// does not exist. The cost is that of the table of sites; no page is generated.
func New(c Config) *Web {
	w := &Web{config: c.withDefaults(), words: readVocabulary(), hosts: map[string]int{}}
	focus, ok := w.topicNumber(w.config.Topic)
	if !ok {
		panic(fmt.Sprintf("demo: no topic %q", w.config.Topic))
	}
	w.rankBy = 1 / (max(w.config.Topology.InDegree, 1.2) - 1)
	w.layOut(focus)
	w.populate()
	w.index()
	for i := range w.words.lexicons {
		w.related = append(w.related, w.relatedTo(i))
		w.farmLexicons = append(w.farmLexicons, w.words.farmLexicon(i))
	}
	for i := range w.sites {
		w.chooseFooter(&w.sites[i])
	}
	return w
}

// relatedTo returns the related topics of a lexicon; a lexicon without a topic
// is related to everyday text.
func (w *Web) relatedTo(lex int) []int {
	if lex < w.words.topics() {
		return w.words.related(lex)
	}
	return []int{w.words.everyday()}
}

// farmLexicon returns the words of a farm: those of a topic and of
// advertisements.
func (v *vocabulary) farmLexicon(topic int) lexicon {
	lex, spam := v.lexicons[topic], &v.lexicons[v.spam()]
	lex.nouns = slices.Concat(lex.nouns, spam.nouns)
	lex.adjs = slices.Concat(lex.adjs, spam.adjs)
	return lex
}

// Config returns the configuration with its defaults filled in.
func (w *Web) Config() Config { return w.config }

// Len returns the number of pages. Redirects, dead links and the pages of
// endless traps do not count.
func (w *Web) Len() int { return w.config.Pages }

// Topics returns all topics, the one that the web was generated for first.
func (w *Web) Topics() []Topic {
	n := w.words.topics()
	first, _ := w.topicNumber(w.config.Topic)
	topics := make([]Topic, 0, n)
	for i := range n {
		topics = append(topics, w.words.lexicons[(first+i)%n].Topic)
	}
	return topics
}

// Topic returns the topic with a name or path.
func (w *Web) Topic(name string) (Topic, bool) {
	i, ok := w.topicNumber(name)
	if !ok {
		return Topic{}, false
	}
	return w.words.lexicons[i].Topic, true
}

// topicNumber finds a topic by its name or path, whatever its spelling of
// spaces and case.
func (w *Web) topicNumber(name string) (int, bool) {
	if i, ok := w.words.names[name]; ok {
		return i, true
	}
	i, ok := w.words.names[slugOf(strings.ReplaceAll(name, "_", " "))]
	return i, ok
}

// Pages iterates over the URLs of all pages, site by site.
func (w *Web) Pages() iter.Seq[dowse.URL] {
	return func(yield func(dowse.URL) bool) {
		for id := range w.config.Pages {
			if !yield(w.urlOf(id)) {
				return
			}
		}
	}
}

// URL returns the URL of the page with a number from 0 to Len()-1.
func (w *Web) URL(number int) dowse.URL { return w.urlOf(number) }

// Sites iterates over all sites.
func (w *Web) Sites() iter.Seq[Site] {
	return func(yield func(Site) bool) {
		for i := range w.sites {
			if !yield(w.describe(&w.sites[i])) {
				return
			}
		}
	}
}

// Site returns the ground truth about a host.
func (w *Web) Site(host string) (Site, bool) {
	i, ok := w.hosts[host]
	if !ok {
		return Site{}, false
	}
	return w.describe(&w.sites[i]), true
}

// describe returns the ground truth about a site.
func (w *Web) describe(s *site) Site {
	d := Site{Host: s.host, Kind: s.kind, Pages: s.count}
	if s.topic < w.words.topics() {
		d.Topic = w.words.lexicons[s.topic].Name
	}
	return d
}

// A pageRef is a page that is being worked on: where it is and what it is
// about.
type pageRef struct {
	id     int
	site   *site
	local  int // number within the site
	lex    int // its lexicon, that is its topic
	source int // number of the page that it copies; its own if it is no copy
}

// page returns the page with a number, by binary search in the table of sites.
func (w *Web) page(id int) pageRef {
	i := sort.Search(len(w.sites), func(i int) bool { return w.sites[i].first+w.sites[i].count > id })
	s := &w.sites[i]
	p := pageRef{id: id, site: s, local: id - s.first, source: id}
	if s.kind == Mirror {
		p.source = w.sites[s.partner].first + p.local
	}
	p.lex = w.lexiconOf(s, p.local)
	return p
}

// lexiconOf returns what a page is about. It is the truth from which everything
// else follows: URL, text, links, relevance.
func (w *Web) lexiconOf(s *site, local int) int {
	switch {
	case s.kind == Mirror:
		return w.lexiconOf(&w.sites[s.partner], local)
	case s.kind == Farm:
		return w.words.spam()
	case s.kind == French || s.kind == German || s.kind == Passage:
		return s.topic
	case local == s.firstArticle()-1:
		return w.words.everyday() // shop, about
	case local < s.firstArticle():
		return s.topic
	case s.kind == Portal && local-s.firstArticle() < w.words.topics():
		return local - s.firstArticle()
	}
	return w.articleLexicon(s, local)
}

// articleLexicon draws what an article is about: the site's topic with the
// probability Purity, otherwise a related topic, any topic, or none.
func (w *Web) articleLexicon(s *site, local int) int {
	d := rngFor(w.config.Seed, forTopic, s.first+local)
	top := &w.config.Topology
	switch {
	case s.topic == w.words.everyday():
		return w.mixed(s, &d)
	case d.chance(top.Purity):
		return s.topic
	}
	switch u := d.share(); {
	case u < top.AsideRelated:
		return w.related[s.topic][d.under(len(w.related[s.topic]))]
	case u < top.AsideRelated+top.AsideRandom:
		return d.under(w.words.topics())
	}
	return w.words.everyday()
}

// mixed draws what an article on a site without a topic is about: half of the
// time nothing in particular, then the topic of the neighbourhood, then any.
func (w *Web) mixed(s *site, d *rng) int {
	switch u := d.share(); {
	case u < 0.5:
		return s.topic
	case u < 0.5+w.config.Topology.Regional:
		return s.focus
	}
	return d.under(w.words.topics())
}
