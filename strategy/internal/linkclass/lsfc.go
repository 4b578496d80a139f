package linkclass

import "dowse"

// lsfc is the crawler by link scores of Pal et al. 2009, as Taylan et al. 2011
// describe it. A link's score is the similarity of the URL and of its anchor with
// the topic, the number of relevant pages that link to it, and the relevance of all
// that do (eq. 4). It grows with every such page. Links of relevant pages are always
// followed, those of others until MaxLevel pages in a row were not relevant.
//
// Similarity is the cosine with Table. Without a table that of the anchor is the
// judge's rating of it, and that of the URL is left out: judges rate pages.
//
// What is known of a URL rides in the note of its lead. Links to a URL that come in
// the same round do not see each other, so that the last counts; in a stream, which
// is the default and the paper's way, all do.
type lsfc struct {
	LinkScoring

	links *scorer
}

func (s *lsfc) begin() {
	if s.links == nil {
		s.links = newScorer(&s.LinkScoring)
	}
}

// Start queues the seeds before all else.
func (s *lsfc) Start(seeds []dowse.URL) []dowse.Lead {
	s.begin()
	return s.links.start(seeds)
}

// Follow rates the links of a page.
func (s *lsfc) Follow(p *dowse.Page) []dowse.Lead {
	s.begin()
	return s.links.follow(p, admitAll)
}

func admitAll(c *candidate) { c.admitted = true }
