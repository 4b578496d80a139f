package demo

import (
	"strings"
	"time"

	"dowse"
)

// sentenceBytes is the mean length of a sentence with its share of markup.
const sentenceBytes = 64

// render returns the HTML of a page.
func (w *Web) render(p pageRef, at place) []byte {
	r := w.newPageWriter(p, at)
	r.head()
	r.frame()
	r.popular()
	r.article()
	r.foot()
	return r.buf
}

// Article returns the HTML of the page's own text: heading, date and paragraphs,
// without the navigation, the list of related pages and the footer. It reports
// false for a URL that is not that of a page with such a text. Tests of what finds
// the main text of a page compare with it.
func (w *Web) Article(u dowse.URL) ([]byte, bool) {
	at, ok := parse(u)
	id, known := w.numberOf(u)
	if !ok || !known {
		return nil, false
	}
	r := w.newPageWriter(w.page(id), at)
	r.head()
	r.frame()
	r.article()
	return r.buf[r.own.Start:r.own.End], true
}

// A pageWriter writes one page into one buffer. The order in which it draws
// random numbers is part of the web: a draw that is added in the middle changes
// every page.
type pageWriter struct {
	textWriter
	web      *Web
	page     pageRef
	place    place
	plan     plan
	session  session
	title    string
	passages int        // number of sentences
	own      dowse.Span // of buf: the article, without the frame of the site and the list of links
}

// newPageWriter draws what must be known before the first byte: links, mixture
// of topics, length, title.
func (w *Web) newPageWriter(p pageRef, at place) *pageWriter {
	top := &w.config.Topology
	r := &pageWriter{web: w, page: p, place: at, plan: w.planOf(p), session: newSession(p.site, at)}
	r.textWriter = textWriter{
		rng: rngFor(w.config.Seed, forText, p.source), words: w.words, lex: w.lexiconFor(p),
		subject: w.subject(p), accents: p.site.kind == OldPages,
		slips: p.source != p.id, slipSeed: uint64(p.id)*2 + 1,
	}
	r.setMix(p)
	text := float64(w.meanText())
	r.passages = min(max(int(r.rng.logNormal(text, top.PageSpread)), 600), 160_000) / sentenceBytes
	r.title = r.newTitle()
	r.buf = make([]byte, 0, 9000+len(r.plan.links)*90+r.passages*sentenceBytes*5/4)
	return r
}

// meanText returns the mean size of a page's own text in bytes.
func (w *Web) meanText() int { return max(w.config.Topology.PageBytes-5300, 2000) }

// setMix draws how much of the text is on the page's topic, 12 to 57 per cent
// of its sentences, and how much on a related one. A page of an article may be
// faint: a sixth of that. Such pages are what makes judging hard; that a page
// is on topic does not depend on it.
func (r *pageWriter) setMix(p pageRef) {
	top := &r.web.config.Topology
	r.topical = 0.12 + 0.45*r.rng.share()
	if r.rng.chance(top.Faint) && p.local >= p.site.firstArticle() {
		r.topical /= 6
	}
	kin := r.web.related[p.lex]
	r.aside = &r.words.lexicons[kin[r.rng.under(len(kin))]]
	if r.rng.chance(top.Borrow) {
		r.borrowed = 0.08 * r.rng.share()
	}
}

// lexiconFor returns the words of a page; a farm uses those of the topic that
// it pretends to be on.
func (w *Web) lexiconFor(p pageRef) *lexicon {
	if p.site.kind == Farm {
		return &w.farmLexicons[p.site.topic]
	}
	return &w.words.lexicons[p.lex]
}

// subject returns what a page is about, as anchors name it.
func (w *Web) subject(p pageRef) string {
	s, article := p.site, p.local-p.site.firstArticle()
	switch {
	case p.site.kind == Farm:
		return w.words.lexicons[s.topic].Name
	case p.local == homePage:
		return siteName(s.host)
	case p.local == linksPage:
		return "links"
	case article < 0:
		return s.shape.sections[p.local-2]
	case w.isDirectory(p):
		return w.words.lexicons[p.lex].Name
	}
	return w.words.lexicons[p.lex].subjects[w.subjectOf(s, article, p.lex)]
}

// siteName returns the host's first label with a capital.
func siteName(host string) string {
	name, _, _ := strings.Cut(host, ".")
	return strings.ToUpper(name[:1]) + name[1:]
}

// newTitle returns the title: the subject, often with a place or the topic, and
// the site.
func (r *pageWriter) newTitle() string {
	s := r.textWriter
	s.buf = make([]byte, 0, 80)
	s.str(s.subject)
	s.capital(0)
	bits := r.rng.next()
	switch {
	case r.page.local == homePage && r.page.lex < r.words.topics() || bits&7 < 2 && r.lex.language == "en":
		s.str(": ")
		s.str(r.lex.phrases[scale(bits, len(r.lex.phrases))])
	case bits&7 < 5:
		s.str(", ")
		s.place(bits, r.lex)
	}
	if r.page.site.kind == Farm {
		s.str(" best price buy now")
	}
	s.str(" – ")
	s.str(siteName(r.page.site.host))
	return string(s.buf)
}

// published returns the date of a page.
func (w *Web) published(id int) time.Time {
	d := rngFor(w.config.Seed, forDate, id)
	return time.Date(2019, 1, 1, 8, 0, 0, 0, time.UTC).AddDate(0, 0, d.under(2700))
}

// head writes everything up to the body: title, description, canonical URL,
// style and script, so that a crawler must skip what is not text.
func (r *pageWriter) head() {
	r.str("<!DOCTYPE html>\n<html lang=\"")
	r.str(r.lex.language)
	r.str("\">\n<head>\n<meta charset=\"utf-8\">\n<title>")
	r.str(r.title)
	r.str("</title>\n<meta name=\"description\" content=\"")
	r.plainSentence()
	r.str("\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<link rel=\"canonical\" href=\"")
	r.str(string(r.web.urlOf(r.page.id)))
	r.str("\">\n<style>\n")
	r.str(style)
	r.str("</style>\n<script>\n")
	r.str(script)
	r.str("</script>\n</head>\n<body class=\"")
	r.str(r.page.site.kind.String())
	r.str("\">\n")
}

// plainSentence writes a sentence without quotation marks, for an attribute.
func (r *pageWriter) plainSentence() {
	list := r.words.topical
	if r.lex.sentences != nil {
		list = r.lex.sentences
	}
	r.about(list, r.lex)
}

// frame writes the site's name and the navigation, the same on all its pages.
func (r *pageWriter) frame() {
	r.str("<header><p class=\"brand\">")
	r.str(siteName(r.page.site.host))
	r.str("</p>\n<nav aria-label=\"Main\"><ul>\n")
	for _, t := range r.plan.navLinks() {
		r.str("<li>")
		r.anchor(t, r.web.subject(r.web.page(t.page)))
		r.str("</li>\n")
	}
	r.str("</ul></nav>\n</header>\n")
}

// article writes the page's own part: text with links in it, then the list of
// links.
func (r *pageWriter) article() {
	r.str("<main>\n<article>\n")
	r.own.Start = int32(len(r.buf))
	r.str("<h1>")
	r.heading(r.subject)
	r.str("</h1>\n<p class=\"date\"><time datetime=\"")
	r.buf = r.web.published(r.page.source).AppendFormat(r.buf, "2006-01-02")
	r.str("\">")
	r.buf = r.web.published(r.page.source).AppendFormat(r.buf, "2 January 2006")
	r.str("</time></p>\n")
	r.paragraphs(r.plan.textLinks())
	r.own.End = int32(len(r.buf))
	r.str("</article>\n<aside>\n<h2>")
	r.str(phrases[r.lex.language].related)
	r.str("</h2>\n<ul>\n")
	for _, t := range r.plan.listLinks() {
		r.item(t)
	}
	r.str("</ul>\n</aside>\n</main>\n")
}

// heading writes a text with its first letter in upper case.
func (r *pageWriter) heading(text string) {
	at := len(r.buf)
	r.str(text)
	r.capital(at)
}

// paragraphs writes the text with the links spread evenly over it, and in the
// middle the topic that the page mentions in passing, if there is one.
func (r *pageWriter) paragraphs(links []target) {
	mention := r.mention()
	left := 0 // sentences left in the paragraph
	for i, linked := 0, 0; i < r.passages; i++ {
		if left == 0 {
			r.paragraph(i)
			left = 3 + r.rng.under(5)
		}
		switch {
		case linked < len(links) && linked*r.passages <= i*len(links):
			r.linkSentence(links[linked])
			linked++
		case i == r.passages/2 && mention != nil:
			r.about(r.words.mention, mention)
		case r.page.site.kind == Farm:
			r.about(r.words.farm, r.lex)
		default:
			r.sentence()
		}
		r.buf = append(r.buf, ' ')
		left--
	}
	r.rest(links)
	r.str("</p>\n")
}

// rest writes the links for which a short text had no sentence.
func (r *pageWriter) rest(links []target) {
	for k := range links {
		if k >= r.passages {
			r.linkSentence(links[k])
			r.buf = append(r.buf, ' ')
		}
	}
}

// paragraph begins a new one, sometimes with a heading.
func (r *pageWriter) paragraph(sentences int) {
	if sentences > 0 {
		r.str("</p>\n")
	}
	if bits := r.rng.next(); sentences > 0 && bits&3 == 0 {
		r.str("<h2>")
		at := len(r.buf)
		r.str(r.noun(bits, r.lex, bits&16 != 0 || r.lex.sentences != nil).many)
		r.capital(at)
		r.str(phrases[r.lex.language].and)
		r.str(r.noun(bits<<20, r.lex, bits&32 != 0 || r.lex.sentences != nil).many)
		r.str("</h2>\n")
	}
	r.str("<p>")
}

// mention returns the lexicon of a topic that the page names in passing; nil
// for none.
func (r *pageWriter) mention() *lexicon {
	bits, chance := r.rng.next(), r.rng.share()
	if r.lex.language != "en" || chance >= r.web.config.Topology.Mention {
		return nil
	}
	kin := r.web.related[r.page.lex]
	if bits&1 == 0 && kin[0] < r.words.topics() {
		return &r.words.lexicons[kin[scale(bits, len(kin))]]
	}
	return &r.words.lexicons[scale(bits, r.words.topics())]
}

// linkSentence writes a sentence around a link. The words around it are about
// the target as often as about the page (Davison 2000: text around anchors
// describes the target, less than the anchor does).
func (r *pageWriter) linkSentence(t target) {
	goal := r.web.page(t.page)
	pick := r.rng.next()
	line := r.words.link[scale(pick, len(r.words.link))]
	lex := r.lex
	if pick&1 == 0 && r.lex.sentences == nil {
		lex = r.web.lexiconFor(goal)
	}
	if r.lex.sentences != nil {
		line = phrases[r.lex.language].link
	}
	for _, p := range line {
		switch p.slot {
		case 0:
			r.str(p.text)
		case 'L':
			r.freeAnchor(t, goal)
		default:
			r.slot(p.slot, r.draw(), lex, true)
		}
	}
}

// item writes a link of a list, with a few words about it.
func (r *pageWriter) item(t target) {
	goal := r.web.page(t.page)
	r.str("<li>")
	r.freeAnchor(t, goal)
	if bits := r.draw(); bits&3 == 0 {
		lex := r.web.lexiconFor(goal)
		r.str(" – ")
		r.str(r.adjective(bits, lex, true))
		r.str(" ")
		r.str(r.noun(bits<<16, lex, true).many)
	}
	r.str("</li>\n")
}

// freeAnchor writes a link whose anchor an author chose: mostly it names the
// target's subject, sometimes with more words, sometimes with none that
// describe it.
func (r *pageWriter) freeAnchor(t target, goal pageRef) {
	plain, bits := r.rng.share(), r.rng.next()
	subject := r.web.subject(goal)
	switch {
	case t.kind == toMonth:
		r.anchor(t, "this month")
	case t.kind == toRepeat:
		r.anchor(t, "archive")
	case plain < r.web.config.Topology.PlainAnchor:
		anchors := phrases[r.lex.language].anchors
		r.anchor(t, anchors[scale(bits, len(anchors))])
	case bits&7 == 0:
		lex := r.web.lexiconFor(goal)
		r.anchor(t, subject+phrases[r.lex.language].and+r.noun(bits, lex, true).many)
	case bits&7 == 1:
		r.anchor(t, goal.site.host)
	case bits&15 == 2:
		r.picture(t, subject)
	default:
		r.anchor(t, subject)
	}
}

// anchor writes a link with a text.
func (r *pageWriter) anchor(t target, text string) {
	r.open(t)
	r.str(text)
	r.str("</a>")
}

// picture writes a link around an image, whose alternative text is the only
// anchor.
func (r *pageWriter) picture(t target, text string) {
	r.open(t)
	r.str(`<img src="/img/`)
	r.number(t.page % 1000)
	r.str(`.jpg" alt="`)
	r.str(text)
	r.str(`"></a>`)
}

// open writes the start tag of a link.
func (r *pageWriter) open(t target) {
	r.str(`<a href="`)
	r.buf = r.web.appendURL(r.buf, t, r.page.site, r.place.path, r.session.next())
	r.str(`">`)
}

// foot writes the footer: a notice about cookies that is the same on all sites,
// and the links of chooseFooter.
func (r *pageWriter) foot() {
	r.str("<footer>\n")
	r.promotions()
	r.str("<p>")
	r.str(phrases[r.lex.language].cookies)
	r.str("</p>\n<p>&copy; ")
	r.str(siteName(r.page.site.host))
	r.str("&nbsp;&middot; ")
	r.str(r.page.site.shape.sections[0])
	r.str(" &amp; more</p>\n<p>")
	for _, t := range r.plan.footLinks() {
		r.anchor(t, r.web.subject(r.web.page(t.page)))
		r.str(" &middot;\n")
	}
	r.str("</p>\n</footer>\n</body>\n</html>\n")
}

// endless returns the page of a trap: short, and always with a link to another
// one.
func (w *Web) endless(s *site, at place) []byte {
	links, _ := w.targetsAt(s, at)
	names := []string{siteName(s.host), "previous month", "next month", "next year"}
	if isRepeat(s, at.path) {
		names[1] = "archive"
	}
	b := append([]byte("<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>"), siteName(s.host)...)
	b = append(append(append(b, ' '), at.path...), "</title></head>\n<body>\n<h1>"...)
	b = append(append(b, at.path...), "</h1>\n<p>Meetings, walks and talks of the month. Nothing has been entered yet.</p>\n<ul>\n"...)
	for i, t := range links {
		b = append(b, `<li><a href="`...)
		b = w.appendURL(b, t, s, at.path, "")
		b = append(append(append(b, `">`...), names[i]...), "</a></li>\n"...)
	}
	return append(b, "</ul>\n</body>\n</html>\n"...)
}
