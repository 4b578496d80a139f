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

// Linkage are the parameters of learning from links (Aggarwal, Al-Garawi and Yu 2001):
// which ratios count, and how many linking pages are remembered. A zero field means
// its default.
type Linkage struct {
	Factors  string `param:"factors" default:"content+url+links+siblings" help:"what is learnt from: words of linking pages, parts of the URL, whether linking pages are on topic, whether their other links are; content*0.5+url weighs (Aggarwal 2004, sec. 3: all alike)"`
	LinkNorm string `param:"link-norm" default:"paper" help:"what links between pages on topic are compared with: chance (paper), or all links from pages on topic (conditional); Aggarwal et al. 2001, conditional is ours"`
	MinLinks int    `param:"min-links" default:"20" min:"-1" help:"links between visited pages from which they count; -1 for none; ours"`
	Parents  int    `param:"parents" default:"5" help:"linking pages of a URL that are remembered; all are counted; ours"`
}

// fewParents is the default of the parameter parents.
const fewParents = 5 // by default

// What the share of links between pages on topic is compared with, see linkRatios.
const (
	normPaper       = "paper"
	normConditional = "conditional"
)

// The factors, in the order in which they are written in reasons.
const (
	byContent = iota
	byURL
	byLinks
	bySiblings
	factorCount
)

var (
	factorNames = [factorCount]string{"content", "url", "links", "siblings"}
	factorText  = [factorCount]string{"words of the linking pages", "parts of the URL", "linking pages on and off topic", "other links of the linking pages"}
)

// check returns an error for a norm, a factor or a weight that does not exist.
func (l *Linkage) check() error {
	if l.LinkNorm != "" && l.LinkNorm != normPaper && l.LinkNorm != normConditional {
		return fmt.Errorf("link-norm=%s: want %s or %s", l.LinkNorm, normPaper, normConditional)
	}
	_, err := l.weights()
	return err
}

// weights parses the parameter factors. It returns the weight of each factor, 0 for one
// that is left out. A weight multiplies the logarithm of a ratio, that is, raises the ratio
// to a power.
func (l *Linkage) weights() (w factors, err error) {
	if l.Factors == "" {
		return factors{1, 1, 1, 1}, nil
	}
	err = parseWeights(w[:], "factors", l.Factors, factorNames[:])
	return w, err
}

// parseWeights parses a parameter that names factors, with a weight behind some: a+b*0.5. It
// sets the weights of those that are named, in the order of names.
func parseWeights(w []float64, param, value string, names []string) (err error) {
	for part := range strings.SplitSeq(value, "+") {
		name, times, weighed := strings.Cut(part, "*")
		i := slices.Index(names, name)
		if i < 0 {
			return fmt.Errorf("%s=%s: want some of %s", param, value, strings.Join(names, "+"))
		}
		if w[i] = 1; !weighed {
			continue
		}
		if w[i], err = strconv.ParseFloat(times, 64); err != nil || !(0 <= w[i] && w[i] <= maxWeight) {
			return fmt.Errorf("%s=%s: want a weight of 0 to %d behind %s*", param, value, maxWeight, name)
		}
	}
	return nil
}

// maxWeight bounds the weight of a factor, so that priorities stay finite.
const maxWeight = 1000 // of a factor

// factors are the logarithms of the ratios of a URL, each times its weight. Their sum is
// the priority: the logarithm of the product of eq. 4.
type factors [factorCount]float64

func (f *factors) sum() (sum float64) {
	for _, x := range f {
		sum += x
	}
	return sum
}

func (f *factors) because(dst []dowse.Because) []dowse.Because {
	for i, x := range f {
		dst = append(dst, dowse.Because{What: factorText[i], Weight: x})
	}
	return dst
}

// linkage learns from links. It holds K of the paper, the counts over all visited pages,
// and the evidence for URLs that were not visited.
type linkage struct {
	state linkageState
	found *evidence // for what waits

	ratios  *Ratios
	params  *Linkage
	size    int // of the vocabulary
	tokens  *termTable
	weights factors // of the factors; 0 leaves one out
	words   ratioCache
	now     ratioModel
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

// linkageState holds the counts and, in the form that is saved, the evidence for waiting
// URLs. Its fields are a file format.
type linkageState struct {
	Base   ratioCell // pages
	Pace   pace
	Links  [4]float64    // between visited pages, by kind
	Tokens *savedLexicon // these two only as it is saved
	Found  *savedEvidence
}

// blankLinkage returns a state to decode into.
func blankLinkage() *linkageState {
	return &linkageState{Tokens: &savedLexicon{}, Found: &savedEvidence{}}
}

// newLinkage returns a linkage without knowledge. It counts words in the table of the
// termReader that reads the pages, in the column asContent, and parts of URLs in a table of
// its own.
func newLinkage(r *Ratios, l *Linkage, vocabulary int, words *termTable) *linkage {
	k := &linkage{ratios: r, params: l, size: cmp.Or(vocabulary, 100_000)}
	k.weights, _ = l.weights() // checked when it was set
	k.tokens = newLexicon(k.size)
	k.found = newEvidence(cmp.Or(l.Parents, fewParents), r.rescored())
	words.addCache(&k.words, asContent)
	k.rebase()
	return k
}

// restore continues from a saved state. The table of words must have been restored before.
func (k *linkage) restore(s *linkageState, words *termTable) {
	k.tokens = s.Tokens.restored(k.size)
	k.found = newEvidence(k.found.maxParents, k.found.maxTargets)
	k.found.restore(s.Found)
	k.state = *s
	k.state.Tokens, k.state.Found = nil, nil
	words.addCache(&k.words, asContent)
	k.rebase()
}

// saved returns the state with everything that restore needs.
func (k *linkage) saved() *linkageState {
	s := k.state
	s.Tokens, s.Found = k.tokens.saved(), k.found.saved()
	return &s
}

// update makes the ratios follow the counts. It is called once after each page that changed
// them.
func (k *linkage) update() {
	if k.state.Pace.due(k.state.Base, k.ratios.Exact) {
		k.rebase()
		return
	}
	k.refresh()
}

// rebase computes with the share of pages on topic that was recorded last. All cached
// ratios become invalid.
func (k *linkage) rebase() {
	base := k.state.Pace.Base
	k.now = k.ratios.at(base, base.C)
	k.words.setModel(k.now)
	k.refresh()
}

// refresh computes p and q from the counts of links, and invalidates what was computed for
// whole pages. Below MinLinks counted links p and q are 1: with few of them even a linking
// page on topic would lower the priority (SPEC C.10).
func (k *linkage) refresh() {
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

// learn counts the outcome of a page, by the evidence as it was before the visit, and
// returns the queued targets that share a linking page with it. The evidence for the page
// is removed. The cost is that of the words of its linking pages and of its siblings, both
// bounded.
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
		k.union = k.words.fresh(k.union, k.found.pages[p].ownWords())
	}
	for _, w := range k.union {
		k.words.learn(w, on)
	}
	k.ends(t, on)
	k.kin = k.found.siblings(k.kin[:0], i, k.ratios.rescored())
	k.found.forget(i)
	return k.kin
}

// ends counts the links to a page that has just been visited, and its outcome in the pages
// that link to it. A link is counted when its second end is visited: here, or in follow.
func (k *linkage) ends(t *target, on bool) {
	k.state.Links[kindOfLink(true, on)] += float64(t.m)
	k.state.Links[kindOfLink(false, on)] += float64(t.k - t.m)
	k.found.visited(t, on)
}

// follow makes a visited page, which has these words, evidence for the targets of its
// links, and returns the places of the targets. Links to visited pages are counted
// immediately and are no evidence. The cost is one lookup per link.
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

// locate looks up the targets of links that have one.
func (k *linkage) locate(links []dowse.Link) {
	k.hashes = slices.Grow(k.hashes[:0], len(links))[:len(links)]
	k.places = slices.Grow(k.places[:0], len(links))[:len(links)]
	for i := range links {
		k.hashes[i] = k.found.at.hash(string(links[i].URL))
	}
	k.found.locate(k.places, k.hashes, func(i int) dowse.URL { return links[i].URL })
}

// redirect moves the evidence for a page to the page that it redirects to. If that page was
// visited already, its outcome is counted for the links to the redirecting page.
func (k *linkage) redirect(u dowse.URL, to *dowse.Link) {
	found := k.found
	from, ok := found.place(u)
	if !ok {
		return
	}
	if to.Target.State == dowse.Visited {
		k.ends(&found.targets[from], to.Target.OnTopic)
		found.forget(from)
		k.update()
		return
	}
	found.unite(from, found.want(to.URL))
}

// forget removes the evidence for a URL that cannot be visited. It is not counted as a
// page.
func (k *linkage) forget(u dowse.URL) {
	if i, ok := k.found.place(u); ok {
		k.found.forget(i)
	}
}

// rate returns the factors of a target. Address is what the parts of its URL contribute,
// computed before. As long as all visited pages are on topic, or none is, there is nothing
// to learn from and every factor is 0.
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

// content returns the logarithm of the content ratio (eq. 7): the sum over the union of the
// words of the linking pages that are kept. A word on several of them counts once.
func (k *linkage) content(t *target) (sum float64) {
	if t.kept == 1 {
		return k.pageContent(&k.found.pages[t.first[0]])
	}
	k.words.begin()
	for _, p := range k.found.linkingTo(t) {
		sum += k.words.sum(k.found.pages[p].ownWords())
	}
	return sum
}

// pageContent returns the sum over the words of one page. It is computed once per page and
// version of the counts, since most targets of a page have no other linking page.
func (k *linkage) pageContent(p *linking) float64 {
	if p.version != k.version {
		k.words.begin()
		p.version, p.ln = k.version, k.words.sum(p.ownWords())
	}
	return p.ln
}

// addresses computes what the parts of prospects' URLs contribute. It hashes all parts
// first, so that their counts can be loaded together.
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

// address returns the sum of the logarithms of the ratios of a URL's parts, given by their
// hashes.
func (k *linkage) address(hashes []uint64) (sum float64) {
	for _, h := range hashes {
		if e := k.tokens.find(h); e != nil {
			sum += k.words.significant(e.Cells[asContent])
		}
	}
	return sum
}

// siblings returns the logarithm of the sibling ratio: the share of pages on topic among
// the visited pages that the linking pages link to. A sibling that shares several linking
// pages counts several times (SPEC C.10).
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

// learnt returns the counts without the evidence, for another crawl.
func (k *linkage) learnt() *input.LinkageLearnt {
	s := &k.state
	return &input.LinkageLearnt{
		Pages: input.Tally{s.Base.N, s.Base.C}, Links: s.Links,
		Words: k.words.lex.counts(asContent), Tokens: k.tokens.counts(asContent),
	}
}

// reuse adds the counts of another crawl, times a weight (SPEC C.13).
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
	k.rebase()
}
