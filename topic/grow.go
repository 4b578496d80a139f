package topic

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"dowse"
	"dowse/judge"
	"dowse/weburl"
)

// How a judge grows from words. The numbers were chosen on the tuning topics of
// Wikispeedia: docs/judges.md has the figures, and docs/decisions/0047 the reasons.
const (
	seedBonus     = 2.0 // log-odds that a seed has ahead of other pages: whoever names it probably wants it
	fewestLeaders = 5   // pages with a word of the topic; with fewer there is nothing to learn from
	hostLoss      = 2.0 // log-odds that the k-th further page of a host loses, times ln(1+k)
	mostBelow     = 200 // pages rated low that a model is trained against
	wordless      = 0.1 // share of the pages seen, from the top, that words may call relevant by themselves
)

// growRounds are the numbers of pages taken as on topic, one per round. Each round rates
// all pages anew, so that the first model, of the few pages that the words are surest of,
// chooses what the second learns from.
var growRounds = [...]int{8, 12, 18}

// The numbers of fetched pages after which the judge of a crawl grows: the first, then each
// time twice as many, up to the last. The first comes early, so that little was visited under
// the words alone. All of these pages are read again and rated three times, so the number is
// bounded; after the last they say little that is new.
const (
	firstGrowth = 100
	lastGrowth  = 400
)

// GrowthOf returns from how many pages the judge of a crawl grows when so many were fetched;
// 0 while they are too few.
func GrowthOf(fetched int) (n int) {
	for next := firstGrowth; next <= min(fetched, lastGrowth); next *= 2 {
		n = next
	}
	return n
}

// Seen is a page that a crawl fetched, and what the crawl knows of it.
type Seen struct {
	Page *dowse.Page
	Seed bool // the crawl began with it

	// Before is the relevance by an earlier model that grew from the same words; 0 for none.
	Before float64
}

// A Growth describes a model that grew from words.
type Growth struct {
	On, Off int // pages seen that it was trained on, as on topic and as others
	Leaders int // pages that it began with: the best by the words, seeds, names and the model before
	Kept    int // of the leaders, those that the grown judge calls relevant
	Called  int // of all pages seen, those that the grown judge calls relevant

	Meanings []confirmed // of the words, as pages seen bear them out
}

// mostCalled is the share of the pages seen that a grown judge may call relevant. Where
// more are, pages on topic were taken for others, or the words distinguish nothing.
const mostCalled = 2.0 / 3

// Fault returns why a model should not be used that grew from so many pages: it left what it
// grew from, because it would reject most of the pages that it began with, or call nearly all
// pages relevant. It returns "" for a model without such a fault.
func (g Growth) Fault(seen int) string {
	if 2*g.Kept < g.Leaders {
		return fmt.Sprintf("it would turn down %d of the %d pages that it began with", g.Leaders-g.Kept, g.Leaders)
	}
	if float64(g.Called) > mostCalled*float64(seen) {
		return fmt.Sprintf("it would call %d of the first %d pages on topic", g.Called, seen)
	}
	return ""
}

// Grows reports whether the judge of the topic can grow from its words: nothing else states
// what is wanted, and no gate decides.
func (t *Topic) Grows() bool {
	return len(t.Words) > 0 && !t.Needs() && t.Where == nil
}

// Grow trains a model on pages seen in a crawl, by pseudo-relevance feedback: those that
// the words rate highest are taken as on topic, those that they rate lowest as others, and
// what the model learns from them chooses the pages of the next round. The words stay in
// the judge next to the model, and a page without any of them is never taken as on topic.
//
// Labels are the examples of m; each takes the place of a page that would be chosen. Grow
// leaves the model and its zero in m for [Topic.NewJudge]. It reports false, and changes
// nothing, where too few pages have a word of the topic, or too few are off topic by the
// words. The result depends on the order of seen and on nothing else that is not given.
func (t *Topic) Grow(m *Material, seen []Seen) (g Growth, ok bool, err error) {
	x, err := t.newGrowing(m, seen)
	if err != nil || !x.possible() {
		return g, false, err
	}
	leaders := x.leaders(growRounds[0])
	for _, n := range growRounds {
		if err := x.round(n); err != nil {
			return g, false, err
		}
	}
	zero := wordsWeight * (x.zero - wordsZero)
	m.Trained, m.Zero = x.model, &zero
	return x.growth(leaders), true, nil
}

// growing is a growth under way.
type growing struct {
	topic  *Topic
	labels []judge.Example
	seen   []Seen
	words  []float64 // log-odds by the words, one per page
	hints  []float64 // log-odds that names of confirmed meanings add, one per page
	scores []float64 // log-odds by all that is known, one per page
	none   float64   // log-odds by the words of a page without any
	zero   float64   // log-odds by the words that count as no evidence
	below  []int     // pages off topic by the words, in the order of seen
	on     int       // labels on topic

	meanings []confirmed

	model   judge.Model
	up, low []int // pages that model was trained on
}

// newGrowing rates all pages by the words, confirms meanings by the pages, and orders the pages
// by both, and by the judge that has grown before if there is one.
func (t *Topic) newGrowing(m *Material, seen []Seen) (*growing, error) {
	words, err := judge.NewWords(t.wanted())
	if err != nil {
		return nil, err
	}
	x := &growing{topic: t, labels: m.Examples, seen: seen, none: logit(words.Judge(&dowse.Page{}).Relevance)}
	x.on, _ = m.Counts()
	for i, s := range seen {
		z := logit(words.Judge(s.Page).Relevance)
		x.words = append(x.words, z)
		if z < logit(judge.Threshold) {
			x.below = append(x.below, i)
		}
	}
	x.zero = x.wordsZero()
	if x.meanings, err = t.confirm(m.Meanings, seen, x.words); err != nil {
		return nil, err
	}
	x.hints = make([]float64, len(seen))
	for _, c := range x.meanings {
		for i, h := range c.hints {
			x.hints[i] = max(x.hints[i], h)
		}
	}
	for i, z := range x.words { // a judge that has grown before chooses what the next one begins with
		if before := seen[i].Before; before > 0 {
			z = (z + logit(before)) / 2
		}
		x.scores = append(x.scores, z+x.hints[i])
	}
	return x, nil
}

// possible reports whether there is enough to learn from.
func (x *growing) possible() bool {
	return len(x.leaders(fewestLeaders)) == fewestLeaders && len(x.below) >= FewestSeen
}

// wordsZero returns the log-odds by the words above which only a tenth of the pages seen
// are, but at most even odds. Words that many pages have, as "world" and "war", distinguish
// little, so that the model must agree. Where many pages are on topic and have the word,
// a page without it may still be one.
func (x *growing) wordsZero() float64 {
	if len(x.words) == 0 {
		return wordsZero
	}
	sorted := slices.Sorted(slices.Values(x.words))
	slices.Reverse(sorted)
	return min(max(wordsZero, sorted[int(wordless*float64(len(sorted)))]), 0)
}

// hasWord reports whether a page has a word of the topic, or a name that is confirmed: it
// is rated higher than a page without any.
func (x *growing) hasWord(i int) bool {
	return x.words[i]+x.hints[i] > x.none+1e-9
}

// score returns what is known of a page now, with the bonus of a seed.
func (x *growing) score(i int) float64 {
	if x.seen[i].Seed {
		return x.scores[i] + seedBonus
	}
	return x.scores[i]
}

// rank orders pages by their scores, the best first.
func (x *growing) rank(pages []int, score func(int) float64) []int {
	pages = slices.Clone(pages)
	slices.SortStableFunc(pages, func(a, b int) int { return cmp.Compare(score(b), score(a)) })
	return pages
}

// leaders returns the best n of the pages that have a word of the topic, at most a
// quarter of all pages. Each further page of a host counts for less, so that one that
// repeats the words on all its pages, as a link farm does, is not all that is learnt from.
func (x *growing) leaders(n int) []int {
	var list []int
	for i := range x.seen {
		if x.hasWord(i) {
			list = append(list, i)
		}
	}
	list = x.rank(list, x.score)
	before, loss := map[string]int{}, make([]float64, len(x.seen))
	for _, i := range list {
		host := weburl.Host(x.seen[i].Page.URL)
		loss[i] = hostLoss * math.Log1p(float64(before[host]))
		before[host]++
	}
	list = x.rank(list, func(i int) float64 { return x.score(i) - loss[i] })
	return list[:min(n, len(list), len(x.seen)/4)]
}

// round trains a model on the n best pages against the worse half of all, as far as the
// words call it off topic, and rates all pages by that model and the words.
func (x *growing) round(n int) error {
	x.up = x.leaders(max(n-x.on, 0))
	worst := x.rank(x.below, x.score)
	worst = worst[max(0, len(worst)-min(len(x.seen)/2, mostBelow)):]
	x.low = slices.DeleteFunc(worst, func(i int) bool { return slices.Contains(x.up, i) })
	examples := slices.Clone(x.labels)
	for _, i := range x.up {
		examples = append(examples, judge.Example{Page: x.seen[i].Page, Relevant: true})
	}
	for _, i := range x.low {
		examples = append(examples, judge.Example{Page: x.seen[i].Page})
	}
	var err error
	if x.model, err = (judge.Logistic{Language: x.topic.Language()}).Train(examples); err != nil {
		return err
	}
	for i, s := range x.seen {
		x.scores[i] = logit(x.model.Judge(s.Page).Relevance) + float64(wordsWeight*(x.words[i]-x.zero)) + float64(wordsWeight*x.hints[i])
	}
	return nil
}

// growth describes the last round.
func (x *growing) growth(leaders []int) Growth {
	g := Growth{On: len(x.up), Off: len(x.low), Leaders: len(leaders), Meanings: x.meanings}
	line := logit(x.topic.OnTopic())
	for i, z := range x.scores {
		if z-float64(wordsWeight*x.hints[i]) < line { // names are no part of the judge
			continue
		}
		g.Called++
		if slices.Contains(leaders, i) {
			g.Kept++
		}
	}
	return g
}
