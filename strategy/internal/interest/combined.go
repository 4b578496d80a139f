package interest

import (
	"dowse"
	"dowse/strategy/input"
	"dowse/strategy/internal/lead"
)

// combined learns from links and from a trace together (Aggarwal 2004, sec. 4): what
// speaks for a page is the product of what speaks for it in Intelligent and in
// Collaborative. It visits what the people of pages on topic accessed, and what
// pages on topic link to. Links of other pages are evidence, but queue nothing.
type combined struct {
	Ratios
	Linkage
	Usage
	Reading

	learner
	kin []uint32
}

// Inputs returns the trace as required; the language of the topic is used.
func (s *combined) Inputs() (required, used input.Kind) {
	return input.KindTrace, input.KindLanguage
}

// Take takes the trace, and the language of the topic.
func (s *combined) Take(in input.Inputs) error {
	s.speak(in.Language)
	return s.Usage.follow(in.Trace)
}

// Check reports what is wrong with the parameters.
func (s *combined) Check() error {
	if err := s.Ratios.check(); err != nil {
		return err
	}
	if err := s.Linkage.check(); err != nil {
		return err
	}
	return s.Usage.check()
}

func (s *combined) begin() *learner {
	if s.links == nil {
		s.words = newReader(s.Reading)
		s.links = newLinkage(&s.Ratios, &s.Linkage, s.Vocabulary, s.words.Lex)
		s.usage = newUsage(&s.Ratios, &s.Usage, s.words.Lex)
		s.seeds = seeds{}
	}
	return &s.learner
}

// Traits states what is the same for a whole crawl.
func (s *combined) Traits() dowse.Traits {
	return dowse.Traits{ReadsText: true}
}

// Start queues the seeds before all else, and what people accessed of whom an
// earlier crawl knows that they go to pages on topic. A seed that they accessed stands
// where that puts it.
func (s *combined) Start(urls []dowse.URL) []dowse.Lead {
	s.begin()
	s.addPages(s.usage.candidates(s.usage.burst()))
	leads := s.rated()
	return append(s.seeds.queue(urls), leads...)
}

// Idle begins anew with the page that was accessed the most.
func (s *combined) Idle() []dowse.Lead {
	s.begin()
	s.addPages(s.usage.restart())
	return s.rated()
}

// Follow learns from how the page turned out, and rates what it bears on.
func (s *combined) Follow(p *dowse.Page) []dowse.Lead {
	s.begin()
	if p.Again {
		return nil
	}
	seeds := s.seeds.settle(p)
	switch {
	case lead.Redirects(p):
		return append(s.redirected(p), seeds...)
	case p.Outcome == dowse.Fetched:
		return s.visited(p)
	}
	s.links.forget(p.URL)
	s.usage.settle(p.URL)
	return nil
}

func (s *combined) visited(p *dowse.Page) []dowse.Lead {
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
	s.addLinks(p, places)
	s.addKin(kin)
	s.addPages(append(s.kin, s.usage.candidates(s.usage.burst())...))
	if s.Exact {
		s.addTargets()
		s.addPages(s.usage.everything(nil))
	}
	return s.rated()
}

func (s *combined) redirected(p *dowse.Page) []dowse.Lead {
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
	s.prospects = append(s.prospects, s.prospect(to.URL))
	return s.rated()
}

// addLinks makes the targets of a page's links prospects, which are at places; those of a
// page off topic only if they wait already.
func (s *combined) addLinks(p *dowse.Page, places []uint32) {
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
		s.add(t)
	}
}

// Rescore rates a lead by what is known now.
func (s *combined) Rescore(l dowse.Lead) float64 { return s.begin().rescore(l) }

// Explain tells what Rescore goes by.
func (s *combined) Explain(l dowse.Lead) []dowse.Because { return s.begin().explain(l) }

// Save writes down all that was learnt, and the evidence for what waits.
func (s *combined) Save() ([]byte, error) { return s.begin().save() }

// Load takes up what Save wrote, with the same trace.
func (s *combined) Load(b []byte) error { return s.begin().load(b) }

// Learnt returns what was learnt about a predicate, to start another crawl with.
func (s *combined) Learnt(predicate string) *input.Learnt { return s.begin().learnt(predicate) }

// LearnFrom starts with what an earlier crawl learnt, from links or a trace or both,
// weighted by ReuseWeight.
func (s *combined) LearnFrom(l *input.Learnt, predicate string) error {
	return s.begin().learnFrom(l, predicate, "links or a trace", s.ReuseWeight)
}
