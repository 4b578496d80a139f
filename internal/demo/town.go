package demo

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"dowse"
)

// A TownConfig says which [Town] to make. The zero value works.
type TownConfig struct {
	Sites int    // 2,000; at least 100, at most 1,000,000
	Seed  uint64 // another number, another town
	Topic string // that is looked for; "tide pools"
}

// The parameters of a town. The shares of homepages follow what Ester et al. 2004 say
// of commercial sites, whose homepages "often" mean little; the numbers are ours, and
// were fixed on towns of other seeds than those that docs/sites.md reports.
const (
	townOnTopic    = 0.25 // share of sites on the topic that is looked for
	townKin        = 0.20 // on a related topic
	townGeneral    = 0.16 // on no topic
	townHubs       = 0.03 // directories, among those on no topic
	townCompetitor = 0.35 // sites of a topic that link to no other of it
	ringSize       = 14   // sites of a topic that know each other
	meanPages      = 60
	leastPagesTown = 6
	mostPagesTown  = 1000
	townPurity     = 0.62 // share of a site's pages on its topic
	toHomepage     = 0.85 // share of links between sites that lead to the homepage
)

// A HomeKind is what the homepage of a site of a town is like.
type HomeKind uint8

// The homepages.
const (
	PlainHome      HomeKind = iota
	FrameHome               // a frameset: a menu and a page beside it
	ThinHome                // a picture and a way in
	MisleadingHome          // reads as if the site were about something else
	ScriptHome              // nothing but a script; the sitemap lists the pages
	RedirectHome            // the whole host sends on to another site
	RefreshHome             // the same, by a refresh in the page
	ParkedHome              // the name is for sale
	DeadHome                // there is no such host
	GoneHome                // the host answers 404 to everything
)

var homeKindNames = [...]string{"ordinary", "frames", "thin", "misleading", "script", "redirect", "refresh", "parked", "dead", "gone"}

func (k HomeKind) String() string {
	if int(k) < len(homeKindNames) {
		return homeKindNames[k]
	}
	return "unknown"
}

// homeShares are cumulated.
var homeShares = []struct {
	kind  HomeKind
	share float64
}{
	{FrameHome, 0.10}, {ThinHome, 0.20}, {MisleadingHome, 0.36}, {ScriptHome, 0.39}, {RedirectHome, 0.42}, {RefreshHome, 0.44},
	{ParkedHome, 0.47}, {DeadHome, 0.50}, {GoneHome, 0.52}, {PlainHome, 1},
}

// A Town is a made web of many small sites, for crawlers that look for whole sites:
// homepages of all kinds, sites of a topic that link to each other in rings and others
// that compete and do not, directories that link to both. As with [Web] every page is
// made when it is asked for. It never changes and may be used from many goroutines.
type Town struct {
	config TownConfig
	words  *vocabulary
	focus  int // the topic that is looked for
	sites  []plotOfTown
	hosts  map[string]int32
	rings  [][]int32 // sites by topic, in the order of the ring
	hubs   []int32
}

type plotOfTown struct {
	host       string
	topic      int // lexicon
	home       HomeKind
	pages      int
	competitor bool
	hub        bool
	ring       int // place among the sites of its topic
	to         int // where a redirect leads
}

// A TownSite tells what is true of a site of a town.
type TownSite struct {
	Host       string
	Topic      string // "" for none
	Home       HomeKind
	Pages      int
	Relevant   bool // it is a site, and on the topic that is looked for
	Competitor bool // it links to no other site of its topic
	Directory  bool
}

// What the dice of a town are rolled for.
const (
	forPlots = 100 + iota
	forTownPage
	forTownText
	forTownLinks
	forTraining
)

// NewTown makes the town that c describes. It panics if c names a topic that is not
// there.
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
		t.found(i)
	}
	for i := range t.sites {
		t.aim(i)
	}
	return t
}

// found lays out a site.
func (t *Town) found(i int) {
	d := diceFor(t.config.Seed, forPlots, i)
	s := plotOfTown{topic: t.plotTopic(&d), home: homeOf(d.share())}
	s.hub = s.topic == t.words.everyday() && d.chance(townHubs/townGeneral)
	if s.hub || i == 0 {
		s.home = PlainHome
	}
	s.competitor = !s.hub && d.chance(townCompetitor)
	s.pages = min(max(int(d.logNormal(meanPages, 0.7)), leastPagesTown), mostPagesTown)
	s.host = t.plotHost(i, &s, &d)
	s.ring = len(t.rings[s.topic])
	t.rings[s.topic] = append(t.rings[s.topic], int32(i))
	if s.hub {
		t.hubs = append(t.hubs, int32(i))
	}
	t.hosts[s.host] = int32(i)
	t.sites = append(t.sites, s)
}

func homeOf(u float64) HomeKind {
	for _, h := range homeShares {
		if u < h.share {
			return h.kind
		}
	}
	return PlainHome
}

func (t *Town) plotTopic(d *dice) int {
	kin := t.words.related(t.focus)
	switch u := d.share(); {
	case u < townOnTopic:
		return t.focus
	case u < townOnTopic+townKin:
		return kin[d.under(len(kin))]
	case u < townOnTopic+townKin+townGeneral:
		return t.words.everyday()
	}
	for {
		if topic := d.under(t.words.topics()); topic != t.focus {
			return topic
		}
	}
}

// plotHost names a site. About every third is known by its name with www.
func (t *Town) plotHost(i int, s *plotOfTown, d *dice) string {
	b := appendInt(append(append([]byte(t.words.heads[d.under(len(t.words.heads))]), t.words.tails[d.under(len(t.words.tails))]...), '-'), i)
	name := strings.ToLower(slugOf(string(b))) + ".demo"
	if d.chance(0.35) {
		name = "www." + name
	}
	return name
}

// aim lets a host that is no site send on to one of its topic.
func (t *Town) aim(i int) {
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

func (s *plotOfTown) isSite() bool { return s.home < RedirectHome }

// Config returns the configuration with its defaults filled in.
func (t *Town) Config() TownConfig { return t.config }

// Topic returns the topic that is looked for.
func (t *Town) Topic() Topic { return t.words.lexicons[t.focus].Topic }

// Len returns the number of sites.
func (t *Town) Len() int { return len(t.sites) }

// Sites runs over all sites.
func (t *Town) Sites() iter.Seq[TownSite] {
	return func(yield func(TownSite) bool) {
		for i := range t.sites {
			if !yield(t.describe(i)) {
				return
			}
		}
	}
}

// Site tells what is true of a host, with or without www.
func (t *Town) Site(host string) (TownSite, bool) {
	i, ok := t.find(host)
	if !ok {
		return TownSite{}, false
	}
	return t.describe(i), true
}

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

// Training picks sites to learn from: so many on topic, and so many others, in the
// order in which they are drawn. They are sites, of any homepage.
func (t *Town) Training(on, off int) (list []TownSite) {
	d := diceFor(t.config.Seed, forTraining, 0)
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

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// FirstPages returns the first n pages of a site in breadth-first order from the
// homepage, as far as they lead to each other.
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
