package demo

import (
	"fmt"
	"iter"
	"slices"
	"sort"
	"strings"

	"dowse"
)

// A Web is a made web. It never changes and may be used from many goroutines.
type Web struct {
	config  Config
	words   *vocabulary
	sites   []site
	hosts   map[string]int // index in sites
	ring    []int32        // sites in the order in which link pages pass them on
	all     []int32        // sites by popularity
	onTopic [][]int32      // the same for each lexicon
	farms   []int32
	kin     [][]int   // related topics of each lexicon
	stuffed []lexicon // what farms write, for each topic
	rankBy  float64   // exponent by which targets are picked
}

// A Topic is something that pages of the web can be about, in the words that a
// topic file takes.
type Topic struct {
	Name string // "tide pools"
	Path string // its category: "Top/Nature/Coast/Tide_Pools"
	// Words say what is wanted, Also what is a good sign, Not what looks alike.
	Words, Also, Not []string
}

// A Site tells what is true of a host.
type Site struct {
	Host  string
	Kind  Kind
	Topic string // name of its main topic; "" for none
	Pages int
}

// New makes the web that c describes. It panics if c names a topic that is not
// there.
func New(c Config) *Web {
	w := &Web{config: c.withDefaults(), words: readVocabulary(), hosts: map[string]int{}}
	focus, ok := w.topicNumber(w.config.Topic)
	if !ok {
		panic(fmt.Sprintf("demo: no topic %q", w.config.Topic))
	}
	w.rankBy = 1 / (max(w.config.Topology.InDegree, 1.2) - 1)
	w.survey(focus)
	w.populate()
	w.index()
	for i := range w.words.lexicons {
		w.kin = append(w.kin, w.kinOf(i))
		w.stuffed = append(w.stuffed, w.words.stuff(i))
	}
	for i := range w.sites {
		w.underline(&w.sites[i])
	}
	return w
}

func (w *Web) kinOf(lex int) []int {
	if lex < w.words.topics() {
		return w.words.related(lex)
	}
	return []int{w.words.everyday()}
}

// stuff makes the lexicon of a farm: the words of a topic and of an advertisement.
func (v *vocabulary) stuff(topic int) lexicon {
	lex, spam := v.lexicons[topic], &v.lexicons[v.spam()]
	lex.nouns = slices.Concat(lex.nouns, spam.nouns)
	lex.adjs = slices.Concat(lex.adjs, spam.adjs)
	return lex
}

// Config returns the configuration with its defaults filled in.
func (w *Web) Config() Config { return w.config }

// Len returns the number of pages. Redirects, dead links and what a trap makes up
// do not count.
func (w *Web) Len() int { return w.config.Pages }

// Topics returns all topics, the one that the web was made for first.
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

// topicNumber finds a topic by its name or path, whichever way it is written.
func (w *Web) topicNumber(name string) (int, bool) {
	if i, ok := w.words.names[name]; ok {
		return i, true
	}
	i, ok := w.words.names[slugOf(strings.ReplaceAll(name, "_", " "))]
	return i, ok
}

// Pages runs over the addresses of all pages, site by site.
func (w *Web) Pages() iter.Seq[dowse.URL] {
	return func(yield func(dowse.URL) bool) {
		for id := range w.config.Pages {
			if !yield(w.urlOf(id)) {
				return
			}
		}
	}
}

// URL returns the address of the page with a number from 0 to Len()-1.
func (w *Web) URL(number int) dowse.URL { return w.urlOf(number) }

// Sites runs over all sites.
func (w *Web) Sites() iter.Seq[Site] {
	return func(yield func(Site) bool) {
		for i := range w.sites {
			if !yield(w.describe(&w.sites[i])) {
				return
			}
		}
	}
}

// Site tells what is true of a host.
func (w *Web) Site(host string) (Site, bool) {
	i, ok := w.hosts[host]
	if !ok {
		return Site{}, false
	}
	return w.describe(&w.sites[i]), true
}

func (w *Web) describe(s *site) Site {
	d := Site{Host: s.host, Kind: s.kind, Pages: s.count}
	if s.topic < w.words.topics() {
		d.Topic = w.words.lexicons[s.topic].Name
	}
	return d
}

// A leaf is a page in hand: where it is and what it is about.
type leaf struct {
	id     int
	site   *site
	local  int // number within the site
	lex    int // the lexicon it is written in
	source int // the page it copies, or id
}

func (w *Web) leaf(id int) leaf {
	i := sort.Search(len(w.sites), func(i int) bool { return w.sites[i].first+w.sites[i].count > id })
	s := &w.sites[i]
	p := leaf{id: id, site: s, local: id - s.first, source: id}
	if s.kind == Mirror {
		p.source = w.sites[s.partner].first + p.local
	}
	p.lex = w.lexiconOf(s, p.local)
	return p
}

// lexiconOf tells what a page is about. It is the truth that everything else
// follows from: text, links, relevance.
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

func (w *Web) articleLexicon(s *site, local int) int {
	d := diceFor(w.config.Seed, forTopic, s.first+local)
	top := &w.config.Topology
	switch {
	case s.topic == w.words.everyday():
		return w.mixed(s, &d)
	case d.chance(top.Purity):
		return s.topic
	}
	switch u := d.share(); {
	case u < top.AsideRelated:
		return w.kin[s.topic][d.under(len(w.kin[s.topic]))]
	case u < top.AsideRelated+top.AsideRandom:
		return d.under(w.words.topics())
	}
	return w.words.everyday()
}

// mixed picks what an article on a site without a topic is about.
func (w *Web) mixed(s *site, d *dice) int {
	switch u := d.share(); {
	case u < 0.5:
		return s.topic
	case u < 0.5+w.config.Topology.Regional:
		return s.focus
	}
	return d.under(w.words.topics())
}
