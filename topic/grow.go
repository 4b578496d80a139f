package topic

import (
	"cmp"
	"fmt"
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
	hostLoss      = 4.0 // log-odds that the k-th further page of a host loses, times k
	mostBelow     = 200 // pages rated low that a model is trained against
	fewestBelow   = 5   // pages rated low; with fewer, nothing shows what the pages around the topic are like
	filledBelow   = 30  // negative examples after everyday texts were added, where fewer than FewestSeen pages are rated low
	wordless      = 0.1 // share of the pages seen, from the top, that words may call relevant by themselves

	// grownHeat is the temperature of grown judges, see [Material]. They are too sure on both
	// sides: pages that were taken as on topic are rated highest, and not all of them are, and
	// near the topic more pages are on topic than pages rated lowest, which they learnt from, show.
	grownHeat = 1.6
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

// GrowthOf returns from how many pages the judge of a crawl grows when a number were fetched;
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

// A growth describes a model that grew from words.
type growth struct {
	On, Off int  // pages seen that it was trained on, as on topic and as others
	Leaders int  // pages that it began with: the best by the words, seeds, names and the model before
	Kept    int  // of the leaders, those that the grown judge calls relevant
	Called  int  // of all pages seen, those that the grown judge calls relevant
	Words   int  // of all pages seen, those that the words call relevant
	Before  int  // of all pages seen, those that the judge before it calls relevant
	Agreed  int  // of as many pages that the grown judge rates highest, those that are among these
	Hosts   int  // hosts of the pages that the judge before it calls relevant
	Left    int  // of these hosts, those with a page that the grown judge calls relevant
	Again   bool // the judge before it has grown as well

	Meanings []confirmed // of the words, as pages seen bear them out
}

// Limits of what a grown judge may change, see [growth.Fault].
const (
	mostCalled   = 2.0 / 3 // share of the pages seen that it may call relevant if neither the words nor the judge before it do
	fewestHosts  = 6       // hosts with relevant pages from which on their number is compared
	fewestBefore = 10      // relevant pages from which on their number is compared
)

// Fault returns why a model should not be used that grew from a number of pages; "" if it has no
// such fault. A grown judge has left what it grew from if
//
//   - it rejects most of the pages that it began with,
//   - it rejects all pages of most hosts that had relevant ones: then it has learnt how one
//     host writes, such as a link farm,
//   - it orders pages otherwise than a judge that has grown before: of as many of its best
//     pages as that one called relevant, less than half are among these, chance agreement not
//     counted. How many pages it calls relevant is no measure, since the earlier judge may have
//     called too many. Words alone are less reliable, and are not compared,
//   - it calls nearly all pages relevant, and more than the words and the judge before it.
//     That most pages are relevant is no fault: in a crawl that is steered well, they are.
func (g growth) Fault(seen int) string {
	switch {
	case 2*g.Kept < g.Leaders:
		return fmt.Sprintf("it would turn down %d of the %d pages that it began with", g.Leaders-g.Kept, g.Leaders)
	case g.Hosts >= fewestHosts && 2*g.Left < g.Hosts:
		return fmt.Sprintf("it would turn down all pages of %d of the %d hosts with pages on topic", g.Hosts-g.Left, g.Hosts)
	case g.Again && g.Before >= fewestBefore && g.disagrees(seen):
		return fmt.Sprintf("%d of the %d pages on topic are not among its best %d", g.Before-g.Agreed, g.Before, g.Before)
	case float64(g.Called) > mostCalled*float64(seen) && g.Called > max(g.Before, g.Words):
		return fmt.Sprintf("it would call %d of the first %d pages on topic", g.Called, seen)
	}
	return ""
}

// disagrees reports whether the best pages of the grown judge are others than those that the
// judge before it called relevant, of a number of pages. Two judges that have nothing in common
// agree on Before²/seen pages by chance.
func (g growth) disagrees(seen int) bool {
	chance := float64(g.Before*g.Before) / float64(seen)
	return float64(g.Agreed)-chance < (float64(g.Before)-chance)/2
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
// The threshold follows from the share of pages on topic among those seen, which is
// estimated.
//
// Labels are the examples of m; each takes the place of a page that would be chosen. Grow
// leaves the model and its zero in m for [Topic.NewJudge]. It reports false, and changes
// nothing, where too few pages have a word of the topic, or too few are off topic by the
// words. The result depends on the order of seen and on nothing else that is not given.
func (t *Topic) Grow(m *Material, seen []Seen) (g growth, ok bool, err error) {
	x, err := t.newGrowing(m, seen)
	if err != nil || !x.possible() {
		return g, false, err
	}
	if err := x.read(); err != nil {
		return g, false, err
	}
	leaders := x.leaders(growRounds[0])
	for _, n := range growRounds {
		x.round(n)
	}
	x.level()
	zero := float64(wordsWeight*(x.zero-wordsZero)) - x.shift
	m.Trained, m.Zero, m.Temperature = x.model, &zero, x.temperature()
	return x.growth(leaders), true, nil
}

// growing is a growth under way. Pages are known by their number in seen; after them come
// the labels, and then the everyday texts.
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

	pages   *judge.Pages
	texts   []int     // everyday texts that fill up the pages rated low
	odds    []float64 // log-odds by the grown judge, one per page
	shift   float64   // log-odds to add to odds, by the share of pages on topic
	model   *judge.Online
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
	return len(x.leaders(fewestLeaders)) == fewestLeaders && len(x.below) >= fewestBelow
}

// thin reports whether so few pages are off topic by the words that everyday texts are
// added to them. A crawl that is steered well sees few others.
func (x *growing) thin() bool { return len(x.below) < FewestSeen }

// read reads the pages, the labels and the everyday texts that are needed, each once.
func (x *growing) read() (err error) {
	var list []judge.Example
	for _, s := range x.seen {
		list = append(list, judge.Example{Page: s.Page})
	}
	list = append(list, x.labels...)
	if x.thin() {
		texts, _ := everyday(x.topic.Language())
		for _, e := range texts[:min(len(texts), filledBelow-len(x.below))] {
			x.texts = append(x.texts, len(list))
			list = append(list, e)
		}
	}
	x.pages, err = judge.Logistic{Language: x.topic.Language()}.Read(list)
	return err
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
// quarter of all pages. Each further page of a host counts for less, so that hosts take
// turns unless one is far better: one that repeats the words on all its pages, as a link
// farm does, is not all that is learnt from.
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
		loss[i] = hostLoss * float64(before[host])
		before[host]++
	}
	list = x.rank(list, func(i int) float64 { return x.score(i) - loss[i] })
	return list[:min(n, len(list), len(x.seen)/4)]
}

// round trains a model on the n best pages against the worse half of all, as far as the
// words call it off topic, and rates all pages by that model and the words.
func (x *growing) round(n int) {
	x.up = x.leaders(max(n-x.on, 0))
	worst := x.rank(x.below, x.score)
	worst = worst[max(0, len(worst)-min(len(x.seen)/2, mostBelow)):]
	x.low = slices.DeleteFunc(worst, func(i int) bool { return slices.Contains(x.up, i) })
	on, off := x.labelled()
	x.model = x.pages.Train(append(on, x.up...), slices.Concat(off, x.low, x.texts))
	x.odds = x.pages.LogOdds(x.model)[:len(x.seen)]
	for i := range x.odds {
		x.odds[i] += float64(wordsWeight * (x.words[i] - x.zero))
		x.scores[i] = x.odds[i] + float64(wordsWeight*x.hints[i]) // names are no part of the judge
	}
}

// labelled returns the numbers of the labels.
func (x *growing) labelled() (on, off []int) {
	for i, e := range x.labels {
		if e.Relevant {
			on = append(on, len(x.seen)+i)
		} else {
			off = append(off, len(x.seen)+i)
		}
	}
	return on, off
}

// How the share of pages on topic is estimated.
const (
	expectedShare = 0.1     // that the log-odds of a model assume, see [judge.Logistic]
	leastShare    = 1.0 / 3 // an estimate below it is within its error, and the expected share stays
	mostShare     = 0.75    // no estimate is certain
	shareRounds   = 100
)

// level estimates the share of pages on topic among the pages seen, and moves the log-odds
// to it. They assume a tenth; in a crawl that is steered well it is much more, and then
// nearly all pages would be called off topic. The share is the one that the ratings have
// as their mean if they assume it (expectation maximisation: Saerens, Latinne and
// Decaestecker 2002). A small estimate changes nothing: on Wikispeedia, where the shares are
// below a third, moving the log-odds to them made verdicts worse. Judges that have everyday
// texts among their negative examples are left as they are: they rate pages too high already.
func (x *growing) level() {
	if x.thin() {
		return
	}
	share := expectedShare
	for range shareRounds {
		x.shift = logit(share) - logit(expectedShare)
		sum := 0.0
		for _, z := range x.odds {
			sum += sigmoid(z + x.shift)
		}
		share = min(sum/float64(len(x.odds)), mostShare)
	}
	if share < leastShare {
		x.shift = 0
	}
}

// temperature returns the temperature of the grown judge, 0 for none. Where most pages seen are
// on topic, those taken as on topic are, too, and the judge is not sure enough.
func (x *growing) temperature() float64 {
	if x.thin() || x.shift != 0 {
		return 0
	}
	return grownHeat
}

// all returns the numbers of all pages seen.
func (x *growing) all() (list []int) {
	for i := range x.seen {
		list = append(list, i)
	}
	return list
}

// growth describes the last round.
func (x *growing) growth(leaders []int) growth {
	g := growth{On: len(x.up), Off: len(x.low), Leaders: len(leaders), Meanings: x.meanings}
	wanted := logit(x.topic.OnTopic())
	line := wanted * max(x.temperature(), 1) // of log-odds before the temperature
	hosts := map[string]bool{}               // with pages that were relevant; whether one of them still is
	var before []int
	for i, s := range x.seen {
		called := x.odds[i]+x.shift >= line
		if called {
			g.Called++
			if slices.Contains(leaders, i) {
				g.Kept++
			}
		}
		was := x.words[i]
		if was >= wanted {
			g.Words++
		}
		if s.Before > 0 {
			was, g.Again = logit(s.Before), true
		}
		if was >= wanted {
			g.Before++
			before = append(before, i)
			host := weburl.Host(s.Page.URL)
			hosts[host] = hosts[host] || called
		}
	}
	for _, i := range x.rank(x.all(), func(i int) float64 { return x.odds[i] })[:len(before)] {
		if slices.Contains(before, i) {
			g.Agreed++
		}
	}
	g.Hosts = len(hosts)
	for _, left := range hosts {
		if left {
			g.Left++
		}
	}
	return g
}
