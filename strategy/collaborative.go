package strategy

import "dowse"

// Collaborative follows people instead of links: collaborative crawling (Aggarwal
// 2002; Aggarwal 2004, eqs 8 to 14). It learns from a trace which people go to
// pages on topic, what they read, and what is accessed shortly before and after,
// and visits what such people accessed. When nothing is left of that it visits the
// page that was accessed the most. Links are not followed.
//
// After a page, up to a quarter of Rescored waiting pages that its people accessed are
// rated again, others when they come to the top of the queue; twice as many new ones are
// queued at most, the rest after the pages to come. Users, Signature and Tastes bound what
// is looked at and kept of people.
type Collaborative struct {
	Ratios
	Usage
	Reading

	usage *usage
	words *reader
	seeds seeds
	kin   []uint32
}

func (s *Collaborative) check() error {
	if err := s.Ratios.check(); err != nil {
		return err
	}
	return s.Usage.check()
}

func (s *Collaborative) begin() {
	if s.usage != nil {
		return
	}
	s.words = newReader(s.Reading)
	s.usage = newUsage(&s.Ratios, &s.Usage, s.words.Lex)
	s.seeds = seeds{}
}

// ReadsText is true: the words that people read are evidence.
func (s *Collaborative) ReadsText() bool { return true }

// Start queues the seeds before all else, and what people accessed of whom an
// earlier crawl knows that they go to pages on topic.
func (s *Collaborative) Start(urls []dowse.URL) []dowse.Lead {
	s.begin()
	return append(s.seeds.queue(urls), s.rated(s.usage.candidates(s.usage.burst()))...)
}

// Idle begins anew with the page that was accessed the most.
func (s *Collaborative) Idle() []dowse.Lead {
	s.begin()
	return s.rated(s.usage.restart())
}

// Follow learns from how the page turned out, and rates what its people accessed.
func (s *Collaborative) Follow(p *dowse.Page) []dowse.Lead {
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
	s.usage.settle(p.URL)
	return nil
}

func (s *Collaborative) visited(p *dowse.Page) []dowse.Lead {
	u := s.usage
	page, accessed := u.page(p.URL)
	u.learn(page, accessed, p.OnTopic)
	words := s.words.read(p)
	u.turn()
	u.settle(p.URL)
	s.kin = s.kin[:0]
	if accessed {
		u.spread(page, words, p.OnTopic)
		s.kin = u.kin(s.kin, page)
	}
	if s.Exact {
		s.kin = u.everything(s.kin[:0])
	}
	return s.rated(append(s.kin, u.candidates(u.burst())...))
}

func (s *Collaborative) redirected(p *dowse.Page) []dowse.Lead {
	to := &p.Links[0]
	s.usage.redirect(p.URL, to)
	page, ok := s.usage.page(to.URL)
	if !ok || to.Target.State == dowse.Visited {
		return nil
	}
	s.usage.state.Queued.set(page)
	h := s.usage.rate(page)
	return []dowse.Lead{{URL: to.URL, Priority: h.sum(), Because: h.because(nil)}}
}

// rated returns the leads to pages.
func (s *Collaborative) rated(pages []uint32) []dowse.Lead {
	list := newSheet(len(pages), habitCount)
	for _, page := range pages {
		u := s.usage.trace.URL(page)
		if s.seeds[u] {
			continue
		}
		h := s.usage.rate(page)
		list.because = h.because(list.because)
		list.put(u, h.sum(), habitCount)
	}
	return list.leads
}

// Rescore rates a lead by what is known now.
func (s *Collaborative) Rescore(l dowse.Lead) float64 {
	if h, ok := s.again(l.URL); ok {
		return h.sum()
	}
	return l.Priority
}

// Explain tells what Rescore goes by.
func (s *Collaborative) Explain(l dowse.Lead) []dowse.Because {
	if h, ok := s.again(l.URL); ok {
		return h.because(nil)
	}
	return nil
}

// again rates a URL that waits, unless it is a seed.
func (s *Collaborative) again(u dowse.URL) (h habits, ok bool) {
	s.begin()
	page, ok := s.usage.page(u)
	if !ok || !s.usage.waits(page) || s.seeds[u] {
		return h, false
	}
	return s.usage.rate(page), true
}

type collaborativeState struct {
	Words *lexicon
	Read  float64
	Usage usageState
	Seeds seeds
}

// Save writes down all that was learnt, and what waits.
func (s *Collaborative) Save() ([]byte, error) {
	s.begin()
	return saveBinary(&collaborativeState{s.words.Lex, s.words.Pages, s.usage.state, s.seeds})
}

// Load takes up what Save wrote, with the same trace.
func (s *Collaborative) Load(b []byte) error {
	s.begin()
	state := collaborativeState{Words: &lexicon{}, Seeds: seeds{}}
	if err := loadBinary(b, &state); err != nil {
		return err
	}
	s.words.restore(state.Words, state.Read)
	s.seeds = state.Seeds
	return s.usage.restore(state.Usage, s.words.Lex)
}

// Learnt returns what was learnt about a predicate, to start another crawl with.
func (s *Collaborative) Learnt(predicate string) *Learnt {
	s.begin()
	return &Learnt{Predicate: predicate, Usage: s.usage.learnt()}
}

// LearnFrom starts with what an earlier crawl learnt, weighted by ReuseWeight.
func (s *Collaborative) LearnFrom(l *Learnt, predicate string) error {
	if err := l.fits(predicate, l.Usage != nil, "a trace"); err != nil {
		return err
	}
	s.begin()
	s.usage.reuse(l.Usage, or(s.ReuseWeight, 1))
	return nil
}
