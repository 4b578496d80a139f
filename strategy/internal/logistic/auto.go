package logistic

import (
	"cmp"
	"errors"
	"math"
	"strings"

	"dowse"
	"dowse/internal/linktext"
	"dowse/internal/text"
	"dowse/internal/vectors"
	"dowse/internal/wordnet"
	"dowse/strategy/input"
	"dowse/strategy/internal/state"
)

// auto is the default strategy. It begins much like link-context and learns during the
// crawl which links lead to the topic. It is our own design, not from a paper; [online]
// is its simpler predecessor.
//
// A link is rated by logistic regression over three kinds of features: signals, such as the judge's ratings of the words around the link and the
// relevance of the pages that link to its target; the words of anchors, windows and URL;
// and the topic's vocabulary, which is learnt from the text of every page that was
// fetched. All mentions of a target are counted together. The initial weights of the
// signals were fitted to links of other crawls (docs/decisions/0050).
//
// Word vectors, if there are any, rate words that no page has had yet, see [kin].
//
// Memory is bounded: 65,536 words, tallies of the last 16,384 pages and of as many
// sections, hosts and folders, and 2,000 leads to rate again.
type auto struct {
	Rate     float64 `param:"rate" default:"0.5" help:"size of the first steps of learning from words; steps get smaller where much was learnt; ours"`
	Signals  float64 `param:"signals" default:"0.1" help:"size of the first steps of learning from ratings and tallies; ours"`
	Link     float64 `param:"link" default:"0.3" help:"weight of an example that is a link to a visited page, against the visit itself; ours"`
	Words    int     `param:"words" default:"20" help:"words around a link, its anchor included; ours"`
	Read     int     `param:"read" default:"600" help:"words of a page from which the vocabulary is learnt; ours"`
	Refresh  int     `param:"refresh" default:"50" min:"-1" max:"2000" help:"waiting leads rated again after a page; -1 for none; ours"`
	Language string  `param:"language" default:"en" help:"of stems and stop words, as in BCP 47; ours"`

	learner
	names     []string             // by code: a word with this code that was seen since the program began; for reasons only
	nameTags  []uint32             // by code: other bits of the hash of the name's term, 0 for no name; the processor's cache holds them, the names are too many
	others    map[uint16]otherName // words of other terms whose code has a name already
	x         signals              // of the link that is rated
	pageWords []uint16             // codes of the words of the page that is read
	autoModel
	vectors  *vectors.Table    // nil for none
	taxonomy *wordnet.Taxonomy // nil for none
	wanted   []wantedPhrase    // words of the topic; nil for none
	meant    []string          // names that the words of the topic may stand for; nil for none
}

// Inputs returns the inputs that the strategy uses: the language and the words of the topic, the names that
// they may stand for, word vectors, and a taxonomy of names.
func (s *auto) Inputs() (required, used input.Kind) {
	return 0, input.KindLanguage | input.KindWords | input.KindVectors
}

// Take sets the language to that of the topic, unless a parameter gave one, the word vectors, by which
// the words of the topic are understood, and the names that these may stand for.
func (s *auto) Take(in input.Inputs) error {
	s.Language, s.vectors = cmp.Or(s.Language, in.Language), in.Vectors
	if in.Vectors == nil {
		s.taxonomy = in.Taxonomy // with vectors it brings nothing (docs/decisions/0175)
	}
	s.meant, s.wanted = in.Names, nil
	for _, w := range in.Words {
		s.wanted = append(s.wanted, wantedPhrase{w.Term, w.Weight})
	}
	return nil
}

// begin sets up what the parameters determine. Every entry point calls it, because a
// strategy is a plain struct without a constructor.
func (s *auto) begin() *learner {
	if s.codes == nil {
		m := manner{form: autoForm, says: autoSays, link: cmp.Or(s.Link, 0.3), refresh: max(cmp.Or(s.Refresh, 50), 0), still: 0.15, nearby: 2, passes: 8}
		s.open(s, m, s.Language, s.named)
		s.sections = make(tallies, tableSize)
		s.names, s.nameTags, s.others = make([]string, wordCodes), make([]uint32, wordCodes), map[uint16]otherName{}
		s.autoModel = newAutoModel(cmp.Or(s.Rate, 0.5), cmp.Or(s.Signals, 0.1))
		s.expectNames()
		s.learner.kinds = newKinds(s.taxonomy)
		s.autoModel.kinds = s.learner.kinds
		if s.vectors != nil {
			s.kin = newKin(s.vectors, s.known)
			s.kin.want(s.wantedWords())
		}
	}
	return &s.learner
}

// A wantedPhrase is a word or phrase of the topic.
type wantedPhrase struct {
	text   string
	weight float64
}

// wantedWords returns the words of the topic, of phrases each one, that have a vector.
func (s *auto) wantedWords() (list []wantedWord) {
	for _, phrase := range s.wanted {
		s.spans = dowse.AppendWords(s.spans[:0], phrase.text, 0)
		for _, w := range s.spans {
			c := s.codes.In(phrase.text, int(w.Start), int(w.End))
			s.kin.meet(c, phrase.text[w.Start:w.End])
			list = append(list, wantedWord{c, phrase.weight})
		}
	}
	return list
}

// expectNames begins the vocabulary with the names that the words of the topic may stand for. Only names of one
// word are taken: the words of others are often common ones.
func (s *auto) expectNames() {
	for _, name := range s.meant {
		s.spans = dowse.AppendWords(s.spans[:0], name, 0)
		if len(s.spans) == 1 {
			s.expect(s.codes.In(name, int(s.spans[0].Start), int(s.spans[0].End)))
		}
	}
}

// An otherName is a second word that has the code of a name. A third one makes word empty: such a
// code is not named.
type otherName struct {
	tag  uint32
	word string
}

// named returns the code of a word and remembers the word as a name of its code. Without a word it
// remembers nothing.
func (s *auto) named(word, term string) uint16 {
	c := codeOf(term)
	if word == "" {
		return c
	}
	tag := uint32(text.Hash(term)>>16) | 1
	switch s.nameTags[c] {
	case 0:
		s.nameTags[c], s.names[c] = tag, strings.ToLower(strings.Clone(word))
	case tag:
	default:
		other, ok := s.others[c]
		if !ok {
			s.others[c] = otherName{tag, strings.ToLower(strings.Clone(word))}
		} else if other.tag != tag && other.word != "" {
			s.others[c] = otherName{}
		}
	}
	return c
}

// nameOf returns the words that a reason for a link to u names; "" for none. Words of a URL are found
// in it. Of another place only the code is known: if two words have it, both are named.
func (s *auto) nameOf(w decisiveWord, u dowse.URL) string {
	if w.place == inURL {
		path := pathOf(u)
		for _, at := range dowse.AppendWords(s.spans[:0], path, 0) {
			if s.urlCode(path, at) == w.code {
				return strings.ToLower(path[at.Start:at.End])
			}
		}
		return ""
	}
	name := s.names[w.code]
	if other, ok := s.others[w.code]; ok {
		if other.word == "" {
			return ""
		}
		name += `" or "` + other.word
	}
	return name
}

// Traits states what is the same for a whole crawl.
func (s *auto) Traits() dowse.Traits {
	return dowse.Traits{Window: cmp.Or(s.Words, 20), Anchors: true, ReadsText: true}
}

// Start queues the seeds before all else.
func (s *auto) Start(seeds []dowse.URL) []dowse.Lead { return s.begin().start(seeds) }

// Follow learns from the outcome of the visit, and then rates the page's links and some
// of the waiting leads with the new weights.
func (s *auto) Follow(p *dowse.Page) []dowse.Lead { return s.begin().follow(p) }

// Rescore returns the priority of a lead with the present weights. A lead of another
// strategy keeps its own.
func (s *auto) Rescore(l dowse.Lead) float64 { return s.begin().rescore(l) }

// Explain returns the reasons for the priority that Rescore returns: the words that
// decided most, and the sums of everything else. Words are known by their codes; one that was
// not seen since the program began has no name and stays in the sum of its place.
func (s *auto) Explain(l dowse.Lead) (list []dowse.Because) {
	parts, ok := s.begin().partsOf(l)
	if !ok {
		return nil
	}
	for _, w := range s.decisive(&s.e) {
		if name := s.nameOf(w, l.URL); name != "" {
			parts[partAnchor+w.place] -= w.weight
			list = append(list, dowse.Because{What: autoWordSays[w.place] + name + `"`, Weight: w.weight})
		}
	}
	if word, weight := s.autoModel.kinds.decisive(s.e.name, s.modelState.Signals[autoKinds].W); math.Abs(weight) >= leastReason {
		parts[partAnchor] -= weight
		list = append(list, dowse.Because{What: `a kind of "` + word + `"`, Weight: weight})
	}
	return s.because(list, parts, 1e-9)
}

// mostTitleWords is the number of words of a title that count as the name of its page.
const mostTitleWords = 12

// read learns from the title and the first words of a page which words belong to the topic.
func (s *auto) read(p *dowse.Page) {
	m := &s.autoModel
	m.openPage(rating(p.Verdict.Relevance))
	title := linktext.Cut(p.Title, linktext.MaxBytes)
	s.spans = dowse.AppendWords(s.spans[:0], title, 0)
	s.pageWords = s.pageWords[:0]
	for _, w := range s.spans {
		c := s.codes.In(title, int(w.Start), int(w.End))
		s.kin.meet(c, title[w.Start:w.End])
		s.pageWords = append(s.pageWords, c)
	}
	s.kin.title(s.pageWords[:min(len(s.pageWords), mostTitleWords)], rating(p.Verdict.Relevance))
	s.pageWords = s.pageCodes(s.pageWords, p, dowse.Span{End: int32(max(0, min(len(p.Words), cmp.Or(s.Read, 600))))})
	touchKnown(m.known, s.pageWords)
	for _, c := range s.pageWords {
		m.word(c)
	}
}

// fix computes the signals that depend on the clues alone.
func (s *auto) fix(x *[mostFixed]float64, k *clues) {
	*x = [mostFixed]float64{
		autoBase: 1, autoContext: oddsOf(k.context), autoContexts: oddsOf(k.per(k.contexts)), autoAnchor: oddsOf(k.anchor), autoAnchors: oddsOf(k.per(k.ratings)),
		autoParent: k.best, autoParents: k.per(k.sum), autoLinks: linksLog[k.links],
	}
}

// parts returns the parts of a link's priority.
func (s *auto) parts(e *link) parts {
	s.signals(e)
	return s.autoModel.parts(&s.x, e)
}

// learn makes one gradient step: the link led to a page of relevance r. by is the weight of
// the example.
func (s *auto) learn(e *link, r, by float64) {
	s.signals(e)
	miss := s.step(&s.x, e, r, by)
	if by == 1 {
		s.autoModel.kinds.take(e.name, r, s.base.mean(0.1))
	}
	s.kin.correct(e, miss)
}

// signals sets s.x to the signals of a link, except those of words. Tallies are relative to
// the mean of all pages, so that they are 0 where nothing is known.
func (s *auto) signals(e *link) {
	copy(s.x[:], e.fixed[:])
	base := s.base.mean(0.1)
	usual := oddsOf(base)
	siblings, section, heading := cell{}, cell{}, cell{}
	for i := range e.n {
		siblings.add(*s.ring.page(e.pages[i]))
		section.add(s.sections.of(e.sections[i]))
		if e.headings[i] != 0 {
			heading.add(s.places.of(e.headings[i]))
		}
	}
	s.x[autoSiblings] = apart(siblings, base, usual)
	s.x[autoSection] = apart(section, base, usual)
	s.x[autoHost] = apart(s.places.of(e.host), base, usual)
	s.x[autoFolder] = apart(s.places.of(e.folder), base, usual)
	s.x[autoHeading] = apart(heading, base, usual)
	s.x[autoPattern] = apart(s.places.of(e.pattern), base, usual)
}

// apart returns how far the mean of a tally is from that of all pages, in log-odds.
func apart(c cell, base, usual float64) float64 {
	if c.N == 0 {
		return 0
	}
	return oddsOf(c.mean(base)) - usual
}

// autoState is what auto has learnt, except for the model, in the form in which it is saved.
type autoState struct {
	Base     cell
	Pages    []cell
	Next     uint32
	Sections []hostCell
	Places   []hostCell
	Kept     []keptLead
	Turn     int
	Hand     int
}

// savedAuto is the form in which auto is saved. The large tables are not in Model and State
// but in Tables; states that were saved earlier have them where they belong.
type savedAuto struct {
	Model  *modelState
	State  *autoState
	Tables *autoTables
	Kin    *kinState   // nil for none
	Kinds  *kindsState // nil for none
}

// autoTables are the large tables of auto, packed.
type autoTables struct{ Words, Squares, Seen, Pages, Sections, Places []byte }

// Save returns the model, the tallies and the waiting leads.
func (s *auto) Save() ([]byte, error) {
	s.begin()
	model, rest := s.saved(), &autoState{Base: s.base, Next: s.ring.next, Kept: s.waiting.list, Turn: s.waiting.turn, Hand: s.waiting.hand}
	var t autoTables
	var errs [8]error
	t.Words, errs[0] = state.Pack(model.Words)
	t.Squares, errs[1] = state.Pack(model.Squares)
	t.Seen, errs[2] = state.Pack(model.Seen)
	t.Pages, errs[3] = state.Pack(s.ring.pages)
	t.Sections, errs[4] = state.Pack(s.sections)
	t.Places, errs[5] = state.Pack(s.places)
	kin, err := s.kin.saved()
	errs[6] = err
	kinds, err := s.learner.kinds.saved()
	errs[7] = err
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	model.Words, model.Squares, model.Seen = nil, nil, nil
	return state.SaveBinary(&savedAuto{model, rest, &t, kin, kinds})
}

// unpack puts the tables where they belong.
func (t *autoTables) unpack(m *modelState, k *autoState) error {
	m.Words, m.Squares, m.Seen = make([]wordWeights, wordCodes), make([]squares, wordCodes), make([]seen, wordCodes)
	k.Pages, k.Sections, k.Places = make([]cell, lastPages), make([]hostCell, tableSize), make([]hostCell, tableSize)
	return errors.Join(
		state.Unpack(t.Words, m.Words), state.Unpack(t.Squares, m.Squares), state.Unpack(t.Seen, m.Seen),
		state.Unpack(t.Pages, k.Pages), state.Unpack(t.Sections, k.Sections), state.Unpack(t.Places, k.Places),
	)
}

// Load restores what Save returned.
func (s *auto) Load(b []byte) error {
	s.begin()
	var saved savedAuto
	if err := state.LoadBinary(b, &saved); err != nil {
		return err
	}
	if saved.State != nil && saved.Model != nil && saved.Tables != nil {
		if err := saved.Tables.unpack(saved.Model, saved.State); err != nil {
			return err
		}
	}
	if saved.State == nil || !saved.State.sound() || saved.Model == nil || !saved.Model.sound() {
		return errors.New("strategy: load: saved state is not one of auto")
	}
	k := saved.State
	s.autoModel.restore(saved.Model)
	s.base, s.ring, s.sections, s.places = k.Base, ring{k.Pages, k.Next}, k.Sections, k.Places
	if err := s.kin.restore(saved.Kin); err != nil {
		return err
	}
	if err := s.learner.kinds.restore(saved.Kinds); err != nil {
		return err
	}
	s.learner.restore(k.Kept, k.Turn, k.Hand)
	return nil
}

// sound reports whether a state that was read has the right sizes.
func (k *autoState) sound() bool {
	return len(k.Pages) == lastPages && len(k.Sections) == tableSize && len(k.Places) == tableSize
}
