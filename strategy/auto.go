package strategy

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strings"

	"dowse"
	"dowse/internal/linktext"
	"dowse/internal/text"
	"dowse/strategy/input"
	"dowse/strategy/internal/lead"
	"dowse/strategy/internal/state"
)

// auto is the default strategy. It begins much like link-context and learns during the
// crawl which links lead to the topic. It is our own design, not from a paper; [online]
// is its simpler predecessor.
//
// A link is rated by logistic regression over three kinds of features (see [clues] and
// [autoLink]): signals, such as the judge's ratings of the words around the link and the
// relevance of the pages that link to its target; the words of anchors, windows and URL;
// and the topic's vocabulary, which is learnt from the text of every page that was
// fetched. All mentions of a target are counted together. The initial weights of the
// signals were fitted to links of other crawls (docs/decisions/0050). Every visited page is
// then an example, and so is every link to a page that was visited before.
//
// Learning also raises leads that wait, so Refresh of the best ones are rated again after
// each page. All leads are rated again when they reach the top of the queue.
//
// Memory is bounded: 65,536 words, tallies of the last 16,384 pages and of as many
// sections, hosts and folders, and 2,000 leads to rate again.
type auto struct {
	Rate     float64 `param:"rate" default:"0.5" help:"size of the first steps of learning from words; steps get smaller where much was learnt; ours"`
	Signals  float64 `param:"signals" default:"0.1" help:"size of the first steps of learning from ratings and tallies; ours"`
	Link     float64 `param:"link" default:"0.3" help:"weight of an example that is a link to a visited page, against the visit itself; ours"`
	Words    int     `param:"words" default:"20" help:"words around a link, its anchor included; ours"`
	Read     int     `param:"read" default:"600" help:"words of a page from which the vocabulary is learnt; ours"`
	Refresh  int     `param:"refresh" default:"100" min:"-1" max:"2000" help:"waiting leads rated again after a page; -1 for none; ours"`
	Language string  `param:"language" default:"en" help:"of stems and stop words, as in BCP 47; ours"`

	codes *text.Codes
	names []string // by code: a word with this code that was seen since the program began; for reasons only
	spans []dowse.Span
	at    map[dowse.URL]int // index in state.Kept; every kept URL is in it
	kept  []autoLink        // of state.Kept, by index
	e     autoLink          // of the link at hand
	x     signals           // of the link at hand
	model autoModel
	state autoState
}

// autoState is what auto has learnt, except for the model; Save writes all of it.
type autoState struct {
	Base     cell       // all pages visited, and the sum of their relevance
	Pages    []cell     // ring by page number: outcomes of the page's links
	Next     uint32     // number of the next page
	Sections []hostCell // outcomes of the links in a section of a page, by hash
	Places   []hostCell // outcomes of the pages of a host or folder, by hash
	Kept     []keptLead // leads to refresh
	Turn     int        // index in Kept that was refreshed last
	Hand     int        // index in Kept at which room continues
}

// someSections is the size of the hash tables for sections, hosts and folders. They have
// no chains: a new key replaces the old one.
const someSections = 1 << 14

// Inputs returns the input that the strategy uses: the language of the topic.
func (s *auto) Inputs() (required, used input.Kind) { return 0, input.KindLanguage }

// Take sets the language to that of the topic, unless a parameter gave one.
func (s *auto) Take(in input.Inputs) error {
	s.Language = cmp.Or(s.Language, in.Language)
	return nil
}

// begin sets up what the parameters determine. Every entry point calls it, because a
// strategy is a plain struct without a constructor.
func (s *auto) begin() {
	if s.codes != nil {
		return
	}
	a := text.NewAnalyzer(text.Options{Language: s.Language, Memory: -1})
	s.names = make([]string, autoWords)
	s.codes = text.NewCodes(0, func(word string) uint16 {
		t := a.Term(word)
		if t == "" {
			return 0
		}
		c := uint16(max(1, text.Hash(t)&(autoWords-1)))
		if s.names[c] == "" {
			s.names[c] = strings.ToLower(strings.Clone(word))
		}
		return c
	})
	s.at = map[dowse.URL]int{}
	s.model.begin(cmp.Or(s.Rate, 0.5), cmp.Or(s.Signals, 0.1))
	s.state = autoState{Pages: make([]cell, lastPages), Sections: make([]hostCell, someSections), Places: make([]hostCell, someSections), Next: 1}
}

// Traits states what is the same for a whole crawl.
func (s *auto) Traits() dowse.Traits {
	return dowse.Traits{Window: cmp.Or(s.Words, 20), Anchors: true, ReadsText: true}
}

// Start queues the seeds before all else.
func (s *auto) Start(seeds []dowse.URL) []dowse.Lead {
	s.begin()
	leads := lead.Seeds(seeds)
	for i := range leads {
		leads[i].Band, leads[i].Note = seedBand, seedNote
	}
	return leads
}

// Follow learns from the outcome of the visit, and then rates the page's links and some
// of the waiting leads with the new weights.
func (s *auto) Follow(p *dowse.Page) []dowse.Lead {
	s.begin()
	if p.Again {
		return nil
	}
	s.giveUp(p.URL)
	switch {
	case lead.Redirects(p):
		return s.redirected(p)
	case p.Outcome == dowse.Fetched:
		s.outcome(p)
		s.vocabulary(p)
		return s.rated(p)
	case p.Outcome == dowse.Listed:
		return s.rated(p)
	}
	return nil
}

// outcome learns from a visit: it makes a gradient step for the page's own features, and
// updates the tallies of the linking pages and their sections, of host, folder and all
// pages.
func (s *auto) outcome(p *dowse.Page) {
	r := rating(p.Verdict.Relevance)
	if k, ok := cluesOf(p.Lead.Note); ok {
		s.gather(&s.e, &k, p.URL)
		s.learn(&s.e, r, 1)
		for i, page := range k.pages[:k.n] {
			s.page(page).take(r)
			slotFor(s.state.Sections, sectionKey(page, k.sections[i])).take(r)
		}
	}
	s.state.Base.take(r)
	slotFor(s.state.Places, text.Hash(hostOf(p.URL))).take(r)
	slotFor(s.state.Places, text.Hash(folderOf(p.URL))).take(r)
}

// vocabulary learns from the title and the first words of a page which words belong to
// the topic.
func (s *auto) vocabulary(p *dowse.Page) {
	m := &s.model
	m.open(rating(p.Verdict.Relevance))
	title := linktext.Cut(p.Title, linktext.MaxBytes)
	s.spans = dowse.AppendWords(s.spans[:0], title, 0)
	for _, w := range s.spans {
		m.word(s.codes.In(title, int(w.Start), int(w.End)))
	}
	for _, w := range p.Words[:min(len(p.Words), cmp.Or(s.Read, 600))] {
		m.word(s.codes.In(p.Text, int(w.Start), int(w.End)))
	}
}

// redirected passes on what is known of a URL to the target of its redirect.
func (s *auto) redirected(p *dowse.Page) []dowse.Lead {
	to := &p.Links[0]
	if lead.Settled(to) || to.Target.Note == seedNote {
		return nil
	}
	if p.Lead.Note == seedNote {
		return []dowse.Lead{{URL: to.URL, Priority: 1, Band: seedBand, Note: seedNote, Because: []dowse.Because{{What: "redirected from a seed", Weight: 1}}}}
	}
	k, _ := cluesOf(to.Target.Note)
	if from, ok := cluesOf(p.Lead.Note); ok {
		k.merge(&from)
	}
	list := lead.NewSheet(1, autoReasons)
	s.put(list, to.URL, &k)
	return list.Leads
}

// rated returns leads for the links of a page and for the leads that it refreshes. It
// first learns from the links whose targets were visited before.
func (s *auto) rated(p *dowse.Page) []dowse.Lead {
	number := s.number()
	lead.TouchNotes(p.Links)
	fresh := 0
	for i := range p.Links {
		l := &p.Links[i]
		switch {
		case l.Target.State == dowse.Visited && p.Outcome == dowse.Fetched:
			s.lesson(p, l, number)
		case !lead.Settled(l):
			fresh++
		}
	}
	again := max(cmp.Or(s.Refresh, 100), 0)
	list := &lead.Sheet{Leads: make([]dowse.Lead, 0, fresh+again/2), Because: make([]dowse.Because, 0, fresh*autoReasons+again/2)}
	for i := range p.Links {
		l := &p.Links[i]
		if lead.Settled(l) || l.Target.Note == seedNote {
			continue
		}
		k, _ := cluesOf(l.Target.Note)
		s.mention(&k, p, l, number)
		s.put(list, l.URL, &k)
	}
	s.refresh(list, again)
	return list.Leads
}

// lesson learns from a link to a page that was visited before, with weight Link.
func (s *auto) lesson(p *dowse.Page, l *dowse.Link, number uint32) {
	r := rating(l.Target.Relevance)
	var k clues
	s.mention(&k, p, l, number)
	s.gather(&s.e, &k, l.URL)
	s.learn(&s.e, r, cmp.Or(s.Link, 0.3))
	s.page(number).take(r)
	slotFor(s.state.Sections, sectionKey(number, sectionOf(&l.Mention))).take(r)
}

// mention adds a link of page p to what is known of its target; number is the page's.
func (s *auto) mention(k *clues, p *dowse.Page, l *dowse.Link, number uint32) {
	k.page(number, sectionOf(&l.Mention))
	r := 0.0
	if p.Outcome == dowse.Fetched {
		r = rating(p.Verdict.Relevance)
	}
	context, anchor := s.place(k, p, &l.Mention)
	for i := range min(len(l.More), linktext.MaxMentions-1) {
		c, a := s.place(k, p, &l.More[i])
		context, anchor = max(context, c), max(anchor, a)
	}
	k.add(r, context, anchor)
}

// place adds the words of one of the places in which a page links to a target, and
// returns the judge's ratings of window and anchor.
func (s *auto) place(k *clues, p *dowse.Page, m *dowse.Mention) (context, anchor float64) {
	t := linktext.Cut(m.Anchor, linktext.MaxBytes)
	s.spans = dowse.AppendWords(s.spans[:0], t, 0)
	for _, w := range s.spans[:min(len(s.spans), linktext.MaxWords)] {
		k.inAnchor(s.codes.In(t, int(w.Start), int(w.End)))
	}
	at := linktext.Within(&p.Document, m.Window)
	for i := at.Start; i < at.End && k.nw < autoWindowWords; i++ {
		if i >= m.At.Start && i < m.At.End {
			continue
		}
		w := p.Words[i]
		k.inWindow(s.codes.In(p.Text, int(w.Start), int(w.End)))
	}
	return rating(m.Context), rating(m.AnchorScore)
}

// put adds the lead for a URL with its note, and keeps it for refreshing.
func (s *auto) put(list *lead.Sheet, u dowse.URL, k *clues) {
	note := k.note()
	s.gather(&s.e, k, u)
	z := s.say(list, u, &s.e)
	list.Leads[len(list.Leads)-1].Note = note
	s.keep(u, note, z)
}

// say adds a lead, and returns its priority: the log-odds that the link leads to the
// topic.
func (s *auto) say(list *lead.Sheet, u dowse.URL, e *autoLink) float64 {
	parts := s.parts(e)
	z := 0.0
	for i, part := range parts {
		list.Because = append(list.Because, dowse.Because{What: autoSays[i], Weight: part})
		z += part
	}
	list.Put(u, z, autoReasons)
	list.Leads[len(list.Leads)-1].Band = ratedBand
	return z
}

// rate returns the priority of a lead, the sum of its parts in their order.
func (s *auto) rate(e *autoLink) (z float64) {
	for _, part := range s.parts(e) {
		z += part
	}
	return z
}

// learn makes one gradient step: the link led to a page of relevance r. by is the weight of
// the example.
func (s *auto) learn(e *autoLink, r, by float64) {
	s.signals(e)
	s.model.step(&s.x, e, r, by)
}

// parts returns the parts of a lead's priority, in the order of autoSays.
func (s *auto) parts(e *autoLink) [autoReasons]float64 {
	s.signals(e)
	return s.model.parts(&s.x, e)
}

// Rescore returns the priority of a lead with the present weights. A lead of another
// strategy keeps its own.
func (s *auto) Rescore(l dowse.Lead) float64 {
	s.begin()
	k, ok := cluesOf(l.Note)
	if !ok {
		return l.Priority
	}
	s.gather(&s.e, &k, l.URL)
	return s.rate(&s.e)
}

// Explain returns the reasons for the priority that Rescore returns: the words that
// decided most, and the sums of everything else. Words are known by their codes; one that was
// not seen since the program began has no name and stays in the sum of its place.
func (s *auto) Explain(l dowse.Lead) (list []dowse.Because) {
	s.begin()
	k, ok := cluesOf(l.Note)
	if !ok {
		return nil
	}
	s.gather(&s.e, &k, l.URL)
	parts := s.parts(&s.e)
	for _, w := range s.model.decisive(&s.e) {
		if name := s.names[w.code]; name != "" {
			parts[partAnchor+w.place] -= w.weight
			list = append(list, dowse.Because{What: autoWordSays[w.place] + name + `"`, Weight: w.weight})
		}
	}
	for i, part := range parts {
		if math.Abs(part) > 1e-9 {
			list = append(list, dowse.Because{What: autoSays[i], Weight: part})
		}
	}
	return list
}

// keep keeps a lead for refreshing, with its features, s.e. If there is no room it
// replaces a worse one.
func (s *auto) keep(u dowse.URL, note string, z float64) {
	if s.Refresh < 0 {
		return
	}
	i, ok := s.at[u]
	if !ok {
		if i, ok = s.room(z); !ok {
			return
		}
		delete(s.at, s.state.Kept[i].URL)
		u = dowse.URL(strings.Clone(string(u)))
		s.at[u] = i
	} else {
		u = s.state.Kept[i].URL
	}
	s.state.Kept[i] = keptLead{u, note, z}
	s.kept[i] = s.e
}

// room returns a place for a lead with priority z: a new one, or the worst of eight
// that come next in turn, if it is worse than z. Looking at eight instead of all makes
// the cost constant.
func (s *auto) room(z float64) (place int, ok bool) {
	k := &s.state
	if len(k.Kept) < keptLeads {
		k.Kept = append(k.Kept, keptLead{})
		s.kept = append(s.kept, autoLink{})
		return len(k.Kept) - 1, true
	}
	place = k.Hand
	for range 8 {
		if l := &k.Kept[k.Hand]; l.URL == "" || l.Priority < k.Kept[place].Priority {
			place = k.Hand
		}
		k.Hand = (k.Hand + 1) % len(k.Kept)
	}
	return place, k.Kept[place].URL == "" || k.Kept[place].Priority < z
}

// giveUp removes a lead that no longer waits.
func (s *auto) giveUp(u dowse.URL) {
	if i, ok := s.at[u]; ok {
		s.state.Kept[i] = keptLead{Priority: math.Inf(-1)}
		delete(s.at, u)
	}
}

// refresh rates the next kept leads again, at most so many. It returns a lead only for those
// whose priority moved by more than a little, because each costs the queue an update.
func (s *auto) refresh(list *lead.Sheet, most int) {
	for range min(most, len(s.state.Kept)) {
		s.state.Turn = (s.state.Turn + 1) % len(s.state.Kept)
		l := &s.state.Kept[s.state.Turn]
		if l.URL == "" {
			continue
		}
		z := s.rate(&s.kept[s.state.Turn])
		if math.Abs(z-l.Priority) > still {
			l.Priority = z
			list.Because = append(list.Because, dowse.Because{What: "rated again", Weight: z})
			list.Put(l.URL, z, 1)
			list.Leads[len(list.Leads)-1].Band = ratedBand
		}
	}
}

// still is the change of log-odds below which a waiting lead is left where it is.
const still = 0.05

// number returns a new page number and clears its tally.
func (s *auto) number() uint32 {
	n := s.state.Next
	s.state.Next++
	s.state.Pages[n%lastPages] = cell{}
	return n
}

// page returns the tally of a page's links. For a page that has left the ring it
// returns an empty one, so updates are lost without harm.
func (s *auto) page(n uint32) *cell {
	if n+lastPages <= s.state.Next {
		return &cell{}
	}
	return &s.state.Pages[n%lastPages]
}

// slotFor returns the tally of a key; the key replaces another one that has its slot.
func slotFor(table []hostCell, key uint64) *cell {
	c := &table[key%someSections]
	if c.Hash != key {
		*c = hostCell{Hash: key}
	}
	return &c.Cell
}

// tallyOf returns the tally of a key, an empty one if the table does not have it.
func tallyOf(table []hostCell, key uint64) cell {
	if c := &table[key%someSections]; c.Hash == key {
		return c.Cell
	}
	return cell{}
}

// sectionKey returns the key of a section of a page.
func sectionKey(page uint32, section uint8) uint64 {
	return (uint64(page)<<8 | uint64(section)) * 0x9E3779B97F4A7C15 >> 7
}

// sectionOf returns the number of the section of a mention on its page: that of the
// nearest heading above it, or 0.
func sectionOf(m *dowse.Mention) uint8 {
	for _, above := range slices.Backward(m.Above[:]) {
		if above >= 0 {
			return uint8(above + 1)
		}
	}
	return 0
}

// folderOf returns a URL up to its last slash.
func folderOf(u dowse.URL) string {
	return string(u[:strings.LastIndexByte(string(u), '/')+1])
}

// savedAuto is the form in which auto is saved.
type savedAuto struct {
	Model *modelState
	State *autoState
}

// Save returns the model, the tallies and the kept leads.
func (s *auto) Save() ([]byte, error) {
	s.begin()
	return state.SaveBinary(&savedAuto{&s.model.modelState, &s.state})
}

// Load restores what Save returned.
func (s *auto) Load(b []byte) error {
	s.begin()
	var saved savedAuto
	if err := state.LoadBinary(b, &saved); err != nil {
		return err
	}
	if saved.State == nil || len(saved.State.Pages) != lastPages || len(saved.State.Sections) != someSections || len(saved.State.Places) != someSections ||
		saved.Model == nil || !saved.Model.sound() {
		return errors.New("strategy: load: saved state is not one of auto")
	}
	s.model.modelState, s.state = *saved.Model, *saved.State
	s.at = map[dowse.URL]int{}
	s.kept = make([]autoLink, len(s.state.Kept))
	for i, l := range s.state.Kept {
		if k, ok := cluesOf(l.Note); ok && l.URL != "" {
			s.at[l.URL] = i
			s.gather(&s.kept[i], &k, l.URL)
		}
	}
	return nil
}
