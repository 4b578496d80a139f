package demo

// What the pages of a site repeat: lists of links with teasers, and paragraphs about other
// things. The default web has little of it; Topology.Boilerplate adds it.

// Numbers of links in the parts that all pages of a site share.
const (
	popularLinks = 8 // to articles of the site
	partnerLinks = 6 // to other sites
)

// promoted returns the links that all pages of a site share in addition to menu and footer:
// popular articles of the site, and home pages of other sites on any topic.
func (w *Web) promoted(s *site) []target {
	if w.config.Topology.Boilerplate == 0 || s.articles() == 0 {
		return nil
	}
	d := rngFor(w.config.Seed, forTemplate, s.index)
	list := make([]target, 0, popularLinks+partnerLinks)
	for range popularLinks {
		list = append(list, target{page: s.first + s.firstArticle() + d.under(min(s.articles(), 40))})
	}
	for len(list) < cap(list) {
		other := &w.sites[d.under(len(w.sites))]
		if other.kind == Ordinary || other.kind == General || other.kind == News {
			list = append(list, target{page: other.first})
		}
	}
	return list
}

// popular writes the list of popular articles, each with a teaser, before the page's own text.
func (r *pageWriter) popular() {
	links := r.plan.promoLinks()
	if len(links) == 0 {
		return
	}
	r.asSite(0, func() {
		r.str("<div>\n<p>")
		r.str(siteName(r.page.site.host))
		r.str("</p>\n<ul>\n")
		for _, t := range links[:popularLinks] {
			r.teaser(t)
		}
		r.str("</ul>\n</div>\n")
	})
}

// promotions writes, below the page's own text, the list of other sites and paragraphs of the site
// itself: a third of the sentences on its own topic, a third on any topic, the others on none.
func (r *pageWriter) promotions() {
	links := r.plan.promoLinks()
	if len(links) == 0 {
		return
	}
	share := r.web.config.Topology.Boilerplate
	sentences := int(share/(1-share)*float64(r.web.meanText()/sentenceBytes)) - len(links)
	r.asSite(1, func() {
		r.str("<ul>\n")
		for _, t := range links[popularLinks:] {
			r.teaser(t)
		}
		r.str("</ul>\n")
		for i := range max(sentences, 0) {
			if i%3 == 0 {
				r.str("<p>")
			}
			r.notice()
			r.buf = append(r.buf, ' ')
		}
		r.str("\n")
	})
}

// asSite writes with random numbers of the site, which are the same on all its pages.
func (r *pageWriter) asSite(part int, write func()) {
	own := r.textWriter
	r.rng = rngFor(r.web.config.Seed, forTemplateText, 2*r.page.site.index+part)
	r.subject, r.slips = siteName(r.page.site.host), false
	r.lex = r.web.lexiconFor(r.web.page(r.page.site.first))
	write()
	own.buf = r.buf
	r.textWriter = own
}

// teaser writes a link with a sentence about its target.
func (r *pageWriter) teaser(t target) {
	goal := r.web.page(t.page)
	r.str("<li>")
	r.anchor(t, r.web.subject(goal))
	r.str(". ")
	r.topicalSentence(r.web.lexiconFor(goal))
	r.str("</li>\n")
}

// notice writes a sentence of the site itself.
func (r *pageWriter) notice() {
	switch pick := r.rng.under(3); {
	case pick == 0:
		r.topicalSentence(r.lex)
	case pick == 1:
		r.topicalSentence(&r.words.lexicons[r.rng.under(r.words.topics())])
	case r.lex.sentences != nil:
		r.topicalSentence(r.lex)
	default:
		r.fill(r.words.plain[r.rng.under(len(r.words.plain))], r.lex, false)
	}
}

// topicalSentence writes a sentence on a topic, or one of the language of the lexicon.
func (r *pageWriter) topicalSentence(lex *lexicon) {
	if lex.sentences != nil {
		r.about(lex.sentences, lex)
		return
	}
	r.about(r.words.topical, lex)
}
