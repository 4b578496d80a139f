package strategy

import (
	"fmt"
	"slices"
	"strings"

	"dowse"
)

// Linkage are the parameters of learning from links: what the pages that link to a
// page say of it, and the URL (Aggarwal, Al-Garawi and Yu 2001).
type Linkage struct {
	Factors  string `param:"factors" default:"content+url+links+siblings" help:"what is learnt from: words of linking pages, parts of the URL, whether linking pages are on topic, whether their other links are"`
	LinkNorm string `param:"link-norm" default:"paper" help:"what links between pages on topic are compared with: chance (paper), or all links from pages on topic (conditional)"`
	MinLinks int    `param:"min-links" default:"20" min:"-1" help:"links between visited pages from which they count; -1 for none"`
	Parents  int    `param:"parents" default:"5" help:"linking pages of a URL that are remembered; all are counted"`
}

const fewParents = 5 // by default

// The ways to norm the ratio of links.
const (
	NormPaper       = "paper"
	NormConditional = "conditional"
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
	if l.LinkNorm != "" && l.LinkNorm != NormPaper && l.LinkNorm != NormConditional {
		return fmt.Errorf("link-norm=%s: want %s or %s", l.LinkNorm, NormPaper, NormConditional)
	}
	for name := range strings.SplitSeq(l.Factors, "+") {
		if name != "" && !slices.Contains(factorNames[:], name) {
			return fmt.Errorf("factors=%s: want some of %s", l.Factors, strings.Join(factorNames[:], "+"))
		}
	}
	return nil
}

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

	ratios  *Ratios
	params  *Linkage
	size    int // of the vocabulary
	in      [factorCount]bool
	words   weigher
	now     moment
	lnP     float64
	lnQ     float64
	version uint32

	union []word
	parts []string
	kin   []uint32
}

// linkageState is what links have taught: the knowledge, and the evidence for what
// waits.
type linkageState struct {
	Base   cell // pages
	Pace   pace
	Links  [4]float64 // between visited pages, by kind
	Tokens *lexicon
	Found  *evidence
}

// blankLinkage is a state to load into.
func blankLinkage() linkageState { return linkageState{Tokens: &lexicon{}, Found: &evidence{}} }

func newLinkage(r *Ratios, l *Linkage, vocabulary int, words *lexicon) *linkage {
	k := &linkage{ratios: r, params: l, size: or(vocabulary, 100_000)}
	for i, name := range factorNames {
		k.in[i] = l.Factors == "" || slices.Contains(strings.Split(l.Factors, "+"), name)
	}
	k.state = linkageState{Tokens: newLexicon(k.size), Found: newEvidence(or(l.Parents, fewParents), r.rescored())}
	k.words = weigher{lex: words, column: asContent}
	k.taken()
	return k
}

// restore goes on from a saved state. The words are restored by then.
func (k *linkage) restore(s linkageState, words *lexicon) {
	k.state = s
	s.Tokens.restored(k.size)
	s.Found.restored(or(k.params.Parents, fewParents), k.ratios.rescored())
	k.words = weigher{lex: words, column: asContent}
	k.taken()
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
	if l := k.state.Links; l[0]+l[1]+l[2]+l[3] >= float64(or(k.params.MinLinks, 20)) {
		k.lnP, k.lnQ = k.now.linkRatios(l, k.params.LinkNorm)
	}
	if k.version++; k.version == 0 {
		for i := range k.state.Found.Pages {
			k.state.Found.Pages[i].version = 0
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
		e := s.Tokens.entry(s.Tokens.add(t))
		e.Met++
		e.Cells[asContent].count(on)
	}
	i, ok := s.Found.at[u]
	if !ok {
		return nil
	}
	t := &s.Found.Targets[i]
	k.words.begin()
	k.union = k.union[:0]
	for _, p := range t.Parents {
		k.union = k.words.fresh(k.union, s.Found.Pages[p].Words)
	}
	for _, w := range k.union {
		k.words.learn(w, on)
	}
	k.ends(t, on)
	k.kin = s.Found.siblings(k.kin[:0], i, k.ratios.rescored())
	s.Found.forget(i)
	return k.kin
}

// ends counts the links to a page that has just been visited.
func (k *linkage) ends(t *target, on bool) {
	k.state.Links[kindOfLink(true, on)] += float64(t.M)
	k.state.Links[kindOfLink(false, on)] += float64(t.K - t.M)
	k.state.Found.visited(t, on)
}

// follow makes a visited page evidence for the targets of its links. Words are those
// that it has.
func (k *linkage) follow(p *dowse.Page, words []word) {
	found := k.state.Found
	page := found.page(words, p.OnTopic)
	for i := range p.Links {
		l := &p.Links[i]
		if l.Target.State == dowse.Visited {
			k.state.Links[kindOfLink(p.OnTopic, l.Target.OnTopic)]++
			found.Pages[page].child(l.Target.OnTopic)
			continue
		}
		found.link(page, found.want(l.URL))
	}
	found.tidy(page)
}

// redirect gives the evidence for a page to the page that it redirects to.
func (k *linkage) redirect(u dowse.URL, to *dowse.Link) {
	found := k.state.Found
	from, ok := found.at[u]
	if !ok {
		return
	}
	if to.Target.State == dowse.Visited {
		k.ends(&found.Targets[from], to.Target.OnTopic)
		found.forget(from)
		k.turn()
		return
	}
	found.unite(from, found.want(to.URL))
}

// forget drops the evidence for a URL that can't be visited.
func (k *linkage) forget(u dowse.URL) {
	if i, ok := k.state.Found.at[u]; ok {
		k.state.Found.forget(i)
	}
}

// rate tells what speaks for a target.
func (k *linkage) rate(t *target) (f factors) {
	if k.now.flat {
		return f
	}
	if k.in[byContent] {
		f[byContent] = k.content(t)
	}
	if k.in[byURL] {
		f[byURL] = k.address(t.URL)
	}
	if k.in[byLinks] {
		f[byLinks] = float64(float64(t.M)*k.lnP) + float64(float64(t.K-t.M)*k.lnQ)
	}
	if k.in[bySiblings] {
		f[bySiblings] = k.siblings(t)
	}
	return f
}

func (k *linkage) content(t *target) (sum float64) {
	if len(t.Parents) == 1 {
		return k.pageContent(&k.state.Found.Pages[t.Parents[0]])
	}
	k.words.begin()
	for _, p := range t.Parents {
		sum += k.words.sum(k.state.Found.Pages[p].Words)
	}
	return sum
}

// pageContent is what the words of one page say, computed once while nothing
// changes: many targets have no other.
func (k *linkage) pageContent(p *linking) float64 {
	if p.version != k.version {
		k.words.begin()
		p.version, p.ln = k.version, k.words.sum(p.Words)
	}
	return p.ln
}

func (k *linkage) address(u dowse.URL) (sum float64) {
	k.parts = tokens(k.parts[:0], u)
	for _, t := range k.parts {
		if e := k.state.Tokens.find(t); e != nil {
			sum += k.now.significant(e.Cells[asContent])
		}
	}
	return sum
}

func (k *linkage) siblings(t *target) float64 {
	var v, s float64
	for _, p := range t.Parents {
		v += float64(k.state.Found.Pages[p].Visited)
		s += float64(k.state.Found.Pages[p].OnTopic)
	}
	if v == 0 {
		return 0
	}
	m := &k.now
	return lnOf((s + float64(m.sigma*m.p)) / ((v + m.sigma) * m.p))
}

// learnt returns the knowledge without the evidence.
func (k *linkage) learnt() *LinkageLearnt {
	s := &k.state
	return &LinkageLearnt{
		Pages: Tally{s.Base.N, s.Base.C}, Links: s.Links,
		Words: k.words.lex.counts(asContent), Tokens: s.Tokens.counts(asContent),
	}
}

// reuse starts from what another crawl has learnt.
func (k *linkage) reuse(l *LinkageLearnt, weight float64) {
	s := &k.state
	s.Base.add(l.Pages.cell(), weight)
	for i := range s.Links {
		s.Links[i] += float64(l.Links[i] * weight)
	}
	k.words.lex.reuse(l.Words, asContent, weight)
	s.Tokens.reuse(l.Tokens, asContent, weight)
	s.Pace.due(s.Base, true)
	k.taken()
}
