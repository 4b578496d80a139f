package strategy

import (
	"cmp"
	"errors"
	"math"
	"strings"

	"dowse"
	"dowse/strategy/input"
	"dowse/strategy/internal/lead"
	"dowse/strategy/internal/linktext"
	"dowse/strategy/internal/state"
	"dowse/text"
)

// online learns during the crawl which links lead to the topic, by logistic regression
// with one gradient step per known outcome. It is our own design, not from a paper.
//
// The features of a link are the judge's ratings of the words around it and of its
// anchor; the relevance and number of the linking pages; how other links of these
// pages and other pages of the host turned out; and the words of anchor, window and
// URL. The initial weights make it behave like link-context. Every visited page is
// then an example, and so is every link to a page that was visited before, since its
// outcome is known. The target is the page's relevance, not only whether it is on
// topic, so that it learns even if the judge hardly ever rates a page on topic.
//
// What is known of a URL before its visit is kept in the note of its lead (see
// [known]). Leads are rated again when they reach the top of the queue; in addition
// Refresh waiting leads are rated again after each page, because learning also raises
// leads, which would otherwise never come up.
//
// Memory is bounded: three times Features weights, tallies of the last 16,384 pages
// and of up to 16,384 hosts, and 2,000 leads to refresh. A link costs about 50
// features.
type online struct {
	Rate     float64 `param:"rate" default:"0.3" help:"size of the first steps of learning; steps get smaller where much was learnt; ours"`
	Prior    float64 `param:"prior" default:"3" help:"how much the ratings of judge and linking pages count at the beginning; ours"`
	Link     float64 `param:"link" default:"0.5" help:"weight of an example that is a link to a visited page, against the visit itself; ours"`
	Words    int     `param:"words" default:"20" help:"words around a link, its anchor included; ours"`
	Features int     `param:"features" default:"65536" max:"65536" help:"weights of words, in each of three places; words share them by hash; ours"`
	Refresh  int     `param:"refresh" default:"20" min:"-1" help:"waiting leads rated again after a page; -1 for none; ours"`
	Language string  `param:"language" default:"en" help:"of stems and stop words, as in BCP 47; ours"`

	codes *text.Codes
	spans []dowse.Span
	at    map[dowse.URL]int // index in state.Kept; every kept URL is in it
	x     []feature
	state onlineState
}

// onlineState is what was learnt; Save writes all of it.
type onlineState struct {
	Weights []weight   // sigCount signals, then Features words per place
	Base    cell       // all pages visited, and the sum of their relevance
	Pages   []cell     // ring by page number: outcomes of the page's links
	Next    uint32     // number of the next page
	Hosts   []hostCell // hash table without chains: a new host replaces the old one
	Kept    []keptLead // leads to refresh
	Turn    int        // index in Kept that was refreshed last
	Hand    int        // index in Kept at which room continues
}

// A weight is the coefficient of a feature (W) and the sum of its squared gradients
// (G), which sets its step size.
type weight struct{ W, G float64 }

// A feature is the index of a weight and the feature's value.
type feature struct {
	at int
	x  float64
}

type hostCell struct {
	Hash uint64
	Cell cell
}

type keptLead struct {
	URL      dowse.URL // "" for none
	Note     string
	Priority float64
}

const (
	maxFeatures = 1 << 16 // codes have 16 bits
	lastPages   = 1 << 14 // pages for which outcomes of links are counted
	someHosts   = 1 << 14
	steepest    = 5 // limit of a weight's magnitude
	keptLeads   = 2000
)

// The signals: features of a link other than words.
const (
	sigBase = iota
	sigContext
	sigAnchor
	sigParent
	sigParents
	sigLinks
	sigSiblings
	sigHost
	sigCount
)

// The places of words.
const (
	inAnchor = iota
	inWindow
	inURL
	placeCount
)

// The reasons, signals first, then words by place.
var onlineSays = [...]string{
	"what is usual", "ratings of the link's words", "linking pages", "other links of the linking pages", "other pages of the host",
	"words of the anchor", "words around the link", "words of the URL",
}

// The bands of the queue. The numbers are those of the link classifiers, whose band 1 is
// for links to learn from.
const (
	seedBand  int8 = 0
	ratedBand int8 = 2
)

const onlineReasons = 8

// signalGroup maps a signal to its reason in onlineSays.
var signalGroup = [sigCount]int{sigBase: 0, sigContext: 1, sigAnchor: 1, sigParent: 2, sigParents: 2, sigLinks: 2, sigSiblings: 3, sigHost: 4}

// Inputs returns the input that the strategy uses: the language of the topic.
func (s *online) Inputs() (required, used input.Kind) { return 0, input.KindLanguage }

// Take sets the language to that of the topic, unless a parameter gave one.
func (s *online) Take(in input.Inputs) error {
	s.Language = cmp.Or(s.Language, in.Language)
	return nil
}

// begin sets up what the parameters determine. Every entry point calls it, because a
// strategy is a plain struct without a constructor.
func (s *online) begin() {
	if s.codes != nil {
		return
	}
	a := text.NewAnalyzer(text.Options{Language: s.Language, Memory: -1})
	s.codes = text.NewCodes(0, func(word string) uint16 {
		if t := a.Term(word); t != "" {
			return uint16(max(1, text.Hash(t)&0xffff))
		}
		return 0
	})
	s.at = map[dowse.URL]int{}
	if s.state.Weights == nil {
		s.state = onlineState{Weights: make([]weight, sigCount+placeCount*s.features()), Pages: make([]cell, lastPages), Hosts: make([]hostCell, someHosts), Next: 1}
		s.prior()
	}
}

func (s *online) features() int { return cmp.Or(s.Features, maxFeatures) }

// prior sets the initial weights, which rank links much like link-context does.
func (s *online) prior() {
	w, prior := s.state.Weights, cmp.Or(s.Prior, 3)
	w[sigBase].W = -1
	w[sigContext].W = prior
	w[sigAnchor].W = prior / 3
	w[sigParent].W = prior / 3
	w[sigSiblings].W = prior / 3
}

// Traits states what is the same for a whole crawl.
func (s *online) Traits() dowse.Traits {
	return dowse.Traits{Window: cmp.Or(s.Words, 20), Anchors: true, ReadsText: true}
}

// seedNote marks a seed, which is visited before everything else.
const seedNote = "seed"

// Start queues the seeds before all else.
func (s *online) Start(seeds []dowse.URL) []dowse.Lead {
	s.begin()
	leads := lead.Seeds(seeds)
	for i := range leads {
		leads[i].Band, leads[i].Note = seedBand, seedNote
	}
	return leads
}

// Follow learns from the outcome of the visit, and then rates the page's links with
// the new weights.
func (s *online) Follow(p *dowse.Page) []dowse.Lead {
	s.begin()
	if p.Again {
		return nil
	}
	s.giveUp(p.URL)
	switch {
	case lead.Redirects(p):
		return s.redirected(p)
	case p.Outcome == dowse.Fetched:
		s.outcome(p)
		return s.rated(p)
	case p.Outcome == dowse.Listed:
		return s.rated(p)
	}
	return nil
}

// outcome learns from a visit: it makes a gradient step for the page's own features,
// and updates the tallies of the linking pages, the host and all pages.
func (s *online) outcome(p *dowse.Page) {
	r := rating(p.Verdict.Relevance)
	if k, ok := knownOf(p.Lead.Note); ok {
		s.read(&k, p.URL)
		s.step(r, 1)
		for _, page := range k.pages[:k.n] {
			s.state.page(page).take(r)
		}
	}
	s.state.Base.take(r)
	if h := s.state.host(p.URL, true); h != nil {
		h.take(r)
	}
}

// redirected passes on what is known of a URL to the target of its redirect.
func (s *online) redirected(p *dowse.Page) []dowse.Lead {
	to := &p.Links[0]
	if lead.Settled(to) || to.Target.Note == seedNote {
		return nil
	}
	if p.Lead.Note == seedNote {
		return []dowse.Lead{{URL: to.URL, Priority: 1, Band: seedBand, Note: seedNote, Because: []dowse.Because{{What: "redirected from a seed", Weight: 1}}}}
	}
	k, _ := knownOf(to.Target.Note)
	if from, ok := knownOf(p.Lead.Note); ok {
		k.merge(&from)
	}
	list := lead.NewSheet(1, onlineReasons)
	s.put(list, to.URL, &k)
	return list.Leads
}

// rated returns leads for the links of a page. It first learns from the links whose
// targets were visited before.
func (s *online) rated(p *dowse.Page) []dowse.Lead {
	number := s.state.number()
	again := max(cmp.Or(s.Refresh, 20), 0)
	for i := range p.Links {
		if l := &p.Links[i]; l.Target.State == dowse.Visited && p.Outcome == dowse.Fetched {
			s.lesson(p, l, number)
		}
	}
	lead.TouchNotes(p.Links)
	list := lead.NewSheet(len(p.Links)+again, onlineReasons)
	for i := range p.Links {
		l := &p.Links[i]
		if lead.Settled(l) || l.Target.Note == seedNote {
			continue
		}
		k, _ := knownOf(l.Target.Note)
		s.mention(&k, p, l, number)
		s.put(list, l.URL, &k)
	}
	s.refresh(list, again)
	return list.Leads
}

// lesson learns from a link to a page that was visited before, with weight Link.
func (s *online) lesson(p *dowse.Page, l *dowse.Link, number uint32) {
	r := rating(l.Target.Relevance)
	var k known
	s.mention(&k, p, l, number)
	s.read(&k, l.URL)
	s.step(r, cmp.Or(s.Link, 0.5))
	s.state.page(number).take(r)
}

// put adds the lead for a URL with its note, and keeps it for refreshing.
func (s *online) put(list *lead.Sheet, u dowse.URL, k *known) {
	note := k.note()
	s.read(k, u)
	z := s.say(list, u)
	list.Leads[len(list.Leads)-1].Note = note
	s.keep(u, note, z)
}

// say adds a lead with the features in s.x, and returns its priority: the log-odds
// that the link leads to the topic.
func (s *online) say(list *lead.Sheet, u dowse.URL) float64 {
	z := 0.0
	list.Because, z = s.because(list.Because)
	list.Put(u, z, onlineReasons)
	list.Leads[len(list.Leads)-1].Band = ratedBand
	return z
}

// because appends the reasons for the features in s.x and returns their sum.
func (s *online) because(dst []dowse.Because) ([]dowse.Because, float64) {
	groups := s.groups()
	z := 0.0
	for i, what := range onlineSays {
		dst = append(dst, dowse.Because{What: what, Weight: groups[i]})
		z += groups[i]
	}
	return dst, z
}

// Explain returns the reasons for the priority that Rescore returns.
func (s *online) Explain(l dowse.Lead) []dowse.Because {
	s.begin()
	k, ok := knownOf(l.Note)
	if !ok {
		return nil
	}
	s.read(&k, l.URL)
	list, _ := s.because(nil)
	return list
}

// Rescore returns the priority of a lead with the present weights. A lead of another
// strategy keeps its own.
func (s *online) Rescore(l dowse.Lead) float64 {
	s.begin()
	k, ok := knownOf(l.Note)
	if !ok {
		return l.Priority
	}
	s.read(&k, l.URL)
	z := 0.0
	for _, x := range s.groups() {
		z += x
	}
	return z
}

// read sets s.x to the features of a link to u. Rates of siblings and host are
// relative to the mean of all pages, so that they are 0 where nothing is known.
func (s *online) read(k *known, u dowse.URL) {
	s.x = s.x[:0]
	base := s.state.Base.mean(0.1)
	usual := logit(base)
	s.signal(sigBase, 1)
	s.signal(sigContext, logit(k.context))
	s.signal(sigAnchor, logit(k.anchor))
	s.signal(sigParent, k.best)
	s.signal(sigParents, k.mean())
	s.signal(sigLinks, math.Log1p(float64(k.links))/3)
	siblings := cell{}
	for _, page := range k.pages[:k.n] {
		siblings.add(*s.state.page(page))
	}
	s.signal(sigSiblings, logit(siblings.mean(base))-usual)
	if h := s.state.host(u, false); h != nil {
		s.signal(sigHost, logit(h.mean(base))-usual)
	}
	s.words(inAnchor, k.anchors[:k.na])
	s.words(inWindow, k.around[:k.nw])
	var room [maxURLCodes]uint16
	s.words(inURL, s.urlCodes(room[:0], u))
}

func (s *online) signal(at int, x float64) { s.x = append(s.x, feature{at, x}) }

// words adds the words of a place as features. Together they have length 1, so that a
// long anchor does not count more than a short one.
func (s *online) words(place int, codes []uint16) {
	if len(codes) == 0 {
		return
	}
	x, n := 1/math.Sqrt(float64(len(codes))), s.features()
	for _, c := range codes {
		s.x = append(s.x, feature{sigCount + place*n + int(c)%n, x})
	}
}

// groups returns the contributions of the features in s.x, summed by reason.
func (s *online) groups() (sums [onlineReasons]float64) {
	n := s.features()
	for _, f := range s.x {
		var group int
		if f.at < sigCount {
			group = signalGroup[f.at]
		} else {
			group = onlineReasons - placeCount + (f.at-sigCount)/n
		}
		sums[group] += float64(f.x * s.state.Weights[f.at].W)
	}
	return sums
}

// step makes one gradient step for the features in s.x: the link led to a page of
// relevance r. The step size of a weight falls with the sum of its squared gradients
// (AdaGrad: Duchi, Hazan and Singer 2011). by is the weight of the example.
func (s *online) step(r, by float64) {
	z := 0.0
	for _, f := range s.x {
		z += float64(f.x * s.state.Weights[f.at].W)
	}
	miss := by * (r - 1/(1+math.Exp(-z)))
	rate := cmp.Or(s.Rate, 0.3)
	for _, f := range s.x {
		w := &s.state.Weights[f.at]
		g := miss * f.x
		w.G += float64(g * g)
		w.W += float64(rate * g / math.Sqrt(0.1+w.G))
		w.W = max(-steepest, min(w.W, steepest))
	}
}

// mention adds a link of page p to what is known of its target; number is the page's.
func (s *online) mention(k *known, p *dowse.Page, l *dowse.Link, number uint32) {
	k.links = min(k.links+1, math.MaxUint8)
	k.page(number)
	if p.Outcome == dowse.Fetched {
		r := rating(p.Verdict.Relevance)
		k.best = max(k.best, r)
		k.sum += r
	}
	s.place(k, p, &l.Mention)
	for i := range min(len(l.More), linktext.MaxMentions-1) {
		s.place(k, p, &l.More[i])
	}
}

// place adds one of the places in which a page links to a target: its ratings, and the
// words of anchor and window.
func (s *online) place(k *known, p *dowse.Page, m *dowse.Mention) {
	k.context = max(k.context, rating(m.Context))
	k.anchor = max(k.anchor, rating(m.AnchorScore))
	anchor := linktext.Cut(m.Anchor, linktext.MaxBytes)
	s.spans = dowse.AppendWords(s.spans[:0], anchor, 0)
	for _, w := range s.spans[:min(len(s.spans), linktext.MaxWords)] {
		k.inAnchor(s.codes.In(anchor, int(w.Start), int(w.End)))
	}
	at := linktext.Within(&p.Document, m.Window)
	for i := at.Start; i < at.End && k.nw < maxAroundCodes; i++ {
		if i >= m.At.Start && i < m.At.End {
			continue
		}
		w := p.Words[i]
		k.inWindow(s.codes.In(p.Text, int(w.Start), int(w.End)))
	}
}

// urlCodes appends the word codes of a URL's path.
func (s *online) urlCodes(dst []uint16, u dowse.URL) []uint16 {
	path := pathOf(u)
	s.spans = dowse.AppendWords(s.spans[:0], path, 0)
	for _, w := range s.spans {
		if c := s.codes.In(path, int(w.Start), int(w.End)); c > 0 && len(dst) < maxURLCodes {
			dst = append(dst, c)
		}
	}
	return dst
}

// keep keeps a lead for refreshing. If there is no room it replaces a worse one.
func (s *online) keep(u dowse.URL, note string, z float64) {
	if s.Refresh < 0 {
		return
	}
	i, ok := s.at[u]
	if !ok {
		if i, ok = s.room(z); !ok {
			return
		}
		delete(s.at, s.state.Kept[i].URL)
		u = dowse.URL(strings.Clone(string(u)))
		s.at[u] = i
	} else {
		u = s.state.Kept[i].URL
	}
	s.state.Kept[i] = keptLead{u, note, z}
}

// room returns a place for a lead with priority z: a new one, or the worst of eight
// that come next in turn, if it is worse than z. Looking at eight instead of all makes
// the cost constant.
func (s *online) room(z float64) (place int, ok bool) {
	k := &s.state
	if len(k.Kept) < keptLeads {
		k.Kept = append(k.Kept, keptLead{})
		return len(k.Kept) - 1, true
	}
	place = k.Hand
	for range 8 {
		if l := &k.Kept[k.Hand]; l.URL == "" || l.Priority < k.Kept[place].Priority {
			place = k.Hand
		}
		k.Hand = (k.Hand + 1) % len(k.Kept)
	}
	return place, k.Kept[place].URL == "" || k.Kept[place].Priority < z
}

// giveUp removes a lead that no longer waits.
func (s *online) giveUp(u dowse.URL) {
	if i, ok := s.at[u]; ok {
		s.state.Kept[i] = keptLead{Priority: math.Inf(-1)}
		delete(s.at, u)
	}
}

// refresh adds leads with new priorities for the next kept URLs, at most so many.
func (s *online) refresh(list *lead.Sheet, most int) {
	for range min(most, len(s.state.Kept)) {
		s.state.Turn = (s.state.Turn + 1) % len(s.state.Kept)
		l := &s.state.Kept[s.state.Turn]
		k, ok := knownOf(l.Note)
		if l.URL == "" || !ok {
			continue
		}
		s.read(&k, l.URL)
		l.Priority = s.say(list, l.URL)
	}
}

// number returns a new page number and clears its tally.
func (k *onlineState) number() uint32 {
	n := k.Next
	k.Next++
	k.Pages[n%lastPages] = cell{}
	return n
}

// page returns the tally of a page's links. For a page that has left the ring it
// returns an empty one, so updates are lost without harm.
func (k *onlineState) page(n uint32) *cell {
	if n+lastPages <= k.Next {
		return &cell{}
	}
	return &k.Pages[n%lastPages]
}

// host returns the tally of a URL's host, or nil. With room set it is never nil: the
// host replaces the one in its slot.
func (k *onlineState) host(u dowse.URL, room bool) *cell {
	h := text.Hash(hostOf(u))
	c := &k.Hosts[h%someHosts]
	switch {
	case c.Hash == h:
	case room:
		*c = hostCell{Hash: h}
	default:
		return nil
	}
	return &c.Cell
}

// A cell counts pages (N) and sums their relevance (C).
type cell struct{ N, C float64 }

func (c *cell) add(d cell) {
	c.N += d.N
	c.C += d.C
}

// take adds a page of relevance r.
func (c *cell) take(r float64) {
	c.N++
	c.C += r
}

// mean returns the mean relevance, smoothed by two imaginary pages of relevance base.
func (c cell) mean(base float64) float64 { return (c.C + float64(2*base)) / (c.N + 2) }

// rating limits a judge's rating to 0 .. 1; NaN, which means none, becomes 0.
func rating(x float64) float64 {
	if !(x > 0) {
		return 0
	}
	return min(x, 1)
}

// logit is the log-odds of x, smoothed by 0.01 and scaled so that 0 maps to -1 and 1
// to 1.
func logit(x float64) float64 {
	const ends, most = 0.01, 4.61512051684126 // ln 101
	return math.Log((x+ends)/(1-x+ends)) / most
}

// pathOf returns the part of a URL after the host.
func pathOf(u dowse.URL) string {
	address := linktext.Address(u)
	if i := strings.IndexByte(address, '/'); i >= 0 {
		return address[i:]
	}
	return ""
}

// Save returns the weights, the tallies and the kept leads.
func (s *online) Save() ([]byte, error) {
	s.begin()
	return state.SaveBinary(&s.state)
}

// Load restores what Save returned. The number of features must be the same.
func (s *online) Load(b []byte) error {
	s.begin()
	var saved onlineState
	if err := state.LoadBinary(b, &saved); err != nil {
		return err
	}
	if len(saved.Weights) != len(s.state.Weights) || len(saved.Pages) != lastPages || len(saved.Hosts) != someHosts {
		return errors.New("strategy: load: saved state has another number of features")
	}
	s.state, s.at = saved, map[dowse.URL]int{}
	for i, l := range saved.Kept {
		if l.URL != "" {
			s.at[l.URL] = i
		}
	}
	return nil
}
