package interest

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dowse"
	"dowse/strategy/input"
)

// Linkage are the parameters of learning from links: what the pages that link to a
// page say of it, and the URL (Aggarwal, Al-Garawi and Yu 2001).
type Linkage struct {
	Factors  string `param:"factors" default:"content+url+links+siblings" help:"what is learnt from: words of linking pages, parts of the URL, whether linking pages are on topic, whether their other links are; content*0.5+url weighs (Aggarwal 2004, sec. 3: all alike)"`
	LinkNorm string `param:"link-norm" default:"paper" help:"what links between pages on topic are compared with: chance (paper), or all links from pages on topic (conditional); Aggarwal et al. 2001, conditional is ours"`
	MinLinks int    `param:"min-links" default:"20" min:"-1" help:"links between visited pages from which they count; -1 for none; ours"`
	Parents  int    `param:"parents" default:"5" help:"linking pages of a URL that are remembered; all are counted; ours"`
}

const fewParents = 5 // by default

// The ways to norm the ratio of links.
const (
	normPaper       = "paper"
	normConditional = "conditional"
)

const (
	byContent = iota
	byURL
	byLinks
	bySiblings
	factorCount
)

var (
	factorNames = [factorCount]string{"content", "url", "links", "siblings"}
	factorSays  = [factorCount]string{"words of the linking pages", "parts of the URL", "linking pages on and off topic", "other links of the linking pages"}
)

func (l *Linkage) check() error {
	if l.LinkNorm != "" && l.LinkNorm != normPaper && l.LinkNorm != normConditional {
		return fmt.Errorf("link-norm=%s: want %s or %s", l.LinkNorm, normPaper, normConditional)
	}
	_, err := l.weights()
	return err
}

// weights returns what each factor counts, 0 for one that is left out.
func (l *Linkage) weights() (w factors, err error) {
	if l.Factors == "" {
		return factors{1, 1, 1, 1}, nil
	}
	for part := range strings.SplitSeq(l.Factors, "+") {
		name, times, weighed := strings.Cut(part, "*")
		i := slices.Index(factorNames[:], name)
		if i < 0 {
			return w, fmt.Errorf("factors=%s: want some of %s", l.Factors, strings.Join(factorNames[:], "+"))
		}
		if w[i] = 1; !weighed {
			continue
		}
		if w[i], err = strconv.ParseFloat(times, 64); err != nil || !(0 <= w[i] && w[i] <= maxWeight) {
			return w, fmt.Errorf("factors=%s: want a weight of 0 to %d behind %s*", l.Factors, maxWeight, name)
		}
	}
	return w, nil
}

const maxWeight = 1000 // of a factor

// factors are the logarithms of the ratios that speak for a URL.
type factors [factorCount]float64

func (f *factors) sum() (sum float64) {
	for _, x := range f {
		sum += x
	}
	return sum
}

func (f *factors) because(dst []dowse.Because) []dowse.Because {
	for i, x := range f {
		dst = append(dst, dowse.Because{What: factorSays[i], Weight: x})
	}
	return dst
}

// linkage learns from links.
type linkage struct {
	state linkageState
	found *evidence // for what waits

	ratios  *Ratios
	params  *Linkage
	size    int // of the vocabulary
	tokens  *termTable
	weights factors // of the factors; 0 leaves one out
	words   weigher
	now     visitMoment
	lnP     float64
	lnQ     float64
	version uint32

	union  []word
	parts  []string
	kin    []uint32
	hashes []uint64 // of a page's links, or of parts of URLs
	counts []int    // of these
	places []uint32 // of their targets
}

// linkageState is what links have taught: the knowledge, and as it is saved, the
// evidence for what waits.
type linkageState struct {
	Base   ratioCell // pages
	Pace   pace
	Links  [4]float64    // between visited pages, by kind
	Tokens *savedLexicon // these two only as it is saved
	Found  *savedEvidence
}

// blankLinkage is a state to load into.
func blankLinkage() *linkageState {
	return &linkageState{Tokens: &savedLexicon{}, Found: &savedEvidence{}}
}

func newLinkage(r *Ratios, l *Linkage, vocabulary int, words *termTable) *linkage {
	k := &linkage{ratios: r, params: l, size: cmp.Or(vocabulary, 100_000)}
	k.weights, _ = l.weights() // checked when it was set
	k.tokens = newLexicon(k.size)
	k.found = newEvidence(cmp.Or(l.Parents, fewParents), r.rescored())
	words.weigh(&k.words, asContent)
	k.taken()
	return k
}

// restore goes on from a saved state. The words are restored by then.
func (k *linkage) restore(s *linkageState, words *termTable) {
	k.tokens = s.Tokens.restored(k.size)
	k.found = newEvidence(k.found.parents, k.found.kids)
	k.found.restore(s.Found)
	k.state = *s
	k.state.Tokens, k.state.Found = nil, nil
	words.weigh(&k.words, asContent)
	k.taken()
}

// saved is all that is to be written down.
func (k *linkage) saved() *linkageState {
	s := k.state
	s.Tokens, s.Found = k.tokens.saved(), k.found.saved()
	return &s
}

// turn takes note that the knowledge has changed.
func (k *linkage) turn() {
	if k.state.Pace.due(k.state.Base, k.ratios.Exact) {
		k.taken()
		return
	}
	k.settled()
}

// taken goes by the share of pages on topic that was taken last.
func (k *linkage) taken() {
	base := k.state.Pace.Base
	k.now = k.ratios.at(base, base.C)
	k.words.turn(k.now)
	k.settled()
}

// settled goes by the links that are known, and by the words.
func (k *linkage) settled() {
	k.words.grow()
	k.lnP, k.lnQ = 0, 0
	if l := k.state.Links; l[0]+l[1]+l[2]+l[3] >= float64(cmp.Or(k.params.MinLinks, 20)) {
		k.lnP, k.lnQ = k.now.linkRatios(l, k.params.LinkNorm)
	}
	if k.version++; k.version == 0 {
		for i := range k.found.pages {
			k.found.pages[i].version = 0
		}
		k.version = 1
	}
}

// learn takes in how a page turned out, by the evidence as it was before the visit,
// and returns the targets that shared some of it. The evidence is dropped.
func (k *linkage) learn(u dowse.URL, on bool) (siblings []uint32) {
	s := &k.state
	s.Base.count(on)
	k.parts = tokens(k.parts[:0], u)
	for _, t := range k.parts {
		w := k.tokens.add(t)
		k.tokens.head(w).met++
		k.tokens.learn(w, asContent, on)
	}
	i, ok := k.found.place(u)
	if !ok {
		return nil
	}
	t := &k.found.targets[i]
	k.found.touchPages([]uint32{i})
	k.words.begin()
	k.union = k.union[:0]
	for _, p := range k.found.linkingTo(t) {
		k.union = k.words.fresh(k.union, k.found.pages[p].says())
	}
	for _, w := range k.union {
		k.words.learn(w, on)
	}
	k.ends(t, on)
	k.kin = k.found.siblings(k.kin[:0], i, k.ratios.rescored())
	k.found.forget(i)
	return k.kin
}

// ends counts the links to a page that has just been visited.
func (k *linkage) ends(t *target, on bool) {
	k.state.Links[kindOfLink(true, on)] += float64(t.m)
	k.state.Links[kindOfLink(false, on)] += float64(t.k - t.m)
	k.found.visited(t, on)
}

// follow makes a visited page evidence for the targets of its links, and returns where
// these are. Words are those that the page has.
func (k *linkage) follow(p *dowse.Page, words []word) (places []uint32) {
	k.locate(p.Links)
	page := k.found.page(words, p.OnTopic, len(p.Links))
	for i := range p.Links {
		l := &p.Links[i]
		if l.Target.State == dowse.Visited {
			k.state.Links[kindOfLink(p.OnTopic, l.Target.OnTopic)]++
			k.found.pages[page].child(l.Target.OnTopic)
			continue
		}
		if k.places[i] == noPlace {
			k.places[i] = k.found.wanted(l.URL, k.hashes[i])
		}
		k.found.link(page, k.places[i])
	}
	k.found.tidy(page)
	return k.places
}

// locate finds the targets of links, as far as there are any.
func (k *linkage) locate(links []dowse.Link) {
	k.hashes = slices.Grow(k.hashes[:0], len(links))[:len(links)]
	k.places = slices.Grow(k.places[:0], len(links))[:len(links)]
	for i := range links {
		k.hashes[i] = k.found.at.hash(string(links[i].URL))
	}
	k.found.locate(k.places, k.hashes, func(i int) dowse.URL { return links[i].URL })
}

// redirect gives the evidence for a page to the page that it redirects to.
func (k *linkage) redirect(u dowse.URL, to *dowse.Link) {
	found := k.found
	from, ok := found.place(u)
	if !ok {
		return
	}
	if to.Target.State == dowse.Visited {
		k.ends(&found.targets[from], to.Target.OnTopic)
		found.forget(from)
		k.turn()
		return
	}
	found.unite(from, found.want(to.URL))
}

// forget drops the evidence for a URL that can't be visited.
func (k *linkage) forget(u dowse.URL) {
	if i, ok := k.found.place(u); ok {
		k.found.forget(i)
	}
}

// rate tells what speaks for a target, with what the parts of its URL say.
func (k *linkage) rate(t *target, address float64) (f factors) {
	if k.now.flat {
		return f
	}
	if w := k.weights[byContent]; w > 0 {
		f[byContent] = w * k.content(t)
	}
	if w := k.weights[byURL]; w > 0 {
		f[byURL] = w * address
	}
	if w := k.weights[byLinks]; w > 0 {
		f[byLinks] = w * (float64(float64(t.m)*k.lnP) + float64(float64(t.k-t.m)*k.lnQ))
	}
	if w := k.weights[bySiblings]; w > 0 {
		f[bySiblings] = w * k.siblings(t)
	}
	return f
}

func (k *linkage) content(t *target) (sum float64) {
	if t.kept == 1 {
		return k.pageContent(&k.found.pages[t.first[0]])
	}
	k.words.begin()
	for _, p := range k.found.linkingTo(t) {
		sum += k.words.sum(k.found.pages[p].says())
	}
	return sum
}

// pageContent is what the words of one page say, computed once while nothing
// changes: many targets have no other.
func (k *linkage) pageContent(p *linking) float64 {
	if p.version != k.version {
		k.words.begin()
		p.version, p.ln = k.version, k.words.sum(p.says())
	}
	return p.ln
}

// addresses sets what the parts of prospects' URLs say.
func (k *linkage) addresses(list []prospect) {
	if k.now.flat || k.weights[byURL] == 0 {
		return
	}
	k.hashes, k.counts = k.hashes[:0], k.counts[:0]
	for i := range list {
		k.parts = k.parts[:0]
		if list[i].target != noPlace {
			k.parts = tokens(k.parts, list[i].url)
		}
		for _, t := range k.parts {
			k.hashes = append(k.hashes, k.tokens.at.hash(t))
		}
		k.counts = append(k.counts, len(k.parts))
	}
	k.tokens.touch(k.hashes)
	hashes := k.hashes
	for i, n := range k.counts {
		list[i].address = k.address(hashes[:n])
		hashes = hashes[n:]
	}
}

// address is what parts of a URL with hashes say.
func (k *linkage) address(hashes []uint64) (sum float64) {
	for _, h := range hashes {
		if e := k.tokens.find(h); e != nil {
			sum += k.words.significant(e.Cells[asContent])
		}
	}
	return sum
}

func (k *linkage) siblings(t *target) float64 {
	var v, s float64
	for _, p := range k.found.linkingTo(t) {
		v += float64(k.found.pages[p].visited)
		s += float64(k.found.pages[p].onTopic)
	}
	if v == 0 {
		return 0
	}
	m := &k.now
	return lnOf((s + float64(m.sigma*m.p)) / ((v + m.sigma) * m.p))
}

// learnt returns the knowledge without the evidence.
func (k *linkage) learnt() *input.LinkageLearnt {
	s := &k.state
	return &input.LinkageLearnt{
		Pages: input.Tally{s.Base.N, s.Base.C}, Links: s.Links,
		Words: k.words.lex.counts(asContent), Tokens: k.tokens.counts(asContent),
	}
}

// reuse starts from what another crawl has learnt.
func (k *linkage) reuse(l *input.LinkageLearnt, weight float64) {
	s := &k.state
	s.Base.add(cellOf(l.Pages), weight)
	for i := range s.Links {
		s.Links[i] += float64(l.Links[i] * weight)
	}
	k.words.lex.reuse(l.Words, asContent, weight)
	k.words.recount()
	k.tokens.reuse(l.Tokens, asContent, weight)
	s.Pace.due(s.Base, true)
	k.taken()
}
