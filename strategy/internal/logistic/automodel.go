package logistic

import (
	"math"
	"slices"
)

// The signals: features of a link other than words. Those before fixedSignals depend on the
// clues alone, and there are mostFixed of them.
const (
	autoBase = iota
	autoContext
	autoContexts
	autoAnchor
	autoAnchors
	autoParent
	autoParents
	autoLinks
	fixedSignals

	autoSiblings = iota - 1
	autoSection
	autoHost
	autoFolder
	autoTopicAnchor // the vocabulary's ratings of anchor, window and URL, in the order of places
	autoTopicWindow
	autoTopicURL
	autoHeading
	autoPattern
	autoKinAnchor // how near anchor, window and URL are to the topic by word vectors, in the order of places
	autoKinWindow
	autoKinURL
	autoKinds // how much the kinds of the link's name belong to the topic
	autoSignals
)

// signals are the values of the signals of a link.
type signals [autoSignals]float64

// autoPrior are the initial weights of the signals, fitted to links of crawls for other
// topics and rounded (docs/decisions/0050), and for heading and pattern chosen on webs where
// these matter (docs/decisions/0055). Those of word vectors were chosen on crawls for other topics
// (docs/decisions/0093).
var autoPrior = signals{
	autoBase: -2.5, autoContext: 1.6, autoAnchor: 1.6, autoParent: 0.3, autoParents: 1,
	autoSiblings: 1, autoSection: 0.8, autoHost: 0.3, autoTopicAnchor: 1.5, autoTopicWindow: 1.6, autoTopicURL: 1.2,
	autoHeading: 4, autoPattern: 3, autoKinAnchor: 4, autoKinURL: 8, autoKinds: 1,
}

// The parts of a priority, which are the reasons for it.
const (
	partUsual = iota
	partRatings
	partPages
	partSite
	partAnchor // words, in the order of places
	partWindow
	partURL
	partForm
	autoReasons
)

var autoSays = []string{
	"what is usual", "ratings of the link's words", "linking pages and their other links", "other pages of the site",
	"words of the anchor", "words around the link", "words of the URL", "heading of the link and form of the URL",
}

// autoWordSays begin the reason for a single word, by place.
var autoWordSays = [placeCount]string{`anchor "`, `near the link "`, `URL "`}

var autoPart = [autoSignals]int{
	autoBase: partUsual, autoContext: partRatings, autoContexts: partRatings, autoAnchor: partRatings, autoAnchors: partRatings,
	autoParent: partPages, autoParents: partPages, autoLinks: partPages, autoSiblings: partPages, autoSection: partPages,
	autoHost: partSite, autoFolder: partSite, autoTopicAnchor: partAnchor, autoTopicWindow: partWindow, autoTopicURL: partURL,
	autoHeading: partForm, autoPattern: partForm, autoKinAnchor: partAnchor, autoKinWindow: partWindow, autoKinURL: partURL, autoKinds: partAnchor,
}

// oddsOf is [logit] to 0.005, from a table: a page needs hundreds of them.
func oddsOf(x float64) float64 { return oddsTable[int(float64(x*oddsSteps)+0.5)] }

const oddsSteps = 2048

var oddsTable = func() (t [oddsSteps + 1]float64) {
	for i := range t {
		t[i] = logit(float64(i) / oddsSteps)
	}
	return t
}()

// linksLog has ln(1+n)/3 for a number of links.
var linksLog = func() (t [256]float64) {
	for n := range t {
		t[n] = math.Log1p(float64(n)) / 3
	}
	return t
}()

// An autoModel rates links: weights of signals, weights of words in three places, and the
// vocabulary of the topic. It is logistic regression over all of these.
type autoModel struct {
	modelState
	rate, signalRate float64
	known            []knownWord // by code
	page             pageRead
	best             [decisiveWords]decisiveWord // see decisive
	kinds            *kinds                      // nil for none
}

// A knownWord is what the model knows of a word: its weights and its count, which the saved
// form has in Words and Seen, the last page that had the word, and its rating by word vectors. They have 32 bytes together,
// so that two words fill a line of the processor's cache and reading a word costs one line.
type knownWord struct {
	wordWeights
	seen
	page uint32
	kin  float32 // how near the word is to the topic by word vectors
}

// A pageRead is what the words of the page that is read have in common.
type pageRead struct {
	number uint32
	r      float32 // its relevance
	odds   float64 // against the topic, of all pages
	// The relevance of the imaginary pages that every word has, and what is missing to their number.
	on, off float64
}

// modelState is what the model has learnt, in the form in which it is saved. Words and Seen are
// empty otherwise: see knownWord.
type modelState struct {
	Signals []weight
	Words   []wordWeights // by code
	Squares []squares     // by code
	Seen    []seen        // by code
	Pages   cell          // pages read, and the sum of their relevance
}

// wordWeights are the weights of a word in each place, and how much it belongs to the
// topic, by its occurrence on pages. They are side by side because they are read together.
type wordWeights struct {
	Place [placeCount]float32
	Topic float32
}

// squares are the sums of squared gradients of a word's weights, which set their step
// sizes.
type squares [placeCount]float32

// seen counts the pages with a word and sums their relevance.
type seen struct{ N, C float32 }

const (
	topicPrior = 5   // imaginary pages of usual relevance with every word
	namePages  = 2   // imaginary relevant pages with a name that the words of the topic may stand for
	topicScale = 4   // by which log-odds of words are divided, to be about as large as other signals
	baseRate   = 0.5 // of the weight of autoBase: what is usual has to be known before anything counts as unusual
)

// newAutoModel returns a model with the initial weights.
func newAutoModel(rate, signalRate float64) autoModel {
	m := autoModel{rate: rate, signalRate: signalRate, known: make([]knownWord, wordCodes)}
	m.modelState = modelState{Signals: make([]weight, autoSignals), Squares: make([]squares, wordCodes)}
	for i, w := range autoPrior {
		m.Signals[i].W = w
	}
	return m
}

// firstSignals is the number of signals of states that were saved before links were rated by
// heading and pattern.
const firstSignals = autoHeading

// sound reports whether a state that was read has the right sizes. To a state of a time with
// fewer signals it adds the others.
func (m *modelState) sound() bool {
	if n := len(m.Signals); n >= firstSignals && n < autoSignals {
		for _, w := range autoPrior[n:] {
			m.Signals = append(m.Signals, weight{W: w})
		}
	}
	return len(m.Signals) == autoSignals && len(m.Words) == wordCodes && len(m.Squares) == wordCodes && len(m.Seen) == wordCodes
}

// saved returns what the model has learnt.
func (m *autoModel) saved() *modelState {
	k := m.modelState
	k.Words, k.Seen = make([]wordWeights, wordCodes), make([]seen, wordCodes)
	for i := range m.known {
		k.Words[i], k.Seen[i] = m.known[i].wordWeights, m.known[i].seen
	}
	return &k
}

// restore sets what the model has learnt; k must be sound.
func (m *autoModel) restore(k *modelState) {
	for i := range m.known {
		m.known[i] = knownWord{wordWeights: k.Words[i], seen: k.Seen[i]}
	}
	m.modelState = *k
	m.Words, m.Seen = nil, nil
}

// openPage begins to read a page of relevance r; [autoModel.word] reads its words.
func (m *autoModel) openPage(r float64) {
	m.Pages.take(r)
	p := m.Pages.mean(0.1)
	odds := (1 - p) / p
	p = 1 / (1 + odds)
	m.page = pageRead{uint32(m.Pages.N), float32(r), odds, topicPrior * p, topicPrior * (1 - p)}
}

// expect makes a word belong to the topic before any page was read, as if some relevant pages had had it. Pages
// that have it correct that.
func (m *autoModel) expect(code uint16) {
	if code == 0 {
		return
	}
	p := m.Pages.mean(0.1)
	c := &m.known[code]
	c.N, c.C = namePages, namePages
	c.Topic = float32(math.Log((namePages+topicPrior*p)/(topicPrior*p)) / topicScale)
}

// touchKnown loads what is known of words into the processor's cache, see [lead.TouchNotes].
//
//go:noinline
func touchKnown(known []knownWord, codes []uint16) (sum uint32) {
	for _, c := range codes {
		sum += known[c].page
	}
	return sum
}

// word counts a word of the page, once per page, and computes how much it belongs to the
// topic: the log of the odds that a page with the word is relevant, against those of all
// pages, smoothed by imaginary pages.
func (m *autoModel) word(code uint16) {
	c := &m.known[code]
	if code == 0 || c.page == m.page.number {
		return
	}
	c.page = m.page.number
	c.N++
	c.C += m.page.r
	n, rel := float64(c.N), float64(c.C)
	c.Topic = float32(math.Log((rel+m.page.on)/(n-rel+m.page.off)*m.page.odds) / topicScale)
}

// words sets the signals of vocabulary and word vectors in x, and returns the sums of the weights of
// words by place.
func (m *autoModel) words(x *signals, e *link) (own [placeCount]float64) {
	for place := range own {
		own[place], x[autoTopicAnchor+place], x[autoKinAnchor+place] = m.sums(place, e.words(place))
	}
	kind, topic := m.kinds.sums(e.name)
	own[inAnchor] += kind
	x[autoKinds] = topic
	return own
}

// parts returns the parts of the priority of a link with signals x.
func (m *autoModel) parts(x *signals, e *link) (parts parts) {
	for place, own := range m.words(x, e) {
		parts[partAnchor+place] = own
	}
	weights := (*[autoSignals]weight)(m.Signals)
	for i, v := range x {
		parts[autoPart[i]] += float64(v * weights[i].W)
	}
	return parts
}

// sums returns the sums of the weights of words in a place, of their belonging to the topic, and
// of their nearness to it by word vectors. Words of a place together have length 1, so that a long anchor does not count more
// than a short one.
func (m *autoModel) sums(place int, codes []uint16) (own, topic, kin float64) {
	for _, c := range codes {
		w := &m.known[c]
		own += float64(w.Place[place])
		topic += float64(w.Topic)
		kin += float64(w.kin)
	}
	by := share[len(codes)]
	return float64(own * by), float64(topic * by), float64(kin * by)
}

// share has the value of a word that is one of n in its place: 1/√n.
var share = func() (t [mostWindowWords + 1]float64) {
	for n := 1; n < len(t); n++ {
		t[n] = 1 / math.Sqrt(float64(n))
	}
	return t
}()

// step makes one gradient step for a link with signals x that led to a page of relevance r.
// The step size of a weight falls with the sum of its squared gradients (AdaGrad: Duchi,
// Hazan and Singer 2011). by is the weight of the example. It returns by how much the page was
// more relevant than expected, times by.
func (m *autoModel) step(x *signals, e *link, r, by float64) (miss float64) {
	z := 0.0
	for _, own := range m.words(x, e) {
		z += own
	}
	weights := (*[autoSignals]weight)(m.Signals)
	for i, v := range x {
		z += float64(v * weights[i].W)
	}
	miss = by * (r - 1/(1+math.Exp(-z)))
	for i, v := range x {
		w := &weights[i]
		g := miss * v
		w.G += float64(g * g)
		rate := m.signalRate
		if i == autoBase {
			rate = baseRate
		}
		w.W = bounded(w.W + float64(rate*g/math.Sqrt(firstSum+w.G)))
	}
	m.kinds.step(e.name, miss, m.rate)
	for place := range placeCount {
		codes := e.words(place)
		g := miss * share[len(codes)]
		for _, c := range codes {
			w, sum := &m.known[c].Place[place], &m.Squares[c][place]
			*sum += float32(g * g)
			*w = float32(bounded(float64(*w) + float64(m.rate*g/math.Sqrt(firstSum+float64(*sum)))))
		}
	}
	return miss
}

// A decisiveWord is a word of a link and what it adds to the link's priority.
type decisiveWord struct {
	place  int
	code   uint16
	weight float64
}

const (
	decisiveWords = 6
	leastReason   = 0.05 // of a word or kind that is a reason of its own
)

// decisive returns the words of a link that add or take away most, strongest first. It is valid until the next call.
func (m *autoModel) decisive(e *link) []decisiveWord {
	list := m.best[:0]
	for place := range placeCount {
		codes := e.words(place)
		for _, c := range codes {
			w := &m.known[c]
			x := share[len(codes)] * (float64(w.Place[place]) + float64(float64(w.Topic)*m.Signals[autoTopicAnchor+place].W) + float64(float64(w.kin)*m.Signals[autoKinAnchor+place].W))
			list = decisiveWord{place, c, x}.among(list)
		}
	}
	return slices.DeleteFunc(list, func(w decisiveWord) bool { return math.Abs(w.weight) < leastReason })
}

// among puts a word into a list that is sorted, with room for decisiveWords, if it is stronger than one of them or there
// is room. Of equal ones the first stays before.
func (w decisiveWord) among(list []decisiveWord) []decisiveWord {
	at, strength := len(list), math.Abs(w.weight)
	for at > 0 && math.Abs(list[at-1].weight) < strength {
		at--
	}
	if at == decisiveWords {
		return list
	}
	if len(list) < decisiveWords {
		list = list[:len(list)+1]
	}
	copy(list[at+1:], list[at:])
	list[at] = w
	return list
}
