package experiment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/crawler"
	"dowse/internal/lab/measure"
	"dowse/internal/lab/web"
	"dowse/internal/linkrating"
	"dowse/internal/predicate"
	"dowse/internal/repeats"
	"dowse/internal/tgraph"
	"dowse/internal/vectors"
	"dowse/internal/wordnet"
	"dowse/judge"
	"dowse/lab"
	"dowse/strategy"
	"dowse/strategy/input"
	"dowse/topic"
	"dowse/weburl"
)

// A task is a topic on a web. What its crawls share is prepared by the first of
// them and released after the last.
type task struct {
	x      *Experiment
	source *labelledWeb
	topic  string   // name in the labels
	name   string   // name in trails
	others []string // all topics of the run on this web
	// That relevant pages meet in addition to the topic; nil for none.
	condition *predicate.Predicate
	classes   *classification   // for strategies that classify links; nil for none
	vectors   *vectors.Table    // of words; nil for none
	taxonomy  *wordnet.Taxonomy // of names; nil for none
	meanings  []topic.Meaning   // of the words of the topic, by the dictionary; nil for none
	draw      *draw
	names     *measure.Names // names shared by all trails of the run

	state shared[*prepared]
}

// prepared is what the crawls of a task share while they run. It is read by
// concurrent crawls and does not change.
type prepared struct {
	wanted  []bool       // by page: it is relevant
	train   map[int]bool // pages that the judge was trained on
	popular map[int]bool // the tenth of the relevant pages with the most links to them
	judged  *web.Judged
	onTopic float64 // the judge's threshold of relevance
	// The web as the judge rates it whose verdicts the measures use, and its threshold;
	// nil if that is the judge of the crawls.
	assessed   *web.Judged
	assessedOn float64
	needs      input.Inputs // of strategies
	// The T-Graph built top-down, for variants that want that one; nil if none does.
	down *tgraph.Graph
}

// title is the name of the topic in trails.
func (t *task) title() string { return t.name }

// truth returns the relevant pages, and those among them that are training pages
// or listed, in the order of the web.
func (t *task) truth() (relevant, trained, listed []dowse.URL) {
	var all, train, list []int
	for i, wanted := range t.draw.wanted {
		if !wanted {
			continue
		}
		all = append(all, i)
		if t.draw.trained(i) {
			train = append(train, i)
		}
		if t.draw.listed[i] {
			list = append(list, i)
		}
	}
	return t.urls(all), t.urls(train), t.urls(list)
}

// A draw is what is drawn for a topic: training pages and the relevant pages
// that are left. A run draws for all topics before its first crawl, because
// seeds and training pages enter the names of crawls. Pages are read for it
// only if the experiment has a condition on them.
type draw struct {
	wanted    []bool
	listed    []bool // by page: wanted, and listed by a directory
	positives []int
	negatives []int
	rest      []int // relevant pages that are not training pages
	links     []grantedLink
}

// trained reports whether a page is a training page.
func (d *draw) trained(i int) bool {
	return slices.Contains(d.positives, i) || slices.Contains(d.negatives, i) ||
		slices.ContainsFunc(d.links, func(l grantedLink) bool { return l.to == i })
}

// drawTraining draws the training pages: positives from the relevant pages,
// negatives from the others, without replacement. A topic with fewer pages than
// wanted gives all it has.
func (t *task) drawTraining() (*draw, error) {
	b, x := t.source, t.x
	wanted, err := b.wanted(t.topic, t.condition)
	if err != nil {
		return nil, err
	}
	d := &draw{wanted: wanted, listed: make([]bool, len(wanted))}
	// The order of the two shuffles is part of the result: it must not change.
	chance := newRand(x.Seeds.Rng, "training", b.web.Name, t.topic)
	var on, off []int
	for i := range d.wanted {
		switch {
		case d.wanted[i]:
			on = append(on, i)
			d.listed[i] = b.labels.Listed(b.web.URL(i), t.topic)
		case b.graph.IsPage(i) && t.offTopic(i):
			off = append(off, i)
		}
	}
	chance.Shuffle(len(on), func(i, k int) { on[i], on[k] = on[k], on[i] })
	chance.Shuffle(len(off), func(i, k int) { off[i], off[k] = off[k], off[i] })
	if n := x.Training.Listed; n > 0 {
		listFirst(on, n, func(i int) bool { return d.listed[i] })
		listFirst(off, n*x.Training.Negatives/x.Training.Positives, t.listedElsewhere)
	}
	n := min(x.Training.Positives, len(on))
	d.positives, d.rest = on[:n], on[n:]
	d.negatives = off[:min(x.Training.Negatives, len(off))]
	t.drawLinks(d)
	return d, nil
}

// listFirst moves the first n listed pages to the front, and all other listed ones
// to the end, so that what is drawn from the front has exactly n of them. Otherwise
// the order stays.
func listFirst(pages []int, n int, listed func(int) bool) {
	var first, others, last []int
	for _, i := range pages {
		switch {
		case !listed(i):
			others = append(others, i)
		case len(first) < n:
			first = append(first, i)
		default:
			last = append(last, i)
		}
	}
	copy(pages, slices.Concat(first, others, last))
}

// listedElsewhere reports whether a page is listed under another topic of the run.
func (t *task) listedElsewhere(i int) bool {
	u := t.source.web.URL(i)
	return slices.ContainsFunc(t.others, func(other string) bool { return other != t.topic && t.source.labels.Listed(u, other) })
}

// offTopic reports whether a page that is not relevant may be a negative
// example: any such page, or a page of one of the other topics only, as in Wang
// et al. 2009 (SPEC A.12).
func (t *task) offTopic(i int) bool {
	if t.x.Training.From != "topics" {
		return true
	}
	u := t.source.web.URL(i)
	return slices.ContainsFunc(t.others, func(other string) bool { return other != t.topic && t.source.labels.Is(u, other) })
}

// seeds returns the seeds of the crawls of a set. own, if given, replaces the
// experiment's kind of seeds.
func (t *task) seeds(set int, own string) []int {
	return t.seedsFor(cmp.Or(own, t.x.Seeds.From), fmt.Sprint(set))
}

// seedsFor draws seeds of a kind; another purpose gives other seeds. Pages with
// links are preferred, since a crawl from a page without any ends immediately. A
// web with hubs adds its portal.
func (t *task) seedsFor(kind, purpose string) []int {
	d := t.draw
	var from []int
	switch kind {
	case "training":
		from = slices.Clone(d.positives)
	case "listed":
		from = slices.DeleteFunc(slices.Clone(d.positives), func(i int) bool { return !d.listed[i] })
		if len(from) == 0 { // the labels of the web name none
			from = slices.Clone(d.positives)
		}
	case "topic":
		from = slices.Clone(d.rest)
	case "portals":
		from = t.portals()
	default:
		for i := range d.wanted {
			if !d.wanted[i] && t.source.graph.IsPage(i) {
				from = append(from, i)
			}
		}
	}
	leads := slices.DeleteFunc(slices.Clone(from), func(i int) bool { return len(t.source.graph.Out(i)) == 0 })
	if len(leads) > 0 {
		from = leads
	}
	chance := newRand(t.x.Seeds.Rng, "seeds", t.source.web.Name, t.topic, purpose)
	chance.Shuffle(len(from), func(i, k int) { from[i], from[k] = from[k], from[i] })
	from = from[:min(t.x.Seeds.PerTopic, len(from))]
	for _, i := range t.source.portal {
		if !slices.Contains(from, i) {
			from = append(from, i)
		}
	}
	return from
}

// portals returns pages off topic that lead everywhere, from which Seyfi and Patel
// 2015 begin their generic crawls: those that the synthetic web names, otherwise the
// hundredth of the pages off topic with the most links, at least 20.
func (t *task) portals() (list []int) {
	g, wanted := t.source.graph, t.draw.wanted
	for _, u := range t.source.labels.Portals() {
		if i, ok := t.source.web.Find(u); ok && g.IsPage(i) && !wanted[i] {
			list = append(list, i)
		}
	}
	if len(list) > 0 {
		return list
	}
	for i := range wanted {
		if !wanted[i] && g.IsPage(i) {
			list = append(list, i)
		}
	}
	// Ties are in the order of URLs: that of the file must not matter.
	slices.SortFunc(list, func(a, b int) int {
		return cmp.Or(cmp.Compare(len(g.Out(b)), len(g.Out(a))), cmp.Compare(t.source.web.URL(a), t.source.web.URL(b)))
	})
	return list[:min(max(20, len(list)/100), len(list))]
}

// done releases the prepared state after the last crawl.
func (t *task) done() { t.state.release() }

// prepare returns the prepared state; the first call computes it.
func (t *task) prepare() (*prepared, error) { return t.state.get(t.prepareNow) }

// prepareNow reads the training pages, trains the judge, and builds the inputs
// of strategies. It is the expensive part of a topic, seconds for some judges,
// and is done once for all strategies and seed sets.
func (t *task) prepareNow() (*prepared, error) {
	d := t.draw
	p := &prepared{wanted: d.wanted, train: map[int]bool{}, popular: t.popular()}
	var examples []judge.Example
	for _, i := range slices.Concat(d.positives, d.negatives) {
		page, err := t.source.web.Page(i)
		if err != nil {
			return nil, err
		}
		examples = append(examples, judge.Example{Page: page, Relevant: d.wanted[i]})
		p.train[i] = true
	}
	j, threshold, err := t.judge(examples)
	if err != nil {
		return nil, fmt.Errorf("experiment: judge of %s: %w", t.name, err)
	}
	p.onTopic = threshold
	p.needs = input.Inputs{Words: t.words(examples), Vectors: t.vectors, Taxonomy: t.taxonomy}
	if t.meanings != nil {
		of, err := crawler.NeedsOf(crawler.Config{Topic: t.stated(), WordNet: t.x.WordNet})
		if err != nil {
			return nil, err
		}
		p.needs.Names = of.Names
	}
	if t.classes != nil {
		p.needs.Classes = t.classes.table
	}
	if p.needs.Links, err = t.labelledLinks(); err != nil {
		return nil, err
	}
	for _, l := range d.links {
		p.train[l.to] = true
	}
	b := tgraph.Builder{Depth: t.x.TGraph.Depth, PerLevel: t.x.TGraph.PerLevel}
	if t.x.needsTGraph() {
		if p.needs.TGraph, err = b.Build(t.urls(d.positives), t.source); err != nil {
			return nil, fmt.Errorf("experiment: %s: %w", t.name, err)
		}
	}
	p.judged = web.NewJudged(t.source.web, j, t.wishes(p.needs)...)
	if t.x.buildsDown() {
		if p.down, err = t.buildDown(b, t.walk(p)); err != nil {
			return nil, fmt.Errorf("experiment: %s: %w", t.name, err)
		}
	}
	if t.x.MeasuredBy != "" {
		assessor, threshold, err := t.train(t.x.MeasuredBy, examples)
		if err != nil {
			return nil, fmt.Errorf("experiment: judge that measures %s: %w", t.name, err)
		}
		p.assessed, p.assessedOn = web.NewJudged(t.source.web, assessor), threshold
	}
	return p, nil
}

// popular returns the tenth of the relevant pages with the most links to them,
// rounded up. Targets of the papers are pages that editors listed, which are
// better known than most; the measure recall_popular is about these.
func (t *task) popular() map[int]bool {
	in := t.source.in()
	var list []int
	for i, wanted := range t.draw.wanted {
		if wanted {
			list = append(list, i)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(len(in[b]), len(in[a])) })
	top := map[int]bool{}
	for _, i := range list[:(len(list)+9)/10] {
		top[i] = true
	}
	return top
}

// words returns the topic in words, for strategies that compare links with them:
// those of a person, if the judge uses them too; otherwise the table of Taylan et
// al. 2011, which they compute from search results, computed from the training
// pages.
func (t *task) words(examples []judge.Example) []judge.TopicWord {
	if t.x.Judge != wordsJudge {
		return judge.Table{}.TopicWords(examples)
	}
	var list []judge.TopicWord
	for _, term := range t.wordsOf().Words {
		list = append(list, judge.TopicWord{Term: term, Weight: 1})
	}
	return list
}

// The values of Strategy.Without.
const (
	withoutLinks   = "links"
	withoutClasses = "classes"
	withoutVectors = "vectors"
	withoutKinds   = "kinds"
)

// needsOf returns the inputs of a variant: those of all but what it does without,
// and its part of the access log.
func (t *task) needsOf(p *prepared, v Variant) input.Inputs {
	n := p.needs
	if log := t.source.traces[v.Trace]; log != nil {
		n.Trace = log
	}
	if v.TGraph == downwards {
		n.TGraph = p.down
	}
	switch v.Without {
	case withoutLinks:
		n.Links = nil
	case withoutClasses:
		n.Classes = nil
	case withoutVectors:
		n.Vectors = nil
	case withoutKinds:
		n.Taxonomy = nil
	}
	if name, _, _ := strings.Cut(v.Spec, ":"); name == "auto" && t.x.Judge != wordsJudge {
		n.Words = nil // a live crawl for examples has none, and auto understands words that a person typed
	}
	return n
}

// The values of Strategy.TGraph: how its T-Graph is built.
const (
	upwards   = "up"
	downwards = "down"
)

// buildsDown reports whether a strategy wants a T-Graph that is built top-down.
func (x *Experiment) buildsDown() bool {
	return slices.ContainsFunc(x.Strategies, func(s Strategy) bool { return s.TGraph == downwards })
}

// walk returns the walk by which a T-Graph is built top-down: from portals, to the training
// pages and to what the judge takes to be on topic.
func (t *task) walk(p *prepared) tgraph.Walk {
	return tgraph.Walk{
		Roots: t.urls(t.portals()), Document: t.source.Document,
		Target: func(u dowse.URL, _ *dowse.Document) bool {
			i, ok := t.source.web.Find(u)
			return ok && (slices.Contains(t.draw.positives, i) || p.judged.Relevance(i) >= p.onTopic)
		},
	}
}

// buildDown builds a T-Graph top-down. On a topic that portals are far from, the walk may end
// before it meets a target; then it goes through the whole web.
func (t *task) buildDown(b tgraph.Builder, w tgraph.Walk) (*tgraph.Graph, error) {
	g, err := b.BuildDown(w)
	if errors.Is(err, tgraph.ErrWalk) {
		w.Pages = t.source.web.Len()
		g, err = b.BuildDown(w)
	}
	return g, err
}

// wishes returns what the strategies of the experiment need rated, so that pages
// are rated once for all of them.
func (t *task) wishes(n input.Inputs) (list []linkrating.Wish) {
	for _, v := range t.x.Variants() {
		v.TGraph = "" // what is rated does not depend on it
		if s, err := strategy.NewFrom(t.x.pageStrategies(), t.specOf(v), t.needsOf(&prepared{needs: n}, v)); err == nil {
			list = append(list, linkrating.WishOf(s))
		}
	}
	return list
}

// urls returns the URLs of pages that are given by number.
func (t *task) urls(list []int) []dowse.URL {
	urls := make([]dowse.URL, len(list))
	for i, n := range list {
		urls[i] = t.source.web.URL(n)
	}
	return urls
}

// judge trains the judge of the topic and returns it with its threshold.
func (t *task) judge(examples []judge.Example) (dowse.Judge, float64, error) {
	if t.x.Judge == wordsJudge {
		j, err := judge.NewWords(t.wordsOf())
		return j, judge.Threshold, err
	}
	return t.train(t.x.Judge, examples)
}

// train trains a judge of a kind, with the condition if there is one, and returns
// it with its threshold.
func (t *task) train(kind string, examples []judge.Example) (dowse.Judge, float64, error) {
	trainer, err := judge.NewTrainer(kind, "")
	if err != nil {
		return nil, 0, err
	}
	m, err := trainer.Train(examples)
	if err != nil {
		return nil, 0, err
	}
	if t.condition != nil {
		return gated{m, t.condition}, m.Threshold(), nil
	}
	return m, m.Threshold(), nil
}

// gated is a judge that also tests the condition, as a crawl can: a page that
// fails it is off topic. Windows around links are rated without it, because the
// condition is on whole pages.
type gated struct {
	dowse.WindowJudge
	condition *predicate.Predicate
}

// Judge rates the page.
func (g gated) Judge(p *dowse.Page) dowse.Verdict { return g.gate(p, g.WindowJudge.Judge(p)) }

// JudgeWindows rates the page, and the windows without regard to the predicate.
func (g gated) JudgeWindows(p *dowse.Page, windows []dowse.Span) (dowse.Verdict, []float64) {
	v, scores := g.WindowJudge.JudgeWindows(p, windows)
	return g.gate(p, v), scores
}

// gate sets the relevance to 0 if the page does not meet the condition.
func (g gated) gate(p *dowse.Page, v dowse.Verdict) dowse.Verdict {
	if !meets(g.condition, p) {
		v.Relevance, v.Scale = 0, judge.Change
		v.Because = []dowse.Because{{What: "not " + g.condition.String()}}
	}
	return v
}

// paperRounds is the number of leads per round in the papers: 50 in the crawls of
// Wang et al. 2009, one elsewhere.
var paperRounds = map[string]int{"breadth-first": 50, "link-context": 50, "opic": 50, "otie": 50}

// needsTGraph reports whether any strategy needs a T-Graph.
func (x *Experiment) needsTGraph() bool { return x.needsAny("a T-Graph") }

// needsAny reports whether any strategy of the experiment needs an input.
func (x *Experiment) needsAny(what string) bool {
	return slices.ContainsFunc(x.Strategies, func(s Strategy) bool { return x.requires(s, what) })
}

// needs reports whether the strategy needs an input, by the name that its
// description uses.
func (x *Experiment) requires(s Strategy, what string) bool {
	return slices.ContainsFunc(x.pageStrategies(), func(d strategy.Description) bool {
		return d.Name == s.Name && slices.ContainsFunc(s.variants(), func(v Variant) bool {
			_, args, _ := strings.Cut(v.Spec, ":")
			return slices.Contains(d.NeedsWith(args), what)
		})
	})
}

// crawl makes the crawls of a variant and returns the trail of the one with the
// best harvest. There is one crawl, unless the variant asks for the best of
// several, as Aggarwal 2004 reports the best of five.
func (t *task) crawl(ctx context.Context, v Variant, set int) (*measure.Trail, error) {
	p, err := t.prepare()
	if err != nil {
		return nil, err
	}
	var best *measure.Trail
	for k := range max(v.Best, 1) {
		trail, err := t.crawlFrom(ctx, v, set, t.seedsOf(v, set, k), p)
		if err != nil {
			return nil, err
		}
		if best == nil || harvest(trail) > harvest(best) {
			best = trail
		}
	}
	return best, nil
}

// seedsOf returns the seeds of a variant's k-th crawl: those of the set first,
// then others.
func (t *task) seedsOf(v Variant, set, k int) []int {
	if k == 0 {
		return t.seeds(set, v.Seeds)
	}
	return t.seedsFor(cmp.Or(v.Seeds, t.x.Seeds.From), fmt.Sprintf("%d, again %d", set, k))
}

// harvest is the share of a crawl's pages that are relevant, 0 to 1.
func harvest(t *measure.Trail) float64 {
	n := t.Steps.Len()
	return float64(t.Steps.Relevant(n)) / float64(max(n, 1))
}

// crawlFrom makes one crawl from the given seeds, with a strategy that has
// learnt if the variant asks for it.
func (t *task) crawlFrom(ctx context.Context, v Variant, set int, seeds []int, p *prepared) (*measure.Trail, error) {
	s, err := t.strategy(v, p, seeds)
	if err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	if v.Learn != "" {
		if err := t.pretrain(ctx, s, v, set, p); err != nil {
			return nil, err
		}
	}
	if t.grows(v) {
		return t.simulateGrowth(ctx, s, v, t.trail(v, set, p, seeds), p, seeds)
	}
	return t.simulate(ctx, s, v, t.trail(v, set, p, seeds), p, seeds)
}

// pretrain initialises a strategy with what one like it learnt in an earlier
// crawl, with another part of the access log and from other seeds (Aggarwal 2004,
// sec. 4.1).
func (t *task) pretrain(ctx context.Context, s dowse.Strategy, v Variant, set int, p *prepared) error {
	before := v
	before.Trace, before.Learn = v.Learn, ""
	old, err := t.strategy(before, p, nil)
	if err != nil {
		return fmt.Errorf("experiment: %w", err)
	}
	from, ok := old.(input.Learner)
	if !ok {
		return fmt.Errorf("experiment: %s does not learn, so it can't be initialised; leave learn out", v.Label)
	}
	seeds := t.seedsFor(cmp.Or(v.Seeds, t.x.Seeds.From), fmt.Sprintf("%d, before", set))
	if _, err := t.simulate(ctx, old, before, t.trail(before, set, p, seeds), p, seeds); err != nil {
		return err
	}
	return s.(input.Learner).LearnFrom(from.Learnt(t.name), t.name)
}

// simulate crawls with a strategy from seeds and completes the trail. Processor
// time is that of the strategy and the frontier alone: the web answers outside
// the clock.
func (t *task) simulate(ctx context.Context, s dowse.Strategy, v Variant, trail *measure.Trail, p *prepared, seeds []int) (*measure.Trail, error) {
	from, cfg := &origins{taken: map[dowse.URL]origin{}}, t.config(v, s, p)
	cfg.OnEntry = from.record
	return t.run(ctx, lab.Setup{Crawl: cfg, Web: p.judged.For(s, t.latency()).Without(v.templates())}, trail, p, seeds, from)
}

// simulateGrowth is simulate for a crawl whose judge grows from words.
func (t *task) simulateGrowth(ctx context.Context, s dowse.Strategy, v Variant, trail *measure.Trail, p *prepared, seeds []int) (*measure.Trail, error) {
	g, err := t.newGrowth(s, v.templates(), p, seeds)
	if err != nil {
		return nil, err
	}
	cfg, from := t.config(v, s, p), &origins{taken: map[dowse.URL]origin{}}
	g.watch(&cfg, func() (dowse.Strategy, error) { return t.strategy(v, p, seeds) }, from)
	trail, err = t.run(ctx, lab.Setup{Crawl: cfg, Web: g, Revise: g.revise}, trail, p, seeds, from)
	return trail, errors.Join(err, g.close())
}

// run runs a simulation and writes its trail.
func (t *task) run(ctx context.Context, setup lab.Setup, trail *measure.Trail, p *prepared, seeds []int, from *origins) (*measure.Trail, error) {
	w := &trailWriter{task: t, state: p, seeds: seeds, trail: trail}
	clock, unlock := workClock()
	defer unlock()
	setup.Seeds, setup.Clock = t.urls(seeds), clock
	setup.Each = func(now time.Time, p *dowse.Page) bool { w.note(now, p); return true }
	end, err := setup.Run(ctx)
	trail.Elapsed, trail.CPU, trail.Stopped = end.Elapsed, end.Worked, string(end.Stopped)
	trail.Estimates = end.Estimates
	from.writeTo(&trail.Steps)
	return trail, errors.Join(err, p.judged.Err())
}

// templates returns what the crawls of a variant do without the parts that pages of a host repeat.
func (v Variant) templates() repeats.Use { return repeats.UseOf(strings.Split(v.Templates, ",")) }

// latency returns the fixed latency of the experiment; nil for that of the
// recorded answers.
func (t *task) latency() func(dowse.URL) time.Duration {
	if l := t.x.Time.Latency; l > 0 {
		return func(dowse.URL) time.Duration { return l }
	}
	return nil
}

// oracleOrder returns the order of the oracle from the seeds: targets first, since
// recall is about these; then the training pages, which count for harvest.
func (t *task) oracleOrder(p *prepared, seeds []int) []int {
	g, budget := t.source.graph, t.x.Budget.Pages
	targets, last := slices.Clone(p.wanted), len(seeds)
	for i := range p.train {
		targets[i] = false
	}
	order := lab.Oracle(g, targets, seeds, budget)
	for k, i := range order {
		if targets[i] {
			last = k + 1
		}
	}
	return lab.Oracle(g, p.wanted, order[:min(last, len(order))], budget)
}

// strategy creates the strategy of a variant. The oracle's order is computed for
// the seeds; a redirect has the rank of its target, since links may name either.
func (t *task) strategy(v Variant, p *prepared, seeds []int) (dowse.Strategy, error) {
	if v.Spec != Oracle {
		return strategy.NewFrom(t.x.pageStrategies(), t.specOf(v), t.needsOf(p, v))
	}
	g := t.source.graph
	order := t.oracleOrder(p, seeds)
	place := make(map[int]int, len(order))
	rank := make(map[dowse.URL]int, len(order))
	for k, i := range order {
		place[i] = k
		rank[t.source.web.URL(i)] = k
	}
	for i := range g.Len() {
		if to, ok := g.Alias(i); ok {
			if k, planned := place[to]; planned {
				rank[t.source.web.URL(i)] = k
			}
		}
	}
	return &lab.Planned{Rank: rank}, nil
}

// config returns the crawl's configuration: as live, but without delays unless
// the experiment has some. Hosts with a robots.txt are asked for it, and for
// their sitemaps, as in a live crawl.
func (t *task) config(v Variant, s dowse.Strategy, p *prepared) crawl.Config {
	x := t.x
	name, _, _ := strings.Cut(v.Spec, ":")
	cfg := crawl.Config{
		Strategy: s, Threshold: p.onTopic, Limits: crawl.Limits{Pages: x.Budget.Pages, PerHost: x.Budget.PerSite},
		Polite: crawl.Politeness{Delay: crawl.None, InFlight: x.Time.Workers}, Key: x.Seeds.Rng, Round: x.Round,
		Templates: v.templates().Any(),
	}
	if cfg.Round == 0 {
		cfg.Round = cmp.Or(dowse.TraitsOf(s).Round, paperRounds[name])
	}
	// A round of one lead would add nothing but the cost of rounds.
	if cfg.Round <= 1 { // one at a time is a stream with one worker
		cfg.Round = 0
	}
	cfg.Robots = t.source.web.HasRobots()
	cfg.Sitemaps = cfg.Robots
	if x.Time.Delay > 0 {
		cfg.Polite.Delay, cfg.Polite.Hold = x.Time.Delay, crawl.Politeness{}.Resolved().Hold
	}
	return cfg
}

// trail begins the trail of a crawl with what is known in advance: how many
// targets there are, can be reached, and are popular. Seeds and training pages are
// not targets, since they need not be found.
func (t *task) trail(v Variant, set int, p *prepared, seeds []int) *measure.Trail {
	trail := &measure.Trail{Strategy: v.Spec, Label: v.Label, Topic: t.name, SeedSet: set, Steps: t.names.Steps(), Pages: t.source.graph.Pages(), Relevant: count(p.wanted)}
	reached := t.source.graph.Reach(seeds)
	if t.x.asksEstimates() {
		trail.OnTopic = t.onTopic(p, reached)
	}
	for i, wanted := range p.wanted {
		if !wanted || p.train[i] || slices.Contains(seeds, i) {
			continue
		}
		trail.Targets++
		if reached[i] {
			trail.Reachable++
		}
		if p.popular[i] {
			trail.Popular++
		}
		if t.draw.listed[i] {
			trail.Listed++
		}
	}
	return trail
}

// onTopic returns how many of the reached pages the judge takes to be on topic.
func (t *task) onTopic(p *prepared, reached []bool) (n int) {
	for i, ok := range reached {
		if ok && t.source.graph.IsPage(i) && p.judged.Relevance(i) >= p.onTopic {
			n++
		}
	}
	return n
}

// asksEstimates reports whether a measure needs to know what the judge makes of every page.
func (x *Experiment) asksEstimates() bool {
	return slices.ContainsFunc(x.Measures, func(text string) bool {
		m, err := measure.Parse(text)
		return err == nil && m.IsEstimate()
	})
}

// A trailWriter records the visits of a crawl in its trail.
type trailWriter struct {
	task  *task
	state *prepared
	seeds []int
	trail *measure.Trail
}

// note records a fetched page as a step and counts failures. Sitemaps, repeated
// visits and redirects leave no trace (SPEC B.4). This is the only place where
// labels meet a crawl, and it is behind the strategy: nothing of what is
// written here is read by one.
func (w *trailWriter) note(now time.Time, p *dowse.Page) {
	switch {
	case p.Outcome == dowse.Listed || p.Again || p.Outcome == dowse.Redirected:
		return
	case p.Outcome != dowse.Fetched:
		w.trail.Failed++
		return
	}
	step := measure.Step{
		URL: p.URL, Host: weburl.Host(p.URL), Judged: p.Verdict.Relevance, OnTopic: p.Verdict.Relevance >= w.state.onTopic,
		At: now.Sub(lab.Epoch), Bytes: p.Fetch.Bytes,
	}
	if i, ok := w.task.source.web.Find(p.URL); ok {
		step.Relevant, step.Trained, step.Popular = w.state.wanted[i], w.state.train[i], w.state.popular[i]
		step.Listed = w.task.draw.listed[i]
		if a := w.state.assessed; a != nil {
			step.Judged = a.Relevance(i)
			step.OnTopic = step.Judged >= w.state.assessedOn
		}
		step.Seed = slices.Contains(w.seeds, i)
	}
	w.trail.Steps.Append(step)
}
