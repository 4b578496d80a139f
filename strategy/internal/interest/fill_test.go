package interest

import "dowse"

// Fill is Follow without rating a lead: what is learnt and kept is the same, in a
// third of the time. Benchmarks fill strategies with many pages by it.
func (s *intelligent) Fill(p *dowse.Page) {
	s.begin()
	s.seeds.settle(p)
	s.links.learn(p.URL, p.OnTopic)
	places := s.links.follow(p, s.words.read(p))
	s.links.update()
	known := 0
	for i := range p.Links {
		l := &p.Links[i]
		if l.Target.State == dowse.Waiting {
			known++
		}
		if !beyond(l, known, s.rescored()) && !s.seeds[l.URL] {
			s.links.found.targets[places[i]].queued = true
		}
	}
}

// Fill is Follow without rating a lead.
func (s *collaborative) Fill(p *dowse.Page) {
	s.begin()
	s.seeds.settle(p)
	u := s.usage
	page, accessed := u.page(p.URL)
	u.learn(page, accessed, p.OnTopic)
	words := s.words.read(p)
	u.update()
	u.settle(p.URL)
	if accessed {
		u.spread(page, words, p.OnTopic)
	}
	u.candidates(u.burst())
}

// Fill is Follow without rating a lead.
func (s *combined) Fill(p *dowse.Page) {
	s.begin()
	s.seeds.settle(p)
	page, accessed := s.usage.page(p.URL)
	s.links.learn(p.URL, p.OnTopic)
	s.usage.learn(page, accessed, p.OnTopic)
	words := s.words.read(p)
	places := s.links.follow(p, words)
	s.links.update()
	s.usage.update()
	s.usage.settle(p.URL)
	if accessed {
		s.usage.spread(page, words, p.OnTopic)
	}
	known := 0
	for i := range p.Links {
		l := &p.Links[i]
		if l.Target.State == dowse.Waiting {
			known++
		}
		if !beyond(l, known, s.rescored()) && p.OnTopic {
			s.links.found.targets[places[i]].queued = true
		}
	}
	s.usage.candidates(s.usage.burst())
}
