package experiment

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"dowse"
	"dowse/internal/lab/web"
	"dowse/internal/mistake"
	"dowse/internal/plain"
	"dowse/internal/predicate"
	"dowse/internal/text"
	"dowse/internal/trace"
)

// A labelledWeb is a web with everything that the lab knows of it: labels, link
// graph and access logs. Apart from two parts that are computed on first use, it
// does not change after openLabelled, and any number of crawls may read it
// concurrently.
type labelledWeb struct {
	web    *web.Web
	labels *web.Labels
	graph  *web.Graph
	portal []int // a hub that is a seed of every crawl; empty for none
	// By part: "" for all, early, late; nil if no strategy needs one.
	traces map[string]*trace.Log
	// strollers reports that there is no log of this recorded web, so that people were simulated
	// who know nothing of topics.
	strollers bool

	linkingOnce sync.Once
	linking     [][]int32 // by page, the pages that link to it
	countOnce   sync.Once
	counted     *wordCounts
	countErr    error
}

// Errors that a caller may expect of a web that somebody else provides. ErrLabels
// means that the web has no labels, so no experiment can run on it; ErrTopics
// means that this experiment can't, because its topics have too few pages there.
var (
	ErrLabels = errors.New("the web has no labels")
	ErrTopics = errors.New("too few pages on topic")
)

// sourcesOf lists the webs of an experiment, except towns, in order. A synthetic
// web with several random seeds becomes several webs.
func sourcesOf(x *Experiment) (list []web.Source) {
	for _, w := range x.Web {
		if w.Town != nil {
			continue
		}
		if made := cmp.Or(w.Demo, w.Campus); made != nil {
			seeds := made.Seeds
			if len(seeds) == 0 {
				seeds = []uint64{made.Seed}
			}
			for _, s := range seeds {
				list = append(list, web.Source{Demo: &web.Synthetic{Pages: made.Pages, Sites: made.Sites, Seed: s, Campus: w.Campus != nil, Boilerplate: made.Boilerplate}})
			}
			continue
		}
		list = append(list, web.Source{Name: w.Name, Hubs: w.Hubs, Labels: w.Labels, Traces: w.Traces, Paths: slices.Clone(w.Paths)})
	}
	return list
}

// openLabelled opens a web with its labels, graph, portal and the parts of its
// access logs that strategies need. The caller closes b.web.
func openLabelled(ctx context.Context, s web.Source, o Options, parts []string, gap time.Duration) (*labelledWeb, error) {
	for _, path := range append(slices.Clone(s.Paths), s.Hubs) {
		if _, err := os.Stat(path); err != nil && path != "" {
			return nil, fmt.Errorf("experiment: web: %w; name demo, a WARC or WACZ file, a folder of them or a collection", err)
		}
	}
	labels, err := s.LoadLabels()
	if err != nil {
		return nil, err
	}
	if labels == nil {
		return nil, fmt.Errorf("experiment: %s: %w; put a file of url and topic next to it, as NAME.labels.tsv, or name it in the experiment", strings.Join(s.Paths, ", "), ErrLabels)
	}
	w, err := web.Open(ctx, s, web.Options{Cache: o.Cache, Memory: o.Memory, Progress: func(done, total int) {
		o.progress(Progress{Stage: "reading the web", Done: done, Total: total})
	}})
	if err != nil {
		return nil, err
	}
	b := &labelledWeb{web: w, labels: labels}
	if b.graph, err = w.Graph(); err == nil && len(parts) > 0 {
		b.traces, err = b.tracesOf(s, parts, gap)
	}
	if err == nil {
		b.portal, err = b.portalOf(s)
	}
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return b, nil
}

// portalOf returns the hub page that most hub pages link to, the entrance of the
// hubs. No other page need link to hubs, so crawls find them only if they begin
// there. Ties go to the first URL in alphabetical order.
func (b *labelledWeb) portalOf(s web.Source) ([]int, error) {
	urls, err := s.HubURLs()
	if err != nil || len(urls) == 0 {
		return nil, err
	}
	in := map[int]int{}
	for _, u := range urls {
		i, ok := b.web.Find(u)
		if !ok || !b.graph.IsPage(i) {
			continue
		}
		for _, to := range b.graph.Out(i) {
			in[int(to)]++
		}
	}
	portal := -1
	for _, u := range slices.Sorted(slices.Values(urls)) {
		if i, ok := b.web.Find(u); ok && b.graph.IsPage(i) && (portal < 0 || in[i] > in[portal]) {
			portal = i
		}
	}
	if portal < 0 {
		return nil, fmt.Errorf("experiment: hubs %s: none of its pages can be read", s.Hubs)
	}
	return []int{portal}, nil
}

// in returns, for every page, the pages that link to it. It is computed once.
func (b *labelledWeb) in() [][]int32 {
	b.linkingOnce.Do(func() { b.linking = b.graph.Linking() })
	return b.linking
}

// Linking returns the pages that link to a page: the lab's source of back-links
// for strategies that need those of training pages. A URL that the web does not
// have yields none.
func (b *labelledWeb) Linking(to dowse.URL) (list []dowse.URL, err error) {
	i, ok := b.web.Find(to)
	if !ok {
		return nil, nil
	}
	for _, f := range b.in()[i] {
		list = append(list, b.web.URL(int(f)))
	}
	slices.Sort(list) // not by number, which would reveal the place of a page in its file
	return slices.Compact(list), nil
}

// Document returns the text of a page, and nil for a URL that is not a page of
// the web.
func (b *labelledWeb) Document(u dowse.URL) (*dowse.Document, error) {
	i, ok := b.web.Find(u)
	if !ok || !b.graph.IsPage(i) {
		return nil, nil
	}
	p, err := b.web.Page(i)
	if err != nil {
		return nil, err
	}
	return &p.Document, nil
}

// topics returns the topics of an experiment on this web: those that it lists,
// those of its file, or topics of the web that have enough pages. Every one
// must leave something to find apart from its training pages; otherwise topics
// returns an error that wraps ErrTopics and names what to change.
func (b *labelledWeb) topics(x *Experiment) ([]string, error) {
	list := x.Topics.List
	if from := x.Topics.From; len(list) == 0 && from != "" && from != "web" {
		var err error
		if list, err = readTopics(from); err != nil {
			return nil, err
		}
	}
	least := x.Topics.Least
	if least == 0 {
		least = x.Training.Positives + x.Seeds.PerTopic + 10
	}
	if len(list) == 0 {
		list = b.chosen(x.Topics, least, x.Seeds.Rng)
	}
	if x.Topics.Limit > 0 {
		list = list[:min(len(list), x.Topics.Limit)]
	}
	if b.web.Len() == 0 {
		return nil, fmt.Errorf("experiment: %w: %s has no page", ErrTopics, b.web.Name)
	}
	if elsewhere := b.labels.Elsewhere(b.web); b.labels.Len() == elsewhere {
		return nil, fmt.Errorf("experiment: %w: no page of %s is labelled (%s); write the URLs of its pages, a tab and a topic", ErrTopics, b.web.Name, unlabelled(elsewhere))
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("experiment: %w: no topic of %s has %d pages; use fewer training pages or set topics.least", ErrTopics, b.web.Name, least)
	}
	// Every topic is checked before the first crawl, so that a run does not
	// fail after hours.
	for _, t := range list {
		asked, err := b.predicateFor(x, t)
		if err != nil {
			return nil, err
		}
		on, err := b.wanted(t, asked)
		if err != nil {
			return nil, err
		}
		if n := count(on); n == 0 && asked != nil && count(b.web.On(b.graph, b.labels, t)) > 0 {
			return nil, fmt.Errorf("experiment: %w: no page of %s that is on the topic %s meets the predicate %s; use another topic or another predicate", ErrTopics, b.web.Name, t, x.Predicate)
		} else if n == 0 {
			others := slices.DeleteFunc(b.labels.Largest(10), func(x string) bool { return x == t }) // of which the web has no page
			return nil, fmt.Errorf("experiment: %w: no page of %s is on the topic %s; %s", ErrTopics, b.web.Name, t, mistake.Suggestion(t, others))
		} else if n <= x.Training.Positives+1 {
			return nil, fmt.Errorf("experiment: %w: %d pages of %s are on the topic %s, too few for %d training pages and something to find; use another topic, or training: {positives: %d}",
				ErrTopics, n, b.web.Name, t, x.Training.Positives, max(n/2, 1))
		}
	}
	return list, nil
}

// unlabelled states how many labels there are on a web that has none of their pages.
func unlabelled(elsewhere int) string {
	if elsewhere == 0 {
		return "the file of labels is empty"
	}
	return fmt.Sprintf("labelled URLs that it does not have: %d", elsewhere)
}

// wanted reports, for every answer of the web, whether it is a relevant page: on
// topic, and meeting the condition if there is one.
func (b *labelledWeb) wanted(topic string, asked *predicate.Predicate) ([]bool, error) {
	on := b.web.On(b.graph, b.labels, topic)
	for i := range on {
		if !on[i] || asked == nil {
			continue
		}
		p, err := b.web.Page(i)
		if err != nil {
			return nil, err
		}
		on[i] = meets(asked, p)
	}
	return on, nil
}

// meets reports whether a page meets a predicate. If the predicate reads the
// language and the page does not declare one, it is detected from the text, as in
// a live crawl.
func meets(asked *predicate.Predicate, p *dowse.Page) bool {
	if p.Language == "" && asked.Needs().Reads("lang") {
		detected := *p
		detected.Language, _ = text.Detect(p.Text, nil)
		p = &detected
	}
	return asked.Test(p, predicate.Facts{}).Holds
}

// LeaveOut adds the topics of a file, one per line, to Without. Topics that are named, in From
// or List, are not drawn, so it returns an error for them.
func (t *Topics) LeaveOut(path string) error {
	if len(t.List) > 0 || t.From != "" && t.From != "web" {
		return fmt.Errorf("experiment: %s: only topics that are drawn from the web can be left out, and this experiment names its topics; remove them from its list", path)
	}
	list, err := readTopics(path)
	if err != nil {
		return err
	}
	for _, topic := range list {
		if !slices.Contains(t.Without, topic) {
			t.Without = append(t.Without, topic)
		}
	}
	return nil
}

// readTopics reads one topic per line; blank lines and lines that begin with #
// are ignored.
func readTopics(path string) (list []string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("experiment: topics: %w", err)
	}
	defer f.Close()
	in := bufio.NewScanner(plain.Unmarked(f))
	for in.Scan() {
		if t := strings.TrimSpace(in.Text()); t != "" && t[0] != '#' {
			list = append(list, t)
		}
	}
	switch {
	case in.Err() != nil:
		return nil, fmt.Errorf("experiment: topics: read %s: %w; name a file with one topic per line", path, in.Err())
	case len(list) == 0:
		return nil, fmt.Errorf("experiment: topics: %s is empty; write one topic per line, or use from: web", path)
	}
	return list, nil
}

// chosen draws topics of the web that have at least least pages. As in Wang et
// al. 2009, it first takes topics of which no two have the same parent and at
// most three the same grandparent, so that a comparison does not rest on one
// branch of a directory; the others follow if there are not enough.
func (b *labelledWeb) chosen(x Topics, least int, rng uint64) (list []string) {
	limit := x.Limit
	var all []string
	for _, t := range b.labels.Topics() {
		if !slices.Contains(x.Without, t.Topic) && count(b.web.On(b.graph, b.labels, t.Topic)) >= least {
			all = append(all, t.Topic)
		}
	}
	draw := newRand(rng, "topics", b.web.Name)
	draw.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
	taken := map[string]int{}
	var others []string
	for _, t := range all {
		parent := t[:max(strings.LastIndexByte(t, '/'), 0)]
		grand := parent[:max(strings.LastIndexByte(parent, '/'), 0)]
		// "above " keeps the counts of grandparents apart from those of
		// parents.
		if taken[parent] > 0 || taken["above "+grand] >= 3 {
			others = append(others, t)
			continue
		}
		taken[parent]++
		taken["above "+grand]++
		list = append(list, t)
	}
	list = append(list, others...)
	if x.Apart {
		list = b.apart(list, x.Without)
	}
	if limit > 0 {
		list = list[:min(limit, len(list))]
	}
	slices.Sort(list)
	return list
}

// apart returns the topics that share no more than a tenth of the pages of the smaller one
// with a topic before them, or with one of others. Comparisons over topics take them to be
// independent of each other.
func (b *labelledWeb) apart(topics, others []string) (list []string) {
	var taken [][]bool
	for _, t := range others {
		taken = append(taken, b.web.On(b.graph, b.labels, t))
	}
	for _, t := range topics {
		on := b.web.On(b.graph, b.labels, t)
		if !slices.ContainsFunc(taken, func(other []bool) bool { return overlap(on, other) > 0.1 }) {
			taken, list = append(taken, on), append(list, t)
		}
	}
	return list
}

// overlap returns the share of the pages of the smaller of two topics that both have.
func overlap(a, b []bool) float64 {
	both := 0
	for i := range a {
		if a[i] && b[i] {
			both++
		}
	}
	return float64(both) / float64(max(min(count(a), count(b)), 1))
}

// count returns how many are true.
func count(on []bool) (n int) {
	for _, ok := range on {
		if ok {
			n++
		}
	}
	return n
}

// newRand returns the random numbers for one purpose. They depend on the random
// seed and the purpose alone (FNV-1a of its parts, each ended by a zero byte),
// so that what is drawn for one topic does not change when another topic is
// added.
func newRand(rng uint64, purpose ...string) *rand.Rand {
	h := uint64(14695981039346656037)
	for _, s := range purpose {
		for _, c := range []byte(s + "\x00") {
			h = (h ^ uint64(c)) * 1099511628211
		}
	}
	return rand.New(rand.NewPCG(rng, h))
}
