package strategy

import "dowse"

// Intelligent learns, while it crawls, what speaks for a page before it is visited:
// intelligent crawling with arbitrary predicates (Aggarwal, Al-Garawi and Yu 2001;
// Aggarwal 2004, eqs 1 to 7). Any judge is a predicate. Four things are learnt from
// and multiplied: the words of the pages that link to it, the parts of its URL,
// whether those pages are on topic, and whether the other pages they link to are.
//
// All priorities change with every page. After a page the targets of its links and
// those that share a linking page with it are rated again, up to Rescored of each;
// others when they come to the top of the queue. So the cost of a page does not grow
// with the queue. Memory grows by one record for each waiting URL and each page that
// links to one; Words, Vocabulary, Parents and Rescored bound what those hold.
type Intelligent struct {
	Ratios
	Linkage
	Reading
	Least float64 `param:"least" default:"none" min:"-1e9" help:"priority that a link must exceed to be queued; one that does not is rated again when another page links to it; Aggarwal et al. 2001, no number given"`

	links *linkage
	words *reader
	seeds seeds
}

func (s *Intelligent) check() error {
	if err := s.Ratios.check(); err != nil {
		return err
	}
	return s.Linkage.check()
}

func (s *Intelligent) begin() {
	if s.links != nil {
		return
	}
	s.words = newReader(s.Reading)
	s.links = newLinkage(&s.Ratios, &s.Linkage, s.Vocabulary, s.words.Lex)
	s.seeds = seeds{}
}

// ReadsText is true: the words of linking pages are evidence.
func (s *Intelligent) ReadsText() bool { return true }

// Start queues the seeds before all else.
func (s *Intelligent) Start(urls []dowse.URL) []dowse.Lead {
	s.begin()
	return s.seeds.queue(urls)
}

// Follow learns from how the page turned out, and rates what it bears on.
func (s *Intelligent) Follow(p *dowse.Page) []dowse.Lead {
	s.begin()
	if p.Again {
		return nil
	}
	seeds := s.seeds.settle(p)
	switch {
	case redirects(p):
		return append(s.redirected(p), seeds...)
	case p.Outcome == dowse.Listed:
		s.links.forget(p.URL)
		return s.rated(p, nil, nil)
	case p.Outcome == dowse.Fetched:
		return s.visited(p)
	}
	s.links.forget(p.URL)
	return nil
}

func (s *Intelligent) visited(p *dowse.Page) []dowse.Lead {
	kin := s.links.learn(p.URL, p.OnTopic)
	places := s.links.follow(p, s.words.read(p))
	s.links.turn()
	return s.rated(p, places, kin)
}

func (s *Intelligent) redirected(p *dowse.Page) []dowse.Lead {
	s.links.redirect(p.URL, &p.Links[0])
	return s.rated(p, nil, nil)
}

// rated returns the leads for a page's links, and for what shares evidence with it. The
// places are those of the links' targets, nil if they are to be found.
func (s *Intelligent) rated(p *dowse.Page, places, kin []uint32) []dowse.Lead {
	found := s.links.found
	s.links.touch(p.Links, places, kin, true)
	list := newSheet(len(p.Links)+len(kin), factorCount)
	known := 0
	for i := range p.Links {
		l := &p.Links[i]
		if l.Target.State == dowse.Waiting {
			known++
		}
		if beyond(l, known, s.rescored()) || s.seeds[l.URL] {
			continue
		}
		t := found.targetOf(places, i, l.URL)
		t.round = 0
		if t.queued = l.Target.State == dowse.Waiting || s.accepts(t); t.queued {
			s.put(list, t)
		}
	}
	for _, k := range kin {
		if t := &found.targets[k]; t.round == found.round { // not among the links
			s.put(list, t)
		}
	}
	if s.Exact {
		s.everything(list)
	}
	return list.leads
}

// accepts reports whether a target that does not wait yet is worth it.
func (s *Intelligent) accepts(t *target) bool {
	if s.Least == 0 {
		return true
	}
	f := s.links.rate(t)
	return f.sum() > s.Least
}

// beyond reports whether a link gives no lead: its target was or is being visited,
// or waits and enough of those were rated again.
func beyond(l *dowse.Link, known, most int) bool {
	switch l.Target.State {
	case dowse.Visited, dowse.Flying:
		return true
	case dowse.Waiting:
		return known > most
	}
	return false
}

func (s *Intelligent) everything(list *sheet) {
	for i := range s.links.found.targets {
		if t := &s.links.found.targets[i]; t.queued {
			s.put(list, t)
		}
	}
}

func (s *Intelligent) put(list *sheet, t *target) {
	if s.seeds[t.url] {
		return
	}
	f := s.links.rate(t)
	list.because = f.because(list.because)
	list.put(t.url, f.sum(), factorCount)
}

// Rescore rates a lead by what is known now.
func (s *Intelligent) Rescore(l dowse.Lead) float64 {
	if f, ok := s.again(l.URL); ok {
		return f.sum()
	}
	return l.Priority
}

// Explain tells what Rescore goes by.
func (s *Intelligent) Explain(l dowse.Lead) []dowse.Because {
	if f, ok := s.again(l.URL); ok {
		return f.because(nil)
	}
	return nil
}

// again rates a URL that waits, unless it is a seed.
func (s *Intelligent) again(u dowse.URL) (f factors, ok bool) {
	s.begin()
	t := s.links.found.find(u)
	if t == nil || !t.queued || s.seeds[u] {
		return f, false
	}
	return s.links.rate(t), true
}

type intelligentState struct {
	Words   *lexicon
	Read    float64
	Linkage linkageState
	Seeds   seeds
}

// Save writes down all that was learnt, and the evidence for what waits.
func (s *Intelligent) Save() ([]byte, error) {
	s.begin()
	return saveBinary(&intelligentState{s.words.Lex, s.words.Pages, s.links.saved(), s.seeds})
}

// Load takes up what Save wrote.
func (s *Intelligent) Load(b []byte) error {
	s.begin()
	state := intelligentState{Words: &lexicon{}, Linkage: blankLinkage(), Seeds: seeds{}}
	if err := loadBinary(b, &state); err != nil {
		return err
	}
	s.words.restore(state.Words, state.Read)
	s.links.restore(state.Linkage, s.words.Lex)
	s.seeds = state.Seeds
	return nil
}

// Learnt returns what was learnt about a predicate, to start another crawl with.
func (s *Intelligent) Learnt(predicate string) *Learnt {
	s.begin()
	return &Learnt{Predicate: predicate, Linkage: s.links.learnt()}
}

// LearnFrom starts with what an earlier crawl learnt, weighted by ReuseWeight.
func (s *Intelligent) LearnFrom(l *Learnt, predicate string) error {
	if err := l.fits(predicate, l.Linkage != nil, "links"); err != nil {
		return err
	}
	s.begin()
	s.links.reuse(l.Linkage, or(s.ReuseWeight, 1))
	return nil
}
