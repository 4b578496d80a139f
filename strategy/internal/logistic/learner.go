package logistic

import (
	"math"
	"slices"

	"dowse"
	"dowse/internal/linktext"
	"dowse/internal/text"
	"dowse/strategy/internal/lead"
)

// A learner is what online and auto have in common: it keeps what is known of URLs, learns
// from outcomes and rates links. A model decides by which features and weights.
type learner struct {
	manner
	model   model
	codes   *text.Codes[uint16] // of words; nil before begin
	terms   *text.Analyzer      // that codes are made with
	code    func(word, term string) uint16
	spans   []dowse.Span
	around  []uint16 // codes of the words of a window or phrase
	e       link     // the link that is rated
	k       clues    // of its target; here, because it would be allocated for every link otherwise
	heading headingAt
	folders folders

	base     cell // all pages visited, and the sum of their relevance
	ring     ring
	sections tallies // outcomes of the links in a section of a page; empty if the model does not use them
	places   tallies // outcomes by host, folder and pattern of the URL, and by heading of the links
	waiting  waiting
	kin      *kin   // word vectors; nil for none
	kinds    *kinds // what names are names of; nil for none
}

// A model rates links and learns from outcomes.
type model interface {
	// fix computes the features of a link that depend on its clues alone.
	fix(x *[mostFixed]float64, k *clues)
	// parts returns the parts of a link's priority, which are the reasons for it.
	parts(e *link) parts
	// learn makes one gradient step: the link led to a page of relevance r. by is the
	// weight of the example.
	learn(e *link, r, by float64)
	// read learns from the text of a fetched page.
	read(p *dowse.Page)
}

// parts are the parts of a priority, in the order of manner.says. Their sum in this order
// is the priority: the log-odds that the link leads to the topic.
type parts [mostParts]float64

const mostParts = 8

func (p *parts) sum() (z float64) {
	for _, x := range p {
		z += x
	}
	return z
}

// A manner is what the parameters and the kind of a learner determine.
type manner struct {
	form    form
	says    []string // reasons, one for each part of a priority
	link    float64  // weight of an example that is a link to a visited page
	refresh int      // waiting leads rated again after a page; 0 for none
	// still is the change of log-odds up to which a waiting lead is left where it is. A
	// lead that moved is returned without its reasons, because each costs the queue an
	// update. A negative number returns every lead that is rated again, with reasons.
	still float64
	// nearby is how far below the lead that was visited just now, in log-odds, a waiting lead
	// is still rated again; 0 for all. Up to passes·refresh leads are looked at for that.
	nearby float64
	passes int
}

// The bands of the queue. The numbers are those of the link classifiers, whose band 1 is
// for links to learn from.
const (
	seedBand  int8 = 0
	ratedBand int8 = 2
)

// seedNote marks a seed, which is visited before everything else.
const seedNote = "seed"

// open sets up the parts of a learner that do not depend on its model. code maps a term to
// its code, see [learner.codes].
func (s *learner) open(by model, m manner, language string, code func(word, term string) uint16) {
	a := text.NewAnalyzer(text.Options{Language: language, Memory: -1})
	s.code = code
	s.codes = text.NewCodes(0, wordCodes-1, func(word string) uint16 {
		if t := a.Term(word); t != "" {
			return code(word, t)
		}
		return 0
	})
	s.manner, s.model, s.terms = m, by, a
	s.ring, s.places = newRing(), make(tallies, tableSize)
	s.waiting.at = map[dowse.URL]int{}
}

// codeOf returns the code of a term: 16 bits of its hash, but not 0, which is no word.
func codeOf(term string) uint16 { return uint16(max(1, text.Hash(term)&(wordCodes-1))) }

const wordCodes = 1 << 16 // codes have 16 bits

// start queues the seeds before all else.
func (s *learner) start(seeds []dowse.URL) []dowse.Lead {
	leads := lead.Seeds(seeds)
	for i := range leads {
		leads[i].Band, leads[i].Note = seedBand, seedNote
	}
	return leads
}

// follow learns from the outcome of the visit, and then rates the page's links and some of
// the waiting leads with the new weights.
func (s *learner) follow(p *dowse.Page) []dowse.Lead {
	if p.Again {
		return nil
	}
	s.waiting.remove(p.URL)
	switch {
	case lead.Redirects(p):
		return s.redirected(p)
	case p.Outcome == dowse.Fetched && s.isBlank(p):
		return s.rated(p)
	case p.Outcome == dowse.Fetched:
		s.outcome(p)
		s.model.read(p)
		return s.rated(p)
	case p.Outcome == dowse.Listed:
		return s.rated(p)
	case s.form.structured && isGone(p):
		s.places.take(patternOf(p.URL), 0)
	}
	return nil
}

// isBlank reports whether no page had any relevance so far. Conditions on what pages say rate most pages 0, and until
// one holds, links that differ from those that were followed would be all that could be learnt: a crawl would run after
// whatever is new. Without it links keep the priorities that they begin with, and those of equal priority their order.
func (s *learner) isBlank(p *dowse.Page) bool {
	return s.base.N == 0 && rating(p.Verdict.Relevance) == 0
}

// isGone reports whether the answer was that there is no such page. Which URLs have none shows in their form, not in
// the words of their links, so only the tally of the pattern counts such a visit. Other failures say more about the host.
func isGone(p *dowse.Page) bool {
	return p.Outcome == dowse.Failed && (p.Fetch.Status == 404 || p.Fetch.Status == 410)
}

// outcome learns from a visit: it makes a gradient step for the page's own features, and
// updates the tallies of the linking pages, of their sections and headings, of host, folder
// and pattern, and of all pages.
func (s *learner) outcome(p *dowse.Page) {
	r := rating(p.Verdict.Relevance)
	if k := &s.k; s.form.read(k, p.Lead.Note) {
		s.gather(&s.e, k, p.URL)
		s.model.learn(&s.e, r, 1)
		for i, page := range k.pages[:k.n] {
			s.count(page, k.sections[i], k.headings[i], r)
		}
	}
	s.base.take(r)
	s.places.take(keyOf(linktext.Host(p.URL)), r)
	if s.form.structured {
		s.places.take(keyOf(folderOf(p.URL)), r)
		s.places.take(patternOf(p.URL), r)
	}
}

// count adds an outcome to the tallies of a linking page, of the link's section there, and of
// all links under the same heading.
func (s *learner) count(page uint32, section uint8, heading uint16, r float64) {
	s.ring.page(page).take(r)
	s.sections.take(sectionKey(page, section), r)
	if heading != 0 {
		s.places.take(headingKey(heading), r)
	}
}

// redirected passes on what is known of a URL to the target of its redirect.
func (s *learner) redirected(p *dowse.Page) []dowse.Lead {
	to := &p.Links[0]
	if lead.Settled(to) || to.Target.Note == seedNote {
		return nil
	}
	if p.Lead.Note == seedNote {
		return []dowse.Lead{{URL: to.URL, Priority: 1, Band: seedBand, Note: seedNote, Because: []dowse.Because{{What: "redirected from a seed", Weight: 1}}}}
	}
	k, _ := s.form.clues(to.Target.Note)
	if from, ok := s.form.clues(p.Lead.Note); ok {
		k.merge(&from, &s.form)
	}
	list := lead.NewSheet(1, len(s.says))
	s.put(list, to.URL, &k)
	return list.Leads
}

// rated returns leads for the links of a page and for the leads that it rates again. It
// first learns from the links whose targets were visited before.
func (s *learner) rated(p *dowse.Page) []dowse.Lead {
	number := s.ring.number()
	lead.TouchNotes(p.Links)
	fresh := 0
	for i := range p.Links {
		l := &p.Links[i]
		switch {
		case l.Target.State == dowse.Visited && p.Outcome == dowse.Fetched && s.base.N == 0:
		case l.Target.State == dowse.Visited && p.Outcome == dowse.Fetched:
			s.lesson(p, l, number)
		case !lead.Settled(l):
			fresh++
		}
	}
	list := s.sheet(fresh)
	for i := range p.Links {
		l := &p.Links[i]
		if lead.Settled(l) || l.Target.Note == seedNote {
			continue
		}
		s.form.read(&s.k, l.Target.Note)
		s.mention(&s.k, p, l, number)
		s.put(list, l.URL, &s.k)
	}
	s.kin.renew()
	s.again(list, s.level(&p.Lead))
	return list.Leads
}

// sheet returns a list with room for the leads of fresh links and, as a rule, for those
// that are rated again.
func (s *learner) sheet(fresh int) *lead.Sheet {
	again, reasons := s.refresh, len(s.says)
	if s.still >= 0 {
		again, reasons = again/2, 1
	}
	return &lead.Sheet{Leads: make([]dowse.Lead, 0, fresh+again), Because: make([]dowse.Because, 0, fresh*len(s.says)+again*reasons)}
}

// lesson learns from a link to a page that was visited before, with a smaller weight.
func (s *learner) lesson(p *dowse.Page, l *dowse.Link, number uint32) {
	r := rating(l.Target.Relevance)
	k := &s.k
	*k = clues{}
	s.mention(k, p, l, number)
	s.gather(&s.e, k, l.URL)
	s.model.learn(&s.e, r, s.link)
	s.count(number, k.sections[0], k.headings[0], r)
}

// mention adds a link of page p to what is known of its target; number is the page's.
func (s *learner) mention(k *clues, p *dowse.Page, l *dowse.Link, number uint32) {
	section, heading := sectionOf(&l.Mention)
	k.page(number, section, s.headingCode(p, heading), &s.form)
	r := 0.0
	if p.Outcome == dowse.Fetched {
		r = rating(p.Verdict.Relevance)
	}
	context, anchor := s.place(k, p, &l.Mention)
	for i := range min(len(l.More), linktext.MaxMentions-1) {
		c, a := s.place(k, p, &l.More[i])
		context, anchor = max(context, c), max(anchor, a)
	}
	k.add(r, context, anchor, &s.form)
}

// place adds the words of one of the places in which a page links to a target, and
// returns the judge's ratings of window and anchor.
func (s *learner) place(k *clues, p *dowse.Page, m *dowse.Mention) (context, anchor float64) {
	if s.kinds != nil && !k.name.Whole() {
		k.named(s.kinds.name(linktext.Cut(m.Anchor, linktext.MaxBytes)))
	}
	t, words, codes := s.phrase(p, m.Anchor, m.At.Start, linktext.MaxWords)
	for i, c := range codes {
		s.kin.meet(c, t[words[i].Start:words[i].End])
		k.inAnchor(c, &s.form)
	}
	at := linktext.Within(&p.Document, m.Window)
	if m.At.Len() > 0 {
		s.window(k, p, dowse.Span{Start: at.Start, End: min(at.End, m.At.Start)})
		at.Start = max(at.Start, m.At.End)
	}
	s.window(k, p, at)
	return rating(m.Context), rating(m.AnchorScore)
}

// phrase returns the first words of an anchor or heading, as ranges of a text, and their codes. The first one
// is expected to be word at of the page. If the page has the whole phrase there, its words need not be
// cut from the phrase again, and are looked up by their numbers.
func (s *learner) phrase(p *dowse.Page, phrase string, at int32, most int) (t string, words []dowse.Span, codes []uint16) {
	t = linktext.Cut(phrase, linktext.MaxBytes)
	if n := wordsAt(&p.Document, t, at); n > 0 {
		end := at + int32(min(n, most))
		s.around = s.pageCodes(s.around[:0], p, dowse.Span{Start: at, End: end})
		return p.Text, p.Words[at:end], s.around
	}
	s.spans = dowse.AppendWords(s.spans[:0], t, 0)
	words = s.spans[:min(len(s.spans), most)]
	s.around = s.codes.Append(s.around[:0], s.terms, t, words, nil)
	return t, words, s.around
}

// wordsAt returns how many words a phrase has if it is the text of a document from word at on; 0 if it
// is not, or ends within a word of the document.
func wordsAt(d *dowse.Document, phrase string, at int32) (n int) {
	if at < 0 || int(at) >= len(d.Words) {
		return 0
	}
	start := int(d.Words[at].Start)
	end := start + len(phrase)
	if end > len(d.Text) || d.Text[start:end] != phrase {
		return 0
	}
	words := d.Words[at:]
	for n < len(words) && int(words[n].Start) < end {
		n++
	}
	if n > 0 && int(words[n-1].End) > end {
		return 0
	}
	return n
}

// window adds words around a link, as many as there is room for.
func (s *learner) window(k *clues, p *dowse.Page, at dowse.Span) {
	for at.Start < at.End && k.nw < s.form.around {
		next := min(at.End, at.Start+int32(s.form.around-k.nw))
		s.around = s.pageCodes(s.around[:0], p, dowse.Span{Start: at.Start, End: next})
		for _, c := range s.around {
			k.inWindow(c, &s.form)
		}
		at.Start = next
	}
}

// pageCodes appends the codes of some words of a page.
func (s *learner) pageCodes(dst []uint16, p *dowse.Page, at dowse.Span) []uint16 {
	numbers := text.NumbersOf(&p.Document)
	if numbers != nil {
		numbers = numbers[at.Start:at.End]
	}
	return s.codes.Append(dst, s.terms, p.Text, p.Words[at.Start:at.End], numbers)
}

// sectionOf returns the number of the section of a mention on its page, and the index of its
// heading: the nearest one above the mention. Without a heading they are 0 and -1.
func sectionOf(m *dowse.Mention) (section uint8, heading int32) {
	for _, above := range slices.Backward(m.Above[:]) {
		if above >= 0 {
			return uint8(above + 1), above
		}
	}
	return 0, -1
}

// headingCode returns the code of a heading's text, by its words, so that neither numbers nor
// endings matter: "Homework 3" and "Homeworks" have the same. It is 0 if there is no such
// heading, or none with a word.
func (s *learner) headingCode(p *dowse.Page, heading int32) uint16 {
	switch {
	case !s.form.structured || heading < 0 || int(heading) >= len(p.Headings):
		return 0
	case s.heading.index == heading && s.heading.page == p.URL:
		return s.heading.code
	}
	t, words, codes := s.phrase(p, p.Headings[heading].Text, p.Headings[heading].At, headingWords)
	sum := pattern(14695981039346656037)
	any := false
	for i, c := range codes {
		if first := t[words[i].Start]; c != 0 && (first < '0' || first > '9') {
			sum.put(byte(c))
			sum.put(byte(c >> 8))
			any = true
		}
	}
	s.heading = headingAt{p.URL, heading, 0}
	if any {
		s.heading.code = uint16(max(1, uint64(sum)>>16&(wordCodes-1)))
	}
	return s.heading.code
}

// headingWords is the number of words of a heading that count.
const headingWords = 8

// A headingAt remembers the code of the heading that was looked up last: the links of a
// section follow each other.
type headingAt struct {
	page  dowse.URL
	index int32
	code  uint16
}

// put adds the lead for a URL with its note, and keeps it to be rated again. What follows from
// the URL alone is computed once while a lead waits.
func (s *learner) put(list *lead.Sheet, u dowse.URL, k *clues) {
	note := k.note(&s.form)
	s.gatherClues(&s.e, k)
	at, waits := s.waiting.at[u]
	if waits {
		s.e.copyURL(&s.waiting.links[at])
	} else {
		s.gatherURL(&s.e, u)
		s.kin.usual(s.e.words(inAnchor))
	}
	z := s.say(list, u, s.model.parts(&s.e))
	list.Leads[len(list.Leads)-1].Note = note
	switch {
	case waits:
		s.waiting.replace(at, note, z, &s.e)
	case s.refresh > 0:
		s.waiting.keep(u, note, z, &s.e)
	}
}

// say adds a lead with the parts of its priority as reasons, and returns the priority.
func (s *learner) say(list *lead.Sheet, u dowse.URL, parts parts) float64 {
	for i, what := range s.says {
		list.Because = append(list.Because, dowse.Because{What: what, Weight: parts[i]})
	}
	z := parts.sum()
	list.Put(u, z, len(s.says))
	list.Leads[len(list.Leads)-1].Band = ratedBand
	return z
}

// level returns the priority from which waiting leads are rated again: not far below that of
// the lead that was visited just now. What is rated lower will not be visited soon.
func (s *learner) level(visited *dowse.Lead) float64 {
	if s.nearby <= 0 || visited.Band != ratedBand {
		return math.Inf(-1)
	}
	return visited.Priority - s.nearby
}

// again rates the next waiting leads of at least the given priority again and adds them to
// the list.
func (s *learner) again(list *lead.Sheet, level float64) {
	left := s.refresh
	for range min(s.refresh*s.passes, len(s.waiting.list)) {
		l, e := s.waiting.next()
		if l == nil || l.Priority < level {
			continue
		}
		s.rateAgain(list, l, e)
		if left--; left == 0 {
			return
		}
	}
}

// rateAgain rates a waiting lead again and adds it to the list, unless it hardly moved.
func (s *learner) rateAgain(list *lead.Sheet, l *keptLead, e *link) {
	parts := s.model.parts(e)
	if s.still < 0 {
		l.Priority = s.say(list, l.URL, parts)
		return
	}
	if z := parts.sum(); math.Abs(z-l.Priority) > s.still {
		l.Priority = z
		list.Because = append(list.Because, dowse.Because{What: "rated again", Weight: z})
		list.Put(l.URL, z, 1)
		list.Leads[len(list.Leads)-1].Band = ratedBand
	}
}

// rescore returns the priority of a lead with the present weights. A lead of another
// strategy keeps its own.
func (s *learner) rescore(l dowse.Lead) float64 {
	parts, ok := s.partsOf(l)
	if !ok {
		return l.Priority
	}
	return parts.sum()
}

// partsOf returns the parts of a lead's priority with the present weights, and leaves what
// they were computed from in s.e. It is not ok for a lead of another strategy.
func (s *learner) partsOf(l dowse.Lead) (p parts, ok bool) {
	if !s.form.read(&s.k, l.Note) {
		return p, false
	}
	s.gather(&s.e, &s.k, l.URL)
	return s.model.parts(&s.e), true
}

// because returns the parts of a priority as reasons, without those of a magnitude of at
// most least.
func (s *learner) because(list []dowse.Because, parts parts, least float64) []dowse.Because {
	for i, what := range s.says {
		if math.Abs(parts[i]) > least {
			list = append(list, dowse.Because{What: what, Weight: parts[i]})
		}
	}
	return list
}

// restore sets the waiting leads to saved ones. A place whose note is damaged becomes empty.
func (s *learner) restore(list []keptLead, turn, hand int) {
	s.waiting = waiting{list: list, links: make([]link, len(list)), at: map[dowse.URL]int{}, turn: turn, hand: hand}
	for i := range list {
		l := &list[i]
		k, ok := s.form.clues(l.Note)
		if !ok || l.URL == "" {
			*l = keptLead{Priority: math.Inf(-1)}
			continue
		}
		s.waiting.at[l.URL] = i
		s.gather(&s.waiting.links[i], &k, l.URL)
	}
}
