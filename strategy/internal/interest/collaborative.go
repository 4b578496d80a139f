package interest

import (
	"dowse"
	"dowse/strategy/input"
)

// collaborative follows people instead of links: collaborative crawling (Aggarwal 2002;
// Aggarwal 2004, sec. 3.1, eqs 8 to 14). It learns from a trace which people go to pages on
// topic (eq. 9), which words those people read, and what is accessed shortly before and
// after pages on topic (eqs 11 to 13), and visits what such people accessed. If there are
// no more such pages it visits the page that was accessed most often. Links are not
// followed.
//
// After a page, up to a quarter of Rescored waiting pages that its people accessed are
// rated again, others when they come to the top of the queue. At most twice as many new
// pages are queued; the rest of what these people accessed is queued after the pages to
// come. Users, Signature and Tastes bound what is read and kept of people. Memory grows
// with the trace, not with the web.
type collaborative struct {
	Ratios
	Usage
	Reading
	Admission

	learner
	kin []uint32
}

// Inputs returns the trace as required; the language of the topic is used.
func (s *collaborative) Inputs() (required, used input.Kind) {
	return input.KindTrace, input.KindLanguage
}

// Take takes the trace, and the language of the topic.
func (s *collaborative) Take(in input.Inputs) error {
	s.useLanguage(in.Language)
	return s.Usage.follow(in.Trace)
}

// Check reports what is wrong with the parameters.
func (s *collaborative) Check() error {
	if err := s.Ratios.check(); err != nil {
		return err
	}
	return s.Usage.check()
}

// begin makes the parts of the strategy when it is first used.
func (s *collaborative) begin() *learner { return s.open(&s.Ratios, nil, &s.Usage, s.Reading, s.Least) }

// Traits states what is the same for a whole crawl.
func (s *collaborative) Traits() dowse.Traits {
	return dowse.Traits{ReadsText: true}
}

// Start queues the seeds at priority 1, and then pages accessed by people of whom an
// earlier crawl has learnt that they go to pages on topic.
func (s *collaborative) Start(urls []dowse.URL) []dowse.Lead {
	s.begin()
	return append(s.seeds.queue(urls), s.candidates()...)
}

// Idle returns the page that was accessed most often, when nothing waits.
func (s *collaborative) Idle() []dowse.Lead { return s.begin().idle() }

// Follow learns from the outcome of a page, and rates what its people accessed.
func (s *collaborative) Follow(p *dowse.Page) []dowse.Lead { return s.begin().follow(p, s) }

// visited counts the outcome first, by what was known before the visit, and only then lets
// the words of the page count for the people who accessed it.
func (s *collaborative) visited(p *dowse.Page) []dowse.Lead {
	u := s.usage
	page, accessed := u.page(p.URL)
	u.learn(page, accessed, p.OnTopic)
	words := s.words.read(p)
	u.update()
	u.settle(p.URL)
	s.kin = s.kin[:0]
	if accessed {
		u.spread(page, words, p.OnTopic)
		s.kin = u.kin(s.kin, page)
	}
	if s.Exact {
		s.kin = u.everything(s.kin[:0])
	}
	return s.accessed(append(s.kin, s.admitted(u.candidates(u.burst()))...))
}

// redirected rates the target of a redirect by the people who accessed the page that
// redirects.
func (s *collaborative) redirected(p *dowse.Page) []dowse.Lead {
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

// Rescore returns the priority of a lead by what is known now.
func (s *collaborative) Rescore(l dowse.Lead) float64 { return s.begin().rescore(l) }

// Explain returns the reasons that add up to what Rescore returns.
func (s *collaborative) Explain(l dowse.Lead) []dowse.Because { return s.begin().explain(l) }

// Save encodes all that was learnt, and which pages wait.
func (s *collaborative) Save() ([]byte, error) { return s.begin().save() }

// Load restores what Save encoded, with the same trace.
func (s *collaborative) Load(b []byte) error { return s.begin().load(b) }

// Learnt returns what was learnt about a predicate, to start another crawl with.
func (s *collaborative) Learnt(predicate string) *input.Learnt { return s.begin().learnt(predicate) }

// LearnFrom starts with what an earlier crawl learnt, weighted by ReuseWeight.
func (s *collaborative) LearnFrom(l *input.Learnt, predicate string) error {
	return s.begin().learnFrom(l, predicate, "a trace", s.ReuseWeight)
}
