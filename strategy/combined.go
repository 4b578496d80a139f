package strategy

import "dowse"

// Combined learns from links and from a trace at once (Aggarwal 2004, sec. 4): what
// speaks for a page is the product of what speaks for it in Intelligent and in
// Collaborative. It visits what the people of pages on topic accessed, and what
// pages on topic link to. Links of other pages are evidence, but queue nothing.
type Combined struct {
	Ratios
	Linkage
	Usage
	Reading

	links *linkage
	usage *usage
	words *reader
	seeds seeds
	kin   []uint32
}

func (s *Combined) check() error {
	if err := s.Ratios.check(); err != nil {
		return err
	}
	if err := s.Linkage.check(); err != nil {
		return err
	}
	return s.Usage.check()
}

func (s *Combined) begin() {
	if s.links != nil {
		return
	}
	s.words = newReader(s.Reading)
	s.links = newLinkage(&s.Ratios, &s.Linkage, s.Vocabulary, s.words.Lex)
	s.usage = newUsage(&s.Ratios, &s.Usage, s.words.Lex)
	s.seeds = seeds{}
}

// ReadsText is true: the words of pages are evidence.
func (s *Combined) ReadsText() bool { return true }

// Start queues the seeds before all else, and what people accessed of whom an
// earlier crawl knows that they go to pages on topic.
func (s *Combined) Start(urls []dowse.URL) []dowse.Lead {
	s.begin()
	list := newSheet(0, 0)
	s.putPages(list, s.usage.candidates(s.usage.burst()))
	return append(s.seeds.queue(urls), list.leads...)
}

// Idle begins anew with the page that was accessed the most.
func (s *Combined) Idle() []dowse.Lead {
	s.begin()
	list := newSheet(0, 0)
	s.putPages(list, s.usage.restart())
	return list.leads
}

// Follow learns from how the page turned out, and rates what it bears on.
func (s *Combined) Follow(p *dowse.Page) []dowse.Lead {
	s.begin()
	if p.Again {
		return nil
	}
	seeds := s.seeds.settle(p)
	switch {
	case redirects(p):
		return append(s.redirected(p), seeds...)
	case p.Outcome == dowse.Fetched:
		return s.visited(p)
	}
	s.links.forget(p.URL)
	s.usage.settle(p.URL)
	return nil
}

func (s *Combined) visited(p *dowse.Page) []dowse.Lead {
	page, accessed := s.usage.page(p.URL)
	kin := s.links.learn(p.URL, p.OnTopic)
	s.usage.learn(page, accessed, p.OnTopic)
	words := s.words.read(p)
	places := s.links.follow(p, words)
	s.links.turn()
	s.usage.turn()
	s.usage.settle(p.URL)
	s.kin = s.kin[:0]
	if accessed {
		s.usage.spread(page, words, p.OnTopic)
		s.kin = s.usage.kin(s.kin, page)
	}
	list := newSheet(len(p.Links)+len(kin)+len(s.kin), factorCount+habitCount)
	s.links.touch(p.Links, places, kin, p.OnTopic)
	s.putLinks(list, p, places)
	s.putTargets(list, kin)
	s.putPages(list, s.kin)
	s.putPages(list, s.usage.candidates(s.usage.burst()))
	if s.Exact {
		s.putAll(list)
	}
	return list.leads
}

func (s *Combined) redirected(p *dowse.Page) []dowse.Lead {
	to := &p.Links[0]
	from := s.links.found.find(p.URL)
	queued := from != nil && from.queued
	if page, ok := s.usage.page(p.URL); ok {
		queued = queued || s.usage.waits(page)
	}
	s.links.redirect(p.URL, to)
	s.usage.redirect(p.URL, to)
	if !queued || to.Target.State == dowse.Visited {
		return nil
	}
	found := s.links.found
	found.targets[found.want(to.URL)].queued = true
	list := newSheet(1, factorCount+habitCount)
	s.putURL(list, to.URL)
	return list.leads
}

// putLinks adds the targets of a page's links, which are at places; those of a page off
// topic only if they wait already.
func (s *Combined) putLinks(list *sheet, p *dowse.Page, places []uint32) {
	known := 0
	for i := range p.Links {
		l := &p.Links[i]
		if l.Target.State == dowse.Waiting {
			known++
		}
		if beyond(l, known, s.rescored()) {
			continue
		}
		t := &s.links.found.targets[places[i]]
		t.queued, t.round = t.queued || p.OnTopic, 0
		if c := s.candidateAt(t); s.waits(&c) {
			s.put(list, &c)
		}
	}
}

func (s *Combined) putTargets(list *sheet, kin []uint32) {
	found := s.links.found
	for _, k := range kin {
		if t := &found.targets[k]; t.round == found.round { // not among the links
			c := s.candidateAt(t)
			s.put(list, &c)
		}
	}
}

func (s *Combined) putPages(list *sheet, pages []uint32) {
	for _, page := range pages {
		u := s.usage.trace.URL(page)
		s.put(list, &combinedCandidate{u, s.links.found.find(u), page, true})
	}
}

func (s *Combined) putAll(list *sheet) {
	found := s.links.found
	for i := range found.targets {
		if t := &found.targets[i]; t.queued {
			s.putURL(list, t.url)
		}
	}
	s.putPages(list, s.usage.everything(nil))
}

func (s *Combined) putURL(list *sheet, u dowse.URL) {
	c := s.candidate(u)
	s.put(list, &c)
}

func (s *Combined) put(list *sheet, c *combinedCandidate) {
	if s.seeds[c.url] {
		return
	}
	f, h := s.rate(c)
	list.because = h.because(f.because(list.because))
	list.put(c.url, f.sum()+h.sum(), factorCount+habitCount)
}

// A combinedCandidate is a URL with what there is of links and people.
type combinedCandidate struct {
	url      dowse.URL
	target   *target // nil for none
	page     uint32  // of the trace, if it was accessed
	accessed bool
}

func (s *Combined) candidate(u dowse.URL) combinedCandidate {
	page, ok := s.usage.page(u)
	return combinedCandidate{u, s.links.found.find(u), page, ok}
}

func (s *Combined) candidateAt(t *target) combinedCandidate {
	page, ok := s.usage.page(t.url)
	return combinedCandidate{t.url, t, page, ok}
}

// waits reports whether the crawl is to visit a URL, for its links or its people.
func (s *Combined) waits(c *combinedCandidate) bool {
	return c.target != nil && c.target.queued || c.accessed && s.usage.waits(c.page)
}

// rate tells what speaks for a URL. What there is no evidence of does not.
func (s *Combined) rate(c *combinedCandidate) (f factors, h habits) {
	if c.target != nil && c.target.k > 0 {
		f = s.links.rate(c.target)
	}
	if c.accessed {
		h = s.usage.rate(c.page)
	}
	return f, h
}

// Rescore rates a lead by what is known now.
func (s *Combined) Rescore(l dowse.Lead) float64 {
	if f, h, ok := s.again(l.URL); ok {
		return f.sum() + h.sum()
	}
	return l.Priority
}

// Explain tells what Rescore goes by.
func (s *Combined) Explain(l dowse.Lead) []dowse.Because {
	if f, h, ok := s.again(l.URL); ok {
		return h.because(f.because(nil))
	}
	return nil
}

// again rates a URL that waits, unless it is a seed.
func (s *Combined) again(u dowse.URL) (f factors, h habits, ok bool) {
	s.begin()
	c := s.candidate(u)
	if s.seeds[u] || !s.waits(&c) {
		return f, h, false
	}
	f, h = s.rate(&c)
	return f, h, true
}

type combinedState struct {
	Words   *lexicon
	Read    float64
	Linkage linkageState
	Usage   usageState
	Seeds   seeds
}

// Save writes down all that was learnt, and the evidence for what waits.
func (s *Combined) Save() ([]byte, error) {
	s.begin()
	return saveBinary(&combinedState{s.words.Lex, s.words.Pages, s.links.saved(), s.usage.state, s.seeds})
}

// Load takes up what Save wrote, with the same trace.
func (s *Combined) Load(b []byte) error {
	s.begin()
	state := combinedState{Words: &lexicon{}, Linkage: blankLinkage(), Seeds: seeds{}}
	if err := loadBinary(b, &state); err != nil {
		return err
	}
	s.words.restore(state.Words, state.Read)
	s.links.restore(state.Linkage, s.words.Lex)
	s.seeds = state.Seeds
	return s.usage.restore(state.Usage, s.words.Lex)
}

// Learnt returns what was learnt about a predicate, to start another crawl with.
func (s *Combined) Learnt(predicate string) *Learnt {
	s.begin()
	return &Learnt{Predicate: predicate, Linkage: s.links.learnt(), Usage: s.usage.learnt()}
}

// LearnFrom starts with what an earlier crawl learnt, from links or a trace or both,
// weighted by ReuseWeight.
func (s *Combined) LearnFrom(l *Learnt, predicate string) error {
	if err := l.fits(predicate, l.Linkage != nil || l.Usage != nil, "links or a trace"); err != nil {
		return err
	}
	s.begin()
	if l.Linkage != nil {
		s.links.reuse(l.Linkage, or(s.ReuseWeight, 1))
	}
	if l.Usage != nil {
		s.usage.reuse(l.Usage, or(s.ReuseWeight, 1))
	}
	return nil
}
