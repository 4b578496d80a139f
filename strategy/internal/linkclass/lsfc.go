package linkclass

import "dowse"

// lsfc is the crawler by link scores of Pal et al. 2009, as Taylan et al. 2011 describe it
// (SPEC C.5). The score of a link is the sum of the similarity of its URL and of its anchor
// with the topic, the number of relevant pages that link to it, and the relevance of all
// pages that do (eq. 4). It grows with every linking page. Links of relevant pages are
// always followed, others until MaxLevel irrelevant pages in a row were crossed.
//
// Similarity is the cosine with Table. Without a table the similarity of an anchor is the
// rating by the judge, and that of a URL is left out, because judges rate text.
//
// What is known of a URL is stored in the note of its lead. A page sees the notes as they
// were before the round, so that of several links to a URL within one round only the last
// counts; in a stream, which is the default and what the paper does, all count.
type lsfc struct {
	LinkScoring

	links *scorer
}

// begin makes the scorer when it is first needed, after the parameters were set.
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

// admitAll is the gate of lsfc.
func admitAll(c *candidate) { c.admitted = true }
