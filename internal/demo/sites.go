package demo

import (
	"fmt"
	"math"
	"sort"
	"strings"
)

// A Kind is the purpose of a site.
type Kind uint8

// The kinds of sites; the package comment describes what each does.
const (
	Ordinary Kind = iota // mostly on one topic
	General              // on no particular topic
	Portal               // a directory with one page per topic
	News                 // on all topics
	Calendar
	Forum
	Busy
	Closed
	Slow
	Flaky
	Mirror
	Moved
	OldPages
	Farm
	French
	German
	Passage
	Hidden
)

// kindNames are in the order of the constants.
var kindNames = [...]string{
	"ordinary", "general", "portal", "news", "calendar", "forum", "busy", "closed", "slow", "flaky",
	"mirror", "moved", "oldpages", "farm", "french", "german", "passage", "hidden",
}

// String returns the name of the kind, as the package comment lists it.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown"
}

// A site is a row of the table of sites, the only thing that a web stores.
type site struct {
	host  string
	index int // in the table
	ring  int // place in Web.ring; -1 for none
	kind  Kind
	topic int // lexicon of its home page; for a farm the topic that it pretends to be on
	focus int // topic of its neighbourhood
	first int // number of its home page
	count int
	shape shape
	// The site that a mirror copies, to which a moved host redirects, or at which
	// a passage ends.
	partner int
	foot    []int32 // pages to which the footer of every page links
	listed  bool    // it has a sitemap
	weight  float64 // relative number of pages
}

// A shape is how a site arranges its pages: home page, link page, one page per
// section, then articles.
type shape struct {
	sections []string
	rotation int // which subject comes first
	members  int // index of the section that robots.txt disallows; -1 for none
}

// Pages within a site, and the least number of them.
const (
	homePage  = 0
	linksPage = 1
	leastSite = 14
)

// open returns the number of pages to which any page may link: all except the
// two inner pages of a passage.
func (s *site) open() int {
	if s.kind == Passage {
		return s.count - 2
	}
	return s.count
}

// firstArticle returns the number of the first article within the site: behind
// home page, link page and sections.
func (s *site) firstArticle() int { return 2 + len(s.shape.sections) }

// articles returns the number of articles to which any page may link.
func (s *site) articles() int { return max(s.open()-s.firstArticle(), 0) }

// A siteSpec describes a special site of a neighbourhood.
type siteSpec struct {
	kind   Kind
	name   string
	weight float64 // pages, relative to the mean site
}

// specialSites are in every neighbourhood; ordinary and general sites fill it
// up. Their order is part of the web.
var specialSites = []siteSpec{
	{Portal, "signpost", 1.5}, {News, "weeklypost", 2.5}, {Calendar, "calendar", 0.5}, {Forum, "forum", 1.5},
	{Busy, "busytides", 1}, {Closed, "closed", 0.6}, {Slow, "slow", 1}, {Flaky, "flaky", 0.8},
	{Mirror, "mirror", 0.8}, {Moved, "moved", 0}, {OldPages, "oldpages", 0.8}, {Farm, "best", 0.8}, {Farm, "cheap", 0.8},
	{French, "lemarche", 0.6}, {German, "dorfblatt", 0.6}, {Passage, "harbourledger", 0.4}, {Hidden, "undertow", 1.2},
}

// Parameters of a neighbourhood.
const (
	generalSites = 4
	footLinks    = 4
	siteSpread   = 0.8 // deviation of the logarithm of the sizes of ordinary sites
	focusWeight  = 1.7 // size of ordinary sites on the neighbourhood's topic

	generalWeight = 1.5
)

// layOut fills the table of sites, without pages, neighbourhood by
// neighbourhood.
func (w *Web) layOut(focus int) {
	d := rngFor(w.config.Seed, forSites, 0)
	for q := 0; len(w.sites) < w.config.Sites; q++ {
		room := min(neighbours, w.config.Sites-len(w.sites))
		w.addNeighbourhood(q, room, (focus+q)%w.words.topics(), &d)
	}
}

// addNeighbourhood adds the sites of the q-th neighbourhood. One without room
// for all has ordinary sites only.
func (w *Web) addNeighbourhood(q, room, focus int, d *rng) {
	begin := len(w.sites)
	if room == neighbours {
		for _, p := range specialSites {
			w.addSite(p.kind, w.specName(p, q, focus), w.specTopic(p.kind, focus, d), p.weight, d)
		}
		for _, weight := range weights(generalSites) {
			w.addSite(General, "", w.words.everyday(), generalWeight*weight, d)
		}
		others := weights(w.words.topics() - 1)
		shuffle(others, d)
		for i, weight := range others {
			w.addSite(Ordinary, "", (focus+1+i)%w.words.topics(), weight, d)
		}
	}
	for _, weight := range weights(begin + room - len(w.sites)) {
		w.addSite(Ordinary, "", focus, focusWeight*weight, d)
	}
	for i := begin; i < len(w.sites); i++ {
		w.sites[i].focus = focus
	}
	w.pair(begin)
}

// weights returns the sizes of n sites relative to their mean: the quantiles of
// a log-normal distribution, smallest first. Crawls begin on the first sites of
// a topic, and would stay on a large one for long.
func weights(n int) []float64 {
	sizes, sum := make([]float64, n), 0.0
	for i := range sizes {
		normal := math.Sqrt2 * math.Erfinv(2*(float64(i)+0.5)/float64(n)-1)
		sizes[i] = math.Exp(siteSpread * normal)
		sum += sizes[i]
	}
	for i := range sizes {
		sizes[i] *= float64(n) / sum
	}
	return sizes
}

// shuffle permutes a list (Fisher and Yates).
func shuffle[T any](list []T, d *rng) {
	for i := len(list) - 1; i > 0; i-- {
		j := d.under(i + 1)
		list[i], list[j] = list[j], list[i]
	}
}

// specName returns the host name of a special site, with a number from the
// second neighbourhood on.
func (w *Web) specName(p siteSpec, q, focus int) string {
	name := p.name
	if p.kind == Farm {
		name += strings.ReplaceAll(w.words.lexicons[focus].Name, " ", "")
	}
	if q > 0 {
		name += fmt.Sprintf("-%d", q+1)
	}
	return name
}

// specTopic returns the lexicon of a special site.
func (w *Web) specTopic(k Kind, focus int, d *rng) int {
	switch k {
	case Busy, Closed, Slow, Mirror, OldPages, Hidden, Farm, Moved:
		return focus
	case Flaky:
		return d.under(w.words.topics())
	case French:
		return w.words.french()
	case German:
		return w.words.german()
	}
	return w.words.everyday()
}

// addSite appends one site to the table.
func (w *Web) addSite(k Kind, name string, topic int, weight float64, d *rng) {
	lex := &w.words.lexicons[topic]
	s := site{index: len(w.sites), ring: -1, kind: k, topic: topic, weight: weight, partner: -1}
	s.host = w.freeHost(name, lex, d)
	s.shape = w.newShape(&s, lex, d)
	s.listed = k == News || k == Ordinary && d.chance(0.15)
	w.hosts[s.host] = len(w.sites)
	w.sites = append(w.sites, s)
}

// freeHost returns a host name that is not in use: the given one, one of the
// topic's, or one of those with the name of a place.
func (w *Web) freeHost(name string, lex *lexicon, d *rng) string {
	free := func(host string) bool { _, taken := w.hosts[host]; return !taken }
	for i := 0; name == "" && i < len(lex.hosts); i++ {
		if free(lex.hosts[i] + ".demo") {
			name = lex.hosts[i]
		}
	}
	for name == "" || !free(name+".demo") {
		name = lex.hosts[d.under(len(lex.hosts))] + "-" + strings.ToLower(w.words.heads[d.under(len(w.words.heads))]+
			w.words.tails[d.under(len(w.words.tails))])
	}
	return name + ".demo"
}

// newShape draws the sections of a site.
func (w *Web) newShape(s *site, lex *lexicon, d *rng) shape {
	names := lex.sections
	if names == nil {
		names = w.words.sections
	}
	sh := shape{rotation: d.under(1000), members: -1}
	at := d.under(len(names))
	for i := range min(2+d.under(3), len(names)-1) {
		sh.sections = append(sh.sections, names[(at+i)%len(names)])
	}
	if s.kind == Ordinary && d.chance(0.2) {
		sh.members = len(sh.sections)
		sh.sections = append(sh.sections, "members")
	}
	last := "about"
	if d.chance(0.6) && s.topic < w.words.topics() {
		last = "shop"
	}
	sh.sections = append(sh.sections, last)
	return sh
}

// pair assigns partners within the neighbourhood to the sites that need one:
// the first ordinary sites on its topic, which were added last. A mirror has
// the shape of the site that it copies, so that paths agree.
func (w *Web) pair(begin int) {
	last := len(w.sites) - 1
	for i := begin; i <= last; i++ {
		switch s := &w.sites[i]; s.kind {
		case Mirror:
			s.partner = last
			s.shape = w.sites[last].shape
		case Moved:
			s.partner = last - 1
		case Passage:
			s.partner = i + 1
		}
	}
}

// populate distributes the pages among the sites by weight, and numbers them:
// the pages of a site are consecutive, so that the site of a page is found by
// binary search.
func (w *Web) populate() {
	total := 0.0
	for i := range w.sites {
		total += w.sites[i].weight
	}
	left := w.config.Pages
	for i := range w.sites {
		s := &w.sites[i]
		s.count = w.fitting(s, int(s.weight/total*float64(w.config.Pages)))
		left -= s.count
	}
	w.balance(left)
	next := 0
	for i := range w.sites {
		w.sites[i].first = next
		next += w.sites[i].count
	}
}

// fitting keeps the number of a site's pages within what its kind needs.
func (w *Web) fitting(s *site, count int) int {
	switch s.kind {
	case Moved:
		return 0
	case Portal:
		return max(count, s.firstArticle()+w.words.topics()+4)
	}
	return max(count, leastSite)
}

// balance adds the remaining pages to the ordinary sites, or takes missing ones
// from them, largest site first. Mirrors stay at most as large as what they
// copy. It panics if there are too few pages, which the limits of Config
// exclude.
func (w *Web) balance(left int) {
	for i := range w.sites {
		if s := &w.sites[i]; s.kind == Mirror && s.count > w.sites[s.partner].count {
			left += s.count - w.sites[s.partner].count
			s.count = w.sites[s.partner].count
		}
	}
	var order []int
	for i := range w.sites {
		if k := w.sites[i].kind; (k == Ordinary || k == General) && !w.copied(i) {
			order = append(order, i)
		}
	}
	sort.SliceStable(order, func(a, b int) bool { return w.sites[order[a]].count > w.sites[order[b]].count })
	for left != 0 {
		before := left
		for _, i := range order {
			left -= w.adjust(&w.sites[i], left, len(order))
		}
		if left == before {
			panic("demo: too few pages for the sites")
		}
	}
}

// copied reports whether a mirror copies a site; such a site keeps its size.
func (w *Web) copied(i int) bool {
	for j := i; j >= 0 && j > i-neighbours; j-- {
		if w.sites[j].kind == Mirror && w.sites[j].partner == i {
			return true
		}
	}
	return false
}

// adjust changes the size of a site by its part of the remaining pages and
// returns by how many.
func (w *Web) adjust(s *site, left, among int) int {
	part := left / among
	if part == 0 && left != 0 {
		part = left / max(left, -left)
	}
	part = max(part, leastSite-s.count)
	if left > 0 == (part > left) {
		part = left
	}
	s.count += part
	return part
}

// index prepares drawing targets: the sites of each topic in order of
// popularity, and all sites that may be linked to. Hidden and moved hosts are
// in neither: links to them are placed on purpose.
func (w *Web) index() {
	w.onTopic = make([][]int32, len(w.words.lexicons))
	for i := range w.sites {
		switch s := &w.sites[i]; s.kind {
		case Hidden, Moved:
		case Farm:
			w.farms = append(w.farms, int32(i))
			w.ring = append(w.ring, int32(i))
		default:
			w.onTopic[s.topic] = append(w.onTopic[s.topic], int32(i))
			w.ring = append(w.ring, int32(i))
			w.all = append(w.all, int32(i))
		}
	}
	for i, k := range w.ring {
		w.sites[k].ring = i
	}
	d := rngFor(w.config.Seed, forOrder, 0)
	for t := range w.onTopic {
		shuffle(w.onTopic[t], &d)
	}
	shuffle(w.all, &d)
	sort.SliceStable(w.all, func(a, b int) bool { return w.general(w.all[a]) && !w.general(w.all[b]) })
}

// chooseFooter finds the pages to which a site links at the foot of every page:
// the first of its articles without a topic, such as the privacy notice.
func (w *Web) chooseFooter(s *site) {
	if s.kind == Farm || s.kind == Passage {
		return
	}
	for local := s.firstArticle(); local < s.open() && local < 100 && len(s.foot) < footLinks; local++ {
		if w.lexiconOf(s, local) == w.words.everyday() {
			s.foot = append(s.foot, int32(local))
		}
	}
}

// general reports whether a site is of general interest. These are the most
// popular ones, so that a breadth-first crawl visits them first (Najork and
// Wiener 2001).
func (w *Web) general(i int32) bool {
	k := w.sites[i].kind
	return k == General || k == News || k == Portal || k == Forum
}

// related returns the topics of the same category as a topic, or of the same
// branch if it is alone in its category.
func (v *vocabulary) related(topic int) []int {
	for cut := 1; cut <= 2; cut++ {
		var others []int
		prefix := ancestor(v.lexicons[topic].Path, cut)
		for t := range v.topics() {
			if t != topic && strings.HasPrefix(v.lexicons[t].Path, prefix) {
				others = append(others, t)
			}
		}
		if len(others) > 0 {
			return others
		}
	}
	return []int{v.everyday()}
}

// ancestor removes the last n parts of a category's path.
func ancestor(path string, n int) string {
	for range n {
		path = path[:max(strings.LastIndexByte(strings.TrimSuffix(path, "/"), '/'), 0)] + "/"
	}
	return path
}
