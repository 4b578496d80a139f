package interest

import (
	"dowse"
	"dowse/strategy/input"
	"dowse/strategy/internal/lead"
)

// intelligent learns, while it crawls, what speaks for a page before it is visited:
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
type intelligent struct {
	Ratios
	Linkage
	Reading
	Least float64 `param:"least" default:"none" min:"-1e9" help:"priority that a link must exceed to be queued; one that does not is rated again when another page links to it; Aggarwal et al. 2001, no number given"`

	learner
}

// Inputs returns the input that it uses: the language of the topic.
func (s *intelligent) Inputs() (required, used input.Kind) { return 0, input.KindLanguage }

// Take takes the language of the topic.
func (s *intelligent) Take(in input.Inputs) error {
	s.speak(in.Language)
	return nil
}

// Check reports what is wrong with the parameters.
func (s *intelligent) Check() error {
	if err := s.Ratios.check(); err != nil {
		return err
	}
	return s.Linkage.check()
}

func (s *intelligent) begin() *learner {
	if s.links == nil {
		s.words = newReader(s.Reading)
		s.links = newLinkage(&s.Ratios, &s.Linkage, s.Vocabulary, s.words.Lex)
		s.seeds = seeds{}
	}
	return &s.learner
}

// Traits states what is the same for a whole crawl.
func (s *intelligent) Traits() dowse.Traits {
	return dowse.Traits{ReadsText: true}
}

// Start queues the seeds before all else.
func (s *intelligent) Start(urls []dowse.URL) []dowse.Lead {
	s.begin()
	return s.seeds.queue(urls)
}

// Follow learns from how the page turned out, and rates what it bears on.
func (s *intelligent) Follow(p *dowse.Page) []dowse.Lead {
	s.begin()
	if p.Again {
		return nil
	}
	seeds := s.seeds.settle(p)
	switch {
	case lead.Redirects(p):
		return append(s.redirected(p), seeds...)
	case p.Outcome == dowse.Listed:
		s.links.forget(p.URL)
		return s.leads(p, nil, nil)
	case p.Outcome == dowse.Fetched:
		return s.visited(p)
	}
	s.links.forget(p.URL)
	return nil
}

func (s *intelligent) visited(p *dowse.Page) []dowse.Lead {
	kin := s.links.learn(p.URL, p.OnTopic)
	places := s.links.follow(p, s.words.read(p))
	s.links.turn()
	return s.leads(p, places, kin)
}

func (s *intelligent) redirected(p *dowse.Page) []dowse.Lead {
	s.links.redirect(p.URL, &p.Links[0])
	return s.leads(p, nil, nil)
}

// leads returns the leads for a page's links, and for what shares evidence with it. The
// places are those of the links' targets, nil if they are to be found.
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

// accepts reports whether a target that does not wait yet is worth it.
func (s *intelligent) accepts(t *target) bool {
	if s.Least == 0 {
		return true
	}
	c := [1]prospect{{url: t.url, target: t.place}}
	s.sizeUp(c[:])
	f, _ := s.rate(&c[0])
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

// Rescore rates a lead by what is known now.
func (s *intelligent) Rescore(l dowse.Lead) float64 { return s.begin().rescore(l) }

// Explain tells what Rescore goes by.
func (s *intelligent) Explain(l dowse.Lead) []dowse.Because { return s.begin().explain(l) }

// Save writes down all that was learnt, and the evidence for what waits.
func (s *intelligent) Save() ([]byte, error) { return s.begin().save() }

// Load takes up what Save wrote.
func (s *intelligent) Load(b []byte) error { return s.begin().load(b) }

// Learnt returns what was learnt about a predicate, to start another crawl with.
func (s *intelligent) Learnt(predicate string) *input.Learnt { return s.begin().learnt(predicate) }

// LearnFrom starts with what an earlier crawl learnt, weighted by ReuseWeight.
func (s *intelligent) LearnFrom(l *input.Learnt, predicate string) error {
	return s.begin().learnFrom(l, predicate, "links", s.ReuseWeight)
}
