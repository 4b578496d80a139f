package demo

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"dowse"
)

// A TownConfig selects the [Town] to generate. The zero value works.
type TownConfig struct {
	Sites int    // default 2,000; at least 100, at most 1,000,000
	Seed  uint64 // random seed
	Topic string // the topic that sites are relevant to; default "tide pools"

	// Local makes the topic rare and gives links between sites the locality that is known of
	// the web; see localOnTopic. Without it a quarter of the sites is on topic, and a link of
	// such a site leads to another one hardly more often than any link does.
	Local bool
}

// The parameters of local towns. They were fixed, with the seed 2001, before any strategy was
// run on such a town.
//
// A topic is a small share of the web, while links of pages on it lead to pages on it far more
// often: that is topical locality (Davison 2000; Menczer 2004, the link-cluster conjecture;
// Chakrabarti et al. 2002, topic citation matrices). The harvest rates of focused crawlers, a
// third to a half where breadth-first soon has next to nothing (Chakrabarti et al. 1999), give
// the size of it. So one site in sixteen is on topic here, and about two of five links from
// such sites lead to others; competitors, which link to none (Ester et al. 2004), included.
// A directory has a page for every topic, and none has more of them.
const (
	localOnTopic = 1.0 / 16 // share of sites on the topic
	localKin     = 0.10     // on a related topic
	localStay    = 0.62     // share of links that stay on the topic of a site, unless it is a competitor
	localRelated = 0.12     // share that leads to a related topic
	localHubs    = 0.08     // share that leads to a directory
)

// The parameters of a town. The shares of homepages follow what Ester et al.
// 2004 report of commercial sites, whose homepages "often" mean little; the
// numbers are ours, and were fixed on towns with other random seeds than those
// that docs/sites.md reports.
const (
	townOnTopic    = 0.25 // share of sites on the topic
	townKin        = 0.20 // on a related topic
	townGeneral    = 0.16 // on no topic
	townHubs       = 0.03 // directories, among those on no topic
	townCompetitor = 0.35 // share of sites that link to no other site of their topic
	ringSize       = 14   // sites of a topic that link to each other
	meanPages      = 60
	leastPagesTown = 6
	mostPagesTown  = 1000
	townPurity     = 0.62 // share of a site's pages on its topic
	toHomepage     = 0.85 // share of links between sites that lead to the homepage
)

// A HomeKind is the kind of a site's homepage in a town.
type HomeKind uint8

// The kinds of homepages. From RedirectHome on, the host is not a site.
const (
	PlainHome      HomeKind = iota
	FrameHome               // a frameset: a menu and a page
	ThinHome                // a picture with a link
	MisleadingHome          // about something else than the site
	ScriptHome              // only a script; the sitemap lists the pages
	RedirectHome            // the whole host redirects to another site
	RefreshHome             // the same, by a refresh in the page
	ParkedHome              // the domain is for sale
	DeadHome                // the host does not exist
	GoneHome                // the host answers 404 to everything
)

// homeKindNames are in the order of the constants.
var homeKindNames = [...]string{"ordinary", "frames", "thin", "misleading", "script", "redirect", "refresh", "parked", "dead", "gone"}

// String returns a name for people; an ordinary homepage is called ordinary,
// since most are.
func (k HomeKind) String() string {
	if int(k) < len(homeKindNames) {
		return homeKindNames[k]
	}
	return "unknown"
}

// homeShares are the cumulative shares of the kinds of homepages: about half
// are plain, two fifths show little of what the site is about, and an eighth
// are no sites at all.
var homeShares = []struct {
	kind  HomeKind
	share float64
}{
	{FrameHome, 0.10}, {ThinHome, 0.20}, {MisleadingHome, 0.36}, {ScriptHome, 0.39}, {RedirectHome, 0.42}, {RefreshHome, 0.44},
	{ParkedHome, 0.47}, {DeadHome, 0.50}, {GoneHome, 0.52}, {PlainHome, 1},
}

// A Town is a synthetic web of many small sites, for crawlers that look for
// whole sites: homepages of all kinds, sites of a topic that link to each other
// in rings and others that compete and do not, directories that link to both.
// Like those of [Web], pages are generated when they are requested. It never
// changes and may be used by many goroutines.
type Town struct {
	config TownConfig
	words  *vocabulary
	focus  int // lexicon of the topic
	sites  []townSite
	hosts  map[string]int32
	rings  [][]int32 // sites by topic, in the order of the ring
	hubs   []int32
}

// A townSite is a row of a town's table of sites.
type townSite struct {
	host       string
	topic      int // lexicon
	home       HomeKind
	pages      int
	competitor bool
	hub        bool
	ring       int // place among the sites of its topic
	to         int // the site to which a redirect leads
}

// A TownSite is the ground truth about a site of a town.
type TownSite struct {
	Host       string
	Topic      string // "" for none
	Home       HomeKind
	Pages      int
	Relevant   bool // it is a site, and on the town's topic
	Competitor bool // it links to no other site of its topic
	Directory  bool
}

// The purposes of a town's random numbers, apart from those of a web.
const (
	forPlots = 100 + iota
	forTownPage
	forTownText
	forTownLinks
	forTraining
)

// NewTown generates the town that c describes. It panics if c names a topic
// that does not exist.
func NewTown(c TownConfig) *Town {
	if c.Topic == "" {
		c.Topic = "tide pools"
	}
	c.Sites = min(max(orInt(c.Sites, 2000), 100), 1_000_000)
	t := &Town{config: c, words: readVocabulary(), hosts: map[string]int32{}}
	focus, ok := t.words.names[slugOf(c.Topic)]
	if !ok {
		panic(fmt.Sprintf("demo: no topic %q", c.Topic))
	}
	t.focus = focus
	t.rings = make([][]int32, len(t.words.lexicons))
	for i := range c.Sites {
		t.addSite(i)
	}
	for i := range t.sites {
		t.setRedirect(i)
	}
	return t
}

// addSite appends the i-th site. All that is drawn of a site comes from its
// number, so that a town of 100 sites is the beginning of one of 1,000.
func (t *Town) addSite(i int) {
	d := rngFor(t.config.Seed, forPlots, i)
	s := townSite{topic: t.drawTopic(&d), home: homeOf(d.share())}
	s.hub = s.topic == t.words.everyday() && d.chance(townHubs/townGeneral)
	if s.hub || i == 0 {
		s.home = PlainHome
	}
	s.competitor = !s.hub && d.chance(townCompetitor)
	s.pages = min(max(int(d.logNormal(meanPages, 0.7)), leastPagesTown), mostPagesTown)
	s.host = t.drawHost(i, &s, &d)
	s.ring = len(t.rings[s.topic])
	t.rings[s.topic] = append(t.rings[s.topic], int32(i))
	if s.hub {
		t.hubs = append(t.hubs, int32(i))
	}
	t.hosts[s.host] = int32(i)
	t.sites = append(t.sites, s)
}

// homeOf returns the kind of homepage for a random number from 0 to 1.
func homeOf(u float64) HomeKind {
	for _, h := range homeShares {
		if u < h.share {
			return h.kind
		}
	}
	return PlainHome
}

// drawTopic draws the lexicon of a site: the topic, a related one, none, or any
// other.
func (t *Town) drawTopic(d *rng) int {
	kin := t.words.related(t.focus)
	onTopic, related := townOnTopic, townKin
	if t.config.Local {
		onTopic, related = localOnTopic, localKin
	}
	switch u := d.share(); {
	case u < onTopic:
		return t.focus
	case u < onTopic+related:
		return kin[d.under(len(kin))]
	case u < onTopic+related+townGeneral:
		return t.words.everyday()
	}
	for {
		if topic := d.under(t.words.topics()); topic != t.focus {
			return topic
		}
	}
}

// drawHost names a site. About every third has www in its name.
func (t *Town) drawHost(i int, s *townSite, d *rng) string {
	b := appendInt(append(append([]byte(t.words.heads[d.under(len(t.words.heads))]), t.words.tails[d.under(len(t.words.tails))]...), '-'), i)
	name := strings.ToLower(slugOf(string(b))) + ".demo"
	if d.chance(0.35) {
		name = "www." + name
	}
	return name
}

// setRedirect gives a host that redirects a site of its topic as the target;
// without one it becomes an ordinary site.
func (t *Town) setRedirect(i int) {
	s := &t.sites[i]
	if s.home != RedirectHome && s.home != RefreshHome {
		return
	}
	ring := t.rings[s.topic]
	for k := 1; k < len(ring); k++ {
		to := int(ring[(s.ring+k)%len(ring)])
		if t.sites[to].isSite() {
			s.to = to
			return
		}
	}
	s.home = PlainHome
}

// isSite reports whether the host has pages of its own.
func (s *townSite) isSite() bool { return s.home < RedirectHome }

// Config returns the configuration with its defaults filled in.
func (t *Town) Config() TownConfig { return t.config }

// Topic returns the topic to which sites are relevant.
func (t *Town) Topic() Topic { return t.words.lexicons[t.focus].Topic }

// Len returns the number of sites.
func (t *Town) Len() int { return len(t.sites) }

// Sites iterates over all sites.
func (t *Town) Sites() iter.Seq[TownSite] {
	return func(yield func(TownSite) bool) {
		for i := range t.sites {
			if !yield(t.describe(i)) {
				return
			}
		}
	}
}

// Site returns the ground truth about a host, with or without www.
func (t *Town) Site(host string) (TownSite, bool) {
	i, ok := t.find(host)
	if !ok {
		return TownSite{}, false
	}
	return t.describe(i), true
}

// About reports whether a page of a town is about the town's topic. Sites on topic have
// pages about something else, and others have some on it.
func (t *Town) About(u dowse.URL) bool {
	at, ok := parse(u)
	if !ok {
		return false
	}
	i, ok := t.find(at.host)
	if !ok {
		return false
	}
	page, ok := t.pageAt(i, at.path)
	return ok && t.lexiconOf(i, page) == t.focus
}

// Home returns the homepage of a host, with or without www.
func (t *Town) Home(host string) dowse.URL {
	if i, ok := t.find(host); ok {
		host = t.sites[i].host
	}
	return dowse.URL("http://" + host + "/")
}

// find returns the site of a host, whether or not the request has www.
func (t *Town) find(host string) (int, bool) {
	i, ok := t.hosts[host]
	if bare, has := strings.CutPrefix(host, "www."); !ok && has {
		i, ok = t.hosts[bare]
	}
	if !ok {
		i, ok = t.hosts["www."+host]
	}
	return int(i), ok
}

// describe returns the ground truth about the i-th site.
func (t *Town) describe(i int) TownSite {
	s := &t.sites[i]
	d := TownSite{
		Host: s.host, Home: s.home, Pages: s.pages, Competitor: s.competitor, Directory: s.hub,
		Relevant: s.topic == t.focus && s.isSite(),
	}
	if s.topic < t.words.topics() {
		d.Topic = t.words.lexicons[s.topic].Name
	}
	if !s.isSite() {
		d.Pages = 0
	}
	return d
}

// Training draws training sites, a number of them on topic and a number of
// others, relevant ones first. They are sites with any kind of homepage, as a
// person would collect them without looking at how they are built.
func (t *Town) Training(on, off int) (list []TownSite) {
	d := rngFor(t.config.Seed, forTraining, 0)
	order := make([]int32, len(t.sites))
	for i := range order {
		order[i] = int32(i)
	}
	shuffle(order, &d)
	for _, i := range order {
		s := t.describe(int(i))
		room := &off
		if s.Relevant {
			room = &on
		}
		if !t.sites[i].isSite() || *room == 0 {
			continue
		}
		*room--
		list = append(list, s)
	}
	slices.SortStableFunc(list, func(a, b TownSite) int { return number(b.Relevant) - number(a.Relevant) })
	return list
}

// number returns 1 for true and 0 for false.
func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// FirstPages returns the first n pages of a site in breadth-first order from
// the homepage, as far as they are linked: the training pages of Ester, Kriegel
// and Schubert 2004.
func (t *Town) FirstPages(host string, n int) (list []dowse.URL) {
	i, ok := t.find(host)
	if !ok || !t.sites[i].isSite() {
		return nil
	}
	s := &t.sites[i]
	seen := make([]bool, s.pages)
	queue := []int{0}
	seen[0] = true
	for k := 0; k < len(queue) && len(list) < n; k++ {
		list = append(list, t.urlOf(i, queue[k]))
		for _, to := range t.inside(i, queue[k]) {
			if !seen[to] {
				seen[to] = true
				queue = append(queue, to)
			}
		}
		if s.home == ScriptHome && k == 0 {
			queue = append(queue, 1)
			seen[1] = true
		}
	}
	return list
}
