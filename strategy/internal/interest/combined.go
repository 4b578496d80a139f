package interest

import (
	"dowse"
	"dowse/strategy/input"
)

// combined learns from links and from a trace together (Aggarwal 2004, sec. 4): the ratio
// of a URL is the product of those that intelligent and collaborative compute. It visits
// what the people of pages on topic accessed, and what pages on topic link to. Links of
// pages off topic are evidence, but queue nothing. A page costs what it costs the two
// others together.
type combined struct {
	Ratios
	Linkage
	Usage
	Reading
	Admission

	learner
	kin []uint32
}

// Inputs returns the trace as required; the language of the topic is used.
func (s *combined) Inputs() (required, used input.Kind) {
	return input.KindTrace, input.KindLanguage
}

// Take takes the trace, and the language of the topic.
func (s *combined) Take(in input.Inputs) error {
	s.useLanguage(in.Language)
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

// begin makes the parts of the strategy when it is first used.
func (s *combined) begin() *learner {
	return s.open(&s.Ratios, &s.Linkage, &s.Usage, s.Reading, s.Least)
}

// Traits states what is the same for a whole crawl.
func (s *combined) Traits() dowse.Traits {
	return dowse.Traits{ReadsText: true}
}

// Start queues the seeds at priority 1, and pages accessed by people of whom an earlier
// crawl has learnt that they go to pages on topic. A seed that such people accessed starts
// with the priority that the trace gives it.
func (s *combined) Start(urls []dowse.URL) []dowse.Lead {
	leads := s.begin().candidates()
	return append(s.seeds.queue(urls), leads...)
}

// Idle returns the page that was accessed most often, when nothing waits.
func (s *combined) Idle() []dowse.Lead { return s.begin().idle() }

// Follow learns from the outcome of a page, and rates what shares evidence with it.
func (s *combined) Follow(p *dowse.Page) []dowse.Lead { return s.begin().follow(p, s) }

// visited counts the outcome in both parts before the page itself becomes evidence, then
// collects the prospects of both.
func (s *combined) visited(p *dowse.Page) []dowse.Lead {
	page, accessed := s.usage.page(p.URL)
	kin := s.links.learn(p.URL, p.OnTopic)
	s.usage.learn(page, accessed, p.OnTopic)
	words := s.words.read(p)
	places := s.links.follow(p, words)
	s.links.update()
	s.usage.update()
	s.usage.settle(p.URL)
	s.kin = s.kin[:0]
	if accessed {
		s.usage.spread(page, words, p.OnTopic)
		s.kin = s.usage.kin(s.kin, page)
	}
	s.addLinks(p, places)
	s.addKin(kin)
	s.addPages(append(s.kin, s.admitted(s.usage.candidates(s.usage.burst()))...))
	if s.Exact {
		s.addTargets()
		s.addPages(s.usage.everything(nil))
	}
	return s.rated()
}

// redirected moves both kinds of evidence to the target of a redirect, and rates the target
// if the redirecting page was to be visited.
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

// addLinks makes the targets of a page's links prospects; places are those of the targets.
// Links of a page off topic queue nothing new, but targets that wait already are rated
// again.
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
		t.queued, t.round = t.queued || p.OnTopic && s.accepts(t), 0
		s.add(t)
	}
}

// Rescore returns the priority of a lead by what is known now.
func (s *combined) Rescore(l dowse.Lead) float64 { return s.begin().rescore(l) }

// Explain returns the reasons that add up to what Rescore returns.
func (s *combined) Explain(l dowse.Lead) []dowse.Because { return s.begin().explain(l) }

// Save encodes all that was learnt, and the evidence for waiting URLs.
func (s *combined) Save() ([]byte, error) { return s.begin().save() }

// Load restores what Save encoded, with the same trace.
func (s *combined) Load(b []byte) error { return s.begin().load(b) }

// Learnt returns what was learnt about a predicate, to start another crawl with.
func (s *combined) Learnt(predicate string) *input.Learnt { return s.begin().learnt(predicate) }

// LearnFrom starts with what an earlier crawl learnt, from links or a trace or both,
// weighted by ReuseWeight.
func (s *combined) LearnFrom(l *input.Learnt, predicate string) error {
	return s.begin().learnFrom(l, predicate, "links or a trace", s.ReuseWeight)
}
