package experiment

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"

	"dowse"
	"dowse/internal/lab/web"
	"dowse/internal/mistake"
	"dowse/internal/predicate"
	"dowse/internal/trace"
	"dowse/text"
)

// A bench is a web with all that the lab knows of it.
type bench struct {
	web    *web.Web
	labels *web.Labels
	graph  *web.Graph
	portal []int                 // the hub where crawls begin, too; empty for none
	traces map[string]*trace.Log // by the part of it: "" for all, early, late; nil where nobody needs one

	linkingOnce sync.Once
	linking     [][]int32
	countOnce   sync.Once
	counted     *wordCounts
	countErr    error
}

// What may be missing on a web. ErrTopics tells that an experiment makes no sense there,
// ErrLabels that none does.
var (
	ErrLabels = errors.New("nobody said which pages are on topic")
	ErrTopics = errors.New("too few pages on topic")
)

// sourcesOf lists the webs of an experiment.
func sourcesOf(x *Experiment) (list []web.Source) {
	for _, w := range x.Web {
		if w.Town != nil {
			continue
		}
		if w.Demo != nil {
			seeds := w.Demo.Seeds
			if len(seeds) == 0 {
				seeds = []uint64{w.Demo.Seed}
			}
			for _, s := range seeds {
				list = append(list, web.Source{Demo: &web.Made{Pages: w.Demo.Pages, Seed: s}})
			}
			continue
		}
		list = append(list, web.Source{Name: w.Name, Hubs: w.Hubs, Labels: w.Labels, Traces: w.Traces, Paths: slices.Clone(w.Paths)})
	}
	return list
}

// openBench opens a web and all that belongs to it.
func openBench(ctx context.Context, s web.Source, o Options, parts []string) (*bench, error) {
	for _, path := range append(slices.Clone(s.Paths), s.Hubs) {
		if _, err := os.Stat(path); err != nil && path != "" {
			return nil, fmt.Errorf("experiment: web: %w; dowse lab webs lists those that are known", err)
		}
	}
	labels, err := s.LoadLabels()
	if err != nil {
		return nil, err
	}
	if labels == nil {
		return nil, fmt.Errorf("experiment: %s: %w; put a file of url and topic beside it, as NAME.labels.tsv, or name it in the experiment", strings.Join(s.Paths, ", "), ErrLabels)
	}
	w, err := web.Open(ctx, s, web.Options{Cache: o.Cache, Memory: o.Memory, Progress: func(done, total int) {
		o.progress(Progress{Stage: "reading the web", Done: done, Total: total})
	}})
	if err != nil {
		return nil, err
	}
	b := &bench{web: w, labels: labels}
	if b.graph, err = w.Graph(); err == nil && len(parts) > 0 {
		b.traces, err = b.tracesOf(s, parts)
	}
	if err == nil {
		b.portal, err = b.portalOf(s)
	}
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return b, nil
}

// portalOf returns the hub that most hubs link to: where people come in. Nothing else may
// link to hubs, so they are of use only to crawls that begin there.
func (b *bench) portalOf(s web.Source) ([]int, error) {
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
		return nil, fmt.Errorf("experiment: no page of %s can be read", s.Hubs)
	}
	return []int{portal}, nil
}

// in returns for every page those that link to it.
func (b *bench) in() [][]int32 {
	b.linkingOnce.Do(func() { b.linking = b.graph.Linking() })
	return b.linking
}

// Linking returns the pages that link to a page: the lab's answer to strategies that
// need back-links of training pages.
func (b *bench) Linking(to dowse.URL) (list []dowse.URL, err error) {
	i, ok := b.web.Find(to)
	if !ok {
		return nil, nil
	}
	for _, f := range b.in()[i] {
		list = append(list, b.web.URL(int(f)))
	}
	slices.Sort(list) // not by number, which would tell where in its file a page stands
	return slices.Compact(list), nil
}

// Document returns what a page says.
func (b *bench) Document(u dowse.URL) (*dowse.Document, error) {
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

// topics lists the topics to look for on a web.
func (b *bench) topics(x *Experiment) ([]string, error) {
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
		list = b.chosen(least, x.Topics.Limit, x.Seeds.Rng)
	}
	if x.Topics.Limit > 0 {
		list = list[:min(len(list), x.Topics.Limit)]
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("experiment: %w: no topic of %s has %d pages; ask for fewer training pages or set topics.least", ErrTopics, b.web.Name, least)
	}
	for _, t := range list {
		asked, err := b.askedOf(x, t)
		if err != nil {
			return nil, err
		}
		on, err := b.wanted(t, asked)
		if err != nil {
			return nil, err
		}
		if n := count(on); n == 0 {
			return nil, fmt.Errorf("experiment: %w: none of %s is on the topic %s; %s", ErrTopics, b.web.Name, t, mistake.Suggestion(t, b.labels.Largest(10)))
		} else if n <= x.Training.Positives+1 {
			return nil, fmt.Errorf("experiment: %w: %d of %s are on the topic %s, too few for %d training pages and something to look for; take another topic, or training: {positives: %d}",
				ErrTopics, n, b.web.Name, t, x.Training.Positives, max(n/2, 1))
		}
	}
	return list, nil
}

// wanted tells for every answer of the web whether it is a page on a topic for which the
// predicate holds, if there is one.
func (b *bench) wanted(topic string, asked *predicate.Predicate) ([]bool, error) {
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

// meets tells whether a page meets a predicate. One that does not declare its language is
// told by its text where the predicate asks for languages, as in a live crawl.
func meets(asked *predicate.Predicate, p *dowse.Page) bool {
	if p.Language == "" && asked.Needs().Reads("lang") {
		told := *p
		told.Language, _ = text.Detect(p.Text, nil)
		p = &told
	}
	return asked.Test(p, predicate.Facts{}).Holds
}

func readTopics(path string) (list []string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("experiment: topics: %w", err)
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	for in.Scan() {
		if t := strings.TrimSpace(in.Text()); t != "" && t[0] != '#' {
			list = append(list, t)
		}
	}
	switch {
	case in.Err() != nil:
		return nil, fmt.Errorf("experiment: topics: read %s: %w; name a file with a topic to a line", path, in.Err())
	case len(list) == 0:
		return nil, fmt.Errorf("experiment: topics: %s names none; write a topic to a line, or say from: web", path)
	}
	return list, nil
}

// chosen draws topics from those of the web that have enough pages: no two with the
// same parent and at most three with the same grandparent, as Wang et al. 2009 choose,
// and where that does not give enough the others after them.
func (b *bench) chosen(least, limit int, rng uint64) (list []string) {
	var all []string
	for _, t := range b.labels.Topics() {
		if count(b.web.On(b.graph, b.labels, t.Topic)) >= least {
			all = append(all, t.Topic)
		}
	}
	draw := drawing(rng, "topics", b.web.Name)
	draw.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
	taken := map[string]int{}
	var others []string
	for _, t := range all {
		parent := t[:max(strings.LastIndexByte(t, '/'), 0)]
		grand := parent[:max(strings.LastIndexByte(parent, '/'), 0)]
		if taken[parent] > 0 || taken["above "+grand] >= 3 {
			others = append(others, t)
			continue
		}
		taken[parent]++
		taken["above "+grand]++
		list = append(list, t)
	}
	list = append(list, others...)
	if limit > 0 {
		list = list[:min(limit, len(list))]
	}
	slices.Sort(list)
	return list
}

func count(on []bool) (n int) {
	for _, ok := range on {
		if ok {
			n++
		}
	}
	return n
}

// drawing returns the random numbers for one purpose: what is drawn for one topic does
// not depend on the others.
func drawing(rng uint64, purpose ...string) *rand.Rand {
	h := uint64(14695981039346656037)
	for _, s := range purpose {
		for _, c := range []byte(s + "\x00") {
			h = (h ^ uint64(c)) * 1099511628211
		}
	}
	return rand.New(rand.NewPCG(rng, h))
}
