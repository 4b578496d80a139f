package demo

import (
	"fmt"
	"math"
	"sort"
	"strings"
)

// Kind is what a site is there for.
type Kind uint8

// The kinds of sites; the package comment tells what each does.
const (
	Ordinary Kind = iota // on a topic, mostly
	General              // on no topic in particular
	Portal               // a directory with a page for each topic
	News                 // a bit of everything
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

var kindNames = [...]string{
	"ordinary", "general", "portal", "news", "calendar", "forum", "busy", "closed", "slow", "flaky",
	"mirror", "moved", "oldpages", "farm", "french", "german", "passage", "hidden",
}

func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown"
}

// A site is a row of the only table that a web keeps.
type site struct {
	host    string
	index   int // in the table
	ring    int // in the ring, or -1
	kind    Kind
	topic   int // lexicon of its home page; for a farm the topic it pretends
	focus   int // topic of its neighbourhood
	first   int // number of its home page
	count   int
	shape   shape
	partner int     // the site that a mirror copies, a redirect leads to, a passage ends at
	foot    []int32 // pages to which every page links at its foot
	listed  bool
	weight  float64
}

// shape is how a site arranges its pages: home, links, sections, articles.
type shape struct {
	sections []string
	rotation int // which subject comes first
	members  int // index of the section that robots.txt disallows, or -1
}

const (
	homePage  = 0
	linksPage = 1
	leastSite = 14
)

// open is the number of pages that anybody may link to: all, but for the two inner
// pages of a passage.
func (s *site) open() int {
	if s.kind == Passage {
		return s.count - 2
	}
	return s.count
}

func (s *site) firstArticle() int { return 2 + len(s.shape.sections) }
func (s *site) articles() int     { return max(s.open()-s.firstArticle(), 0) }

// A plot is a place for a site in a neighbourhood.
type plot struct {
	kind   Kind
	name   string
	weight float64 // pages, relative to the mean site
}

// plots of every neighbourhood; ordinary and general sites fill it up.
var plots = []plot{
	{Portal, "signpost", 1.5}, {News, "weeklypost", 2.5}, {Calendar, "calendar", 0.5}, {Forum, "forum", 1.5},
	{Busy, "busytides", 1}, {Closed, "closed", 0.6}, {Slow, "slow", 1}, {Flaky, "flaky", 0.8},
	{Mirror, "mirror", 0.8}, {Moved, "moved", 0}, {OldPages, "oldpages", 0.8}, {Farm, "best", 0.8}, {Farm, "cheap", 0.8},
	{French, "lemarche", 0.6}, {German, "dorfblatt", 0.6}, {Passage, "harbourledger", 0.4}, {Hidden, "undertow", 1.2},
}

const (
	generalSites = 4
	footLinks    = 4
	siteSpread   = 0.8 // deviation of the logarithm of the sizes of ordinary sites
	focusWeight  = 1.7 // size of ordinary sites on the neighbourhood's topic

	generalWeight = 1.5
)

// survey lays out all sites but for their pages.
func (w *Web) survey(focus int) {
	d := diceFor(w.config.Seed, forSites, 0)
	for q := 0; len(w.sites) < w.config.Sites; q++ {
		room := min(neighbours, w.config.Sites-len(w.sites))
		w.settle(q, room, (focus+q)%w.words.topics(), &d)
	}
}

// settle adds the sites of the q-th neighbourhood. One that has no room for all
// has ordinary sites only.
func (w *Web) settle(q, room, focus int, d *dice) {
	begin := len(w.sites)
	if room == neighbours {
		for _, p := range plots {
			w.found(p.kind, w.plotName(p, q, focus), w.plotTopic(p.kind, focus, d), p.weight, d)
		}
		for _, weight := range weights(generalSites) {
			w.found(General, "", w.words.everyday(), generalWeight*weight, d)
		}
		others := weights(w.words.topics() - 1)
		shuffle(others, d)
		for i, weight := range others {
			w.found(Ordinary, "", (focus+1+i)%w.words.topics(), weight, d)
		}
	}
	for _, weight := range weights(begin + room - len(w.sites)) {
		w.found(Ordinary, "", focus, focusWeight*weight, d)
	}
	for i := begin; i < len(w.sites); i++ {
		w.sites[i].focus = focus
	}
	w.pair(begin)
}

// weights returns the sizes of n sites, relative to their mean: the quantiles of a
// log-normal distribution, the small ones first. Crawls begin on the first sites
// of a topic, and would not leave a large one for long.
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

func shuffle[T any](list []T, d *dice) {
	for i := len(list) - 1; i > 0; i-- {
		j := d.under(i + 1)
		list[i], list[j] = list[j], list[i]
	}
}

func (w *Web) plotName(p plot, q, focus int) string {
	name := p.name
	if p.kind == Farm {
		name += strings.ReplaceAll(w.words.lexicons[focus].Name, " ", "")
	}
	if q > 0 {
		name += fmt.Sprintf("-%d", q+1)
	}
	return name
}

func (w *Web) plotTopic(k Kind, focus int, d *dice) int {
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

// found adds one site.
func (w *Web) found(k Kind, name string, topic int, weight float64, d *dice) {
	lex := &w.words.lexicons[topic]
	s := site{index: len(w.sites), ring: -1, kind: k, topic: topic, weight: weight, partner: -1}
	s.host = w.freeHost(name, lex, d)
	s.shape = w.newShape(&s, lex, d)
	s.listed = k == News || k == Ordinary && d.chance(0.15)
	w.hosts[s.host] = len(w.sites)
	w.sites = append(w.sites, s)
}

// freeHost returns a host name that is not taken: the given one, or one of the
// topic's, or one of those with a place in it.
func (w *Web) freeHost(name string, lex *lexicon, d *dice) string {
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

func (w *Web) newShape(s *site, lex *lexicon, d *dice) shape {
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

// pair gives the sites that need one their partner within the neighbourhood: the
// first ordinary sites on its topic, which are settled last.
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

// populate shares the pages out among the sites by weight.
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

// balance adds what is left over to the ordinary sites, or takes what is missing
// from them, the largest first; mirrors stay smaller than what they copy.
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

func (w *Web) copied(i int) bool {
	for j := i; j >= 0 && j > i-neighbours; j-- {
		if w.sites[j].kind == Mirror && w.sites[j].partner == i {
			return true
		}
	}
	return false
}

// adjust changes a site by its part of left pages and returns by how many.
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

// index prepares what picking targets needs: the sites of each topic in order of
// their popularity, and all that may be linked to.
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
	d := diceFor(w.config.Seed, forOrder, 0)
	for t := range w.onTopic {
		shuffle(w.onTopic[t], &d)
	}
	shuffle(w.all, &d)
	sort.SliceStable(w.all, func(a, b int) bool { return w.general(w.all[a]) && !w.general(w.all[b]) })
}

// underline finds the pages that a site links to at the foot of every page: the
// first of its articles that have no topic, such as the privacy notice.
func (w *Web) underline(s *site) {
	if s.kind == Farm || s.kind == Passage {
		return
	}
	for local := s.firstArticle(); local < s.open() && local < 100 && len(s.foot) < footLinks; local++ {
		if w.lexiconOf(s, local) == w.words.everyday() {
			s.foot = append(s.foot, int32(local))
		}
	}
}

// general tells whether a site is for everybody. These are the most popular ones,
// so that a crawl in breadth meets them first (Najork and Wiener 2001).
func (w *Web) general(i int32) bool {
	k := w.sites[i].kind
	return k == General || k == News || k == Portal || k == Forum
}

// related lists for each topic the topics of the same category, or of the same
// branch if it is alone there.
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

// ancestor cuts the last n parts off a category's path.
func ancestor(path string, n int) string {
	for range n {
		path = path[:max(strings.LastIndexByte(strings.TrimSuffix(path, "/"), '/'), 0)] + "/"
	}
	return path
}
