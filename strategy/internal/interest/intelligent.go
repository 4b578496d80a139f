package interest

import (
	"dowse"
	"dowse/strategy/input"
)

// intelligent learns during the crawl what distinguishes pages on topic before they are
// visited: intelligent crawling with arbitrary predicates (Aggarwal, Al-Garawi and Yu 2001;
// Aggarwal 2004, sec. 3, eqs 1 to 7). Any judge is a predicate. It multiplies four ratios:
// of the words of the linking pages (eq. 7), of the parts of the URL, of the linking pages
// on and off topic, and of their other links (siblings).
//
// Every page changes all ratios. After a page, up to Rescored targets of its links that
// wait already and as many of its siblings are rated again, besides all new targets; others
// when they come to the top of the queue. A lead deep in the queue may therefore be rated
// too low until evidence for it arrives. The cost of a page does not grow with the queue.
// Memory grows by one record per waiting URL and per page that links to one; Words,
// Vocabulary, Parents and Rescored bound their size.
type intelligent struct {
	Ratios
	Linkage
	Reading
	Admission

	learner
}

// Inputs returns the input that it uses: the language of the topic.
func (s *intelligent) Inputs() (required, used input.Kind) { return 0, input.KindLanguage }

// Take takes the language of the topic.
func (s *intelligent) Take(in input.Inputs) error {
	s.useLanguage(in.Language)
	return nil
}

// Check reports what is wrong with the parameters.
func (s *intelligent) Check() error {
	if err := s.Ratios.check(); err != nil {
		return err
	}
	return s.Linkage.check()
}

// begin makes the parts of the strategy when it is first used.
func (s *intelligent) begin() *learner { return s.open(&s.Ratios, &s.Linkage, nil, s.Reading, s.Least) }

// Traits states what is the same for a whole crawl.
func (s *intelligent) Traits() dowse.Traits {
	return dowse.Traits{ReadsText: true}
}

// Start queues the seeds at priority 1.
func (s *intelligent) Start(urls []dowse.URL) []dowse.Lead {
	s.begin()
	return s.seeds.queue(urls)
}

// Follow counts the outcome of a page by the evidence there was before its visit, makes the
// page evidence for the targets of its links, and returns leads for these and for its
// siblings.
func (s *intelligent) Follow(p *dowse.Page) []dowse.Lead {
	leads := s.begin().follow(p, s)
	if p.Outcome == dowse.Listed && !p.Again {
		return s.leads(p, nil, nil)
	}
	return leads
}

// visited learns from a page before it reads its links, so that a page is never evidence
// for itself.
func (s *intelligent) visited(p *dowse.Page) []dowse.Lead {
	kin := s.links.learn(p.URL, p.OnTopic)
	places := s.links.follow(p, s.words.read(p))
	s.links.update()
	return s.leads(p, places, kin)
}

// redirected moves the evidence for a URL to the target of its redirect.
func (s *intelligent) redirected(p *dowse.Page) []dowse.Lead {
	s.links.redirect(p.URL, &p.Links[0])
	return s.leads(p, nil, nil)
}

// leads returns the leads for a page's links and for its siblings. Places are those of the
// targets of the links, nil if they have to be looked up.
func (s *intelligent) leads(p *dowse.Page, places, kin []uint32) []dowse.Lead {
	known := 0
	for i := range p.Links {
		l := &p.Links[i]
		if l.Target.State == dowse.Waiting {
			known++
		}
		if beyond(l, known, s.rescored()) || s.seeds[l.URL] {
			continue
		}
		t := s.links.found.targetOf(places, i, l.URL)
		t.round = 0
		t.queued = l.Target.State == dowse.Waiting || s.accepts(t)
		s.add(t)
	}
	s.addKin(kin)
	if s.Exact {
		s.addTargets()
	}
	return s.rated()
}

// beyond reports whether a link gives no lead: its target was visited or is being visited,
// or it waits already and enough of those were rated again after this page.
func beyond(l *dowse.Link, known, most int) bool {
	switch l.Target.State {
	case dowse.Visited, dowse.Flying:
		return true
	case dowse.Waiting:
		return known > most
	}
	return false
}

// Rescore returns the priority of a lead by what is known now.
func (s *intelligent) Rescore(l dowse.Lead) float64 { return s.begin().rescore(l) }

// Explain returns the reasons that add up to what Rescore returns.
func (s *intelligent) Explain(l dowse.Lead) []dowse.Because { return s.begin().explain(l) }

// Save encodes all that was learnt, and the evidence for waiting URLs.
func (s *intelligent) Save() ([]byte, error) { return s.begin().save() }

// Load restores what Save encoded.
func (s *intelligent) Load(b []byte) error { return s.begin().load(b) }

// Learnt returns what was learnt about a predicate, to start another crawl with.
func (s *intelligent) Learnt(predicate string) *input.Learnt { return s.begin().learnt(predicate) }

// LearnFrom starts with what an earlier crawl learnt, weighted by ReuseWeight.
func (s *intelligent) LearnFrom(l *input.Learnt, predicate string) error {
	return s.begin().learnFrom(l, predicate, "links", s.ReuseWeight)
}
